-- examples/lib/characters.lua - a network that learns to predict the next character of a text, and writes new text: the code that
-- examples/char.lua and examples/transformer.lua share. Characters are bytes.
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local paths = require 'paths'
local datasets = require 'examples.lib.datasets'
local gzip = require 'examples.lib.gzip'
local trainer = require 'examples.lib.trainer'

local OPTIONS = {
   { 'data', '', 'text8, ptb, or a text to learn from, gzipped or not; empty: doc/' },
   { 'download', false, 'with -data text8 or ptb: fetch it by curl or wget, into ~/.cache/cresset',
     fresh = true },
   { 'sequence', 50, 'characters that a step reads of each sample', { whole = 1 } },
   { 'batchSize', 50, 'samples per step: parts of the text that are read side by side', { whole = 1 } },
   { 'validation', 0.1, 'part of the text, its end, that is kept for the validation', { between = { 0.001, 0.9 } } },
   { 'dropout', 0, 'part of what layers give that is dropped in training', { between = { 0, 0.99 } } },
   { 'clip', 5, 'longest gradient: longer ones are scaled down', { least = 1e-6 } },
   { 'sample', '', 'no training: a model.t7 that writes text', fresh = true },
   { 'length', 500, 'characters that it writes', { whole = 0 }, fresh = true },
   { 'temperature', 0.8, 'of the choice of characters: 0 takes the likeliest, 1 follows the model', { least = 0 }, fresh = true },
   { 'prime', '\n', 'the beginning of the text', fresh = true },
}

local characters = {}

-- ---- text ---------------------------------------------------------------------------------------

local function read_docs(dir)
   local pieces = {}
   for _, folder in ipairs { '', 'reference/' } do
      local names = {}
      for name in paths.files(dir .. folder) do
         if name:find '%.md$' then names[#names + 1] = name end
      end
      table.sort(names)
      for _, name in ipairs(names) do pieces[#pieces + 1] = gzip.readAll(dir .. folder .. name) end
   end
   return table.concat(pieces)
end

-- The bytes that occur in a text, in order; the position in that order is the number of a byte.
local function alphabet(text)
   local seen, list = {}, {}
   for i = 1, #text do seen[text:byte(i)] = true end
   for b = 0, 255 do if seen[b] then list[#list + 1] = string.char(b) end end
   return list
end

--- The numbers of the characters of a text, as a LongTensor; an error names a character that the alphabet lacks.
function characters.encode(text, letters)
   local number = {}
   for i, letter in ipairs(letters) do number[letter:byte()] = i end
   local ids = torch.LongTensor(#text)
   local to = ids:data()
   for i = 1, #text do
      local id = number[text:byte(i)]
      if not id then error(('the model does not know the character %q'):format(text:sub(i, i)), 0) end
      to[i - 1] = id
   end
   return ids
end

--- Cuts a text into `samples` parts of equal length side by side: inputs and, one character further, targets.
function characters.streams(ids, samples)
   local n = math.floor((ids:size(1) - 1) / samples)
   return ids:narrow(1, 1, n * samples):view(samples, n), ids:narrow(1, 2, n * samples):view(samples, n)
end

-- ---- writing ------------------------------------------------------------------------------------

local function forget(net)
   net:apply(function(module) if module.resetStates then module:resetStates() end end)
end

-- The number of the next character, by its log-probabilities.
local function choose(scores, temperature)
   if temperature == 0 then return select(2, scores:max(1))[1] end
   local p = torch.div(scores, temperature)
   return torch.multinomial(p:add(-p:max()):exp():double(), 1)[1]
end

-- Numbers of characters on the device of the net.
local function beside(net, ids) return net:type():find 'Cuda' and ids:cudaLong() or ids end

--- Writes text: `length` characters after `prime`, drawn by torch's random numbers.
-- @param model  { net =, letters =, context = how many characters it reads at once; nil: its state remembers the text }
function characters.write(model, prime, length, temperature)
   if #prime == 0 then error('-prime must have at least one character', 0) end
   local net, ids = model.net, characters.encode(prime, model.letters)
   local out, seen = { prime }, ids
   net:evaluate()
   forget(net)
   for i = 1, length do
      local from = model.context and math.max(1, seen:size(1) - model.context + 1) or 1
      local x = seen:narrow(1, from, seen:size(1) - from + 1)
      local logp = net:forward(characters.input(model, beside(net, x:view(1, -1))))
      local id = choose(logp[logp:size(1)], temperature)
      out[i + 1] = model.letters[id]
      local new = torch.LongTensor { id }
      seen = model.context and torch.cat(x, new, 1) or new
   end
   return table.concat(out)
end

--- The input of a net: numbers, samples x steps; a net that reads `context` characters at once also gets their positions.
function characters.input(model, ids)
   if not model.context then return ids end
   local places = torch.LongTensor():range(1, ids:size(2)):view(1, -1):expand(ids:size()):contiguous():type(ids:type())
   return { ids, places }
end

local function sample(run, kind)
   local opt = run.opt
   local ok, model = pcall(torch.load, opt.sample)
   if not ok then run:stop('cannot load the model: %s', model) end
   if type(model) ~= 'table' or model.kind ~= kind then run:stop('%s holds no model of this program', opt.sample) end
   local done, text = pcall(characters.write, model, opt.prime, opt.length, opt.temperature)
   if not done then run:stop('-prime: %s', text) end
   print(text)
end

-- ---- training -----------------------------------------------------------------------------------

-- The text of -data, which may be the name of a public set or of a file.
local function text_of(opt, here)
   local set = datasets.sets[opt.data]
   if set and #set.files == 1 and not paths.filep(opt.data) then
      local text, line = datasets.text(opt.data, opt.download)
      print(line)
      return text
   end
   if opt.download then error('-download needs -data text8 or ptb', 0) end
   return opt.data == '' and read_docs(here .. '/../doc/') or gzip.readAll(opt.data)
end

-- The text's numbers for training and validation, and the letters.
local function load_text(run, here)
   local opt = run.opt
   local ok, text = pcall(text_of, opt, here)
   if not ok then run:stop('%s%s', text:find '^%-' and '' or '-data: ', text) end
   local letters, cut = alphabet(text), math.floor(#text * (1 - opt.validation))
   local least = opt.batchSize * 2 * opt.sequence + 1
   if math.min(cut, #text - cut) < least then
      run:stop('-data: %d characters are too few: %d for training and %d for validation, each needs at least %d '
               .. '(twice -batchSize times -sequence)', #text, cut, #text - cut, least)
   end
   local ids = characters.encode(text, letters)
   return ids:narrow(1, 1, cut), ids:narrow(1, cut + 1, #text - cut), letters
end

local function nll(net, criterion, model, input, target)
   return criterion:forward(net:forward(characters.input(model, input)), target:view(-1))
end

local function new_net(run, program, letters)
   local ok, net = pcall(program.net, run.opt, letters)
   if not ok then run:stop('%s', (net:gsub('^%S+:%d+: ', ''))) end
   return run:model(net)
end

--- Trains, or writes text with -sample.
-- @param program.name, about, options, defaults  as of examples/lib/trainer.lua
-- @param program.net      function(opt, n): a net from numbers of 1..n to their log-probabilities, a row for each
-- @param program.context  true: the net reads -sequence characters at once and remembers none
function characters.run(here, program)
   local options = {}
   for _, list in ipairs { program.options or {}, OPTIONS } do
      for _, option in ipairs(list) do options[#options + 1] = option end
   end
   program.options = options
   local run, kind = trainer(program), program.name .. ' model'
   local opt = run.opt
   if opt.sample ~= '' then return sample(run, kind) end

   local train, validation, letters = load_text(run, here)
   local keep = run.kept or { net = new_net(run, program, #letters), state = {} }
   local net, model = keep.net, { context = program.context and opt.sequence or nil }
   local criterion = nn.ClassNLLCriterion():type(run.tensorType)
   local parameters, gradParameters = net:getParameters()
   local samples, length = opt.batchSize, opt.sequence
   train, validation = run:place(train), run:place(validation)
   local input, target = characters.streams(train, samples)
   local function part(x, i, offset) return x:narrow(2, (i - 1) * length + 1 + offset, length):contiguous() end
   local steps = math.floor((input:size(2) - length + 1) / length)
   print(('%d characters for training, %d for validation, %d different ones; %d parameters; %d thread%s')
         :format(train:size(1), validation:size(1), #letters, parameters:nElement(), torch.getnumthreads(),
                 torch.getnumthreads() == 1 and '' or 's'))
   local line = torch.LongTensor(1, length):fill(1)
   print(nn.summary(net, characters.input(model, line)))

   local job = { keep = keep, steps = steps, columns = { 'train loss %.4f', 'validation loss %.4f' },
                 curve = { 'Characters', 'loss per character', 'train loss', 'validation loss' } }

   function job.begin(epoch)                   -- each epoch cuts the text at other positions
      keep.state.learningRate = run:rate(epoch)
      keep.offset = torch.random(length) - 1
      forget(net)
      run:forgetGraphs()
   end

   local train_on = run:graph(function(x, t)
      local loss
      optim[opt.optim](function()
         gradParameters:zero()
         local y = net:forward(x)
         loss = criterion:forward(y, t)
         net:backward(x, criterion:backward(y, t))
         optim.clipGradNorm(gradParameters, opt.clip)
         return loss, gradParameters
      end, parameters, keep.state)
      return loss
   end)

   function job.step(_, i)
      net:training()
      local x, t = characters.input(model, part(input, i, keep.offset)), part(target, i, keep.offset):view(-1)
      return { loss = run:number(train_on(x, t)) }
   end

   function job.finish(_, sums)
      net:evaluate()
      forget(net)
      local x, t = characters.streams(validation, samples)
      local n, sum = math.floor(x:size(2) / length), 0
      for i = 1, n do sum = sum + nll(net, criterion, model, part(x, i, 0), part(t, i, 0)) end
      return { ['train loss'] = sums.loss / steps, ['validation loss'] = sum / n }
   end

   local history = run:train(job)
   model.kind, model.net, model.letters = kind, net:clearState(), letters
   forget(net)
   torch.save(run:inSave 'model.t7', model)
   print(('%s, after %q:'):format('a sample', opt.prime))
   local ok, text = pcall(characters.write, model, opt.prime, opt.length, opt.temperature)
   print(ok and text or 'none: ' .. text)
   run:files(job)
   print(('model          %s   writes more with -sample %s -length 1000 -temperature 0.5 -prime TEXT')
         :format(run:inSave 'model.t7', run:inSave 'model.t7'))
   print(('validation loss per character: %.4f'):format(history[#history]['validation loss']))
end

return characters
