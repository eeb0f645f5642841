-- torch.environment - the environment variables that Cresset reads: one table, and the one function that reads them in Lua.
-- C reads them by th_environment (lib/core/environment.h). `./dev docs` writes doc/environment.md from the table, and
-- test/tools/environment_spec.lua compares it with the variables that the sources name.
local M = {}

-- { name, values, default, what it does }
local library = 'a file, or `none`'
M.sections = {
   { 'The CPU', {
      { 'TH_CPU', '`base`, `avx2`, `avx512`', 'the best that the processor has', 'the level of the kernels; a level that the machine lacks is ignored' },
      { 'TH_NUM_THREADS', 'a whole number', 'the processors of the process', 'the threads that ops share; `torch.setnumthreads` changes it' },
      { 'TH_WAIT_POLICY', '`passive`', 'threads spin before they sleep', 'threads of ops sleep soon, for machines that several programs share' },
      { 'TH_BLAS', library, 'OpenBLAS, if it is installed', 'the library of matrix products, with the C interface' },
      { 'TH_ONEDNN', library, 'oneDNN 2, if it is installed', 'the library of an engine of convolution' },
      { 'TH_CONV_ENGINE', 'the name of an engine', 'the engine is chosen for each shape', 'the engine of every convolution that it supports' },
      { 'TH_CACHE_DIR', 'a folder', '`$XDG_CACHE_HOME/cresset` or `~/.cache/cresset`',
         'where measured times of convolutions and compiled kernels are kept; empty: nowhere' },
   } },
   { 'Devices', {
      { 'TH_CUDA', '`gpu` or `emu`', '`gpu`', '`emu`: `require \'cutorch\'` takes the emulated device' },
      { 'TH_CUDA_LIBS', 'folders, with colons between them', 'the loader\'s path and packages of Python', 'where libraries of CUDA are searched first' },
      { 'TH_CUBLAS', library, 'the installed one', 'cuBLAS; without it, our own tiles multiply' },
      { 'TH_CUBLASLT', library, 'the installed one', 'cublasLt; without it, biases cost kernels' },
      { 'TH_CUFFT', library, 'the installed one', 'cuFFT; without it, the CPU transforms' },
      { 'TH_CUDNN', library, 'the installed one', 'cuDNN; without it, our own kernels compute' },
      { 'TH_NVRTC', library, 'the installed one',
         'NVRTC; without it, `torch.pointwise` runs op by op' },
      { 'TH_NCCL', library, 'the installed one', 'NCCL; without it, copies replace its operations' },
      { 'TH_CUDA_SYNC', '`1`', 'kernels run asynchronously', 'waits after every kernel, and checks indices before it, so that an error names its call' },
      { 'TH_CUDA_EMU_DEVICES', 'a whole number', '1', 'the number of emulated devices' },
      { 'TH_CUDA_EMU_MEMORY', 'bytes', '2 GiB', 'the memory of each emulated device' },
      { 'TH_CUDA_EMU_RANDOM', 'a seed', '0: in order', 'blocks and threads of the emulated device run in random order' },
      { 'TH_CUDA_EMU_DOMAIN', 'a whole number', 'the number of the process', 'the PCI domain of emulated devices; processes with equal domains share them' },
   } },
   { 'Files and the prompt', {
      { 'TH_UNSAFE_LOAD', '`1`', 'functions in files stay closed', '`torch.load` restores functions, which then may run code' },
      { 'TH_HISTORY', 'a file; empty: none', '`~/.th_history`', 'where the prompt keeps its lines' },
      { 'TH_PAGER', 'a command; empty: none', '`$PAGER`, else `less -FRX`', 'shows results at the prompt that exceed the screen' },
      { 'TH_TRACEBACK', '`full`', 'the lines of the program', 'tracebacks show every frame, those of our packages and of C too' },
      { 'TH_DISPLAY', '`kitty`, `sixel`, `blocks` or `png`', 'what the terminal understands', 'how `image.display` shows pictures; `png`: in a file' },
      { 'TH_IMAGE_PIXELS', 'a whole number', '2^30', 'the largest picture that readers accept' },
      { 'TH_PNG', 'a file', 'the installed one', 'libpng' },
      { 'TH_JPEG', 'a file', 'the installed one', 'libturbojpeg' },
      { 'TH_WEBP', 'a file', 'the installed one', 'libwebp' },
      { 'TH_HDF5', 'a file', 'the installed one', 'libhdf5' },
      { 'TH_ZMQ', 'a file', 'the installed one', 'libzmq, for the kernel of Jupyter' },
      { 'TH_ZLIB', 'a file', 'the installed one', 'libz, for gzipped IDX files' },
      { 'TH_LIB', 'a file', 'the library of the tree', 'libth, for a LuaJIT that requires torch' },
   } },
   { 'Jobs', {
      { 'TH_DIST_ALGORITHM', '`auto`, `fastest` or the name of an algorithm', '`auto`', 'how ranks reduce: see `dist.algorithm`' },
      { 'TH_DIST_CUDA', '`auto`, `cpu` or `nccl`', '`auto`', 'how tensors of devices travel' },
      { 'TH_DIST_COMMIT', 'a folder', 'none', 'where `dist.commit` stores checkpoints; `thrun --commit` sets it' },
      { 'TH_DIST_DEADLINE', 'seconds', '300', 'the timeout of operations; `thrun --deadline` sets it' },
      { 'TH_DIST_CORES', 'a whole number', 'the processors that are on line', 'the processors that the ranks of a host share; `thrun` sets it' },
      { 'TH_DIST_HOST', 'a name', 'the name of the machine', 'ranks of equal names are on one host' },
      { 'TH_DIST_RANK', 'set by `thrun`', '', 'the number of the rank' },
      { 'TH_DIST_LOCAL_RANK', 'set by `thrun`', '', 'its number on its host' },
      { 'TH_DIST_SIZE', 'set by `thrun`', '', 'the number of ranks' },
      { 'TH_DIST_FD', 'set by `thrun`', '', 'the descriptor of the shared memory' },
      { 'TH_DIST_RESTART', 'set by `thrun`', '', 'how often the job was restarted' },
      { 'TH_DIST_SECRET', 'set by `thrun`', '', 'what ranks of one job know, so that no other process joins' },
      { 'TH_DIST_KEY', 'set by `thrun`', '', 'the word that marks what ranks of several hosts tell the launcher' },
   } },
   { 'Specs', {
      { 'TH_TEST_BEST', 'a level', 'each spec tries all cases', 'levels below this one try fewer random cases; `./dev test` sets it' },
      { 'TH_TEST_SLOW', 'a number', '1',
         'specs wait so many times longer, for a slow machine; `./dev cross` sets it' },
      { 'TH_GOLDEN', 'a folder', '`../shared/golden`', 'recorded results of Torch7' },
      { 'TH_BAD_INPUT_CALLS', 'a whole number', 'see the specs', 'calls of each op with invalid arguments' },
      { 'TH_SHAPE_CALLS', 'a whole number', 'see the spec', 'calls of each op with other shapes' },
      { 'TH_ZERO_CALLS', 'a whole number', 'see the spec', 'calls of each op with zeros' },
      { 'TH_SAVED_CASES', 'a whole number', 'see the spec', 'random values to save' },
      { 'TH_SAVED_TURNS', 'a whole number', 'see the spec', 'rounds of random modules to save' },
      { 'TH_FAULTS_FOLDER', 'a folder', '`$TMPDIR` or `/tmp`', 'where `test/faults.lua` writes' },
      { 'TH_FAULTS_WRONG', 'a file', 'none', 'a library of wrong functions, which `test/faults.lua` must find' },
      { 'TH_FUZZ_LINES', 'a file', 'none', 'where fuzz targets count lines of Lua; `./dev fuzz` sets it' },
      { 'TH_FUZZ_MISSED', 'set to list', 'none', '`test/fuzz/coverage.lua` lists the lines that no file reached' },
      { 'TH_CUOBJDUMP', 'a file', '`cuobjdump`', 'the program of CUDA with which `bench/sass.lua` reads kernels' },
   } },
}

local known = {}
for _, section in ipairs(M.sections) do for _, row in ipairs(section[2]) do known[row[1]] = row end end

--- The names, with the rows of the table.
function M.known() return known end

--- The value of an environment variable, or nil. One of Cresset must be in the table.
function M.get(name)
   if name:find '^TH_' and not known[name] then error('torch.environment: ' .. name .. ' is not in the table', 2) end
   return os.getenv(name)
end

return M
