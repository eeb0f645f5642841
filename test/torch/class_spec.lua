-- test/torch/class_spec.lua - torch.class and its relatives.
local torch = require 'torch'
local ffi = require 'ffi'

local count = 0
local function fresh()                       -- a class name that nothing has used yet
   count = count + 1
   return 'SpecClass' .. count
end

describe('torch.class', function()
   it('makes a constructor that calls __init with all arguments, nil ones included', function()
      local home = {}
      local A = torch.class('p.' .. fresh(), home)
      function A:__init(...) self.n, self.last = select('#', ...), (select(3, ...)) end
      local o = home['SpecClass' .. count](1, nil, 3, nil)
      assert.equal(4, o.n)
      assert.equal(3, o.last)
      assert.equal(A, getmetatable(o))
      assert.equal('p.SpecClass' .. count, torch.typename(o))
   end)

   it('inherits methods, operators and tostring, also those that the parent gets later', function()
      local home, a, b = {}, fresh(), fresh()
      local A = torch.class(a, home)
      local B, parent = torch.class(b, a, home)
      assert.equal(A, parent)
      function A:__init(v) self.v = v end
      function A:name() return 'A' .. self.v end
      function A.__add__(x, y) return x.v + y.v end
      function A.__eq__(x, y) return x.v == y.v end
      function A.__lt__(x, y) return x.v < y.v end
      function A:__tostring__() return '<' .. self.v .. '>' end
      function A:__call__(x, y) return self.v * x, y end
      function A:__unm__() return -self.v end
      local x, y = home[b](3), home[b](4)
      assert.equal('A3', x:name())
      assert.equal(7, x + y)
      assert.equal(-4, -y)
      assert.is_true(x < y)
      assert.is_true(x == home[b](3))
      assert.is_false(x == y)
      assert.equal('<3>', tostring(x))
      assert.same({ 30, 'z' }, { x(10, 'z') })
      assert.equal(B, getmetatable(x))
   end)

   it('prints an object without __tostring__ as its class name', function()
      local home = {}
      torch.class('p.' .. fresh(), home)
      assert.equal('p.SpecClass' .. count, tostring(home['SpecClass' .. count]()))
   end)

   it('asks __index__ and __newindex__ for fields that the object lacks, in subclasses too', function()
      local home, a, b = {}, fresh(), fresh()
      local A = torch.class(a, home)
      function A:__init() end
      function A:__index__(k)
         if k == 'magic' then return 42, true end
         return false
      end
      function A:__newindex__(k, v)
         if k ~= 'twice' then return false end
         rawset(self, 'stored', 2 * v)
         return true
      end
      function A:method() return 'm' end
      torch.class(b, a, home)
      for _, name in ipairs { a, b } do
         local o = home[name]()
         o.twice, o.plain = 4, 5
         assert.equal(42, o.magic)
         assert.equal(8, o.stored)
         assert.equal(5, rawget(o, 'plain'))
         assert.is_nil(o.twice)
         assert.equal('m', o:method())
      end
   end)

   it('does not take a class for an object of its parent when it compares or prints', function()
      local home, a, b, c = {}, fresh(), fresh(), fresh()
      local A = torch.class(a, home)
      function A.__eq__(x, y) return x.v == y.v end
      function A:__tostring__() return 'v' .. self.v end
      local B, C = torch.class(b, a, home), torch.class(c, a, home)
      assert.is_false(B == C)
      assert.equal('class ' .. b, tostring(B))
   end)

   it('returns the class that exists when it is defined again without a parent', function()
      local home, a, b = {}, fresh(), fresh()
      local A = torch.class(a, home)
      local B = torch.class(b, a, home)
      local constructor, o = home[b], home[b]()
      function B:early() return 'early' end
      assert.equal(A, (torch.class(a, home)))
      local again, parent = torch.class(b, home)
      function again:late() return 'late' end
      assert.same({ B, A, constructor }, { again, parent, home[b] })
      assert.same({ 'early', 'late' }, { o:early(), o:late() })
   end)

   it('replaces the class that exists when a parent is given, also by one with another parent', function()
      local home, a, b, c = {}, fresh(), fresh(), fresh()
      local A, C = torch.class(a, home), torch.class(c, home)
      local B = torch.class(b, a, home)
      function B:__init() self.made = 'old' end
      function B:name() return 'old' end
      function B:__tostring__() return 'old' end
      local old, old_constructor = home[b](), home[b]
      for _, parent in ipairs { a, c } do
         local new, up = torch.class(b, parent, home)
         assert.equal(parent == a and A or C, up)
         local o = home[b]()
         assert.equal(new, getmetatable(o))
         assert.same({ b, b }, { torch.typename(o), tostring(o) })
         assert.is_nil(o.made)
         assert.is_nil(new.name)
         assert.not_equal(old_constructor, home[b])
         assert.equal(new, torch.getmetatable(b))
         assert.equal(new, getmetatable(torch.factory(b)()))
         assert.equal(home[b], torch.getconstructortable(b))
      end
      assert.same({ 'old', b, 'old' }, { old:name(), torch.typename(old), tostring(old) })
      assert.is_true(torch.isTypeOf(old, home[b]))
      assert.is_false(torch.isTypeOf(home[b](), a))
   end)

   it('leaves the old class as it is when the new one is refused', function()
      local home, a = {}, fresh()
      local A = torch.class(a, home)
      local constructor = home[a]
      assert.error_matches(function() torch.class(a, 'no.Such', home) end, 'the parent class no.Such of ' .. a .. ' is unknown')
      assert.error_matches(function() torch.class('nosuchpkg.' .. a, a) end, 'needs a table nosuchpkg')
      assert.same({ A, constructor, constructor }, { torch.getmetatable(a), home[a], torch.getconstructortable(a) })
      assert.is_nil(torch.getmetatable('nosuchpkg.' .. a))
   end)

   it('stores into the global package, and says so when there is none', function()
      rawset(_G, 'specpkg', {})
      local A = torch.class 'specpkg.Global'
      assert.equal(A, torch.getmetatable 'specpkg.Global')
      assert.is_table(rawget(_G, 'specpkg').Global())
      rawset(_G, 'specpkg', nil)
      assert.error_matches(function() torch.class 'nosuchpkg.Foo' end,
                           'torch.class: nosuchpkg.Foo needs a table nosuchpkg, got nil')
      assert.is_nil(torch.getmetatable 'nosuchpkg.Foo')
   end)

   it('refuses unknown parents and arguments of the wrong kind, and names them', function()
      assert.error_matches(function() torch.class('Orphan', 'no.Such') end,
                           'the parent class no.Such of Orphan is unknown')
      assert.is_nil(torch.getmetatable 'Orphan')
      assert.error_matches(function() torch.class() end, 'torch.class: name must be a string, got nil')
      assert.error_matches(function() torch.class('X', 3) end,
                           'the parent of X must be the name of a class, got number')
      assert.error_matches(function() torch.class('X', nil, 3) end, 'the table for X must be a table, got number')
   end)

   it('says which method an operator lacks', function()
      local home = {}
      torch.class(fresh(), home)
      local o = home['SpecClass' .. count]()
      assert.error_matches(function() return o + 1 end,
                           'cannot add SpecClass%d+ and number: neither has a method __add__')
      assert.error_matches(function() return o() end, 'cannot call SpecClass%d+: it has no method __call__')
      assert.error_matches(function() return -o end, 'cannot negate SpecClass%d+')
      assert.error_matches(function() return o < o end, 'neither has a method __lt__')
   end)
end)

describe('the names of classes', function()
   it('reach objects, tensors and nothing else', function()
      assert.is_nil(torch.typename {})
      assert.is_nil(torch.typename 'text')
      assert.is_nil(torch.typename(1))
      assert.is_nil(torch.typename(nil))
      assert.is_nil(torch.typename(ffi.new 'int[2]'))
      assert.equal('torch.FloatTensor', torch.typename(torch.FloatTensor(2)))
      assert.equal('torch.LongStorage', torch.typename(torch.LongStorage(2)))
      assert.equal('string', torch.type 'text')
      assert.equal('torch.Timer', torch.type(torch.Timer()))
   end)

   it('are matched along the parents: whole, by a pattern in any part, through the class, its constructor or an object', function()
      local home, a, b = {}, fresh(), fresh()
      local A = torch.class('p.' .. a, home)
      torch.class('p.' .. b, 'p.' .. a, home)
      local o = home[b]()
      for _, spec in ipairs { 'p.' .. a, 'p%.Spec.*', '.*Class', 'S%w+s', '^p.*%d$', '%d', '()Spec', home[a], A, home[a]() } do
         assert.is_true(torch.isTypeOf(o, spec))
      end
      for _, spec in ipairs { 'Spec', a, 'p.Spec', '^Spec', 'q%.', home[b] } do
         assert.is_false(torch.isTypeOf(home[a](), spec))
      end
      assert.is_true(torch.isTypeOf(home[b], 'p.' .. a))
      assert.is_true(torch.isTypeOf(torch.LongTensor(), '.*Long'))
      assert.is_true(torch.isTypeOf(torch.LongTensor(), torch.LongTensor))
      assert.is_true(torch.isTypeOf(torch.LongTensor(), torch.LongTensor(3)))
      assert.is_true(torch.isTypeOf(setmetatable({}, { __typename = 'foreign.Class' }), 'foreign%..*'))
      assert.is_false(torch.isTypeOf(torch.LongTensor(), 'Float'))
      assert.is_false(torch.isTypeOf(1, 'number'))
      assert.is_false(torch.isTypeOf('text', '.*'))
      for _, spec in ipairs { 3, {}, true } do
         assert.error_matches(function() torch.isTypeOf(o, spec) end,
                              'typeSpec must be a name, a pattern or a class, got ' .. type(spec))
      end
      assert.error_matches(function() torch.isTypeOf(o, '[') end, 'malformed pattern')
   end)

   it('are in the registry of Lua in both directions, also those of tensors, files and C structs', function()
      local registry, home, a = debug.getregistry(), {}, fresh()
      torch.class(a, home)
      local old = torch.getmetatable(a)
      torch.class(a, 'torch.Timer', home)
      ffi.cdef 'struct spec_class_registered { int i; };'
      local struct = fresh()
      torch.metatype(struct, 'struct spec_class_registered')
      for _, name in ipairs { a, struct, 'torch.DoubleTensor', 'torch.LongStorage', 'torch.DiskFile', 'torch.Generator' } do
         local mt = torch.getmetatable(name)
         assert.equal(name, registry[mt])
         assert.equal(mt, registry[name])
      end
      assert.equal(a, registry[old])
      assert.not_equal(old, registry[a])
      assert.not_nil(registry[getmetatable(torch.Tensor())])
   end)

   it('do not overwrite what else lies in the registry of Lua', function()
      local loaded = debug.getregistry()._LOADED
      local class = torch.class('_LOADED', {})
      assert.equal(loaded, debug.getregistry()._LOADED)
      assert.equal('_LOADED', debug.getregistry()[class])
   end)

   it('are not those of constructors, whose metatable is the class', function()
      local home, a = {}, fresh()
      local A = torch.class(a, home)
      assert.equal(A, getmetatable(home[a]))
      assert.equal(torch.getmetatable 'torch.FloatTensor', getmetatable(torch.FloatTensor))
      assert.equal(torch.getmetatable 'torch.FloatStorage', getmetatable(torch.FloatStorage))
      assert.is_nil(torch.typename(home[a]))
      assert.is_nil(torch.typename(torch.FloatTensor))
      assert.equal('table', torch.type(home[a]))
      home[a].static = 7
      assert.equal(7, A.static)
   end)

   it('lead to metatable, factory and constructor', function()
      local home, a = {}, fresh()
      local A = torch.class(a, home)
      function A:__init() self.made = true end
      assert.equal(A, torch.getmetatable(a))
      assert.equal(home[a], torch.getconstructortable(a))
      local o = torch.factory(a)()
      assert.is_nil(o.made)
      assert.equal(a, torch.typename(o))
      assert.equal(a, torch.typename(torch.setmetatable({}, a)))
      assert.is_nil(torch.getmetatable 'no.Such')
      assert.is_nil(torch.factory 'no.Such')
      assert.error_matches(function() torch.getconstructortable 'no.Such' end, 'there is no class no.Such')
      assert.error_matches(function() torch.setmetatable({}, 'no.Such') end, 'there is no class no.Such')
      assert.error_matches(function() torch.setmetatable(1, a) end, 'object must be a table, got number')
   end)

   it('lead to an object made by the field __factory of the class, if there is one', function()
      local home, a, b = {}, fresh(), fresh()
      local A = torch.class(a, home)
      torch.class(b, a, home)
      function A.__factory() return setmetatable({ by = 'factory' }, A) end
      assert.equal('factory', torch.factory(a)().by)
      assert.is_nil(torch.factory(b)().by)
   end)

   it('let users add methods to tensors', function()
      local mt = torch.getmetatable 'torch.FloatTensor'
      mt.specMethod = function(self) return self:size(1) + 1 end
      assert.equal(4, torch.FloatTensor(3):specMethod())
      mt.specMethod = nil
   end)

   it('may be given to C structs', function()
      ffi.cdef 'struct spec_class_point { double x, y; };'
      local name = fresh()
      local mt = torch.metatype(name, 'struct spec_class_point')
      function mt:norm() return math.sqrt(self.x ^ 2 + self.y ^ 2) end
      local p = ffi.new('struct spec_class_point', 3, 4)
      assert.equal(5, p:norm())
      assert.equal(name, torch.typename(p))
      assert.is_true(torch.isTypeOf(p, name))
   end)
end)

describe('torch.pointer', function()
   it('is equal for one object and differs between two', function()
      local a, b = {}, {}
      assert.equal(torch.pointer(a), torch.pointer(a))
      assert.not_equal(torch.pointer(a), torch.pointer(b))
      local x = torch.FloatTensor(4)
      assert.equal(torch.pointer(x:storage()), torch.pointer(x:storage()))
      assert.not_equal(torch.pointer(x), torch.pointer(x:clone()))
      assert.error_matches(function() torch.pointer(1) end, 'torch.pointer: expected an object')
   end)
end)

describe('torch.setheaptracking', function()
   it('keeps its argument in torch._heaptracking', function()
      local before = torch._heaptracking
      assert.is_true(before)
      torch.setheaptracking(false)
      assert.is_false(torch._heaptracking)
      torch.setheaptracking(true)
      assert.is_true(torch._heaptracking)
      assert.error_matches(function() torch.setheaptracking(1) end, 'torch.setheaptracking: enabled must be a boolean, got')
      assert.is_true(torch._heaptracking)
   end)
end)

describe('__init called without an object', function()
   it('is refused with the name of the class, for every class of torch, nn, optim and graph that has one', function()
      require 'nn.recurrent'
      require 'optim'
      require 'graph'
      local junk, tried = require 'test.support.invalid_calls', 0
      local names = { 'torch.Timer', 'torch.Tester', 'torch.CmdLine', 'optim.Logger', 'optim.ConfusionMatrix', 'optim.LossScaler',
         'graph.Node', 'graph.Graph', 'graph.Edge' }
      for name in pairs(require 'nn') do names[#names + 1] = 'nn.' .. tostring(name) end
      for _, name in ipairs(names) do
         local class = torch.getmetatable(name)
         for i = 1, class and rawget(class, '__init') and 3 or 0 do
            local ok, why = pcall(class.__init, ({ [2] = 5, [3] = 'x' })[i], 2, 2)
            assert.is_false(ok, name)
            assert.truthy(why:find(name, 1, true), name .. ': ' .. why)
            assert.is_nil(junk.of_lua(why), why)
            tried = tried + 1
         end
      end
      assert.is_true(tried > 500, tried)
      assert.has_error(function() torch.Timer.__init() end, '__init: argument 1 must be a torch.Timer, got nil')
      assert.has_error(function() torch.Tester.__init(5) end, '__init: argument 1 must be a torch.Tester, got a number (5)')
   end)
end)
