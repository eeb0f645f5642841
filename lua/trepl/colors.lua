-- trepl.colors - escape sequences of terminals by name; noColors() makes them empty.
local colors = {}
for name, code in pairs(require 'sys'.COLORS) do colors[name] = code end
for name, number in pairs { bright = 1, dim = 2, underline = 4, blink = 5, reverse = 7, hidden = 8 } do
   colors[name] = ('\27[%dm'):format(number)
end
return colors
