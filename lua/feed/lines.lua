-- feed.lines - the positions of the lines of a text file, for feed.text and feed.csv.
local torch = require 'torch'
local fingerprint = require 'feed.fingerprint'
local source = require 'feed.source'

local lines = {}

local BLOCK, NEWLINE, RETURN, QUOTE = 2 ^ 20, 10, 13, 34
local MARK = '\239\187\191'                 -- U+FEFF, with which some programs begin a text in UTF-8

-- The state of a byte in a line: at the beginning of a field, where a quote opens; within one; between quotes; behind a quote
-- that closes, or is the first of two that mean one.
local BEGIN, WITHIN, QUOTED, CLOSED = 0, 1, 2, 3

-- Writes into `to` the positions behind the newlines in p[0..n), as far as there is room.
-- @param separator  the byte between fields, or -1: there are no fields, and no quotes
-- @return the position reached, how many positions are in `to`, and the state there
local function scan(p, n, at, base, to, have, room, separator, state)
   while at < n and have < room do
      local c = p[at]
      at = at + 1
      if state == QUOTED then
         if c == QUOTE then state = CLOSED end
      elseif c == NEWLINE then
         state = BEGIN
         to[have] = base + at
         have = have + 1
      elseif c == separator then state = BEGIN
      elseif c == QUOTE and state ~= WITHIN and separator >= 0 then state = QUOTED
      else state = WITHIN end
   end
   return at, have, state
end

local function index(s, bytes, separator)
   local places, have, state = torch.LongTensor(1024), 1, BEGIN
   local start = bytes >= 3 and source.text(s, 3, 0) == MARK and 3 or 0
   places[1] = start
   for base = 0, bytes - 1, BLOCK do
      local n, at = math.min(BLOCK, bytes - base), base == 0 and start or 0
      local p = source.bytes(s, n, base)
      while at < n do
         if have == places:size(1) then places:resize(2 * have) end
         at, have, state = scan(p, n, at, base, places:data(), have, places:size(1), separator, state)
      end
   end
   if state == QUOTED then error('a quote that opens has no end', 0) end
   if tonumber(places[have]) < bytes then                     -- the last line may lack its newline
      if have == places:size(1) then places:resize(have + 1) end
      have = have + 1
      places[have] = bytes
   end
   return places:narrow(1, 1, have):clone(), have - 1, source.stamp(s)
end

--- Indexes a file. @param separator  a character, if lines have fields separated by it; then a newline in a field that begins
-- with a double quote ends no line
-- @return a LongTensor of the positions (from 0) of the lines, and after them of the end; the
--   number of lines; the stamp of the file
function lines.index(file, separator) return source.with(file, index, separator and separator:byte() or -1) end

local function look(dataset)
   local places = dataset.places
   return fingerprint.sum(places) .. fingerprint.blocks(source.of(dataset), places[1], places[places:size(1)])
end

--- The fingerprint of a dataset's lines, as a text.
function lines.fingerprint(dataset) return fingerprint.once(dataset, look) end

--- Line i without its end.
function lines.get(dataset, i)
   local first = dataset.places[i]
   local line = source.text(source.of(dataset), dataset.places[i + 1] - first, first)
   if line:byte(-1) ~= NEWLINE then return line end
   return line:sub(1, line:byte(-2) == RETURN and -3 or -2)
end

return lines
