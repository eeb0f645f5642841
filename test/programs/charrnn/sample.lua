-- test/programs/charrnn/sample.lua - writes text with the model of a checkpoint that train.lua saved; options by lapp.
require 'pl'
require 'torch'
require 'nn'
require 'nngraph'
require 'util.OneHot'
require 'util.misc'

opt = lapp[[
Writes text, character by character
   -s,--seed          (default 123)   of the random numbers
   -g,--greedy                        take the likeliest character
   -p,--primetext     (default "")    text to start with
   -n,--length        (default 60)    how many characters
   -t,--temperature   (default 1)     below 1: likely characters get likelier
   -q,--quiet                         write nothing but the text
   <model>            (string)        checkpoint, or a folder of them
]]

local function say(line)
  if not opt.quiet then print(line) end
end

torch.manualSeed(opt.seed)
if path.isdir(opt.model) then
  local files = tablex.filter(dir.getfiles(opt.model, '*.t7'), function(f) return stringx.endswith(f, '.t7') end)
  table.sort(files)
  opt.model = files[#files]
end
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
  if opt.greedy then
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
