-- feed.folder - files in folders, one folder for each class: images, for example.
local paths = require 'paths'
local fingerprint = require 'feed.fingerprint'
local image = require 'feed.image'
local need = require 'feed.need'
local source = require 'feed.source'

local Folder = {}
Folder.__index = Folder

-- The names of folders, or of files that `load` can read, in an order that does not depend on the file system.
local function sorted(dir, keep)
   local names = {}
   for name in paths.files(dir) do
      if name:sub(1, 1) ~= '.' and keep(dir .. '/' .. name) then names[#names + 1] = name end
   end
   table.sort(names)
   return names
end

local endings = { png = true, jpg = true, jpeg = true, webp = true }
local function is_image(path) return paths.filep(path) and endings[path:lower():match '%.(%a+)$'] or false end

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
-- folders are in the field `classes`, those of the files in `names`. Without `load` they are the
-- images in files that end in .png, .jpg, .jpeg or .webp, as feed.image reads them. Other files are
-- ignored, and so are names that begin with a dot.
-- @param load  a function of a path (optional): function(path) return feed.image(path, {least = 256}) end
-- require 'feed'.folder('doc', function(path) return path end).classes[1] --> add
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
   local ok, x = pcall(self.load or image.read, path)
   if not ok then source.fail('feed.folder', path, x) end
   return { x, self.class[i] }
end

-- A file may have been removed since; reading it will raise an error.
local function look(self)
   local list = { table.concat(self.classes, '\0'), table.concat(self.names, '\0') }
   for _, i in ipairs(fingerprint.some(#self.names)) do
      local ok, text = pcall(source.with, self.file .. '/' .. self.names[i], function(s, bytes)
         return ('%.0f %s'):format(bytes, fingerprint.blocks(s, 0, math.min(bytes, 4096)))
      end)
      if not ok and tostring(text):find 'interrupted$' then error(text, 0) end
      list[#list + 1] = ok and text or '?'
   end
   return fingerprint.new('folder', table.concat(list, '\n'))
end

function Folder:fingerprint() return fingerprint.once(self, look) end

return Folder
