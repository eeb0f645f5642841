-- test/nn/state_spec.lua - nn.importState and nn.exportState: names, orders, layouts, errors.
-- runs once: parameters are copied by code that has no CPU levels
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local function state() return torch.load 'test/support/pytorch/state.pt' end

local function net()
   return nn.Sequential():add(nn.SpatialConvolution(2, 4, 3, 3)):add(nn.SpatialBatchNormalization(4)):add(nn.View(-1):setNumInputDims(3))
      :add(nn.Linear(4, 3)):add(nn.Linear(3, 2)):float()
end

-- All parameters and statistics of a net, in one vector.
local function numbers(n)
   local list = {}
   local s = nn.exportState(n)
   for _, k in ipairs(torch.keys(s)) do list[#list + 1] = s[k]:clone():view(-1):double() end
   return torch.cat(list, 1)
end

-- A net of this module gives its state to a second one, which then computes the same.
local function brings_back(make, input)
   local a, b = make(), make()
   local s = nn.exportState(a)
   local r = nn.importState(b, s)
   assert.same({}, r.missing)
   assert.same({}, r.left)
   assert.is_true(torch.equal(a:forward(input):clone(), b:forward(input)))
   return s
end

local function sizes(s)
   local list = {}
   for k, t in pairs(s) do list[k] = t:size():totable() end
   return list
end

after_each(temporary.remove)

describe('nn.importState', function()
   it('matches modules by order and shape', function()
      local n, s = net(), state()
      local r = nn.importState(n, s)
      assert.equal(10, #r.used)
      assert.same({ 'zlast.weight', '3.weight' }, r.used[7])
      assert.same({}, r.missing)
      assert.same({}, r.left)
      assert.is_true(torch.equal(s['zlast.weight'], n:get(4).weight))
      assert.is_true(torch.equal(s['norm.running_var'], n:get(2).running_var))
      assert.matches('used: 10\n   conv.weight %-> 0.weight\n', tostring(r))
   end)

   it('matches by name where the names are those of nn.exportState', function()
      local a, b = net(), net()
      local s = {}
      for k, t in pairs(nn.exportState(a)) do s[k] = t end             -- a table without an order
      nn.importState(b, s)
      assert.is_true(torch.equal(numbers(a), numbers(b)))
      local prefixed = {}
      for k, t in pairs(s) do prefixed['module.' .. k] = t end
      nn.importState(net(), prefixed)
   end)

   it('takes files of safetensors by names', function()
      local a, b = net(), net()
      local name = temporary.name '.safetensors'
      torch.save(name, nn.exportState(a))
      nn.importState(b, (torch.load(name)))
      assert.is_true(torch.equal(numbers(a), numbers(b)))
   end)

   it('takes rules: patterns, and functions', function()
      local s = {}
      for k, t in pairs(state()) do s['net.' .. k] = t end
      s.extra = torch.ones(3)
      local rules = { { '^net%.', '' }, { '^conv', '0' }, { '^norm', '1' }, { '^zlast', '3' }, { '^alast', '4' }, { '^extra$', false } }
      local a, b = net(), net()
      nn.importState(a, s, rules)
      nn.importState(b, state())
      assert.is_true(torch.equal(numbers(a), numbers(b)))
      local index = { conv = '0', norm = '1', zlast = '3', alast = '4' }
      local c = net()
      nn.importState(c, s, function(name)
         local path, last = name:match '^net%.(%w+)%.(.*)$'
         return path and index[path] .. '.' .. last
      end)
      assert.is_true(torch.equal(numbers(a), numbers(c)))
   end)

   it('changes nothing when something does not fit', function()
      local function unchanged(pattern, n, s, rules)
         local before = numbers(n)
         refuses(pattern, nn.importState, n, s, rules)
         assert.is_true(torch.equal(before, numbers(n)))
      end
      local s = state()
      s['alast.bias'] = torch.ones(3)
      unchanged("the net has nn.Linear at '4' (weight 2x3, bias 2), but the state has 'alast' (bias 3, weight 2x3) next", net(), s)
      s['alast.bias'] = nil
      unchanged('missing in the state', net(), s)
      s = state()
      s.more = torch.ones(2)
      unchanged('left over: 1\n   more', net(), s)
      unchanged('The order of the names is not known, so rules must give the names of the net.', net(), { a = torch.ones(1) })
      unchanged('The state has the table model: give that.', net(), torch.load 'test/support/pytorch/checkpoint.pt')
      s = nn.exportState(net())
      s['3.weight'] = torch.ones(2, 2)
      unchanged("'3.weight' has 2x2, the net wants 3x4 for '3.weight'", net(), { ['0.weight'] = s['0.weight'], ['3.weight'] = s['3.weight'] })
   end)

   it('copies what fits where that is wanted', function()
      local n, s = net(), state()
      s['alast.bias'] = torch.ones(3)
      local bias = n:get(5).bias:clone()
      local r = nn.importState(n, s, nil, true)
      assert.equal(8, #r.used)
      assert.same({ '4.weight', '4.bias' }, r.missing)
      assert.same({ 'alast.weight', 'alast.bias' }, r.left)
      assert.is_true(torch.equal(bias, n:get(5).bias))
      assert.is_true(torch.equal(s['conv.weight'], n:get(1).weight))
      assert.equal(8, #nn.importState(net(), s, { partial = true }).used)
   end)

   it('converts types', function()
      local s = state()
      for _, k in ipairs(torch.keys(s)) do if s[k]:dim() > 0 then s[k] = s[k]:half() end end
      local n = net():double()
      nn.importState(n, s)
      assert.is_true(torch.equal(s['zlast.weight']:double(), n:get(4).weight))
   end)

   it('takes tied weights once or twice, but not when they differ', function()
      local function tied()
         local n = nn.Sequential():add(nn.LookupTable(5, 3)):add(nn.Linear(3, 5, false))
         n:get(2).weight = n:get(1).weight
         return n
      end
      local w = torch.rand(5, 3)
      for _, s in ipairs { { ['0.weight'] = w }, { ['0.weight'] = w, ['1.weight'] = w:clone() } } do
         local n = tied()
         assert.same({}, nn.importState(n, s).missing)
         assert.is_true(torch.equal(w, n:get(2).weight))
      end
      refuses("the net shares '0.weight' and '1.weight', but '0.weight' and '1.weight' differ", nn.importState, tied(),
         { ['0.weight'] = w, ['1.weight'] = w + 1 })
   end)

   it('flattens nested tables, as of a TorchScript archive', function()
      local n = nn.Linear(2, 3)
      local c = torch.load 'test/support/pytorch/script.pt'
      nn.importState(n, c, { { '^fc%.', '' }, { '^scale$', false } })
      assert.is_true(torch.equal(c.fc.weight:double(), n.weight:double()))
   end)

   it('refuses other arguments', function()
      refuses('nn.importState: net must be an nn.Module, got a number', nn.importState, 1, {})
      refuses('nn.importState: state must be a table of tensors, got nil', nn.importState, net())
      refuses('nn.importState: state must be a table of tensors, got a torch.DoubleTensor', nn.importState, net(), torch.ones(1))
      refuses('nn.importState: state has no tensors', nn.importState, net(), { 1, 'x', { true } })
      refuses('nn.importState: state has no tensors that the rules keep', nn.importState, net(), state(), { { '.', false } })
      refuses('rules must be a function or a list of {pattern, replacement}, got a number', nn.importState, net(), state(), 1)
      refuses('rules[1] must be {pattern, replacement} with a replacement of a string or false, got {x, nil}', nn.importState, net(), state(), { { 'x' } })
      refuses('rules[1] is no pattern', nn.importState, net(), state(), { { '%', '' } })
      refuses("both become 'x'", nn.importState, net(), state(), { { '^.*$', 'x' } })
      refuses('the result of rules must be a string', nn.importState, net(), state(), function() return 1 end)
      refuses('nn.exportState: net must be an nn.Module, got a table', nn.exportState, {})
   end)
end)

describe('nn.exportState', function()
   it('has the names and layouts of PyTorch', function()
      local s = brings_back(function() return nn.LSTM(3, 4, 2) end, torch.rand(5, 2, 3))
      assert.same({ weight_ih_l0 = { 16, 3 }, weight_hh_l0 = { 16, 4 }, bias_ih_l0 = { 16 }, bias_hh_l0 = { 16 }, weight_ih_l1 = { 16, 4 },
         weight_hh_l1 = { 16, 4 }, bias_ih_l1 = { 16 }, bias_hh_l1 = { 16 } }, sizes(s))
      s = brings_back(function() return nn.BGRU(3, 4) end, torch.rand(5, 2, 3))
      assert.same({ 12, 3 }, s.weight_ih_l0_reverse:size():totable())
      s = brings_back(function() return nn.MultiHeadAttention(4, 2) end, torch.rand(5, 4))
      assert.same({ in_proj_weight = { 12, 4 }, in_proj_bias = { 12 }, ['out_proj.weight'] = { 4, 4 }, ['out_proj.bias'] = { 4 } }, sizes(s))
      s = brings_back(function() return nn.LayerNormalization(4) end, torch.rand(3, 4))
      assert.same({ weight = { 4 }, bias = { 4 } }, sizes(s))
      s = brings_back(function() return nn.SpatialDepthWiseConvolution(3, 2, 3, 3) end, torch.rand(3, 5, 5))
      assert.same({ weight = { 6, 1, 3, 3 }, bias = { 6 } }, sizes(s))
      s = brings_back(function() return nn.TemporalConvolution(3, 2, 4) end, torch.rand(6, 3))
      assert.same({ weight = { 2, 3, 4 }, bias = { 2 } }, sizes(s))
      s = brings_back(function() return nn.SpatialConvolutionMM(3, 2, 3, 3) end, torch.rand(3, 5, 5))
      assert.same({ 2, 3, 3, 3 }, s.weight:size():totable())
      s = brings_back(function() return nn.SpatialFullConvolution(3, 2, 3, 3) end, torch.rand(3, 5, 5))
      assert.same({ 3, 2, 3, 3 }, s.weight:size():totable())
      s = brings_back(function() return nn.VolumetricFullConvolution(3, 2, 3, 3, 3) end, torch.rand(3, 5, 5, 5))
      assert.same({ 3, 2, 3, 3, 3 }, s.weight:size():totable())
      s = brings_back(function() return nn.VolumetricConvolution(3, 2, 3, 3, 3) end, torch.rand(3, 5, 5, 5))
      assert.same({ 2, 3, 3, 3, 3 }, s.weight:size():totable())
      s = brings_back(function() return nn.LookupTable(5, 3) end, torch.LongTensor { 1, 5, 2 })
      assert.same({ weight = { 5, 3 } }, sizes(s))
      s = brings_back(function() return nn.LinearWeightNorm(3, 2) end, torch.rand(3))
      assert.same({ weight_v = { 2, 3 }, weight_g = { 2, 1 }, bias = { 2 } }, sizes(s))
      brings_back(function() return nn.PReLU(3) end, torch.randn(2, 3))
      brings_back(function() return nn.SpatialConvolutionLocal(2, 3, 5, 5, 3, 3) end, torch.rand(2, 5, 5))
   end)

   it('counts modules of containers from 0, in order', function()
      local n = nn.Sequential():add(nn.Tanh()):add(nn.ConcatTable():add(nn.Linear(2, 1)):add(nn.Sequential():add(nn.Linear(2, 2))))
      assert.same({ '1.0.weight', '1.0.bias', '1.1.0.weight', '1.1.0.bias' }, torch.keys(nn.exportState(n)))
   end)

   it('shares memory with the net where layouts are equal', function()
      local n = nn.Linear(2, 3)
      nn.exportState(n).weight:fill(7)
      assert.equal(42, n.weight:sum())
   end)

   it('equals PyTorch: outputs of its modules with our parameters', function()
      local python = os.getenv 'PYTHON' or 'python3'
      local cases, x = {}, {}
      local function case(name, m, input, code)
         cases[#cases + 1] = { name = name, m = m:float(), code = code }
         x[#x + 1] = input:float()
      end
      case('lstm', nn.LSTM(3, 4, 2), torch.rand(5, 2, 3), 'run(torch.nn.LSTM(3, 4, 2), s, x)[0]')
      case('blstm', nn.BLSTM(3, 4), torch.rand(5, 2, 3), 'run(torch.nn.LSTM(3, 4, bidirectional=True), s, x)[0]')
      case('gru', nn.GRU(3, 4), torch.rand(5, 2, 3), 'run(torch.nn.GRU(3, 4), s, x)[0]')
      case('rnn', nn.RNN(3, 4), torch.rand(5, 2, 3), 'run(torch.nn.RNN(3, 4), s, x)[0]')
      case('attention', nn.MultiHeadAttention(4, 2), torch.rand(2, 5, 4), 'torch.nn.MultiheadAttention(4, 2, batch_first=True)')
      cases[#cases].code = 'attend(torch.nn.MultiheadAttention(4, 2, batch_first=True), s, x)'
      case('norm', nn.LayerNormalization(4, nil, 4e-5), torch.rand(3, 4), 'run(torch.nn.LayerNorm(4), s, x)')
      case('depthwise', nn.SpatialDepthWiseConvolution(3, 2, 3, 3), torch.rand(1, 3, 5, 5), 'run(torch.nn.Conv2d(3, 6, 3, groups=3), s, x)')
      case('temporal', nn.TemporalConvolution(3, 2, 4), torch.rand(2, 6, 3), 'run(torch.nn.Conv1d(3, 2, 4), s, x.transpose(1, 2)).transpose(1, 2)')
      case('full', nn.SpatialFullConvolution(3, 2, 3, 3, 2, 2), torch.rand(1, 3, 5, 5), 'run(torch.nn.ConvTranspose2d(3, 2, 3, stride=2), s, x)')
      case('volume', nn.VolumetricConvolution(3, 2, 2, 3, 4), torch.rand(1, 3, 5, 5, 6), 'run(torch.nn.Conv3d(3, 2, (2, 4, 3)), s, x)')
      case('batch', nn.BatchNormalization(3):evaluate(), torch.rand(4, 3), 'run(torch.nn.BatchNorm1d(3), s, x)')
      case('linear', nn.Linear(3, 2), torch.rand(4, 3), 'run(torch.nn.Linear(3, 2), s, x)')
      local all, lines = {}, {}
      for i, c in ipairs(cases) do
         all[i] = { nn.exportState(c.m), x[i] }
         lines[i] = ('s, x = cases[%d]; out.append(%s)'):format(i - 1, c.code)
      end
      local from, to = temporary.name '.pt', temporary.name '.pt'
      torch.save(from, all)
      local script = temporary.put(([[
import sys, torch
def run(m, s, x):
    m.load_state_dict(s)
    return m.eval()(x)
def attend(m, s, x):
    m.load_state_dict(s)
    return m.eval()(x, x, x)[0]
cases, out = torch.load(sys.argv[1], weights_only=True), []
with torch.no_grad():
    %s
torch.save([o.contiguous() for o in out], sys.argv[2])
]]):format(table.concat(lines, '\n    ')), '.py')
      local p = io.popen(('%s -W ignore %s %s %s 2>&1'):format(python, script, from, to))
      local text = p:read '*a'
      p:close()
      if text:find 'No module named' or text:find 'not found' then
         return pending(python .. ' has no PyTorch: set PYTHON to one that has it')
      end
      assert.equal('', text)
      local out = torch.load(to)
      for i, c in ipairs(cases) do
         local y = c.m:forward(x[i])
         assert.same(y:size():totable(), out[i]:size():totable(), c.name)
         assert.is_true((y - out[i]):abs():max() < 1e-5, c.name .. ': ' .. (y - out[i]):abs():max())
      end
   end)
end)
