-- lua/jupyter/init.lua - the package jupyter: a kernel for notebooks.
local arg_error = require 'torch.arg'.refuse

local jupyter = rawget(_G, 'jupyter') or {}
_G.jupyter = jupyter

--- Writes the kernelspec, so that Jupyter offers the kernel: kernel.json in the folder kernels/<name> of JUPYTER_DATA_DIR,
-- else of $XDG_DATA_HOME/jupyter, else of ~/.local/share/jupyter. A second call replaces it.
-- th -l jupyter -e "jupyter.install()" does that in a shell.
-- @param name  the name of the kernel: small letters, digits, '.', '_' and '-' (default 'cresset')
-- @param options  { folder = , display = }: another folder of data of Jupyter, and the name that menus show ('Cresset (Lua)')
-- @return the folder of the kernelspec
function jupyter.install(name, options)
   name = name == nil and 'cresset' or name
   if type(name) ~= 'string' or not name:find '^[a-z0-9][a-z0-9%._%-]*$' or #name > 100 then
      arg_error('jupyter.install', 'name', "small letters, digits, '.', '_' and '-'", name, 2)
   end
   options = options == nil and {} or options
   if type(options) ~= 'table' then arg_error('jupyter.install', 'options', 'a table {folder = , display = }', options, 2) end
   for _, key in ipairs { 'folder', 'display' } do
      local v = options[key]
      if v ~= nil and (type(v) ~= 'string' or v == '' or v:find '%z') then
         arg_error('jupyter.install', 'options.' .. key, 'a string', v, 2)
      end
   end
   local ok, result = pcall(require 'jupyter.install'.install, name, options.display or 'Cresset (Lua)', options.folder)
   if not ok then error('jupyter.install: ' .. tostring(result), 2) end
   io.stderr:write(('jupyter.install: %s/kernel.json\n'):format(result))
   return result
end

--- Runs a kernel until a front end ends it. Jupyter calls it with the file that it has written.
-- @param file  the connection file
function jupyter.main(file)
   if type(file) ~= 'string' or file == '' or file:find '%z' then
      arg_error('jupyter.main', 'file', 'the name of a connection file', file, 2)
   end
   local ok, connection = pcall(require 'jupyter.connection', file)
   if not ok then error('jupyter.main: ' .. tostring(connection), 2) end
   require 'jupyter.zmq'.open()
   require 'jupyter.kernel'.run(connection)
end

local function kernel(who)
   return require 'jupyter.kernel'.current or error(who .. ': no kernel of Jupyter runs in this process', 3)
end

local function bundle_of(data, mime)
   if mime ~= nil then
      if type(data) ~= 'string' then arg_error('jupyter.display', 'data', 'a string of bytes', data, 3) end
      if type(mime) ~= 'string' or not mime:find '^[%w%-]+/[%w%.%+%-]+$' then
         arg_error('jupyter.display', 'mime', 'a kind such as text/html', mime, 3)
      end
      return { [mime] = data }
   end
   local mt = type(data) == 'table' and getmetatable(data)
   if type(mt) == 'table' and type(mt.png) == 'function' then                   -- a picture of image.display
      return { ['image/png'] = data:png(), ['text/plain'] = tostring(data) }
   end
   return require 'jupyter.bundle'.of(data)
end

--- Shows a value below the cell that runs: a small tensor as a table, a picture of image.display, anything else as the prompt
-- does. With a kind, data is shown as that kind.
-- @param data  any value; with mime, a string of bytes
-- @param mime  the kind of the contents: 'text/html', 'image/png', 'image/svg+xml', 'text/markdown', 'text/latex', ...
function jupyter.display(data, mime)
   kernel 'jupyter.display'
   require 'torch.front_end'.show(bundle_of(data, mime))
end

--- Removes what the cell that runs has shown so far.
-- @param wait  whether it stays until the cell shows something else, so that the page does not flicker (default false)
function jupyter.clear(wait)
   if wait ~= nil and type(wait) ~= 'boolean' then arg_error('jupyter.clear', 'wait', 'a boolean', wait, 2) end
   kernel 'jupyter.clear':clear(wait == true)
end

--- Asks the reader of the notebook for a line, as io.read does, with a text in front of it.
-- @param prompt  the text (default '')
-- @param password  whether the line is hidden while it is typed (default false)
-- @return the line
function jupyter.input(prompt, password)
   if prompt ~= nil and type(prompt) ~= 'string' then arg_error('jupyter.input', 'prompt', 'a string', prompt, 2) end
   return kernel 'jupyter.input':input(prompt, password)
end

return jupyter
