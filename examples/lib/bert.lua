-- examples/lib/bert.lua - an encoder of BERT's kind from the files of HuggingFace: config.json and model.safetensors.
local torch = require 'torch'
local nn = require 'nn'
local json = require 'torch.json'

local bert = {}

local function read(name)
   local f = assert(io.open(name, 'rb'))
   local s = f:read '*a'
   f:close()
   return s
end

local function need(config, name)
   local v = config[name]
   if type(v) ~= 'number' or v < 1 or v % 1 ~= 0 then
      error(("config.json: '%s' must be a positive whole number"):format(name), 0)
   end
   return v
end

local function config_of(folder)
   local config = json.read(read(folder .. '/config.json'))
   if config.hidden_act ~= 'gelu' then error("config.json: 'hidden_act' must be gelu", 0) end
   if (config.position_embedding_type or 'absolute') ~= 'absolute' then error('config.json: positions must be absolute', 0) end
   return { size = need(config, 'hidden_size'), layers = need(config, 'num_hidden_layers'),
      heads = need(config, 'num_attention_heads'), inner = need(config, 'intermediate_size'),
      words = need(config, 'vocab_size'), positions = need(config, 'max_position_embeddings'),
      types = need(config, 'type_vocab_size'), eps = config.layer_norm_eps or 1e-12 }
end

-- ---- weights -------------------------------------------------------------------------------------------------------

-- A function that copies the tensor of a name, which must have the size of `to`.
local function copier(tensors)
   local prefix = tensors['bert.embeddings.word_embeddings.weight'] and 'bert.' or ''
   return function(to, name)
      local from = tensors[prefix .. name]
      if not from then error(("model.safetensors: there is no tensor '%s'"):format(prefix .. name), 0) end
      if not from:isSameSizeAs(to) then
         error(("model.safetensors: '%s' has another size than config.json says"):format(prefix .. name), 0)
      end
      to:copy(from)
   end
end

local function linear(copy, from, to, name)
   local m = nn.Linear(from, to)
   copy(m.weight, name .. '.weight')
   copy(m.bias, name .. '.bias')
   return m
end

-- nn.LayerNormalization adds eps to the sum of squares, BERT to their mean.
local function norm(copy, c, name)
   local m = nn.LayerNormalization(c.size, 0, c.eps * c.size)
   local parameters = m:parameters()
   copy(parameters[1], name .. '.weight')
   copy(parameters[2], name .. '.bias')
   return m
end

local function lookup(copy, rows, c, name)
   local m = nn.LookupTable(rows, c.size)
   copy(m.weight, name .. '.weight')
   return m
end

local function attention(copy, c, name)
   local m = nn.MultiHeadAttention(c.size, c.heads)
   for i, part in ipairs { 'query', 'key', 'value' } do
      copy(m.weight:narrow(1, (i - 1) * c.size + 1, c.size), name .. '.self.' .. part .. '.weight')
      copy(m.bias:narrow(1, (i - 1) * c.size + 1, c.size), name .. '.self.' .. part .. '.bias')
   end
   copy(m.outWeight, name .. '.output.dense.weight')
   copy(m.outBias, name .. '.output.dense.bias')
   return m
end

local function layer(copy, c, i)
   local name = 'encoder.layer.' .. i
   return { attention = attention(copy, c, name .. '.attention'), norm = norm(copy, c, name .. '.attention.output.LayerNorm'),
      inner = linear(copy, c.size, c.inner, name .. '.intermediate.dense'), gelu = nn.GELU(),
      outer = linear(copy, c.inner, c.size, name .. '.output.dense'), last = norm(copy, c, name .. '.output.LayerNorm') }
end

-- ---- the encoder ---------------------------------------------------------------------------------------------------

--- Loads the encoder of a folder. @return a table with `forward` and `vectors`, and the longest text in tokens, `positions`
function bert.load(folder)
   local before = torch.getdefaulttensortype()
   torch.setdefaulttensortype 'torch.FloatTensor'
   local ok, net = pcall(function()
      local c = config_of(folder)
      local copy = copier(torch.load(folder .. '/model.safetensors'))
      local net = setmetatable({ config = c, positions = c.positions, layers = {} }, { __index = bert })
      net.words = lookup(copy, c.words, c, 'embeddings.word_embeddings')
      net.places = lookup(copy, c.positions, c, 'embeddings.position_embeddings')
      net.types = lookup(copy, c.types, c, 'embeddings.token_type_embeddings')
      net.norm = norm(copy, c, 'embeddings.LayerNorm')
      for i = 1, c.layers do net.layers[i] = layer(copy, c, i - 1) end
      return net
   end)
   torch.setdefaulttensortype(before)
   if not ok then error(net, 0) end
   return net
end

--- The states of all tokens, texts x steps x size. ids and types count from 1; mask is a ByteTensor with 1 at tokens.
function bert:forward(ids, mask, types)
   local texts, steps, size = ids:size(1), ids:size(2), self.config.size
   local places = torch.LongTensor():range(1, steps):view(1, steps):expand(texts, steps):contiguous()
   local x = self.words:forward(ids):clone():add(self.places:forward(places))
   x:add(self.types:forward(types or ids:clone():fill(1)))
   x = self.norm:forward(x):clone()
   local padding = torch.ByteTensor(mask:size()):fill(1):add(-1, mask)
   for _, l in ipairs(self.layers) do
      x:add(l.attention:forward { x, padding })
      x = l.norm:forward(x):clone()
      local inner = l.gelu:forward(l.inner:forward(x:view(texts * steps, size)))
      x:add(l.outer:forward(inner):viewAs(x))
      x = l.last:forward(x):clone()
   end
   return x
end

--- One vector of length 1 for each text: the mean of the states of its tokens.
function bert:vectors(ids, mask)
   local x = self:forward(ids, mask)
   local weight = mask:float()
   local sums = torch.cmul(x, weight:view(weight:size(1), weight:size(2), 1):expandAs(x)):sum(2):select(2, 1)
   return sums:cdiv(sums:norm(2, 2):clamp(1e-12, math.huge):expandAs(sums))
end

return bert
