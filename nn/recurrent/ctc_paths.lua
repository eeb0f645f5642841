-- nn/recurrent/ctc_paths.lua - decodes log-probabilities of classes at each step into labels.
local paths = {}

-- The label of a class: the others are numbered without the blank.
local function label_of(class, blank) return class > blank and class - 1 or class end

--- The best class of each step, repeats merged and blanks removed; and the log-probability of that path.
-- @param rows  a table of log-probabilities for each step
function paths.best(rows, blank)
   local labels, score, before = {}, 0, blank
   for _, row in ipairs(rows) do
      local class = 1
      for k = 2, #row do if row[k] > row[class] then class = k end end
      score = score + row[class]
      if class ~= before and class ~= blank then labels[#labels + 1] = label_of(class, blank) end
      before = class
   end
   return labels, score
end

local function add(a, b)
   if a < b then a, b = b, a end
   return b == -math.huge and a or a + math.log(1 + math.exp(b - a))
end

-- A prefix is {parent, class, ended, open, children}. ended and open are the log-probabilities of its paths that end with a
-- blank, and with its last class. Each prefix is one table, found from its parent.
local function child(prefix, class)
   local found = prefix.children[class]
   if not found then
      found = {parent = prefix, class = class, depth = prefix.depth + 1, children = {}, ended = -math.huge, open = -math.huge}
      prefix.children[class] = found
   end
   return found
end

-- The order of prefixes: higher score, then shorter, then smaller class at the first difference, so that it is unique.
local function better(a, b)
   if a.score ~= b.score then return a.score > b.score end
   if a.depth ~= b.depth then return a.depth < b.depth end
   local less = false
   while a ~= b do
      if a.class ~= b.class then less = a.class < b.class end
      a, b = a.parent, b.parent
   end
   return less
end

--- The best sequence of labels that a beam search finds, and its log-probability.
-- @param width  how many prefixes each step keeps
function paths.beam(rows, blank, width)
   local none = -math.huge
   local root = {depth = 0, class = 0, children = {}, ended = 0, open = none, score = 0}
   local beam = {root}
   for _, row in ipairs(rows) do
      local next_beam, seen = {}, {}
      local function visit(prefix)
         if not seen[prefix] then
            seen[prefix] = {none, none}
            next_beam[#next_beam + 1] = prefix
         end
         return seen[prefix]
      end
      for _, prefix in ipairs(beam) do
         local all = add(prefix.ended, prefix.open)
         local stay = visit(prefix)
         stay[1] = add(stay[1], all + row[blank])
         if prefix ~= root then stay[2] = add(stay[2], prefix.open + row[prefix.class]) end
         for class = 1, #row do
            local from = class == prefix.class and prefix.ended or all
            if class ~= blank and from + row[class] > none then
               local to = visit(child(prefix, class))
               to[2] = add(to[2], from + row[class])
            end
         end
      end
      for prefix, p in pairs(seen) do
         prefix.ended, prefix.open = p[1], p[2]
         prefix.score = add(p[1], p[2])
      end
      table.sort(next_beam, better)
      for i = #next_beam, width + 1, -1 do
         local gone = next_beam[i]
         gone.ended, gone.open = none, none
         if not next(gone.children) then gone.parent.children[gone.class] = nil end
         next_beam[i] = nil
      end
      beam = next_beam
   end
   local best, labels = beam[1], {}
   local score = best.score
   while best ~= root do
      table.insert(labels, 1, label_of(best.class, blank))
      best = best.parent
   end
   return labels, score
end

return paths
