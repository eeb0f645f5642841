-- examples/transformer.lua - a small transformer learns to write like a text, character by character.
--    th examples/transformer.lua                       the project's own documentation
--    th examples/transformer.lua -data FILE            any text, gzipped or not
--    th examples/transformer.lua -sample out/model.t7 -prime 'th> ' -temperature 0.5
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local nn = require 'nn'

local function sequential(...)
   local net = nn.Sequential()
   for _, module in ipairs { ... } do net:add(module) end
   return net
end

-- x + f(normalised x)
local function residual(size, ...)
   local change = sequential(nn.LayerNormalization(size, 0, 1e-5), ...)
   return sequential(nn.ConcatTable():add(nn.Identity()):add(change), nn.CAddTable())
end

local function net(opt, letters)
   local size = opt.hidden
   local all = sequential(
      nn.ParallelTable():add(nn.LookupTable(letters, size)):add(nn.LookupTable(opt.sequence, size)),
      nn.CAddTable())
   for _ = 1, opt.layers do
      all:add(residual(size, nn.MultiHeadAttention(size, opt.heads, opt.dropout, true), nn.Dropout(opt.dropout)))
      all:add(residual(size, nn.Bottle(sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size),
                                                  nn.Dropout(opt.dropout)))))
   end
   for _, table in ipairs(all:findModules 'nn.LookupTable') do table:reset(0.1) end
   return all:add(nn.LayerNormalization(size, 0, 1e-5)):add(nn.View(-1, size)):add(nn.Linear(size, letters)):add(nn.LogSoftMax())
end

require 'examples.lib.characters'.run(here, {
   name = 'transformer',
   about = 'Trains a small transformer on a text, character by character, and lets it write.',
   net = net,
   context = true,
   options = {
      { 'layers', 4, 'of attention, each followed by two linear maps', { whole = 1 } },
      { 'hidden', 128, 'features of each character', { whole = 1 } },
      { 'heads', 4, 'of each attention; they divide -hidden', { whole = 1 } },
   },
   defaults = { optim = 'adamw', epochs = 20, decay = 0.9, weightDecay = 0.01, sequence = 64, batchSize = 32, clip = 1,
                dropout = 0.1 },
   rates = { adam = 0.001, adamw = 0.001, rmsprop = 0.0005, sgd = 0.1 },
})
