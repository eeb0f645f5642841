-- lua/jupyter/connection.lua - reads the connection file, in which Jupyter names the addresses and the key of a kernel.
local json = require 'torch.json'

local LARGEST = 2 ^ 20                      -- bytes of a connection file
local CHANNELS = { 'shell', 'iopub', 'stdin', 'control', 'hb' }

local function read_file(path)
   local f, why = io.open(path, 'rb')
   if not f then error('cannot open ' .. why, 0) end
   local text = f:read(LARGEST + 1)
   f:close()
   if not text then error('cannot read ' .. path, 0) end
   if #text > LARGEST then error(('%s has more than %d bytes'):format(path, LARGEST), 0) end
   return text
end

local function described(v) return type(v) == 'string' and ('%q'):format(v) or type(v) == 'number' and tostring(v) or type(v) end

local function need(fits, name, what, v)
   if not fits then error(('%s must be %s, got %s'):format(name, what, described(v)), 0) end
   return v
end

--- The settings of a connection file.
-- @return { key = , address = { shell = , iopub = , stdin = , control = , hb = } }
return function(path)
   local ok, t = pcall(json.read, read_file(path))
   if not ok then error(('%s: %s'):format(path, t), 0) end
   if type(t) ~= 'table' then error(path .. ' must hold an object', 0) end
   need(t.transport == 'tcp' or t.transport == 'ipc', 'transport', '"tcp" or "ipc"', t.transport)
   need(type(t.ip) == 'string' and t.ip ~= '' and not t.ip:find '[%c%s]' and (t.transport == 'ipc'
      or not t.ip:find '[^%w%.:%-%[%]%*]'),
      'ip', 'an address', t.ip)
   need(type(t.key) == 'string', 'key', 'a string', t.key)
   need(t.key == '' or t.signature_scheme == 'hmac-sha256', 'signature_scheme', '"hmac-sha256"', t.signature_scheme)
   local address = {}
   for _, channel in ipairs(CHANNELS) do
      local port = t[channel .. '_port']
      need(type(port) == 'number' and port >= 1 and port <= 65535 and port == math.floor(port), channel .. '_port',
         'a port from 1 to 65535', port)
      address[channel] = ('%s://%s%s%d'):format(t.transport, t.ip, t.transport == 'tcp' and ':' or '-', port)
   end
   return { key = t.key, address = address }
end
