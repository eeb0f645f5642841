-- test/comm/package_spec.lua - the package dist: programs require it, and its submodules, by the names of dist; its files are
-- in lua/distributed.
-- runs once
local TH = os.getenv 'TH' or 'build/bin/th'

local function run(script)
   local p = io.popen(("'%s' -e \"%s\" 2>&1"):format(TH, script))
   local out = p:read '*a'
   p:close()
   return out
end

describe("require 'dist'", function()
   it('gives one table, under each of its names and as the global', function()
      for _, first in ipairs { 'dist', 'distributed', 'distributed.core' } do
         assert.equal('true\ttrue\ttrue\n', run(([[
            local first, d = require '%s', require 'dist'
            print(first == d and d == require 'distributed', d == _G.dist, d.Pipeline ~= nil and d.lbfgs ~= nil)]]):format(first)))
      end
   end)

   it('loads each submodule once, under its two names', function()
      assert.equal('true\n', run [[
         require 'dist'
         local same = 0
         for name, file in pairs{ lib = 'lib', compress = 'compress', agree = 'collective_check', optim = 'optim',
                                  twins = 'pipeline.replicas', tables = 'layers.lookup_tables' } do
            local m = require('distributed.' .. file)
            if m == require('dist.' .. name) then same = same + 1 end
         end
         print(same == 6)]])
   end)
end)
