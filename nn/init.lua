-- nn/init.lua - the package nn: modules, containers and criterions.
--
-- Nothing here lists the classes: the folders do. A file with the name of a class defines that class. A file in small letters may
-- define several, each by a line with torch.class('nn.NAME', and functions, each by a line that begins with `function nn.NAME`
-- or `nn.NAME =`. A file runs when one of its names is first used.
require 'torch'
local class = require 'torch.class'
local paths = require 'paths'

local nn = rawget(_G, 'nn') or {}
_G.nn = nn                             -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.nn = nn                 -- for the files below

require 'torch.tensor'.base.nn = nn

local here = debug.getinfo(1, 'S').source:match '^@(.*)/init%.lua$'
local functions = { utils = 'nn.utils' }        -- nn.NAME -> the module that defines it

-- Packages for Torch7 define classes of the names in recurrent/, and some assert that the names are free.
local FREE = { recurrent = 'nn.recurrent' }

-- Runs the file of some classes, then puts the checks of arguments before their methods.
local function runner(module)
   return function(classes)
      require(module)
      local errors, arguments = require 'nn.support.errors', require 'nn.support.arguments'
      for _, mt in pairs(classes) do
         errors.guard(mt)
         arguments.guard(mt)
      end
   end
end

-- The texts of the form `pattern` that follow `front` in a text. Plain searches for `front` are much faster than patterns.
local function all(text, front, pattern)
   local list, at = {}, 1
   while true do
      local _, last = text:find(front, at, true)
      if not last then return list end
      list[#list + 1] = text:match(pattern, last + 1)
      at = last + 1
   end
end

-- What a file in small letters defines: a list of classes. Its functions are entered in `functions`.
local function names_in(path, module)
   local f = assert(io.open(path))
   local text = f:read '*a'
   f:close()
   for _, name in ipairs(all(text, '\nfunction nn.', '^(%w+)[(.]')) do functions[name] = module end
   for _, name in ipairs(all(text, '\nnn.', '^(%w+) = ')) do functions[name] = module end
   return all(text, "torch.class('", "^(nn%.%u%w*)'")
end

local function read_folder(folder, prefix, asked)
   for _, file in ipairs(paths.dir(folder)) do
      local name = file:match '^(%w[%w_]*)%.lua$'
      local module = name and prefix .. name
      local list = name and (name:find '^%u' and { 'nn.' .. name } or names_in(folder .. '/' .. file, module))
      if list and #list > 0 then class.declare(list, runner(module), nn, asked) end
   end
end

if not class.is_declared 'nn.Module' then
   class.declare({ 'nn.Module' }, runner 'nn.Module', nn)
   for _, theme in ipairs(paths.dir(here)) do
      if theme:find '^%l+$' then read_folder(here .. '/' .. theme, 'nn.' .. theme .. '.', FREE[theme]) end
   end
end

-- Runs the file of a function. Names that the program has set before stay as they are.
local function load_function(name)
   local module, own = functions[name], {}
   if not module then return nil end
   for k, v in next, nn do own[k] = v end
   local result = require(module)
   for k, v in pairs(own) do rawset(nn, k, v) end
   if rawget(nn, name) == nil then rawset(nn, name, result) end
   for k, m in pairs(functions) do
      if m == module then functions[k] = nil end
   end
   return rawget(nn, name)
end

local function load_functions()
   for name in pairs(functions) do load_function(name) end
end

return setmetatable(nn, {
   __index = function(_, name) return load_function(name) end,
   __newindex = function(_, name, v)
      functions[name] = nil
      rawset(nn, name, v)
   end,
   __functions = load_functions,
   __pairs = function()
      load_functions()
      return next, nn
   end,
})
