-- test/torch/base64_spec.lua - bytes as text in base64, and back.
local base64 = require 'torch.base64'

-- RFC 4648, section 10.
local EXAMPLES = { [''] = '', f = 'Zg==', fo = 'Zm8=', foo = 'Zm9v', foob = 'Zm9vYg==',
   fooba = 'Zm9vYmE=', foobar = 'Zm9vYmFy', ['\255\254\253'] = '//79', ['\251\255'] = '+/8=' }

describe('base64', function()
   it('writes bytes as RFC 4648 has it', function()
      for bytes, text in pairs(EXAMPLES) do assert.equal(text, base64.encode(bytes)) end
   end)

   it('reads them with and without padding', function()
      for bytes, text in pairs(EXAMPLES) do
         assert.equal(bytes, base64.decode(text))
         assert.equal(bytes, base64.decode((text:gsub('=', ''))))
      end
   end)

   it('gives back all bytes of strings of any length', function()
      local all = {}
      for i = 0, 255 do all[#all + 1] = string.char(i, 255 - i) end
      all = table.concat(all)
      for n = 0, #all do
         assert.equal(all:sub(1, n), base64.decode(base64.encode(all:sub(1, n))))
      end
   end)

   it('gives nil for text that is no base64', function()
      for _, text in ipairs { 'Z', 'Zm9vY', 'Zm9-', 'Zm 9', 'Z=g=', 'Zg===', '====', 'Zm9v\n',
         '\0\0\0\0', '\255\255' } do
         assert.is_nil(base64.decode(text), text)
      end
   end)
end)
