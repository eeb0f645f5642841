-- bench/cudnn_plans.lua - which engines cuDNN plans for convolutions on a GPU that is not here.
--    th bench/cudnn_plans.lua [-library FILE] [-gpu h200] [-groups 1] [-all yes]
--
-- cuDNN 9.8 and later plan for a GPU from its properties alone. FILE is libcudnn.so.9, by default
-- the one that the loader finds. -gpu names a GPU of the table below, or a file with properties as
-- JSON, as cuDNN writes them. A row is the first proposal of heuristics mode A that the engine
-- `cudnn` takes: its bits are always the same, its workspace has at most 1 GiB. -all yes lists all
-- proposals. The library compiles and runs nothing, so the rows are no measurement.
package.path = './?.lua;' .. package.path
local ffi = require 'ffi'
local measure = require 'bench.lib.measure'

local H200 = [[{"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],
"regsPerBlock":65536,"multiProcessorCount":132,"warpSize":32,"maxSharedMemoryPerBlock":49152,
"maxSharedMemoryPerBlockOptin":232448,"reservedSharedMemoryPerBlock":1024,
"maxRegistersPerSM":65536,"maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,
"pciDeviceId":0,"isTccDriver":0,"supportCoopLaunch":1,"totalGlobalMem":150109880320,
"smClockRateKHz":1980000,"memClockRateKHz":3201000,"l2CacheSize":62914560,"cudaDeviceId":0,
"deviceVer":900,"driverVer":13000,"deviceName":"NVIDIA H200"}]]
local GPUS = { h200 = H200 }

-- Samples, channels, rows and columns, results, side of the kernel, step and padding.
local SHAPES = {
   { 256, 3, 224, 64, 7, 2, 3 }, { 256, 64, 56, 64, 3, 1, 1 }, { 256, 256, 56, 64, 1, 1, 0 },
   { 256, 128, 28, 128, 3, 1, 1 }, { 256, 256, 14, 256, 3, 1, 1 }, { 256, 512, 7, 512, 3, 1, 1 },
}
local TYPES = { { 'float', 0 }, { 'TF32', 0 }, { 'half', 2 }, { 'bfloat16', 9 } }
local MOST_WORK = 2 ^ 30

local options = measure.options(arg or {}, { library = 'libcudnn.so.9', gpu = 'h200', groups = 1,
   all = 'no' })

local function stop(text)
   io.stderr:write('bench: ', text, '\n')
   os.exit(1)
end

-- ---- names -----------------------------------------------------------------------------------

-- Numbers of the interface by their names; of an attribute its number and the type of its values.
local VALUE, PART, ATTRIBUTE = { CHAR = 24 }, { DEVICEPROP = 38 }, {
   ENGINEHEUR_DEVICEPROP = { 204, 'BACKEND_DESCRIPTOR' },
   EXECUTION_PLAN_DEVICEPROP = { 407, 'BACKEND_DESCRIPTOR' },
   ENGINE_GLOBAL_INDEX = { 1301, 'INT64' }, DEVICEPROP_JSON_REPRESENTATION = { 2702, 'CHAR' },
}
local NOTES = { [0] = 'tensor cores', 'rounds inputs', 'rounds sums', 'FFT', 'nondeterministic',
   'Winograd', 'Winograd 4x4', 'Winograd 6x6', 'Winograd 13x13', 'strict NaN' }

local function read_names()
   local file = io.open 'cunn/runtime/cudnn_names.h'
   if not file then stop 'cunn/runtime/cudnn_names.h is missing: run it in the checkout' end
   local text = file:read '*a'
   file:close()
   local function section(name) return text:match('#define TH_DNN_' .. name .. '(.-)\n[#/\n]') end
   for name, number in section 'VALUES':gmatch 'F%((%u[%u%d_]*), (%d+)%)' do
      VALUE[name] = tonumber(number)
   end
   for name, number in section 'PARTS':gmatch 'F%((%u[%u%d_]*), (%d+)%)' do
      PART[name] = tonumber(number)
   end
   for name, number, kind in section 'ATTRIBUTES':gmatch 'F%(([%u%d_]+), (%d+), ([%u%d_]+)%)' do
      ATTRIBUTE[name] = { tonumber(number), kind }
   end
end

-- ---- parts of a graph ------------------------------------------------------------------------

ffi.cdef [[
   size_t cudnnGetVersion(void);
   void cudnnGetLastErrorString(char *text, size_t bytes);
   int cudnnBackendCreateDescriptor(int kind, void **d);
   int cudnnBackendSetAttribute(void *d, int name, int type, int64_t n, const void *values);
   int cudnnBackendGetAttribute(void *d, int name, int type, int64_t n, int64_t *found,
      void *values);
   int cudnnBackendFinalize(void *d);
]]
local C
local CTYPES = { BACKEND_DESCRIPTOR = 'void *', BOOLEAN = 'bool', INT64 = 'int64_t',
   FLOAT = 'float' }

local function message()
   local text = ffi.new 'char[512]'
   C.cudnnGetLastErrorString(text, 512)
   return ffi.string(text):match '^[^\n]*'
end
local function make(kind)
   local p = ffi.new 'void *[1]'
   if C.cudnnBackendCreateDescriptor(PART[kind], p) ~= 0 then stop(kind .. ': ' .. message()) end
   return p[0]
end
-- One value, or a list of them.
local function put(d, name, value, kind)
   local number = ATTRIBUTE[name][1]
   kind = kind or ATTRIBUTE[name][2]
   local n, values
   if type(value) == 'string' then
      n, values = #value, ffi.cast('const char *', value)
   else
      local list = type(value) == 'table' and value or { value }
      n, values = #list, ffi.new((CTYPES[kind] or 'int') .. '[?]', #list, list)
   end
   if C.cudnnBackendSetAttribute(d, number, VALUE[kind], n, values) ~= 0 then
      stop(name .. ': ' .. message())
   end
end
local function get(d, name, most, values)
   local found = ffi.new 'int64_t[1]'
   local a = ATTRIBUTE[name]
   if C.cudnnBackendGetAttribute(d, a[1], VALUE[a[2]], most, found, values) ~= 0 then return 0 end
   return tonumber(found[0])
end
local function finish(d)
   if C.cudnnBackendFinalize(d) ~= 0 then stop('cuDNN refuses a part: ' .. message()) end
   return d
end
local function part(kind, attributes)
   local d = make(kind)
   for name, value in pairs(attributes) do put(d, name, value) end
   return finish(d)
end

-- ---- convolutions ----------------------------------------------------------------------------

local function strides(n, last)
   if last then return { n[2] * n[3] * n[4], 1, n[4] * n[2], n[2] } end
   return { n[2] * n[3] * n[4], n[3] * n[4], n[4], 1 }
end
local function tensor(id, kind, n, last, virtual)
   local d = make 'TENSOR'
   put(d, 'TENSOR_UNIQUE_ID', id)
   put(d, 'TENSOR_DATA_TYPE', kind)
   put(d, 'TENSOR_DIMENSIONS', n)
   put(d, 'TENSOR_STRIDES', strides(n, last))
   put(d, 'TENSOR_BYTE_ALIGNMENT', 16)
   if virtual then put(d, 'TENSOR_IS_VIRTUAL', true) end
   return finish(d)
end

local PASSES = {
   { 'forward', 'FORWARD', 'FORWARD', 'X', 'W', 'Y' },
   { 'forward, bias', 'FORWARD', 'FORWARD', 'X', 'W', 'Y' },
   { 'gradInput', 'BACKWARD_DATA', 'BWD_DATA', 'DX', 'W', 'DY' },
   { 'gradWeight', 'BACKWARD_FILTER', 'BWD_FILTER', 'X', 'DW', 'DY' },
}

local function graph_of(pass, s, kind, last)
   local n, c, side, o, k, step, pad = unpack(s)
   local out = math.floor((side + 2 * pad - k) / step) + 1
   local biased = pass[1] == 'forward, bias'
   local x = tensor(1, kind, { n, c, side, side }, last)
   local w = tensor(2, kind, { o, c / options.groups, k, k }, last)
   local y = tensor(3, biased and 0 or kind, { n, o, out, out }, last, biased)
   local how = part('CONVOLUTION', { CONVOLUTION_COMP_TYPE = 0, CONVOLUTION_CONV_MODE = 1,
      CONVOLUTION_SPATIAL_DIMS = 2, CONVOLUTION_DILATIONS = { 1, 1 },
      CONVOLUTION_FILTER_STRIDES = { step, step }, CONVOLUTION_PRE_PADDINGS = { pad, pad },
      CONVOLUTION_POST_PADDINGS = { pad, pad } })
   local prefix = 'OPERATION_CONVOLUTION_' .. pass[3] .. '_'
   local op = make('OPERATION_CONVOLUTION_' .. pass[2])
   put(op, prefix .. 'CONV_DESC', how)
   put(op, prefix .. pass[4], x)
   put(op, prefix .. pass[5], w)
   put(op, prefix .. pass[6], y)
   put(op, prefix .. 'ALPHA', 1, 'FLOAT')
   put(op, prefix .. 'BETA', pass[1] == 'gradWeight' and 1 or 0, 'FLOAT')
   local ops = { finish(op) }
   if biased then
      local sum = part('POINTWISE', { POINTWISE_MODE = 0, POINTWISE_MATH_PREC = 0 })
      ops[2] = part('OPERATION_POINTWISE', { OPERATION_POINTWISE_PW_DESCRIPTOR = sum,
         OPERATION_POINTWISE_XDESC = y,
         OPERATION_POINTWISE_BDESC = tensor(4, kind, { 1, o, 1, 1 }, last),
         OPERATION_POINTWISE_YDESC = tensor(5, kind, { n, o, out, out }, last) })
   end
   return part('OPERATIONGRAPH', { OPERATIONGRAPH_OPS = ops })
end

-- ---- plans -----------------------------------------------------------------------------------

-- A proposal: its engine, notes by name, and the workspace, or why it is no plan.
local function describe(config, gpu)
   local engine, list = ffi.new('void *[1]', make 'ENGINE'), ffi.new 'int[16]'
   local index, bytes, notes = ffi.new 'int64_t[1]', ffi.new 'int64_t[1]', {}
   get(config, 'ENGINECFG_ENGINE', 1, engine)
   get(engine[0], 'ENGINE_GLOBAL_INDEX', 1, index)
   for i = 1, get(engine[0], 'ENGINE_NUMERICAL_NOTE', 16, list) do
      notes[#notes + 1] = NOTES[list[i - 1]] or tostring(list[i - 1])
      notes[notes[#notes]] = true
   end
   local plan = make 'EXECUTION_PLAN'
   put(plan, 'EXECUTION_PLAN_ENGINE_CONFIG', config)
   put(plan, 'EXECUTION_PLAN_DEVICEPROP', gpu)
   local p = { engine = tonumber(index[0]), notes = notes }
   if C.cudnnBackendFinalize(plan) ~= 0 then
      p.refused = message()
   else
      get(plan, 'EXECUTION_PLAN_WORKSPACE_SIZE', 1, bytes)
      p.work = tonumber(bytes[0])
   end
   return p
end

local function proposals(graph, gpu)
   local heuristics = make 'ENGINEHEUR'
   put(heuristics, 'ENGINEHEUR_OPERATION_GRAPH', graph)
   put(heuristics, 'ENGINEHEUR_MODE', 3)
   put(heuristics, 'ENGINEHEUR_DEVICEPROP', gpu)
   finish(heuristics)
   local n = get(heuristics, 'ENGINEHEUR_RESULTS', 0, nil)
   local configs, list = ffi.new('void *[?]', n + 1), {}
   for i = 1, n do configs[i - 1] = make 'ENGINECFG' end
   if n > 0 then n = get(heuristics, 'ENGINEHEUR_RESULTS', n, configs) end
   for i = 1, n do list[i] = describe(configs[i - 1], gpu) end
   return list
end

-- The engine `cudnn` takes it.
local function fits(p, kind)
   local notes = p.notes
   return p.work and p.work <= MOST_WORK and not notes.nondeterministic and not notes['rounds sums']
      and not notes['rounds inputs'] and (kind ~= 'float' or not notes['tensor cores'])
end

local function row(s, pass, kind, layout, p, number, count)
   local shape = ('%dx%dx%dx%d, %d of %dx%d, step %d'):format(s[1], s[2], s[3], s[3], s[4], s[5],
      s[5], s[6])
   local work = p and (p.work and ('%.1f'):format(p.work / 2 ^ 20) or p.refused) or ''
   print(('| %s | %s | %s | %s | %s | %s | %s | %s |'):format(shape, pass, kind, layout,
      p and p.engine or 'none', p and table.concat(p.notes, ', ') or '', work,
      number and ('%d of %d'):format(number, count) or count))
end

local function show(s, gpu)
   for _, kind in ipairs(TYPES) do
      for _, layout in ipairs { 'NCHW', 'NHWC' } do
         for _, pass in ipairs(PASSES) do
            local list = proposals(graph_of(pass, s, kind[2], layout == 'NHWC'), gpu)
            local first
            for i, p in ipairs(list) do
               if not first and fits(p, kind[1]) then first = i end
               if options.all == 'yes' then row(s, pass[1], kind[1], layout, p, i, #list) end
            end
            if options.all ~= 'yes' then
               row(s, pass[1], kind[1], layout, list[first or 0], first, #list)
            end
         end
      end
   end
end

local function properties()
   if GPUS[options.gpu] then return GPUS[options.gpu] end
   local file = io.open(options.gpu)
   if not file then stop(options.gpu .. ' is neither a known GPU (h200) nor a file') end
   local text = file:read '*a'
   file:close()
   return text
end

read_names()
for _, s in ipairs(SHAPES) do
   if options.groups < 1 or s[4] % options.groups ~= 0 then
      stop('-groups must divide 64, got ' .. options.groups)
   end
end
local json = properties()
local ok, library = pcall(ffi.load, options.library)
if not ok then stop('there is no cuDNN: ' .. library:match '^[^\n]*') end
C = library
local version = tonumber(C.cudnnGetVersion())
if version < 90800 then stop(('cuDNN %d cannot plan without a GPU, 90800 can'):format(version)) end
local gpu = make 'DEVICEPROP'
put(gpu, 'DEVICEPROP_JSON_REPRESENTATION', (json:gsub('\n', '')))
finish(gpu)
print(('cuDNN %d, %s'):format(version, json:match '"deviceName":%s*"([^"]*)"' or options.gpu))
print()
print '| convolution | pass | type | layout | engine | notes | workspace, MiB | proposal |'
print '|---|---|---|---|---:|---|---:|---|'
for _, s in ipairs(SHAPES) do
   if s[2] % options.groups == 0 then show(s, gpu) end
end
