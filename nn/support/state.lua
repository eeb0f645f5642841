-- nn/support/state.lua - nn.importState and nn.exportState: the parameters of nets under the names of PyTorch's state dicts.
local torch = require 'torch'
local nn = require 'nn'
local keys = require 'torch.keys'
local arg = require 'torch.arg'
local layouts = require 'nn.support.layouts'

local IMPORT, EXPORT = 'nn.importState', 'nn.exportState'
local MOST_LINES = 12                       -- of a list in a message

local function need_net(who, net)
   if type(net) ~= 'table' or not torch.isTypeOf(net, 'nn.Module') then arg.refuse(who, 'net', 'an nn.Module', net, 3) end
end

local function joined(path, name) return path == '' and name or path .. '.' .. name end

local function sizes_text(list) return #list == 0 and 'a number' or table.concat(list, 'x') end

-- ---- the state ----------------------------------------------------------------------------------------------------

-- The tensors of a table, and of tables in it, by names joined with dots: a list of {name =, tensor =}, and whether its order is known.
local function flattened(state)
   local list, waiting, n, known, seen = {}, { { state, '' } }, 1, true, {}
   while n > 0 do
      local t, path = waiting[n][1], waiting[n][2]
      waiting[n], n = nil, n - 1
      if torch.isTensor(t) then
         list[#list + 1] = { name = path, tensor = t }
      elseif not seen[t] then
         seen[t] = true
         known = known and keys.about[t] ~= nil
         local names = keys.of(t)
         for i = #names, 1, -1 do
            local v = t[names[i]]
            if torch.isTensor(v) or type(v) == 'table' and not torch.typename(v) then
               n = n + 1
               waiting[n] = { v, joined(path, tostring(names[i])) }
            end
         end
      end
   end
   return list, known
end

-- The rules: a function(name, tensor), or a list of {pattern, replacement}, where `false` drops the name.
local function renamer(rules)
   if rules == nil then return function(name) return name end end
   if type(rules) == 'function' then return rules end
   if type(rules) ~= 'table' then arg.refuse(IMPORT, 'rules', 'a function or a list of {pattern, replacement}', rules, 4) end
   for i, rule in ipairs(rules) do
      if type(rule) ~= 'table' or type(rule[1]) ~= 'string' or type(rule[2]) ~= 'string' and rule[2] ~= false then
         error(('%s: rules[%d] must be {pattern, replacement} with a replacement of a string or false, got %s'):format(IMPORT, i,
            type(rule) == 'table' and ('{%s, %s}'):format(tostring(rule[1]), tostring(rule[2])) or arg.describe(rule)), 4)
      end
      local ok, why = pcall(string.gsub, 'x', rule[1], rule[2] or '')
      if not ok then error(('%s: rules[%d] is no pattern: %s'):format(IMPORT, i, tostring(why)), 4) end
   end
   return function(name)
      for _, rule in ipairs(rules) do
         if rule[2] == false then
            if name:find(rule[1]) then return nil end
         else
            name = name:gsub(rule[1], rule[2])
         end
      end
      return name
   end
end

-- Applies the rules; removes the prefix `module.` of DataParallel, and counters that have no use here.
local function renamed(list, rules)
   local rename, out, taken = renamer(rules), {}, {}
   for _, its in ipairs(list) do
      local name = rename(its.name, its.tensor)
      if name and type(name) ~= 'string' then arg.refuse(IMPORT, 'the result of rules', 'a string, or nil or false to drop a name', name, 3) end
      if name and not name:find '%f[^.%z]num_batches_tracked$' then
         if taken[name] then
            error(("%s: '%s' and '%s' both become '%s'"):format(IMPORT, taken[name], its.name, name), 3)
         end
         taken[name] = its.name
         out[#out + 1] = { name = name, from = its.name, tensor = its.tensor }
      end
   end
   local all = #out > 0
   for _, its in ipairs(out) do all = all and its.name:find '^module%.' ~= nil end
   if all then for _, its in ipairs(out) do its.name = its.name:sub(8) end end
   return out
end

-- ---- matching -----------------------------------------------------------------------------------------------------

local function same_shape(t, shape)
   if t:dim() ~= #shape then return false end
   for i, n in ipairs(shape) do
      if t:size(i) ~= n then return false end
   end
   return true
end

-- Where a slot writes: slots of shared parameters have the same place.
local function place(s)
   local t = s.target
   return ('%s %s'):format(tostring(t._storage), tostring(t._offset))
end

local function slots_of(units)
   local list, first = {}, {}
   for _, u in ipairs(units) do
      for _, s in ipairs(u.slots) do
         s.path, s.unit = joined(u.path, s.name), u
         local p = place(s)
         s.tied = first[p]
         first[p] = first[p] or s
         list[#list + 1] = s
      end
   end
   return list
end

-- Pairs of a slot and an entry with the same name. A name without a fitting shape is a fault.
local function by_name(slots, list)
   local named, pairs_, faults, found = {}, {}, {}, 0
   for _, its in ipairs(list) do named[its.name] = its end
   for _, s in ipairs(slots) do
      local its = named[s.path]
      if its then
         found = found + 1
         if same_shape(its.tensor, s.shape) then
            pairs_[#pairs_ + 1] = { s, its }
         else
            faults[#faults + 1] = ("'%s' has %s, the net wants %s for '%s'"):format(its.from, sizes_text(its.tensor:size():totable()),
               sizes_text(s.shape), s.path)
         end
      end
   end
   return pairs_, faults, found
end

-- The entries in groups: those of one module follow each other and share all but the last part of their name.
local function grouped(list)
   local groups, last = {}, nil
   for _, its in ipairs(list) do
      local path, name = its.name:match '^(.*)%.([^.]*)$'
      if not path then path, name = '', its.name end
      if not last or last.path ~= path then
         last = { path = path, by = {}, n = 0 }
         groups[#groups + 1] = last
      end
      last.by[name], last.n = its, last.n + 1
   end
   return groups
end

-- Whether a group has exactly the tensors of a unit.
local function fits(group, unit)
   if group.n ~= #unit.slots then return false end
   for _, s in ipairs(unit.slots) do
      local its = group.by[s.name]
      if not its or not same_shape(its.tensor, s.shape) then return false end
   end
   return true
end

local function unit_text(u)
   local parts = {}
   for _, s in ipairs(u.slots) do parts[#parts + 1] = s.name .. ' ' .. sizes_text(s.shape) end
   return ("%s at '%s' (%s)"):format(torch.typename(u.module), u.path, table.concat(parts, ', '))
end

local function group_text(g)
   local parts = {}
   for name, its in pairs(g.by) do parts[#parts + 1] = name .. ' ' .. sizes_text(its.tensor:size():totable()) end
   table.sort(parts)
   return ("'%s' (%s)"):format(g.path, table.concat(parts, ', '))
end

local function all_tied(u)
   for _, s in ipairs(u.slots) do
      if not s.tied then return false end
   end
   return true
end

-- Pairs by order: each group belongs to the next unit that it fits. `partial` skips what has no partner.
local function by_order(units, groups, partial)
   local pairs_, faults, at = {}, {}, 1
   for _, u in ipairs(units) do
      local k = at
      if partial then
         while groups[k] and not fits(groups[k], u) do k = k + 1 end
      end
      local g = groups[k]
      if g and fits(g, u) then
         for _, s in ipairs(u.slots) do pairs_[#pairs_ + 1] = { s, g.by[s.name] } end
         at = k + 1
      elseif not partial and not all_tied(u) then
         faults[1] = ('the net has %s, but the state %s'):format(unit_text(u), g and 'has ' .. group_text(g) .. ' next'
            or 'has no more tensors')
         break
      end
   end
   return pairs_, faults
end

-- ---- the report ---------------------------------------------------------------------------------------------------

local Report = {}

local function listed(title, list)
   if #list == 0 then return '' end
   local lines = { ('%s: %d'):format(title, #list) }
   for i, text in ipairs(list) do
      if i > MOST_LINES then
         lines[#lines + 1] = ('   and %d more'):format(#list - MOST_LINES)
         break
      end
      lines[#lines + 1] = '   ' .. text
   end
   return table.concat(lines, '\n') .. '\n'
end

function Report.__tostring(r)
   local used = {}
   for i, pair in ipairs(r.used) do used[i] = ('%s -> %s'):format(pair[1], pair[2]) end
   return listed('used', used) .. listed('missing in the state', r.missing) .. listed('left over', r.left) .. listed('faults', r.faults)
end

local function report_of(slots, list, matched, faults)
   local r = setmetatable({ used = {}, missing = {}, left = {}, faults = faults }, Report)
   local has, taken = {}, {}
   for _, pair in ipairs(matched) do
      has[pair[1]], taken[pair[2]] = true, true
      r.used[#r.used + 1] = { pair[2].from, pair[1].path }
   end
   for _, s in ipairs(slots) do
      if not has[s] and not (s.tied and has[s.tied]) then r.missing[#r.missing + 1] = s.path end
   end
   for _, its in ipairs(list) do
      if not taken[its] then r.left[#r.left + 1] = its.from end
   end
   return r
end

-- Two names of a shared parameter must have equal tensors.
local function check_tied(matched, faults)
   local source = {}
   for _, pair in ipairs(matched) do
      local s, its = pair[1], pair[2]
      local first = source[s.tied or s]
      if first and not (first.tensor:isSameSizeAs(its.tensor) and first.tensor:type() == its.tensor:type()
         and torch.equal(first.tensor, its.tensor)) then
         faults[#faults + 1] = ("the net shares '%s' and '%s', but '%s' and '%s' differ"):format((s.tied or s).path, s.path, first.from, its.from)
      end
      source[s.tied or s] = first or its
   end
end

local function put(s, from)
   local view = s.view(s.target)
   view:copy(from:contiguous():viewAs(view))
end

local function hint_of(state)
   for _, k in ipairs { 'state_dict', 'model_state_dict', 'model', 'net' } do
      if type(state[k]) == 'table' and not torch.isTensor(state[k]) then return (' The state has the table %s: give that.'):format(k) end
   end
   return ''
end

--- Copies the tensors of a state dict of PyTorch into a net. First each tensor of the net is looked for under the name that
-- nn.exportState gives it. Where names differ, modules and groups of names are matched in order. A
-- module takes the next group of names, which must have its tensors in its shapes. The order is
-- that of the file (torch.keys); tables without one need rules. Layouts that differ are converted:
-- nn.LookupTable, recurrent layers, attention, depthwise and temporal convolutions. When something
-- does not fit, an error says what, and the net is not changed.
-- @param net    an nn.Module
-- @param state  a table of tensors by name, or nested tables
-- @param rules  a list of {pattern, replacement} for names; replacement false drops a name. Or
--               function(name, tensor) that returns the new name, or nil to drop it (optional)
-- @param partial  true, also as a field of rules: copies what fits, and leaves the rest
-- @return a report, which prints: used = list of {name in the state, name in the net}, missing, left, faults
-- net = nn.Linear(2, 1); report = nn.importState(net, {weight = torch.ones(1, 2), bias = torch.zeros(1)}); #report.used --> 2
function nn.importState(net, state, rules, partial)
   need_net(IMPORT, net)
   if type(state) ~= 'table' or torch.typename(state) then arg.refuse(IMPORT, 'state', 'a table of tensors', state) end
   partial = partial or type(rules) == 'table' and rules.partial
   local list, ordered = flattened(state)
   list = renamed(list, rules)
   if #list == 0 then error(IMPORT .. ': state has no tensors' .. (rules ~= nil and ' that the rules keep' or ''), 2) end
   local units = layouts.units(net)
   local slots = slots_of(units)
   local matched, faults, found = by_name(slots, list)
   if #matched < #slots and (found < #slots or #faults > 0) and ordered then
      local others, why = by_order(units, grouped(list), partial)
      if #why == 0 and #others > #matched or found == 0 then matched, faults = others, why end
   end
   check_tied(matched, faults)
   local r = report_of(slots, list, matched, faults)
   if not partial and (#faults > 0 or #r.missing > 0 or #r.left > 0) then
      local order = not ordered and found == 0 and ' The order of the names is not known, so rules must give the names of the net.' or ''
      error(('%s: the state does not fit the net, which is not changed.%s%s\n%s'):format(IMPORT, order, hint_of(state),
         listed('faults', faults) .. listed('missing in the state', r.missing) .. listed('left over', r.left)), 2)
   end
   for _, pair in ipairs(matched) do put(pair[1], pair[2].tensor) end
   return r
end

--- The parameters and statistics of a net in a table, under the names and in the layout of
-- PyTorch's state dicts. Modules of a container count from 0. Tensors share the net's memory where
-- the layout is the same. torch.keys has their order.
-- torch.keys(nn.exportState(nn.Sequential():add(nn.Tanh()):add(nn.Linear(2, 1)))) --> {1.weight, 1.bias}
function nn.exportState(net)
   need_net(EXPORT, net)
   local state, order = {}, {}
   for _, s in ipairs(slots_of(layouts.units(net))) do
      local view = s.view(s.target)
      if not same_shape(view, s.shape) then view = view:contiguous():view(unpack(s.shape)) end
      if not view:isContiguous() then view = view:contiguous() end
      state[s.path], order[#order + 1] = view, s.path
   end
   keys.about[state] = { kind = 'dict', n = #order, order = order }
   return state
end
