-- test/oracle.lua - compares calls of every op with PyTorch and NumPy (test/oracle.py), which python3, or $PYTHON, must have.
--
-- `th test/oracle.lua` lists the ops: the specs that test each of them, how many calls were compared, and the differences.
local torch = require 'torch'
local op = require 'torch.op'
local dtype = require 'torch.dtype'
local draw = require 'test.support.draw'
local C = require 'torch.lib'.C
local oracle = {}

-- The ways of calling each form. Only an op that takes none of the types before is called with a type that is `last`.
local WAYS = {
   { kind = 'Double', layout = 'contiguous', rows = 5, cols = 7, dim = 1 },
   { kind = 'Double', layout = 'contiguous', rows = 5, cols = 7, dim = 2 },
   { kind = 'Double', layout = 'transposed', rows = 17, cols = 23, dim = 1 },
   { kind = 'Float', layout = 'contiguous', rows = 6, cols = 9, dim = 2 },
   { kind = 'Long', layout = 'contiguous', rows = 5, cols = 7, dim = 1, last = true },
   { kind = 'Byte', layout = 'contiguous', rows = 5, cols = 7, dim = 1, last = true },
}

local function normalized(a)
   a.eps = 1e-5
   local _, mean, invstd = torch.layernorm(a.x, a.eps, a.weight)
   a.mean, a.invstd = mean, invstd
end

-- Forward passes whose results take the place of what was drawn for a gradient.
local FORWARD = {
   softmax_grad = function(a) a.y = torch.softmax(a.y, a.dim) end,
   logsoftmax_grad = function(a) a.y = torch.logsoftmax(a.y, a.dim) end,
   std_grad = function(a) a.y = torch.std(a.x, a.dim, a.biased) end,
   norm_grad = function(a) a.y = torch.norm(a.x, a.p, a.dim) end,
   nll_loss_grad = function(a)
      local _, total = torch.nll_loss(a.x, a.target, a.weight, a.sizeAverage, a.ignore)
      a.total = total
   end,
   layernorm_grad = normalized, layernorm_grad_sum = normalized,
   layernorm_grad_weight = function(a)
      a.eps = 1e-5
      local _, mean, invstd = torch.layernorm(a.x, a.eps)
      a.mean, a.invstd = mean, invstd
   end,
   batchnorm_grad = function(a)
      a.eps = 1e-5
      if not a.train then return end
      local _, mean, invstd = torch.batchnorm(a.x, true, 0.1, a.eps)
      a.mean, a.invstd = mean, invstd
   end,
   lstm_grad = function(a)
      a.x = a.a:clone():mul(2):add(-1)
      a.h, a.c, a.a = torch.lstm(a.x, a.places, a.weight, a.reverse, nil, a.h0, a.c0)
   end,
   gru_grad = function(a)
      a.x = a.a:clone():mul(2):add(-1)
      a.h, a.q, a.a = torch.gru(a.x, a.places, a.weight, a.reverse, nil, a.h0)
   end,
   rnn_grad = function(a)
      a.x = a.h.new(a.h:size(1), a.weight:size(1)):copy(a.g):mul(0.5)
      a.h = torch.rnn(a.x, a.places, a.weight, a.relu, a.reverse, nil, a.h0)
   end,
   ctc_loss_grad = function(a)
      if a.batchFirst then a.x = a.x:transpose(1, 2):contiguous() end
      local _, alpha = torch.ctc_loss(a.x, a.labels, a.blank, a.lengths, a.batchFirst)
      a.alpha = alpha
   end,
   ctc_loss = function(a) if a.batchFirst then a.x = a.x:transpose(1, 2):contiguous() end end,
   conv2d_grad_input = function(a, d)
      a.g = d(torch.conv2d(a.x, a.weight or a.gw, nil, a.strideH, a.strideW, a.padH, a.padW, a.dilationH, a.dilationW, a.groups))
   end,
   avgpool2d_grad = function(a, d)
      a.g = d(torch.avgpool2d(a.x, a.kH, a.kW, a.strideH, a.strideW, a.padH, a.padW, a.ceil, a.countPad))
   end,
}
FORWARD.conv2d_grad_weight = FORWARD.conv2d_grad_input

-- Further values of arguments that defaults and test/support/draw.lua leave as they are.
local INF = math.huge
local moved = { strideH = 2, strideW = 1, padH = 1, padW = 2, dilationH = 1, dilationW = 2 }
local moved_alone = { add = false }                     -- no addend has the size of its result
for key, value in pairs(moved) do moved_alone[key] = value end
local norms = { { norm = 'ortho' }, { norm = 'forward' } }
local lengths = { { n = 4 }, { n = 9, norm = 'ortho' }, { norm = 'forward' } }
local several = { { s = { 4, 9 }, dim = { 2, 1 } }, { norm = 'ortho' }, { dim = { 1, 2 }, norm = 'forward' } }
local lower = { { uplo = 'L' } }
local powers = { { p = 1 }, { p = 3 }, { p = INF } }
local padded = { kH = 3, kW = 3, padH = 1, padW = 1, countPad = false }
local without = { weight = false, bias = false }
local VARIANTS = {
   symeig = { { vectors = 'V' }, { vectors = 'V', uplo = 'L' } }, eig = { { vectors = 'V' } }, svd = { { size = 'A' } },
   potrf = lower, potri = lower, potrs = lower, pstrf = lower,
   trtrs = { { uplo = 'L' }, { trans = 'T' }, { uplo = 'L', trans = 'T', diag = 'U' } }, ormqr = { { trans = 'T' } },
   topk = { { largest = true }, { sorted = true }, { k = 1, largest = true, sorted = true } },
   norm = { powers[1], powers[2], powers[3], { p = 0 } }, norm_grad = { powers[1], powers[2] }, dist = powers,
   renorm = { powers[1] },
   tril = { { k = 2 }, { k = -2 } }, triu = { { k = 2 }, { k = -2 } }, diag = { { k = 2 }, { k = -2 } },
   roll = { { shift = -2 }, { shift = 100 } },
   conv2d = { moved, { bias = false } }, conv2d_grad_input = { moved }, conv2d_grad_weight = { moved },
   conv2 = { { type = 'F' } }, xcorr2 = { { type = 'F' } }, conv3 = { { type = 'F' } }, xcorr3 = { { type = 'F' } },
   maxpool2d = { { kH = 3, kW = 3, padH = 1, padW = 1 }, { ceil = true, strideH = 3 }, { dilationH = 2, dilationW = 2 } },
   avgpool2d = { padded, { kH = 3, kW = 3, padH = 1, padW = 1, countPad = true } }, avgpool2d_grad = { padded },
   pool2d = { padded, { kind = 'mean' },
      { kind = 'mean', kH = 3, kW = 3, padH = 1, padW = 1, countPad = false } },
   conv2d_fused = { moved_alone, { act = 'relu', add = false }, { act = 'gelu' },
      { act = 'none', bias = false } },
   scale_planes = { { act = 'relu' }, { act = 'none' } },
   dropout = { { scaled = false } },
   attention = { { scale = 0.5 } }, attention_masked = { { scale = 0.5 } },
   fft = lengths, ifft = lengths, rfft = lengths, irfft = lengths,
   fftn = several, ifftn = several, rfftn = several, irfftn = several,
   fft2 = norms, ifft2 = norms, rfft2 = norms, irfft2 = norms,
   fft_grad = { { kind = 1 }, { norm = 'ortho' } }, fftn_grad = { { kind = 4 }, { kind = 9, norm = 'forward' } },
   batchnorm = { without, { eps = 0.1, momentum = 0.5 } }, layernorm = { without }, layernorm_grad = { { weight = false } },
   layernorm_grad_sum = { { weight = false } },
   rnn = { { bias = false, h0 = false } }, lstm = { { bias = false, h0 = false, c0 = false } },
   gru = { { bias = false, h0 = false } },
   lstm_grad = { { ghn = false, gcn = false }, { h0 = false, c0 = false } }, gru_grad = { { ghn = false } },
   rnn_grad = { { ghn = false } },
   ctc_loss = { { batchFirst = true } }, ctc_loss_grad = { { batchFirst = true } },
   adam_step = { { beta1 = 0, beta2 = 0.5, eps = 0.1 } }, rmsprop_step = { { alpha = 0.5, eps = 0.1 } },
   momentum_step = { { decay = 0.5, dampening = 0 }, { momentum = 0.5, dampening = 0, nesterov = true } },
   embedding_grad = { { scale = 0.5, padding = 2 } },
   image_color = { { change = 'hsv2rgb' }, { change = 'rgb2hsl' }, { change = 'hsl2rgb' }, { change = 'rgb2nrgb' } },
   image_polar = { { area = 'full' }, { log = true } }, image_warp = { { offset = false } },
   histc = { { bins = 10, min = 0.25, max = 1 } }, bhistc = { { bins = 10, min = 0.25, max = 1 } },
   multinomial = { { replacement = true } }, linspace = { { first = 3, last = -1 } },
   range = { { first = 3, last = -4, step = -0.5 } },
}
-- What a call needs that test/support/draw.lua leaves out: hues and their like lie in 0..1.
local function in_range(name, a)
   if name == 'image_color' then a.x:add(0.5):div(2) end
   if name == 'histc' or name == 'bhistc' then a.bins = 10 end
end

local function supports(form, kind) return C.th_op_supports(form.op, 0, dtype.id[kind]) ~= 0 end

-- ---- the calls, as text for test/oracle.py -----------------------------------------------------------

local Cases = {}
Cases.__index = Cases

function Cases:json(v, key)
   if torch.isTensor(v) then
      self.tensors[key] = v:clone():contiguous()
      return ('{"tensor": "%s"}'):format(key)
   elseif type(v) == 'table' then
      local parts = {}
      for i, x in ipairs(v) do parts[i] = self:json(x, key .. '.' .. i) end
      return '[' .. table.concat(parts, ', ') .. ']'
   elseif type(v) == 'number' then
      return v == INF and 'Infinity' or ('%.17g'):format(v)
   end
   return type(v) == 'string' and '"' .. v .. '"' or tostring(v)
end

local RESULT = { out = true, self = true, ['return'] = true }

-- Numbers in the place of a result, as its gradient.
local function gradient_like(y) return y.new(y:nElement()):range(1, y:nElement()):sin():viewAs(y) end

function Cases:add(name, form, how, variant)
   local id = #self.list + 1
   draw.seed(name)
   local given = draw.good(name, form, how)
   for _, a in ipairs(form.args) do
      local v = variant[a.name]
      if v == false and torch.isTensor(given[a.name]) then given[a.name] = nil     -- left out
      elseif v ~= nil then given[a.name] = v end
   end
   in_range(name, given)
   local act = name:match '^(.*)_grad$'
   if FORWARD[name] then FORWARD[name](given, gradient_like)
   elseif act and given.y and given.x then given.y = torch[act](given.x) end
   local args, n, texts, is_result = {}, 0, {}, {}
   for _, a in ipairs(form.args) do
      is_result[a.name] = RESULT[a.word]
      if not RESULT[a.word] and a.word ~= 'gen' then
         n = n + 1
         args[n] = given[a.name]
      end
   end
   for k, v in pairs(given) do
      if not is_result[k] then texts[#texts + 1] = ('"%s": %s'):format(k, self:json(v, ('%d/%s'):format(id, k))) end
   end
   torch.manualSeed(id)
   local results, out = { op.func(name)(unpack(args, 1, n)) }, {}
   for i, r in ipairs(results) do out[i] = self:json(r, ('%d/=%d'):format(id, i)) end
   self.list[id] = ('{"id": %d, "op": "%s", "form": "%s", "seed": %d, "args": {%s}, "results": [%s]}'):format(
      id, name, form.text, id, table.concat(texts, ', '), table.concat(out, ', '))
   local what = {}
   for k, v in pairs(variant) do
      what[#what + 1] = (', %s = %s'):format(k, type(v) == 'table' and table.concat(v, ' ') or tostring(v))
   end
   self.about[id] = { name = name, form = form.text, text = ('%s(%s), %s %s %dx%d, dim %d%s'):format(name, form.text, how.kind,
      how.layout, how.rows, how.cols, how.dim, table.concat(what)) }
end

--- All calls: { list = texts, about = { { name =, form =, text = } ... }, tensors = by name }.
function oracle.cases()
   local cases = setmetatable({ list = {}, tensors = {}, about = {} }, Cases)
   for _, name in ipairs(op.names()) do
      for _, form in ipairs(op.forms(name)) do
         local done = false
         for _, how in ipairs(WAYS) do
            if supports(form, how.kind) and not (how.last and done) then
               done = true
               cases:add(name, form, how, {})
               for _, variant in ipairs(how.layout == 'contiguous' and VARIANTS[name] or {}) do
                  cases:add(name, form, how, variant)
               end
            end
         end
      end
   end
   return cases
end

local function run(command)
   local p = assert(io.popen(command))
   local out = p:read '*a'
   p:close()
   return out
end

local python = os.getenv 'PYTHON' or 'python3'

--- Why no reference is available, or nil.
function oracle.missing()
   if run(python .. " -c 'import torch, numpy' >/dev/null 2>&1 && echo both") == 'both\n' then return nil end
   return python .. ' has no PyTorch or no NumPy: set PYTHON to one that has both'
end

--- What was wrong with the calls, as texts by their numbers; who judged; and what else test/oracle.py said.
-- @param name  gives a file name with an extension
function oracle.judge(cases, name)
   local manifest, tensors = name '.json', name '.safetensors'
   local f = assert(io.open(manifest, 'w'))
   f:write('[\n', table.concat(cases.list, ',\n'), '\n]\n')
   f:close()
   torch.save(tensors, cases.tensors)
   local wrong, judged, who, other = {}, 0, nil, {}
   for line in run(('%s test/oracle.py %s %s 2>&1'):format(python, manifest, tensors)):gmatch '[^\n]+' do
      local word, id, text = line:match '^(%l+) (%d+) ?(.*)$'
      id = tonumber(id)
      if word == 'ok' then judged = judged + 1
      elseif word == 'bad' then judged, wrong[id] = judged + 1, text
      elseif word == 'none' then judged, wrong[id] = judged + 1, 'test/oracle.py has no function for it'
      elseif line:find '^PyTorch' then who = line
      else other[#other + 1] = line end
   end
   if judged ~= #cases.list then other[#other + 1] = ('%d of %d calls were judged'):format(judged, #cases.list) end
   return wrong, who, table.concat(other, '\n')
end

-- ---- the list ------------------------------------------------------------------------------------------

local function specs()
   local texts = {}
   for path in run('find test -name "*_spec.lua" -not -path "test/cuda/*"'):gmatch '[^\n]+' do
      local f = assert(io.open(path))
      texts[#texts + 1] = { path = path, text = f:read '*a':gsub('%-%-[^\n]*', '') }
      f:close()
   end
   table.sort(texts, function(a, b) return a.path < b.path end)
   return texts
end

-- The spec with the properties of an op: one that gives its name to test/support/opcheck.lua, or else the one that calls it most.
local function spec_of(name, texts)
   local plain = name:gsub('_$', '')
   local act = plain:match '^(.*)_grad$'
   local function most(pattern, filter)
      local best, times = nil, 0
      for _, t in ipairs(texts) do
         local n = t.text:find(filter, 1, true) and select(2, t.text:gsub(pattern, '')) or 0
         if n > times then best, times = t.path, n end
      end
      return best
   end
   return most("opcheck%.describe%('" .. plain .. "'", 'opcheck') or most("['\"%s]" .. plain .. "['\"]", 'opcheck.')
      or act and most("['\"%s]" .. act .. "['\"]", "_grad'") or most('[%.:]' .. plain .. '[%s(,)]', '')
      or act and most('[%.:]' .. act .. '[%s(,)]', '')
end

local function main()
   local why, cases, texts = oracle.missing(), oracle.cases(), specs()
   local wrong, who, other = {}, nil, ''
   local made = {}
   if not why then
      wrong, who, other = oracle.judge(cases, function(extension)
         local base = os.tmpname()
         made[#made + 1], made[#made + 2] = base, base .. extension
         return base .. extension
      end)
      for _, path in ipairs(made) do os.remove(path) end
   end
   local count, bad, tested, judged, ops = {}, {}, 0, 0, 0
   for id, about in ipairs(cases.about) do
      local key = about.name .. '\0' .. about.form
      count[key] = (count[key] or 0) + 1
      if wrong[id] then bad[key] = (bad[key] or 0) + 1 end
   end
   print(('%-24s %-36s %6s %6s'):format('op', 'spec', 'calls', 'wrong'))
   for _, name in ipairs(op.names()) do
      local spec = spec_of(name, texts)
      for _, form in ipairs(op.forms(name)) do
         local key = name .. '\0' .. form.text
         ops = ops + 1
         if spec then tested = tested + 1 end
         if count[key] then judged = judged + 1 end
         print(('%-24s %-36s %6d %6s'):format(name, spec or 'NONE', count[key] or 0, why and '?' or bad[key] or 0))
      end
   end
   for id, text in pairs(wrong) do print(cases.about[id].text .. ': ' .. text) end
   if other ~= '' then print(other) end
   print(('%d ops: %d have a spec, %d are judged in %d calls by %s'):format(ops, tested, judged, #cases.list,
      who or 'none: ' .. why))
   os.exit((next(wrong) or other ~= '' or tested < ops or judged < ops) and 1 or 0)
end

if arg and arg[0] and arg[0]:find 'oracle%.lua$' then main() end
return oracle
