-- cmake/bundle.lua - a tree that runs on any Linux with the C library of this one or a newer one: `./dev bundle` packs it.
--    th cmake/bundle.lua BUILD FOLDER
--
-- FOLDER must not exist. It gets the files of `cmake --install BUILD`, the shared libraries that th and libth open, busted,
-- the checkout's test/, bench/, examples/, data/ and doc/, and a list of all parts. The C library and a GPU's driver come from the
-- other machine.
local paths = require 'paths'
local shell = require 'cmake.shell'
local spdx = require 'cmake.spdx'

local build, folder = arg[1], arg[2]
if not folder or arg[3] then
   io.stderr:write('usage: th cmake/bundle.lua BUILD FOLDER\n')
   os.exit(2)
end

local quote, stop = shell.quote, shell.stopper 'bundle'
local sh = shell.runner(stop)

if paths.dirp(folder) or paths.filep(folder) then stop('%s is there already', folder) end
sh('cmake --install %s --prefix %s', quote(build), quote(folder))

-- ---- shared libraries ----

-- Libraries that are opened at run time, by the names that lib/core, lua/torch, lib/io and lua/feed use; the first existing one.
local OPENED = { { 'libopenblas.so.0', needed = true }, { 'libedit.so.2' }, { 'libdnnl.so.2', 'libdnnl.so.3' }, { 'libz.so.1' },
   { 'libpng16.so.16' }, { 'libturbojpeg.so.0' }, { 'libwebp.so.7' } }
-- Parts of the C library and of the kernel, which every machine has.
local HOST = { ['ld-linux-x86-64.so.2'] = true, ['linux-vdso.so.1'] = true, ['libc.so.6'] = true, ['libm.so.6'] = true,
   ['libdl.so.2'] = true, ['libpthread.so.0'] = true, ['librt.so.1'] = true, ['libutil.so.1'] = true }

local known = {}                              -- by name: the path where the loader finds it
for line in sh('PATH=$PATH:/sbin:/usr/sbin ldconfig -p'):gmatch '[^\n]+' do
   local name, what, file = line:match '^%s+(%S+) %((.-)%) => (%S+)$'
   if name and what:find('x86-64', 1, true) and not known[name] then known[name] = file end
end

local taken = {}
-- Copies a library and its dependencies into FOLDER/lib.
local function take(name, file)
   if taken[name] or HOST[name] then return end
   taken[name] = file
   sh('cp -L %s %s && chmod u+w %s', quote(file), quote(folder .. '/lib/' .. name), quote(folder .. '/lib/' .. name))
   return true
end
local function take_needs(file)
   for line in sh('ldd %s', quote(file)):gmatch '[^\n]+' do
      local name, at = line:match '^%s+(%S+) => (%S+)'
      if at == 'not' then stop('%s needs %s, which is not there', file, name) end
      if name and name:match '^libth' == nil then take(name, at) end
   end
end

for _, program in ipairs { 'th', 'thrun' } do take_needs(folder .. '/bin/' .. program) end
for file in sh('ls %s/lib/libth*.so', quote(folder)):gmatch '[^\n]+' do take_needs(file) end
for _, names in ipairs(OPENED) do
   local found
   for _, name in ipairs(names) do found = found or known[name] and name end
   if found then
      take(found, known[found])
      take_needs(known[found])
   elseif names.needed then
      stop('%s is not there', names[1])
   end
end

-- Debian's files have the licences under which packages may be redistributed. The list of parts has their versions.
local libraries = {}
for name, file in pairs(taken) do
   local package = sh([[dpkg-query -S "*/$(basename "$(readlink -f %s)")" 2>/dev/null | sed 's/:.*//' | head -n 1]], quote(file)):match '%S+'
   local version = package and sh([[dpkg-query -W -f '${Version}\n' %s | head -n 1]], quote(package)):match '%S+'
   local sum = sh('sha256sum %s', quote(folder .. '/lib/' .. name)):match '^%x+'
   libraries[#libraries + 1] = { file = name, package = package or name, version = version or 'NOASSERTION', sum = sum }
   local licence = package and '/usr/share/doc/' .. package .. '/copyright'
   if licence and paths.filep(licence) then
      sh('install -D -m 644 %s %s', quote(licence), quote(folder .. '/share/doc/' .. name .. '/copyright'))
   end
end
table.sort(libraries, function(a, b) return a.file < b.file end)
local epoch = tonumber(os.getenv 'SOURCE_DATE_EPOCH' or sh 'git log -1 --format=%%ct')
local version = sh('%s -v', quote(folder .. '/bin/th')):match '^Cresset ([%d.]+)'
shell.write(stop, folder .. '/cresset.spdx.json', spdx.text(version, epoch, libraries))

-- ---- busted, for the specs ----

-- Packages of busted: their Lua files are in a folder or a file of that name, their C libraries too.
local BUSTED = { 'busted', 'luassert', 'say', 'pl', 'cliargs', 'mediator', 'system', 'term', 'lfs', 'ansicolors', 'dkjson' }
local function copy_into(to, from) sh('mkdir -p %s && cp -RL %s %s', quote(to), quote(from), quote(to)) end
-- The file or folder with this name in one of the folders of a path (package.path, package.cpath), or both.
local function installed(name, path, ending, to)
   local found = false
   for root in path:gmatch '([^;]+)/%?%.%a+' do
      for _, file in ipairs { root .. '/' .. name .. ending, root .. '/' .. name } do
         if not found and root ~= '.' and (paths.filep(file) or paths.dirp(file)) then
            copy_into(to, file)
            if not paths.dirp(file) and paths.dirp(root .. '/' .. name) then copy_into(to, root .. '/' .. name) end
            found = true
         end
      end
   end
   return found
end
for _, name in ipairs(BUSTED) do
   local lua = installed(name, package.path, '.lua', folder .. '/share/lua/5.1')
   local c = installed(name, package.cpath, '.so', folder .. '/lib/lua/5.1')
   if name == 'busted' and not lua and not c then stop('busted is not there: the specs of the bundle need it') end
end

-- ---- files of the checkout ----

sh('git ls-files -z test bench examples data doc | tar -c --null -T - | tar -x -C %s', quote(folder))
sh('cp LICENSE CHANGELOG.md SECURITY.md %s && cp doc/bundle.md %s', quote(folder), quote(folder .. '/README.md'))
