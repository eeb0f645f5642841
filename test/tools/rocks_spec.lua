-- test/tools/rocks_spec.lua - the rocks: each folder of Lua files is in one, and each names the rocks that it needs.
-- runs once
local bundled = { torch = true }                  -- what the rock torch brings
for name in ('paths sys xlua trepl env dok cwrap'):gmatch '%S+' do bundled[name] = true end

-- What a package can do without: it says so, or the program has required it before. The rock image needs feed.
local optional = { nn = { cutorch = true }, distributed = { cutorch = true }, feed = { cutorch = true, image = true }, loadcaffe = { cudnn = true } }

local function lines(command)
   local p, list = io.popen(command), {}
   for line in p:lines() do list[#list + 1] = line end
   p:close()
   return list
end

local rocks, home, path_of = {}, {}, {}           -- name -> { packages, needs }; package -> rock, its files
for _, path in ipairs(lines 'ls rocks/*.rockspec') do
   local spec = {}
   setfenv(assert(loadfile(path)), spec)()
   local rock = { packages = {}, needs = {}, path = path, spec = spec }
   local command = spec.build.install_command or ''
   if command:find('cp -R ', 1, true) then
      for word in command:match 'cp %-R ([^"]+)':gmatch '%S+' do
         local name = word:match '^lua/(%w+)$' or word:match '^lua/(%w+)%.lua$' or word
         rock.packages[#rock.packages + 1], home[name], path_of[name] = name, spec.package, word
      end
   end
   for _, need in ipairs(spec.dependencies) do rock.needs[need:match '^[%w]+'] = true end
   rocks[spec.package] = rock
end

-- Whether a rock or those that it needs bring a package.
local function brings(rock, name)
   if bundled[name] or rock == home[name] then return true end
   for need in pairs(rocks[rock].needs) do
      if rocks[need] and need ~= 'torch' and brings(need, name) then return true end
   end
   return false
end

describe('the rocks', function()
   it('have names that are those of their files, and need rocks that are there', function()
      for name, rock in pairs(rocks) do
         assert.equal(('rocks/%s-scm-1.rockspec'):format(name), rock.path)
         for need in pairs(rock.needs) do assert.is_true(need == 'lua' or rocks[need] ~= nil, name .. ' needs ' .. need) end
      end
   end)

   it('can be made one after the other: none needs one that needs it', function()
      local made, list = { lua = true }, {}
      local function make(name, above)
         assert.is_nil(above[name], name .. ' needs itself')
         above[name] = true
         for need in pairs(rocks[name].needs) do
            if not made[need] then make(need, above) end
         end
         above[name], made[name] = nil, true
         list[#list + 1] = name
      end
      for name in pairs(rocks) do
         if not made[name] then make(name, {}) end
      end
      assert.is_true(#list > 20)
   end)

   it('hold each package of the tree once', function()
      for _, name in ipairs(require 'torch.launch'.packages) do
         assert.is_true(bundled[name] ~= nil or home[name] ~= nil, name)
      end
   end)

   it('need the rocks whose packages their files require', function()
      local seen = 0
      for package, rock in pairs(home) do
         for _, line in ipairs(lines(("grep -rhoE \"require *\\(?['\\\"][a-z0-9]+[.'\\\"]\" '%s'"):format(path_of[package]))) do
            local name = line:match '([a-z0-9]+)[.\'"]$'
            if home[name] and not (optional[package] or {})[name] then
               seen = seen + 1
               assert.is_true(brings(rock, name), ('%s requires %s'):format(package, name))
            end
         end
      end
      assert.is_true(seen > 100)
   end)
end)
