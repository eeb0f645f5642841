-- torch.conv - the engines for convolutions: what they predict, which one is chosen, how to prefer or force one.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local environment = require 'torch.environment'
local C = lib.C

local conv = {}

local PASSES = { [0] = 'forward', 'gradInput', 'gradWeight' }
local GEOMETRY = { 'strideH', 'strideW', 'padH', 'padW', 'dilationH', 'dilationW', 'groups' }
local DEFAULT = { 1, 1, 0, 0, 1, 1, 1 }

local function text_or_nil(s) return s ~= nil and ffi.string(s) or nil end

-- The engine of a number, from 0; nil past the last one. Loading cutorch adds engines, so names are read when needed.
local function name_of(i) return text_or_nil(C.th_conv_engine_name(i)) end

local function number_of(name)
   local i = 0
   while name_of(i) do
      if name_of(i) == name then return i end
      i = i + 1
   end
end

-- A value in an error: numbers and texts as they are, others by their type.
local function shown(v)
   return (type(v) == 'number' or type(v) == 'string') and tostring(v) or arg.describe(v)
end

-- A tensor's sizes, or those of a table.
local function sizes(who, name, x, least)
   local t
   if arg.is_tensor(x) then t = x:size():totable()
   elseif type(x) == 'table' then t = x
   else arg.refuse(who, name, 'a tensor or a table of sizes', x, 4) end
   if #t < least or #t > 4 then
      error(('%s: %s must have %s dimensions, got %d'):format(who, name, least == 4 and '4' or '3 or 4', #t), 4)
   end
   for _, n in ipairs(t) do
      if type(n) ~= 'number' or n % 1 ~= 0 or n < 0 or n > 2 ^ 31 - 1 then
         error(('%s: %s must have sizes from 0 to %d, got %s'):format(who, name, 2 ^ 31 - 1,
            shown(n)), 4)
      end
   end
   return t
end

local OPERANDS = { 'x', 'weight', 'the result' }
local MOST = 2 ^ 59                                 -- floats of a tensor; engines count positions in whole numbers

local function product(list)
   local n = 1
   for _, v in ipairs(list) do n = n * v end
   return n
end

-- The th_conv_shape of a convolution, without its pass.
local function shape_of(who, x, weight, ...)
   local xs, ws, v = sizes(who, 'x', x, 3), sizes(who, 'weight', weight, 4), { ... }
   for i, name in ipairs(GEOMETRY) do
      v[i] = v[i] == nil and DEFAULT[i] or v[i]
      local least = (i == 3 or i == 4) and 0 or 1
      if type(v[i]) ~= 'number' or v[i] % 1 ~= 0 or v[i] < least or v[i] > 2 ^ 31 - 1 then
         error(('%s: %s must be a whole number from %d to %d, got %s'):format(who, name, least, 2 ^ 31 - 1,
            shown(v[i])), 3)
      end
   end
   local f, groups = #xs - 3, v[7]
   if xs[f + 1] ~= ws[2] * groups then
      error(('%s: x must have %d planes in %d group%s for this weight, got %d'):format(who, ws[2] * groups, groups,
         groups == 1 and '' or 's', xs[f + 1]), 3)
   end
   if ws[1] % groups ~= 0 then
      error(('%s: weight must have a multiple of %d results, one for each group, got %d'):format(who, groups, ws[1]), 3)
   end
   local s = ffi.new 'th_conv_shape'
   s.n, s.groups, s.c, s.o = f == 1 and xs[1] or 1, groups, ws[2], ws[1] / groups
   s.h, s.w, s.kh, s.kw = xs[f + 2], xs[f + 3], ws[3], ws[4]
   s.sh, s.sw, s.ph, s.pw, s.dh, s.dw = unpack(v, 1, 6)
   local function out(size, k, pad, step, dilation)
      local reach = dilation * (k - 1) + 1
      if k < 1 or size + 2 * pad < reach then
         error(('%s: x must be at least as large as the kernel, %d with its padding, got %d'):format(who, reach,
            size + 2 * pad), 4)
      end
      return math.floor((size + 2 * pad - reach) / step) + 1
   end
   s.oh = out(xs[f + 2], ws[3], v[3], v[1], v[5])
   s.ow = out(xs[f + 3], ws[4], v[4], v[2], v[6])
   local result = { f == 1 and xs[1] or 1, ws[1], tonumber(s.oh), tonumber(s.ow) }
   for i, t in ipairs { xs, ws, result } do
      if product(t) > MOST then
         error(('%s: %s must have at most 2^59 elements, got %g'):format(who, OPERANDS[i], product(t)), 3)
      end
   end
   s.dtype, s.device = C.TH_F32, 0
   if arg.is_tensor(x) then
      if not dtype.is_float(x._dtype) then arg.refuse(who, 'x', 'a Float, Double, Half or BFloat16 tensor', x, 4) end
      s.dtype, s.device = x._dtype, x._device
   elseif x.device ~= nil then
      if type(x.device) ~= 'number' or x.device % 1 ~= 0 or x.device < 0 or x.device > C.th_device_count() then
         error(('%s: x.device must be a whole number from 0 to %d, got %s'):format(who, C.th_device_count(),
            arg.describe(x.device)), 3)
      end
      s.device = x.device
   end
   return s
end

-- The engine of a th_conv_shape, and the reason, unless the cost model decided.
local function chosen_for(s)
   local forced = C.th_conv_forced()
   if C.th_conv_has(s.device, forced) ~= 0 then return name_of(forced), ', forced' end
   local chosen = C.th_conv_choose(s)
   if chosen == C.th_conv_preferred() then return name_of(chosen), ', preferred' end
   return name_of(chosen), C.th_conv_measured(s, chosen) > 0 and ', measured' or ''
end

-- What an engine predicts for a th_conv_shape, and what was measured.
local function line_of(i, s, cost)
   local missing = text_or_nil(C.th_conv_engine_missing(s.device, i))
   if missing then return ('   %-10s is not there: %s'):format(name_of(i), missing) end
   if C.th_conv_predict(cost, s, i) == 0 then return ('   %-10s cannot do it'):format(name_of(i)) end
   local measured = C.th_conv_measured(s, i)
   return ('   %-10s %9.3f ms predicted%s, %8.3f Gflop, %8.1f MB moved, %7.1f MB workspace%s'):format(name_of(i),
      cost.seconds * 1e3 / (s.device == 0 and C.th_threads() or 1),
      measured > 0 and (', %9.3f ms measured'):format(measured * 1e3) or '',
      cost.flops / 1e9, cost.bytes / 1e6, cost.workspace / 1e6,
      cost.tw > 0 and (', tiles of %d x %d'):format(cost.th, cost.tw) or '')
end

--- torch.conv.explain(x, weight, [strideH], [strideW], [padH], [padW], [dilationH], [dilationW], [groups]): How torch.conv2d
-- with these arguments, and its gradients, would be computed, as text. For each pass it names the
-- engines that can do it. It has what they predict: milliseconds of all threads, billions of
-- operations, bytes moved, workspace, tiles. It adds what torch.conv.benchmark has measured, and
-- which engine is chosen. x and weight are tensors, or tables of sizes, which stand for
-- FloatTensors. They are on a CUDA device where x has its number in a field `device`.
-- torch.conv.explain({1, 64, 1, 64000}, {64, 64, 1, 1024}):match 'forward: %w+' --> forward: fft1d
function conv.explain(x, weight, ...)
   local s = shape_of('torch.conv.explain', x, weight, ...)
   local lines = { ('%d x %d x %d x %d, %d kernels of %d x %d, %s'):format(tonumber(s.n), tonumber(s.groups * s.c),
      tonumber(s.h), tonumber(s.w), tonumber(s.groups * s.o), tonumber(s.kh), tonumber(s.kw),
      text_or_nil(C.th_conv_model(s.device)) or C.th_threads() .. ' threads') }
   local cost = ffi.new 'th_conv_cost'
   for pass = 0, 2 do
      s.pass = pass
      lines[#lines + 1] = ('%s: %s%s'):format(PASSES[pass], chosen_for(s))
      for i = 0, #conv.engines() - 1 do
         if C.th_conv_has(s.device, i) ~= 0 then lines[#lines + 1] = line_of(i, s, cost) end
      end
   end
   local trouble = text_or_nil(C.th_conv_times_trouble())
   if trouble then lines[#lines + 1] = trouble end
   return table.concat(lines, '\n')
end

--- torch.conv.choice(pass, x, weight, [strideH], [strideW], [padH], [padW], [dilationH], [dilationW], [groups]): The engine that
-- would compute a pass of torch.conv2d ('forward', 'gradInput' or 'gradWeight') with these arguments; x and weight as in
-- torch.conv.explain.
-- torch.conv.choice('forward', {1, 3, 8, 8}, {4, 3, 3, 3}) --> gemm
function conv.choice(pass, x, weight, ...)
   local s = shape_of('torch.conv.choice', x, weight, ...)
   local number
   for i, name in pairs(PASSES) do if name == pass then number = i end end
   if not number then arg.refuse('torch.conv.choice', 'pass', "'forward', 'gradInput' or 'gradWeight'", pass) end
   s.pass = number
   return (chosen_for(s))
end

--- torch.conv.engines(): The names of the engines, as a list. gemm computes everything, by products
-- of matrices without im2col. fft1d uses spectra of lines, for kernels one high or one wide, and
-- fft spectra of tiles. winograd is for kernels of 3 x 3. columns uses products with a few columns
-- of im2col at a time, for kernels of one pixel and those that are large beside the images. direct
-- is oneDNN, where it is installed. depthwise is for groups of one plane. columns takes
-- FloatTensors and DoubleTensors only, direct FloatTensors only; all others also take halves, which
-- they compute as floats. fft1d, fft, winograd and the gradInput of columns need steps of 1, except
-- that columns takes any step for kernels of one pixel.
--
-- cutorch adds engines for CUDA devices. gemm computes everything. fft uses spectra of tiles of up
-- to 32 points a side. cufft uses spectra of tiles and lines of any size, by cuFFT. cudnn computes
-- by cuDNN. fft and cufft do steps and dilation of 1 only, fft no doubles.
-- torch.conv.engines() --> {gemm, fft1d, fft, winograd, columns, direct, depthwise}
function conv.engines()
   local list = {}
   while name_of(#list) do list[#list + 1] = name_of(#list) end
   return list
end

--- torch.conv.missing(engine, [device]): Why an engine of torch.conv.engines() cannot be used on the CPU (device 0) or a CUDA
-- device, as text; nil if it can. Without a device, why no device can use it. direct opens oneDNN 2.x at run time.
-- `TH_ONEDNN=none` in the environment turns it off, and a file name there opens that library; TH_CUFFT and TH_CUDNN
-- do the same for cufft and cudnn.
-- torch.conv.missing 'gemm' --> nil
-- torch.conv.missing('gemm', 0) --> nil
function conv.missing(engine, device)
   local i = number_of(engine)
   if not i then
      error(('torch.conv.missing: engine must be one of %s, got %s'):format(table.concat(conv.engines(), ', '),
         shown(engine)), 2)
   end
   if type(device) ~= 'nil' and (type(device) ~= 'number' or device % 1 ~= 0 or device < 0 or device > C.th_device_count()) then
      error(('torch.conv.missing: device must be a whole number from 0 to %d, got %s'):format(C.th_device_count(),
         arg.describe(device)), 2)
   end
   local why
   for d = device or 0, device or math.min(1, C.th_device_count()) do
      local here = text_or_nil(C.th_conv_engine_missing(d, i))
      if C.th_conv_has(d, i) ~= 0 and not here then return nil end
      why = why or here or device and (d == 0 and 'the CPU has no such engine' or 'CUDA devices have no such engine')
   end
   return why or 'only CUDA devices have this engine, and there is none'
end

local function number_or_none(who, value, level)
   local i = value == nil and -1 or number_of(value)
   if not i then
      error(('%s must be nil or one of %s, got %s'):format(who,
         table.concat(conv.engines(), ', '), shown(value)), level)
   end
   return i
end

-- TH_CONV_ENGINE may name an engine that a device adds later, or never.
local function check_environment(wanted)
   local names = {}
   while C.th_conv_engine_known(#names) ~= nil do
      names[#names + 1] = ffi.string(C.th_conv_engine_known(#names))
      if names[#names] == wanted then return end
   end
   error(('TH_CONV_ENGINE must be nil or one of %s, got %s'):format(table.concat(names, ', '), wanted), 0)
end

--- torch.conv.kept(): The memory of kept transforms of kernels, as a table: `bytes`, and the
-- `count` of transforms. `uses` is how often one of them was used instead of computed again.
-- torch.conv.kept().uses >= 0 --> true
function conv.kept()
   local now = C.th_kernel_cache_now()
   return { bytes = tonumber(now.bytes), count = tonumber(now.count), uses = tonumber(now.uses) }
end

local function after(before, ok, ...)
   local why = ...
   C.th_conv_prefer_here(before)
   if not ok then error(why, 0) end
   return ...
end

--- torch.conv.with(engine, f, ...): Calls f(...) and returns its results. Meanwhile this thread prefers that engine, instead of
-- that of torch.conv.prefer (nil: torch.conv.prefer holds).
-- torch.conv.with('fft', torch.conv.choice, 'forward', {3, 8, 8}, {4, 3, 3, 3}) --> fft
function conv.with(engine, f, ...)
   return after(C.th_conv_prefer_here(number_or_none('torch.conv.with: engine', engine, 3)), pcall(f, ...))
end

--- torch.conv: How convolutions are computed. Two settings name an engine of torch.conv.engines(), or are nil and leave the
-- choice to the cost model. torch.conv.prefer names an engine for all that it can do, and leaves the rest to the model.
-- torch.conv.engine forces one; what that engine cannot do is an error. If only the CPU or only CUDA devices have the engine,
-- the model chooses on the others. TH_CONV_ENGINE=fft in the environment prefers one from the
-- start. An engine that finds too little memory leaves the work to gemm. torch.conv.explain shows the choice and its reason.
--
-- torch.conv.benchmark = true measures instead of predicting. The first convolution of each shape,
-- pass, dtype and number of threads times all engines that can do it. It does not change its
-- arguments. From then on the fastest one computes it. Shapes of less than 262,144 multiplications
-- are not measured. The times for this CPU are kept in a file, torch.conv.file, which later
-- processes read, so results change only with that file. It lies in TH_CACHE_DIR if that is set
-- (empty: no file), or in cresset under XDG_CACHE_HOME or ~/.cache. Times of a CUDA device hold for
-- all devices of its model. Processes may share the file; a damaged one is ignored with a warning.
--
-- fft, fft1d and winograd keep the transforms of kernels from the second call with the same kernels on. A kept transform is
-- used while all bits of its kernels stay the same, whatever writes to them; results are the same. torch.conv.keep limits their
-- bytes (256 MB; 0 keeps nothing). Those unused for the longest time are freed first, and all of them where memory
-- runs out. torch.conv.kept shows what is kept. torch.conv.benchmark measures without it.
-- torch.conv.engine = 'gemm'; e = torch.conv.engine; torch.conv.engine = nil; e --> gemm
-- torch.conv.prefer = 'fft'; e = torch.conv.choice('forward', {3, 8, 8}, {4, 3, 3, 3}); torch.conv.prefer = nil; e --> fft
-- torch.conv.benchmark --> false
-- torch.conv.keep / 2 ^ 20 --> 256
local mt = {}

-- The settings: functions that read and set them in the core.
local settings = {
   engine = {
      get = function() return name_of(C.th_conv_forced()) end,
      set = function(value)
         local i = number_or_none('torch.conv.engine', value, 4)
         local missing = i >= 0 and conv.missing(value)
         if missing then error(('torch.conv.engine cannot be %s: %s'):format(value, missing), 4) end
         C.th_conv_force(i)
      end,
   },
   prefer = {
      get = function() return name_of(C.th_conv_preferred()) end,
      set = function(value) C.th_conv_prefer(number_or_none('torch.conv.prefer', value, 4)) end,
   },
   benchmark = {
      get = function() return C.th_conv_benchmarks() ~= 0 end,
      set = function(value)
         if type(value) ~= 'nil' and type(value) ~= 'boolean' then
            error('torch.conv.benchmark must be true or false, got ' .. arg.describe(value), 4)
         end
         if value then
            C.th_conv_benchmark(1, require('torch.cache').folder())
            local trouble = text_or_nil(C.th_conv_times_trouble())
            if trouble then io.stderr:write('torch.conv.benchmark: ', trouble, '\n') end
         else
            C.th_conv_benchmark(0, nil)
         end
      end,
   },
   keep = {
      get = function() return tonumber(C.th_kernel_cache_limit()) end,
      set = function(value)
         if type(value) ~= 'number' or value % 1 ~= 0 or value < 0 or value > 2 ^ 53 then
            error('torch.conv.keep must be a number of bytes, 0 or more, got ' .. arg.describe(value), 4)
         end
         C.th_kernel_cache_set_limit(value)
      end,
   },
   file = {
      get = function() return text_or_nil(C.th_conv_times_file()) end,
      set = function() error('torch.conv.file tells where times are kept and cannot be set: set TH_CACHE_DIR', 4) end,
   },
}

function mt.__index(_, key)
   if settings[key] then return settings[key].get() end
end

function mt.__newindex(t, key, value)
   if not settings[key] then return rawset(t, key, value) end
   settings[key].set(value)
end

function conv.install(torch)
   conv.install = nil
   local wanted = environment.get 'TH_CONV_ENGINE'
   if wanted and wanted ~= '' then check_environment(wanted) end
   torch.conv = setmetatable(conv, mt)
end

return conv
