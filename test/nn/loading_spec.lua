-- test/nn/loading_spec.lua - the files of nn are read when a name is first used; programs see no difference.
-- runs once, on the plain build: it starts a LuaJIT, which cannot open a sanitized library
local torch = require 'torch'
local class = require 'torch.class'
local paths = require 'paths'
local temporary = require 'test.support.temporary'

-- What a script prints in a separate th, or in another program.
local function script(text, program)
   local name = temporary.put(text, '.lua')
   local f = io.popen(("%s '%s' 2>&1"):format(program or ("'%s'"):format(os.getenv 'TH' or 'build/bin/th'), name))
   local out = f:read '*a'
   f:close()
   return out
end

-- What the script prints when each `check` in it holds.
local function holds(text, program)
   local out = script([[
      local function check(what, ok) if not ok then print('does not hold: ' .. what) end end
      require 'nn'
   ]] .. text .. "\nprint 'end'", program)
   assert.equal('end\n', out)
end

-- The names of classes by the folders of nn, without the package: CamelCase files, and the classes of the others.
local function names_in_files()
   local names, folder = {}, paths.dirname(package.searchpath('nn', package.path))
   names.Module = true
   for _, theme in ipairs(paths.dir(folder)) do
      for _, file in ipairs(theme:find '^%l+$' and theme ~= 'recurrent' and paths.dir(folder .. '/' .. theme) or {}) do
         local name = file:match '^(.*)%.lua$'
         if name and name:find '^%u' then names[name] = true end
         for line in name and name:find '^%l' and io.lines(folder .. '/' .. theme .. '/' .. file) or function() end do
            for family in line:gmatch "class%('nn%.(%u%w*)'" do names[family] = true end
         end
      end
   end
   return names
end

describe("require 'nn'", function()
   it('lets getmetatable of a class that was not used give its parent', function()
      holds [[
         check('a criterion', getmetatable(getmetatable(nn.MSECriterion)).__typename == 'nn.Criterion')
         check('a layer', getmetatable(getmetatable(nn.Linear)) == getmetatable(nn.Module))
         check('the root', getmetatable(getmetatable(nn.Module)) == nil)
      ]]
   end)

   it('reads no file of a class', function()
      holds [[
         for name in pairs(package.loaded) do check(name, not name:find '^nn%.%l+%.') end
         nn.Tanh()
         check('nn.activation.activation', package.loaded['nn.activation.activation'])
         check('nn.linear.Linear', not package.loaded['nn.linear.Linear'])
      ]]
   end)

   it('lists every class that the files define, here and in a LuaJIT', function()
      local want = names_in_files()
      local list = {}
      for name in pairs(want) do list[#list + 1] = ("'%s'"):format(name) end
      assert.is_true(#list > 190, #list .. ' classes')
      local text = ([[
         local want, listed = { %s }, {}
         for name in pairs(nn) do listed[name] = true end
         for _, name in ipairs(want) do check(name, listed[name] and torch.getmetatable('nn.' .. name).__typename == 'nn.' .. name) end
         local known = {}
         for _, name in ipairs(want) do known['nn.' .. name] = true end
         for name, mt in pairs(debug.getregistry()) do
            if type(name) == 'string' and name:find '^nn%%.%%w+$' and type(mt) == 'table' then check(name, known[name]) end
         end
      ]]):format(table.concat(list, ', '))
      holds(text)
      local path = {}
      for root in package.path:gmatch '[^;]+' do path[#path + 1] = root:gsub('^%.', paths.cwd(), 1) end
      holds(text, ("LUA_PATH='%s' TH_LIB='%s' luajit"):format(table.concat(path, ';'), os.getenv 'TH_LIB' or 'build/libth.so'))
   end)

   it('lists the functions of nn', function()
      holds [[
         local listed = {}
         for name, v in pairs(nn) do listed[name] = v end
         for _, name in ipairs { 'fuse', 'save', 'optimizeMemory', 'hessian', 'tables', 'Jacobian', 'THNN', 'utils', 'test' } do
            check(name, listed[name] and listed[name] == nn[name])
         end
      ]]
   end)
end)

describe('a class of nn that has not been used', function()
   it('is the same table, constructor and type before and after', function()
      holds [[
         local constructor, mt = nn.Linear, getmetatable(nn.Linear)
         check('typename', torch.typename(nn.Linear) == nil and torch.isTypeOf(nn.Linear, 'nn.Module'))
         local m = nn.Linear(2, 3)
         check('constructor', nn.Linear == constructor and torch.getconstructortable 'nn.Linear' == constructor)
         check('class', getmetatable(m) == mt and torch.getmetatable 'nn.Linear' == mt)
         check('registry', debug.getregistry()['nn.Linear'] == mt and debug.getregistry()[mt] == 'nn.Linear')
         check('parent', getmetatable(mt) == torch.getmetatable 'nn.Module')
         check('factory', torch.type(torch.factory 'nn.Tanh'()) == 'nn.Tanh')
         check('setmetatable', torch.setmetatable({}, 'nn.Sigmoid').updateOutput == nn.Sigmoid.updateOutput)
      ]]
   end)

   it('takes methods that a program sets, also in its parents', function()
      holds [[
         function nn.Linear:updateOutput() return 'mine' end
         check('set', nn.Linear(2, 3):forward(torch.ones(2)) == 'mine')
         function nn.Module:hello() return torch.type(self) end
         check('Module', nn.Tanh():hello() == 'nn.Tanh')
         local init = nn.Module.__init
         function nn.Module:__init() init(self); self.seen = true end
         check('__init', nn.Sigmoid().seen)
         nn.ReLU.field = 7
         check('field', nn.ReLU().field == 7 and nn.ReLU.field == 7)
      ]]
   end)

   it('is a parent of classes of programs', function()
      holds [[
         local Mine, parent = torch.class('nn.Mine', 'nn.Linear')
         check('parent', parent == torch.getmetatable 'nn.Linear')
         function Mine:__init() parent.__init(self, 2, 3) end
         check('size', nn.Mine():forward(torch.ones(2)):size(1) == 3)
         local Same = torch.class 'nn.Abs'
         check('same', Same == torch.getmetatable 'nn.Abs' and Same.updateOutput)
      ]]
   end)

   it('stays away when a program removes it, and comes from files nevertheless', function()
      local name = temporary.name '.t7'
      torch.save(name, require 'nn'.Sequential():add(require 'nn'.Linear(2, 3)):add(require 'nn'.ReLU()))
      holds(([[
         nn.Linear = nil
         nn.fuse = nil
         local m = torch.load '%s'
         check('output', m:forward(torch.ones(2)):size(1) == 3)
         check('type', torch.type(m:get(1)) == 'nn.Linear' and torch.type(m:get(2)) == 'nn.ReLU')
         check('removed', nn.Linear == nil and nn.fuse == nil)
      ]]):format(name))
   end)

   it('keeps our parents when a program replaces one of them', function()
      holds [[
         local Mine = torch.class('nn.Threshold', 'nn.Module')
         check('ours', nn.ReLU():forward(torch.Tensor { -1, 2 }):sum() == 2)
         check('mine', torch.getmetatable 'nn.Threshold' == Mine and getmetatable(nn.Threshold()) == Mine)
         check('no methods', rawget(Mine, 'updateOutput') == nil)
      ]]
   end)
end)

describe('a function of nn that has not been used', function()
   it('is the one of the program where that has set it', function()
      holds [[
         local function mine() end
         nn.save = mine
         check('other', nn.optimizeMemory)
         check('mine', nn.save == mine)
      ]]
   end)
end)

describe('a file that fails', function()
   it('raises its error at each use, until it works', function()
      local home, runs = {}, 0
      class.declare({ 'spec.Late', 'spec.Later' }, function(classes)
         runs = runs + 1
         torch.class('spec.Late').field = runs
         if runs == 2 then return end
         torch.class('spec.Later', 'spec.Late')
         if runs < 3 then error('the file fails', 0) end
         assert.equal(torch.getmetatable 'spec.Later', classes['spec.Later'])
      end, home)
      assert.has_error(function() home.Late() end, 'the file fails')
      assert.has_error(function() return home.Later.field end, 'the file of spec.Later does not define it')
      assert.equal(3, home.Later.field)
      assert.equal('spec.Later', torch.type(home.Later()))
      assert.equal(3, runs)
   end)
end)
