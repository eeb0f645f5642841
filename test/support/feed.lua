-- test/support/feed.lua - helpers of the specs of feed.
local paths = require 'paths'
local torch = require 'torch'
local feed = require 'feed'
local assert = require 'luassert'
local patience = require 'test.support.patience'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local M = {}

--- The th that runs scripts of a spec.
M.TH = os.getenv 'TH' or 'build/bin/th'

--- All samples of a dataset, tensors as tables.
function M.all(d)
   local list = {}
   for i = 1, d:size() do
      local v = d:get(i)
      list[i] = torch.isTensor(v) and v:totable() or v
   end
   return list
end

--- Numbers outside of a dataset are refused by it.
function M.bounded(name, d)
   local n = d:size()
   refuses(('%s: samples have the numbers 1..%d, got 0'):format(name, n), d.get, d, 0)
   refuses(('%s: samples have the numbers 1..%d, got %d'):format(name, n, n + 1), d.get, d, n + 1)
   refuses(('%s: samples have the numbers 1..%d, got 1.5'):format(name, n), d.get, d, 1.5)
   refuses(('%s: samples have the numbers 1..%d, got nan'):format(name, n), d.get, d, 0 / 0)
   refuses(('%s: the number of a sample must be a number, got nil'):format(name), d.get, d)
end

--- A file that is not there, a folder, no name at all.
function M.needs_a_file(name)
   local f = feed[name:match '%w+$']
   refuses(name .. ': cannot open /no/such/file: No such file or directory', f, '/no/such/file')
   refuses(name .. ': cannot open /: Is a directory', f, '/')
   refuses(name .. ': cannot open /dev/null: it is no plain file', f, '/dev/null')
   for _, v in ipairs { '', 3, {}, 'a\0b' } do refuses(name .. ': file must be the name of a file, got', f, v) end
end

--- What feed's function `name` says of a file where a library cannot be opened, whose names match the Lua pattern.
function M.without(library, name, file)
   local script = temporary.put(([[
      local f = require 'ffi'
      local l = f.load
      f.load = function(n, ...) if n:find '%s' then error 'no' end return l(n, ...) end
      print(pcall(require 'feed'.%s, arg[1]))
   ]]):format(library, name), '.lua')
   local p = io.popen(("timeout %d '%s' %s %s 2>&1"):format(patience(60), M.TH, script, file))
   local out = p:read '*a'
   p:close()
   return out:match '^false\t(.*)\n$' or out
end

--- That the order of an epoch can be made after it could not be made at first: the n-th permutation fails, for n = 1 .. most.
-- @param make  gives a loader
function M.orders_again(make, most)
   local seed = require 'feed.seed'
   local permutation = seed.permutation
   for fails = 1, most do
      local l, calls = make(), 0
      l:epoch()()
      seed.permutation = function(...)
         calls = calls + 1
         if calls == fails then error('out of memory', 0) end
         return permutation(...)
      end
      refuses('out of memory', l:epoch(2))
      seed.permutation = permutation
      local right = make()
      right:epoch(2)
      assert.same(M.texts(right), M.texts(l))
   end
end

--- A loader of the numbers 1..n (23), unless options have a dataset.
function M.loader(options, n)
   options.dataset = options.dataset or feed.tensors(torch.range(1, n or 23))
   return feed.loader(options)
end

--- The batches of so many epochs as texts.
function M.texts(l, epochs)
   local list = {}
   for _ = 1, epochs or 1 do
      for batch, i in l:epoch() do list[#list + 1] = i .. ': ' .. table.concat(batch:totable(), ' ') end
   end
   return list
end

--- A dataset whose samples say what was random in them.
function M.noisy(n)
   return feed.map(feed.tensors(torch.range(1, n)), function(x, random) return x + torch.uniform(random) end)
end

function M.sorted(list)
   table.sort(list)
   return list
end

function M.range(n) return torch.range(1, n):totable() end

--- How many threads this process has.
function M.threads()
   local list = paths.dir '/proc/self/task'
   return #list
end

--- Threads that are ending may take a moment to disappear from /proc.
function M.threads_become(n)
   local timer = torch.Timer()
   while M.threads() > n and timer:time().real < 10 do end
   return math.max(M.threads(), n)
end

return M
