-- lua/torch/class.lua - named classes with single inheritance, and the names of everything that has one.
--
-- A class is one table: the metatable of its objects, where its methods live too. `__index` is the class itself and the
-- class's metatable is its parent, so that a field of an object costs one lookup and compiles into a trace. Lua finds
-- metamethods without inheritance; each class therefore carries functions that look up Torch's spelling (`__add__`,
-- `__call__`, `__tostring__`, ...) along the chain when they run, and a method that is added later counts at once.
local ffi = require 'ffi'

local M = {}

local classes = {}                          -- name -> class
local names = {}                            -- class -> name
local constructors = {}                     -- name -> what stands in the package: callable, shows the methods
local name_of_constructor = {}
local factories = {}                        -- name -> function that makes an empty object
local ctypes = {}                           -- list of { ctype, namer, address }: cdata that have a name

local function address_of_struct(x) return tonumber(ffi.cast('uintptr_t', ffi.cast('const void *', x))) end

local function refuse(level, text, ...)
   error(text:format(...), level + 1)
end

local function need_name(who, name)
   if type(name) ~= 'string' or name == '' then
      refuse(3, '%s: name must be a string, got %s', who, type(name))
   end
end

-- The class of a value, or nil.
local function class_of(x)
   local kind = type(x)
   if kind == 'table' then
      local mt = getmetatable(x)
      return names[mt] and mt or nil
   elseif kind == 'cdata' then
      for i = 1, #ctypes do
         if ffi.istype(ctypes[i].ctype, x) then return classes[ctypes[i].namer(x)] end
      end
   end
   return nil
end

--- The name of the class of x ('torch.FloatTensor', 'nn.Linear'), or nil when x has none.
-- torch.typename(torch.FloatTensor()) --> torch.FloatTensor
function M.typename(x)
   local kind = type(x)
   if kind == 'table' then
      local mt = getmetatable(x)
      return mt ~= nil and names[mt] or nil
   elseif kind == 'cdata' then
      for i = 1, #ctypes do
         if ffi.istype(ctypes[i].ctype, x) then return ctypes[i].namer(x) end
      end
   end
   return nil
end
local typename = M.typename

--- torch.typename(x), and type(x) for what has no class.
-- torch.type{}, torch.type(torch.Timer()) --> table, torch.Timer
function M.type(x) return typename(x) or type(x) end

--- Whether x is an object of the class `spec`, or of one derived from it.
-- @param spec  a name, a Lua pattern that the whole name must match ('torch.*Tensor'), or the class itself
-- torch.isTypeOf(torch.FloatTensor(), 'torch.FloatTensor') --> true
function M.isTypeOf(x, spec)
   local name = spec
   if type(spec) == 'table' then name = name_of_constructor[spec] or names[spec] or spec.__typename end
   if type(name) ~= 'string' then
      refuse(2, 'torch.isTypeOf: typeSpec must be a name, a pattern or a class, got %s', type(spec))
   end
   local mt = class_of(x)
   local whole = '^' .. name .. '$'
   while mt do
      local own = names[mt]
      if own and (own == name or (type(spec) == 'string' and own:find(whole))) then return true end
      mt = getmetatable(mt)
   end
   return false
end

---------------------------------------------------------------------------------------------------------
-- metamethods

-- The method of that name that an operand's class has. Class tables have their parent as metatable, but they are
-- no objects of it.
local function method(x, name)
   if names[x] then return nil end
   local mt = class_of(x)
   return mt and mt[name]
end

-- Reads `key` along the chain of class tables without meeting a metamethod.
local function inherited(mt, key)
   while mt do
      local v = rawget(mt, key)
      if v ~= nil then return v end
      mt = getmetatable(mt)
   end
   return nil
end

-- `__index` of classes that define `__index__(self, key)`; that one answers `value, true` or `false`.
local function index(self, key)
   local mt = getmetatable(self)
   if not names[self] then
      local f = inherited(mt, '__index__')
      if f then
         local v, found = f(self, key)
         if found then return v end
      end
   end
   return inherited(mt, key)
end

-- `__newindex` of classes that define `__newindex__(self, key, value)`; that one answers true when it has stored.
local function newindex(self, key, value)
   if not names[self] then
      local f = inherited(getmetatable(self), '__newindex__')
      if f and f(self, key, value) then return end
   end
   rawset(self, key, value)
end

-- Classes pay for these three only when they define them; asked whenever an object is made.
local function settle(mt)
   if mt.__index == mt and mt.__index__ ~= nil then rawset(mt, '__index', index) end
   if rawget(mt, '__newindex') == nil and mt.__newindex__ ~= nil then rawset(mt, '__newindex', newindex) end
   if rawget(mt, '__len') == nil and mt.__len__ ~= nil then
      rawset(mt, '__len', function(self) return method(self, '__len__')(self) end)
   end
end

local operators = {}

local verbs = {
   add = 'add', sub = 'subtract', mul = 'multiply', div = 'divide', mod = 'take the remainder of',
   pow = 'raise', concat = 'concatenate', lt = 'order', le = 'order',
}
for what, name in pairs(verbs) do
   local torch_name = '__' .. what .. '__'
   operators['__' .. what] = function(a, b)
      local f = method(a, torch_name) or method(b, torch_name)
      if not f then
         refuse(2, 'cannot %s %s and %s: neither has a method %s', name, M.type(a), M.type(b), torch_name)
      end
      return f(a, b)
   end
end

function operators.__unm(a)
   local f = method(a, '__unm__')
   if not f then refuse(2, 'cannot negate %s: it has no method __unm__', M.type(a)) end
   return f(a)
end

function operators.__eq(a, b)
   local f = method(a, '__eq__') or method(b, '__eq__')
   if not f then return rawequal(a, b) end
   return f(a, b)
end

function operators.__call(self, ...)
   local f = method(self, '__call__')
   if not f then refuse(2, 'cannot call %s: it has no method __call__', M.type(self)) end
   return f(self, ...)
end

function operators.__tostring(self)
   local f = method(self, '__tostring__')
   if f then return f(self) end
   return names[self] and ('class ' .. names[self]) or M.typename(self)
end

---------------------------------------------------------------------------------------------------------
-- making classes

-- Where a.b.C stands when no table is given: a.b among the globals.
local function package_of(who, name)
   local at, path = _G, ''
   for part in name:gmatch '([^.]+)%.' do
      path = path == '' and part or path .. '.' .. part
      at = rawget(at, part)
      if type(at) ~= 'table' then
         refuse(3, '%s: %s needs a table %s to stand in, got %s; make it first (%s = {}), or give it as last argument',
                who, name, path, type(at), path)
      end
   end
   return at
end

-- Registers `mt` under `name` and gives it what every class has.
local function register(name, mt, parent)
   classes[name], names[mt] = mt, name
   mt.__typename = name
   mt.__version = mt.__version or 1
   if parent then setmetatable(mt, parent) end
   return mt
end

-- The table that stands in the package: calling it makes an object, its fields are those of the class.
local function constructor_of(mt, make)
   local ctor = setmetatable({}, {
      __index = mt,
      __newindex = mt,
      __call = function(_, ...) return make(...) end,
   })
   rawset(mt, '__constructor', ctor)
   return ctor
end

local function define(who, name, parent_name, home)
   local parent
   if parent_name ~= nil then
      parent = classes[parent_name]
      if not parent then
         refuse(3, '%s: the parent class %s of %s is unknown: require the package that defines it first', who,
                parent_name, name)
      end
   end
   local mt = classes[name]
   if mt then                               -- defined again: the same class, so that its objects see new methods
      local old = getmetatable(mt)
      if parent and parent ~= old then
         refuse(3, '%s: %s already has %s, so its parent cannot become %s', who, name,
                old and 'the parent ' .. names[old] or 'no parent', parent_name)
      end
   else
      home = home or package_of(who, name)
      mt = {}
      for k, f in pairs(operators) do mt[k] = f end
      mt.__index = mt
      register(name, mt, parent)
   end
   return mt, parent or getmetatable(mt), home or package_of(who, name)
end

--- Makes a class; `local Foo, parent = torch.class('pkg.Foo', 'pkg.Parent')`.
-- Objects come from pkg.Foo(...), which calls Foo.__init(object, ...). A class of that name that exists already is
-- returned as it is; its parent cannot change.
-- @param name     'pkg.Foo'; the constructor is stored in the global table pkg
-- @param parent   name of the parent class, which must be known (optional)
-- @param home     a table to store the constructor in instead (optional; may also be the second argument)
-- @return the class, and its parent
-- torch.class('Point').__init = function(self, x) self.x = x end; Point(3).x --> 3
function M.class(name, parent, home)
   need_name('torch.class', name)
   if type(parent) == 'table' and home == nil then parent, home = nil, parent end
   if parent ~= nil and type(parent) ~= 'string' then
      refuse(2, 'torch.class: the parent of %s must be the name of a class, got %s', name, type(parent))
   end
   if home ~= nil and type(home) ~= 'table' then
      refuse(2, 'torch.class: the table for %s must be a table, got %s', name, type(home))
   end
   local mt, up
   mt, up, home = define('torch.class', name, parent, home)
   if not constructors[name] then
      local function make(...)
         settle(mt)
         local object = setmetatable({}, mt)
         local init = mt.__init
         if init then init(object, ...) end
         return object
      end
      mt.new = make
      local ctor = constructor_of(mt, make)
      constructors[name], name_of_constructor[ctor] = ctor, name
      factories[name] = function()
         settle(mt)
         return setmetatable({}, mt)
      end
   end
   rawset(home, name:match '[^.]*$', constructors[name])
   return mt, up
end

--- Makes a class whose objects are not made by `__init`.
-- @param parent       name of the parent class (optional)
-- @param constructor  function that makes an object; pkg.Foo(...) then calls it (optional)
-- @param destructor   accepted for old code; objects are collected by Lua
-- @param factory      function that makes an empty object, for reading files (optional)
-- @param home         a table to store the constructor in instead of the global one (optional)
-- @return the metatable
function M.newmetatable(name, parent, constructor, _, factory, home)
   need_name('torch.newmetatable', name)
   for what, f in pairs { constructor = constructor or print, factory = factory or print } do
      if type(f) ~= 'function' then refuse(2, 'torch.newmetatable: %s must be a function, got %s', what, type(f)) end
   end
   local fresh = not classes[name]
   local mt
   mt, _, home = define('torch.newmetatable', name, parent, home or (not constructor and {} or nil))
   if constructor then
      mt.new = constructor
      local ctor = constructor_of(mt, constructor)
      constructors[name], name_of_constructor[ctor] = ctor, name
      rawset(home, name:match '[^.]*$', ctor)
   end
   if factory or fresh then
      factories[name] = factory or function()
         settle(mt)
         return setmetatable({}, mt)
      end
   end
   return mt
end

--- Gives objects of a C struct the class `name`: its methods and operators. A C type can be bound once.
-- @param ctype  a C type, as ffi.typeof takes it
-- @return the metatable
function M.metatype(name, ctype)
   need_name('torch.metatype', name)
   local known, ct = pcall(ffi.typeof, ctype)
   if not known then refuse(2, 'torch.metatype: %s is no C type', tostring(ctype)) end
   local mt = classes[name] or M.newmetatable(name)
   if not pcall(ffi.metatype, ct, mt) then
      refuse(2, 'torch.metatype: %s is no struct, or bound to a class already', tostring(ctype))
   end
   ctypes[#ctypes + 1] = { ctype = ct, namer = function() return name end, address = address_of_struct }
   return mt
end

--- The metatable of a class (the class itself), or nil when there is no such class.
function M.getmetatable(name)
   need_name('torch.getmetatable', name)
   return classes[name]
end

--- Makes a plain table an object of a class, without calling `__init`; returns the table.
function M.setmetatable(object, name)
   need_name('torch.setmetatable', name)
   if type(object) ~= 'table' then
      refuse(2, 'torch.setmetatable: object must be a table, got %s', type(object))
   end
   local mt = classes[name]
   if not mt then refuse(2, 'torch.setmetatable: there is no class %s', name) end
   settle(mt)
   return setmetatable(object, mt)
end

--- A function that makes an object of a class without calling `__init`, or nil when there is no such class.
function M.factory(name)
   need_name('torch.factory', name)
   return factories[name]
end

--- What stands in the package under the name of a class (torch.getconstructortable 'nn.Linear' is nn.Linear).
function M.getconstructortable(name)
   need_name('torch.getconstructortable', name)
   local ctor = constructors[name]
   if not ctor then refuse(2, 'torch.getconstructortable: there is no class %s with a constructor', name) end
   return ctor
end

--- The version of the class of an object, which files carry; nil when the object has no class.
function M.version(object)
   local mt = class_of(object)
   return mt and (mt.__version or 1)
end

local environments = setmetatable({}, { __mode = 'k' })

--- The table that torch.setenv has attached to an object, or a function's environment.
function M.getenv(object)
   if type(object) == 'function' then return getfenv(object) end
   if type(object) ~= 'table' and type(object) ~= 'cdata' and type(object) ~= 'userdata' then
      refuse(2, 'torch.getenv: expected a function or an object, got %s', type(object))
   end
   local env = environments[object]
   if not env then
      env = {}
      environments[object] = env
   end
   return env
end

--- Attaches a table to an object, or sets a function's environment.
function M.setenv(object, env)
   if type(env) ~= 'table' then refuse(2, 'torch.setenv: the environment must be a table, got %s', type(env)) end
   if type(object) == 'function' then
      setfenv(object, env)
      return
   end
   if type(object) ~= 'table' and type(object) ~= 'cdata' and type(object) ~= 'userdata' then
      refuse(2, 'torch.setenv: expected a function or an object, got %s', type(object))
   end
   environments[object] = env
end

--- The address of an object as a number; equal exactly when two values are the same object. Storages are what they
-- hold: two x:storage() have one address.
function M.pointer(x)
   local kind = type(x)
   if kind == 'cdata' then
      for i = 1, #ctypes do
         local c = ctypes[i]
         if ffi.istype(c.ctype, x) then return c.address(x) end
      end
      return tonumber(ffi.cast('uintptr_t', ffi.cast('const void *', x)))
   elseif kind == 'string' then
      return tonumber(ffi.cast('uintptr_t', ffi.cast('const char *', x)))
   elseif kind == 'table' or kind == 'function' or kind == 'thread' or kind == 'userdata' then
      return tonumber(('%p'):format(x))
   end
   refuse(2, 'torch.pointer: expected an object, a string or a function, got %s', kind)
end

---------------------------------------------------------------------------------------------------------
-- for the files of lua/torch: names of what torch.class does not make. Reached by require 'torch.class' only;
-- pairs() over this module sees the public functions.

local internal = {}

--- Makes cdata of a C type known: namer(object) is its class's name, address(object) its identity (optional).
function internal.ctype(ctype, namer, address)
   ctypes[#ctypes + 1] = { ctype = ffi.typeof(ctype), namer = namer, address = address or address_of_struct }
end

--- Makes a method table a class.
-- @param name     'torch.FloatTensor'
-- @param mt       the table; torch.getmetatable(name) returns it, and what users add to it must reach the objects
-- @param parent   name of the parent class (optional: then the table keeps the metatable that it has)
-- @param options  constructor: what stands in the package; factory: makes an empty object
function internal.register(name, mt, parent, options)
   if parent and not classes[parent] then refuse(2, 'class.register: there is no class %s', parent) end
   register(name, mt, parent and classes[parent])
   options = options or {}
   if options.constructor then
      constructors[name] = options.constructor
      mt.new = mt.new or function(...) return options.constructor(...) end
      if type(options.constructor) == 'table' then name_of_constructor[options.constructor] = name end
   end
   factories[name] = options.factory
   return mt
end

--- The class of a value (a table), or nil.
internal.class_of = class_of

--- The name of a class, or of what stands in the package for one.
function internal.name(x) return names[x] or name_of_constructor[x] end

--- Whether a value is itself a class, or what stands in the package for one.
function internal.is_class(x) return names[x] ~= nil or name_of_constructor[x] ~= nil end

return setmetatable(M, { __index = internal })
