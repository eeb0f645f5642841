-- lua/onnx/export/rules.lua - which class is written by which rule. The files beside this one add rules; so does onnx.exporter.
local rules = {}

local known = {}

--- A rule for classes whose result is computed from their input: write(c, module, x, y) adds nodes for the values x and
-- returns the names of the results, or values. y has the sizes of the results.
-- @param names  of classes, separated by blanks
function rules.leaf(names, write)
   for name in names:gmatch '%S+' do known[name] = { write = write } end
end

--- A rule for classes that hold modules: container(c, module, x) converts these and returns values.
function rules.container(names, container)
   for name in names:gmatch '%S+' do known[name] = { container = container } end
end

--- Classes that have no meaning in ONNX, and why.
-- @param alone  true: the reason does not hold for classes that derive from these and compute
function rules.none(names, reason, alone)
   for name in names:gmatch '%S+' do known[name] = { reason = reason, alone = alone } end
end

local loaded = false

local function load()
   loaded = true
   for _, name in ipairs { 'activation', 'linear', 'convolution', 'pooling', 'normalization', 'shape', 'tables', 'containers',
      'distance', 'embedding', 'recurrent', 'attention', 'graphs', 'none' } do
      require('onnx.export.' .. name)
   end
end

--- The rule for a class, or nil: { write = }, { container = } or { reason = }.
function rules.of(name)
   if not loaded then load() end
   return name and known[name]
end

--- Sets the rule of a class, or removes it.
function rules.set(name, rule)
   if not loaded then load() end
   known[name] = rule
end

return rules
