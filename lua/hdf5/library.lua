-- lua/hdf5/library.lua - libhdf5, opened at run time, and its errors as Lua errors.
local ffi = require 'ffi'
local load_library = require 'feed.library'

ffi.cdef [[
typedef int64_t hid_t;
typedef unsigned long long hsize_t;
typedef struct th_h5_group_info { int storage; hsize_t links; int64_t corder; bool mounted; } th_h5_group_info;
typedef int (*th_h5_each)(hid_t group, const char *name, const void *info, void *data);

extern hid_t H5T_NATIVE_UINT8_g, H5T_NATIVE_INT8_g, H5T_NATIVE_INT16_g, H5T_NATIVE_INT32_g, H5T_NATIVE_INT64_g;
extern hid_t H5T_NATIVE_UINT64_g, H5T_NATIVE_FLOAT_g, H5T_NATIVE_DOUBLE_g, H5T_C_S1_g;
extern hid_t H5P_CLS_FILE_ACCESS_ID_g, H5P_CLS_DATASET_CREATE_ID_g, H5P_CLS_LINK_CREATE_ID_g;

int H5open(void);
int H5get_libversion(unsigned *major, unsigned *minor, unsigned *release);
int H5Eset_auto2(hid_t stack, void *f, void *data);
int H5Eprint2(hid_t stack, void *stream);
int H5Idec_ref(hid_t id);
int H5Iget_type(hid_t id);
int H5Lunregister(int class);

hid_t H5Fopen(const char *name, unsigned flags, hid_t access);
hid_t H5Fcreate(const char *name, unsigned flags, hid_t create, hid_t access);
int H5Fflush(hid_t id, int scope);
int H5Fclose(hid_t id);

hid_t H5Oopen(hid_t at, const char *name, hid_t access);
int H5Lexists(hid_t at, const char *name, hid_t access);
int H5Ldelete(hid_t at, const char *name, hid_t access);
hid_t H5Gcreate2(hid_t at, const char *name, hid_t link, hid_t create, hid_t access);
int H5Gget_info(hid_t id, th_h5_group_info *info);
int H5Literate(hid_t group, int index, int order, hsize_t *place, th_h5_each f, void *data);
int H5Literate2(hid_t group, int index, int order, hsize_t *place, th_h5_each f, void *data);

hid_t H5Pcreate(hid_t class);
int H5Pset_fclose_degree(hid_t list, int degree);
int H5Pset_create_intermediate_group(hid_t list, unsigned create);
int H5Pset_chunk(hid_t list, int n, const hsize_t *size);
int H5Pset_deflate(hid_t list, unsigned level);
int H5Pget_layout(hid_t list);
int H5Pget_external_count(hid_t list);
int H5Pget_nfilters(hid_t list);
int H5Pget_chunk(hid_t list, int most, hsize_t *size);

hid_t H5Screate(int class);
hid_t H5Screate_simple(int n, const hsize_t *size, const hsize_t *most);
int H5Sget_simple_extent_type(hid_t space);
int H5Sget_simple_extent_ndims(hid_t space);
int H5Sget_simple_extent_dims(hid_t space, hsize_t *size, hsize_t *most);
int H5Sselect_hyperslab(hid_t space, int op, const hsize_t *start, const hsize_t *stride, const hsize_t *count,
   const hsize_t *block);

hid_t H5Tcopy(hid_t type);
int H5Tget_class(hid_t type);
size_t H5Tget_size(hid_t type);
int H5Tget_sign(hid_t type);
hid_t H5Tget_super(hid_t type);
hid_t H5Tget_native_type(hid_t type, int direction);
int H5Tget_fields(hid_t type, size_t *sign, size_t *exponent, size_t *exponent_bits, size_t *mantissa, size_t *mantissa_bits);
int H5Tset_fields(hid_t type, size_t sign, size_t exponent, size_t exponent_bits, size_t mantissa, size_t mantissa_bits);
int H5Tset_ebias(hid_t type, size_t bias);
int H5Tset_size(hid_t type, size_t size);
int H5Tset_strpad(hid_t type, int pad);
int H5Tget_strpad(hid_t type);
int H5Tset_cset(hid_t type, int set);
int H5Tis_variable_str(hid_t type);
int H5Tget_nmembers(hid_t type);
int H5Tget_member_index(hid_t type, const char *name);

hid_t H5Dcreate2(hid_t at, const char *name, hid_t type, hid_t space, hid_t link, hid_t create, hid_t access);
hid_t H5Dget_space(hid_t id);
hid_t H5Dget_type(hid_t id);
hid_t H5Dget_create_plist(hid_t id);
hsize_t H5Dget_storage_size(hid_t id);
int H5Dread(hid_t id, hid_t type, hid_t memory, hid_t file, hid_t transfer, void *to);
int H5Dwrite(hid_t id, hid_t type, hid_t memory, hid_t file, hid_t transfer, const void *from);
int H5Dset_extent(hid_t id, const hsize_t *size);
int H5Dvlen_get_buf_size(hid_t id, hid_t type, hid_t space, hsize_t *size);
int H5Dvlen_reclaim(hid_t type, hid_t space, hid_t transfer, void *buffer);

hid_t H5Acreate2(hid_t at, const char *name, hid_t type, hid_t space, hid_t create, hid_t access);
hid_t H5Aopen(hid_t at, const char *name, hid_t access);
int H5Aexists(hid_t at, const char *name);
int H5Adelete(hid_t at, const char *name);
hid_t H5Aget_space(hid_t id);
hid_t H5Aget_type(hid_t id);
int H5Aread(hid_t id, hid_t type, void *to);
int H5Awrite(hid_t id, hid_t type, const void *from);

void *th_h5_open_memstream(char **text, size_t *size) __asm__("open_memstream");
int th_h5_fclose(void *stream) __asm__("fclose");
void th_h5_free(void *p) __asm__("free");
]]

local M = {}

-- Debian, Fedora and others number the file by the interface: 103 is 1.10, 200 is 1.12, 310 is 1.14.
local names = { 'libhdf5_serial.so.103', 'libhdf5_serial.so.310', 'libhdf5_serial.so.200', 'libhdf5.so.103', 'libhdf5.so.310',
   'libhdf5.so.200', 'libhdf5_serial.so' }
local EXTERNAL_LINK = 64

local C

local function prepare(found)
   local v = ffi.new 'unsigned[3]'
   if found.H5open() < 0 or found.H5get_libversion(v, v + 1, v + 2) < 0 then error('hdf5: libhdf5 does not start', 0) end
   if v[0] == 1 and v[1] < 10 then
      error(('hdf5: libhdf5 must be 1.10 or newer, this one is %d.%d.%d'):format(v[0], v[1], v[2]), 0)
   end
   found.H5Eset_auto2(0, nil, nil)                            -- of this thread: no printing
   found.H5Lunregister(EXTERNAL_LINK)                         -- a file must not lead to other files
   M.version = { tonumber(v[0]), tonumber(v[1]), tonumber(v[2]) }
   return found
end

--- The library, opened at the first call.
function M.open()
   if C then return C end
   for _, name in ipairs(names) do
      local ok, found = pcall(load_library, 'TH_HDF5', name, 'hdf5', '')
      if ok then
         C = prepare(found)
         return C
      end
   end
   error('hdf5: libhdf5 is not installed (Debian: libhdf5-103-1); TH_HDF5 may name its file', 0)
end

-- The message of the library about the last failure: the innermost line, without its position in the library.
local function reason()
   local text, size = ffi.new 'char *[1]', ffi.new 'size_t[1]'
   local stream = ffi.C.th_h5_open_memstream(text, size)
   if stream == nil then return 'unknown error' end
   C.H5Eprint2(0, stream)
   ffi.C.th_h5_fclose(stream)
   local all, last = ffi.string(text[0], size[0]), nil
   ffi.C.th_h5_free(text[0])
   for line in all:gmatch '[^\n]+' do last = line:match '^%s*#%d+:.-%(%): (.*)$' or last end
   return last or 'unknown error'
end

--- The result of a function of libhdf5; if it failed, an error that begins with `what`.
function M.check(id, what)
   if id < 0 then error(('%s: libhdf5: %s'):format(what, reason()), 0) end
   return id
end

local function done(id, ok, ...)
   local why = ...                          -- before any call: torch.varargs
   C.H5Idec_ref(id)
   if not ok then error(why, 0) end
   return ...
end

--- Calls f(id, ...) and closes id. If id is invalid, an error that begins with `what`.
function M.with(id, what, f, ...)
   M.check(id, what)
   return done(id, pcall(f, id, ...))
end

--- An id that the collector closes.
function M.hold(id)
   return ffi.gc(ffi.new('hid_t[1]', id), function(box) if box[0] >= 0 then C.H5Idec_ref(box[0]) end end)
end

return M
