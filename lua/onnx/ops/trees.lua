-- lua/onnx/ops/trees.lua - decision trees of ai.onnx.ml.
--
-- All forms become one: nodes are tables { mode, feature, split, yes, no, missing, members }, where yes and no are nodes, and leaves
-- are lists of votes { target, weight } with the field leaf.
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local scores_of = require 'onnx.scores'

local DOMAIN = 'ai.onnx.ml'

-- ---- evaluation ----------------------------------------------------------------------------------------------------

local tests = {
   BRANCH_LEQ = function(x, node) return x <= node.split end,
   BRANCH_LT = function(x, node) return x < node.split end,
   BRANCH_GTE = function(x, node) return x >= node.split end,
   BRANCH_GT = function(x, node) return x > node.split end,
   BRANCH_EQ = function(x, node) return x == node.split end,
   BRANCH_NEQ = function(x, node) return x ~= node.split end,
   BRANCH_MEMBER = function(x, node) return node.members[x] ~= nil end,
}
local numbered = { [0] = 'BRANCH_LEQ', 'BRANCH_LT', 'BRANCH_GTE', 'BRANCH_GT', 'BRANCH_EQ', 'BRANCH_NEQ', 'BRANCH_MEMBER' }

-- The leaf of a row. Nodes that refer to each other in a circle are an error.
local function leaf_of(node, list, base, columns, count)
   local steps = 0
   while not node.leaf do
      steps = steps + 1
      if steps > count then error('nodes of a tree refer to each other in a circle', 0) end
      if node.feature >= columns then error(('there is no column %d, but %d'):format(node.feature, columns), 0) end
      local x = list[base + node.feature + 1]
      local yes
      if x ~= x then yes = node.missing else yes = node.test(x, node) end
      node = yes and node.yes or node.no
   end
   return node
end

local combine = {
   SUM = function(a, b) return a + b end, AVERAGE = function(a, b) return a + b end, MIN = math.min, MAX = math.max,
}

-- Rows of `targets` sums of votes, before any transform.
local function evaluate(forest, x, targets, way, base_values)
   local shape, list, rows = types.shape(x), types.numbers(x), {}
   if #shape ~= 2 then error(('its input must be a matrix, got shape %s'):format(types.shape_text(shape)), 0) end
   local f = combine[way] or error(("there is no aggregate_function '%s'"):format(tostring(way)), 0)
   if base_values and #base_values == 0 then base_values = nil end
   if base_values and #base_values ~= targets and #base_values ~= 1 then
      error(('%d base values do not fit %d results'):format(#base_values, targets), 0)
   end
   for r = 1, shape[1] do
      local sums = {}
      for _, root in ipairs(forest.roots) do
         for _, vote in ipairs(leaf_of(root, list, (r - 1) * shape[2], shape[2], forest.count)) do
            local k = vote[1] + 1
            if k < 1 or k > targets then error(('target %d is outside of 0..%d'):format(vote[1], targets - 1), 0) end
            sums[k] = sums[k] and f(sums[k], vote[2]) or vote[2]
         end
      end
      for k = 1, targets do
         local v = sums[k] or 0
         if way == 'AVERAGE' then v = v / #forest.roots end
         sums[k] = v + (base_values and (base_values[k] or base_values[1]) or 0)
      end
      rows[r] = sums
   end
   return rows
end

-- ---- TreeEnsemble --------------------------------------------------------------------------------------------------

local function need(list, count, what)
   if not list or #list ~= count then error(('%s must have %d numbers, got %d'):format(what, count, list and #list or 0), 0) end
   return list
end

local function members_of(values, at)
   local set = {}
   while at <= #values and values[at] == values[at] do
      set[values[at]] = true
      at = at + 1
   end
   return set, at + 1
end

local function node_at(list, i, what)
   return list[i + 1] or error(('there is no %s %s'):format(what, tostring(i)), 0)
end

-- The nodes of the op with separate leaves.
local function build_ensemble(a)
   local modes, splits, weights = types.numbers(a.nodes_modes), types.numbers(a.nodes_splits), types.numbers(a.leaf_weights)
   local count, nodes, leaves, at = #modes, {}, {}, 1
   local members = a.membership_values and types.numbers(a.membership_values) or {}
   need(splits, count, 'nodes_splits')
   for _, name in ipairs { 'nodes_featureids', 'nodes_truenodeids', 'nodes_falsenodeids', 'nodes_trueleafs', 'nodes_falseleafs' } do
      need(a[name], count, name)
   end
   need(a.leaf_targetids, #weights, 'leaf_targetids')
   for i, w in ipairs(weights) do leaves[i] = { { a.leaf_targetids[i], w }, leaf = true } end
   for i = 1, count do
      local name = numbered[modes[i]] or error(('there is no mode %s'):format(tostring(modes[i])), 0)
      if a.nodes_featureids[i] < 0 then error(('there is no column %d'):format(a.nodes_featureids[i]), 0) end
      local tracks = a.nodes_missing_value_tracks_true
      nodes[i] = { test = tests[name], feature = a.nodes_featureids[i], split = splits[i], missing = tracks and tracks[i] == 1 }
      if name == 'BRANCH_MEMBER' then nodes[i].members, at = members_of(members, at) end
   end
   for i, node in ipairs(nodes) do
      node.yes = a.nodes_trueleafs[i] ~= 0 and node_at(leaves, a.nodes_truenodeids[i], 'leaf') or node_at(nodes, a.nodes_truenodeids[i], 'node')
      node.no = a.nodes_falseleafs[i] ~= 0 and node_at(leaves, a.nodes_falsenodeids[i], 'leaf') or node_at(nodes, a.nodes_falsenodeids[i], 'node')
   end
   local roots = {}
   for i, root in ipairs(a.tree_roots) do roots[i] = node_at(nodes, root, 'node') end
   return { roots = roots, count = count }
end

-- Forests by node, so that they are built once.
local forests = setmetatable({}, { __mode = 'k' })

local function forest_of(n, build)
   local forest = forests[n]
   if not forest then
      forest = build(n.attr)
      forests[n] = forest
   end
   return forest
end

local aggregates = { [0] = 'AVERAGE', 'SUM', 'MIN', 'MAX' }
local transforms = { [0] = 'NONE', 'SOFTMAX', 'LOGISTIC', 'SOFTMAX_ZERO', 'PROBIT' }

registry.add('TreeEnsemble', function(n, x)
   local targets = n.attr.n_targets or 1
   if targets < 1 then error('n_targets must be positive', 0) end
   local rows = evaluate(forest_of(n, build_ensemble), x, targets, aggregates[n.attr.aggregate_function or 1])
   local transform = transforms[n.attr.post_transform or 0] or 'of this number'
   for _, row in ipairs(rows) do scores_of.transform(row, transform) end
   return scores_of.matrix(n.types[1], rows, targets)
end, DOMAIN)

-- ---- the older ops -------------------------------------------------------------------------------------------------

local function either(a, name)
   local t = a[name .. '_as_tensor']
   return t and types.numbers(t) or a[name]
end

-- The nodes of the ops that name nodes by tree and number. kind: 'target' or 'class'
local function build_named(a, kind)
   local ids = a.nodes_nodeids or error('its nodes are missing', 0)
   local count, nodes, by_key, children, roots = #ids, {}, {}, {}, {}
   local values = need(either(a, 'nodes_values'), count, 'nodes_values')
   for _, name in ipairs { 'nodes_treeids', 'nodes_featureids', 'nodes_modes', 'nodes_truenodeids', 'nodes_falsenodeids' } do
      need(a[name], count, name)
   end
   local function key(tree, id) return ('%d %d'):format(tree, id) end
   for i = 1, count do
      local mode, k = a.nodes_modes[i], key(a.nodes_treeids[i], ids[i])
      if by_key[k] then error(('node %d of tree %d is given twice'):format(ids[i], a.nodes_treeids[i]), 0) end
      local tracks = a.nodes_missing_value_tracks_true
      nodes[i] = { feature = a.nodes_featureids[i], split = values[i], missing = tracks and tracks[i] == 1 }
      if mode == 'LEAF' then nodes[i].leaf = true
      else
         nodes[i].test = mode ~= 'BRANCH_MEMBER' and tests[mode] or error(("there is no mode '%s'"):format(tostring(mode)), 0)
         if nodes[i].feature < 0 then error(('there is no column %d'):format(nodes[i].feature), 0) end
      end
      by_key[k] = nodes[i]
   end
   local function find(tree, id) return by_key[key(tree, id)] or error(('tree %d has no node %d'):format(tree, id), 0) end
   for i, node in ipairs(nodes) do
      if not node.leaf then
         node.yes, node.no = find(a.nodes_treeids[i], a.nodes_truenodeids[i]), find(a.nodes_treeids[i], a.nodes_falsenodeids[i])
         children[node.yes], children[node.no] = true, true
      end
   end
   for _, node in ipairs(nodes) do if not children[node] then roots[#roots + 1] = node end end
   local weights = either(a, kind .. '_weights') or {}
   for _, name in ipairs { '_treeids', '_nodeids', '_ids' } do need(a[kind .. name], #weights, kind .. name) end
   local positive = true
   for i, w in ipairs(weights) do
      local leaf = find(a[kind .. '_treeids'][i], a[kind .. '_nodeids'][i])
      leaf[#leaf + 1] = { a[kind .. '_ids'][i], w }
      if w < 0 then positive = false end
   end
   return { roots = roots, count = count, positive = positive }
end

registry.add('TreeEnsembleRegressor', { types = 'float', run = function(n, x)
   local targets = n.attr.n_targets or 1
   if targets < 1 then error('n_targets must be positive', 0) end
   local forest = forest_of(n, function(a) return build_named(a, 'target') end)
   local rows = evaluate(forest, x, targets, n.attr.aggregate_function or 'SUM', either(n.attr, 'base_values'))
   for _, row in ipairs(rows) do scores_of.transform(row, n.attr.post_transform) end
   return scores_of.matrix('float', rows, targets)
end }, DOMAIN)

-- Whether all votes are for one class of two: their sum is the score of the second class.
local function is_binary(n, labels)
   if #labels ~= 2 then return false end
   for _, id in ipairs(n.attr.class_ids or {}) do
      if id ~= n.attr.class_ids[1] then return false end
   end
   return true
end

registry.add('TreeEnsembleClassifier', {
   types = function(n) return { n.attr.classlabels_strings and 'string' or 'int64', 'float' } end,
   run = function(n, x)
      local labels = n.attr.classlabels_strings or n.attr.classlabels_int64s or error('its labels are missing', 0)
      local forest = forest_of(n, function(a) return build_named(a, 'class') end)
      local base_values = either(n.attr, 'base_values')
      if not is_binary(n, labels) then
         return scores_of.classes(n, evaluate(forest, x, #labels, 'SUM', base_values), labels)
      end
      local id = n.attr.class_ids and n.attr.class_ids[1] or 0
      local rows = evaluate(forest, x, 2, 'SUM')
      for i, row in ipairs(rows) do
         rows[i] = { row[id + 1] + (base_values and (base_values[2] or base_values[1]) or 0) }
      end
      return scores_of.classes(n, rows, labels, forest.positive and 0.5 or 0, not forest.positive)
   end,
}, DOMAIN)
