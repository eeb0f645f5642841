-- test/tools/site_spec.lua - the pages that doc/site/build.lua writes: links, anchors, names, nesting, the index of the search.
-- runs once
local doc = require 'torch.doc'
local paths = require 'paths'
local shell = require 'test.support.shell'
local build = require 'doc.site.build'
local output = require 'doc.site.output'
local reader = require 'test.support.html'

local function unescape(text) return (text:gsub('&quot;', '"'):gsub('&lt;', '<'):gsub('&gt;', '>'):gsub('&amp;', '&')) end

local function sorted(list)
   table.sort(list)
   return table.concat(list, '\n')
end

describe('build/site', function()
   local files, site, pages = nil, nil, {}
   setup(function()
      files, site = build.files()
      for name, text in pairs(files) do if name:match '%.html$' then pages[name] = reader.read(text) end end
   end)

   it('nests its elements, quotes attributes and has each id of a page once', function()
      local faults, count = {}, 0
      for name, page in pairs(pages) do
         count = count + 1
         for _, fault in ipairs(page.faults) do faults[#faults + 1] = name .. ': ' .. fault end
      end
      assert.equal('', sorted(faults))
      assert.is_true(count > 100, count)
   end)

   it('has links that lead to pages and anchors which exist', function()
      local wrong, count = {}, 0
      for name, page in pairs(pages) do
         for _, link in ipairs(page.links) do
            if not link:match '^https?:' then
               local path, anchor = unescape(link):match '^([^#]*)#?(.*)$'
               local target = path == '' and name or path
               if path ~= '' then
                  local folder = name:match '^(.*/)' or ''
                  target = folder .. path
                  while target:find '[^/]+/%.%./' do target = target:gsub('[^/]+/%.%./', '', 1) end
               end
               count = count + 1
               if not pages[target] or anchor ~= '' and not pages[target].ids[anchor] then wrong[#wrong + 1] = name .. ' -> ' .. link end
            end
         end
      end
      assert.equal('', sorted(wrong))
      assert.is_true(count > 5000, count)
   end)

   it('has an anchor for every public name', function()
      local missing = {}
      for _, key in ipairs(doc.names()) do
         local page, anchor = (site.urls[key] or 'nowhere#'):match '^([^#]*)#(.*)$'
         if not pages[page] or not pages[page].ids[anchor] or anchor ~= key then missing[#missing + 1] = key end
      end
      assert.equal('', sorted(missing))
   end)

   it('has every public name in the index of the search, and in the list by letter', function()
      local index, missing = {}, {}
      for name in files['search.js']:match 'names: %[\n(.-)\n%],\n':gmatch '%["([^"]+)",%d+,' do index[name] = true end
      local linked = {}
      for _, link in ipairs(pages['reference/names.html'].links) do linked[link:match '#(.*)$' or ''] = true end
      for _, key in ipairs(doc.names()) do
         if not index[key] or not linked[key] then missing[#missing + 1] = key end
      end
      assert.equal('', sorted(missing))
   end)

   it('has every page of doc/ in its navigation', function()
      local linked = {}
      for _, link in ipairs(pages['index.html'].links) do linked[link] = true end
      local list = io.popen 'ls doc/*.md doc/add/*.md doc/internals/*.md doc/reference/*.md README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md'
      for path in list:lines() do
         local page = site.by_path[path]
         if path ~= 'doc/README.md' and (page or not path:match 'cutorch') then assert.is_true(linked[page and page.address], path) end
      end
      list:close()
   end)

   it('asks for nothing outside of its folder', function()
      for name, page in pairs(pages) do
         for _, list in ipairs { page.sources, page.pictures } do
            for _, source in ipairs(list) do
               local file = source:gsub('^%.%./', ''):gsub('^%.%./', ''):gsub('^%.%./', '')
               assert.is_truthy(source:match '^data:' or files[file] or source:match '^%.%./' and files[file:match '[^/]+/[^/]+$' or ''], name .. ': ' .. source)
            end
         end
      end
      for _, name in ipairs { 'style.css', 'site.js' } do assert.is_nil(files[name]:find 'https?://', name) end
   end)

   it('has the same bytes when it is built again', function()
      local again = build.files()
      for name, text in pairs(files) do assert.is_true(again[name] == text, name) end
      for name in pairs(again) do assert.is_truthy(files[name], name) end
   end)

   it('names no folder of this machine', function()
      local here = paths.cwd()
      for name, text in pairs(files) do assert.is_nil(text:find(here, 1, true), name) end
   end)
end)

describe('the checker of pages', function()
   it('finds what is wrong', function()
      local function faults(text) return table.concat(reader.read('<!doctype html>\n' .. text).faults, '; ') end
      assert.equal('', faults '<p id="a">b &amp; <img src="x" alt=""></p>')
      assert.matches('</p> closes <b>', faults '<p><b>a</p>')
      assert.matches('open at the end: div', faults '<div>')
      assert.matches('the id a occurs twice', faults '<p id="a"></p><p id="a"></p>')
      assert.matches('a inside of a', faults '<a href="x"><a href="y">b</a></a>')
      assert.matches('ul inside of p', faults '<p><ul></ul></p>')
      assert.matches('& must begin an entity', faults '<p>a & b</p>')
      assert.matches('img must have alt', faults '<img src="x">')
      assert.matches('a text holds <', faults '<p>a < b</p>')
   end)
end)

describe('doc/site/build.lua', function()
   local TH = os.getenv 'TH' or 'build/bin/th'
   local folder
   local function run(arguments)
      return shell.run(("'%s' doc/site/build.lua %s"):format(TH, arguments))
   end
   before_each(function()
      folder = os.tmpname()
      os.remove(folder)
      assert(paths.mkdir(folder))
   end)
   after_each(function() os.execute(("rm -r '%s'"):format(folder)) end)

   it('writes the files and says how far it is', function()
      local out, status = run('-to ' .. folder .. '/site')
      assert.equal(0, status, out)
      assert.matches('site: %d+ pages by hand, %d+ of the reference\nsite: the search finds %d+ names\nsite: %d+ files of [%d%.]+ MB in', out)
      local f = assert(io.open(folder .. '/site/index.html'))
      assert.equal(build.files()['index.html'], f:read '*a')
      f:close()
   end)

   it('refuses options that it does not have', function()
      assert.same({ "site: there is no option '-from', only -to FOLDER\n", 1 }, { run '-from x' })
      assert.same({ 'site: -to must have a folder behind it, got nothing\n', 1 }, { run '-to' })
      assert.same({ 'site: -to must have a folder behind it, got nothing\n', 1 }, { run "-to ''" })
   end)

   it('refuses a file, a folder that cannot be made, and one with files of others', function()
      local f = assert(io.open(folder .. '/mine.txt', 'w'))
      f:close()
      assert.same({ ('site: -to must be a folder, got %s/mine.txt\n'):format(folder), 1 }, { run('-to ' .. folder .. '/mine.txt') })
      assert.same({ ('site: -to must be a folder that can be made, got %s/mine.txt/a\n'):format(folder), 1 }, { run('-to ' .. folder .. '/mine.txt/a') })
      assert.same({ ('site: -to must be empty, or a folder that an earlier run wrote, got %s\n'):format(folder), 1 }, { run('-to ' .. folder) })
      assert.is_true(paths.filep(folder .. '/mine.txt'))
   end)

   it('refuses a folder that cannot be written', function()
      local id = io.popen 'id -u'
      local user = id:read '*l'
      id:close()
      if user == '0' then return pending 'root may write into every folder' end
      assert(paths.mkdir(folder .. '/locked'))
      os.execute(('chmod 555 %s/locked'):format(folder))
      assert.same({ ('site: -to must be a folder that can be written, got %s/locked\n'):format(folder), 1 }, { run('-to ' .. folder .. '/locked') })
   end)

   it('says which file cannot be written', function()
      local ok, why = pcall(output.write, folder .. '/absent', { ['a.html'] = 'b' })
      assert.is_false(ok)
      assert.matches('^site: cannot write .*/absent/%.files: ', why)
   end)

   it('removes what an earlier run wrote, and nothing else', function()
      output.check(folder)
      output.write(folder, { ['a.html'] = '1', ['b/c.html'] = '2' })
      local f = assert(io.open(folder .. '/mine.txt', 'w'))
      f:close()
      output.check(folder)
      assert.same({ 1, 1 }, { output.write(folder, { ['a.html'] = '3' }) })
      assert.is_false(paths.filep(folder .. '/b/c.html'))
      assert.is_true(paths.filep(folder .. '/mine.txt'))
   end)

   it('does not follow a list that names files elsewhere', function()
      local victim = folder .. '/victim.txt'
      assert(io.open(victim, 'w')):close()
      assert(paths.mkdir(folder .. '/site'))
      local f = assert(io.open(folder .. '/site/.files', 'w'))
      f:write('../victim.txt\n', victim, '\n')
      f:close()
      output.check(folder .. '/site')
      output.write(folder .. '/site', { ['a.html'] = '1' })
      assert.is_true(paths.filep(victim))
   end)
end)
