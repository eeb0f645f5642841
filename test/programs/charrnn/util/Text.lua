-- test/programs/charrnn/util/Text.lua - batches of characters and of those that follow; a class by metatable.
local Text = {}
Text.__index = Text

-- Writes the vocabulary and the text as numbers, for the next run.
local function prepare(from, vocab_file, tensor_file)
  local f = torch.DiskFile(from, 'r')
  local bytes = f:readString('*a')
  f:close()
  local seen, chars = {}, {}
  for c in bytes:gmatch('.') do
    if not seen[c] then
      seen[c] = true
      chars[#chars + 1] = c
    end
  end
  table.sort(chars)
  local vocab = {}
  for i, c in ipairs(chars) do vocab[c] = i end
  local data = torch.ByteTensor(#bytes)
  for i = 1, #bytes do data[i] = vocab[bytes:sub(i, i)] end
  torch.save(vocab_file, vocab)
  torch.save(tensor_file, data)
end

function Text.load(folder, batch_size, seq_length, val_frac)
  local self = setmetatable({}, Text)
  local vocab_file, tensor_file = paths.concat(folder, 'vocab.t7'), paths.concat(folder, 'data.t7')
  if not (paths.filep(vocab_file) and paths.filep(tensor_file)) then
    print('preparing the text')
    prepare(paths.concat(folder, 'input.txt'), vocab_file, tensor_file)
  end
  local data = torch.load(tensor_file)
  self.vocab = torch.load(vocab_file)
  self.n_chars = 0
  for _ in pairs(self.vocab) do self.n_chars = self.n_chars + 1 end

  local whole = batch_size * seq_length
  data = data:sub(1, whole * math.floor(data:size(1) / whole))
  local following = data:clone()
  following:sub(1, -2):copy(data:sub(2, -1))
  following[-1] = data[1]
  self.x = data:view(batch_size, -1):split(seq_length, 2)
  self.y = following:view(batch_size, -1):split(seq_length, 2)
  self.n_val = math.floor(#self.x * val_frac)
  self.n_train = #self.x - self.n_val
  assert(self.n_val > 0 and self.n_train > 0, 'the text is too short')
  return self
end

function Text:batch(split, k)
  if split == 'val' then k = k + self.n_train end
  return self.x[k], self.y[k]
end

return Text
