-- cwrap - generates C functions for Lua that wrap C functions, from a description of their arguments.
local cwrap = { types = require 'cwrap.types' }

local CInterface = {}
CInterface.__index = CInterface
cwrap.CInterface = CInterface

--- An interface without functions. interface.argtypes are its types of arguments, which may be changed and extended.
function CInterface.new()
   local argtypes = {}
   for name, its in pairs(cwrap.types) do argtypes[name] = its end
   return setmetatable({ argtypes = argtypes, txt = {}, registry = {} }, CInterface)
end

--- Adds a text unchanged.
function CInterface:print(text) self.txt[#self.txt + 1] = text end

--- The name of the C function behind a name of Lua.
function CInterface.luaname2wrapname(_, name) return 'wrapper_' .. name:gsub('[^%w_]', '_') end

-- ---- one function ----------------------------------------------------------------------------------------------

-- The arguments of a description as objects that know their position and their type.
local function prepared(self, args)
   local list = {}
   for i, description in ipairs(args) do
      local its = self.argtypes[description.name]
      if not its then error(('cwrap: there is no type of arguments named %s'):format(tostring(description.name)), 4) end
      local a = { i = i, args = list }
      for k, v in pairs(description) do a[k] = v end
      list[i] = setmetatable(a, { __index = its })
   end
   return list
end

local function is_read(a) return not a.creturned and not a.invisible end

-- Lists of the arguments that are on Lua's stack: those with a default may be left out.
local function ways_of(args)
   local ways = { {} }
   for _, a in ipairs(args) do
      if is_read(a) then
         local longer = {}
         for _, way in ipairs(ways) do
            local with = { unpack(way) }
            with[#with + 1] = a
            longer[#longer + 1] = with
            if a.default ~= nil then longer[#longer + 1] = way end
         end
         ways = longer
      end
   end
   table.sort(ways, function(a, b) return #a > #b end)
   return ways
end

local function lines_of(out, args, step, indent)
   for _, a in ipairs(args) do
      local text = a[step] and a[step](a)
      if text and text ~= '' then out[#out + 1] = indent .. text end
   end
end

-- The call of variant `set`, and the code that pushes its results.
local function write_call(out, set, cname, args)
   local indent, parts, result = '    ', {}, nil
   out[#out + 1] = ('  if(argset == %d)\n  {'):format(set)
   lines_of(out, args, 'precall', indent)
   for _, a in ipairs(args) do
      if a.creturned then result = a else parts[#parts + 1] = a:carg() end
   end
   out[#out + 1] = ('%s%s%s(%s);'):format(indent, result and result:creturn() .. ' = ' or '', cname, table.concat(parts, ', '))
   local count = 0
   for _, a in ipairs(args) do
      if a.creturned or a.returned then
         out[#out + 1] = indent .. a:postcall()
         count = count + 1
      end
   end
   out[#out + 1] = ('    return %d;\n  }'):format(count)
end

-- The branch that reads the arguments of one variant from Lua's stack.
local function write_read(out, set, args, way, first)
   local tests, place = { ('narg == %d'):format(#way) }, {}
   for i, a in ipairs(way) do
      tests[#tests + 1] = a:check(i)
      place[a] = i
   end
   out[#out + 1] = ('  %sif(%s)\n  {\n    argset = %d;'):format(first and '' or 'else ', table.concat(tests, ' && '), set)
   for _, a in ipairs(args) do
      local text = place[a] and a:read(place[a]) or not a.creturned and a.init and a:init()
      if text then out[#out + 1] = '    ' .. text end
   end
   out[#out + 1] = '  }'
end

local function usage(args)
   local words = {}
   for _, a in ipairs(args) do
      if is_read(a) then words[#words + 1] = a.default ~= nil and '[' .. a:helpname() .. ']' or a:helpname() end
   end
   return table.concat(words, ' ')
end

--- Writes the C function for `name`: interface:wrap(name, cname, arguments, [cname, arguments, ...]). A call uses the first
-- description that fits its arguments. An argument is { name = type, default =, invisible =, returned =, creturned = }.
function CInterface:wrap(name, ...)
   local given, sets = { ... }, {}
   for i = 1, #given, 2 do
      if type(given[i]) ~= 'string' or type(given[i + 1]) ~= 'table' then
         error('cwrap: wrap takes a name, then names of C functions, each with a table of arguments', 2)
      end
      sets[#sets + 1] = { cname = given[i], args = prepared(self, given[i + 1]) }
   end
   local wrapname = self:luaname2wrapname(name)
   local out = { ('static int %s(lua_State *L)\n{'):format(wrapname), '  int narg = lua_gettop(L);', '  int argset = 0;' }
   local shift, first, texts = 0, true, {}
   for _, set in ipairs(sets) do
      for _, a in ipairs(set.args) do a.i = a.i + shift end
      shift = shift + #set.args
      lines_of(out, set.args, 'declare', '  ')
   end
   for k, set in ipairs(sets) do
      for _, way in ipairs(ways_of(set.args)) do
         write_read(out, k, set.args, way, first)
         first = false
      end
      texts[k] = usage(set.args)
   end
   out[#out + 1] = ('  else\n    luaL_error(L, "expected arguments: %s");'):format(table.concat(texts, ' | '))
   for k, set in ipairs(sets) do write_call(out, k, set.cname, set.args) end
   out[#out + 1] = '  return 0;\n}\n'
   self:print(table.concat(out, '\n'))
   self.registry[#self.registry + 1] = { name = name, wrapname = wrapname }
end

--- Writes the list of functions for luaL_register under the name of a C array, and begins a new one.
function CInterface:register(name)
   local lines = { ('static const struct luaL_Reg %s [] = {'):format(name) }
   for _, it in ipairs(self.registry) do lines[#lines + 1] = ('  {"%s", %s},'):format(it.name, it.wrapname) end
   lines[#lines + 1] = '  {NULL, NULL}\n};\n'
   self:print(table.concat(lines, '\n'))
   self.registry = {}
end

--- Drops the functions that have not been registered.
function CInterface:clearhistory() self.registry = {} end

--- The text of the C file.
function CInterface:tostring() return table.concat(self.txt, '\n') end

--- Writes it to a file.
function CInterface:tofile(name)
   require 'torch.arg'.path('cwrap', 'name', name)
   local f, why = io.open(name, 'w')
   if not f then error('cwrap: ' .. why, 2) end
   f:write(self:tostring())
   f:close()
end

return cwrap
