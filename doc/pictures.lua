-- doc/pictures.lua - the pictures of doc/images.md and doc/fft.md, which their own code blocks draw: ./dev docs runs it.
--
-- A block saves pictures under plain names, as a user would write it. Each block runs as a separate script in an empty folder;
-- doc/pictures/ keeps what it saves. Files change only where pixels do, since versions of libpng pack the same pixels differently.
local torch = require 'torch'
local image = require 'image'
local paths = require 'paths'

local M = { pages = { 'doc/images.md', 'doc/fft.md' }, folder = 'doc/pictures' }

--- What no block draws: the photograph of a terminal.
M.others = { ['terminal.png'] = true }

--- The ```lua blocks of a page: { text, line }. A piece that cannot stand alone is marked ```lua fragment.
function M.blocks(file)
   local found, block, number = {}, nil, 0
   for line in io.lines(file) do
      number = number + 1
      if block and line:match '^%s*```%s*$' then
         block.text = table.concat(block, '\n') .. '\n'
         found[#found + 1] = block
         block = nil
      elseif block then
         block[#block + 1] = line
      elseif line:match '^%s*```lua%s*$' then
         block = { line = number }
      end
   end
   return found
end

--- Runs a block as a separate script, in an empty folder; returns both streams, the status and the pictures that it saved
-- there: name -> pixels.
-- @param th       the command that runs it
-- @param folder   where it runs instead, and saves no pictures (optional)
function M.run(th, text, folder)
   local own = os.tmpname()
   os.remove(own)
   if not folder then assert(paths.mkdir(own)) end
   local name = os.tmpname()
   local f = assert(io.open(name, 'w'))
   f:write(text)
   f:close()
   if th:sub(1, 1) ~= '/' then th = paths.cwd() .. '/' .. th end
   local p = io.popen(("cd '%s' && '%s' %s 2>&1 </dev/null; echo \"status $?\""):format(folder or own, th, name))
   local out, status = p:read('*a'):match '^(.*)status (%d+)\n$'
   p:close()
   os.remove(name)
   local saved = {}
   if not folder then
      for file in paths.files(own) do
         if file:match '%.png$' then saved[file] = image.load(own .. '/' .. file, nil, 'byte') end
      end
      os.execute(("rm -r '%s'"):format(own))
   end
   return out, tonumber(status), saved
end

--- The largest difference of two pictures of bytes; math.huge where their sizes differ or one is absent.
function M.apart(x, y)
   if not x or not y or not x:isSameSizeAs(y) then return math.huge end
   return (x:int() - y:int()):abs():max()
end

--- The picture that the tree keeps under a name, or nil.
function M.kept(name)
   local file = M.folder .. '/' .. name
   return paths.filep(file) and image.load(file, nil, 'byte') or nil
end

--- Draws all pictures anew.
function M.write(th)
   for _, page in ipairs(M.pages) do
      for _, block in ipairs(M.blocks(page)) do
         local out, status, saved = M.run(th, block.text)
         if status ~= 0 then error(('%s, line %d: %s'):format(page, block.line, out), 0) end
         for name, x in pairs(saved) do
            if M.apart(x, M.kept(name)) ~= 0 then image.save(M.folder .. '/' .. name, x) end
         end
      end
   end
end

if rawget(_G, 'arg') and (arg[0] or ''):match 'doc/pictures%.lua$' then
   torch.setdefaulttensortype 'torch.DoubleTensor'
   M.write(arg[1] or 'build/bin/th')
end

return M
