-- test/tools/bundle_spec.lua - the archive of ./dev bundle runs from any folder, with its bundled libraries only.
-- runs once, on the plain build: it starts programs that know nothing of sanitizers
local shell = require 'test.support.shell'
local sh, ok = shell.run, shell.ok

describe('cmake/bundle.lua', function()
   local dir, tree
   setup(function()
      dir = ok 'mktemp -d':gsub('\n', '')
      tree = dir .. '/a folder'
      ok(("build/bin/th cmake/bundle.lua build '%s/first'"):format(dir))
      ok(("mv '%s/first' '%s'"):format(dir, tree))
   end)
   teardown(function() os.execute(("rm -rf '%s'"):format(dir)) end)

   it('makes a tree that may be moved, and opens the libraries in it', function()
      local program = [[require 'nn' print(nn.Linear(2, 3):forward(torch.ones(1, 2)):size(2))
         print(torch.mm(torch.ones(2, 2), torch.ones(2, 2)):sum())
         for line in io.lines '/proc/self/maps' do
            local file = line:match '/.*%.so[%d.]*$'
            if file and not file:find(arg[1], 1, true) then print('not its own: ' .. file:match '[^/]+$') end
         end]]
      ok(("cat > '%s/use.lua' <<'END'\n%s\nEND"):format(dir, program))
      local out = ok(("cd / && env -i '%s/bin/th' '%s/use.lua' '%s'"):format(tree, dir, tree))
      assert.truthy(out:find '^3\n8\n', out)
      for name in out:gmatch 'not its own: (%S+)' do
         assert.truthy(name:find '^libc%.so' or name:find '^libm%.so' or name:find '^ld%-linux' or name:find '^libdl' or
            name:find '^libpthread' or name:find '^librt', name)
      end
   end)

   it('loads pictures with its bundled libraries', function()
      local ffi = require 'ffi'
      local program = [[local image = require 'image'
         local x = torch.range(1, 48):view(3, 4, 4):div(48)
         for _, ending in ipairs { 'png', 'jpg' } do
            local name = os.tmpname() .. '.' .. ending
            if pcall(image.save, name, x) then print(ending, (image.load(name) - x):abs():max() < 0.1) end
            os.remove(name)
         end
         local webp = '524946464e000000574542505650384c420000002f024000102f40906d3384654af767ba0641b6cd66307f825b9e40d2666b'
            .. '30debfeb09246dc69a3fd9dfec013f974b6ab3ba2514b28d00a7768fc8195d44ff637901'
         local name = os.tmpname()
         local f = io.open(name, 'wb')
         f:write((webp:gsub('..', function(h) return string.char(tonumber(h, 16)) end)))
         f:close()
         local ok, y = pcall(image.load, name)
         if ok then print('webp', y:dim() == 3) end
         os.remove(name)
         for line in io.lines '/proc/self/maps' do
            local file = line:match '/.*/lib[^/]*%.so[%d.]*$'
            for _, name in ipairs { 'libpng16', 'libturbojpeg', 'libwebp', 'libz' } do
               if file and file:match '[^/]+$':find(name .. '.', 1, true) and not file:find(arg[1], 1, true) then
                  print('not its own: ' .. file)
               end
            end
         end]]
      ok(("cat > '%s/pictures.lua' <<'END'\n%s\nEND"):format(dir, program))
      local out = ok(("cd / && env -i '%s/bin/th' '%s/pictures.lua' '%s'"):format(tree, dir, tree))
      assert.is_nil(out:match 'not its own: [^\n]+')
      for ending, library in pairs { png = 'libpng16.so.16', jpg = 'libturbojpeg.so.0', webp = 'libwebp.so.7' } do
         if pcall(ffi.load, library) then
            assert.truthy(out:find(ending .. '\ttrue\n', 1, true), out)
            assert.equal(0, select(2, sh(("test -s '%s/lib/%s'"):format(tree, library))), library)
            assert.equal(0, select(2, sh(("! command -v dpkg-query >/dev/null || test -s '%s/share/doc/%s/copyright'"):format(tree,
               library))), library)
         end
      end
   end)

   it('holds what runs specs and benchmarks', function()
      local out = ok(("cd '%s' && env -i PATH=\"$PATH\" bin/th test/run.lua test/torch/tour_spec.lua"):format(tree))
      assert.truthy(out:find ' passed, 0 failed\n$', out)
      out = ok(("cd '%s' && env -i PATH=\"$PATH\" bin/th bench/call.lua -rounds 1"):format(tree))
      assert.truthy(out:find '| x:add', out)
   end)

   it('says under which licence each library may be given on, where Debian tells', function()
      if select(2, sh 'command -v dpkg-query') ~= 0 then return end
      local file = ok(("cat '%s/share/doc/libopenblas.so.0/copyright'"):format(tree))
      assert.truthy(file:find('BSD', 1, true))
   end)

   it('lists its parts with their sums, as SPDX', function()
      local json = require 'dkjson'
      local list = assert(json.decode(ok(("cat '%s/cresset.spdx.json'"):format(tree))))
      assert.equal('SPDX-2.3', list.spdxVersion)
      assert.equal('Cresset', list.packages[1].name)
      assert.equal(#list.packages, #list.relationships)
      for i = 2, #list.packages do
         local part = list.packages[i]
         local sum = ok(("sha256sum '%s/lib/%s'"):format(tree, part.packageFileName)):match '^%x+'
         assert.equal(sum, part.checksums[1].checksumValue)
      end
   end)

   it('brings the documentation, and a page that says how to begin', function()
      ok(("grep -q 'ready to run' '%s/README.md' && test -s '%s/doc/README.md' && test -s '%s/share/man/man1/th.1'"):format(tree, tree, tree))
   end)

   it('refuses a folder that is there, and wrong arguments', function()
      local out, status = sh(("build/bin/th cmake/bundle.lua build '%s'"):format(tree))
      assert.equal(1, status)
      assert.equal(('bundle: %s is there already\n'):format(tree), out)
      out, status = sh 'build/bin/th cmake/bundle.lua build'
      assert.equal(2, status)
      assert.equal('usage: th cmake/bundle.lua BUILD FOLDER\n', out)
      out, status = sh './dev bundle archive.zip'
      assert.equal(1, status)
      assert.matches("bundle: FILE must end in .tar.gz or .tar.xz, got 'archive.zip'", out)
   end)
end)
