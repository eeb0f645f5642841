-- test/nn/names_spec.lua - names of classes that packages for Torch7 define: free until a program asks, replaced by its own.
-- runs once: nothing here depends on the level
local torch = require 'torch'
local nn = require 'nn'
local temporary = require 'test.support.temporary'

-- What a script prints in a separate th, with tabs and line ends.
local function script(text)
   local name = temporary.put(text, '.lua')
   local f = io.popen(("'%s' '%s' 2>&1"):format(os.getenv 'TH' or 'build/bin/th', name))
   local out = f:read '*a'
   f:close()
   return out
end

-- What the script prints when each of its lines that begin with `check` holds.
local function holds(text)
   local out = script([[
      local OURS = { 'BGRU', 'BLSTM', 'BRNN', 'CTCCriterion', 'GRU', 'LSTM', 'RNN', 'RNNReLU' }
      local function check(what, ok) if not ok then print('does not hold: ' .. what) end end
      local function equal(what, want, got)
         if want ~= got then print(('%s: expected %s, got %s'):format(what, tostring(want), tostring(got))) end
      end
   ]] .. text .. "\nprint 'end'")
   assert.equal('end\n', out)
end

-- The bytes of a file that holds x, written by a th that asked for the recurrent layers.
local function saved(expression)
   local name = temporary.name '.t7'
   assert.equal('', script(("require 'nn.recurrent'; torch.manualSeed(1); torch.save('%s', %s)"):format(name, expression)))
   return name
end

describe('the recurrent layers and nn.CTCCriterion', function()
   it('are not in nn, and no class has their names, until a program asks', function()
      holds [[
         require 'nn'
         require 'cudnn'
         for _, name in ipairs(OURS) do
            equal(name, nil, nn[name])
            equal(name, nil, torch.getmetatable('nn.' .. name))
            equal(name, nil, torch.factory('nn.' .. name))
            equal(name, nil, debug.getregistry()['nn.' .. name])
         end
         local listed = {}
         for name in pairs(nn) do listed[name] = true end
         for _, name in ipairs(OURS) do equal(name, nil, listed[name]) end
         check('cudnn.LSTM', cudnn.LSTM(2, 3):forward(torch.ones(4, 1, 2)):size(3) == 3)
      ]]
   end)

   it("are in nn after require 'nn.recurrent'", function()
      holds [[
         local returned = require 'nn.recurrent'
         equal('what require returns', nn, returned)
         for _, name in ipairs(OURS) do
            check(name, type(nn[name]) == 'table')
            equal(name, 'nn.' .. name, torch.getmetatable('nn.' .. name).__typename)
            equal(name, nn[name], torch.getconstructortable('nn.' .. name))
         end
         check('parents', torch.isTypeOf(nn.BLSTM(2, 3), 'nn.RNN'))
         check('arguments', not pcall(nn.CTCCriterion, true, true, 'blank'))
      ]]
   end)

   it('are the parents of the layers of cudnn, whatever has their names', function()
      holds [[
         require 'nn'
         local Mine = torch.class('nn.LSTM', 'nn.Module')
         require 'cudnn'
         equal('nn.LSTM', Mine, torch.getmetatable 'nn.LSTM')
         equal('output', 3, cudnn.LSTM(2, 3):forward(torch.ones(4, 1, 2)):size(3))
         check('type', torch.isTypeOf(cudnn.LSTM(2, 3), 'nn.RNN'))
      ]]
   end)

   it('are what cudnn.convert exchanges with those of cudnn, not classes of the program', function()
      local name = saved 'nn.Sequential():add(nn.LSTM(2, 3))'
      holds(([[
         require 'nn'
         require 'cudnn'
         local m = torch.load '%s'
         local class = getmetatable(m:get(1))
         equal('to cudnn', 'cudnn.LSTM', torch.type(cudnn.convert(m, cudnn):get(1)))
         equal('back', class, getmetatable(cudnn.convert(m, nn):get(1)))
         equal('class of the name', class, torch.getmetatable 'nn.LSTM')
         equal('name', nil, nn.LSTM)
         local LSTM = torch.class('nn.LSTM', 'nn.Identity')
         m:add(nn.LSTM())
         cudnn.convert(m, cudnn)
         equal('ours', 'cudnn.LSTM', torch.type(m:get(1)))
         equal('that of the program', LSTM, getmetatable(m:get(2)))
      ]]):format(name))
   end)

   it('explain where they are when they are wanted as parents, and in the help', function()
      local out = script [[
         require 'nn'
         print(pcall(torch.class, 'My', 'nn.LSTM'))
         print(torch.help 'LSTM')
         print(torch.help 'nn')
      ]]
      assert.truthy(out:find("the parent class nn.LSTM of My is unknown: require 'nn.recurrent' first", 1, true), out)
      assert.truthy(out:find("`require 'nn.recurrent'` puts it into nn.", 1, true), out)
      assert.truthy(out:find("\nnn.CTCCriterion: after require 'nn.recurrent'\n", 1, true), out)
   end)

   it('come from files without being asked for, and stay out of nn then', function()
      local model = saved 'nn.Sequential():add(nn.LSTM(2, 3)):add(nn.BGRU(3, 2))'
      local criterion = saved 'nn.CTCCriterion(true)'
      holds(([[
         require 'nn'
         local m = torch.load '%s'
         equal('layer', 'nn.LSTM', torch.type(m:get(1)))
         equal('class of the name', getmetatable(m:get(1)), torch.getmetatable(torch.typename(m:get(1))))
         equal('name', nil, nn.LSTM)
         local x = torch.ones(4, 1, 2)
         local y = m:forward(x):clone()
         require 'nn.recurrent'
         equal('class', torch.getmetatable 'nn.LSTM', getmetatable(m:get(1)))
         check('same numbers', torch.equal(y, torch.load('%s'):forward(x)))
         local copy = m:clone()
         check('clone', torch.equal(y, copy:forward(x)) and getmetatable(copy:get(1)) == getmetatable(m:get(1)))
         equal('criterion', true, torch.load('%s').batchFirst)
      ]]):format(model, model, criterion))
   end)

   it('are cloned and trained after they came from a file, while their names are free', function()
      local name = saved 'nn.Sequential():add(nn.GRU(2, 3))'
      holds(([[
         require 'nn'
         local m = torch.load '%s'
         local copy = m:clone()
         equal('class', getmetatable(m:get(1)), getmetatable(copy:get(1)))
         local p, g = copy:getParameters()
         local x = torch.ones(4, 1, 2)
         copy:backward(x, copy:forward(x))
         check('gradients', g:norm() > 0)
         check('saved again', torch.type(torch.deserialize(torch.serialize(copy)):get(1)) == 'nn.GRU')
         equal('name', nil, nn.GRU)
      ]]):format(name))
   end)

   it('give way to a class of the program when a file names them', function()
      local name = saved 'nn.LSTM(2, 3)'
      holds(([[
         require 'nn'
         local LSTM = torch.class('nn.LSTM', 'nn.Module')
         function LSTM:read(file) self.fields = file:readObject() end
         local m = torch.load '%s'
         equal('class', LSTM, getmetatable(m))
         equal('inputSize', 2, m.fields.inputSize)
         equal('constructor', LSTM, getmetatable(nn.LSTM()))
      ]]):format(name))
   end)

   it('refuse the objects of another package with the same name', function()
      for class, parent in pairs { LSTM = 'Module', CTCCriterion = 'Criterion' } do
         local name = temporary.name '.t7'
         holds(([[
            require 'nn'
            local Other, parent = torch.class('nn.%s', 'nn.%s')
            function Other:__init() parent.__init(self); self.output_dim = 3 end
            torch.save('%s', nn.%s())
         ]]):format(class, parent, name, class))
         local out = script(("require 'nn'; print(pcall(torch.load, '%s'))"):format(name))
         assert.truthy(out:find('^false') and out:find('of another package: require that package before', 1, true), out)
      end
   end)

   it('replace classes of these names when the program asks later, and objects of both work on', function()
      holds [[
         require 'nn'
         local LSTM = torch.class('nn.LSTM', 'nn.Identity')
         local other = nn.LSTM()
         require 'nn.recurrent'
         equal('new', 'nn.LSTM(2 -> 3)', tostring(nn.LSTM(2, 3)))
         local x = torch.ones(2)
         check('old', other:forward(x) == x and other:clone():forward(x):equal(x))
         equal('class of the clone', LSTM, getmetatable(other:clone()))
      ]]
   end)
end)

describe('a class of nn that a program replaces', function()
   it('shows nothing of the class before, which other classes of nn still use', function()
      holds [[
         require 'nn'
         for _, name in ipairs { 'GELU', 'L2Normalize', 'DataParallel', 'MultiHeadAttention', 'HSM', 'Optim', 'Linear' } do
            local old, constructor = torch.getmetatable('nn.' .. name), nn[name]
            local Mine, parent = torch.class('nn.' .. name, 'nn.Container')
            equal(name, torch.getmetatable 'nn.Container', parent)
            for k, f in pairs(old) do
               if type(f) == 'function' and not k:find '^__' and k ~= 'new' then equal(name .. '.' .. k, parent[k], Mine[k]) end
            end
            equal(name, Mine, getmetatable(nn[name]()))
            check(name, nn[name] ~= constructor)
         end
         equal('parent of the other', 2, #nn.OneBitDataParallel(1):add(nn.Identity(), 1):add(nn.Identity(), 2).modules)
         equal('subclass', 2, nn.LinearWeightNorm(3, 2):forward(torch.ones(3)):size(1))
      ]]
   end)

   it('is what nn shows to pairs, once for each name', function()
      holds [[
         require 'nn'
         local before, after = 0, 0
         for _ in pairs(nn) do before = before + 1 end
         local GELU = torch.class('nn.GELU', 'nn.Module')
         for name, v in pairs(nn) do
            after = after + 1
            if name == 'GELU' then equal('GELU', GELU, getmetatable(v)) end
            check(tostring(name), type(name) == 'string')
         end
         equal('names', before, after)
      ]]
   end)
end)

describe('a package in the manner of rnn', function()
   it('finds its names free, and its layers work in containers, clones and files', function()
      holds [[
         local client = require 'test.support.nn.torch7_package'
         torch.manualSeed(1)
         local m = nn.Sequential():add(nn.LSTM(2, 3)):add(nn.GRU(3, 2))
         local x = torch.ones(2)
         local first = m:forward(x):clone()
         check('states', not m:forward(x):equal(first))
         check('forget', m:forget():forward(x):equal(first))
         equal('step', 2, m:get(1).step)
         local shared = m:sharedClone():forget()
         m:get(1).i2g.weight:fill(0.5)
         equal('shared', 0.5, shared:get(1).i2g.weight[1][1])
         local back = torch.deserialize(torch.serialize(m))
         equal('class', torch.getmetatable 'nn.LSTM', getmetatable(back:get(1)))
         check('same', back:forget():forward(x):equal(m:forget():forward(x)))
         equal('criterion', -1, nn.CTCCriterion():forward(torch.ones(2), torch.ones(2) * 1.5))
         equal('no method of ours', nn.Criterion.updateGradInput, nn.CTCCriterion.updateGradInput)
         equal('parameters', 5, #m:parameters())
      ]]
   end)

   it('replaces methods of nn.Module for the layers of every class', function()
      holds [[
         local client = require 'test.support.nn.torch7_package'
         local function count(name, f)
            client.calls[name] = 0
            f()
            return client.calls[name]
         end
         local m = nn.Sequential():add(nn.Linear(2, 2)):add(nn.ConcatTable():add(nn.ReLU()):add(nn.Dropout(0.1)))
            :add(nn.JoinTable(1)):add(nn.LayerNormalization(4))
         check('training', count('training', function() m:training() end) >= #m:listModules())
         check('type', count('type', function() m:float() end) >= 1)
         equal('forward of each layer', 5, count('forward', function()
            local x = torch.FloatTensor(2)
            for i, layer in ipairs(m.modules) do x = nn.Module.forward(layer, x) or x end
            nn.LayerNormalization(4):float():forward(x)
         end))
      ]]
   end)
end)

describe('no class of nn', function()
   it('holds a copy of a method of its parents in Torch7, which would hide one that a program replaces there', function()
      require 'nn.recurrent'
      local behind = require 'torch.arg'.behind
      local function body(f) return behind[f] or f end
      local copies = {}
      for name in pairs(nn) do
         local class = torch.getmetatable('nn.' .. name)
         local up = class and getmetatable(class)
         while up and up.__typename ~= 'nn.AbstractParallel' do
            for k, f in pairs(class) do
               local own = rawget(up, k)
               if type(f) == 'function' and not k:find '^__%a+$' and own and body(own) == body(f) then
                  copies[#copies + 1] = ('%s.%s of %s'):format(name, k, up.__typename)
               end
            end
            up = getmetatable(up)
         end
      end
      assert.same({}, copies)
   end)
end)
