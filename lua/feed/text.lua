-- feed.text - the lines of a file as samples.
local lines = require 'feed.lines'
local source = require 'feed.source'
local need = require 'feed.need'

local Text = {}
Text.__index = Text

--- The lines of a file, strings without their ends (newline, or carriage return and newline). The file is read through once
-- for the places of its lines, 8 bytes each; a line is read when it is asked for.
-- require 'feed'.text('LICENSE'):get(1) --> BSD 3-Clause License
function Text.new(file)
   need.path('feed.text', file)
   local ok, places, n, bytes = pcall(lines.index, file)
   if not ok then source.fail('feed.text', file, places) end
   return setmetatable({ file = file, places = places, n = n, bytes = bytes }, Text)
end

function Text:size() return self.n end

function Text:get(i)
   need.index('feed.text', i, self.n)
   return lines.get(self, i)
end

return Text
