-- test/programs/charrnn/model/lstm.lua - one step of stacked LSTM layers: {x, c1, h1, ...} to {c1, h1, ..., log p}.
return function(n_chars, width, n_layers, dropout)
  local inputs = {nn.Identity()()}
  local outputs = {}
  local below, size = OneHot(n_chars)(inputs[1]), n_chars
  for layer = 1, n_layers do
    local c, h = nn.Identity()(), nn.Identity()()
    table.insert(inputs, c)
    table.insert(inputs, h)
    local sums = nn.CAddTable()({
      nn.Linear(size, 4 * width)(below):annotate{name = 'gates_' .. layer},
      nn.Linear(width, 4 * width)(h)
    })
    local i, f, o, g = nn.SplitTable(2)(nn.Reshape(4, width)(sums)):split(4)
    local next_c = nn.CAddTable()({
      nn.CMulTable()({nn.Sigmoid()(f), c}),
      nn.CMulTable()({nn.Sigmoid()(i), nn.Tanh()(g)})
    })
    local next_h = nn.CMulTable()({nn.Sigmoid()(o), nn.Tanh()(next_c)})
    table.insert(outputs, next_c)
    table.insert(outputs, next_h)
    below, size = next_h, width
    if dropout > 0 then below = nn.Dropout(dropout)(below) end
  end
  table.insert(outputs, nn.LogSoftMax()(nn.Linear(width, n_chars)(below):annotate{name = 'decoder'}))
  return nn.gModule(inputs, outputs)
end
