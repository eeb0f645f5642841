-- torch.traceback - tracebacks of programs that th runs: the lines of the user, without the frames of our packages.
--
-- TH_TRACEBACK=full shows every frame, as Lua does.
local packages = require 'torch.packages'
local environment = require 'torch.environment'

local M = {}

local MOST_FIRST, MOST_LAST = 10, 10        -- frames that a long traceback shows at either end
local MOST_READ = 2000

-- Functions of C that only pass an error or a call on.
local passing = { error = true, assert = true, pcall = true, xpcall = true, ['?'] = true }

--- Whether TH_TRACEBACK asks for every frame.
function M.is_full() return environment.get 'TH_TRACEBACK' == 'full' end

--- Whether a function belongs to our packages: debug.getinfo gave its `source`.
function M.is_ours(source)
   local path = source:match '^@(.*)$'
   if path then return packages.holds(path) end
   return source:find '^=torch%.' ~= nil or source == '=th'
end

-- ---- frames counted from the bottom of the stack ----------------------------------------------------------------

-- A level changes with each call, and a tail call replaces its function. The number from the bottom stays.

-- The number of levels that the caller sees, found by bisection: debug.getinfo takes as long as the level is high.
local function count()
   local from, to = 2, 4
   while debug.getinfo(to, 'f') do from, to = to, 2 * to end
   while to - from > 1 do
      local middle = math.floor((from + to) / 2)
      if debug.getinfo(middle, 'f') then from = middle else to = middle end
   end
   return from - 1
end

--- The frame at `level` of the caller, counted from the bottom.
function M.frame(level)
   local n = count()                         -- level 1 here is this function
   return n - level
end

--- The level of a frame in the caller.
function M.level(frame)
   local n = count()
   return n - frame
end

-- ---- the user's frames ------------------------------------------------------------------------------------------

local function describe(info, name, namewhat)
   if info.what == 'main' then return 'in main chunk' end
   if namewhat ~= '' and name then return ("in function '%s'"):format(name) end
   if info.what == 'C' then return 'in function <C>' end
   return ('in function <%s:%d>'):format(info.short_src, info.linedefined)
end

-- A frame and those below it: { info, text, ours, c }.
local function frames_from(frame)
   local frames, level = {}, M.level(frame)
   while #frames < MOST_READ do
      local info = debug.getinfo(level, 'Snl')
      if not info then break end
      local c = info.what == 'C'
      local place = c and '[C]' or info.currentline > 0 and ('%s:%d'):format(info.short_src, info.currentline) or info.short_src
      frames[#frames + 1] = { info = info, c = c, ours = not c and M.is_ours(info.source), place = place,
         text = ('%s: %s'):format(place, describe(info, info.name, info.namewhat)), passing = c and passing[info.name or '?'] }
      level = level + 1
   end
   return frames
end

-- A function of C counts as the user's where the user's code called it and it does more than pass the error on.
local function users(frames)
   local kept = {}
   for i, frame in ipairs(frames) do
      local caller = frames[i + 1]
      if frame.c then
         if not frame.passing and caller and not caller.c and not caller.ours then kept[#kept + 1] = frame end
      elseif not frame.ours then
         kept[#kept + 1] = frame
      end
   end
   return kept
end

--- The user's frames among `frame` and those below it, as lines of a traceback; '' without any.
-- @param frame  as M.frame counts it
-- @return the lines, their number, and the first frame
function M.lines(frame)
   local kept, lines = users(frames_from(frame)), {}
   for i, it in ipairs(kept) do
      if i <= MOST_FIRST or i > #kept - MOST_LAST then
         lines[#lines + 1] = '\n\t' .. it.text
      elseif i == MOST_FIRST + 1 then
         lines[#lines + 1] = '\n\t...'
      end
   end
   return table.concat(lines), #kept, kept[1]
end

-- The first frame of Lua code, or of the user's.
local function first_lua(frames, of_user)
   for _, frame in ipairs(frames) do
      if not frame.c and not (of_user and (frame.ours or frame.info.currentline <= 0)) then return frame end
   end
end

-- Where the text begins behind a position in one of our files; nil if the message has another position or none.
local function behind_own_position(message, frames)
   local path, at = message:match '^([^\n:]+%.lua):%d+: ()'
   if path and packages.holds(path) then return at end
   for _, frame in ipairs(frames) do         -- Lua shortens long paths
      local start = frame.info.short_src .. ':'
      if frame.ours and message:sub(1, #start) == start then return message:match('^%d+: ()', #start + 1) end
   end
end

-- Where the text begins behind the position of a user's line below the first one; nil for other positions. A function of ours
-- that a tail call has replaced makes `level` of error miss the caller.
local function behind_lower_position(message, frames)
   local first = first_lua(frames, true)
   for _, frame in ipairs(frames) do
      local start = frame.place .. ': '
      if message:sub(1, #start) == start then return first and frame.place ~= first.place and #start + 1 or nil end
   end
end

--- The message with the position of the user's line in front, where it has the position of one of our files, or of a line that
-- called the user's, or none because our code raised it.
-- @param frame  of the function that failed
function M.place(message, frame)
   local frames = frames_from(frame)
   local text = behind_own_position(message, frames)
   if text then
      message = message:sub(text)
   else
      local raiser = first_lua(frames)
      if not (raiser and raiser.ours) then return message end
      text = behind_lower_position(message, frames)
      if not text and message:find '^[^\n]-:%d+: ' then return message end
      message = message:sub(text or 1)
   end
   if message:find '^In %d+ module of ' then return message end
   local user = first_lua(frames, true)
   return user and ('%s: %s'):format(user.place, message) or message
end

--- The first frame of Lua code among `frame` and those below it; of the user's code if `of_user` is true. nil without one.
function M.first(frame, of_user)
   for k = frame, 1, -1 do
      local level = M.level(k)
      local info = debug.getinfo(level, 'S')
      if info and info.what ~= 'C' and not (of_user and M.is_ours(info.source)) then return k end
      if frame - k > MOST_READ then return nil end
   end
end

return M
