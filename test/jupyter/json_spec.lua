-- test/jupyter/json_spec.lua - the JSON of a kernel's messages, in both directions.
-- runs once
local json = require 'jupyter.json'

describe('jupyter.json: read', function()
   it('reads what it wrote', function()
      for _, text in ipairs { '{}', '[]', '[[],{}]', '{"a":[1,-2,0.5,true,false,null],"b":{"c":"d"}}',
         '"\\u0001\\n\\"\\\\"', '1e+300',
         '"é€😀"' } do
         assert.equal(text, json.write(json.read(text)))
      end
   end)

   it('reads escapes, spaces and numbers', function()
      assert.equal('é😀\n/', json.read ' "\\u00e9\\ud83d\\ude00\\n\\/" ')
      assert.equal(-1250, json.read '-12.5E+2')
      assert.equal(json.null, json.read 'null')
      assert.same({ 1, 2 }, { unpack(json.read '[ 1 , 2 ]') })
   end)

   it('refuses each text that is no JSON', function()
      for _, text in ipairs { '', ' ', '{', '[', '[1', '[1,', '[1,]', '{"a"', '{"a":', '{"a":1', '{"a":1,}', '{a:1}',
         "'a'", '"a', '"\\x"',
         '"\\u12"', '"\\ud800"', '"\\udc00"', '"\\ud800\\u0041"', '"\n"', '01', '+1', '.5', 'nul', 'True', 'NaN', '1 2',
            '[1}', '\0' } do
         local ok, why = pcall(json.read, text)
         assert.is_false(ok, text)
         assert.matches('^JSON, byte %d+: ', why)
      end
   end)

   it('refuses deep nesting', function()
      assert.is_true(pcall(json.read, ('['):rep(100) .. (']'):rep(100)))
      local ok, why = pcall(json.read, ('['):rep(1000000))
      assert.is_false(ok)
      assert.matches('nested more than 100 deep', why)
   end)
end)

describe('jupyter.json: write', function()
   it('keeps empty lists and objects apart, and sorts names', function()
      assert.equal('{"a":[],"b":{},"c":[1]}', json.write { c = { 1 }, b = {}, a = json.list() })
   end)

   it('writes whole numbers without a point, and others exactly', function()
      assert.equal('[3,-9007199254740991,0.1,0.30000000000000004]', json.write { 3, -9007199254740991, 0.1, 0.1 + 0.2 })
   end)

   it('replaces bytes that are not UTF-8', function()
      assert.equal('"a\239\191\189b\239\191\189"', json.write 'a\255b\195')
      assert.equal('"\239\191\189\239\191\189\239\191\189"', json.write '\237\160\128')   -- a surrogate
      assert.equal('"\239\191\189\239\191\189"', json.write '\192\128')                   -- two bytes for 0
   end)

   it('refuses what JSON lacks', function()
      local cycle = {}
      cycle.a = cycle
      for _, case in ipairs { { 0 / 0, 'no number' }, { math.huge, 'no number' }, { print, 'no function' },
         { { [true] = 1 }, 'names' },
         { cycle, 'nested' } } do
         local ok, why = pcall(json.write, case[1])
         assert.is_false(ok)
         assert.matches(case[2], why)
      end
   end)
end)

describe('jupyter.json: repair', function()
   it('keeps the beginning of a character for the next piece', function()
      local text, rest = json.repair 'a\226\130'
      assert.equal('a', text)
      assert.equal('€', (json.repair(rest .. '\172')))
      assert.equal('a\239\191\189\239\191\189', (json.repair('a\226\130', true)))
   end)
end)
