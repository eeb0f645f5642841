-- lua/image/init.lua - the package image: pictures as tensors of planes x rows x columns, or of rows x columns.
--
-- A part is a file of this folder that returns a table of functions. A table among them, such as `byte`, holds functions of one
-- type; parts may add to the same table. A part finds the functions of others with `require 'image'` when it calls them.
local torch = require 'torch'

local image = rawget(_G, 'image') or {}
_G.image = image                       -- scripts of Torch7 use the global
package.loaded.image = image           -- the parts require it while they load

-- Each group of parts has separate lines, with a blank line between groups.
local parts = {
   -- size, position and form
   'flip', 'geometry', 'typed',

   -- files and compressed bytes
   'load', 'save',

   -- colours, filters and drawing
   'color', 'filter', 'draw', 'typed_color',

   -- showing
   'display', 'sample', 'test',
}

-- The loaders of feed use this part, too.
image.augment = require 'feed.image_augment'.augment

for _, name in ipairs(parts) do
   for key, value in pairs(require('image.' .. name)) do
      if type(value) == 'table' then
         image[key] = image[key] or {}
         for name_of_type, f in pairs(value) do image[key][name_of_type] = f end
      else
         image[key] = value
      end
   end
end

-- In Torch7 the functions of one type are a table of its tensors, too: x.image.scaleSimple(x, y).
for word, kind in pairs { byte = 'torch.ByteTensor', float = 'torch.FloatTensor', double = 'torch.DoubleTensor' } do
   torch.getmetatable(kind).image = image[word]
end

return image
