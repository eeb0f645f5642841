-- feed.folder - files in folders, one folder a class: images, say.
local paths = require 'paths'
local need = require 'feed.need'
local source = require 'feed.source'

local Folder = {}
Folder.__index = Folder

-- The names of folders, or of files that `load` can read, in an order that does not depend on the disk.
local function sorted(dir, keep)
   local names = {}
   for name in paths.files(dir) do
      if name:sub(1, 1) ~= '.' and keep(dir .. '/' .. name) then names[#names + 1] = name end
   end
   table.sort(names)
   return names
end

local function is_image(path) return paths.filep(path) and path:lower():find '%.png$' ~= nil end

local function walk(self)
   self.classes, self.names, self.class = sorted(self.file, paths.dirp), {}, {}
   for k, class in ipairs(self.classes) do
      for _, name in ipairs(sorted(self.file .. '/' .. class, self.load and paths.filep or is_image)) do
         self.names[#self.names + 1] = class .. '/' .. name
         self.class[#self.names] = k
      end
   end
end

--- The files in the folders of a folder, sorted by name: sample i is {load(path), number of its folder}. The names of the
-- folders are in the field `classes`, those of the files in `names`. Without `load` they are PNG images, ByteTensors of 3 (or
-- 1) x height x width; other files are passed over, and so are names that begin with a dot.
-- @param load  a function of a path (optional)
-- require 'feed'.folder('doc', function(path) return path end).classes[1] --> reference
function Folder.new(dir, load)
   need.path('feed.folder', dir)
   if load ~= nil then need.callable('feed.folder', 'load', load) end
   local self = setmetatable({ file = dir, load = load }, Folder)
   local ok, why = pcall(walk, self)
   if not ok then source.fail('feed.folder', dir, (tostring(why):gsub('^.-paths%.files: cannot read ', 'cannot read '))) end
   return self
end

function Folder:size() return #self.names end

function Folder:get(i)
   need.index('feed.folder', i, #self.names)
   local path = self.file .. '/' .. self.names[i]
   local ok, x = pcall(self.load or require 'feed.png', path)
   if not ok then source.fail('feed.folder', path, x) end
   return { x, self.class[i] }
end

return Folder
