-- examples/lib/options.lua - options of training programs: checks, and which a resumed run keeps.
--
-- An option is { name, default, help, condition }. A condition is nothing, { whole = least },
-- { least = number }, { between = { a, b } }, or a list of words. An option with change = true may
-- differ in a resumed run, and is the checkpoint's where the command line has none. One with
-- fresh = true never comes from the checkpoint.
local torch = require 'torch'

local options = {}

local function words(list)
   local first, last = table.concat(list, ', ', 1, #list - 1), list[#list]
   return #list == 1 and last or first .. ' or ' .. last
end

--- The violated condition of an option, in words; nil if it is valid.
function options.wrong(value, must)
   local number = type(value) == 'number' and value == value and math.abs(value) < math.huge
   if not must then return nil end
   if must.whole then
      if number and value % 1 == 0 and value >= must.whole then return nil end
      return ('a whole number of at least %d'):format(must.whole)
   elseif must.least then
      if number and value >= must.least then return nil end
      return ('a number of at least %g'):format(must.least)
   elseif must.between then
      local a, b = unpack(must.between)
      if number and value >= a and value <= b then return nil end
      return ('a number of %g to %g'):format(a, b)
   end
   for _, word in ipairs(must) do if value == word then return nil end end
   return words(must)
end

--- The program's own options, then the shared ones that it does not redefine.
function options.join(own, shared)
   local list, named = {}, {}
   for _, rows in ipairs { own or {}, shared } do
      for _, row in ipairs(rows) do
         if not named[row[1]] then list[#list + 1], named[row[1]] = row, true end
      end
   end
   return list
end

--- Reads the command line.
-- @param about     the first line of the help
-- @param list      options
-- @param defaults  defaults by name that replace those of the list
-- @return the values by name, and the names that the command line has
function options.read(about, list, defaults)
   local cmd, given = torch.CmdLine(), {}
   cmd:text()
   cmd:text(about)
   cmd:text()
   cmd:text 'Options:'
   for _, o in ipairs(list) do
      local default = defaults and defaults[o[1]]
      if default == nil then default = o[2] end
      cmd:option('-' .. o[1], default, o[3])
   end
   cmd:text()
   local read = cmd.__readOption__
   function cmd.__readOption__(self, params, line, i)
      given[line[i]:match '^%-*(.*)$'] = true
      return read(self, params, line, i)
   end
   return cmd:parse(arg or {}), given
end

local function shown(value) return value == '' and "''" or tostring(value) end

--- Takes over the options of a checkpoint.
-- @param opt    values by name, which change
-- @param given  names that the command line has
-- @param kept   the checkpoint's values
-- @return nil, or what contradicts: '-seed must be 1, as in the checkpoint, got 2'
function options.resume(opt, given, list, kept)
   local contradictions = {}
   for _, o in ipairs(list) do
      local name, value = o[1], kept[o[1]]
      if not o.fresh and value ~= nil then
         if given[name] and not o.change and opt[name] ~= value then
            local text = '-%s must be %s, as in the checkpoint, got %s'
            contradictions[#contradictions + 1] = text:format(name, shown(value), shown(opt[name]))
         end
         if not (given[name] and o.change) then opt[name] = value end
      end
   end
   return #contradictions > 0 and table.concat(contradictions, '; ') or nil
end

return options
