-- cmake/deb.lua - a Debian package of th, thrun, libth and the Lua packages: `./dev deb` calls it.
--    th cmake/deb.lua BUILD FILE.deb
--
-- The package depends on the libraries that th and libth link or need; it recommends and suggests those that they open when present.
-- The emulated device and kernels for GPUs are not in it. SOURCE_DATE_EPOCH sets the dates.
local shell = require 'cmake.shell'

local build, file = arg[1], arg[2]
if not file or arg[3] or not file:match '%.deb$' then
   io.stderr:write('usage: th cmake/deb.lua BUILD FILE.deb\n')
   os.exit(2)
end

local quote, stop = shell.quote, shell.stopper 'deb'
local sh = shell.runner(stop)
local epoch = tonumber(os.getenv 'SOURCE_DATE_EPOCH' or sh 'git log -1 --format=%%ct')

local DESCRIPTION = [[
Torch7, carried on: tensors and neural networks for LuaJIT
 Cresset runs scripts written for Torch7, and trains and runs neural networks
 in LuaJIT programs. It has tensors of nine types, modules, criterions and
 optimizers, gradients of functions, readers and writers of many formats, and
 jobs of several processes.
 .
 This package brings th, the prompt and launcher of scripts, thrun, which
 starts jobs, and the Lua packages.]]

local COPYRIGHT = [[
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Cresset

Files: *
Copyright: 2026 Cresset contributors
License: BSD-3-Clause
%s]]

-- The text of LICENSE, in the form of a field of a Debian file.
local function licence()
   local f = assert(io.open 'LICENSE')
   local text = f:read '*a'
   f:close()
   local body = text:match '(Redistribution.*)$' or text
   return (body:gsub('%s+$', ''):gsub('[^\n]+', function(line) return ' ' .. line:gsub('^%s+', '') end):gsub('\n\n', '\n .\n'))
end

local stage = sh 'mktemp -d':gsub('\n', '')
local root, doc = stage .. '/root', stage .. '/root/usr/share/doc/cresset'
sh('cmake --install %s --prefix %s --strip', quote(build), quote(root .. '/usr'))
sh('rm -f %s/usr/lib/libthcuda*.so', quote(root))
local version = sh('%s -v', quote(build .. '/bin/th')):match '^Cresset ([%d.]+)'
local full = version .. '-1'

-- Debian wants compressed manual pages.
sh('gzip -9n %s/usr/share/man/man1/*.1', quote(root))
sh('install -d %s', quote(doc))
shell.write(stop, doc .. '/copyright', COPYRIGHT:format(licence()) .. '\n')
shell.write(stop, stage .. '/changelog', ('cresset (%s) unstable; urgency=medium\n\n  * CHANGELOG.md lists the changes of this release.\n\n'
   .. ' -- Cresset contributors <cresset@example.org>  %s\n'):format(full, os.date('!%a, %d %b %Y %H:%M:%S +0000', epoch)))
sh('gzip -9n < %s/changelog > %s/changelog.Debian.gz', quote(stage), quote(doc))
sh('gzip -9n < CHANGELOG.md > %s/changelog.gz', quote(doc))

-- dpkg-shlibdeps reads the package's dependencies from the files; it wants a folder debian/ with a control file.
sh('mkdir -p %s/debian %s/DEBIAN', quote(stage), quote(root))
shell.write(stop, stage .. '/debian/control', 'Source: cresset\n\nPackage: cresset\nArchitecture: any\n')
local needs = sh('cd %s && dpkg-shlibdeps -O -l%s/usr/lib %s/usr/bin/th %s/usr/bin/thrun %s/usr/lib/libth.so 2>/dev/null', quote(stage),
   quote(root), quote(root), quote(root), quote(root)):match 'shlibs:Depends=([^\n]*)'
local size = sh('du -sk --apparent-size %s/usr', quote(root)):match '%d+'
shell.write(stop, root .. '/DEBIAN/control', table.concat({
   'Package: cresset', 'Version: ' .. full, 'Section: math', 'Priority: optional',
   'Architecture: ' .. sh 'dpkg --print-architecture':match '%S+',
   'Maintainer: Cresset contributors <cresset@example.org>', 'Installed-Size: ' .. size,
   'Depends: ' .. needs .. ', libopenblas0-pthread | libblas3', 'Recommends: libedit2',
   'Suggests: libdnnl2, libpng16-16, libturbojpeg0, libwebp7, libhdf5-103-1, libzmq5, gnuplot-nox, luarocks',
   'Conflicts: torch-trepl, lua-torch-torch7, lua-torch-paths, lua-torch-sys, lua-torch-xlua, lua-torch-nn, lua-torch-optim, lua-torch-image',
   'Description: ' .. DESCRIPTION, '' }, '\n'))
shell.write(stop, root .. '/DEBIAN/triggers', 'activate-noawait ldconfig\n')
sh('cd %s && find usr -type f | LC_ALL=C sort | xargs md5sum > DEBIAN/md5sums', quote(root))
sh('chmod -R go=rX,u+w %s && chmod 644 %s/usr/lib/*.so', quote(root), quote(root))
-- Installed files keep the time of the checkout, and dpkg-deb changes only later times.
sh("find %s -print0 | xargs -0 touch -h -d @%d", quote(root), epoch)
sh('SOURCE_DATE_EPOCH=%d dpkg-deb --root-owner-group -Zxz -b %s %s', epoch, quote(root), quote(file))
sh('rm -rf %s', quote(stage))
print(('%s: cresset %s, %s'):format(file, full, sh('du -h %s', quote(file)):match '%S+'))
