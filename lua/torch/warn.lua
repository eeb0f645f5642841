-- torch.warn - notes about calls whose result surprises people who know NumPy: shown once, ignored, errors, or given to a function.
--
-- C refuses such a call with TH_ENOTE while its kind is on (lib/core/notes.c). torch.op then asks here, and calls again.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local packages = require 'torch.packages'
local C = lib.C

local M = {}

local setting = true
local MOST_OWN = 1000                       -- calls from our packages after which a kind is turned off, because each costs microseconds
local own = {}

local here = debug.getinfo(1, 'S').source:match '^(.*/)[^/]*$'

-- The kind of the note: the first one that is on and whose call then passes. Messages say which.
local kinds = {
   { C.TH_NOTE_SHAPES, 'shapes', 'the elements pair in row-major order' }, { C.TH_NOTE_COPY, 'copy', 'are copied in row-major order' },
   { C.TH_NOTE_FRACTION, 'fraction', 'loses its fraction' }, { C.TH_NOTE_DIVISION, 'division', 'divide without' },
   { C.TH_NOTE_WRAP, 'wrap', 'which wraps at' },
}

local function kind_of(text)
   for _, kind in ipairs(kinds) do
      if text:find(kind[3], 1, true) then return tonumber(kind[1]), kind[2] end
   end
   return tonumber(C.TH_NOTES_ALL), 'other'
end

-- The first function above the op's, without files of lua/torch: its position, and whether it belongs to our packages.
local function caller()
   local level = 3
   while true do
      local info = debug.getinfo(level, 'Sl')
      if not info then return nil, false end
      local source = info.source
      if info.what ~= 'C' and source:sub(1, #here) ~= here and not source:find '^=torch%.' then
         return ('%s:%d'):format(info.short_src, info.currentline), packages.holds(source:match '^@(.*)$')
      end
      level = level + 1
   end
end

local function turn_off(bit_of_kind) C.th_notes_set(bit.band(C.th_notes_get(), bit.bnot(bit_of_kind))) end

--- Handles TH_ENOTE. Returns true if the call shall be made again, and a function to call afterwards (optional); or false and the
-- text of an error.
function M.noted()
   local text = ffi.string(C.th_error())
   local mask, name = kind_of(text)
   local place, ours = caller()
   if ours then
      own[name] = (own[name] or 0) + 1
      local before = C.th_notes_get()
      turn_off(mask)
      if own[name] > MOST_OWN and setting ~= 'error' then return true end
      return true, function() C.th_notes_set(before) end
   end
   if setting == 'error' then return false, text .. " (torch.warn is 'error')" end
   local before = C.th_notes_get()
   turn_off(mask)
   if type(setting) == 'function' then
      setting(text, name)
      return true, function() C.th_notes_set(before) end
   end
   io.stdout:flush()
   io.stderr:write(('%snote: %s (shown once; torch.warn = false hides notes)\n'):format(place and place .. ': ' or '', text))
   return true
end

--- torch.warn: Notes about calls that are right in Torch7 and surprise people who know NumPy: tensors of different sizes and
-- equal count that are added or copied, fractions that a tensor of whole numbers loses, its division, and sums that wrap. true
-- (the start): the first call of each kind writes a note to stderr. false: none does. 'error': each is an error. A function: it is
-- called for each such call with the text and the kind: 'shapes', 'copy', 'fraction', 'division' or 'wrap'.
function M.set(value)
   if type(value) ~= 'boolean' and type(value) ~= 'function' and value ~= 'error' then
      arg.refuse('torch.warn', 'value', "true, false, 'error' or a function", value, 3)
   end
   setting = value
   C.th_notes_set(value and C.TH_NOTES_ALL or 0)
end

function M.get() return setting end

C.th_notes_begin()

return M
