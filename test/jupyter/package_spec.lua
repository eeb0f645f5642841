-- test/jupyter/package_spec.lua - jupyter.install, connection files, and invalid arguments of the public functions.
-- runs once
local jupyter = require 'jupyter'
local json = require 'torch.json'
local connection = require 'jupyter.connection'

local folder
local function file(text)
   local path = folder .. '/connection.json'
   local f = assert(io.open(path, 'wb'))
   f:write(text)
   f:close()
   return path
end

local function settings(changes)
   local t = { transport = 'tcp', ip = '127.0.0.1', key = 'k', signature_scheme = 'hmac-sha256', shell_port = 1, iopub_port = 2,
      stdin_port = 3, control_port = 4, hb_port = 65535 }
   for k, v in pairs(changes or {}) do
      if v == json.null then t[k] = nil else t[k] = v end
   end
   return file(json.write(t))
end

local function refused(pattern, f, ...)
   local ok, why = pcall(f, ...)
   assert.is_false(ok)
   assert.is_truthy(tostring(why):find(pattern, 1, true), ('%s does not hold %s'):format(tostring(why), pattern))
end

describe('the package jupyter', function()
   setup(function()
      folder = os.tmpname()
      os.remove(folder)
      assert(os.execute(("mkdir '%s'"):format(folder)) == 0)
   end)
   teardown(function() os.execute(("rm -rf '%s'"):format(folder)) end)

   it('writes a kernelspec whose files are there', function()
      local err = io.stderr
      io.stderr = { write = function() end }                    -- luacheck: ignore 122
      local ok, where = pcall(jupyter.install, 'cresset-2', { folder = folder, display = 'Two' })
      local again = pcall(jupyter.install, 'cresset-2', { folder = folder })
      io.stderr = err                                           -- luacheck: ignore 122
      assert.is_true(ok, where)
      assert.is_true(again)
      assert.equal(folder .. '/kernels/cresset-2', where)
      local f = assert(io.open(where .. '/kernel.json'))
      local spec = json.read(f:read '*a')
      f:close()
      assert.equal('Cresset (Lua)', spec.display_name)
      assert.equal('lua', spec.language)
      assert.equal('{connection_file}', spec.argv[3])
      for i = 1, 2 do
         assert.equal('/', spec.argv[i]:sub(1, 1))
         assert(io.open(spec.argv[i])):close()
      end
      assert.is_nil(io.open(where .. '/kernel.json.new'))
   end)

   it('refuses invalid arguments', function()
      for _, name in ipairs { '', 'A', 'a/b', '../x', 3, true, {}, ('x'):rep(101) } do
         refused('jupyter.install: name must be', jupyter.install, name)
      end
      refused('jupyter.install: options must be', jupyter.install, 'x', 3)
      refused('jupyter.install: options.folder must be', jupyter.install, 'x', { folder = 3 })
      refused('jupyter.install: options.display must be', jupyter.install, 'x', { display = '' })
      refused('jupyter.install: cannot make', jupyter.install, 'x', { folder = file '' })
      for _, path in ipairs { '', 3, {}, 'a\0b' } do refused('jupyter.main: file must be', jupyter.main, path) end
      refused('jupyter.main: file must be', jupyter.main)
      refused('jupyter.main: ', jupyter.main, folder .. '/none')
      refused('jupyter.main: ', jupyter.main, folder)
      for name, f in pairs { display = jupyter.display, clear = jupyter.clear, input = jupyter.input } do
         refused(('jupyter.%s: no kernel of Jupyter runs in this process'):format(name), f)
      end
      refused('jupyter.input: prompt must be', jupyter.input, 3)
      refused('jupyter.clear: wait must be', jupyter.clear, 3)
   end)

   it('reads connection files', function()
      local c = connection(settings())
      assert.equal('k', c.key)
      assert.equal('tcp://127.0.0.1:65535', c.address.hb)
      assert.equal('ipc:///tmp/x-1', connection(settings { transport = 'ipc', ip = '/tmp/x' }).address.shell)
   end)

   it('refuses invalid connection files', function()
      for field, values in pairs { transport = { 'udp', 3, json.null }, ip = { '', 'a b', '1.2.3.4;x', 3, json.null },
         key = { 3, json.null },
         signature_scheme = { 'hmac-md5', json.null }, shell_port = { 0, 65536, 1.5, '1', -1, json.null },
            hb_port = { json.null } } do
         for _, v in ipairs(values) do refused(field .. ' must be', jupyter.main, settings { [field] = v }) end
      end
      for _, text in ipairs { '', '{', '[]', '3', '{}', ('['):rep(5000) } do refused('jupyter.main: ', jupyter.main,
         file(text)) end
      refused('has more than', jupyter.main, file((' '):rep(2 ^ 20 + 1)))
   end)

   it('says how to get libzmq', function()
      local th = os.getenv 'TH' or 'build/bin/th'
      local code = "package.loaded.ffi.load = function() error 'none' end require 'jupyter.zmq'.open()"
      local p = io.popen(("cd / && TH_ZMQ=/none '%s' -e \"%s\" 2>&1"):format(th:sub(1, 1) == '/' and th or require 'paths'.cwd() .. '/' .. th, code))
      local out = p:read '*a'
      p:close()
      assert.is_truthy(out:find('jupyter: libzmq is not installed (Debian: libzmq5); TH_ZMQ may name its file', 1, true), out)
   end)
end)
