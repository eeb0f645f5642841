-- test/onnx/more_ops_spec.lua - resizing, sampling, recurrent, spectral, text, picture, ai.onnx.ml and training ops of onnx.
-- runs once: nothing here depends on the level
local torch = require 'torch'
local bytes = require 'test.support.onnx_bytes'
local model_of = require 'test.support.onnx_node'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local types = require 'onnx.types'

teardown(temporary.remove)

local function run(...)
   local m, x = model_of(...)
   return m:forward(x)
end

local function near(v, w, where)
   local fits = v == w or v ~= v and w ~= w or type(v) == 'number' and math.abs(v - w) <= 1e-5 + 1e-4 * math.abs(w)
   assert.is_true(fits, ('%s is %s, not %s'):format(where, tostring(v), tostring(w)))
end

describe('the op', function()
   for i, case in ipairs(require 'test.onnx.recorded_more') do
      local op, attributes, inputs, outputs, domain, version = unpack(case)
      it(('%s (case %d) gives what onnxruntime gives, in the first run and in a planned one'):format(op, i), function()
         local m, x = model_of(op, attributes, inputs, #outputs, domain, version)
         m:forward(x)
         local y = m:forward(x)
         for k, want in ipairs(outputs) do
            local got = #outputs == 1 and y or y['y' .. k]
            assert.equal(want[1], m.outputs[k].type)
            assert.same(want[2], types.shape(got))
            for j, v in ipairs(types.numbers(got)) do near(v, want[3][j], ('output %d, element %d'):format(k, j)) end
         end
      end)
   end
end)

describe('strings', function()
   local words = { 'string', { 2 }, { 'a b  c', ' d ' } }

   it('are joined element by element, with broadcasting', function()
      local y = run('StringConcat', {}, { { 'string', { 2, 1 }, { 'a', 'b' } }, { 'string', { 2 }, { 'x', 'y' } } }, 1)
      assert.same({ shape = { 2, 2 }, 'ax', 'ay', 'bx', 'by' }, y)
   end)

   it('are split at spaces and at delimiters, and counted', function()
      local y = run('StringSplit', {}, { words }, 2)
      assert.same({ shape = { 2, 3 }, 'a', 'b', 'c', 'd', '', '' }, y.y1)
      assert.same({ 3, 1 }, types.numbers(y.y2))
      y = run('StringSplit', { delimiter = ' ', maxsplit = 1 }, { words }, 2)
      assert.same({ shape = { 2, 2 }, 'a', 'b  c', '', 'd ' }, y.y1)
   end)

   it('change the case of letters that are not ASCII', function()
      local text = { 'string', { 2 }, { 'Ünï', 'Σας Дж' } }
      assert.same({ shape = { 2 }, 'ÜNÏ', 'ΣΑΣ ДЖ' }, run('StringNormalizer', { case_change_action = 'UPPER' }, { text }, 1))
      assert.same({ shape = { 2 }, 'ünï', 'σας дж' }, run('StringNormalizer', { case_change_action = 'LOWER' }, { text }, 1))
   end)

   it('are dropped down to one empty string', function()
      assert.same({ shape = { 1 }, '' }, run('StringNormalizer', { stopwords = { strings = { 'A' } } }, { { 'string', { 1 }, { 'a' } } }, 1))
   end)
end)

describe('a pattern', function()
   local function matches(pattern, text)
      return types.number(run('RegexFullMatch', { pattern = pattern }, { { 'string', { 1 }, { text } } }, 1)) == 1
   end

   it('matches whole strings only', function()
      for _, case in ipairs { { 'a|bc*', 'bccc', true }, { 'a|bc*', 'abc', false }, { '[^\\d_]{2,3}', 'aé', true }, { '[^\\d_]{2,3}', 'a1', false },
         { '(?i:ab)C', 'aBC', true }, { '(?i:ab)C', 'aBc', false }, { '\\w+\\b.\\B.', 'ab  ', true }, { '[[:upper:]-]+', 'A-B', true },
         { '\\Qa.b\\E+', 'a.b', true }, { '\\x{e9}', 'é', true }, { '(?P<n>x)?', '', true }, { 'a{2}b{,2}', 'aab{,2}', true }, { '^.$', '\n', false },
         { '(?s).', '\n', true } } do
         assert.equal(case[3], matches(case[1], case[2]), case[1] .. ' ' .. case[2])
      end
   end)

   it('takes no more time for nested repetitions', function()
      assert.is_false(matches('(a*)*(a|aa)*b', ('a'):rep(3000)))
   end)

   it('is refused where it is damaged, too large, or has what is not read', function()
      for pattern, why in pairs { ['('] = 'a parenthesis is open', ['a)'] = 'a parenthesis has no partner', ['[a'] = 'a bracket is open',
         ['*a'] = '* has nothing to repeat', ['a\\'] = 'it ends with a backslash', ['\\1'] = '\\1 is not read', ['(?=a)'] = 'there is no such group',
         ['a{2,1}'] = '{m,n} is out of range', ['((a{1000}){1000})'] = 'it is too large', ['(((){1000}){1000}){1000}'] = 'it is too large',
         [('('):rep(300)] = 'groups are nested more than 200 deep', ['[z-a]'] = 'a range ends before it begins' } do
         refuses('pattern: ' .. why, matches, pattern, 'a')
      end
   end)
end)

describe('an encoded picture', function()
   local function decode(text, format)
      local list = { text:byte(1, -1) }
      return run('ImageDecoder', { pixel_format = format }, { { 'uint8', { #list }, list } }, 1)
   end
   local ppm = 'P6\n2 1\n255\n\1\2\3\250\100\0'
   local bmp = 'BM' .. ('\0'):rep(8) .. '\54\0\0\0\40\0\0\0\2\0\0\0\1\0\0\0\1\0\24\0' .. ('\0'):rep(24) .. '\3\2\1\0\100\250\0\0'

   it('gives its pixels in the order of colours that the node names', function()
      assert.same({ 1, 2, 3, 250, 100, 0 }, types.numbers(decode(ppm, 'RGB')))
      assert.same({ 3, 2, 1, 0, 100, 250 }, types.numbers(decode(ppm, 'BGR')))
      assert.same({ 2, 133 }, types.numbers(decode(ppm, 'Grayscale')))
      assert.same({ 1, 2, 3, 250, 100, 0 }, types.numbers(decode(bmp, 'RGB')))
   end)

   it('that is damaged or of an unknown kind gives an empty picture', function()
      assert.same({ 0, 0, 3 }, types.shape(decode('nothing', 'RGB')))
      assert.same({ 0, 0, 1 }, types.shape(decode(bmp:sub(1, -3), 'Grayscale')))
   end)

   it('in JPEG 2000 is refused', function()
      refuses('JPEG 2000 images are not read', decode, '\0\0\0\12jP  \r\n\135\n', 'RGB')
   end)
end)

describe('an optimizer', function()
   local domain = 'ai.onnx.preview.training'
   local function float(...) return { 'float', { select('#', ...) }, { ... } } end
   local rate, first = { 'float', {}, { 0.5 } }, { 'int64', {}, { 0 } }

   it('makes a step of Momentum and Nesterov, and of Adagrad', function()
      local coefficients = { alpha = { f = 0.5 }, beta = { f = 0.25 }, norm_coefficient = { f = 0 }, mode = 'standard' }
      local y = run('Momentum', coefficients, { rate, first, float(1, 2), float(2, 4), float(1, 0) }, 2, domain)
      assert.same({ -0.25, 0 }, types.numbers(y.y1))
      assert.same({ 2.5, 4 }, types.numbers(y.y2))
      coefficients.mode = 'nesterov'
      y = run('Momentum', coefficients, { rate, first, float(1, 2), float(2, 4), float(1, 0) }, 2, domain)
      assert.same({ -0.625, -1 }, types.numbers(y.y1))
      y = run('Adagrad', { epsilon = { f = 0 } }, { rate, first, float(1), float(3), float(16) }, 2, domain)
      near(types.number(y.y1), 0.7, 'the variable')
      assert.equal(25, types.number(y.y2))
   end)

   it('makes a step of Adam', function()
      local y = run('Adam', { alpha = { f = 0.5 }, beta = { f = 0.75 }, epsilon = { f = 0 } }, { rate, { 'int64', {}, { 1 } }, float(1), float(2),
         float(0), float(0) }, 3, domain)
      near(types.number(y.y1), 0.5, 'the variable')
      assert.equal(1, types.number(y.y2))
      assert.equal(1, types.number(y.y3))
   end)

   it('is refused with numbers of tensors that do not fit', function()
      refuses('3 inputs are no 4 tensors for each variable', run, 'Adam', {}, { rate, first, float(1), float(2), float(3) }, 1, domain)
   end)
end)

describe('a node', function()
   local image = { 'float', { 1, 1, 2, 2 }, { 1, 2, 3, 4 } }
   local rows = { 'float', { 1, 2 }, { 1, 2 } }

   it('is refused with sizes, modes and regions that do not fit', function()
      local scales = { 'float', { 4 }, { 1, 1, 2, 2 } }
      refuses('either scales or sizes must be given', run, 'Resize', {}, { image }, 1)
      refuses("there is no mode 'best'", run, 'Resize', { mode = 'best' }, { image, false, scales }, 1)
      refuses('scales must be positive, got -1', run, 'Resize', {}, { image, false, { 'float', { 4 }, { 1, 1, -1, 1 } } }, 1)
      refuses('is too large', run, 'Resize', {}, { image, false, { 'float', { 4 }, { 1, 1, 1e9, 1 } } }, 1)
      refuses('its grid does not fit its input', run, 'GridSample', {}, { image, rows }, 1)
      refuses('sample 3 is outside of 0..0', run, 'RoiAlign', {}, { image, { 'float', { 1, 4 }, { 0, 0, 1, 1 } }, { 'int64', { 1 }, { 3 } } }, 1)
      refuses('boxes and scores do not fit', run, 'NonMaxSuppression', {}, { { 'float', { 1, 2, 4 }, { 0, 0, 1, 1, 0, 0, 1, 1 } },
         { 'float', { 1, 1, 3 }, { 1, 2, 3 } } }, 1)
   end)

   it('samples nothing at positions that are no numbers', function()
      local y = run('GridSample', {}, { image, { 'float', { 1, 1, 2, 2 }, { 0 / 0, 0, math.huge, 0 } } }, 1)
      assert.same({ 0, 0 }, types.numbers(y))
   end)

   it('is refused with weights and lengths that do not fit', function()
      local x, w, r = { 'float', { 1, 1, 1 }, { 1 } }, { 'float', { 1, 2, 1 }, { 1, 2 } }, { 'float', { 1, 2, 2 }, { 1, 2, 3, 4 } }
      refuses('R must have the shape 1x2x2, got 1x2x1', run, 'RNN', { hidden_size = 2 }, { x, w, w }, 2)
      refuses('hidden_size must be 2, got 3', run, 'RNN', { hidden_size = 3 }, { x, w, r }, 2)
      refuses('length 2 is outside of 0..1', run, 'RNN', { hidden_size = 2 }, { x, w, r, false, { 'int32', { 1 }, { 2 } } }, 2)
      refuses("there is no activation 'Best'", run, 'RNN', { hidden_size = 2, activations = { strings = { 'Best' } } }, { x, w, r }, 2)
   end)

   it('is refused with frames that do not fit', function()
      local signal = { 'float', { 1, 4, 1 }, { 1, 2, 3, 4 } }
      refuses('frame_step must be positive, got 0', run, 'STFT', {}, { signal, { 'int64', {}, { 0 } }, false, { 'int64', {}, { 2 } } }, 1)
      refuses('frames of 9 do not fit 4 samples', run, 'STFT', {}, { signal, { 'int64', {}, { 1 } }, false, { 'int64', {}, { 9 } } }, 1)
   end)

   it('of trees is refused with circles, missing nodes and columns', function()
      local function tree(changes)
         local a = { nodes_treeids = { 0, 0, 0 }, nodes_nodeids = { 0, 1, 2 }, nodes_featureids = { 0, 0, 0 }, nodes_truenodeids = { 1, 0, 0 },
            nodes_falsenodeids = { 2, 0, 0 }, target_treeids = { 0, 0 }, target_nodeids = { 1, 2 }, target_ids = { 0, 0 } }
         for key, list in pairs(changes) do a[key] = list end
         for key, list in pairs(a) do a[key] = { ints = list } end
         a.nodes_values, a.target_weights = { floats = { 0.5, 0, 0 } }, { floats = { 1, 2 } }
         a.nodes_modes = { strings = { 'BRANCH_LEQ', 'LEAF', 'LEAF' } }
         return run('TreeEnsembleRegressor', a, { rows }, 1, 'ai.onnx.ml')
      end
      assert.equal(2, types.number(tree {}))
      refuses('tree 0 has no node 9', tree, { nodes_truenodeids = { 9, 0, 0 } })
      refuses('there is no column 7, but 2', tree, { nodes_featureids = { 7, 0, 0 } })
      refuses('target 5 is outside of 0..0', tree, { target_ids = { 5, 5 } })
      local a = { nodes_falseleafs = { 1, 0 }, nodes_falsenodeids = { 0, 0 }, nodes_featureids = { 0, 0 }, nodes_trueleafs = { 0, 0 },
         nodes_truenodeids = { 1, 0 }, tree_roots = { 0 }, leaf_targetids = { 0 } }
      for key, list in pairs(a) do a[key] = { ints = list } end
      a.nodes_modes, a.nodes_splits = { t = bytes.tensor('m', 'uint8', { 2 }, { 0, 0 }) }, { t = bytes.tensor('s', 'float', { 2 }, { 9, 9 }) }
      a.leaf_weights = { t = bytes.tensor('w', 'float', { 1 }, { 1 }) }
      refuses('nodes of a tree refer to each other in a circle', run, 'TreeEnsemble', a, { rows }, 1, 'ai.onnx.ml')
   end)

   it('leaves its inputs as they are', function()
      local m, x = model_of('OneHotEncoder', { cats_strings = { strings = { 'a' } } }, { { 'string', { 2 }, { 'a', 'b' } } }, 1, 'ai.onnx.ml')
      m:forward(x)
      assert.same({ shape = { 2 }, 'a', 'b' }, x.x1)
      assert.is_true(torch.isTensor(m:forward(x)))
   end)
end)
