-- test/examples/sentences_spec.lua - the encoder of sentences computes what transformers computes, and finds lines.
-- runs once
local torch = require 'torch'
local example = require 'test.support.example'
local refuses = require 'test.support.refuses'
local text = require 'text'

local CONFIG = [[{"hidden_act":"gelu","hidden_size":8,"num_hidden_layers":2,"num_attention_heads":2,"intermediate_size":12,"vocab_size":9,
"max_position_embeddings":16,"type_vocab_size":2,"layer_norm_eps":1e-12}]]

local sentences, bert

-- Sizes of the tensors of a BERT of that size: name -> list.
local function sizes()
   local s = { ['embeddings.word_embeddings.weight'] = { 9, 8 }, ['embeddings.position_embeddings.weight'] = { 16, 8 },
      ['embeddings.token_type_embeddings.weight'] = { 2, 8 }, ['embeddings.LayerNorm.weight'] = { 8 }, ['embeddings.LayerNorm.bias'] = { 8 } }
   local function linear(name, from, to) s[name .. '.weight'], s[name .. '.bias'] = { to, from }, { to } end
   for i = 0, 1 do
      local layer = 'encoder.layer.' .. i
      for _, part in ipairs { 'self.query', 'self.key', 'self.value', 'output.dense' } do linear(layer .. '.attention.' .. part, 8, 8) end
      linear(layer .. '.intermediate.dense', 8, 12)
      linear(layer .. '.output.dense', 12, 8)
      for _, part in ipairs { '.attention.output.LayerNorm', '.output.LayerNorm' } do
         s[layer .. part .. '.weight'], s[layer .. part .. '.bias'] = { 8 }, { 8 }
      end
   end
   return s
end

-- Weights by a formula, as the script that recorded the values had them.
local function tensors()
   local names, all = {}, {}
   for name in pairs(sizes()) do names[#names + 1] = name end
   table.sort(names)
   for j, name in ipairs(names) do
      local t = torch.DoubleTensor(unpack(sizes()[name]))
      local n = t:nElement()
      local v = torch.range(1, n):mul(0.7):add(j - 1):sin():mul(0.5):add(name:find 'LayerNorm.weight' and 1 or 0)
      all[name] = t:copy(v:viewAs(t)):float()
   end
   return all
end

setup(function()
   bert = require 'examples.lib.bert'
   sentences = example.new 'sentences'
   local function put(name, s)
      local f = assert(io.open(sentences:path(name), 'w'))
      f:write(s)
      f:close()
   end
   put('config.json', CONFIG)
   put('vocab.txt', '[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\ncat\nsat\non\nmat\n')
   put('lines', 'the cat\n\nsat on mat the\ncat cat\n')
   torch.save(sentences:path 'model.safetensors', tensors())
end)
teardown(function() sentences:remove() end)

describe('examples/sentences.lua', function()
   it('computes the vectors that transformers 5 gave for these weights', function()
      local net, t = bert.load(sentences.dir), text.load(sentences.dir)
      local ids, mask = t:encodeBatch({ 'the cat', 'sat on mat the' }, { base = 1 })
      local wanted = torch.FloatTensor { { 0.166259, -0.319327, -0.173669, 0.022083, -0.186911, 0.234339, 0.78452, -0.36663 },
         { 0.055501, -0.351287, -0.068945, -0.145583, -0.324618, 0.515294, 0.68864, -0.049396 } }
      assert.is_true((net:vectors(ids, mask) - wanted):abs():max() < 2e-6)
   end)

   it('gives a text the same vector in a batch with longer ones', function()
      local net, t = bert.load(sentences.dir), text.load(sentences.dir)
      local one = net:vectors(t:encodeBatch({ 'cat' }, { base = 1 }))
      local two = net:vectors(t:encodeBatch({ 'cat', 'sat on mat the cat' }, { base = 1 }))
      assert.is_true((one[1] - two[1]):abs():max() < 1e-6)
   end)

   it('prints the lines that are nearest to a query', function()
      local output = sentences:ok('-model', sentences.dir, '-data', sentences:path 'lines', "-query 'the cat' -best 2")
      assert.truthy(output:find('^1.000  [^\n]*:1: the cat\n[01]%.%d+  [^\n]*:%d: [^\n]+\n$'), output)
   end)

   it('refuses folders and files that it cannot use', function()
      local function refused(why, ...)
         local status, output = sentences:run(...)
         assert.equal(1, status)
         assert.truthy(output:find(why, 1, true), output)
      end
      refused('-model and -data are needed')
      refused('No such file', '-model /nowhere -data x')
      refused('No such file', '-model', sentences.dir, '-data /nowhere')
      refused('-best must be a positive whole number, got 0', '-model', sentences.dir, '-data x -best 0')
      local saved = tensors()
      saved['encoder.layer.1.output.dense.bias'] = nil
      torch.save(sentences:path 'model.safetensors', saved)
      refuses("model.safetensors: there is no tensor 'encoder.layer.1.output.dense.bias'", bert.load, sentences.dir)
      saved['encoder.layer.1.output.dense.bias'] = torch.FloatTensor(3)
      torch.save(sentences:path 'model.safetensors', saved)
      refuses("'encoder.layer.1.output.dense.bias' has another size than config.json says", bert.load, sentences.dir)
   end)
end)
