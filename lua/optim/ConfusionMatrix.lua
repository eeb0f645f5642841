-- lua/optim/ConfusionMatrix.lua - how often each class was taken for which.
local torch = require 'torch'

--- Counts predictions by class: mat[target][prediction].
-- c = optim.ConfusionMatrix{'cat', 'dog'}; c:add(1, 2); c.mat --> {{0, 0}, {1, 0}}
local ConfusionMatrix = torch.class('optim.ConfusionMatrix')

--- optim.ConfusionMatrix(n [, names]) or optim.ConfusionMatrix(names)
function ConfusionMatrix:__init(nclasses, classes)
   if type(nclasses) == 'table' then nclasses, classes = #nclasses, nclasses end
   if type(nclasses) ~= 'number' or nclasses < 1 or nclasses ~= math.floor(nclasses) then
      error('optim.ConfusionMatrix: expected a whole number of classes, or their names, got ' .. tostring(nclasses), 3)
   end
   self.mat = torch.LongTensor(nclasses, nclasses):zero()
   self.valids = torch.FloatTensor(nclasses):zero()
   self.unionvalids = torch.FloatTensor(nclasses):zero()
   self.nclasses = nclasses
   self.totalValid = 0
   self.averageValid = 0
   self.averageUnionValid = 0
   self.classes = classes or {}
end

-- The class that a number or a vector of scores names.
local function classOf(self, method, x, what)
   local k = x
   if torch.isTensor(x) then
      local scores = x:nElement() == 1 and x or x:contiguous():view(-1)
      if scores:nElement() == 1 then
         k = scores:storage()[scores:storageOffset()]
      elseif scores:nElement() > 0 then
         local _, at = scores:max(1)
         k = at[1]
      end
   end
   k = tonumber(k)
   if not k or k < 1 or k > self.nclasses or k ~= math.floor(k) then
      error(('optim.ConfusionMatrix:%s: the %s must be a class of 1..%d, got %s'):format(method, what, self.nclasses,
         tostring(k or x)), 4)
   end
   return k
end

function ConfusionMatrix:_add(p, t) self.mat[t][p] = self.mat[t][p] + 1 end

--- Counts one prediction. Both are class numbers, or vectors whose largest element is the class.
function ConfusionMatrix:add(prediction, target)
   self:_add(classOf(self, 'add', prediction, 'prediction'), classOf(self, 'add', target, 'target'))
end

-- A vector of class numbers from class numbers or from rows of scores.
local function classesOf(self, x, what)
   if not torch.isTensor(x) or (x:dim() ~= 1 and x:dim() ~= 2) then
      error(('optim.ConfusionMatrix:batchAdd: %s must be a vector of classes or a matrix of scores'):format(what), 4)
   end
   if x:dim() == 1 then return x end
   if x:size(2) == 1 then return x:select(2, 1) end
   if x:size(2) ~= self.nclasses then
      error(('optim.ConfusionMatrix:batchAdd: %s must have %d columns, got %d'):format(what, self.nclasses, x:size(2)), 4)
   end
   local _, at = x:max(2)
   return at:select(2, 1)
end

--- Counts a batch: vectors of class numbers, or matrices with a row of scores for each sample.
function ConfusionMatrix:batchAdd(predictions, targets)
   local p, t = classesOf(self, predictions, 'predictions'), classesOf(self, targets, 'targets')
   if p:size(1) ~= t:size(1) then
      error(('optim.ConfusionMatrix:batchAdd: as many targets as predictions must come, got %d and %d'):format(t:size(1),
         p:size(1)), 2)
   end
   local ps, ts = {}, {}
   for i = 1, p:size(1) do
      ps[i], ts[i] = classOf(self, 'batchAdd', p[i], 'prediction'), classOf(self, 'batchAdd', t[i], 'target')
   end
   for i = 1, #ps do self:_add(ps[i], ts[i]) end
end

--- Forgets all counts.
function ConfusionMatrix:zero()
   self.mat:zero()
   self.valids:zero()
   self.unionvalids:zero()
   self.totalValid = 0
   self.averageValid = 0
   self.averageUnionValid = 0
end

-- Plain numbers: rows[t], columns[p], diagonal[k], total.
local function sums(self)
   local rows, columns, diagonal, total = {}, {}, {}, 0
   for i = 1, self.nclasses do rows[i], columns[i] = 0, 0 end
   for t = 1, self.nclasses do
      for p = 1, self.nclasses do
         local n = tonumber(self.mat[t][p])
         rows[t], columns[p], total = rows[t] + n, columns[p] + n, total + n
         if t == p then diagonal[t] = n end
      end
   end
   return rows, columns, diagonal, total
end

-- The mean of those numbers that are numbers; nan when there is none.
local function mean(values)
   local sum, n = 0, 0
   for _, v in ipairs(values) do
      if v == v then sum, n = sum + v, n + 1 end
   end
   return sum / n
end

--- Computes valids (right predictions by class), unionvalids, and the averages from the counts. A class that never
-- came counts nowhere; its own figure is nan.
function ConfusionMatrix:updateValids()
   local rows, columns, diagonal, total = sums(self)
   local valids, unions, right = {}, {}, 0
   for k = 1, self.nclasses do
      valids[k] = diagonal[k] / rows[k]
      unions[k] = diagonal[k] / (rows[k] + columns[k] - diagonal[k])
      self.valids[k], self.unionvalids[k] = valids[k], unions[k]
      right = right + diagonal[k]
   end
   self.totalValid = right / total
   self.averageValid = mean(valids)
   self.averageUnionValid = mean(unions)
end

--- For each class the share of its samples that were refused (false rejections), and the share of the others' samples
-- that were taken for it (false acceptances, averaged over the other classes). Returns two vectors.
function ConfusionMatrix:farFrr()
   local rows = sums(self)
   local frrs, fars = torch.Tensor(self.nclasses), torch.Tensor(self.nclasses)
   for k = 1, self.nclasses do
      local taken = 0
      for t = 1, self.nclasses do
         local share = tonumber(self.mat[t][k]) / rows[t]
         if t ~= k and share == share then taken = taken + share end
      end
      frrs[k] = 1 - tonumber(self.mat[k][k]) / rows[k]
      fars[k] = taken / math.max(1, self.nclasses - 1)
   end
   return frrs, fars
end

function ConfusionMatrix:__tostring__()
   self:updateValids()
   local largest = math.max(1, tonumber(self.mat:max()))
   local cell = '%' .. math.max(8, 1 + math.ceil(math.log10(largest))) .. 'd'
   local lines = {'ConfusionMatrix:'}
   for t = 1, self.nclasses do
      local cells = {}
      for p = 1, self.nclasses do cells[p] = cell:format(tonumber(self.mat[t][p])) end
      lines[#lines + 1] = ('%s[%s]%s  %2.3f%% %s'):format(t == 1 and '[' or ' ', table.concat(cells),
         t == self.nclasses and ']' or ' ', self.valids[t] * 100,
         self.classes[1] and '\t[class: ' .. tostring(self.classes[t] or '') .. ']' or '')
   end
   lines[#lines + 1] = (' + average row correct: %s%% '):format(self.averageValid * 100)
   lines[#lines + 1] = (' + average rowUcol correct (VOC measure): %s%% '):format(self.averageUnionValid * 100)
   lines[#lines + 1] = (' + global correct: %s%%'):format(self.totalValid * 100)
   return table.concat(lines, '\n')
end

--- The matrix as a picture: a tensor of 3 planes, one square for each cell; the whiter the more of its row, right
-- predictions green, wrong ones red.
-- @param sortmode     'score' (best class first), 'occurrence' (most frequent first), or nil
-- @param display      true: shows it with the package image, if that is loaded
-- @param block        pixels of a square's side, default 25
-- @param legendwidth  dark pixels left of the rows, default 0
function ConfusionMatrix:render(sortmode, display, block, legendwidth)
   block, legendwidth = block or 25, legendwidth or 0
   for what, v in pairs { block = block, legendwidth = legendwidth } do
      if type(v) ~= 'number' or v < 0 or v > 2 ^ 20 or v % 1 ~= 0 then
         error(('optim.ConfusionMatrix:render: %s must be a whole number of 0..2^20, got %s'):format(what, tostring(v)), 2)
      end
   end
   local rows, _, diagonal = sums(self)
   local order = {}
   for i = 1, self.nclasses do order[i] = i end
   if sortmode == 'score' or sortmode == 'occurrence' then
      local key = {}
      for i = 1, self.nclasses do
         key[i] = sortmode == 'occurrence' and rows[i] or (rows[i] > 0 and diagonal[i] / rows[i] or -1)
      end
      table.sort(order, function(a, b)
         if key[a] ~= key[b] then return key[a] > key[b] end
         return a < b
      end)
   elseif sortmode then
      error("optim.ConfusionMatrix:render: sortmode must be 'score', 'occurrence' or nil, got " .. tostring(sortmode), 2)
   end
   local side = self.nclasses * block
   local picture = torch.zeros(3, side, side + legendwidth)
   for i, t in ipairs(order) do
      for k, p in ipairs(order) do
         local share = rows[t] > 0 and tonumber(self.mat[t][p]) / rows[t] or 0
         local square = picture:narrow(2, (i - 1) * block + 1, block):narrow(3, legendwidth + (k - 1) * block + 1, block)
         square[t == p and 2 or 1]:fill(share)
      end
   end
   local image = package.loaded.image
   if display and image and image.display then image.display(picture) end
   return picture
end

return ConfusionMatrix
