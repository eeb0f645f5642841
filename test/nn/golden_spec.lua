-- test/nn/golden_spec.lua - recorded results of Torch7's convolution modules, compared with each convolution engine.
local torch = require 'torch'

local TH, GOLDEN = os.getenv 'TH' or 'build/bin/th', os.getenv 'TH_GOLDEN' or '../shared/golden'

local f = io.open(GOLDEN .. '/check.lua')
if f then f:close() end

describe('the convolution modules of Torch7', function()
   for _, engine in ipairs(torch.conv.engines()) do
      local title = ('compute what was recorded, with the engine %s wherever it can'):format(engine)
      if not f then
         pending(title .. ': ' .. GOLDEN .. ' is not here')
      else
         it(title, function()
            local p = io.popen(("TH_CONV_ENGINE=%s TH_UNSAFE_LOAD=1 '%s' '%s/check.lua' -q Convolution 2>&1"):format(engine, TH, GOLDEN))
            local text = p:read '*a'
            p:close()
            local passed, failed = text:match 'golden: (%d+) passed, (%d+) failed of %d+%s*$'
            assert.equal('0', failed, text)
            assert.is_true(tonumber(passed) > 200, text)
         end)
      end
   end
end)
