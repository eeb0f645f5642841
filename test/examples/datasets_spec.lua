-- test/examples/datasets_spec.lua - -data mnist and its like: places, checks, downloads, messages.
-- runs once
local torch = require 'torch'
local ffi = require 'ffi'
local paths = require 'paths'
local datasets = require 'examples.lib.datasets'
local zip = require 'examples.lib.zip'
local refuses = require 'test.support.refuses'

ffi.cdef [[
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
char *realpath(const char *path, char *resolved);
]]

local SUM = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'        -- of abc
local dir, cache, kept

local function put(name, text)
   local f = assert(io.open(dir .. '/' .. name, 'wb'))
   f:write(text)
   f:close()
   return dir .. '/' .. name
end

local function get(name)
   local f = io.open(dir .. '/' .. name, 'rb')
   local text = f and f:read '*a'
   if f then f:close() end
   return text
end

-- A program of that name in the folder bin, which the environment's PATH then holds alone.
local function program(name, text)
   paths.mkdir(dir .. '/bin')
   put('bin/' .. name, '#!/bin/sh\n' .. text)
   assert(os.execute(("chmod +x '%s/bin/%s'"):format(dir, name)) == 0)
end

local function silently(f, ...)
   local old, lines = print, {}
   rawset(_G, 'print', function(...) lines[#lines + 1] = table.concat({ ... }, '\t') end)
   local ok, a, b = pcall(f, ...)
   rawset(_G, 'print', old)
   if not ok then error(a, 0) end
   return a, b, lines
end

before_each(function()
   dir = os.tmpname()
   os.remove(dir)
   paths.mkdir(dir)
   paths.mkdir(dir .. '/cresset')
   paths.mkdir(dir .. '/cresset/little')
   cache = dir .. '/cresset/little'
   kept = { cache = os.getenv 'XDG_CACHE_HOME', path = os.getenv 'PATH' }
   ffi.C.setenv('XDG_CACHE_HOME', dir, 1)
   datasets.sets.little = { title = 'Little', folder = 'little',
      from = { 'http://one/', 'http://two/' },
      files = { { name = 'a.gz', bytes = 3, plain = 2, sha256 = SUM }, { name = 'b', bytes = 4 } } }
end)
after_each(function()
   ffi.C.unsetenv 'XDG_CACHE_HOME'
   if kept.cache then ffi.C.setenv('XDG_CACHE_HOME', kept.cache, 1) end
   ffi.C.setenv('PATH', kept.path, 1)
   datasets.sets.little = nil
   os.execute(("rm -r '%s'"):format(dir))
end)

describe('datasets.find', function()
   it('gives the folder that holds files of a set, and says what it checked', function()
      put('cresset/little/a.gz', 'abc')
      put('cresset/little/b', 'four')
      local folder, line = datasets.find 'little'
      assert.equal(cache, folder)
      local text = 'Little in %s: 2 of 2 files, SHA-256 of 1 checked, sizes of the others'
      assert.equal(text:format(cache), line)
   end)
   it('counts the files that are there', function()
      put('cresset/little/a.gz', 'abc')
      assert.equal(('Little in %s: 1 of 2 files, SHA-256 checked'):format(cache),
                   (select(2, datasets.find 'little')))
   end)
   it('compares the size of an unpacked file', function()
      put('cresset/little/a', 'ab')
      assert.equal(('Little in %s: 1 of 2 files, size checked'):format(cache),
                   (select(2, datasets.find 'little')))
      put('cresset/little/a', 'abc')
      local remedy = '; fetch it again, or use it as it is by -data ' .. cache .. '/'
      refuses(cache .. '/a must have 2 bytes, got 3' .. remedy, datasets.find, 'little')
   end)
   it('refuses another size and another sum, with both', function()
      put('cresset/little/a.gz', 'abcd')
      refuses(cache .. '/a.gz must have 3 bytes, got 4; ', datasets.find, 'little')
      put('cresset/little/a.gz', 'abd')
      local abd = 'a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9'
      refuses(('%s/a.gz must have the SHA-256 %s, got %s; '):format(cache, SUM, abd), datasets.find,
              'little')
   end)
   it('says where the files come from, and where they belong, when there are none', function()
      local why = refuses('-data little: no file of Little is in ./little, ../little, ' .. cache,
                          datasets.find, 'little')
      for _, part in ipairs { 'a.gz, 3 bytes\n      SHA-256 ' .. SUM, '   b, 4 bytes\n',
                              'from http://one/\n  or http://two/\n',
                              '\nPut them into one of these folders.' } do
         assert.truthy(why:find(part, 1, true), why)
      end
      refuses('\nor use -download, for which the program calls curl or wget.', datasets.find,
              'little', false)
   end)
end)

describe('-download', function()
   -- A curl that copies the file `served`; the log has the addresses.
   local CURL = [[
while [ "$1" != --output ]; do shift; done
echo "$3" >>'%s/log'
case "$3" in http://one/*) exit 22;; esac
/bin/cp '%s/served' "$2"
]]
   local function serve(text, name)
      put('served', text)
      program(name or 'curl', CURL:format(dir, dir))
      ffi.C.setenv('PATH', dir .. '/bin', 1)
   end
   it('fetches the missing files from the first address that has them', function()
      put('cresset/little/b', 'four')
      serve 'abc'
      local folder, line = silently(datasets.find, 'little', true)
      assert.equal(cache, folder)
      assert.matches('2 of 2 files', line)
      assert.equal('abc', get 'cresset/little/a.gz')
      assert.equal('http://one/a.gz\nhttp://two/a.gz\n', get 'log')
      assert.is_nil(get 'cresset/little/a.gz.part')
   end)
   it('fetches nothing when all files are there', function()
      put('cresset/little/a.gz', 'abc')
      put('cresset/little/b', 'four')
      ffi.C.setenv('PATH', dir .. '/bin', 1)
      assert.equal(cache, (datasets.find('little', true)))
   end)
   it('makes the folder', function()
      ffi.C.setenv('XDG_CACHE_HOME', dir .. '/new/folder', 1)
      datasets.sets.little.files[2] = nil
      serve 'abc'
      assert.equal(dir .. '/new/folder/cresset/little', (silently(datasets.find, 'little', true)))
   end)
   it('uses wget where there is no curl', function()
      datasets.sets.little.files[2] = nil
      put('served', 'abc')
      program('wget', ('/bin/cp "%s/served" "${2#--output-document=}"\n'):format(dir))
      ffi.C.setenv('PATH', dir .. '/bin', 1)
      silently(datasets.find, 'little', true)
      assert.equal('abc', get 'cresset/little/a.gz')
   end)
   it('keeps no file that is not the published one', function()
      serve 'abd'
      refuses('/a.gz.part must have the SHA-256 ' .. SUM, silently, datasets.find, 'little', true)
      assert.is_nil(get 'cresset/little/a.gz')
      assert.is_nil(get 'cresset/little/a.gz.part')
   end)
   it('says that the file could not be fetched', function()
      program('curl', 'exit 6\n')
      ffi.C.setenv('PATH', dir .. '/bin', 1)
      refuses('a.gz could not be fetched from http://one/ or http://two/', silently, datasets.find,
              'little', true)
   end)
   it('needs curl or wget', function()
      ffi.C.setenv('PATH', dir .. '/bin', 1)
      refuses('-download needs the program curl or wget, and neither is installed', silently,
              datasets.find, 'little', true)
   end)
   it('names a folder that cannot be made', function()
      put('file', '')
      ffi.C.setenv('XDG_CACHE_HOME', dir .. '/file', 1)
      refuses('cannot make the folder ' .. dir .. '/file/cresset/little', silently, datasets.find,
              'little', true)
   end)
end)

describe('datasets.text', function()
   -- An archive with the member x.npy, which ends in these bytes and has 128 before them.
   local function archive(name, text)
      torch.save(dir .. '/' .. name, { x = torch.ByteTensor { text:byte(1, -1) } })
      return dir .. '/' .. name
   end
   it('reads the text of a set, also out of its archive', function()
      os.rename(archive('t.npz', 'to be'), cache .. '/t.zip')
      local bytes = #get 'cresset/little/t.zip'
      datasets.sets.little.files = {
         { name = 't.zip', bytes = bytes, member = 'x.npy', plain = 133 } }
      assert.equal('to be', (datasets.text 'little'):sub(129))
      os.remove(cache .. '/t.zip')
      put('cresset/little/x.npy', ('or to'):rep(27):sub(1, 133))
      assert.equal('or toor to', (datasets.text 'little'):sub(1, 10))
   end)
   it('refuses an archive without the text, and with a longer one', function()
      local name = archive('x.npz', 'to be')
      refuses(name .. ': the archive must hold y, got none', zip.read, name, 'y', 200)
      refuses(name .. ': x.npy must have at most 132 bytes, got 133', zip.read, name, 'x.npy', 132)
      refuses('cannot open ' .. dir .. '/none: No such file', zip.read, dir .. '/none', 'x', 9)
   end)
   it('refuses a damaged archive', function()
      local bytes = get(archive('x.npz', 'to be'):match '[^/]*$')
      for n = 0, #bytes - 1 do
         assert.is_false((pcall(zip.read, put('cut.zip', bytes:sub(1, n)), 'x.npy', 200)), n)
      end
      local at = bytes:find('to be', 1, true)
      local wrong = put('wrong.zip', bytes:sub(1, at - 1) .. 'T' .. bytes:sub(at + 1))
      refuses(wrong .. ': ', zip.read, wrong, 'x.npy', 200)
   end)
end)

describe('-data NAME', function()
   local TH = ffi.string(ffi.C.realpath(os.getenv 'TH' or 'build/bin/th', nil))
   local here = paths.cwd()
   local function run(name, ...)
      local words = table.concat({ ... }, ' ')
      local p = io.popen(([[cd '%s' && '%s' '%s/examples/%s.lua' %s 2>&1 </dev/null
         echo "status $?"]]):format(dir, TH, here, name, words))
      local text, status = p:read('*a'):match '^(.*)status (%d+)\n$'
      p:close()
      return tonumber(status), text
   end
   it('ends a program with a message, where the files are in no place', function()
      local programs = { digits = { 'mnist', 'fashion-mnist' }, char = { 'text8', 'ptb' } }
      for name, sets in pairs(programs) do
         for _, set in ipairs(sets) do
            local status, text = run(name, '-data', set)
            assert.equal(1, status, text)
            local first = ('%s: -data %s: no file of '):format(name, set)
            assert.equal(first, text:sub(1, #first))
            assert.matches('use %-download, for which the program calls curl or wget%.\n$', text)
            assert.is_nil(text:find 'traceback')
         end
      end
   end)
   it('finds the files beside the program, and reads them', function()
      paths.mkdir(dir .. '/ptb')
      put('ptb/ptb.train.txt', 'x')
      local status, text = run('char', '-data ptb')
      assert.equal(1, status)
      assert.matches('^char: .-%./ptb/ptb%.train%.txt must have 5,101,618 bytes, got 1; ', text)
   end)
   it('reads a file of the name of a set', function()
      put('ptb', ('the cat and the mat\n'):rep(60))
      local status, text = run('char', '-data ptb -hidden 4 -sequence 10 -batchSize 4 -steps 1')
      assert.equal(0, status, text)
      assert.matches('^1080 characters for training', text)
   end)
   it('refuses -download without a set', function()
      local status, text = run('digits', '-download')
      assert.same({ 1, 'digits: -download needs -data mnist or fashion-mnist\n' }, { status, text })
      status, text = run('char', '-download')
      assert.same({ 1, 'char: -download needs -data text8 or ptb\n' }, { status, text })
   end)
end)

describe('doc/datasets.md', function()
   it('has the names, sizes, sums and addresses of the sets', function()
      local f = assert(io.open 'doc/datasets.md')
      local page = f:read '*a'
      f:close()
      datasets.sets.little = nil
      for _, set in pairs(datasets.sets) do
         for _, address in ipairs(set.from) do
            assert.truthy(page:find(address, 1, true), address)
         end
         for _, file in ipairs(set.files) do
            local size = require 'torch.columns'.grouped(file.bytes)
            local row = ('| `%s` | %s |'):format(file.name, size)
            if file.sha256 then row = row .. (' `%s` |'):format(file.sha256) end
            assert.truthy(page:find(row, 1, true), row)
         end
      end
   end)
end)
