-- lua/torch/class.lua - named classes with single inheritance, and the names of all values that have one.
--
-- A class is one table: it holds the methods, and it is the metatable of the objects. `__index` is the class itself, and the
-- metatable of the class is its parent. So a field of an object costs one lookup and compiles into a trace. Lua does not
-- inherit metamethods. Each class therefore has functions that look up Torch's names (`__add__`, `__call__`,
-- `__tostring__`, ...) along the chain when they run, so a method that is added later takes effect immediately.
local ffi = require 'ffi'

local M = {}

local classes = {}                          -- name -> class
local names = {}                            -- class -> name
local constructors = {}                     -- name -> the constructor in the package: callable, shows the methods
local name_of_constructor = {}
local factories = {}                        -- name -> function that makes an empty object
local declared = {}                         -- name -> a class of ours that is read from its file when first used, and its makers
local unread = {}                           -- class -> function that reads its file
local reading = {}                          -- name -> class: those that the files which are being read define
local registry = debug.getregistry()        -- name -> class and class -> name, for programs of Torch7, which read it
local ctypes = {}                           -- list of { ctype, pointer, namer, address }: cdata that have a name

-- A pointer to such a struct has its name too, unless it is NULL.
local function is_object(c, x)
   return ffi.istype(c.ctype, x) and not (ffi.istype(c.pointer, x) and x == nil)
end

local function address_of_struct(x) return tonumber(ffi.cast('uintptr_t', ffi.cast('const void *', x))) end

local function refuse(level, text, ...)
   error(text:format(...), level + 1)
end

local function need_name(who, name)
   if type(name) ~= 'string' or name == '' then
      refuse(3, '%s: name must be a string, got %s', who, type(name))
   end
end

-- The class of a value, or nil. A constructor has its class as metatable, but is no object of it.
local function class_of(x)
   local kind = type(x)
   if kind == 'table' then
      local mt = getmetatable(x)
      return names[mt] and not name_of_constructor[x] and mt or nil
   elseif kind == 'cdata' then
      for i = 1, #ctypes do
         if is_object(ctypes[i], x) then return classes[ctypes[i].namer(x)] end
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
      return mt ~= nil and not name_of_constructor[x] and names[mt] or nil
   elseif kind == 'cdata' then
      for i = 1, #ctypes do
         if is_object(ctypes[i], x) then return ctypes[i].namer(x) end
      end
   end
   return nil
end
local typename = M.typename

--- torch.typename(x), or type(x) where x has no class.
-- torch.type{}, torch.type(torch.Timer()) --> table, torch.Timer
function M.type(x) return typename(x) or type(x) end

-- The name that isTypeOf compares with: a name or pattern itself, or that of a class, of its constructor or of an object.
local function spec_name(spec)
   if type(spec) == 'string' then return spec end
   local name = names[spec] or name_of_constructor[spec] or M.typename(spec)
   return name or type(spec) == 'table' and spec.__typename
end

--- Whether x is an object of the class `spec`, or of one derived from it. The constructor of a class counts as an object.
-- @param spec  a name, a Lua pattern that some part of the name matches ('.*Convolution'), or the class itself. A part that is
--   spec letter for letter does not count: 'nn.Spatial' finds no nn.SpatialConvolution
-- torch.isTypeOf(torch.FloatTensor(), 'torch.FloatTensor'), torch.isTypeOf(torch.FloatTensor(), 'torch%..*Tensor') --> true, true
function M.isTypeOf(x, spec)
   local name = spec_name(spec)
   if type(name) ~= 'string' then
      refuse(2, 'torch.isTypeOf: typeSpec must be a name, a pattern or a class, got %s', type(spec))
   end
   local is_pattern = type(spec) == 'string'
   local mt = class_of(x) or type(x) == 'table' and getmetatable(x)
   if unread[mt] then unread[mt]() end
   while type(mt) == 'table' do
      local own = names[mt] or mt.__typename
      if own == name then return true end
      local part = is_pattern and type(own) == 'string' and own:match(name)
      if part and part ~= name then return true end
      mt = getmetatable(mt)
   end
   return false
end

---------------------------------------------------------------------------------------------------------
-- metamethods

-- The method of that name in the class of an operand. Class tables have their parent as metatable, but are no objects of it.
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

-- These three cost a class something only when it defines them, so this runs whenever an object is made.
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

-- The table that holds a.b.C when none is given: a.b among the globals.
local function package_of(who, name)
   local at, path = _G, ''
   for part in name:gmatch '([^.]+)%.' do
      path = path == '' and part or path .. '.' .. part
      at = rawget(at, part)
      if type(at) ~= 'table' then
         refuse(3, '%s: %s needs a table %s, got %s; make it first (%s = {}), or give it as last argument',
                who, name, path, type(at), path)
      end
   end
   return at
end

-- Gives `mt` its name and what every class has.
local function baptize(name, mt, parent)
   names[mt] = name
   mt.__typename = name
   mt.__version = mt.__version or 1
   if parent then setmetatable(mt, parent) end
   return mt
end

-- Makes `mt` the class of that name, also in Lua's registry. Other values under the name, files of Lua and modules, stay there.
local function enter(name, mt)
   classes[name] = mt
   registry[mt] = name
   local other = registry[name]
   if other == nil or names[other] then registry[name] = mt end
   return mt
end

-- The constructor in the package: a call makes an object; its fields and its metatable are those of the class.
local function constructor_of(name, mt, make)
   local ctor = setmetatable({}, {
      __index = mt,
      __newindex = mt,
      __metatable = mt,
      __call = function(_, ...) return make(...) end,
   })
   rawset(mt, '__constructor', ctor)
   name_of_constructor[ctor] = name
   return ctor
end

local function new_class(name, parent)
   local mt = {}
   for k, f in pairs(operators) do mt[k] = f end
   mt.__index = mt
   return baptize(name, mt, parent)
end

local function factory_of(mt)
   return function()
      settle(mt)
      return setmetatable({}, mt)
   end
end

-- The constructor of a class, and the function that makes an empty object.
local function makers_of(name, mt)
   local function make(...)
      settle(mt)
      local object = setmetatable({}, mt)
      local init = mt.__init
      if init then init(object, ...) end
      return object
   end
   mt.new = make
   return constructor_of(name, mt, make), factory_of(mt)
end

-- A class, read from its file if that has not happened yet.
local function read(mt)
   if unread[mt] then unread[mt]() end
   return mt
end

local function need_parent(who, name, parent_name)
   local parent = classes[parent_name]
   if parent then return read(parent) end
   local ours = declared[parent_name]
   refuse(4, '%s: the parent class %s of %s is unknown: require %s first', who, parent_name, name,
          ours and ("'%s'"):format(ours.asked) or 'the package that defines it')
end

-- Makes a declared class while its file is read. Its parent is ours even if a program has replaced the class of that name.
local function define_declared(name, parent_name)
   local mt, ours = reading[name], declared[parent_name]
   if mt.__index == mt then return mt, getmetatable(mt) end
   for k, f in pairs(operators) do mt[k] = f end
   mt.__index = mt
   local parent = parent_name ~= nil and (ours and read(ours.class) or need_parent('torch.class', name, parent_name)) or nil
   return baptize(name, mt, parent), parent
end

-- The class to define and its parent. Without a parent, an existing class is returned unchanged, as in Torch7. With a parent a
-- new class takes the name and inherits nothing from the old one.
local function define(who, name, parent_name, home)
   local parent = parent_name ~= nil and need_parent(who, name, parent_name) or nil
   local mt = classes[name]
   home = home or package_of(who, name)
   if mt and not parent then return read(mt), getmetatable(mt), home end
   constructors[name], factories[name] = nil, nil
   return enter(name, new_class(name, parent)), parent, home
end

--- Makes a class; `local Foo, parent = torch.class('pkg.Foo', 'pkg.Parent')`.
-- pkg.Foo(...) makes objects and calls Foo.__init(object, ...). With a parent, the new class replaces an existing one of that
-- name; older objects keep their class. Without a parent an existing class is returned, so that more methods can be added.
-- @param name     'pkg.Foo'; the constructor is stored in the global table pkg
-- @param parent   name of the parent class, which must be known (optional)
-- @param home     a table to store the constructor in instead (optional; may also be the second argument)
-- @return the class, and its parent
-- torch.class('Point').__init = function(self, x) self.x = x end; Point(3).x --> 3
function M.class(name, parent, home)
   need_name('torch.class', name)
   if type(parent) == 'table' and home == nil then parent, home = nil, parent end
   if type(parent) ~= 'nil' and type(parent) ~= 'string' then
      refuse(2, 'torch.class: the parent of %s must be the name of a class, got %s', name, type(parent))
   end
   if type(home) ~= 'nil' and type(home) ~= 'table' then
      refuse(2, 'torch.class: the table for %s must be a table, got %s', name, type(home))
   end
   if reading[name] then return define_declared(name, parent) end
   local mt, up
   mt, up, home = define('torch.class', name, parent, home)
   if not constructors[name] then constructors[name], factories[name] = makers_of(name, mt) end
   rawset(home, name:match '[^.]*$', constructors[name])
   return mt, up
end

--- Makes a class whose objects a function makes, without `__init`.
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
   local mt
   mt, _, home = define('torch.newmetatable', name, parent, home or (not constructor and {} or nil))
   if constructor then
      mt.new = constructor
      constructors[name] = constructor_of(name, mt, constructor)
      rawset(home, name:match '[^.]*$', constructors[name])
   end
   if factory or not factories[name] then factories[name] = factory or factory_of(mt) end
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
   ctypes[#ctypes + 1] = { ctype = ct, pointer = ffi.typeof('$ *', ct), namer = function() return name end,
      address = address_of_struct }
   return mt
end

--- The metatable of a class (the class itself), or nil when there is no such class.
function M.getmetatable(name)
   need_name('torch.getmetatable', name)
   return read(classes[name])
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

-- The function that makes empty objects: the field __factory of the class, which programs set, or the one of torch.class.
local function factory_named(name)
   local mt = classes[name]
   return mt and rawget(mt, '__factory') or factories[name]
end

--- A function that makes an object of a class without calling `__init`, or nil when there is no such class.
function M.factory(name)
   need_name('torch.factory', name)
   return factory_named(name)
end

--- The constructor of a class: torch.getconstructortable 'nn.Linear' is nn.Linear.
function M.getconstructortable(name)
   need_name('torch.getconstructortable', name)
   local ctor = constructors[name]
   if not ctor then refuse(2, 'torch.getconstructortable: there is no class %s with a constructor', name) end
   return ctor
end

-- The version of the class of an object, which files carry; nil when the object has no class.
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

--- The address of an object as a number; two values have the same one exactly when they are the same object. All objects
-- for one storage count as one: two calls of x:storage() give the same address.
function M.pointer(x)
   local kind = type(x)
   if kind == 'cdata' then
      for i = 1, #ctypes do
         local c = ctypes[i]
         if is_object(c, x) then return c.address(x) end
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
-- for the files of lua/torch: names of values that torch.class does not make. Only require 'torch.class' gives them, because
-- pairs() over this module must see public functions alone.

local internal = {}

--- Registers a C type: namer(object) is the name of its class, address(object) its identity (optional).
function internal.ctype(ctype, namer, address)
   registry.ffi = 'cdata'                   -- getmetatable gives 'ffi' for all cdata: programs look it up in the registry
   local ct = ffi.typeof(ctype)
   ctypes[#ctypes + 1] = { ctype = ct, pointer = ffi.typeof('$ *', ct), namer = namer, address = address or address_of_struct }
end

--- Makes a method table a class.
-- @param name     'torch.FloatTensor'
-- @param mt       the table; torch.getmetatable(name) returns it, and what users add to it must reach the objects
-- @param parent   name of the parent class (optional: then the table keeps the metatable that it has)
-- @param options  constructor: the value in the package; factory: makes an empty object
function internal.register(name, mt, parent, options)
   if parent and not classes[parent] then refuse(2, 'class.register: there is no class %s', parent) end
   enter(name, baptize(name, mt, parent and classes[parent]))
   options = options or {}
   if options.constructor then
      constructors[name] = options.constructor
      mt.new = mt.new or function(...) return options.constructor(...) end
      if type(options.constructor) == 'table' then name_of_constructor[options.constructor] = name end
   end
   factories[name] = options.factory
   return mt
end

-- The metatable of a class that has not been read: any use of the class reads its file, which gives it its own metatable.
local waiting = {
   __index = function(mt, key) return read(mt)[key] end,
   __newindex = function(mt, key, v) read(mt)[key] = v end,
   __pairs = function(mt) return pairs(read(mt)) end,
   __tostring = operators.__tostring,
}

-- The function that reads the file of some classes. After an error they are as before, so that the next use raises it again.
local function reader(list, run)
   local function read_file()
      for name, mt in pairs(list) do
         unread[mt], reading[name] = nil, mt
         setmetatable(mt, nil)
      end
      local ok, why = pcall(run, list)
      for name, mt in pairs(list) do
         reading[name] = nil
         if ok and mt.__index ~= mt then ok, why = false, ('the file of %s does not define it'):format(name) end
      end
      if ok then return end
      for name, mt in pairs(list) do
         for k in pairs(setmetatable(mt, nil)) do
            if k ~= 'new' and k ~= '__constructor' then mt[k] = nil end
         end
         mt.__typename, unread[mt] = name, read_file
         setmetatable(mt, waiting)
      end
      error(why, 0)
   end
   return read_file
end

--- Declares classes of ours that the file of a package defines by torch.class; the file runs when one of them is first used.
-- Until then the constructor and the class are empty tables that stand for the full ones.
-- @param list   names of the classes, of one package
-- @param run    run(classes) runs the file; classes: name -> class
-- @param home   the table of the package, which gets the constructors
-- @param asked  the module that users require to get the classes under their names (optional). Until then the names stay free,
--   because packages for Torch7 define classes of these names; a file that is loaded finds our class as long as the name is free
function internal.declare(list, run, home, asked)
   local made = {}
   local read_file = reader(made, run)
   for _, name in ipairs(list) do
      local mt = {}
      local constructor, factory = makers_of(name, mt)
      names[mt], mt.__typename = name, name
      made[name], unread[mt] = mt, read_file
      declared[name] = { class = mt, constructor = constructor, factory = factory, asked = asked }
      setmetatable(mt, waiting)
      if not asked then internal.publish(name, home) end
   end
end

--- The metatable of a value. That of a class is its parent, which its file names: a class that has not been read is read.
function internal.metatable_of(x)
   local mt = getmetatable(x)
   if mt == waiting then return getmetatable(read(x)) end
   return mt
end

--- Whether a name belongs to a class of ours.
function internal.is_declared(name) return declared[name] ~= nil end

--- Our class of a declared name, even if another class has taken the name.
function internal.ours(name) return read(declared[name].class) end

local function enter_declared(name)
   local ours = declared[name]
   enter(name, ours.class)
   constructors[name], factories[name] = ours.constructor, ours.factory
   return ours.constructor
end

--- Makes our class the class of its name, and stores its constructor in `home`.
function internal.publish(name, home) rawset(home, name:match '[^.]*$', enter_declared(name)) end

--- Makes our class the class of its name if that is free: objects of it enter the program, which may look up the class of
-- their name. No package gets it.
function internal.offer(name)
   if declared[name] and not classes[name] then enter_declared(name) end
end

--- Makes a derived class as torch.class does, for a parent that need not be the class of its name.
-- @param parent  the parent class itself
function internal.derive(name, parent)
   local home = package_of('class.derive', name)
   local mt = enter(name, new_class(name, parent))
   constructors[name], factories[name] = makers_of(name, mt)
   rawset(home, name:match '[^.]*$', constructors[name])
   return mt, parent
end

--- The class of a name for help and threads: the one that torch.getmetatable gives, else ours of that name, which may be free.
function internal.find(name)
   return read(classes[name]) or declared[name] and internal.ours(name)
end

--- torch.factory(name) for files, also for names of ours that are free.
function internal.factory_for(name)
   internal.offer(name)
   return factory_named(name)
end

--- The module that gives a class of ours its name, or nil.
function internal.asked_by(name) return declared[name] and declared[name].asked end

--- The names that stay free until a program requires the module `asked` (without it: any module), in alphabetical order.
function internal.free_until(asked)
   local list = {}
   for name, ours in pairs(declared) do
      if ours.asked and (asked == nil or ours.asked == asked) then list[#list + 1] = name end
   end
   table.sort(list)
   return list
end

--- The class of a value (a table), or nil.
internal.class_of = class_of

--- Whether the name of a class still means this class, and not one that replaced it.
function internal.is_current(mt) return classes[names[mt]] == mt end

--- The name of the class that a constructor makes objects of, or nil for other values.
function internal.constructor_name(x) return name_of_constructor[x] end

--- The name of a class, or of the class that a constructor makes objects of.
function internal.name(x) return names[x] or name_of_constructor[x] end

--- Whether a value is a class or a constructor.
function internal.is_class(x) return names[x] ~= nil or name_of_constructor[x] ~= nil end

return setmetatable(M, { __index = internal })
