-- test/text/json_spec.lua - text.json: values, and errors with their places.
-- runs once: nothing here depends on the level
local refuses = require 'test.support.refuses'
local json = require 'text.json'

describe('text.json', function()
   it('reads values', function()
      assert.same({ a = { 1, -2.5, 1e3, 0 }, b = { c = true, d = false }, e = {} }, json.read ' {"a" : [1,-2.5, 1E3,0],"b":{"c":true,"d":false},"e":[ ]} ')
      assert.equal(json.null, json.read 'null')
      assert.equal('"\\/\b\f\n\r\té😀\0', json.read [["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000"]])
      assert.equal('é\127', json.read '"é\127"')
      assert.same({ a = 2 }, json.read '{"a":1,"a":2}')
   end)

   it('refuses everything else, with the place', function()
      for s, why in pairs { [''] = 'byte 1: a value is expected, the text ends', ['{'] = 'byte 2: a name in quotes is expected', ['[1'] = "',' or ']' is expected",
         ['[1,]'] = 'byte 4: a value is expected', ['{"a":1,}'] = 'byte 8: a name', ['{"a" 1}'] = "byte 6: ':' is expected", ['01'] = 'byte 2: something follows',
         ['1.'] = 'byte 2: something follows', ['.5'] = 'byte 1: a value', ['+1'] = 'byte 1: a value', ['nul'] = 'byte 1: a value', ['NaN'] = 'byte 1: a value',
         ['"a'] = 'byte 1: a string does not end', ['"\n"'] = 'byte 2: a string holds the control character 10', ['"\\x"'] = 'byte 2: there is no escape \\x',
         ['"\\u12"'] = '\\u needs four digits', ['"\\ud800"'] = 'half of a character', ['"\\udc00"'] = 'half of a character',
         ['"\\ud800\\u0041"'] = 'half of a character', ["{'a':1}"] = 'byte 2: a name', ['1 2'] = 'byte 3: something follows the value' } do
         refuses(why, json.read, s)
      end
      refuses('values are nested more than 100 deep', json.read, ('['):rep(200000))
   end)
end)
