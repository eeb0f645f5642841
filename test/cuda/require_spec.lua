-- test/cuda/require_spec.lua - what require 'cutorch' and require 'cunn' say where this build has no CUDA library.
-- runs once: the message does not depend on the level
local lib = require 'torch.lib'
local temporary = require 'test.support.temporary'

local th = os.getenv 'TH' or 'build/bin/th'

describe("require 'cutorch' and require 'cunn' without a CUDA library", function()
   -- A folder that has libth and nothing beside it.
   local function run(code)
      local folder = os.tmpname()
      os.remove(folder)
      os.execute(("mkdir '%s' && ln -s \"$(realpath '%s')\" '%s/libth.so'"):format(folder, lib.path, folder))
      local f = io.popen(("TH_CUDA=gpu TH_LIB='%s/libth.so' %s '%s' 2>&1"):format(folder, th, temporary.put(code, '.lua')))
      local text = f:read '*a'
      f:close()
      os.execute(("rm -r '%s'"):format(folder))
      return text
   end

   it('say the same each time', function()
      local text = run [[
         for _, name in ipairs { 'cutorch', 'cunn', 'cutorch', 'cunn' } do print(select(2, pcall(require, name))) end
      ]]
      local first = text:match '^[^\n]*\n'
      assert.matches('^cutorch: there is no .*/libthcuda%.so: this build has no CUDA backend', first)
      assert.equal(first:rep(4), text)
   end)
end)
