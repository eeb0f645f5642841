-- test/tools/environment_spec.lua - the table of environment variables, the sources that read them, and their page.
-- runs once
local environment = require 'torch.environment'

local function lines(command)
   local p, list = assert(io.popen(command)), {}
   for line in p:lines() do list[#list + 1] = line end
   p:close()
   return list
end

local TEXTS = "--include='*.c' --include='*.h' --include='*.cc' --include='*.cu' --include='*.cuh' --include='*.lua'"

-- The variables that files in these folders name as texts: name -> file.
local function named(folders)
   local found = {}
   for _, line in ipairs(lines(("grep -rnoE %s \"['\\\"]TH_[A-Z0-9_]*[A-Z0-9]['\\\"]\" %s"):format(TEXTS, folders))) do
      local file, name = line:match '^([^:]+):%d+:.(TH_[A-Z0-9_]+).$'
      if file ~= 'lua/torch/environment.lua' then found[name] = file end
   end
   return found
end

-- The variables that specs and tools read.
local function read_by_specs()
   local found = {}
   for _, line in ipairs(lines(('grep -rnoE %s "getenv ?\\(?[^A-Za-z]TH_[A-Z0-9_]+" test bench doc examples cmake'):format(TEXTS))) do
      local file, name = line:match '^([^:]+):.-(TH_[A-Z0-9_]+)$'
      found[name] = file
   end
   return found
end

describe('the table of environment variables', function()
   it('has each variable that a source names', function()
      local missing = {}
      for _, found in ipairs { named 'lib cunn lua nn', read_by_specs() } do
         for name, file in pairs(found) do
            if not environment.known()[name] then missing[#missing + 1] = name .. ' of ' .. file end
         end
      end
      table.sort(missing)
      assert.equal('', table.concat(missing, '\n'))
   end)

   it('has no variable that no source names', function()
      local used, idle = named 'lib cunn lua nn', {}
      local specs = read_by_specs()
      for name in pairs(environment.known()) do if not used[name] and not specs[name] then idle[#idle + 1] = name end end
      table.sort(idle)
      assert.equal('', table.concat(idle, '\n'))
   end)

   it('says of each what it may be and what it does', function()
      for name, row in pairs(environment.known()) do
         assert.equal(4, #row, name)
         assert.is_true(#row[2] > 0 and #row[4] >= 6, name)
      end
   end)
end)

describe('torch.environment.get', function()
   it('is the one function of Lua that reads a variable of Cresset, as th_environment is that of C', function()
      assert.same({}, lines("grep -rnE \"getenv ?\\(?['\\\"]TH_|os.getenv\\(variable\\)|find\\(os.getenv\\)\" lua nn cunn lib " .. TEXTS))
   end)

   it('refuses a variable of Cresset that is not in the table', function()
      local ok, why = pcall(function() return (environment.get('TH_' .. 'NO_SUCH_VARIABLE')) end)
      assert.is_false(ok)
      assert.matches('environment_spec.lua:%d+: torch.environment: TH_NO_SUCH_VARIABLE is not in the table', why)
   end)

   it('returns the value, nil where there is none, and other variables as they are', function()
      assert.equal(os.getenv 'HOME', environment.get 'HOME')
      assert.equal(os.getenv 'TH_CPU', environment.get 'TH_CPU')
      assert.is_nil(environment.get 'TH_CUDA_EMU_DOMAIN')
   end)
end)

describe('doc/environment.md', function()
   it('is what ./dev docs writes', function()
      local f = assert(io.open 'doc/environment.md')
      local text = f:read '*a'
      f:close()
      assert.equal(require 'doc.environment'.text(), text)
   end)
end)
