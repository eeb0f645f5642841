-- examples/char.lua - a recurrent network learns to write like a text, character by character.
--    th examples/char.lua                              the project's own documentation
--    th examples/char.lua -data FILE                   any text, gzipped or not
--    th examples/char.lua -sample out/model.t7 -prime 'th> ' -temperature 0.5
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local nn = require 'nn'
require 'nn.recurrent'

local function net(opt, letters)
   local kinds = { lstm = nn.LSTM, gru = nn.GRU, rnn = nn.RNN }
   return nn.Sequential()
      :add(nn.LookupTable(letters, opt.hidden))
      :add(kinds[opt.model](opt.hidden, opt.hidden, opt.layers, true, opt.dropout, true))
      :add(nn.View(-1, opt.hidden))
      :add(nn.Dropout(opt.dropout))
      :add(nn.Linear(opt.hidden, letters))
      :add(nn.LogSoftMax())
end

require 'examples.lib.characters'.run(here, {
   name = 'char',
   about = 'Trains a recurrent network on a text, character by character, and lets it write.',
   net = net,
   options = {
      { 'model', 'lstm', 'lstm, gru or rnn', { 'lstm', 'gru', 'rnn' } },
      { 'layers', 2, 'recurrent layers one above the other', { whole = 1 } },
      { 'hidden', 128, 'units of each', { whole = 1 } },
   },
   defaults = { optim = 'adam', epochs = 20, decay = 0.9, weightDecay = 0 },
   rates = { adam = 0.005, adamw = 0.005, rmsprop = 0.002, sgd = 1 },
})
