-- test/cuda/ops_spec.lua - every op that takes CUDA tensors gives on the device what it gives on the CPU.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local op = require 'torch.op'
local draw = require 'test.support.draw'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C
local device = require 'test.support.cuda.device'

if device.missing('CUDA kernels', describe, pending) then return end

-- How far results may lie apart, as a part of the larger one, or of 1; those of a Fourier transform, which are sums of all numbers
-- of a line, as a part of the largest element.
local TOLERANCE = { Half = 2e-3, BFloat16 = 2e-2, Float = 2e-6, Double = 1e-13 }

-- The tensor on the device, in memory that is laid out in the same way.
local function move(x)
   local s = x:storage()
   local word = dtype.words[x._dtype + dtype.CUDA]
   if not s then return torch[word .. 'Tensor']() end
   local there = torch[word .. 'Storage'](#s):copy(s)
   return torch[word .. 'Tensor'](there, x:storageOffset(), x:size(), x:stride())
end

local function copy(x)
   local s = x:storage()
   if not s then return x:clone() end
   return x.new(s.new(#s):copy(s), x:storageOffset(), x:size(), x:stride())
end

-- A generator that stands where words of two blocks are taken together.
local function generator(kind)
   local g = torch.Generator(kind)
   torch.manualSeed(g, 11)
   torch.random(g)
   return g
end

-- Ops that take whole numbers on devices only.
local ONLY_THERE = { mean = 1 }

-- As in cutorch, p of geometric is the chance to end there, and as in Torch7 the chance to continue here.
local function as_there(name, good)
   if name == 'geometric' then good.p = 1 - good.p end
   return good
end

-- Does a form take tensors? Then its results go where they are; otherwise the result given says where.
local function takes_tensors(form)
   for _, a in ipairs(form.args) do
      if a.word == 'tensor' or a.word == 'inout' or a.word == 'self' or a.word == 'list' then return true end
   end
   return false
end

-- The arguments in their order, tensors changed by `f`; results are made by the call.
local function prepare(form, good, f, kind)
   local args, n, made = {}, 0, takes_tensors(form)
   for _, a in ipairs(form.args) do
      local v, w = good[a.name], a.word
      if w == 'gen' then v = generator(kind) end
      if not (w == 'return' or w == 'self' or w == 'out' and made) then
         n = n + 1
         if torch.isTensor(v) then v = f(v)
         elseif w == 'list' then
            local list = {}
            for i, x in ipairs(v) do list[i] = f(x) end
            v = list
         end
         args[n] = v
      end
   end
   return args, n
end

local function near(want, got, limit, largest)
   if want == got or want ~= want and got ~= got then return true end
   return math.abs(want - got) <= limit * math.max(largest or 1, math.abs(want), math.abs(got))
end

-- Texts are made for what differs only: LuaJIT keeps long texts that are alike in one chain of its table.
local function compare(what, want, got, limit, largest)
   if not torch.isTensor(want) then
      assert(type(want) == type(got), what)
      if type(want) ~= 'number' then return assert(want == got, what) end
      if near(want, got, limit, largest) then return end
      error(('%s: %.17g on the CPU, %.17g on the device'):format(what, want, got))
   end
   assert(torch.isTensor(got) and got:type():find '^torch%.Cuda', what .. ': the result is not on the device')
   got = got:host()
   assert(want:type() == got:type() and want:isSameSizeAs(got), ('%s: %s of other size or type than %s'):format(what,
      got:type(), want:type()))
   if want:nElement() == 0 then return end
   local a, b = want:double():contiguous():view(-1), got:double():contiguous():view(-1)
   largest = largest and math.max(1, a:clone():abs():max())
   for i = 1, a:size(1) do
      if not near(a[i], b[i], limit, largest) then compare(('%s, element %d'):format(what, i), a[i], b[i], limit, largest) end
   end
end

local function try(name, form, how)
   local good = draw.good(name, form, how)
   local what = ('%s (%s), %s, %s, dim %d'):format(name, form.text, how.kind, how.layout, how.dim)
   local kind = how.dim == 1 and 'philox' or 'mt19937'
   local args, n = prepare(form, good, copy, kind)
   local want = { op.func(name)(unpack(args, 1, n)) }
   args, n = prepare(form, as_there(name, good), move, kind)
   local got = { op.func(name)(unpack(args, 1, n)) }
   assert(#want == #got, what)
   local largest = name:find 'fft' and 1 or nil
   for i = 1, #want do compare(('%s: result %d'):format(what, i), want[i], got[i], TOLERANCE[how.kind] or 0, largest) end
end

local function on_device(form)
   for d in ipairs(dtype.names) do if C.th_op_supports(form.op, C.TH_CUDA, d) ~= 0 then return true end end
   return false
end

describe('on a CUDA device, as on the CPU:', function()
   local forms, by_cpu, cases, all = 0, 0, 0, 0
   for _, name in ipairs(op.names()) do
      local here = {}
      for _, form in ipairs(op.forms(name)) do
         all = all + 1
         if on_device(form) then here[#here + 1] = form end
      end
      if #here > 0 then
         it(name, function()
            draw.seed(name)
            for _, form in ipairs(here) do
               for d, kind in ipairs(dtype.names) do
                  local kernel = C.th_op_supports(form.op, C.TH_CPU, d)
                  assert.equal(ONLY_THERE[name] or kernel, C.th_op_supports(form.op, C.TH_CUDA, d), name .. ' for ' .. kind)
                  for _, layout in ipairs(kernel ~= 0 and { 'contiguous', 'transposed' } or {}) do
                     for dim = 1, 2 do
                        try(name, form, { kind = kind, layout = layout, rows = 5, cols = 37, dim = dim })
                        cases = cases + 1
                     end
                  end
               end
               forms = forms + 1
               if C.th_op_is_by_cpu(form.op) ~= 0 then by_cpu = by_cpu + 1 end
            end
         end)
      end
   end
   it('long lines, and more elements than a block has threads', function()
      for _, name in ipairs { 'sum', 'prod', 'mean', 'var', 'std', 'norm', 'add', 'exp', 'gt', 'copy', 'max', 'min',
         'index', 'indexAdd', 'gather', 'scatter', 'scatterAdd', 'maskedSelect', 'maskedCopy', 'nonzero', 'uniform', 'normal', 'sort', 'topk',
         'kthvalue', 'median', 'mode', 'cumsum', 'cumprod', 'histc', 'std_grad', 'renorm' } do
         for _, form in ipairs(op.forms(name)) do
            if on_device(form) then
               for dim = 1, 2 do
                  try(name, form, { kind = 'Double', layout = 'contiguous', rows = dim == 1 and 1300 or 7, cols = dim == 1 and 7 or 1300,
                     dim = dim })
               end
            end
         end
      end
   end)
   it('was tried for all of them', function()
      assert(forms > 0)
      print(('%d of %d ops have CUDA kernels, and %d are left to the CPU; they give what the CPU gives in %d cases'):format(
         forms - by_cpu, all, by_cpu, cases))
   end)
end)
