-- feed.length - orders by the lengths of samples: shortest first in the first epoch, and batches of similar lengths in others.
-- They rearrange the order below them, so any position can be computed without those before it.
--
-- Batches of similar lengths: `bucket` runs of `run` samples at a time make a window. Its samples are sorted by length and cut
-- into runs, and the runs are shuffled. A short run comes last, so that all others begin where a step of the loader begins.
local torch = require 'torch'
local arg = require 'torch.arg'
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'
local seed = require 'feed.seed'

local ByLength = {}
ByLength.__index = ByLength

local SALT = 2 ^ 40                          -- above the numbers of windows, which feed.order draws by

local WANTED = 'a tensor of one dimension, a list or a function'

local function number(who, i, v)
   if type(v) ~= 'number' or v ~= v then arg.refuse(who, ('the length of sample %.0f'):format(i), 'a number', v, 6) end
   return v
end

-- The lengths of n samples as a new DoubleTensor, from a tensor, a list or a function of the sample's number.
local function lengths_of(who, lengths, n)
   local out = torch.DoubleTensor(n)
   if torch.isTensor(lengths) or type(lengths) == 'table' and not arg.is_callable(lengths) then
      local tensor = torch.isTensor(lengths)
      local many = tensor and (lengths:nElement() == 0 and 0 or lengths:dim() == 1 and lengths:size(1))
         or not tensor and need.is_list(lengths) and #lengths
      if not many then arg.refuse(who, 'lengths', WANTED, lengths, 5) end
      if many ~= n then error(('%s: lengths has %.0f numbers, and the dataset %.0f samples'):format(who, many, n), 5) end
      if n == 0 then return out end
      if tensor then out:copy(lengths) else for i = 1, n do out[i] = number(who, i, lengths[i]) end end
      local odd = out:ne(out)
      if odd:any() then number(who, odd:nonzero()[1][1], 0 / 0) end
      return out
   end
   if not arg.is_callable(lengths) then arg.refuse(who, 'lengths', WANTED, lengths, 5) end
   for i = 1, n do out[i] = number(who, i, lengths(i)) end
   return out
end

--- @param order    the order below: a table with at(epoch, p, n)
-- @param n         samples
-- @param options   lengths, shortest (whether the first epoch begins with the shortest), bucket (nil: none), run, seed, shuffle
function ByLength.new(who, order, n, options)
   local self = { order = order, n = n, seed = options.seed, shuffle = options.shuffle, shortest = options.shortest,
      bucket = options.bucket, run = options.run }
   self.lengths = lengths_of(who, options.lengths, n)
   self.sum = fingerprint.sum(self.lengths)
   return setmetatable(self, ByLength)
end

-- These samples, shortest first; samples of equal length keep their order.
local function sorted(self, numbers)
   local _, places = self.lengths:index(1, numbers):sort(1)
   return numbers:index(1, places)
end

-- `numbers` cut into runs in a random order; the last run in that order is the one with the remainder.
local function shuffled(self, numbers, epoch, w)
   local m, run = numbers:size(1), self.run
   local count = math.ceil(m / run)
   local turn, short = seed.permutation(count, self.seed, epoch, SALT + w), (-m) % run
   local out, at, last = torch.LongTensor(m), 1, turn[count]
   for k = 1, count do
      local size = k == count and run - short or run
      local from = (turn[k] - 1) * run + 1 - (turn[k] > last and short or 0)
      out:narrow(1, at, size):copy(numbers:narrow(1, from, size))
      at = at + size
   end
   return out
end

-- The samples from `first` on (from 0) of the part of the epoch that begins there: the whole first epoch, or window w.
local function part(self, epoch, w)
   if self.shortest and epoch == 1 then return sorted(self, torch.LongTensor(self.n):range(1, self.n)), 0 end
   local size = self.bucket * self.run
   local first = w * size
   local numbers = sorted(self, self.order:at(epoch, first, math.min(size, self.n - first)))
   return self.shuffle and shuffled(self, numbers, epoch, w) or numbers, first
end

--- The numbers of the m samples from place p on (from 0) of an epoch, as a LongTensor.
function ByLength:at(epoch, p, m)
   local all = self.shortest and epoch == 1
   if not all and not self.bucket then return self.order:at(epoch, p, m) end
   local out, done = torch.LongTensor(m), 0
   while done < m do
      local w = all and 0 or math.floor((p + done) / (self.bucket * self.run))
      if self.epoch ~= epoch or self.window ~= w then
         self.epoch = nil                                     -- memory may run out, and Ctrl-C may come
         self.numbers, self.first = part(self, epoch, w)
         self.epoch, self.window = epoch, w
      end
      local from = p + done - self.first
      local k = math.min(m - done, self.numbers:size(1) - from)
      out:narrow(1, done + 1, k):copy(self.numbers:narrow(1, from + 1, k))
      done = done + k
   end
   return out
end

--- Sets the length of the runs.
function ByLength:cut(run) self.run, self.epoch = run, nil end

return ByLength
