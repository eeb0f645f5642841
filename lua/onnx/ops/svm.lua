-- lua/onnx/ops/svm.lua - support vector machines of ai.onnx.ml, as C.-C. Chang and C.-J. Lin, LIBSVM, 2011, describe them.
local types = require 'onnx.types'
local registry = require 'onnx.registry'
local scores_of = require 'onnx.scores'

local DOMAIN = 'ai.onnx.ml'

-- ---- kernels -------------------------------------------------------------------------------------------------------

-- A function of x (from base on) and a vector (from at on), both of `columns` numbers.
local function kernel_of(n)
   local kind, p = n.attr.kernel_type or 'LINEAR', n.attr.kernel_params or {}
   local gamma, coef0, degree = p[1] or 0, p[2] or 0, p[3] or 0
   local function dot(x, base, v, at, columns)
      local sum = 0
      for k = 1, columns do sum = sum + x[base + k] * v[at + k] end
      return sum
   end
   if kind == 'LINEAR' then return dot end
   if kind == 'POLY' then return function(...) return (gamma * dot(...) + coef0) ^ degree end end
   if kind == 'SIGMOID' then
      return function(...)
         local v = gamma * dot(...) + coef0
         local e = math.exp(-2 * math.abs(v))
         return (v < 0 and -1 or 1) * (1 - e) / (1 + e)
      end
   end
   if kind ~= 'RBF' then error(("there is no kernel_type '%s'"):format(tostring(kind)), 0) end
   return function(x, base, v, at, columns)
      local sum = 0
      for k = 1, columns do sum = sum + (x[base + k] - v[at + k]) ^ 2 end
      return math.exp(-gamma * sum)
   end
end

-- The rows of x, and its kernels with all vectors.
local function prepare(n, x, vectors, count)
   local shape = types.shape(x)
   if #shape == 1 then shape = { 1, shape[1] } end
   if #shape ~= 2 then error(('its input must be a matrix, got shape %s'):format(types.shape_text(shape)), 0) end
   local rows, columns = shape[1], shape[2]
   if #vectors ~= count * columns then
      error(('%d numbers are no %d vectors of %d columns'):format(#vectors, count, columns), 0)
   end
   local list, kernel = types.numbers(x), kernel_of(n)
   return rows, function(row)
      local k = {}
      for i = 1, count do k[i] = kernel(list, (row - 1) * columns, vectors, (i - 1) * columns, columns) end
      return k
   end
end

-- ---- regression ----------------------------------------------------------------------------------------------------

registry.add('SVMRegressor', { types = 'float', run = function(n, x)
   local coefficients, count = n.attr.coefficients or {}, n.attr.n_supports or 0
   local linear = count == 0
   local vectors = linear and coefficients or n.attr.support_vectors or {}
   if linear then count = 1 end
   if not linear and #coefficients ~= count then error(('%d coefficients do not fit %d vectors'):format(#coefficients, count), 0) end
   local rows, kernels = prepare(n, x, vectors, count)
   local results = {}
   for row = 1, rows do
      local k, sum = kernels(row), n.attr.rho and n.attr.rho[1] or 0
      for i = 1, count do sum = sum + k[i] * (linear and 1 or coefficients[i]) end
      if (n.attr.one_class or 0) ~= 0 then sum = sum > 0 and 1 or -1 end
      results[row] = scores_of.transform({ sum }, n.attr.post_transform)
   end
   return scores_of.matrix('float', results, 1)
end }, DOMAIN)

-- ---- classes -------------------------------------------------------------------------------------------------------

-- Scores of all pairs of classes.
local function pair_scores(n, k, classes, starts, counts, total)
   local coefficients, rho, scores, pair = n.attr.coefficients, n.attr.rho, {}, 0
   for i = 1, classes - 1 do
      for j = i + 1, classes do
         pair = pair + 1
         local sum = rho[pair]
         for s = starts[i] + 1, starts[i] + counts[i] do sum = sum + coefficients[(j - 2) * total + s] * k[s] end
         for s = starts[j] + 1, starts[j] + counts[j] do sum = sum + coefficients[(i - 1) * total + s] * k[s] end
         scores[pair] = sum
      end
   end
   return scores
end

-- Probabilities of classes from those of pairs: T.-F. Wu, C.-J. Lin, R. Weng, Probability estimates for multi-class classification
-- by pairwise coupling, 2004, second method.
local function couple(r, classes)
   local q, p = {}, {}
   for t = 1, classes do
      p[t], q[t] = 1 / classes, {}
      for j = 1, classes do q[t][j] = 0 end
   end
   for t = 1, classes do
      for j = 1, classes do
         if j ~= t then
            q[t][t] = q[t][t] + r[j][t] ^ 2
            q[t][j] = -r[j][t] * r[t][j]
         end
      end
   end
   for _ = 1, math.max(100, classes) do
      local qp, whole = {}, 0
      for t = 1, classes do
         qp[t] = 0
         for j = 1, classes do qp[t] = qp[t] + q[t][j] * p[j] end
         whole = whole + p[t] * qp[t]
      end
      local worst = 0
      for t = 1, classes do worst = math.max(worst, math.abs(qp[t] - whole)) end
      if worst < 0.005 / classes then break end
      for t = 1, classes do
         local diff = (whole - qp[t]) / q[t][t]
         p[t] = p[t] + diff
         whole = (whole + diff * (diff * q[t][t] + 2 * qp[t])) / (1 + diff) ^ 2
         for j = 1, classes do
            qp[j] = (qp[j] + diff * q[t][j]) / (1 + diff)
            p[j] = p[j] / (1 + diff)
         end
      end
   end
   return p
end

-- Probabilities from scores by the method of J. Platt.
local function probabilities(n, scores, classes)
   local a, b, r, pair = n.attr.prob_a, n.attr.prob_b, {}, 0
   for i = 1, classes do r[i] = {} end
   for i = 1, classes - 1 do
      for j = i + 1, classes do
         pair = pair + 1
         local v = 1 / (1 + math.exp(scores[pair] * a[pair] + b[pair]))
         v = math.max(1e-7, math.min(1 - 1e-7, v))
         r[i][j], r[j][i] = v, 1 - v
      end
   end
   return couple(r, classes)
end

local function votes_of(scores, classes)
   local votes, pair = {}, 0
   for i = 1, classes do votes[i] = 0 end
   for i = 1, classes - 1 do
      for j = i + 1, classes do
         pair = pair + 1
         local winner = scores[pair] > 0 and i or j
         votes[winner] = votes[winner] + 1
      end
   end
   return votes
end

local function check_classifier(n, counts, total)
   local classes = #counts
   local pairs_ = classes * (classes - 1) / 2
   local function need(name, count)
      local list = n.attr[name]
      if not list or #list ~= count then error(("%s must have %d numbers, got %d"):format(name, count, list and #list or 0), 0) end
   end
   need('rho', pairs_)
   need('coefficients', (classes - 1) * total)
   if n.attr.prob_a and #n.attr.prob_a > 0 then
      need('prob_a', pairs_)
      need('prob_b', pairs_)
   end
end

-- Without support vectors, each class has coefficients.
local function linear_classes(n, x, labels)
   local rows, kernels = prepare(n, x, n.attr.coefficients or {}, #labels)
   local results = {}
   for row = 1, rows do
      results[row] = kernels(row)
      for k = 1, #labels do results[row][k] = results[row][k] + (n.attr.rho and n.attr.rho[1] or 0) end
   end
   return scores_of.classes(n, results, labels)
end

registry.add('SVMClassifier', {
   types = function(n) return { n.attr.classlabels_strings and 'string' or 'int64', 'float' } end,
   run = function(n, x)
      local labels = n.attr.classlabels_strings or n.attr.classlabels_ints or error('its labels are missing', 0)
      local counts, starts, total = n.attr.vectors_per_class or {}, {}, 0
      for i, count in ipairs(counts) do
         if count < 0 then error('vectors_per_class must not be negative', 0) end
         starts[i], total = total, total + count
      end
      if total == 0 then return linear_classes(n, x, labels) end
      check_classifier(n, counts, total)
      if #labels < #counts then error(('%d labels do not fit %d classes'):format(#labels, #counts), 0) end
      local rows, kernels = prepare(n, x, n.attr.support_vectors or {}, total)
      local likely = n.attr.prob_a and #n.attr.prob_a > 0
      local decided, results = {}, {}
      for row = 1, rows do
         local scores = pair_scores(n, kernels(row), #counts, starts, counts, total)
         local p = likely and probabilities(n, scores, #counts)
         decided[row] = votes_of(scores, #counts)
         results[row] = p or scores
      end
      local y = scores_of.labels(n.out_types[1], decided, labels)
      local transform = n.attr.post_transform
      if not likely and #counts == 2 then                    -- of the transforms, LOGISTIC changes a single score
         for row, v in ipairs(results) do results[row] = { -v[1], v[1] } end
         transform = transform == 'LOGISTIC' and transform or 'NONE'
      end
      for row = 1, rows do results[row] = scores_of.transform(results[row], transform) end
      return y, scores_of.matrix('float', results, results[1] and #results[1] or #labels)
   end,
}, DOMAIN)
