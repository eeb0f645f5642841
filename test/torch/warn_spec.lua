-- test/torch/warn_spec.lua - torch.warn: notes about calls whose result surprises people who know NumPy.
-- runs once
local torch = require 'torch'
local run = require 'test.support.run_th'

local function with(setting, f)
   local before = torch.warn
   torch.warn = setting
   local ok, why = pcall(f)
   torch.warn = before
   if not ok then error(why, 0) end
end

-- The kinds of notes that f gives rise to.
local function kinds_of(f)
   local kinds = {}
   with(function(_, kind) kinds[#kinds + 1] = kind end, f)
   return table.concat(kinds, ' ')
end

describe('torch.warn', function()
   local a, b = torch.ones(2, 3), torch.ones(3, 2)
   it('writes the first note of each kind to stderr, with the line of the program', function()
      local out, status = run.script 'local a, b = torch.ones(2, 3), torch.ones(3, 2)\na:add(b)\na:add(b)\nprint(a:sum())'
      assert.matches('^main.lua:2: note: add: sizes 2x3 and 3x2 differ: the elements pair in row%-major order[^\n]*\n18\n$', out)
      assert.equal(0, status)
      local p = io.popen(("%s -e 'torch.ones(2, 3):add(torch.ones(3, 2))' 2>/dev/null"):format(os.getenv 'TH' or 'build/bin/th'))
      assert.equal('', p:read '*a')
      p:close()
   end)
   it('is quiet where it is false', function()
      assert.equal('', (run.script 'torch.warn = false\nlocal x = torch.ones(2, 3):add(torch.ones(3, 2))'))
   end)
   it("makes an error of each such call where it is 'error', and the call changes nothing", function()
      with('error', function()
         local x = torch.ones(2, 3)
         local ok, why = pcall(x.add, x, b)
         assert.is_false(ok)
         assert.matches("add: sizes 2x3 and 3x2 differ: .* %(torch.warn is 'error'%)", why)
         assert.equal(6, x:sum())
         assert.is_false(pcall(x.add, x, b))
      end)
   end)
   it('calls a function for each such call, which may compute', function()
      assert.equal('shapes shapes', kinds_of(function() return a + b, a - b end))
      local result
      with(function() torch.ones(4):mul(7) end, function() result = torch.add(a, 2, b) end)
      assert.same({ { 3, 3, 3 }, { 3, 3, 3 } }, result:totable())
   end)
   it('speaks where sizes of equal count pair otherwise than in NumPy', function()
      assert.equal('shapes', kinds_of(function() torch.cmul(torch.ones(5), torch.ones(5, 1)) end))
      assert.equal('shapes', kinds_of(function() torch.lt(a, b) end))
      assert.equal('copy', kinds_of(function() a:clone():copy(b) end))
      assert.equal('', kinds_of(function()
         torch.add(torch.ones(5), torch.ones(1, 5))
         torch.add(a, torch.ones(3))
         torch.ones(6):copy(a)
         torch.add(a, a)
      end))
   end)
   it('speaks where whole numbers lose a fraction or wrap', function()
      local i = torch.IntTensor { 7, 9 }
      assert.equal('fraction', kinds_of(function() i:clone():add(0.5) end))
      assert.equal('division', kinds_of(function() return i / 2 end))
      assert.equal('wrap', kinds_of(function() torch.ByteTensor(300):fill(1):sum(1) end))
      assert.equal('', kinds_of(function()
         i:clone():add(2)
         return i / 1, i:clone():fmod(2), torch.ByteTensor(300):fill(1):sum(), torch.ByteTensor(3):fill(1):sum(1), torch.ones(2) / 2
      end))
   end)
   it('does not speak of what our packages do', function()
      local nn = require 'nn'
      assert.equal('', kinds_of(function()
         local m = nn.Sequential():add(nn.Reshape(3, 2)):add(nn.View(6)):add(nn.Linear(6, 2)):add(nn.LogSoftMax())
         local x = torch.ones(4, 2, 3)
         m:forward(x)
         m:backward(x, torch.ones(4, 2))
      end))
   end)
   it('refuses other settings, and keeps its own', function()
      local before = torch.warn
      for _, bad in ipairs { 3, 'loud', {} } do
         local ok, why = pcall(function() torch.warn = bad end)
         assert.is_false(ok)
         assert.matches("torch.warn: value must be true, false, 'error' or a function, got a ", why)
      end
      assert.is_false(pcall(function() torch.warn = nil end))
      assert.equal(before, torch.warn)
   end)
   it('leaves errors as they are', function()
      with('error', function()
         assert.matches('must have the size of x or one that broadcasts to it', select(2, pcall(torch.add, a, torch.ones(4))))
      end)
   end)
end)
