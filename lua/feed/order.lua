-- feed.order - the order of an epoch's samples, as a function of the seed, the epoch and the place, so that any place
-- can be computed without those before it.
--
-- Chunk-wise: chunks of `chunk` consecutive samples are shuffled; `window` chunks at a time make a window, whose
-- samples are shuffled. Reading in this order needs `window` chunks in memory, and no permutation of all samples.
local torch = require 'torch'
local seed = require 'feed.seed'

local Order = {}
Order.__index = Order

--- @param n        samples
-- @param options   seed, shuffle, chunk (nil: shuffle all samples together), window
function Order.new(n, options)
   return setmetatable({ n = n, seed = options.seed, shuffle = options.shuffle, chunk = options.chunk, window = options.window },
      Order)
end

-- The chunks of this epoch in their order, and the samples before each window. All windows have equally many, except the one
-- with the last, short chunk.
local function begin(self, epoch)
   self.epoch, self.window_at = nil, nil                      -- set at the end, because memory may run out and Ctrl-C may come
   if self.shuffle and not self.chunk then
      self.numbers = seed.permutation(self.n, self.seed, epoch, 0)
   elseif self.shuffle then
      local count = math.ceil(self.n / self.chunk)
      self.chunks, self.short = seed.permutation(count, self.seed, epoch, 0), nil
      for k = 1, count do if self.chunks[k] == count then self.short = k end end
   end
   self.epoch = epoch
end

-- The first place of window w (both from 0).
local function first_of(self, w)
   local chunks = w * self.window
   local first = chunks * self.chunk
   if chunks >= self.short then first = first - (-self.n) % self.chunk end
   return math.min(first, self.n)
end

local function window_numbers(self, w)
   local first, last = first_of(self, w), first_of(self, w + 1)
   local plain, at = torch.LongTensor(last - first), 1
   for k = w * self.window + 1, math.min((w + 1) * self.window, self.chunks:size(1)) do
      local sample = (self.chunks[k] - 1) * self.chunk + 1
      local n = math.min(self.chunk, self.n - sample + 1)
      plain:narrow(1, at, n):range(sample, sample + n - 1)
      at = at + n
   end
   return plain:index(1, seed.permutation(last - first, self.seed, self.epoch, w + 1)), first
end

-- Copies the part of window w in the places [p, p + n) to `out`; returns its end.
local function take(self, w, out, p, n, done)
   if self.window_at ~= w then
      self.window_at = nil
      self.numbers, self.first = window_numbers(self, w)
      self.window_at = w
   end
   local at = p + done - self.first
   local k = math.min(n - done, self.numbers:size(1) - at)
   out:narrow(1, done + 1, k):copy(self.numbers:narrow(1, at + 1, k))
   return done + k
end

--- The numbers of the n samples from place p on (from 0) of an epoch, as a LongTensor.
function Order:at(epoch, p, n)
   if epoch ~= self.epoch then begin(self, epoch) end
   local out = torch.LongTensor(n)
   if not self.shuffle then return out:range(p + 1, p + n) end
   if not self.chunk then return out:copy(self.numbers:narrow(1, p + 1, n)) end
   local done, w = 0, math.floor(p / (self.window * self.chunk))
   while done < n do
      while p + done >= first_of(self, w + 1) do w = w + 1 end
      done = take(self, w, out, p, n, done)
   end
   return out
end

return Order
