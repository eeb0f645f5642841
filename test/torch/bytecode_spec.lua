-- torch.bytecode: files of our packages that the build has compiled.
local bytecode = require 'torch.bytecode'
local launch = require 'torch.launch'
local temporary = require 'test.support.temporary'

describe('torch.bytecode', function()
   local path = temporary.name '.bytecode'
   local front = launch.front
   local text = table.concat({ 'local name = ...',
      'local t = { a = 1, b = "two", c = { 3, 4 }, d = 2 ^ 40 }',
      'local function fail() error("no " .. name) end',
      'return { t = t, fail = fail, kind = type(t), line = 1e300, big = 7ULL }' }, '\n')

   local function put(bytes)
      local f = assert(io.open(path, 'wb'))
      f:write(bytes)
      f:close()
   end

   -- Files with these texts, by the names of their modules.
   local folder = temporary.name '.texts'
   local function text_file(name, bytes)
      os.execute(("mkdir -p '%s/%s'"):format(folder, name:match '^(.*)/[^/]*$'))
      local f = assert(io.open(folder .. '/' .. name, 'wb'))
      f:write(bytes)
      f:close()
      return folder .. '/' .. name
   end

   local function packed()
      return bytecode.pack({ { 'made/part.lua', text }, { 'made/init.lua', 'return 5' } }, front)
   end

   after_each(function() bytecode.open(front) end)
   teardown(function()
      os.remove(path)
      os.execute(("rm -rf '%s'"):format(folder))
   end)

   it('gives the chunk of a file with the same text, and its lines in errors', function()
      put(packed())
      assert.is_true(bytecode.open(front, path))
      local name = text_file('made/part.lua', text)
      local f = bytecode.chunk('made.part', name)
      local r = f 'part'
      assert.same({ 1, 'two', { 3, 4 }, 2 ^ 40, 'table', 1e300 },
         { r.t.a, r.t.b, r.t.c, r.t.d, r.kind, r.line })
      assert.is_true(r.big == 7ULL)
      local ok, why = pcall(r.fail)
      assert.is_false(ok)
      assert.equal(name .. ':3: no part', why)
      assert.equal('@' .. name, debug.getinfo(f, 'S').source)
      assert.equal(5, bytecode.chunk('made', text_file('made/init.lua', 'return 5'))())
   end)

   it('gives a long name of a file whole', function()
      put(packed())
      bytecode.open(front, path)
      local name = text_file(('folder/'):rep(40) .. 'made/part.lua', text)
      assert.equal('@' .. name, debug.getinfo(bytecode.chunk('made.part', name), 'S').source)
   end)

   it('gives nothing for another text, another name or no file', function()
      put(packed())
      bytecode.open(front, path)
      local function chunk(name, file, bytes)
         return bytecode.chunk(name, text_file(file, bytes))
      end
      assert.is_nil(chunk('made.part', 'made/part.lua', text .. ' '))
      assert.is_nil(chunk('made.part', 'made/part.lua', text:sub(1, -2)))
      assert.is_nil(chunk('made.part', 'made/part.lua', (text:gsub('two', 'TWO'))))
      assert.is_nil(chunk('made.part', 'made/part.lua', ''))
      assert.is_nil(chunk('made.other', 'made/other.lua', text))
      assert.is_nil(chunk('made', 'made.lua', 'return 5'))
      assert.is_nil(chunk('mad.%s part', 'x.lua', text))
      assert.is_nil(bytecode.chunk('made.part', folder .. '/none/part.lua'))
      assert.is_nil(bytecode.chunk('made.part', folder))
   end)

   it('opens no file of another LuaJIT or with another first line', function()
      local bytes = packed()
      put((bytes:gsub(jit.version:gsub('%p', '%%%0'), 'LuaJIT 9.9', 1)))
      assert.is_false(bytecode.open(front, path))
      assert.is_nil(bytecode.chunk('made.part', text_file('made/part.lua', text)))
      put(bytecode.pack({ { 'made/part.lua', text } }, 'local x '))
      assert.is_false(bytecode.open(front, path))
      put('Cresset bytecode 2' .. bytes:sub(19))
      assert.is_false(bytecode.open(front, path))
   end)

   it('takes nothing from a file that is cut off anywhere', function()
      local bytes, name = packed(), text_file('made/part.lua', text)
      for size = 0, #bytes - 1, 7 do
         put(bytes:sub(1, size))
         if bytecode.open(front, path) then
            local f = bytecode.chunk('made.part', name)
            assert.is_true(f == nil or #bytes - size < 200)
            if f then assert.equal('two', f 'x'.t.b) end
         end
      end
   end)

   it('has the bytecode of each file of this build', function()
      local folder = os.getenv 'TH_LIB'
      local f = folder and io.open(folder:match '^(.*/)' .. 'th.bytecode', 'rb')
      if not f then
         pending 'this build has no bytecode'
         return
      end
      f:close()
      assert.is_true(bytecode.open(front))
      local file = package.searchpath('torch.bytecode', package.path)
      assert.is_function(bytecode.chunk('torch.bytecode', file))
   end)
end)
