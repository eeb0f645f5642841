-- test/comm/trace_spec.lua - dist.trace: one file with the records of all ranks, in a format that
-- browsers read.
-- runs once
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

-- Reads JSON, as strictly as the format is.
local function decode(text)
   local at = 1
   local value
   local function skip() at = text:find('[^ \n\r\t]', at) or #text + 1 end
   local function eat(pattern)
      local found = text:match('^' .. pattern, at)
      if found then at = at + #found end
      return found
   end
   local function list(close, element)
      skip()
      if eat(close) then return end
      repeat
         element()
         skip()
      until not eat ','
      assert(eat(close), 'no end at ' .. at)
   end
   local escapes = { n = '\n', r = '\r', t = '\t', b = '\b', f = '\f', ['"'] = '"', ['\\'] = '\\', ['/'] = '/' }
   local function string()
      assert(eat '"', 'no string at ' .. at)
      local out = {}
      while not eat '"' do
         local plain = eat '[^%c"\\]+'
         out[#out + 1] = plain or assert(eat '\\', 'a bare control byte at ' .. at)
            and (eat 'u%x%x%x%x' and '?' or assert(escapes[eat '.'], 'no escape at ' .. at))
      end
      return table.concat(out)
   end
   function value()
      skip()
      local c = text:sub(at, at)
      if c == '"' then return string() end
      local t = {}
      if eat '%[' then
         list('%]', function() t[#t + 1] = value() end)
      elseif eat '{' then
         list('}', function()
            skip()
            local name = string()
            skip()
            assert(eat ':', 'no : at ' .. at)
            assert(t[name] == nil, 'twice: ' .. name)
            t[name] = value()
         end)
      else
         return assert(tonumber(eat '-?%d+%.?%d*[eE]?[-+]?%d*'), 'no value at ' .. at)
      end
      return t
   end
   local v = value()
   skip()
   assert(at > #text, 'more at ' .. at)
   return v
end

local training = [[
require 'nn'
local r = dist.rank()
local net = nn.Sequential():add(nn.Linear(100, 100)):add(nn.Tanh()):add(nn.Linear(100, 10))
local model, criterion = dist.DataParallel(net, { broadcast = true, bucket = 1000 }), nn.MSECriterion()
local shared = dist.shared('a', 10)
local pair = dist.group { 0, 1 }
local function work()
   local input, target = torch.randn(50, 100), torch.randn(50, 10)
   dist.span('a "span" \\ é \1', function() criterion:forward(model:forward(input), target) end)
   model:backward(input, criterion:backward(model.output, target))
   dist.allreduce(torch.FloatTensor(1000))
   shared:add(torch.ones(10))
   if r < 2 then dist.allreduce(torch.ones(3), 'sum', { group = pair, async = true }):wait() end
   if r == 0 then dist.send(torch.ones(5), 1, { async = true }):wait() elseif r == 1 then dist.recv(torch.ones(5), 0, { async = true }):wait() end
end
]]

describe('dist.trace', function()
   it('writes what all ranks did: operations, modules and spans, by one clock', function()
      local name = temporary.name '.json'
      ranks.ok(3, training .. ([[
         work()
         local file = %q
         dist.trace(file)
         for i = 1, 4 do work() end
         assert(not io.open(file))
         dist.barrier()
         local n, dropped = dist.trace()
         assert(n > 50 and dropped == 0)
         work()]]):format(name))
      local of, last = {}, 0
      for _, e in ipairs(decode(temporary.get(name))) do
         assert.is_true(e.pid == 0 or e.pid == 1 or e.pid == 2)
         if e.ph == 'X' then
            assert.is_true(e.ts >= -1e3 and e.dur >= 0 and e.ts + e.dur < 60e6)
            local key = e.pid .. ' ' .. e.cat .. ' ' .. e.name
            of[key] = of[key] or {}
            table.insert(of[key], e)
            last = math.max(last, e.ts + e.dur)
         else
            assert.equal('M', e.ph)
            assert.equal('string', type(e.args.name or ''))
         end
      end
      for r = 0, 2 do
         local function count(key, wanted)
            local list = of[r .. ' ' .. key] or {}
            assert.equal(wanted, #list, r .. ' ' .. key)
            return list
         end
         count('compute nn.Linear forward', 8)
         count('compute nn.Tanh backward', 4)
         count('compute nn.Sequential backward', 4)
         count('script a "span" \\ é ?', 4)
         count("communication dist.shared 'a', add", 12)
         count('communication barrier', 1)
         count('communication send', r == 0 and 4 or 0)
         count('communication recv', r == 1 and 4 or 0)
         local lanes, backward = {}, of[r .. ' compute nn.Sequential backward']
         for _, e in ipairs(of[r .. ' communication allreduce']) do
            lanes[e.tid] = (lanes[e.tid] or 0) + 1
            if e.tid == 0 then assert.equal(4000, e.args.bytes) end
         end
         assert.equal(4, lanes[0])
         assert.is_true(lanes[1] >= 8)
         assert.equal(r < 2 and 4 or nil, lanes[2])
         -- There is one clock: no rank ends a barrier before the last one has begun it.
         for q = 0, 2 do
            assert.is_true(of[q .. ' communication barrier'][1].ts <= of[r .. ' communication barrier'][1].ts
               + of[r .. ' communication barrier'][1].dur + 1)
         end
         for i = 2, 4 do assert.is_true(backward[i].ts >= backward[i - 1].ts + backward[i - 1].dur) end
      end
   end)

   it('changes no bits, and leaves nothing behind when it has ended', function()
      ranks.ok(2, training .. ([[
         local file, plain = %q, nn.Container.rethrowErrors
         local function run()
            torch.manualSeed(3)
            net:reset()
            model:zeroGradParameters()
            work()
            local _, g = model:getParameters()
            return g:clone()
         end
         local a = run()
         dist.trace(file)
         assert(nn.Container.rethrowErrors ~= plain)
         local b = run()
         dist.trace()
         assert(same(a, b) and same(a, run()) and nn.Container.rethrowErrors == plain and require 'distributed.lib'.trace == nil)]])
         :format(temporary.name '.json'))
   end)

   it('finds how far clocks are apart', function()
      ranks.ok(3, [[
         local wire, skew = require 'distributed.lib', require 'distributed.trace'.skew
         local ahead = 100 * dist.rank()
         local found = skew(dist.rank() > 0, function() return wire.now() + ahead end)
         assert(math.abs(found - ahead) < 0.05, found)
         assert(skew(false, error) == 0)]])
   end)

   it('keeps a million events of a rank, and counts the others', function()
      local name = temporary.name '.json'
      dist.init()
      dist.trace(name)
      local trace = require 'distributed.lib'.trace
      for _ = 1, 1e6 + 7 do trace:add('a', 'script', 0, 0, 0) end
      local n, dropped = dist.trace()
      assert.equal(1e6, n)
      assert.equal(7, dropped)
      assert.truthy(temporary.get(name):find('"labels":"7 more were not kept"', 1, true))
   end)

   it('has messages in flight to different ranks in separate lanes', function()
      local name = temporary.name '.json'
      ranks.ok(3, ([[
         dist.trace(%q)
         local x, y = torch.ones(300000), torch.ones(300000)
         if dist.rank() == 0 then
            local all = {}
            for i = 1, 2 do
               all[#all + 1] = dist.send(x, 1, { async = true })
               all[#all + 1] = dist.send(y, 2, { async = true })
            end
            for _, work in ipairs(all) do work:wait() end
         else
            os.execute('sleep ' .. .1 * dist.rank())
            for i = 1, 2 do dist.recv(x, 0) end
         end
         dist.trace()]]):format(name))
      local lanes, names, count = {}, {}, 0
      for _, e in ipairs(decode(temporary.get(name))) do
         if e.name == 'thread_name' and e.pid == 0 then names[e.tid] = e.args.name end
         if e.name == 'send' and e.pid == 0 then
            for _, other in ipairs(lanes[e.tid] or {}) do
               assert.is_true(e.ts >= other.ts + other.dur - 0.01 or other.ts >= e.ts + e.dur - 0.01)
            end
            lanes[e.tid] = lanes[e.tid] or {}
            table.insert(lanes[e.tid], e)
            count = count + 1
         end
      end
      assert.equal(4, count)
      assert.same({ 'messages to rank 1', 'messages to rank 2' }, { names[2], names[3] })
   end)

   it('writes no bytes that are no UTF-8, and those that are as they are', function()
      dist.init()
      local name = temporary.name '.json'
      local good, bad = { 'é', '€', '\237\159\191', '\240\159\152\128', '\244\143\191\191' },
         { '\225\195\169\128\128', '\237\160\128', '\244\144\128\128', '\224\159\191', '\192\128', '\195' }
      dist.trace(name)
      for _, list in ipairs { good, bad } do for _, text in ipairs(list) do dist.span(text, function() end) end end
      dist.trace()
      local text = temporary.get(name)
      for _, s in ipairs(good) do assert.truthy(text:find('"' .. s .. '"', 1, true)) end
      for _, s in ipairs(bad) do
         assert.truthy(text:find('"' .. s:gsub('.', function(c) return ('\\u%04x'):format(c:byte()) end) .. '"', 1, true))
      end
   end)

   it('refuses what makes no sense, on all ranks', function()
      dist.init()
      local name = temporary.name '.json'
      refuses('dist.trace: no trace runs', dist.trace)
      refuses('dist.trace: argument 1 must be the name of a file, got nil', dist.trace, nil)
      refuses('dist.trace: argument 1 must be the name of a file, got a number (3)', dist.trace, 3)
      dist.trace(name)
      refuses('dist.trace: a trace runs already: dist.trace() ends it', dist.trace, name)
      assert.equal(0, (select(2, dist.trace())))
      refuses('/no/such/folder/trace.json', dist.trace, '/no/such/folder/trace.json')
      refuses('dist.trace: no trace runs', dist.trace)
      refuses('dist.span: argument 1 must be a string, got a number (3)', dist.span, 3, print)
      refuses('dist.span: argument 2 must be a function, got nil', dist.span, 'a')
      refuses('oops', dist.span, 'a', error, 'oops')
      assert.equal(3, select('#', dist.span('a', function(...) return ... end, nil, 1, nil)))
      ranks.ok(2, ([[
         if dist.rank() == 0 then says('dist.trace: rank 1: dist.trace: argument 1', dist.trace, %q)
         else says('dist.trace: argument 1 must be the name of a file, got a boolean', dist.trace, false) end
         says('/no/such/folder/trace.json', dist.trace, '/no/such/folder/trace.json')
         says('dist.trace: no trace runs', dist.trace)]]):format(name))
   end)
end)

teardown(temporary.remove)
