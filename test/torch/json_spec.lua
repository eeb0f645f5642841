-- test/torch/json_spec.lua - torch.json: values in both directions, and errors with their places.
-- runs once: nothing here depends on the level
local refuses = require 'test.support.refuses'
local json = require 'torch.json'

describe('torch.json', function()
   it('reads values', function()
      assert.same({ a = { 1, -2.5, 1e3, 0 }, b = { c = true, d = false }, e = {} },
         json.read ' {"a" : [1,-2.5, 1E3,0],"b":{"c":true,"d":false},"e":[ ]} ')
      assert.equal(json.null, json.read 'null')
      assert.equal('"\\/\b\f\n\r\té😀\0',
         json.read [["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000"]])
      assert.equal('é\127', json.read '"é\127"')
      assert.same({ a = 2 }, json.read '{"a":1,"a":2}')
   end)

   it('refuses everything else, with the place', function()
      for s, why in pairs {
         [''] = 'byte 1: a value is expected, the text ends',
         ['{'] = 'byte 2: a name in quotes is expected',
         ['[1'] = "',' or ']' is expected",
         ['[1,]'] = 'byte 4: a value is expected',
         ['{"a":1,}'] = 'byte 8: a name',
         ['{"a" 1}'] = "byte 6: ':' is expected",
         ['01'] = 'byte 2: something follows',
         ['1.'] = 'byte 2: something follows',
         ['.5'] = 'byte 1: a value',
         ['+1'] = 'byte 1: a value',
         ['nul'] = 'byte 1: a value',
         ['NaN'] = 'byte 1: a value',
         ['"a'] = 'byte 1: a string does not end',
         ['"\n"'] = 'byte 2: a string holds the control character 10',
         ['"\\x"'] = 'byte 2: there is no escape \\x',
         ['"\\u12"'] = '\\u needs four digits',
         ['"\\ud800"'] = 'half of a character',
         ['"\\udc00"'] = 'half of a character',
         ['"\\ud800\\u0041"'] = 'half of a character',
         ["{'a':1}"] = 'byte 2: a name',
         ['1 2'] = 'byte 3: something follows the value' } do
         refuses(why, json.read, s)
      end
      for _, s in ipairs { ' ', '[', '{"a"', '{"a":', '{"a":1', '{a:1}', '[1,', '[1}', 'True' } do
         refuses('byte ', json.read, s)
      end
      refuses('values are nested more than 100 deep', json.read, ('['):rep(1000000))
      assert.is_true(pcall(json.read, ('['):rep(100) .. (']'):rep(100)))
   end)

   it('reads what it wrote', function()
      for _, text in ipairs { '{}', '[]', '[[],{}]',
         '{"a":[1,-2,0.5,true,false,null],"b":{"c":"d"}}',
         '"\\u0001\\b\\f\\n\\r\\t\\"\\\\"', '1e+300', '"é€😀"' } do
         assert.equal(text, json.write(json.read(text)))
      end
   end)
end)

describe('torch.json: write', function()
   it('keeps empty lists and objects apart, and sorts names', function()
      assert.equal('{"a":[],"b":{},"c":[1]}', json.write { c = { 1 }, b = {}, a = json.list() })
   end)

   it('writes whole numbers without a point, and others exactly', function()
      assert.equal('[3,-9007199254740991,0.1,0.30000000000000004]',
         json.write { 3, -9007199254740991, 0.1, 0.1 + 0.2 })
   end)

   it('replaces bytes that are not UTF-8, such as surrogates and two bytes for 0', function()
      assert.equal('"a\239\191\189b\239\191\189"', json.write 'a\255b\195')
      assert.equal('"\239\191\189\239\191\189\239\191\189"', json.write '\237\160\128')
      assert.equal('"\239\191\189\239\191\189"', json.write '\192\128')
   end)

   it('refuses what JSON lacks', function()
      local cycle = {}
      cycle.a = cycle
      refuses('JSON has no number', json.write, 0 / 0)
      refuses('JSON has no number inf', json.write, math.huge)
      refuses('JSON has no function', json.write, print)
      refuses('the names of an object must be strings, got a boolean', json.write, { [true] = 1 })
      refuses('values are nested more than 100 deep', json.write, cycle)
   end)
end)

describe('torch.json: repair', function()
   it('keeps the beginning of a character for the next piece', function()
      local text, rest = json.repair 'a\226\130'
      assert.equal('a', text)
      assert.equal('€', (json.repair(rest .. '\172')))
      assert.equal('a\239\191\189\239\191\189', (json.repair('a\226\130', true)))
   end)
end)
