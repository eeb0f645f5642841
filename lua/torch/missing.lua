-- torch.missing - the hint of require for a package of Torch7, or of its programs, that is not installed.
local M = {}

-- Rocks of Lua: the module, the rock, and Debian's package where there is one.
local rocks = {
   lfs = { 'luafilesystem', 'lua-filesystem' }, cjson = { 'lua-cjson', 'lua-cjson' }, pl = { 'penlight', 'lua-penlight' },
   socket = { 'luasocket', 'lua-socket' }, mime = { 'luasocket', 'lua-socket' }, ltn12 = { 'luasocket', 'lua-socket' },
   ssl = { 'luasec', 'lua-sec' }, lpeg = { 'lpeg', 'lua-lpeg' }, posix = { 'luaposix', 'lua-posix' }, zlib = { 'lua-zlib', 'lua-zlib' },
   dkjson = { 'dkjson', 'lua-dkjson' }, json = { 'luajson', 'lua-json' }, argparse = { 'argparse', 'lua-argparse' },
   md5 = { 'md5', 'lua-md5' }, inspect = { 'inspect', 'lua-inspect' }, busted = { 'busted', 'lua-busted' },
   lgi = { 'lgi', 'lua-lgi' },
   moses = { 'moses' }, csv = { 'csv' }, yaml = { 'yaml', 'lua-yaml' },
   term = { 'lua-term', 'lua-term' },
}

-- Packages for Torch7 that we do not provide.
for name in ([[
   nnx dp dpnn unsup torchnet display csvigo argcheck class optnet inn stn cunnx clnn cltorch manifold svm cephes randomkit
   distributions signal audio camera ffmpeg graphicsmagick mattorch fftw3 async nninit itorch iTorch cv]]):gmatch '%S+' do
   rocks[name] = { name:lower(), torch = true }
end

-- Packages with another hint.
local answers = {
   rnn = "luarocks install rnn, or require 'nn.recurrent', which has nn.LSTM and others",
   matio = 'luarocks install matio; or save with -v7.3 in MATLAB, which hdf5 reads',
   lmdb = "luarocks install lmdb, or feed.lmdb of require 'feed', which reads such files",
   ccn2 = 'its kernels are for GPUs of 2013; nn and cudnn have the same layers',
}

--- Packages of qlua: name -> hint.
M.windows = {}
for name in ('qt qtlua qtwidget qtcore qtgui qttorch qtide qtsvg qtuiloader qlua'):gmatch '%S+' do
   M.windows[name] = name .. ' belongs to qlua, which opened windows with Qt. Cresset has none: write images to files instead'
end

--- One line of hint about a module that was not found, or nil.
function M.answer(name)
   local top = name:match '^[^.]+'
   if not top then return nil end
   if answers[top] or M.windows[top] then return answers[top] or M.windows[top] end
   local rock = rocks[top]
   if not rock then return nil end
   if rock[2] then return ('apt-get install %s, or luarocks install %s'):format(rock[2], rock[1]) end
   return ('luarocks install %s'):format(rock[1]) .. (rock.torch and ' (a package for Torch7: its Lua code runs here)' or '')
end

--- The last of package.loaders: finds nothing, and returns one line where there is a hint.
function M.search(name)
   local answer = M.answer(name)
   if answer then error(("module '%s' not found: %s"):format(name, answer), 3) end
end

return M
