-- test/feed/gzip_spec.lua - gzipped IDX files, such as MNIST's, valid and damaged.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local shared = require 'test.support.feed'
local format = require 'torch.format'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local all = shared.all
local C, le = require 'torch.lib'.C, format.le

teardown(temporary.remove)

local DIGITS, LABELS = 'data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte'

-- These bytes as gzip(1) packs them.
local function gzipped(bytes)
   local name = temporary.put(bytes)
   assert(os.execute(("gzip -c '%s' >'%s.gz'"):format(name, name)) == 0)
   local packed = temporary.get(name .. '.gz')
   os.remove(name .. '.gz')
   return packed
end

-- A gzip file that stores these bytes, at most 65535, as they are.
local function stored(bytes)
   return '\31\139\8\0\0\0\0\0\0\255\1' .. le(2, #bytes) .. le(2, 65535 - #bytes) .. bytes
      .. le(4, tonumber(C.th_zip_crc(0, bytes, #bytes))) .. le(4, #bytes)
end

local function open(bytes) return feed.idx(temporary.put(bytes, '.gz')) end

-- Rows of bytes, 2 x 3 each.
local function rows(n, content) return '\0\0\8\3' .. ('\0'):rep(3) .. string.char(n) .. '\0\0\0\2\0\0\0\3' .. content end

describe('a gzipped IDX file', function()
   it('has the rows of the plain one, one by one, in batches, and in threads', function()
      local plain = feed.zip(feed.idx(DIGITS), feed.idx(LABELS))
      local packed = feed.zip(open(gzipped(temporary.get(DIGITS))), open(gzipped(temporary.get(LABELS))))
      assert.equal(1797, packed:size())
      for _, i in ipairs { 1, 100, 1797 } do
         assert.equal('torch.ByteTensor', packed:get(i)[1]:type())
         assert(plain:get(i)[1]:equal(packed:get(i)[1]))
         assert.equal(plain:get(i)[2], packed:get(i)[2])
      end
      local function loader(set, workers)
         return feed.loader { dataset = set, batch = 100, shuffle = true, workers = workers, reuse = workers > 0 }
      end
      local l = loader(packed, 2)
      local step = l:epoch()
      for wanted in loader(plain, 0):epoch() do
         local batch = step()
         for k = 1, 2 do
            assert.equal(wanted[k]:type(), batch[k]:type())
            assert(wanted[k]:equal(batch[k]))
         end
      end
      assert.is_nil(step())
      l:close()
   end)
   it('has any type, and samples that are copies', function()
      local function of(kind, bytes) return all(open(stored('\0\0' .. kind .. '\1\0\0\0\2' .. bytes))) end
      assert.same({ 1, 255 }, of('\8', '\1\255'))
      assert.same({ 1, -1 }, of('\9', '\1\255'))
      assert.same({ 258, -1 }, of('\11', '\1\2\255\255'))
      assert.same({ 16909060, -1 }, of('\12', '\1\2\3\4\255\255\255\255'))
      assert.same({ 1, -2 }, of('\13', '\63\128\0\0\192\0\0\0'))
      assert.same({ 1, -2 }, of('\14', '\63\240\0\0\0\0\0\0\192\0\0\0\0\0\0\0'))
      local d = open(stored(rows(1, 'abcdef')))
      d:get(1):zero()
      assert.same({ { { 97, 98, 99 }, { 100, 101, 102 } } }, all(d))
      shared.bounded('feed.idx', d)
      refuses('feed.idx: samples have the numbers 1..1, got 2..2', d.batch, d, torch.LongTensor { 2 })
   end)
   it('is to a state the dataset that the plain one is', function()
      local function known(d) return feed.loader { dataset = d }:state().dataset end
      for _, name in ipairs { DIGITS, LABELS } do
         assert.equal(known(feed.idx(name)), known(open(gzipped(temporary.get(name)))))
      end
      local floats = '\0\0\14\1\0\0\0\2\63\240\0\0\0\0\0\0\192\0\0\0\0\0\0\0'
      assert.equal(known(feed.idx(temporary.put(floats))), known(open(stored(floats))))
      assert.not_equal(known(open(stored(floats))), known(open(stored((floats:gsub('\63\240', '\63\241'))))))
   end)
   it('may have no rows', function()
      assert.equal(0, open(gzipped(rows(0, ''))):size())
      local d = open(gzipped '\0\0\8\1\0\0\0\0')
      assert.equal(0, d:size())
      refuses('feed.idx: samples have the numbers 1..0, got 1', d.get, d, 1)
   end)
   it('may be packed in several pieces, and is known by its bytes, not by its name', function()
      local bytes = temporary.get(DIGITS)
      local plain, cut = feed.idx(DIGITS), { 0, 1, 10, 70000, 115000, #bytes }
      local pieces = {}
      for k = 2, #cut do pieces[k - 1] = gzipped(bytes:sub(cut[k - 1] + 1, cut[k])) end
      local d = feed.idx(temporary.put(table.concat(pieces), '.idx'))
      for _, i in ipairs { 1, 1094, 1797 } do assert(plain:get(i):equal(d:get(i))) end
   end)
   it('is refused where its elements are not as many as its header promises', function()
      local function bad(text, bytes)
         local name = temporary.put(bytes, '.gz')
         assert.truthy(refuses(text, feed.idx, name):find('feed.idx: ' .. name .. ': ', 1, true))
      end
      bad('it is no IDX file', stored '')
      bad('it is no IDX file', stored 'abcd')
      bad('it is no IDX file', stored '\0\0\8\17')
      bad('it ends within its header of 16 bytes', stored '\0\0\8\3\0\0\0\1')
      bad('its rows have no elements', stored('\0\0\8\2' .. ('\255'):rep(4) .. ('\0'):rep(4)))
      bad('its header announces 6 bytes of elements, but 5 follow', stored(rows(1, 'abcde')))
      bad('its header announces 6 bytes of elements, but more follow', stored(rows(1, 'abcdefg')))
      bad('its header announces 6 bytes of elements, but more follow', stored(rows(1, 'abcdef')) .. stored 'g')
      local before = torch.memory().peak
      bad('its header announces 4294967295 bytes of elements, which do not fit into 31 packed ones',
         stored('\0\0\8\1\255\255\255\255'))
      bad('which do not fit into', stored('\0\0\14\16' .. ('\255'):rep(64)))
      assert(torch.memory().peak - before < 2 ^ 20)
   end)
   it('is refused where it is cut off, or other bytes follow', function()
      local small = stored(rows(1, 'abcdef'))
      for _, bytes in ipairs { small, gzipped(rows(40, ('abc'):rep(80))) } do
         for n = 2, #bytes - 1 do refuses('it ends within the packed data', open, bytes:sub(1, n)) end
         for _, more in ipairs { '\0', 'x', '\31', 'xyz', ('\0'):rep(512) } do
            refuses('other bytes follow the packed data', open, bytes .. more)
         end
      end
      refuses('it is no IDX file', open, small:sub(1, 1))
   end)
   it('is refused where a bit has turned, but for the notes of its header', function()
      local bytes, refused = gzipped(rows(40, ('abcd'):rep(60))), 0
      local wanted = all(open(bytes))
      for at = 0, #bytes - 1 do
         for k = 0, 7 do
            local turned = string.char(bit.bxor(bytes:byte(at + 1), 2 ^ k))
            local ok, d = pcall(open, bytes:sub(1, at) .. turned .. bytes:sub(at + 2))
            if not ok then refused = refused + 1 else assert.same(wanted, all(d)) end
         end
      end
      assert(refused >= 8 * (#bytes - 40), refused)            -- flags, time, system and name: gzip(1) writes at most so many
      refuses('the packed data are damaged: incorrect data check', open, bytes:sub(1, -6) .. '\1' .. bytes:sub(-4))
      refuses('the packed data are damaged: incorrect length check', open, bytes:sub(1, -2) .. '\1')
   end)
   it('needs zlib, and says what to install', function()
      local name = temporary.put(stored(rows(1, 'abcdef')))
      local out = shared.without('^l?i?b?z', 'idx', name)
      assert.equal(('feed.idx: %s: it is gzipped, and zlib is not installed (Debian: zlib1g); '
         .. 'TH_ZLIB may name it, or gunzip unpacks the file'):format(name), out)
   end)
end)
