-- test/torch/sha256_spec.lua - SHA-256 and HMAC: vectors of FIPS 180-4 and RFC 4231, and files.
-- runs once
local sha256 = require 'torch.sha256'
local temporary = require 'test.support.temporary'

after_each(temporary.remove)

local function bytes(hex) return (hex:gsub('%x%x', function(d) return string.char(tonumber(d, 16)) end)) end

describe('torch.sha256', function()
   it('gives the published hashes', function()
      for text, hash in pairs {
         [''] = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
         abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
         abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq =
            '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
         [('a'):rep(1000000)] = 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
      } do
         assert.equal(hash, sha256.hex(sha256.sha256(text)))
      end
   end)

   it('takes texts of each length around a block', function()
      local seen = {}
      for n = 50, 130 do
         local h = sha256.sha256(('x'):rep(n))
         assert.equal(32, #h)
         assert.is_nil(seen[h])
         seen[h] = true
      end
   end)
end)

describe('torch.sha256: of_file', function()
   it('gives the hash of the content, of any length around a block and around a read', function()
      for _, n in ipairs { 0, 1, 63, 64, 65, 2 ^ 20 - 1, 2 ^ 20, 2 ^ 20 + 1, 2 ^ 21 + 70 } do
         local text = ('abcdefg'):rep(math.ceil(n / 7)):sub(1, n)
         assert.equal(sha256.hex(sha256.sha256(text)),
                      sha256.hex(sha256.of_file(temporary.put(text, '.bin'))), n)
      end
   end)
   it('says why there is none', function()
      local name = temporary.name '.none'
      assert.same({ nil, name .. ': No such file or directory' }, { sha256.of_file(name) })
      local hash, why = sha256.of_file '/'
      assert.is_nil(hash)
      assert.matches('Is a directory', why)
   end)
end)

describe('torch.sha256: hmac', function()
   it('gives the codes of RFC 4231', function()
      for _, case in ipairs {
         { ('\11'):rep(20), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7' },
         { 'Jefe', 'what do ya want for nothing?', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843' },
         { ('\170'):rep(20), ('\221'):rep(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe' },
         { bytes '0102030405060708090a0b0c0d0e0f10111213141516171819', ('\205'):rep(50),
            '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b' },
         { ('\170'):rep(131), 'Test Using Larger Than Block-Size Key - Hash Key First',
            '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54' },
         { ('\170'):rep(131), 'This is a test using a larger than block-size key and a larger than block-size data. The key '
            .. 'needs to be hashed before being used by the HMAC algorithm.',
            '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2' },
      } do
         assert.equal(case[3], sha256.hex(sha256.hmac(case[1], case[2])))
      end
   end)

   it('compares signatures', function()
      assert.is_true(sha256.equal('', ''))
      assert.is_true(sha256.equal('abc', 'abc'))
      for _, other in ipairs { '', 'ab', 'abd', 'bbc', 'abcd' } do assert.is_false(sha256.equal('abc', other)) end
   end)
end)
