-- feed.csv - the rows of a table in text: fields between separators, in double quotes where needed (RFC 4180).
local torch = require 'torch'
local fingerprint = require 'feed.fingerprint'
local lines = require 'feed.lines'
local source = require 'feed.source'
local need = require 'feed.need'

local Csv = {}
Csv.__index = Csv

local known = { header = 'boolean', separator = 'string', tensor = 'boolean' }

-- A decimal number, or nil. 0x1f, nan and inf are strings, and so are values that a double cannot hold: 1e400, 1e-400, and
-- whole numbers from 2^53 on, which are more often names than amounts.
local function number(s)
   if not s:find '^%s*[+-]?%.?%d[%d.]*[eE]?[+-]?%d*%s*$' then return nil end
   local v = tonumber(s)
   if not v or math.abs(v) == math.huge or v == 0 and s:match '^[^eE]*':find '[1-9]' then return nil end
   if math.abs(v) >= 2 ^ 53 and not s:find '[.eE]' then return nil end
   return v
end

-- The position of the quote that closes the one at a position in a line; two quotes within mean one that belongs to the text.
local function closing(line, at)
   while true do
      at = line:find('"', at + 1, true)
      if not at then error('a quote that opens has no end', 0) end
      if line:byte(at + 1) ~= 34 then return at end
      at = at + 1
   end
end

-- The fields of a line: strings, and numbers for fields without quotes that read as one, unless all are `names`.
local function fields(line, separator, names)
   local row, at = {}, 1
   repeat
      local value, behind
      if line:byte(at) == 34 then
         local last = closing(line, at)
         value, behind = line:sub(at + 1, last - 1):gsub('""', '"'), last + 1
         if behind <= #line and line:sub(behind, behind) ~= separator then
            error(('field %d continues after its closing quote'):format(#row + 1), 0)
         end
      else
         behind = line:find(separator, at, true) or #line + 1
         value = line:sub(at, behind - 1)
         if value:find('"', 1, true) then error(('field %d has a quote, but does not begin with one'):format(#row + 1), 0) end
         value = not names and number(value) or value
      end
      row[#row + 1] = value
      at = behind + 1
   until behind > #line
   return row
end

local function tensor_of(row)
   for k, v in ipairs(row) do
      if type(v) ~= 'number' then error(("field %d is no number: '%s'"):format(k, tostring(v):sub(1, 60)), 0) end
   end
   return torch.Tensor(row)
end

local function parsed(self, line, names)                      -- line numbers include the header
   local ok, row = pcall(function()
      local row = fields(lines.get(self, line), self.separator, names)
      if self.width and #row ~= self.width then
         error(('it has %d fields, the first row has %d'):format(#row, self.width), 0)
      end
      return row
   end)
   if not ok then error(('row %d: %s'):format(line, row), 0) end
   return row
end

local function open(self, options)
   self.places, self.lines, self.stamp = lines.index(self.file, self.separator)
   self.skip = options.header and 1 or 0
   if self.lines < self.skip then error('it lacks the header', 0) end
   local first = self.lines > 0 and parsed(self, 1, options.header)
   self.width = first and #first
   if options.header then
      local seen = {}
      for _, name in ipairs(first) do
         if seen[name] then error(("the header names '%s' twice"):format(name), 0) end
         seen[name] = true
      end
      self.names = first
   end
   return self
end

--- The rows of a CSV file: lists of fields, numbers for fields without quotes that read as one, strings otherwise. All
-- rows have as many fields as the first. A quote opens at the beginning of a field only. Numbers that a double cannot hold stay
-- strings: 1e400, 1e-400, whole numbers from 2^53 on. The file is read once to index its rows, with 8 bytes each.
-- @param options  a table. `header`: true if the first row has the names; a row is then a table by
--                 these. `separator`: one character (','). `tensor`: true if a row is a tensor of
--                 the default type, and every field a number
-- f = os.tmpname(); os.execute('echo 1,x >' .. f); r = require 'feed'.csv(f):get(1); os.remove(f); r[2] --> x
function Csv.new(file, options)
   need.path('feed.csv', file)
   options = need.options('feed.csv', options, known)
   local separator = options.separator or ','
   if #separator ~= 1 or separator:find '["\r\n]' then
      error(('feed.csv: separator must be one character other than a quote or a line end, got %q'):format(separator), 2)
   end
   local self = setmetatable({ file = file, separator = separator, tensor = options.tensor }, Csv)
   local ok, why = pcall(open, self, options)
   if not ok then source.fail('feed.csv', file, why) end
   return self
end

function Csv:size() return self.lines - self.skip end

function Csv:get(i)
   need.index('feed.csv', i, self:size())
   local ok, row = pcall(function()
      local row = parsed(self, i + self.skip)
      if self.tensor then
         local done, t = pcall(tensor_of, row)
         if not done then error(('row %d: %s'):format(i + self.skip, t), 0) end
         return t
      end
      return row
   end)
   if not ok then source.fail('feed.csv', self.file, row) end
   if not self.names or self.tensor then return row end
   local named = {}
   for k, name in ipairs(self.names) do named[name] = row[k] end
   return named
end

function Csv:fingerprint() return fingerprint.new('csv', lines.fingerprint(self)) end

return Csv
