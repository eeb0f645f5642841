-- trepl.colorize - functions that colour a text: colorize.red 'text'. Their names are those of trepl.colors.
local colors = require 'trepl.colors'

local colorize = {}
for name in pairs(colors) do
   colorize[name] = function(text) return colors[name] .. tostring(text) .. colors.none end
end
return colorize
