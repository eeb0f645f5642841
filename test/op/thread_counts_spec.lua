-- test/op/thread_counts_spec.lua - one pool of threads, and the same bits for any number of them: every op of the registry.
local torch = require 'torch'
local op = require 'torch.op'
local draw = require 'test.support.draw'
local share = require 'test.support.share'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C
local ffi = require 'ffi'
ffi.cdef 'int memcmp(const void *a, const void *b, size_t n);'

local COUNTS = share.all and { 1, 2, 3, 4, 8 } or { 1, 3, 8 }
local ROWS, COLS = 300, 401                  -- 120300 elements: cheap work is cut into four blocks

local function supports(form, kind) return C.th_op_supports(form.op, C.TH_CPU, dtype.id[kind]) ~= 0 end

-- Float, Double and a type of whole numbers, as far as the op has kernels for them.
local function kinds_of(form)
   local kinds = {}
   for _, kind in ipairs { 'Float', 'Double' } do if supports(form, kind) then kinds[#kinds + 1] = kind end end
   for _, kind in ipairs { 'Long', 'Int', 'Byte' } do
      if supports(form, kind) then
         kinds[#kinds + 1] = kind
         break
      end
   end
   return kinds
end

local function works_along(form)
   for _, a in ipairs(form.args) do if a.word == 'dim' or a.word == 'bool' then return true end end
   return false
end

-- The arguments in their order, written ones as copies that lie in memory like the originals.
local function prepare(form, good)
   local args, n, reads = {}, 0, false
   for _, a in ipairs(form.args) do
      reads = reads or a.word == 'tensor' or a.word == 'list' or a.word == 'inout'
   end
   for _, a in ipairs(form.args) do
      local v, w = good[a.name], a.word
      if w == 'inout' and v then
         local s = v:storage()
         v = v.new(s.new(#s):copy(s), v:storageOffset(), v:size(), v:stride())
      end
      local absent = w == 'return' or w == 'gen' or w == 'self' or w == 'out' and reads      -- results are made by the call
      if not absent then
         n = n + 1
         args[n] = v
      end
   end
   return args, n
end

local function results(...)
   local list = { ... }
   for i, r in ipairs(list) do if torch.isTensor(r) then list[i] = r:contiguous() end end
   return list
end

local function alike(a, b)
   if not torch.isTensor(a) then return ('%a'):format(a) == ('%a'):format(b) end
   return a:type() == b:type() and a:isSameSizeAs(b)
      and (a:nElement() == 0 or ffi.C.memcmp(a:data(), b:data(), a:nElement() * a:elementSize()) == 0)
end

local function run(name, form, good)
   local args, n = prepare(form, good)
   torch.manualSeed(17)
   return results(op.func(name)(unpack(args, 1, n)))
end

-- Runs one case with every count, and twice with the last; returns whether threads shared its work.
local function same_bits(name, form, how)
   local good, want = draw.good(name, form, how), nil
   local before = C.th_loops_shared()
   for k = 1, #COUNTS + 1 do
      local count = COUNTS[math.min(k, #COUNTS)]
      torch.setnumthreads(count)
      local got = run(name, form, good)
      want = want or got
      for i = 1, #want do
         assert(alike(want[i], got[i]), ('result %d of %s (%s), %s, %s, dim %d: %s other bits'):format(i, name,
            form.text, how.kind, how.layout, how.dim, k > #COUNTS and 'a second run gives' or count .. ' threads give'))
      end
   end
   return C.th_loops_shared() > before
end

describe('TH_NUM_THREADS', function()
   it('is passed over when it is no whole number of at least 1', function()
      local function of(text)
         local p = assert(io.popen(("TH_NUM_THREADS='%s' '%s' -e 'print(torch.getnumthreads())' 2>&1"):format(text, os.getenv 'TH')))
         local n = tonumber(p:read '*a')
         p:close()
         return n
      end
      for _, text in ipairs { '', '0', '-3', 'nan', 'inf', 'x', '3x', '0x10', '2.5', '1e1', ('9'):rep(30) } do
         assert.equal(C.th_cores(), of(text), text)
      end
      assert.equal(3, of '3')
      assert.equal(256, of '100000')
   end)
end)

describe('for any number of threads, and on every run, the bits are the same:', function()
   local before, forms, cases, whole = torch.getnumthreads(), 0, 0, {}
   teardown(function() torch.setnumthreads(before) end)
   for _, name in ipairs(op.names()) do
      it(name, function()
         draw.seed(name)
         for _, form in ipairs(op.forms(name)) do
            local shared, kinds = false, kinds_of(form)
            assert(#kinds > 0, 'no type of numbers for ' .. name)
            for _, kind in ipairs(kinds) do
               for _, layout in ipairs { 'contiguous', 'transposed' } do
                  for dim = 1, works_along(form) and 2 or 1 do
                     local how = { kind = kind, layout = layout, rows = ROWS, cols = COLS, dim = dim }
                     shared = same_bits(name, form, how) or shared
                     cases = cases + 1
                  end
               end
            end
            forms = forms + 1
            if not shared then whole[#whole + 1] = name end
         end
      end)
   end
   it('reductions of few long lines', function()
      for _, name in ipairs { 'sum', 'prod', 'mean', 'var', 'std', 'norm', 'max', 'min', 'cumsum', 'cumprod', 'sort', 'softmax' } do
         for _, form in ipairs(op.forms(name)) do
            for dim = 1, 2 do
               local rows, cols = 3, 2e5
               if dim == 1 then rows, cols = cols, rows end
               same_bits(name, form, { kind = 'Float', layout = 'contiguous', rows = rows, cols = cols, dim = dim })
               cases = cases + 1
            end
         end
      end
   end)
   it('was tried for every op', function()
      local n = 0
      while C.th_op_at(n) ~= nil do n = n + 1 end
      assert.equal(n, forms)
      print(('%d ops in %d cases give the same bits with %s threads; %d of them one thread does alone: %s')
         :format(forms, cases, table.concat(COUNTS, ', '), #whole, table.concat(whole, ' ')))
   end)
end)

describe('torch.setnumthreads', function()
   it('sets what torch.getnumthreads says', function()
      local before = torch.getnumthreads()
      torch.setnumthreads(3)
      assert.equal(3, torch.getnumthreads())
      torch.setnumthreads(before)
      assert.is_true(torch.getnumcores() >= 1)
   end)
   it('refuses what is no count', function()
      for _, n in ipairs { 0, -1, 0.5, 1e6, 0 / 0 } do
         assert.is_false((pcall(torch.setnumthreads, n)))
      end
      assert.has_error(function() torch.setnumthreads 'two' end)
   end)
end)
