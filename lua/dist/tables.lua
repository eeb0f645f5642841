-- lua/dist/tables.lua - nn.LookupTable in parts on several ranks: its rows shared out (the vocabulary), or its columns.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local dist = require 'dist'
local agree = require 'dist.agree'
local split = require 'dist.split'

local names = { 'weight' }

-- (nIndex, nOutput, options) or (nn.LookupTable, options): what makes the whole table, and the options.
local function arguments(who, nIndex, nOutput, options)
   if not torch.isTypeOf(nIndex, 'nn.Module') then
      return function()
         for name, v in pairs { nIndex = nIndex or false, nOutput = nOutput or false } do
            if type(v) ~= 'number' or v % 1 ~= 0 or v < 1 then
               arg.refuse(who, name, 'a whole number from 1', v or nil, -1)
            end
         end
         return nn.LookupTable(nIndex, nOutput)
      end, options
   end
   return function()
      if torch.type(nIndex) ~= 'nn.LookupTable' then
         arg.refuse(who, 'argument 1', 'an nn.LookupTable or a number of rows', nIndex, -1)
      end
      if nIndex.maxNorm and who == 'dist.ColumnLookupTable' then
         error(who .. ': maxNorm is about whole rows: use dist.RowLookupTable', 0)
      end
      if not nIndex.gradWeight then error(who .. ': the table has no gradient (accUpdateOnly)', 0) end
      return nIndex
   end, nOutput
end

-- A table whose rows are to be overwritten.
local function plain(nIndex, nOutput, padding, like)
   local t = split.quietly(function() return nn.LookupTable(nIndex, nOutput, padding, like.maxNorm, like.normType) end)
   t.shouldScaleGradByFreq = like.shouldScaleGradByFreq
   return t:type(like._type)
end

-- The part of this rank as a table of its own.
local function part_of(self, whole, copies, dim)
   local n = tonumber(copies.weight:size(dim))
   local sizes, first, size = split.parts(torch.type(self), dim == 1 and 'rows' or 'columns', n, self.number)
   self.sizes, self.first = sizes, first
   self.nIndex, self.nOutput = tonumber(copies.weight:size(1)), tonumber(copies.weight:size(2))
   local weight = copies.weight:narrow(dim, first, size)
   local part = plain(1, 1, 0, whole)
   part.weight:resize(weight:size()):copy(weight)
   part.gradWeight:resize(weight:size()):zero()
   local padding = (whole.paddingValue or 0) - (dim == 1 and first - 1 or 0)
   self.padding = whole.paddingValue or 0
   part.paddingValue = padding >= 1 and padding <= weight:size(1) and padding or 0
   return part
end

local function reset(self, stdv)
   local dim = torch.isTypeOf(self, 'dist.RowLookupTable') and 1 or 2
   local _, copies = split.whole(torch.type(self), self.number, function()
      local whole = nn.LookupTable(self.nIndex, self.nOutput):type(self._type)
      whole:reset(stdv)
      return whole
   end, names)
   self.modules[1].weight:copy(copies.weight:narrow(dim, self.first, self.modules[1].weight:size(dim)))
   return self
end

local function collect(self, dim)
   local part = self.modules[1]
   local whole = plain(self.nIndex, self.nOutput, self.padding, part)
   whole.weight:copy(split.join(self, part.weight, dim))
   return whole
end

local function text_of(self, what)
   return ('%s(%d -> %d, %s %d of %d)'):format(torch.type(self), self.nIndex, self.nOutput, what,
      agree.group(self.number).at + 1, agree.group(self.number).n)
end

-- ---- rows shared out ---------------------------------------------------------------------------------------------------------

--- nn.LookupTable with its rows shared out over the ranks, for vocabularies that are long. All ranks call it and give the same
-- numbers; each looks up those that it has, and all get the sum: the bits of the whole table. The part, an nn.LookupTable, is
-- get(1).
-- @param nIndex   or an nn.LookupTable, whose rows (those of the first rank), padding and norm it takes; the options follow then
-- @param options  a table: `group` of ranks
-- dist.init(); dist.RowLookupTable(5, 3):forward(torch.LongTensor{2, 5}):size() --> {2, 3}
local RowLookupTable, Container = torch.class('dist.RowLookupTable', 'nn.Container')
RowLookupTable.bufferNames = { '_whole', '_rows', '_places' }

function RowLookupTable:__init(nIndex, nOutput, options)
   local who = 'dist.RowLookupTable'
   local make, more = arguments(who, nIndex, nOutput, options)
   local number = split.options(who, more, {}, 4)
   local whole, copies = split.whole(who, number, make, names)
   Container.__init(self)
   self.number = number
   self:add(part_of(self, whole, copies, 1))
   self:type(whole._type)
end

-- The places of the input whose rows this rank has, and these rows as numbers of its part.
local function find(self, input)
   local ty = torch.isTensor(input) and input:type() or ''
   if not ty:find '^torch%.%a+Tensor$' or ty:find '^torch%.Cuda' or input:dim() < 1 or input:dim() > 2 then
      self:refuse('input', 'be a vector or a matrix of numbers', input)
   end
   if ty:find 'Half' or ty:find 'BFloat16' or (ty:find 'Float' and self.nIndex > 2 ^ 24) then
      self:refuse('input', 'be a LongTensor', input)
   end
   local all = input:long():contiguous():view(-1)
   if all:min() < 1 or all:max() > self.nIndex then
      self:refuse('input', ('hold numbers of 1..%d'):format(self.nIndex), tostring(all:min() < 1 and all:min() or all:max()))
   end
   local rows = all - (self.first - 1)
   local found = rows:ge(1):cmul(rows:le(self.modules[1].weight:size(1))):nonzero()
   self._places = found:nElement() > 0 and found:view(-1) or nil
   self._rows = self._places and rows:index(1, self._places)
end

function RowLookupTable:updateOutput(input)
   find(self, input)
   local shape, n = input:size():totable(), self.nOutput
   shape[#shape + 1] = n
   local whole = self:scratch '_whole':resize(torch.LongStorage(shape)):zero()
   if self._places then
      local vectors = self:rethrowErrors(self.modules[1], 1, 'updateOutput', self._rows)
      whole:view(-1, n):indexCopy(1, self._places, vectors)
   end
   self.output = dist.allreduce(whole, 'sum', agree.options(self.number))
   return self.output
end

RowLookupTable.updateGradInput = nn.LookupTable.updateGradInput

function RowLookupTable:accGradParameters(input, gradOutput, scale)
   find(self, input)
   if not torch.isTensor(gradOutput) or gradOutput:nElement() ~= input:nElement() * self.nOutput then
      self:refuse('gradOutput', ('have %d elements'):format(input:nElement() * self.nOutput), gradOutput)
   end
   if not self._places then return end
   local g = gradOutput:contiguous():view(-1, self.nOutput):index(1, self._places)
   self:rethrowErrors(self.modules[1], 1, 'accGradParameters', self._rows, g, scale)
end

RowLookupTable.reset = reset
RowLookupTable.accUpdateGradParameters = split.accUpdate
RowLookupTable.sharedAccUpdateGradParameters = split.accUpdate
RowLookupTable.write = split.write

--- The whole table, an nn.LookupTable, on all ranks. All call it.
-- dist.init(); dist.RowLookupTable(5, 3):collect().weight:size() --> {5, 3}
function RowLookupTable:collect() return collect(self, 1) end

function RowLookupTable:__tostring__() return text_of(self, 'rows') end

-- ---- columns shared out ------------------------------------------------------------------------------------------------------

--- nn.LookupTable with its columns shared out over the ranks. All ranks call it and give the same numbers; each gets whole
-- vectors, or with `gather = false` its own columns of them. The part, an nn.LookupTable, is get(1).
-- @param nIndex   or an nn.LookupTable, whose rows (those of the first rank) and padding it takes; the options follow then
-- @param options  a table: `gather` (default true), `group` of ranks
-- dist.init(); dist.ColumnLookupTable(5, 3):forward(torch.LongTensor{2, 5}):size() --> {2, 3}
local ColumnLookupTable = torch.class('dist.ColumnLookupTable', 'nn.Container')
ColumnLookupTable.bufferNames = { '_whole' }

function ColumnLookupTable:__init(nIndex, nOutput, options)
   local who = 'dist.ColumnLookupTable'
   local make, more = arguments(who, nIndex, nOutput, options)
   local number, flags = split.options(who, more, { gather = true }, 4)
   local whole, copies = split.whole(who, number, make, names)
   Container.__init(self)
   self.number, self.gather = number, flags.gather
   self:add(part_of(self, whole, copies, 2))
   self:type(whole._type)
end

function ColumnLookupTable:updateOutput(input)
   local part = self:rethrowErrors(self.modules[1], 1, 'updateOutput', input)
   self.output = self.gather and split.gather(self, self:scratch '_whole', part)() or part
   return self.output
end

function ColumnLookupTable:updateGradInput(input)
   self.gradInput = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', input)
   return self.gradInput
end

function ColumnLookupTable:accGradParameters(input, gradOutput, scale)
   if self.gather then
      split.need_columns(self, 'gradOutput', gradOutput, self.nOutput)
      gradOutput = split.mine(self, gradOutput):contiguous()
   end
   self:rethrowErrors(self.modules[1], 1, 'accGradParameters', input, gradOutput, scale)
end

ColumnLookupTable.reset = reset
ColumnLookupTable.accUpdateGradParameters = split.accUpdate
ColumnLookupTable.sharedAccUpdateGradParameters = split.accUpdate
ColumnLookupTable.write = split.write

--- The whole table, an nn.LookupTable, on all ranks. All call it.
-- dist.init(); dist.ColumnLookupTable(5, 3):collect().weight:size() --> {5, 3}
function ColumnLookupTable:collect() return collect(self, 2) end

function ColumnLookupTable:__tostring__() return text_of(self, 'columns') end

return { RowLookupTable = RowLookupTable, ColumnLookupTable = ColumnLookupTable }
