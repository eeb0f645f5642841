-- test/tools/doc_spec.lua - every Lua example of README and doc/ runs, and `-->` says what it prints.
-- runs once
local ffi = require 'ffi'
local paths = require 'paths'
local pictures = require 'doc.pictures'

local TH = os.getenv 'TH' or 'build/bin/th'

local function pages()
   local list = { 'README.md' }
   local p = io.popen 'ls doc/*.md doc/add/*.md doc/internals/*.md'
   for name in p:lines() do list[#list + 1] = name end
   p:close()
   return list
end

local has_png = pcall(ffi.load, os.getenv 'TH_PNG' or 'libpng16.so.16')
local drawn = {}                             -- the pictures that blocks have saved: name -> pixels
local draws = {}                             -- pages with pictures
for _, page in ipairs(pictures.pages) do draws[page] = true end

local count = 0
for _, page in ipairs(pages()) do
   local folder = not draws[page] and '.' or nil
   for _, block in ipairs(pictures.blocks(page)) do
      count = count + 1
      describe(('%s, line %d'):format(page, block.line), function()
         it('runs and prints what it says', function()
            if block.text:find('.png', 1, true) and not has_png then return pending 'libpng is not installed' end
            local out, status, saved = pictures.run(TH, block.text, folder)
            assert.equal(0, status, out)
            for name, x in pairs(saved) do drawn[name] = x end
            out = out:gsub('\t', '  ')                  -- pages hold no tabs
            local from = 1
            for want in block.text:gmatch '%-%->%s*([^\n]*)' do
               local first, last = out:find(want, from, true)
               assert.is_truthy(first, ('expected %q in what it printed: %q'):format(want, out))
               from = last + 1
            end
         end)
      end)
   end
end

describe('doc/pictures/', function()
   local kept, shown, bytes = {}, {}, 0
   setup(function()
      for name in paths.files(pictures.folder) do
         if name:match '%.png$' then
            kept[name] = true
            local f = assert(io.open(pictures.folder .. '/' .. name))
            bytes = bytes + f:seek 'end'
            f:close()
         end
      end
      for _, page in ipairs(pictures.pages) do
         local f = assert(io.open(page))
         for name in f:read('*a'):gmatch '!%[[^%]]+%]%(pictures/([^)]+)%)' do shown[name] = true end
         f:close()
      end
   end)
   it('has what the blocks of the pages draw: ./dev docs draws it anew', function()
      if not has_png then return pending 'libpng is not installed' end
      local names = {}
      for name, x in pairs(drawn) do
         names[name] = true
         assert.is_true(pictures.apart(x, pictures.kept(name)) == 0, name)
      end
      for name in pairs(pictures.others) do names[name] = true end
      assert.same(names, kept)
   end)
   it('has no picture that no page shows, and pages show no other', function() assert.same(shown, kept) end)
   it('is small', function() assert.is_true(bytes < 350000, bytes) end)
end)

describe('the documentation', function()
   it('has examples', function() assert.is_true(count >= 2) end)

   it('has a README that leads to files which exist', function()
      local f = assert(io.open 'README.md')
      local text = f:read '*a'
      f:close()
      for path in text:gmatch '`([%w_%-]+/[%w_%-%./]+%.%w+)`' do
         local file = io.open(path)
         assert.is_truthy(file, path .. ' is named in README.md and does not exist')
         file:close()
      end
   end)
end)
