-- lua/onnx/check.lua - compares a node with the signature of its op when a model is loaded.
local signatures = require 'onnx.signatures'

local M = {}

local letters = { float = 'f', double = 'd', float16 = 'h', bfloat16 = 'g', int8 = '1', int16 = '2', int32 = '4', int64 = '8',
   uint8 = 'a',
   uint16 = 'b', uint32 = 'c', uint64 = 'e', bool = 'o', string = 's', complex64 = 'x', complex128 = 'y', int4 = 'n', uint4 = 'n',
   int2 = 'n', uint2 = 'n', float4e2m1 = 'n', seq = 'q', optional = 'p', map = 'm' }
local numbers = 'fdhg1248abce'

--- The letter of an attribute's field in a file.
M.kinds = { f = 'f', i = 'i', s = 's', t = 't', g = 'g', floats = 'F', ints = 'I', strings = 'S', tensors = 'T', graphs = 'G',
   sparse_tensor = 'p', tp = 'y' }

local function set_of(text)
   local set = {}
   for c in text:gsub('N', numbers):gmatch '.' do set[c] = true end
   return set
end

local function letter_of(name)
   if name:sub(1, 6) == 'float8' then return '5' end
   return letters[name] or letters[name:match '^%a+']
end

-- Inputs { variable, types, optional, variadic, mixed } and attributes name -> { kinds, required }.
local parsed = {}
local function signature_of(key)
   local s = parsed[key]
   if s or not signatures[key] then return s end
   local least, most, text = unpack(signatures[key])
   local tokens, variables, attributes = text:match '^(.-) > (.-) >%s*(.*)$'
   s = { least = least, most = most, inputs = {}, attributes = {} }
   local sets = {}
   for name, list in variables:gmatch '(%S-)=(%S*)' do sets[name] = set_of(list) end
   for token in tokens:gmatch '%S+' do
      local name, marks = token:match '^(=?%w+)([~?*]*)$'
      local own = name:sub(1, 1) == '='
      s.inputs[#s.inputs + 1] = { variable = not own and name or nil, types = own and set_of(name:sub(2)) or sets[name],
         optional = marks:find('?', 1, true) and true, variadic = marks:find('*', 1, true) and true, mixed = marks:find('~', 1,
            true) and true }
   end
   for name, kinds, mark in attributes:gmatch '(%S-):(%a+)(!?)' do s.attributes[name] = { kinds = kinds,
      required = mark == '!' } end
   parsed[key] = s
   return s
end

local function input_of(s, k)
   local input = s.inputs[k]
   if input then return input end
   local last = s.inputs[#s.inputs]
   return last and last.variadic and last or nil
end

local function check_inputs(n, s)
   if n.count < s.least or s.most >= 0 and n.count > s.most then
      local wanted = s.most == s.least and tostring(s.least) or s.most < 0 and s.least .. ' or more' or s.least .. ' to '
         .. s.most
      error(('it has %d inputs, but the op has %s'):format(n.count, wanted), 0)
   end
   local bound = {}
   for k = 1, n.count do
      local input, name = input_of(s, k), n.types[k]
      if input and not n.inputs[k] and not input.optional and not input.variadic then error(('input %d is missing'):format(k),
         0) end
      if input and name then
         local letter = letter_of(name)
         if not input.types[letter] then error(('input %d must not be of type %s'):format(k, name), 0) end
         local other = not input.mixed and input.variable and bound[input.variable]
         if other and other ~= name and not (letter == 'q' or letter == 'p') then
            error(('input %d is of type %s, but an input before it of type %s'):format(k, name, other), 0)
         end
         if input.variable then bound[input.variable] = name end
      end
   end
end

-- Attributes that the op does not have are dropped, so that no op reads one of a wrong kind.
local function check_attributes(n, s)
   for name in pairs(n.attr) do
      local a = s.attributes[name]
      if not a then
         n.attr[name] = nil
      elseif not a.kinds:find(n.attr_kinds[name], 1, true) then
         error(("attribute '%s' has the wrong kind"):format(name), 0)
      end
   end
   for name, a in pairs(s.attributes) do
      if a.required and n.attr[name] == nil then error(("attribute '%s' is missing"):format(name), 0) end
   end
end

--- Refuses a node whose inputs or attributes are not those of its op. Ops without a signature take anything.
function M.node(n)
   local s = signature_of(n.domain == '' and n.op or n.domain .. '.' .. n.op)
   if not s then return end
   check_inputs(n, s)
   check_attributes(n, s)
end

return M
