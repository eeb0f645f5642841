-- test/programs/charrnn/model/gru.lua - one step of stacked gated recurrent units: {x, h1, ...} to {h1, ..., log p}.
return function(n_chars, width, n_layers, dropout)
  local inputs = {nn.Identity()()}
  local outputs = {}
  local below, size = OneHot(n_chars)(inputs[1]), n_chars
  local function sum(x, h)
    return nn.CAddTable()({nn.Linear(size, width)(x), nn.Linear(width, width)(h)})
  end
  for _ = 1, n_layers do
    local h = nn.Identity()()
    table.insert(inputs, h)
    local update = nn.Sigmoid()(sum(below, h))
    local reset = nn.Sigmoid()(sum(below, h))
    local candidate = nn.Tanh()(sum(below, nn.CMulTable()({reset, h})))
    local rest = nn.AddConstant(1, false)(nn.MulConstant(-1, false)(update))
    local next_h = nn.CAddTable()({nn.CMulTable()({update, candidate}), nn.CMulTable()({rest, h})})
    table.insert(outputs, next_h)
    below, size = next_h, width
    if dropout > 0 then below = nn.Dropout(dropout)(below) end
  end
  table.insert(outputs, nn.LogSoftMax()(nn.Linear(width, n_chars)(below)))
  return nn.gModule(inputs, outputs)
end
