-- feed.text - the lines of a file as samples.
local fingerprint = require 'feed.fingerprint'
local lines = require 'feed.lines'
local source = require 'feed.source'
local need = require 'feed.need'

local Text = {}
Text.__index = Text

--- The lines of a file, strings without their ends (newline, or carriage return and newline)
-- and without the UTF-8 mark before the first one. The file is read once
-- to index its lines, with 8 bytes each; a line is read on demand.
-- require 'feed'.text('LICENSE'):get(1) --> BSD 3-Clause License
function Text.new(file)
   need.path('feed.text', file)
   local ok, places, n, stamp = pcall(lines.index, file)
   if not ok then source.fail('feed.text', file, places) end
   return setmetatable({ file = file, places = places, n = n, stamp = stamp }, Text)
end

function Text:size() return self.n end

function Text:get(i)
   need.index('feed.text', i, self.n)
   local ok, line = pcall(lines.get, self, i)
   if not ok then source.fail('feed.text', self.file, line) end
   return line
end

function Text:fingerprint() return fingerprint.new('text', lines.fingerprint(self)) end

return Text
