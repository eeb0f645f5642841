-- test/tools/leaks_spec.lua - runs one program of test/leaks.lua. `./dev check --long` runs all of them.
-- runs once, on the plain build: two sanitizers cannot watch one process
local TH = os.getenv 'TH' or 'build/bin/th'

describe('test/leaks.lua', function()
   it('finds that a program with threads frees what it allocates', function()
      local p = io.popen(("timeout 300 '%s' test/leaks.lua -only workers 2>&1; echo status $?"):format(TH))
      local out = p:read '*a'
      p:close()
      if out:find 'has no liblsan.so' then return pending 'gcc has no liblsan.so' end
      assert.equal('soak: workers    nothing is lost\nleaks: 1 programs, 0 with a leak\nstatus 0\n', out)
   end)
end)
