-- lua/distributed/optim/options.lua - the options of dist.optim: checked on each rank, and compared between
-- ranks.
require 'torch'
require 'nn'
local arg = require 'torch.arg'
local dist = require 'distributed.core'
local comm = require 'distributed.lib'
local agree = require 'distributed.collective_check'
local updates = require 'distributed.optim.update_rules'
local vectors = require 'distributed.vectors'
local compress = require 'distributed.compress'
local schemes = require 'distributed.optim.schemes'

local M = {}

local scheme_names = 'allreduce, syncps, downpour, ssp, easgd or eamsgd'

-- name -> { default, least, integer?, schemes that have it (nil: all) }
local numbers = {
   learningRate = { 0.01, 0 }, momentum = { 0.9, 0 }, beta1 = { 0.9, 0, below = 1 },
   beta2 = { 0.999, 0, below = 1 }, epsilon = { 1e-10, 1e-37 },
   nFetch = { 1, 1, true, 'downpour' }, nPush = { 1, 1, true, 'downpour' },
   staleness = { 2, 0, true, 'ssp' },
   workers = { nil, 1, true, 'syncps' },
   tau = { 10, 1, true, 'easgd eamsgd' }, alpha = { nil, 0, false, 'easgd eamsgd' }, beta = { 0.9, 0, false, 'easgd eamsgd' },
   servers = { 0, 0, true, 'syncps downpour ssp easgd eamsgd' }, spare = { nil, 0, true, 'syncps downpour ssp easgd eamsgd' },
   states = { 0, 0, true, below = 100 },
}
local others = { scheme = 'string', model = true, parameters = true, gradParameters = true, update = true, sparse = 'boolean',
   state = 'table', compress = true }
local order = { 'learningRate', 'momentum', 'beta1', 'beta2', 'epsilon', 'nFetch', 'nPush', 'staleness', 'workers', 'tau',
   'alpha', 'beta', 'servers', 'spare', 'states' }

local function fail(level, text, ...) error('dist.optim: ' .. text:format(...), level + 1) end

local function need_number(o, name, row, level)
   local v = o[name]
   if v == nil then return row[1] end
   if row[4] and v ~= row[1] and not (' ' .. row[4] .. ' '):find(' ' .. o.scheme .. ' ', 1, true) then
      fail(level + 1, '%s is an option of %s, not of %s', name, row[4]:gsub(' ', ', '), o.scheme)
   end
   local below = row.below or row[3] and 2 ^ 31 or math.huge
   if type(v) ~= 'number' or not (v >= row[2] and v < below) or (row[3] and v % 1 ~= 0) then
      arg.refuse('dist.optim', name, ('a %snumber from %g%s'):format(row[3] and 'whole ' or '', row[2],
         row.below and (' and less than %g'):format(below) or ''), v, level + 1)
   end
   return v
end

-- The compression in words; 'none' without one.
local function need_compress(o, level)
   if o.compress == nil then return 'none' end
   if o.scheme ~= 'allreduce' then fail(level + 1, 'compress is an option of allreduce, not of %s', o.scheme) end
   if o.sparse then fail(level + 1, 'give either compress or sparse') end
   local text, why = compress.text(o.compress)
   if not text then fail(level + 1, 'compress: %s', why) end
   return text
end

function M.options(o, level)
   if type(o) ~= 'table' then arg.refuse('dist.optim', 'options', 'a table', o, level + 1) end
   if not schemes[o.scheme] then fail(level + 1, 'scheme must be %s, got %s', scheme_names, tostring(o.scheme)) end
   for name, v in pairs(o) do
      if not numbers[name] and not others[name] then fail(level + 1, 'there is no option %s', tostring(name)) end
      local kind = others[name]
      if type(kind) == 'string' and type(v) ~= kind then arg.refuse('dist.optim', name, 'a ' .. kind, v, level + 1) end
   end
   local c = { scheme = o.scheme, sparse = o.sparse or false }
   for name, row in pairs(numbers) do c[name] = need_number(o, name, row, level + 1) end
   if o.alpha and o.beta then fail(level + 1, 'give either alpha or beta') end
   if o.update == 'adam' and o.epsilon == nil then c.epsilon = 1e-8 end
   c.compress = need_compress(o, level + 1)
   return c
end

function M.update(o, c, level)
   local u = o.update
   if u ~= nil and c.scheme == 'eamsgd' then fail(level + 1, 'eamsgd takes no option update') end
   if u == nil then u = 'sgd' end
   c.update = type(u) == 'string' and u or 'function'
   if type(u) == 'string' and u ~= 'add' and updates[u] then
      if o.states ~= nil then fail(level + 1, 'states is an option of updates that are functions') end
      c.states = updates[u].states
      return updates[u].run
   end
   if not arg.is_callable(u) then
      arg.refuse('dist.optim', 'update', "'sgd', 'momentum', 'adagrad', 'adam' or a function", u, level + 1)
   end
   return u
end

function M.vectors(o, level) return vectors.of('dist.optim', o, level + 1) end

function M.roles(c, level)
   local n = dist.size()
   if c.servers >= n then
      fail(level + 1, 'servers must leave a worker: the job has %d rank%s, got %d', n, n == 1 and '' or 's', c.servers)
   end
   local all = n - c.servers
   c.workers = c.workers or all
   if c.workers > all then fail(level + 1, 'workers must lie in 1..%d, got %d', all, c.workers) end
   c.spare = c.spare or all - c.workers
   c.alpha = c.alpha or c.beta / all
   if c.sparse and (c.scheme == 'easgd' or c.scheme == 'eamsgd') then
      fail(level + 1, 'sparse is for gradients: %s moves all parameters', c.scheme)
   end
   return all
end

local words = { scheme = { 'allreduce', 'syncps', 'downpour', 'ssp', 'easgd', 'eamsgd' },
   update = { 'sgd', 'momentum', 'adagrad', 'adam', 'function' }, type = { 'torch.FloatTensor', 'torch.DoubleTensor' },
   sparse = { 'false', 'true' }, state = { 'none', 'one' } }

-- Facts that must match on all ranks, for agree.differ.
local function facts(self, state)
   local c, list = self.config, {}
   local function add(name, value)
      for i, word in ipairs(words[name] or {}) do if word == tostring(value) then value = i end end
      list[#list + 1] = { name, value, words[name] }
   end
   for _, name in ipairs { 'scheme', 'sparse', 'update' } do add(name, c[name]) end
   for _, name in ipairs(order) do add(name, c[name]) end
   for _, fact in ipairs(compress.facts(self.compress and dist.compressor(self.compress))) do list[#list + 1] = fact end
   add('type', self.x:type())
   add('size', self.x:nElement())
   add('layout', comm.digest(self.layout:texts()))
   add('state', state and 'one' or 'none')
   return list
end

function M.same(self, state, level)
   local why = agree.differ(comm.world, facts(self, state))
   if why then fail(level + 1, '%s', why) end
end

M.fail = fail

return M
