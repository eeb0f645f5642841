-- torch.npy - NumPy's files: .npy holds one tensor, .npz a zip archive of them.
--
-- torch.load and torch.save call this. The parsers are lib/io/npy.c and zip.c; they run no code from a file.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local format = require 'torch.format'
local zip = require 'torch.zip'
local C = lib.C
local check, take, put, le = format.check, format.take, format.put, format.le

local npy = {}

local HEADER = 10012                        -- the longest header with the bytes before it
local head = ffi.new('uint8_t[?]', HEADER)
local h, member = ffi.new 'th_npy', ffi.new 'th_zip_member'

local codes = { Byte = '|u1', Char = '|i1', Short = 'i2', Int = 'i4', Long = 'i8', Half = 'f2', Float = 'f4', Double = 'f8' }
local order = ffi.abi 'le' and '<' or '>'

-- ---- reading ------------------------------------------------------------------------------------------------------

-- A tensor as the header h describes it; column-major data stay in that order, as in NumPy.
local function tensor_of_header()
   local stride
   if h.fortran ~= 0 and h.ndim > 1 then
      stride = ffi.new 'int64_t[16]'
      local step = 1
      for i = 0, h.ndim - 1 do
         stride[i] = step
         step = step * math.max(tonumber(h.size[i]), 1)
      end
   end
   return format.room(h.dtype, h.ndim, h.size, stride)
end

local function elements(t) return ffi.cast('uint8_t *', t._storage.data) + t._offset * dtype.bytes[t._dtype] end

--- The tensor in a .npy file.
function npy.read(f)
   local total = format.left(f)
   local n = math.min(total, HEADER)
   take(f, head, n)
   check(C.th_npy_parse(h, head, n, total))
   local t = tensor_of_header()
   if h.bytes > 0 then
      check(C.th_file_seek(f, h.start))
      take(f, elements(t), h.bytes)
      C.th_npy_native(h, elements(t))
   end
   return t
end

-- Member i of an archive.
local function read_member(z, i, name)
   C.th_zip_at(z, i, member)
   local total = tonumber(member.size)
   local function try(status)
      if status == lib.OK then return end
      if status == C.TH_EINTR then lib.raise(tonumber(status), -1) end
      error(("its member '%s': %s"):format(name, ffi.string(C.th_error())), 0)
   end
   try(C.th_zip_begin(z, i))
   local n = math.min(total, 12)
   try(C.th_zip_take(z, head, n))
   if n >= 10 then                          -- up to the end of the header, no byte further: elements go to their place
      local size = head[8] + 256 * head[9]
      if head[6] > 1 and n == 12 then size = size + 65536 * head[10] + 2 ^ 24 * head[11] end
      local whole = math.max(n, math.min((head[6] > 1 and 12 or 10) + size, total, HEADER))
      try(C.th_zip_take(z, head + n, whole - n))
      n = whole
   end
   try(C.th_npy_parse(h, head, n, total))
   if h.start ~= n or h.start + h.bytes ~= total then
      error(("its member '%s': the elements have %.0f bytes, but %.0f follow the header"):format(name, tonumber(h.bytes),
         total - tonumber(h.start)), 0)
   end
   local t = tensor_of_header()
   if h.bytes > 0 then
      try(C.th_zip_take(z, elements(t), h.bytes))
      C.th_npy_native(h, elements(t))
   end
   try(C.th_zip_end(z))
   return t
end

--- The tensors in a .npz file, in a table by their names.
-- @param most  the most bytes for all of them (default: 3 times the file and 48 MiB, which is enough for an archive
--              of measured numbers, but may not be for one of zeros)
function npy.read_zip(f, most)
   local n = format.left(f)
   local out = ffi.new 'th_zip *[1]'
   check(C.th_zip_open_file(out, f))
   local z = ffi.gc(out[0], C.th_zip_close)
   local total = tonumber(C.th_zip_total(z))
   local limit = most or 3 * n + 48 * 2 ^ 20
   if total > limit then
      error(('the archive of %.0f bytes unpacks to %.0f, %.0f are allowed: load it with {most = %.0f} if you trust it')
         :format(n, total, limit, total), 0)
   end
   local tensors = {}
   for i = 0, tonumber(C.th_zip_count(z)) - 1 do
      C.th_zip_at(z, i, member)
      local full = ffi.string(member.name, member.name_size)
      local name = full:match '^(.*)%.npy$'
      if not name then error(("its member '%s' is no .npy file"):format(full:sub(1, 200)), 0) end
      if tensors[name] then error(("it has two members '%s'"):format(full:sub(1, 200)), 0) end
      tensors[name] = read_member(z, i, full:sub(1, 200))
   end
   C.th_zip_close(ffi.gc(z, nil))
   return tensors
end

-- ---- writing ------------------------------------------------------------------------------------------------------

local function need_code(who, t, what)
   if not arg.is_tensor(t) then
      error(('%s: %s must be a tensor for a .npy file, got %s'):format(who, what, arg.describe(t)), 0)
   end
   if not codes[dtype.names[t._dtype]] then
      error(('%s: NumPy has no type for %s; convert it with :float()'):format(who, arg.describe(t)), 0)
   end
end

local function header_of(t)
   local code = codes[dtype.names[t._dtype]]
   local shape = table.concat(format.sizes(t), ', ') .. (t._ndim == 1 and ',' or '')
   local text = ("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"):format(code:sub(1, 1) == '|' and code
      or order .. code, shape)
   text = text .. (' '):rep((-(10 + #text + 1)) % 64) .. '\n'
   return '\147NUMPY\1\0' .. le(2, #text) .. text
end

--- Refuses what a .npy file cannot hold, before anything is written.
function npy.check(who, object) need_code(who, object, 'object') end

function npy.write(f, object)
   local t = object:host():contiguous()
   put(f, header_of(t))
   put(f, format.bytes(t))
end

function npy.check_zip(who, object)
   for _, name in ipairs(format.names(who, object, '.npz')) do
      need_code(who, object[name], ("object['%s']"):format(name))
      if #name > 65000 then error(('%s: a name of %d bytes is too long for a .npz file'):format(who, #name), 0) end
      if name:find '%z' then error(('%s: a name in a .npz file must not hold a 0 byte, got %q'):format(who, name), 0) end
   end
end

--- Writes a table of tensors as a .npz file. @param deflate  true packs them
function npy.write_zip(f, object, deflate)
   local members = {}
   for _, name in ipairs(format.names('torch.save', object, '.npz')) do
      local t = object[name]:host():contiguous()
      local p, n = format.bytes(t)
      members[#members + 1] = zip.member(f, name .. '.npy', header_of(t), p, n, { deflate = deflate })
   end
   zip.finish(f, members)
end

return npy
