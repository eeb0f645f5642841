-- cwrap.types - types of arguments that cwrap knows: numbers of C, boolean and string. Each is a table of functions that
-- generate C code for an argument `arg`, whose number is arg.i and whose position on Lua's stack is `idx`:
--    helpname, declare, check(arg, idx), read(arg, idx), init, carg, creturn, precall, postcall
local function variable(arg) return ('arg%d'):format(arg.i) end

local function literal(arg)
   local v = arg.default
   if type(v) == 'function' then v = v(arg) end
   return tostring(v)
end

-- A type whose values are those of `ctype`; the other words are those of Lua's C interface.
local function simple(name, ctype, is, to, push, write)
   return {
      helpname = function() return name end,
      declare = function(arg) return ('%s %s = 0;'):format(ctype, variable(arg)) end,
      check = function(_, idx) return ('%s(L, %d)'):format(is, idx) end,
      read = function(arg, idx) return ('%s = (%s)%s(L, %d);'):format(variable(arg), ctype, to, idx) end,
      init = function(arg) return arg.default ~= nil and ('%s = %s;'):format(variable(arg), write(arg)) or nil end,
      carg = variable,
      creturn = variable,
      postcall = function(arg) return ('%s(L, %s);'):format(push, variable(arg)) end,
   }
end

local types = {}

for name, ctype in pairs {
   byte = 'unsigned char', char = 'char', short = 'short', int = 'int', long = 'long', float = 'float', double = 'double',
   real = 'double', unsigned = 'unsigned',
} do
   types[name] = simple(name, ctype, 'lua_isnumber', 'lua_tonumber', 'lua_pushnumber', literal)
end

types.boolean = simple('boolean', 'int', 'lua_isboolean', 'lua_toboolean', 'lua_pushboolean',
   function(arg) return arg.default and '1' or '0' end)
types.string = simple('string', 'const char *', 'lua_isstring', 'lua_tostring', 'lua_pushstring',
   function(arg) return (('%q'):format(literal(arg)):gsub('\\\n', '\\n')) end)

-- An index counts from 1 in Lua and from 0 in C.
types.index = simple('index', 'long', 'lua_isnumber', 'lua_tonumber', 'lua_pushnumber',
   function(arg) return literal(arg) .. ' - 1' end)
types.index.read = function(arg, idx) return ('%s = (long)lua_tonumber(L, %d) - 1;'):format(variable(arg), idx) end
types.index.postcall = function(arg) return ('lua_pushnumber(L, (lua_Number)%s + 1);'):format(variable(arg)) end

return types
