-- test/programs/charrnn/sample.lua - writes text with the model of a checkpoint that train.lua saved.
require 'torch'
require 'nn'
require 'nngraph'
require 'util.OneHot'
require 'util.misc'

cmd = torch.CmdLine()
cmd:text('Writes text, character by character')
cmd:text('Options')
cmd:argument('-model', 'checkpoint')
cmd:option('-seed', 123, 'of the random numbers')
cmd:option('-sample', 1, '0 takes the likeliest character, 1 draws one')
cmd:option('-primetext', '', 'text to start with')
cmd:option('-length', 60, 'how many characters')
cmd:option('-temperature', 1, 'below 1: likely characters get likelier')
cmd:option('-verbose', 1, '0 writes nothing but the text')
opt = cmd:parse(arg)

local function say(line)
  if opt.verbose == 1 then print(line) end
end

torch.manualSeed(opt.seed)
local saved = torch.load(opt.model)
local rnn = saved.protos.rnn
rnn:evaluate()

local letters = {}
for c, i in pairs(saved.vocab) do letters[i] = c end

local state = {}
for _ = 1, saved.opt.num_layers * (saved.opt.model == 'lstm' and 2 or 1) do
  table.insert(state, torch.zeros(1, saved.opt.rnn_size):double())
end

local prediction = torch.Tensor(1, #letters):fill(1 / #letters):log()
local function feed(char)
  io.write(letters[char[1]])
  local out = rnn:forward{char, unpack(state)}
  state = {}
  for k = 1, #out - 1 do table.insert(state, out[k]) end
  prediction = out[#out]
end

say('a model of ' .. saved.opt.model .. ' with ' .. saved.opt.num_layers .. ' layers, after ' .. saved.step .. ' steps')
for c in opt.primetext:gmatch('.') do feed(torch.Tensor{saved.vocab[c]}) end
for _ = 1, opt.length do
  local char
  if opt.sample == 0 then
    local _, best = prediction:max(2)
    char = best:resize(1)
  else
    local chances = torch.exp(prediction / opt.temperature):squeeze()
    chances:div(torch.sum(chances))
    char = torch.multinomial(chances:float(), 1):resize(1):float()
  end
  feed(char)
end
io.write('\n')
io.flush()
