-- test/tools/attack_spec.lua - ./dev attack finds planted faults, shows the smallest case, and counts its cases.
-- runs once, on the plain build
local paths = require 'paths'
local th = os.getenv 'TH'

local made = {}
local function new_folder()
   local name = os.tmpname()
   os.remove(name)
   assert(paths.mkdir(name))
   made[#made + 1] = name
   return name
end

local function attack(options)
   local name = os.tmpname()
   local status = os.execute(("'%s' test/attack.lua %s >%s 2>&1"):format(th, options, name))
   local f = assert(io.open(name))
   local text = f:read '*a'
   f:close()
   os.remove(name)
   return text, status / 256
end

-- A folder with a campaign of that text.
local function planted(text)
   local folder = new_folder()
   local f = assert(io.open(folder .. '/lua.lua', 'w'))
   f:write("package.path = './?.lua;' .. package.path local child = require 'test.attack.child' ", text)
   f:close()
   return folder
end

describe('an attack', function()
   it('counts its cases, and ends with status 0 where it found nothing', function()
      local text, status = attack('-minutes 0.02 -seed 5 -only lua -folder ' .. planted 'child.run(function() end)')
      assert.equal(0, status, text)
      assert.truthy(text:find 'attack: %d+ cases, 0 findings')
   end)
   it('shows a case that went wrong, and ends with status 1', function()
      local text, status = attack('-minutes 0.02 -seed 5 -only lua -folder '
         .. planted "child.run(function(n) if n % 7 == 0 then return 'a planted fault' end end)")
      assert.equal(1, status, text)
      assert.truthy(text:find('lua 7: a planted fault', 1, true), text)
      assert.truthy(text:find('lua.lua 7 1 1 ', 1, true), text)
   end)
   it('survives a case that ends its process, and names it', function()
      local text, status = attack('-minutes 0.02 -seed 5 -only lua -folder '
         .. planted "child.run(function(n) if n == 9 then os.exit(77) end end)")
      assert.equal(1, status, text)
      assert.truthy(text:find('lua 9: status 77', 1, true), text)
   end)
   it('draws the same from the same number', function()
      local folder = planted [[child.run(function(n) io.write(n, ' drew ', child.draw(1000), ' ', child.draw(1000), '\n') end)]]
      local function drawn()
         local pipe = io.popen(("'%s' %s/lua.lua 3 1 2 /tmp th"):format(th, folder))
         local text = pipe:read '*a'
         pipe:close()
         return text
      end
      local first = drawn()
      assert.truthy(first:find '3 drew %d+ %d+\nat 4\n4 drew %d+ %d+\n$', first)
      assert.equal(first, drawn())
   end)
   it('refuses campaigns that are not there and options that it does not know', function()
      local text, status = attack '-only nothing'
      assert.equal(1, status)
      assert.truthy(text:find('attack: no campaign is called nothing; -list shows them', 1, true), text)
      text = attack '-minutes x'
      assert.truthy(text:find('attack: -minutes must be a number above 0', 1, true), text)
      text = attack '-speed 3'
      assert.truthy(text:find('attack: unknown option or missing value: -speed', 1, true), text)
   end)
end)

-- A few cases of each campaign, so that its program is known to run; jobs and saves take seconds a case.
describe('a campaign', function()
   for name, count in pairs { calls = 300, files = 60, lua = 1, callbacks = 300, saves = 2, surroundings = 3 } do
      it(('finds nothing in %d cases of %s'):format(count, name), function()
         local folder = new_folder()
         local pipe = io.popen(("'%s' test/attack/%s.lua 1 60 %d '%s' '%s' 2>&1 </dev/null; echo status $?"):format(th, name, count, folder, th))
         local text = pipe:read '*a'
         pipe:close()
         assert.truthy(text:find('status 0', 1, true), text)
         assert.truthy(text:find(('at %d\n'):format(count), 1, true), text)
         assert.is_nil(text:match 'fault [^\n]*')
      end)
   end
end)

teardown(function() for _, name in ipairs(made) do paths.rmall(name, 'yes') end end)
