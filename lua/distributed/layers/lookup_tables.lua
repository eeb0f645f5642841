-- lua/distributed/layers/lookup_tables.lua - nn.LookupTable in parts on several ranks: its rows (the vocabulary) or its
-- columns are divided.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local partition = require 'distributed.layers.partition'
local base = require 'distributed.layers.base'

-- (nIndex, nOutput, options) or (nn.LookupTable, options): returns a function that makes the whole
-- table, and the options.
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
         error(who .. ': maxNorm needs whole rows: use dist.RowLookupTable', 0)
      end
      if not nIndex.gradWeight then error(who .. ': the table has no gradient (accUpdateOnly)', 0) end
      return nIndex
   end, nOutput
end

-- A table whose rows will be overwritten.
local function plain(nIndex, nOutput, padding, like)
   local t = partition.quietly(function() return nn.LookupTable(nIndex, nOutput, padding, like.maxNorm, like.normType) end)
   t.shouldScaleGradByFreq = like.shouldScaleGradByFreq
   return t:type(like._type)
end

-- The rest of __init, for both classes.
local function begin(self, whole, copies)
   self.nIndex, self.nOutput = tonumber(copies.weight:size(1)), tonumber(copies.weight:size(2))
   self.padding = whole.paddingValue or 0
   local part = plain(1, 1, 0, whole)
   self:add(part)
   base.fill(self, copies)
   local padding = self.padding - (self.kind.dim == 1 and self.first - 1 or 0)
   part.paddingValue = padding >= 1 and padding <= part.weight:size(1) and padding or 0
   self:type(whole._type)
end

local function text(self) return ('%d -> %d'):format(self.nIndex, self.nOutput) end
local function plain_of(self, like) return plain(self.nIndex, self.nOutput, self.padding, like) end

local function drawn(self, stdv)
   local whole = nn.LookupTable(self.nIndex, self.nOutput):type(self._type)
   whole:reset(stdv)
   return whole
end

-- ---- rows divided
-- --------------------------------------------------------------------------------------------------------

--- nn.LookupTable with its rows divided among the ranks, for large vocabularies. All ranks call it with the same indices. Each
-- looks up those that it has, and all get the sum: the bits of the whole table. The part, an nn.LookupTable, is get(1). An error
-- in it on one rank is one on all.
-- @param nIndex   or an nn.LookupTable, whose rows (those of the first rank), padding and norm it takes; then the options follow
-- @param options  a table: `group` of ranks
-- dist.init(); dist.RowLookupTable(5, 3):forward(torch.LongTensor{2, 5}):size() --> {2, 3}
local RowLookupTable = torch.class('dist.RowLookupTable', 'dist.SumOfParts')
RowLookupTable.bufferNames = { '_whole', '_rows', '_places' }
local kind = { names = { 'weight' }, dim = 1, items = 'rows', pieces = 'rows', text = text, plain = plain_of, drawn = drawn }
RowLookupTable.kind = kind

function RowLookupTable:__init(nIndex, nOutput, options)
   local make, more = arguments('dist.RowLookupTable', nIndex, nOutput, options)
   begin(self, base.InParts.__init(self, make, more, {}))
end

-- The places of the input whose rows this rank has, and the indices of these rows in its part.
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

function kind.share(self, input)
   find(self, input)
   local shape, n = input:size():totable(), self.nOutput
   shape[#shape + 1] = n
   local whole = self:scratch '_whole':resize(torch.LongStorage(shape)):zero()
   if self._places then
      local vectors = self:rethrowErrors(self.modules[1], 1, 'updateOutput', self._rows)
      whole:view(-1, n):indexCopy(1, self._places, vectors)
   end
   return whole
end

RowLookupTable.updateGradInput = nn.LookupTable.updateGradInput

function kind.learn(self, input, gradOutput, scale)
   find(self, input)
   if not torch.isTensor(gradOutput) or gradOutput:nElement() ~= input:nElement() * self.nOutput then
      self:refuse('gradOutput', ('have %d elements'):format(input:nElement() * self.nOutput), gradOutput)
   end
   if not self._places then return end
   local g = gradOutput:contiguous():view(-1, self.nOutput):index(1, self._places)
   self:rethrowErrors(self.modules[1], 1, 'accGradParameters', self._rows, g, scale)
end

-- ---- columns divided
-- -----------------------------------------------------------------------------------------------------

--- nn.LookupTable with its columns divided among the ranks. All ranks call it with the same indices. Each gets whole vectors, or
-- with `gather = false` its own columns of them. The part, an nn.LookupTable, is get(1). An error in it on one rank is one
-- on all.
-- @param nIndex   or an nn.LookupTable, whose rows (those of the first rank) and padding it takes; then the options follow
-- @param options  a table: `gather` (default true), `group` of ranks
-- dist.init(); dist.ColumnLookupTable(5, 3):forward(torch.LongTensor{2, 5}):size() --> {2, 3}
local ColumnLookupTable = torch.class('dist.ColumnLookupTable', 'dist.OutputsInParts')
ColumnLookupTable.kind = { names = { 'weight' }, dim = 2, items = 'columns', pieces = 'columns', text = text, plain = plain_of,
                           drawn = drawn }

function ColumnLookupTable:__init(nIndex, nOutput, options)
   local make, more = arguments('dist.ColumnLookupTable', nIndex, nOutput, options)
   begin(self, base.InParts.__init(self, make, more, { gather = true }))
end

return { RowLookupTable = RowLookupTable, ColumnLookupTable = ColumnLookupTable }
