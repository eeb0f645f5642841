-- test/feed/lmdb_spec.lua - feed.lmdb: what it reads from databases of LMDB, and databases that are damaged.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local format = require 'torch.format'
local shared = require 'test.support.feed'
local liblmdb = require 'test.support.liblmdb'
local lmdb = require 'test.support.lmdb'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local bounded, TH, le = shared.bounded, shared.TH, format.le

teardown(temporary.remove)

-- The entries of a database, as feed.lmdb gives them: a list of { key = , value = }.
local function read(file)
   local d, list = feed.lmdb(file, { keys = true }), {}
   for i = 1, d:size() do list[i] = d:get(i) end
   return list
end

-- n entries with short values, and a long one among each twenty; and what read makes of them.
local function entries(n, longest)
   local list, want = {}, {}
   for i = 1, n do
      local key = ('%05d'):format(i)
      local value = (key .. ' '):rep(i % 20 == 7 and 400 or i % 9):sub(1, i % 20 == 7 and 2399 or longest)
      list[i], want[i] = { key, value }, { key = key, value = value }
   end
   return list, want
end

local function put(...) return temporary.put((lmdb.file(...))) end

describe('feed.lmdb', function()
   it('gives values in the order of their keys, in threads too', function()
      local values = {}
      for k = 1, 3000 do values[k] = { ('%05d'):format(k), torch.serialize(k) } end
      local file = put(values)
      local d = feed.lmdb(file)
      assert.equal(3000, d:size())
      assert.equal(77, torch.deserialize(d:get(77)))
      assert.equal('00077', feed.lmdb(file, { keys = true }):get(77).key)
      local sum = 0
      for batch in feed.loader { dataset = feed.map(d, function(s) return torch.deserialize(s) end), batch = 100, workers = 2 }:epoch() do
         sum = sum + batch:sum()
      end
      assert.equal(3000 * 3001 / 2, sum)
      bounded('feed.lmdb', d)
   end)

   it('takes the folder of a database', function()
      local dir = temporary.name '.d'
      assert(os.execute(("mkdir '%s' && cp '%s' '%s/data.mdb'"):format(dir, put { { 'k', 'v' } }, dir)) == 0)
      assert.equal('v', feed.lmdb(dir):get(1))
      os.execute(("rm -r '%s'"):format(dir))
   end)

   it('reads pages of all sizes, long values and trees of several levels', function()
      for size, depth in pairs { [256] = 3, [512] = 3, [4096] = 2, [32768] = 2 } do
         local list, want = entries(400, 40)
         local bytes, tree = lmdb.file(list, size)
         assert.equal(depth, tree.depth)
         assert.same(want, read(temporary.put(bytes)))
      end
   end)

   it('reads an empty database, and an empty value', function()
      local d = feed.lmdb(put {})
      assert.equal(0, d:size())
      refuses('feed.lmdb: samples have the numbers 1..0, got 1', d.get, d, 1)
      assert.same({ { key = 'k', value = '' } }, read(put { { 'k', '' } }))
   end)

   it('gives each value of a key with several, from a page or from a tree', function()
      for _, flags in ipairs { lmdb.DUPSORT, lmdb.DUPSORT + lmdb.DUPFIXED } do
         local list, want = { { 'a', 'single' } }, { { key = 'a', value = 'single' } }
         for key, n in pairs { b = 3, c = 400 } do
            local e = { key }
            for k = 1, n do e[k + 1] = ('%05d'):format(k) .. (flags == lmdb.DUPSORT and ('+'):rep(k % 7) or '') end
            list[#list + 1] = e
         end
         table.sort(list, function(x, y) return x[1] < y[1] end)
         for i = 2, 3 do
            for k = 2, #list[i] do want[#want + 1] = { key = list[i][1], value = list[i][k] } end
         end
         assert.same(want, read(put(list, 512, flags)))
      end
   end)

   it('is known to a state by its keys and values, wherever it lies', function()
      local function known(path) return feed.loader { dataset = feed.lmdb(path) }:state().dataset end
      local is = known(put { { 'a', 'x' }, { 'b', 'y' } })
      assert.equal('lmdb ed1c95c0', is)                        -- as older states have it
      assert.equal(is, known(put({ { 'a', 'x' }, { 'b', 'y' } }, 512)))
      assert.not_equal(is, known(put { { 'a', 'x' }, { 'b', 'z' } }))
   end)

   it('needs no liblmdb', function()
      local file = put { { 'key', 'value' } }
      local script = temporary.put(([[
         local ffi = require 'ffi'
         local load = ffi.load
         ffi.load = function(name, ...) return name:find 'lmdb' and error 'no library' or load(name, ...) end
         print(require 'feed'.lmdb('%s'):get(1))]]):format(file), '.lua')
      local p = io.popen(("timeout 60 '%s' '%s' 2>&1"):format(TH, script))
      assert.equal('value\n', p:read '*a')
      p:close()
   end)
end)

describe('feed.lmdb and liblmdb', function()
   local function random(most, least)
      local t = {}
      for k = 1, math.random(least or 1, most) do t[k] = string.char(math.random(0, 255)) end
      return table.concat(t)
   end
   local function letter() return string.char(math.random(97, 110)) end

   -- The entries are the same after each of some transactions, which put and delete.
   local function agree(flags, key, value, deleted)
      if not liblmdb.found then return pending 'liblmdb is not installed' end
      local file, seen = temporary.name '.mdb', {}
      for round = 1, 6 do
         local changes = {}
         for k = 1, 250 do
            local name = #seen > 0 and math.random() < 0.4 and seen[math.random(#seen)] or key()
            seen[#seen + 1] = name
            changes[k] = { name, math.random() >= deleted and value() or nil }
         end
         liblmdb.write(file, changes, flags)
         local want = liblmdb.read(file)
         assert(#want > 20)
         assert.same(want, read(file), 'round ' .. round)
      end
      os.remove(file .. '-lock')
   end

   before_each(function() math.randomseed(21) end)

   it('agree on keys of all lengths', function() agree(0, function() return random(511) end, function() return random(99, 0) end, 0.2) end)
   it('agree on long values', function()
      agree(0, function() return random(9) end, function() return random(math.random() < 0.1 and 20000 or 3000, 0) end, 0.2)
   end)
   it('agree on keys that are compared from their ends', function()
      agree(liblmdb.REVERSEKEY, function() return random(9) end, function() return random(99, 0) end, 0.2)
   end)
   it('agree on keys that are integers', function()
      for _, bytes in ipairs { 4, 8 } do
         agree(liblmdb.INTEGERKEY, function() return random(bytes, bytes) end, function() return random(99, 0) end, 0.2)
      end
   end)
   it('agree on several values of a key', function()
      agree(liblmdb.DUPSORT, letter, function() return random(511) end, 0.004)
      agree(liblmdb.DUPSORT + liblmdb.REVERSEDUP, letter, function() return random(30) end, 0.004)
      agree(liblmdb.DUPSORT, function() return random(2) end, function() return random(30) end, 0.1)
   end)
   it('agree on several values of one size', function()
      local fixed = liblmdb.DUPSORT + liblmdb.DUPFIXED
      for _, bytes in ipairs { 1, 7 } do agree(fixed, letter, function() return random(bytes, bytes) end, 0.004) end
      agree(fixed + liblmdb.INTEGERDUP, letter, function() return random(4, 4) end, 0.004)
   end)
   it('agree on a file of databases with names', function()
      if not liblmdb.found then return pending 'liblmdb is not installed' end
      local file = temporary.name '.mdb'
      for _, name in ipairs { 'one', 'two' } do liblmdb.write(file, { { 'k', name } }, 0, name) end
      assert.same(liblmdb.read(file), read(file))
      os.remove(file .. '-lock')
   end)
end)

describe('feed.lmdb of a damaged file', function()
   local PAGE = 512

   -- Each sample is a string or an error that begins with the name of the function.
   local function survive(bytes)
      local file = temporary.put(bytes)
      local ok, d = pcall(feed.lmdb, file)
      local errors = 0
      if not ok then
         assert(type(d) == 'string' and d:find('feed.lmdb: ' .. file, 1, true), tostring(d))
         errors = 1
      else
         for i = 1, d:size() do
            local right, v = pcall(d.get, d, i)
            assert(type(v) == 'string' and (right or v:find('feed.lmdb: ' .. file, 1, true)), tostring(v))
            errors = errors + (right and 0 or 1)
         end
      end
      os.remove(file)
      return errors > 0
   end

   local function changed(bytes, at, by) return bytes:sub(1, at) .. by .. bytes:sub(at + #by + 1) end

   -- A database of pages of all kinds, and its bytes.
   local function small()
      local list = entries(20, 30)
      list[#list + 1] = { 'x', 'a', 'bb', 'ccc' }
      local many = { 'y' }
      for k = 1, 80 do many[k + 1] = ('%04d'):format(k) end
      list[#list + 1] = many
      return lmdb.file(list, PAGE, lmdb.DUPSORT)
   end

   it('is an error or a string, whichever byte is another', function()
      local bytes = small()
      local before, errors, n = torch.memory().peak, 0, 0
      for at = 0, #bytes - 1, 1 do
         local c = bytes:byte(at + 1)
         for _, by in ipairs { (c + 1) % 256, (c + 128) % 256, 255 - c } do
            if at % PAGE < 64 or at % 4 == 0 and by == 255 - c then   -- the fields of pages lie in front
               n, errors = n + 1, errors + (survive(changed(bytes, at, string.char(by))) and 1 or 0)
            end
         end
      end
      assert(errors > n / 10, errors .. ' of ' .. n)
      assert(torch.memory().peak - before < 2 ^ 22, 'a damaged file took much memory')
   end)

   it('is an error or a string, whichever field of 2, 4 or 8 bytes has an extreme', function()
      local bytes = small()
      for at = 0, #bytes - 8, 2 do
         for _, n in ipairs { 2, 4, 8 } do
            if at % PAGE < 144 and at % n == 0 then
               survive(changed(bytes, at, ('\0'):rep(n)))
               survive(changed(bytes, at, ('\255'):rep(n)))
               survive(changed(bytes, at, ('\255'):rep(n - 1) .. '\127'))
            end
         end
      end
   end)

   it('is an error wherever it was cut off', function()
      local bytes = small()
      for n = 0, #bytes - 1, 100 do assert.is_true(survive(bytes:sub(1, n)), n) end
      refuses(('it has %d bytes, but its pages end at %d'):format(#bytes - 1, #bytes), feed.lmdb, temporary.put(bytes:sub(1, -2)))
   end)

   -- Wants an error where these bytes of a page are others. @param page  from 0
   local function field(text, page, at, by, bytes)
      bytes = bytes or lmdb.file((entries(40, 30)), PAGE)
      local why = refuses(text, feed.lmdb, temporary.put(changed(bytes, page * PAGE + at, by)))
      assert.truthy(why:find 'feed%.lmdb: /', why)
   end

   it('says which of its fields is wrong', function()
      local bytes, tree = lmdb.file((entries(40, 30)), PAGE)
      local root, last = tree.root, #bytes / PAGE - 1
      assert.equal(2, tree.depth)
      field('it is no database of LMDB, or of a machine of 32 bits', 0, 16, 'x')
      field('it is no database of LMDB, or of a machine of 32 bits', 1, 16, 'x')
      field('it is no database of LMDB, or of a machine of 32 bits', 1, 10, '\0')
      field('version 999 of the format of LMDB is not known', 1, 20, le(4, 999))
      field('its pages have 513 bytes, and may have 256 to 32768', 0, 40, le(4, 513))
      field('its pages have 65536 bytes, and may have 256 to 32768', 0, 40, le(4, 65536))
      field('page 1 is damaged: the number of the last page is wrong', 1, 136, le(8, 0))
      field('page 1 is damaged: the depth of a tree is wrong', 1, 94, le(2, 0))
      field('page 1 is damaged: the depth of a tree is wrong', 1, 94, le(2, 33))
      field('is damaged: it is no branch page', 1, 94, le(2, 3))
      field(('page %d is damaged: it is no leaf page'):format(root), 1, 94, le(2, 1))
      field('it is damaged: a tree of 41 entries has 40', 1, 120, le(8, 41))
      field(('it is damaged: 1 pages from page %d on are not in its %d pages'):format(last + 1, last + 1), 1, 128, le(8, last + 1))
      field(('page %d is damaged: it has the number of another page'):format(root), root, 0, le(8, root + 1))
      field(('page %d is damaged: the bounds of its free space are wrong'):format(root), root, 12, le(2, 8))
      field(('page %d is damaged: the bounds of its free space are wrong'):format(root), root, 12, le(2, 17))
      field(('page %d is damaged: the bounds of its free space are wrong'):format(root), root, 14, le(2, PAGE + 1))
      field(('page %d is damaged: a node lies outside of it'):format(root), root, 16, le(2, PAGE - 7))
      field(('page %d is damaged: a node lies outside of it'):format(root), root, 16, le(2, 14))
   end)

   -- The place of the n-th node of a page.
   local function node(bytes, page, n)
      local low, high = bytes:byte(page * PAGE + 15 + 2 * n, page * PAGE + 16 + 2 * n)
      return low + 256 * high
   end

   it('says which node is wrong', function()
      local bytes, tree = lmdb.file((entries(40, 30)), PAGE)
      local leaf = bytes:byte(tree.root * PAGE + node(bytes, tree.root, 1) + 1)
      local long = node(bytes, leaf, 7)                          -- its value has 2399 bytes, in overflow pages
      field(('page %d is damaged: a key lies outside of it'):format(leaf), leaf, long + 6, le(2, 600))
      field(('page %d is damaged: a value lies outside of it'):format(leaf), leaf, node(bytes, leaf, 1), le(2, 600))
      field(('page %d is damaged: a value is of a kind that does not exist'):format(leaf), leaf, node(bytes, leaf, 1) + 4, le(2, 8))
      field(('page %d is damaged: a value is of a kind that does not exist'):format(leaf), leaf, node(bytes, leaf, 1) + 4, le(2, 4))
      field(('page %d is damaged: its keys are not in order'):format(leaf), leaf, long + 8, '9')
      field('pages from page 0 on are not in its', leaf, long + 13, le(8, 0))
      local most = #bytes - 2 * PAGE
      field('its trees use more than its', leaf, long + 13, le(8, 2), changed(bytes, leaf * PAGE + long, le(4, most - 16)))
   end)

   it('is an error where a branch page leads back to itself', function()
      local bytes, tree = lmdb.file((entries(400, 40)), PAGE)
      local root = tree.root
      assert.equal(3, tree.depth)
      field('is damaged: it is no leaf page', root, node(bytes, root, 1), le(4, root), bytes)
   end)

   it('is an error where a page has two places in the tree', function()
      local bytes, tree = lmdb.file((entries(40, 30)), PAGE)
      local first = bytes:sub(tree.root * PAGE + node(bytes, tree.root, 1) + 1):sub(1, 4)
      field('is damaged: its keys are not in order', tree.root, node(bytes, tree.root, 2), first)
   end)

   it('is an error at the sample whose overflow page is none', function()
      local bytes, tree = lmdb.file((entries(40, 30)), PAGE)
      local leaf = bytes:byte(tree.root * PAGE + node(bytes, tree.root, 1) + 1)
      local first = bytes:byte(leaf * PAGE + node(bytes, leaf, 7) + 14)
      for _, f in ipairs { { 0, le(8, first + 1) }, { 10, le(2, 2) }, { 12, le(4, 1) } } do
         local d = feed.lmdb(temporary.put(changed(bytes, first * PAGE + f[1], f[2])))
         refuses(('sample 7: page %d is damaged: it is no overflow page with room for a value'):format(first), d.get, d, 7)
         assert.equal(('00008 '):rep(8):sub(1, 30), d:get(8))
      end
   end)

   it('is an error and no signal where it is cut off after it was opened', function()
      local file = put((entries(400, 40)))
      local d = feed.lmdb(file)
      assert(io.open(file, 'wb')):close()
      refuses('has changed: it had', d.get, d, 7)
   end)

   it('is refused before what it says is done', function()
      refuses('feed.lmdb: cannot open /no/such: No such file or directory', feed.lmdb, '/no/such')
      refuses('feed.lmdb: cannot open /dev/null: it is no plain file', feed.lmdb, '/dev/null')
      refuses('feed.lmdb: file must be the name of a file, got nil', feed.lmdb)
      refuses('feed.lmdb: there is no option key; there are keys', feed.lmdb, '/no/such', { key = true })
      refuses('it is no database of LMDB', feed.lmdb, temporary.put(('x'):rep(9000)))
      refuses('it is no database of LMDB, or its beginning is all that is left', feed.lmdb, temporary.put '')
   end)
end)
