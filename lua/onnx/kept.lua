-- lua/onnx/kept.lua - what nodes keep between runs of a plan: views of memory that stays in place.
--
-- A run with known input sizes gives most nodes the same memory again. A view of it, such as the
-- result of a Reshape, needs no second computation. Nodes compare the tensor that they get with the
-- one of the run before: the storage, the offset, the sizes and the strides.
local ffi = require 'ffi'
local node_class = require 'onnx.node'
local plan = require 'onnx.plan'
local types = require 'onnx.types'

local M = {}

ffi.cdef 'int memcmp(const void *a, const void *b, size_t bytes);'
local C, BYTES, is_tensor = ffi.C, ffi.sizeof 'th_tensor', types.is_tensor

--- Whether a value is a tensor with the same view of the same memory as tensor a. It compares all
-- bytes by one call, because the interpreter is slow to read a field. Sizes of unused dimensions
-- may differ, which costs the caller a computation.
local function same(a, b) return is_tensor(b) and C.memcmp(a, b, BYTES) == 0 end
M.same = same

--- Whether the plan of a node owns the memory of a tensor, or the model does.
function M.stays(n, t) return n.kept and n.kept.memory[plan.address(t) or 0] or false end

--- A tensor to compare later ones with. The tensor itself may be resized.
M.seen = types.alias

-- n:keep(key, t, f, ...): f(t, ...), which is a view of t. It is the kept one if t is as in the
-- run before.
function node_class.class:keep(key, t, f, a, b)
   local kept = self.kept
   if not kept then return f(t, a, b) end
   local entry = kept[key]
   if entry and same(entry.of, t) then return entry.view end
   local view = f(t, a, b)
   if view._storage == t._storage and M.stays(self, t) then
      kept[key] = { of = types.alias(t), view = view }
   else
      kept[key] = nil
   end
   return view
end

--- Keeps the arguments of a call that computes y from x and, where there is one, an addend. It is
-- for later runs of the plan, where all of them stay.
function M.keep_call(n, call, y, x, add)
   if not M.stays(n, x) or not M.stays(n, y) or add ~= nil and not M.stays(n, add) then return end
   call.result, call.seen_y, call.seen_x = y, types.alias(y), types.alias(x)
   call.seen_add = add ~= nil and types.alias(add) or nil
   n.kept.call = call
end

--- The kept call of a node for the same tensors, or nil.
function M.call_of(n, x, add)
   local call = n.kept and n.kept.call
   if not call or not same(call.seen_x, x) or not same(call.seen_y, call.result)
      or (add == nil) ~= (call.seen_add == nil)
      or add ~= nil and not same(call.seen_add, add) then return nil end
   return call
end

--- The function run of a node whose result is a view of its first input, and whose other inputs
-- never change within a plan.
function M.view_of(run)
   return function(n, x, a, b, c, d)
      local kept = n.kept
      local entry = kept and kept.view
      if entry and same(entry.of, x) then return entry.view end
      local y = run(n, x, a, b, c, d)
      if kept and types.is_tensor(x) and types.is_tensor(y) and y._storage == x._storage
         and M.stays(n, x) then kept.view = { of = types.alias(x), view = types.alias(y) } end
      return y
   end
end

return M
