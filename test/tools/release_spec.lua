-- test/tools/release_spec.lua - rocks and Debian package of a release: the same bytes each time, and they can be installed.
-- runs once, on the plain build: it packs files
local shell = require 'test.support.shell'
local sh, ok, has = shell.run, shell.ok, shell.has

describe('cmake/release.lua', function()
   local dir
   local function make(name)
      ok(("mkdir '%s/%s' && git archive --format=tar --prefix=cresset-9.8.7/ HEAD LICENSE dev | gzip -9n > '%s/%s/cresset-9.8.7.tar.gz'")
         :format(dir, name, dir, name))
      local out = ok(("SOURCE_DATE_EPOCH=1700000000 build/bin/th cmake/release.lua 9.8.7 '%s/%s'"):format(dir, name))
      assert.matches('^%d+ rocks of version 9%.8%.7\n$', out)
      return ok(("cd '%s/%s' && find . -type f | LC_ALL=C sort | xargs sha256sum"):format(dir, name))
   end
   setup(function() dir = ok 'mktemp -d':gsub('\n', '') end)
   teardown(function() os.execute(("rm -rf '%s'"):format(dir)) end)

   it('makes a rockspec and a source rock of each rock, twice with the same bytes', function()
      if not has 'zip' then return pending 'zip is not installed' end
      local sums = make 'first'
      assert.equal(sums, make 'second')
      local _, scm = ok "git ls-files 'rocks/*-scm-1.rockspec'":gsub('\n', '')
      local _, specs = sums:gsub('%-9%.8%.7%-1%.rockspec', '')
      local _, rocks = sums:gsub('%-9%.8%.7%-1%.src%.rock', '')
      assert.same({ scm, scm }, { specs, rocks })
   end)

   it('makes source rocks that luarocks installs without a network', function()
      if not has 'zip' or not has 'luarocks' then return pending 'zip or luarocks is not installed' end
      if select(2, sh(("test -d '%s/first'"):format(dir))) ~= 0 then make 'first' end
      ok(("cd '%s' && luarocks --lua-version=5.1 --tree='%s/tree' install --deps-mode=none first/rocks/optim-9.8.7-1.src.rock")
         :format(dir, dir))
      ok(("test -s '%s/tree/share/lua/5.1/optim/init.lua'"):format(dir))
   end)

   it('refuses wrong arguments, and a folder without the sources', function()
      for _, args in ipairs { '', '1.2', '1.2.x /tmp', '1.2.3' } do
         local out, status = sh('build/bin/th cmake/release.lua ' .. args)
         assert.same({ 'usage: th cmake/release.lua VERSION FOLDER\n', 2 }, { out, status })
      end
      local out, status = sh(("SOURCE_DATE_EPOCH=1 build/bin/th cmake/release.lua 1.2.3 '%s'"):format(dir))
      assert.same({ ('release: %s/cresset-1.2.3.tar.gz is missing\n'):format(dir), 1 }, { out, status })
   end)
end)

describe('cmake/deb.lua', function()
   it('makes a package that unpacks to a th that works, twice with the same bytes', function()
      if not has 'dpkg-shlibdeps' then return pending 'dpkg-dev is not installed' end
      local dir = ok 'mktemp -d':gsub('\n', '')
      for _, name in ipairs { 'a', 'b' } do             -- compressed little, which is quick
         ok(("DPKG_DEB_COMPRESSOR_LEVEL=0 SOURCE_DATE_EPOCH=1700000000 build/bin/th cmake/deb.lua "
            .. "build '%s/%s.deb'"):format(dir, name))
      end
      ok(("cd '%s' && cmp a.deb b.deb && dpkg-deb -x a.deb root"):format(dir))
      local listed = ok(("TZ=UTC dpkg-deb -c '%s/a.deb'"):format(dir))
      for line in listed:gmatch '[^\n]+' do assert.matches(' 2023%-11%-14 22:13 ', line) end
      local out = ok(("cd / && env -i '%s/root/usr/bin/th' -e \"require 'nn'; print(nn.Linear(2, 3):forward(torch.ones(2)):size(1))\""):format(dir))
      assert.equal('3\n', out)
      out = ok(("dpkg-deb -f '%s/a.deb' Package Depends"):format(dir))
      assert.matches('Package: cresset\n', out)
      assert.matches('luajit', out)
      assert.matches('libopenblas0', out)
      ok(("rm -rf '%s'"):format(dir))
   end)

   it('refuses wrong arguments', function()
      for _, args in ipairs { '', 'build', 'build x.rpm', 'build x.deb y' } do
         local out, status = sh('build/bin/th cmake/deb.lua ' .. args)
         assert.same({ 'usage: th cmake/deb.lua BUILD FILE.deb\n', 2 }, { out, status })
      end
   end)
end)
