-- test/cuda/invalid_calls_spec.lua - calls that make no sense are refused on a CUDA device in the words of the CPU, and change nothing.
-- runs once: the device does not depend on the level
local torch = require 'torch'
local op = require 'torch.op'
local draw = require 'test.support.draw'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C
local device = require 'test.support.cuda.device'

if device.missing('wild calls on a CUDA device', describe, pending) then return end

local CALLS = tonumber(os.getenv 'TH_BAD_INPUT_CALLS') or 60          -- for each call form

-- Whatever is among the arguments, with its memory, elsewhere: what was shared stays shared, one object stays one.
local function mover(to)
   local storages, tensors = {}, {}
   local function storage(s, x)
      local key = torch.pointer(s)
      if not storages[key] then
         local other = torch[dtype.words[x._dtype + to] .. 'Storage'](#s)
         storages[key] = #s > 0 and other:copy(s) or other
      end
      return storages[key]
   end
   local function move(x)
      if type(x) == 'table' and not torch.typename(x) then
         local list = {}
         for k, v in pairs(x) do list[k] = move(v) end
         return list
      end
      if not torch.isTensor(x) then return x end
      if tensors[x] then return tensors[x] end
      local make, s = torch[dtype.words[x._dtype + to] .. 'Tensor'], x:storage()
      local y = make()
      if s then y:set(storage(s, x), x:storageOffset(), x:size(), x:stride()) elseif x:nElement() == 0 then y:resize(x:size()) end
      tensors[x] = y
      return y
   end
   return move, tensors
end

local function values(x)
   local list = x:size():totable()
   list[0] = x:type():gsub('Cuda', '')
   if x:nElement() == 0 then return list end
   local flat = x:host():double():contiguous():view(-1)
   for i = 1, flat:size(1) do list[#list + 1] = ('%.17g'):format(flat[i]) end
   return list
end
local function contents(tensors)
   local all = {}
   for x, y in pairs(tensors) do all[x] = table.concat(values(y), ' ') end
   return all
end

-- A message without the words in which the two sides may differ.
local function plain(text)
   return (tostring(text):gsub('torch%.CudaTensor', 'torch.FloatTensor'):gsub('torch%.Cuda', 'torch.'):gsub('0x%x+', '?')
      :gsub('%.?/?[%w_./-]+%.lua:%d+: ', ''))
end

local function arguments(name, form)
   local element, seen, args, n = draw.kind(), {}, {}, 0
   local good
   if draw.whole(2) == 1 and C.th_op_supports(form.op, C.TH_CPU, dtype.id[element]) ~= 0 then
      good = draw.good(name, form, { kind = element, rows = draw.whole(4), cols = draw.whole(5), dim = draw.whole(2),
         layout = draw.pick { 'contiguous', 'transposed' } })
   end
   for _, a in ipairs(form.args) do
      local absent = (a.word == 'out' or a.word == 'self') and draw.whole(3) > 1 or a.default and draw.whole(3) == 1
      if a.word ~= 'return' and not absent then
         n = n + 1
         if good and draw.whole(8) > 1 then
            args[n] = good[a.name]
            if torch.isTensor(args[n]) then seen[#seen + 1] = args[n] end
         else
            args[n] = draw.wild(a, seen, element)
         end
      end
   end
   return args, n
end

-- What the CPU refuses and a device takes, as in cutorch: indices and masks of any type there, and means of whole numbers.
local function takes_more(name, why)
   return why:find 'index must be a LongTensor' or why:find 'mask must be a ByteTensor'
      or name == 'mean' and why:find 'x must be a Float'
end

local function on_device(form)
   for d in ipairs(dtype.names) do if C.th_op_supports(form.op, C.TH_CUDA, d) ~= 0 then return true end end
   return false
end

describe('a wild call on a CUDA device', function()
   local calls, refused = 0, 0
   local memory = C.th_memory_of(0)
   setup(function()
      memory.most = memory.bytes + 2 ^ 28                              -- huge sizes meet their limit soon
      device.cutorch.setSynchronous(true)                              -- elements are checked before a call changes anything
   end)
   teardown(function()
      memory.most = 0
      device.cutorch.setSynchronous(false)
   end)

   local function try(name, form)
      local args, n = arguments(name, form)
      local bring, there = mover(dtype.CUDA)
      local keep = mover(0)
      local ours, theirs = {}, {}
      for i = 1, n do ours[i], theirs[i] = keep(args[i]), bring(args[i]) end
      local before = contents(there)
      local ok, why = pcall(op.func(name), unpack(ours, 1, n))
      local same, reason = pcall(op.func(name), unpack(theirs, 1, n))
      local what = {}
      for i = 1, n do
         what[i] = torch.isTensor(args[i]) and args[i]:type() .. '(' .. table.concat(args[i]:size():totable(), 'x') .. ')'
            or tostring(args[i])
      end
      what = ('%s(%s): '):format(name, table.concat(what, ', '))
      calls = calls + 1
      if ok and same then return end
      if tostring(why):find 'out of memory' or tostring(reason):find 'out of memory' then return end
      local wider = not ok and takes_more(name, plain(why))
      if wider and same then return end
      assert(wider or ok == same and plain(why) == plain(reason), ('%s"%s" on the CPU, "%s" on the device'):format(what,
         ok and 'well' or plain(why), same and 'well' or plain(reason)))
      refused = refused + 1
      for x, text in pairs(contents(there)) do assert(text == before[x], what .. 'changed a tensor') end
   end

   for _, name in ipairs(op.names()) do
      local forms = {}
      for _, form in ipairs(op.forms(name)) do if on_device(form) then forms[#forms + 1] = form end end
      if #forms > 0 then
         it('of ' .. name .. ' is refused in the words of the CPU, or computed', function()
            draw.seed(name)
            for _, form in ipairs(forms) do for _ = 1, CALLS do try(name, form) end end
         end)
      end
   end
   it('was tried in thousands, of which many are refused', function()
      assert(calls > 5000 and refused > calls / 5)
      print(('%d wild calls, %d refused as on the CPU'):format(calls, refused))
   end)
end)
