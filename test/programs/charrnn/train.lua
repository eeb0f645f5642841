-- test/programs/charrnn/train.lua - trains a character model the way programs of 2016 did: an LSTM in nngraph, one copy for each
-- time step, options from CmdLine, files through Penlight, rmsprop on one flat vector.
require 'torch'
require 'nn'
require 'nngraph'
require 'optim'
require 'util.OneHot'
require 'util.misc'
local Text = require 'util.Text'
local model_utils = require 'util.model_utils'

cmd = torch.CmdLine()
cmd:text()
cmd:text('Trains a model of characters')
cmd:text()
cmd:text('Options')
cmd:option('-data_dir', 'data', 'folder with input.txt')
cmd:option('-model', 'lstm', 'lstm or gru')
cmd:option('-rnn_size', 24, 'width of a layer')
cmd:option('-num_layers', 2, 'how many layers')
cmd:option('-dropout', 0, 'dropout after each layer')
cmd:option('-learning_rate', 2e-2, 'of rmsprop')
cmd:option('-decay_rate', 0.95, 'of the mean of squares in rmsprop')
cmd:option('-lr_decay', 0.9, 'factor of the learning rate after each epoch')
cmd:option('-seq_length', 12, 'steps in time')
cmd:option('-batch_size', 8, 'lines in parallel')
cmd:option('-max_epochs', 4, 'passes over the text')
cmd:option('-grad_clip', 5, 'bound of each gradient')
cmd:option('-val_frac', 0.1, 'part of the text for validation')
cmd:option('-init_from', '', 'checkpoint to start from')
cmd:option('-seed', 123, 'of the random numbers')
cmd:option('-print_every', 20, 'steps between two lines')
cmd:option('-checkpoint_dir', 'cv', "folder for checkpoints; '' writes none, and needs no Penlight")
cmd:option('-savefile', 'tiny', 'start of their names')
cmd:option('-threads', 1, 'threads of the CPU')
cmd:option('-gpuid', -1, 'which gpu to use, -1 for the CPU')
cmd:text()
opt = cmd:parse(arg)

torch.manualSeed(opt.seed)
torch.setnumthreads(opt.threads)

if opt.gpuid >= 0 then
  local ok, cunn = pcall(require, 'cunn')
  local ok2, cutorch = pcall(require, 'cutorch')
  if ok and ok2 then
    cutorch.setDevice(opt.gpuid + 1)
    cutorch.manualSeed(opt.seed)
  else
    print('no GPU: ' .. tostring(not ok and cunn or cutorch):match('[^\n]*'))
    opt.gpuid = -1
  end
end

local function ship(x)
  if opt.gpuid >= 0 then return x:cuda() end
  return x
end

local text = Text.load(opt.data_dir, opt.batch_size, opt.seq_length, opt.val_frac)
print(string.format('%d characters, batches: %d for training, %d for validation', text.n_chars, text.n_train, text.n_val))

if opt.checkpoint_dir ~= '' and not path.exists(opt.checkpoint_dir) then
  path.mkdir(opt.checkpoint_dir)
end

-- one step in time
if opt.init_from ~= '' then
  local saved = torch.load(opt.init_from)
  protos = saved.protos
  opt.rnn_size, opt.num_layers, opt.model = saved.opt.rnn_size, saved.opt.num_layers, saved.opt.model
  for c, i in pairs(saved.vocab) do
    assert(text.vocab[c] == i, 'the checkpoint has other characters')
  end
else
  protos = {}
  local build = require('model.' .. opt.model)
  protos.rnn = build(text.n_chars, opt.rnn_size, opt.num_layers, opt.dropout)
  protos.criterion = nn.ClassNLLCriterion()
end
for _, net in pairs(protos) do ship(net) end

-- all parameters in one vector
params, grad_params = model_utils.combine_all_parameters(protos.rnn)
if opt.init_from == '' then
  params:uniform(-0.08, 0.08)
  for _, node in ipairs(protos.rnn.forwardnodes) do
    local name = node.data.annotations.name
    if name and name:find('^gates_') and opt.model == 'lstm' then
      node.data.module.bias[{{opt.rnn_size + 1, 2 * opt.rnn_size}}]:fill(1) -- the gate that forgets
    end
  end
end
print('parameters: ' .. params:nElement())

-- one copy for each step; they share the parameters
clones = {}
for name, proto in pairs(protos) do
  clones[name] = model_utils.clone_many_times(proto, opt.seq_length)
end

local zero_state = {}
for _ = 1, opt.num_layers * (opt.model == 'lstm' and 2 or 1) do
  table.insert(zero_state, ship(torch.zeros(opt.batch_size, opt.rnn_size)))
end

-- Runs all steps over a batch. Returns the loss, and what came out: the states before and after each step, the predictions.
local function unroll(x, y, first)
  local states, predictions, loss = {[0] = first}, {}, 0
  for t = 1, opt.seq_length do
    local out = clones.rnn[t]:forward{x[t], unpack(states[t - 1])}
    states[t] = {}
    for k = 1, #zero_state do table.insert(states[t], out[k]) end
    predictions[t] = out[#out]
    loss = loss + clones.criterion[t]:forward(predictions[t], y[t])
  end
  return loss / opt.seq_length, states, predictions
end

-- Time goes along dimension 1.
local function fetch(split, k)
  local x, y = text:batch(split, k)
  return ship(x:transpose(1, 2):contiguous():float()), ship(y:transpose(1, 2):contiguous():float())
end

function validate()
  for t = 1, opt.seq_length do clones.rnn[t]:evaluate() end
  local sum, state = 0, zero_state
  for k = 1, text.n_val do
    local x, y = fetch('val', k)
    local loss, states = unroll(x, y, state)
    sum, state = sum + loss, states[opt.seq_length]
  end
  for t = 1, opt.seq_length do clones.rnn[t]:training() end
  return sum / text.n_val
end

local state, step = clone_list(zero_state), 0
function feval(x)
  if x ~= params then params:copy(x) end
  grad_params:zero()
  local input, target = fetch('train', step % text.n_train + 1)
  local loss, states, predictions = unroll(input, target, state)
  local grad = clone_list(zero_state, true)
  for t = opt.seq_length, 1, -1 do
    table.insert(grad, clones.criterion[t]:backward(predictions[t], target[t]))
    local back = clones.rnn[t]:backward({input[t], unpack(states[t - 1])}, grad)
    grad = {}
    for k, g in pairs(back) do
      if k > 1 then grad[k - 1] = g end
    end
  end
  state = clone_list(states[opt.seq_length])
  grad_params:clamp(-opt.grad_clip, opt.grad_clip)
  return loss, grad_params
end

local optim_state = {learningRate = opt.learning_rate, alpha = opt.decay_rate}
local train_losses, val_losses = {}, {}
local n_steps = opt.max_epochs * text.n_train
while step < n_steps do
  local timer = torch.Timer()
  local _, loss = optim.rmsprop(feval, params, optim_state)
  step = step + 1
  train_losses[step] = loss[1]
  if loss[1] ~= loss[1] or loss[1] > 3 * math.log(text.n_chars) then
    print('the loss grows without bound')
    break
  end
  if step % opt.print_every == 0 then
    print(string.format('%d/%d (epoch %.2f), loss %.4f, grad/param norm %6.4e, %.3f s', step, n_steps, step / text.n_train,
      loss[1], grad_params:norm() / params:norm(), timer:time().real))
  end
  if step % text.n_train == 0 then
    optim_state.learningRate = optim_state.learningRate * opt.lr_decay
    val_losses[step] = validate()
    if opt.checkpoint_dir ~= '' then
      local name = string.format('lm_%s_epoch%.2f_%.4f.t7', opt.savefile, step / text.n_train, val_losses[step])
      local file = path.join(opt.checkpoint_dir, name)
      torch.save(file, {protos = protos, opt = opt, vocab = text.vocab, step = step, train_losses = train_losses,
                        val_losses = val_losses})
      print('saved ' .. path.basename(file))
    end
  end
  if step % 10 == 0 then collectgarbage() end
end
print(string.format('training loss %.17g, validation loss %.17g', train_losses[#train_losses], val_losses[#train_losses]))
