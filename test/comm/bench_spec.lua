-- test/comm/bench_spec.lua - the benchmarks of dist, with small sizes.
-- runs once
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

describe('bench/dist.lua', function()
   it('measures all-reduce beside others', function()
      local status, out = ranks.sh(("'%s' bench/dist.lua -alone -largest 256 -seconds 0.01"):format(ranks.th))
      assert.equal(0, status)
      assert.matches('|     1024 | +[%d.]+ | +%- | +%- |', out)
   end)

   it('measures what DataParallel hides, as the host is and with a slow link', function()
      local status, out, err = ranks.sh(("'%s' bench/dist.lua -overlap yes -layers 3 -width 32 -batch 8 -seconds 0.05 -link 0.5")
         :format(ranks.th))
      assert.equal(0, status, err)
      assert.matches('2 ranks, 3 layers of 32 x 32, 8 samples each', out)
      assert.matches('| as it is     | +[%d.]+ | +[%d.]+ | +[%d.]+ | +%d+ %% |', out)
      -- 3 layers of 32 * 33 floats: 25 ms at half a megabyte a second, however fast the host is.
      local transfer, both = out:match '| 0.5 MB/s     | +[%d.]+ | +([%d.]+) | +([%d.]+) |'
      assert.is_true(tonumber(transfer) >= 25 and tonumber(both) >= 25, out)
   end)
end)

describe('bench/dist_schemes.lua', function()
   it('measures all schemes beside one process, draws them, and compares with the big batch', function()
      local picture = temporary.name '.svg'
      local status, out, err = ranks.sh(("'%s' bench/dist_schemes.lua -ranks 2 -epochs 1 -turns 1 -svg '%s'")
         :format(ranks.th, picture))
      assert.equal(0, status, err)
      assert.matches('| one process |     1 | +%d+ |    1.00 |      100 %% | +[%d.]+ | +[%d.-]+ |', out)
      for _, scheme in ipairs { 'allreduce', 'syncps', 'downpour', 'ssp', 'easgd', 'eamsgd' } do
         assert.matches(scheme .. ' +|     2 | +%d+ | +[%d.]+ | +%d+ %% | +[%d.]+ | +[%d.-]+ |', out)
      end
      for _, scheme in ipairs { 'allreduce', 'syncps' } do
         assert.matches(scheme .. ', 2 ranks: after 20 steps none of 9658 parameters is further than %S+ '
            .. 'from those of the big batch: right', out)
      end
      local _, bars = temporary.get(picture):gsub('<rect', '')
      assert.equal(1 + 1 + 6, bars)                 -- the ground, a legend, six schemes
   end)
end)

teardown(temporary.remove)
