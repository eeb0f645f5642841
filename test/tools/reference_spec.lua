-- test/tools/reference_spec.lua - the pages of doc/reference are those that the sources give; doc/README.md leads to all pages.
-- runs once
local function read(file)
   local f = io.open(file)
   local text = f and f:read '*a'
   if f then f:close() end
   return text
end

describe('doc/reference', function()
   it('is what ./dev docs writes: run it when this fails', function()
      local pages, stale = require 'doc.reference'.pages(), {}
      local count = 0
      for name, text in pairs(pages) do
         count = count + 1
         if read('doc/reference/' .. name) ~= text then stale[#stale + 1] = name end
      end
      table.sort(stale)
      assert.equal('', table.concat(stale, ' '))
      assert.equal(require 'doc.reference'.devices and 9 or 8, count)
   end)

   it('has every public name once, but for what a class inherits', function()
      local seen, doc = {}, require 'torch.doc'
      for _, text in pairs(require 'doc.reference'.pages()) do
         for key in text:gmatch '\n###+ (%S+)\n' do
            assert.is_nil(seen[key], key)
            seen[key] = true
         end
      end
      for _, key in ipairs(doc.names()) do assert.is_true(seen[key] or doc.entry(key).inherited, key) end
   end)

   it('depends on nothing but the sources', function()
      for name, text in pairs(require 'doc.reference'.pages()) do
         assert.is_nil(text:find('/build/', 1, true), name)
         assert.is_nil(text:find(os.getenv 'PWD' or '/nowhere', 1, true), name)
      end
   end)
end)

describe('doc/README.md', function()
   it('leads to every page, and only to pages that are there', function()
      local index = read 'doc/README.md'
      for path in index:gmatch '%]%(([^)#]+)' do assert.truthy(read('doc/' .. path), path) end
      local list = io.popen 'cd doc && ls *.md add/*.md internals/*.md reference/*.md'
      for path in list:lines() do
         if path ~= 'README.md' then assert.truthy(index:find('](' .. path .. ')', 1, true), path .. ' is not linked') end
      end
      list:close()
   end)
end)
