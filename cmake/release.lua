-- cmake/release.lua - the rocks of a release: rockspecs with its version, and source rocks, which luarocks installs offline.
--    th cmake/release.lua VERSION FOLDER
--
-- FOLDER must hold cresset-VERSION.tar.gz, the archive of the sources. Rocks that copy Lua files get an archive of these files only;
-- those that compile get the whole. SOURCE_DATE_EPOCH sets the dates, so that two runs make the same bytes.
local paths = require 'paths'
local shell = require 'cmake.shell'

local version, folder = arg[1], arg[2]
if not folder or arg[3] or not version:match '^%d+%.%d+%.%d+$' then
   io.stderr:write('usage: th cmake/release.lua VERSION FOLDER\n')
   os.exit(2)
end

local quote, stop = shell.quote, shell.stopper 'release'
local sh = shell.runner(stop)
local epoch = os.getenv 'SOURCE_DATE_EPOCH' or stop 'SOURCE_DATE_EPOCH is not set'
local whole = ('cresset-%s.tar.gz'):format(version)
if not paths.filep(folder .. '/' .. whole) then stop('%s/%s is missing', folder, whole) end

-- The paths that a rock copies, or nil if it needs the whole tree.
local function parts_of(spec)
   if spec:find('build_command', 1, true) then return nil end
   return spec:match 'cp %-R (.-) "%$%(LUADIR%)"'
end

-- The rockspec of the release, from that of the checkout.
local function release_spec(name, text, archive)
   local file = ('%s-%s-1.rockspec'):format(name, version)
   local spec, n = text:gsub('version = "scm%-1"', ('version = "%s-1"'):format(version))
   local sources
   spec, sources = spec:gsub('source = %b{}', ('source = { url = "file://./%s", dir = "%s" }'):format(archive, archive:gsub('%.tar%.gz$', '')))
   if n ~= 1 or sources ~= 1 then stop('rocks/%s-scm-1.rockspec has no line `version = "scm-1"` or no line `source = { ... }`', name) end
   return file, (spec:gsub('^%-%-[^\n]*', ('-- %s - install the source rock of the same name: luarocks install --lua-version=5.1 ')
      :format(file):gsub('%%', '%%%%') .. file:gsub('rockspec$', 'src.rock')))
end

local work = sh 'mktemp -d':gsub('\n', '')
sh('mkdir -p %s', quote(folder .. '/rocks'))
local count = 0
for path in sh "git ls-files 'rocks/*-scm-1.rockspec'":gmatch '[^\n]+' do
   local name = path:match 'rocks/(.-)%-scm%-1%.rockspec$'
   local f = assert(io.open(path))
   local text = f:read '*a'
   f:close()
   local parts = parts_of(text)
   local archive = parts and ('%s-%s.tar.gz'):format(name, version) or whole
   local file, spec = release_spec(name, text, archive)
   shell.write(stop, folder .. '/rocks/' .. file, spec)
   if parts then
      sh('git archive --format=tar --prefix=%s/ HEAD LICENSE %s | gzip -9n > %s', quote(name .. '-' .. version), parts,
         quote(work .. '/' .. archive))
   else
      sh('cp %s %s', quote(folder .. '/' .. whole), quote(work))
   end
   local rock = file:gsub('rockspec$', 'src.rock')
   sh('cp %s %s && cd %s && touch -d @%s %s %s && TZ=UTC zip -qX9 %s %s %s && rm %s %s', quote(folder .. '/rocks/' .. file), quote(work),
      quote(work), epoch, quote(file), quote(archive), quote(rock), quote(file), quote(archive), quote(file), quote(archive))
   sh('mv %s %s', quote(work .. '/' .. rock), quote(folder .. '/rocks/' .. rock))
   count = count + 1
end
sh('rmdir %s', quote(work))
print(('%d rocks of version %s'):format(count, version))
