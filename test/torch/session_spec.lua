-- test/torch/session_spec.lua - a session of the prompt with typical mistakes, in a terminal; test/session.lua records it.
-- runs once
local pty = require 'test.support.pty'
local session = require 'test.support.session'

local function transcript()
   local f = assert(io.open 'test/torch/session.txt')
   local text = f:read '*a'
   f:close()
   return text
end

describe('a session of the prompt', function()
   if not pty.there() then return pending 'needs terminals: mount /dev/pts' end
   it('answers forty typical mistakes as recorded', function()
      local expected = transcript()
      local lines = session.inputs(expected)
      assert.is_true(#lines >= 40)
      assert.equal(expected, session.play(os.getenv 'TH' or 'build/bin/th', lines))
   end)
   it('shows an answer that changes', function()
      local played = session.play(os.getenv 'TH' or 'build/bin/th', { 'torch.onse(2)' })
      assert.matches('did you mean torch%.ones%?', played)
      assert.not_equal('th> torch.onse(2)\n', played)
   end)
end)
