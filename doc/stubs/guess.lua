-- doc/stubs/guess.lua - types of arguments and results, from the texts of doc comments and the checks in the sources.
--
-- A type is stated only where a text or a check names it; everything else is `any`, which an editor accepts without a word.
-- Whole numbers are `number`, because LuaJIT has one type of numbers and a quotient of two is no `integer` to an editor.
local M = {}

-- What checks and texts call a type, and its name in LuaCATS.
local NOUNS = {
   ['a tensor'] = 'torch.Tensor', ['the tensor'] = 'torch.Tensor', ['a vector'] = 'torch.Tensor', ['a matrix'] = 'torch.Tensor',
   ['tensors'] = 'torch.Tensor', ['a picture'] = 'torch.Tensor', ['an image'] = 'torch.Tensor',
   ['a number'] = 'number', ['a whole number'] = 'number', ['a string'] = 'string', ['a text'] = 'string',
   ['a name'] = 'string', ['a function'] = 'function', ['a table'] = 'table', ['a list'] = 'table', ['lists'] = 'table',
   ['true'] = 'boolean', ['false'] = 'boolean', ['whether'] = 'boolean', ['a boolean'] = 'boolean', ['a storage'] = 'torch.Storage',
   ['a module'] = 'nn.Module', ['modules'] = 'nn.Module', ['a criterion'] = 'nn.Criterion', ['a generator'] = 'torch.Generator',
   ['LongStorage'] = 'torch.LongStorage|table', ['a LongStorage'] = 'torch.LongStorage|table', ['a type'] = 'string', ['a file'] = 'string',
   ['how many'] = 'number', ['the number of'] = 'number', ['a path'] = 'string', ['a folder'] = 'string',
}

-- Names of arguments that mean the same in the whole tree, and are whole numbers.
local function set(words)
   local found = {}
   for word in words:gmatch '%S+' do found[word] = true end
   return found
end

local WHOLE = set 'kW kH kT dW dH dT padW padH padT dim dimension nInputDim nInputDims nOutput nIndex index'
local SIZES = set 'nInputPlane nOutputPlane kW kH kT inputSize outputSize inputFrameSize outputFrameSize'     -- always given

local function union(found)
   local list = {}
   for kind in pairs(found) do list[#list + 1] = kind end
   table.sort(list)
   return list[1] and table.concat(list, '|')
end

-- The types that a text names before its first clause ends; `or` joins several.
local function types_in(text)
   local clause = (text:match '^(.-)[;:%.]%s' or text):match '^(.-)%s*$'
   local found, at = {}, clause:lower()
   for _, part in ipairs { at:match '^(.-) or (.+)$' or at, at:match '^.- or (.+)$' or '' } do
      local best
      for noun, kind in pairs(NOUNS) do
         local low = noun:lower()
         if part:sub(1, #low) == low and not part:sub(#low + 1, #low + 1):match '[%w_]' and (not best or #low > #best) then
            best = low
            found[part] = kind
         end
      end
      if part:match "^'" then found[part] = 'string' end
      local class = clause:match '^an? (%l+%.%u%w+)'
      if class then found[part] = class end
   end
   local kinds = {}
   for _, kind in pairs(found) do kinds[kind] = true end
   return union(kinds)
end

local function default_in(text)
   return text:match '[Dd]efault:? ([^%s,;%)]+)' or text:match '%(([%d%.eE%-]+)%)$' or text:match "%(('[^']*')%)"
      or text:match '%((true)%)' or text:match '%((false)%)'
end

local function type_of_value(value)
   if value:match '^[\'"]' then return 'string' end
   if value:match '^true' or value:match '^false' then return 'boolean' end
   if tonumber((value:gsub('%.$', ''))) then return 'number' end
end

-- The last ones are defaults in parentheses, and switches.
local MAY_BE_ABSENT = { '[Oo]ptional', '[Dd]efault', 'absent', 'unless', '%f[%w]nil%f[%W]', '%([%d\'][^%)]*%)', '%(true%)', '%(false%)',
   '%(none%)', '%(all%)', '^true:', '^false' }

--- Whether a text says that an argument may be absent.
function M.is_optional(text)
   for _, pattern in ipairs(MAY_BE_ABSENT) do
      if text:find(pattern) then return true end
   end
   return false
end

--- Whether an argument of this name is a table of options, whose defaults the text states.
function M.is_options(name) return name == 'options' or name == 'opts' or name == 'config' end

--- The type that the text of an argument names, or nil.
function M.argument(text)
   local found = types_in(text)
   local value = default_in(text)
   local of_value = value and type_of_value(value)
   if found and of_value and not ('|' .. found .. '|'):find('|' .. of_value .. '|', 1, true) then
      return found .. '|' .. of_value
   end
   return found or of_value
end

-- ---- checks in the source of a function -------------------------------------------------------------------------

local CHECKS = { tensor = 'torch.Tensor', number = 'number', whole = 'number', path = 'string', func = 'function' }

--- Whether the source of a function asks for the type of an argument, because it takes several.
function M.takes_several(source, name)
   return source:find('%f[%w_]type%(' .. name .. '%)%s*[~=]=%s*[\'"]') ~= nil or source:find('is_%l+%(' .. name .. '%)') ~= nil
end

--- What the source of a function says of an argument: its type or nil, and whether it may be absent.
function M.from_source(source, name)
   local kind
   for check, who in source:gmatch('%.(%l+)%(([^%(%)\n]-)[\'"]' .. name .. '[\'"]') do
      if CHECKS[check] and who:sub(1, 1) ~= '=' then kind = CHECKS[check] end
   end
   for what in source:gmatch('[\'"]' .. name .. '[\'"],%s*[\'"]([^\'"]+)[\'"]') do kind = kind or M.argument(what) end
   local absent = false
   local word = '%f[%w_%.]' .. name .. '%f[^%w_]'
   for _, pattern in ipairs { word .. '%s+or%f[%W]', 'not%s+' .. word, 'if%s+' .. word .. '%s+then', word .. '%s*[~=]=%s*nil',
      word .. '%s+and%f[%W]', 'absent%(' .. name .. '%)', word .. '%s*[~=]=%s*false' } do
      absent = absent or source:find(pattern) ~= nil
   end
   return kind, absent
end

--- The type by the name alone, and whether such an argument is always given.
function M.by_name(name)
   if SIZES[name] then return 'number', true end
   if WHOLE[name] then return 'number', false end
   return nil, false
end

-- ---- results ----------------------------------------------------------------------------------------------------

local RESULTS = {
   { '^whether', 'boolean' }, { '^true ', 'boolean' }, { '^an? view', 'torch.Tensor' },
   { '^the same elements in another shape', 'torch.Tensor' },
   { '^the text', 'string' }, { '^the name of', 'string' }, { '^the bytes of', 'any' }, { '^how many', 'number' },
   { '^the number of', 'number' }, { '^an? %w+ copy', false }, { '^x itself', 'torch.Tensor' }, { '^the loss', 'number' },
   { '^all elements', 'torch.Tensor' }, { '^numbers of %[', 'torch.Tensor' }, { '^numbers drawn', 'torch.Tensor' },
}

--- The type of a result, from its text or from the first sentence of the function's text; nil where they do not say it.
function M.result(text)
   local low = text:lower()
   if low:find 'returns self' or low:find '^self%f[%W]' or low:find 'returns the container' then return 'self' end
   for _, row in ipairs(RESULTS) do
      if low:find(row[1]) then return row[2] or nil end
   end
   return types_in(text)
end

return M
