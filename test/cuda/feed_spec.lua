-- test/cuda/feed_spec.lua - batches in pinned memory of the host.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local feed = require 'feed'
local C = require 'torch.lib'.C
local device = require 'test.support.cuda.device'

if device.missing('batches in pinned memory', describe, pending) then return end

describe('feed.loader{pin = true}', function()
   it('makes batches that lie in pinned memory, made by threads or not', function()
      local set = feed.map(feed.tensors(torch.range(1, 6)), function(x) return { torch.FloatTensor(2):fill(x), { y = x }, 'name' } end)
      for _, workers in ipairs { 0, 2 } do
         local sum = 0
         for batch in feed.loader { dataset = set, batch = 4, workers = workers, pin = true }:epoch() do
            assert.equal(tonumber(C.TH_HOST_PINNED), batch[1]._storage.mapped)
            assert.equal(tonumber(C.TH_HOST_PINNED), batch[2].y._storage.mapped)
            assert.equal('torch.FloatTensor', batch[1]:type())
            assert.equal('name', batch[3][1])
            assert.equal(batch[1]:sum(), batch[1]:cuda():sum())
            sum = sum + batch[2].y:sum()
         end
         assert.equal(21, sum)
      end
   end)
end)
