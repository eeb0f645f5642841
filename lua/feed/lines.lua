-- feed.lines - where the lines of a text file begin: what feed.text and feed.csv know of their file.
local torch = require 'torch'
local source = require 'feed.source'

local lines = {}

local BLOCK, NEWLINE = 2 ^ 20, 10

-- Writes into `to` the places at which lines end in p[0..n), behind the newline, as far as there is room.
-- @param quote  the byte between two of which a newline ends no line, or -1
-- @return how far it got, how many it wrote, whether it is between quotes
local function scan(p, n, at, base, to, have, room, quote, quoted)
   while at < n and have < room do
      local c = p[at]
      at = at + 1
      if c == quote then quoted = not quoted
      elseif c == NEWLINE and not quoted then
         to[have] = base + at
         have = have + 1
      end
   end
   return at, have, quoted
end

--- Reads a file through. @return a LongTensor of the places (from 0) at which lines begin, and behind it that of the end; the
-- number of lines; the size of the file in bytes
function lines.index(file, quote)
   local s, bytes = source.open(file)
   local places, have, quoted = torch.LongTensor(1024), 1, false
   places[1] = 0
   for base = 0, bytes - 1, BLOCK do
      local n, at = math.min(BLOCK, bytes - base), 0
      local p = source.bytes(s, n, base)
      while at < n do
         if have == places:size(1) then places:resize(2 * have) end
         at, have, quoted = scan(p, n, at, base, places:data(), have, places:size(1), quote or -1, quoted)
      end
   end
   if quoted then error('a quote that opens has no end', 0) end
   if tonumber(places[have]) < bytes then                     -- the last line may lack its newline
      if have == places:size(1) then places:resize(have + 1) end
      have = have + 1
      places[have] = bytes
   end
   return places:narrow(1, 1, have):clone(), have - 1, bytes
end

--- Line i without its end.
function lines.get(dataset, i)
   local first = dataset.places[i]
   return (source.text(source.of(dataset), dataset.places[i + 1] - first, first):gsub('\r?\n$', ''))
end

return lines
