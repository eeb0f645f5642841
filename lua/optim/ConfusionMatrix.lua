-- lua/optim/ConfusionMatrix.lua - counts predictions of a classifier by target and predicted class.
local torch = require 'torch'
local arg = require 'torch.arg'

--- Counts predictions by class: mat[target][prediction].
-- c = optim.ConfusionMatrix{'cat', 'dog'}; c:add(1, 2); c.mat --> {{0, 0}, {1, 0}}
local ConfusionMatrix = torch.class('optim.ConfusionMatrix')

--- optim.ConfusionMatrix(n [, names]) or optim.ConfusionMatrix(names)
function ConfusionMatrix:__init(nclasses, classes)
   arg.object('optim.ConfusionMatrix', self)
   if type(nclasses) == 'table' then nclasses, classes = #nclasses, nclasses end
   if type(nclasses) ~= 'number' or not (nclasses >= 1 and nclasses < 2 ^ 31) then
      error('optim.ConfusionMatrix: expected a number of classes, or their names, got ' ..
            tostring(nclasses), 3)
   end
   nclasses = math.floor(nclasses)
   self.mat = torch.LongTensor(nclasses, nclasses):zero()
   self.valids = torch.FloatTensor(nclasses):zero()
   self.unionvalids = torch.FloatTensor(nclasses):zero()
   self.nclasses = nclasses
   self.totalValid = 0
   self.averageValid = 0
   self.averageUnionValid = 0
   self.classes = classes or {}
end

-- The class number for a number, or a vector of scores, before any check.
local function number_of(x)
   if not torch.isTensor(x) then return tonumber(x) end
   local scores = x:nElement() == 1 and x or x:contiguous():view(-1)
   if scores:nElement() == 0 then return nil end
   if scores:nElement() == 1 then return tonumber(scores:storage()[scores:storageOffset()]) end
   local _, at = scores:max(1)
   return tonumber(at[1])
end

-- A class from its number; a fraction is cut off, as for any index. `x` is the argument of the caller.
local function class_of(self, method, number, x, what)
   local k = number and number == number and math.floor(number)
   if not k or k < 1 or k > self.nclasses then
      error(('optim.ConfusionMatrix:%s: the %s must be a class of 1..%d, got %s'):format(method, what, self.nclasses,
         tostring(number or x)), 4)
   end
   return k
end

-- A target below 1 marks a sample without a label, which is not counted.
local function is_missing(number) return number and number < 1 end

--- Counts a prediction p of a sample of class t; a target below 1 is not counted.
function ConfusionMatrix:_add(p, t)
   if not is_missing(t) then self.mat[t][p] = self.mat[t][p] + 1 end
end

--- Counts one prediction. Both are class numbers, or vectors whose largest element is the class. A
-- target below 1 is a missing label, and is not counted.
function ConfusionMatrix:add(prediction, target)
   local p, t = number_of(prediction), number_of(target)
   if is_missing(t) then return end
   p, t = class_of(self, 'add', p, prediction, 'prediction'), class_of(self, 'add', t, target, 'target')
   self:_add(p, t)
end

-- The numbers of classes from a vector of them or from rows of scores, as a storage on the host.
local function numbers_of(x, what)
   if not torch.isTensor(x) or x:nElement() == 0 or (x:dim() ~= 1 and x:dim() ~= 2) then
      error(('optim.ConfusionMatrix:batchAdd: %s must be a vector of classes or a matrix of scores')
         :format(what), 3)
   end
   if x:dim() == 2 then
      if x:size(2) > 1 then
         local _, at = x:max(2)
         x = at
      end
      x = x:select(2, 1)
   end
   return torch.DoubleTensor(x:size(1)):copy(x):storage(), x:size(1)
end

--- Counts a batch: vectors of class numbers, or matrices with a row of scores for each sample. A
-- target below 1 is a missing label, and is not counted.
function ConfusionMatrix:batchAdd(predictions, targets)
   local p, n = numbers_of(predictions, 'predictions')
   local t, m = numbers_of(targets, 'targets')
   if n ~= m then
      error(('optim.ConfusionMatrix:batchAdd: targets and predictions must be equally many, got %d and %d')
         :format(m, n), 2)
   end
   local ps, ts = {}, {}
   for i = 1, n do
      if not is_missing(t[i]) then
         local at = #ps + 1
         ps[at] = class_of(self, 'batchAdd', p[i], p[i], 'prediction')
         ts[at] = class_of(self, 'batchAdd', t[i], t[i], 'target')
      end
   end
   for i = 1, #ps do self:_add(ps[i], ts[i]) end
end

--- Resets all counts to 0.
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

-- The mean of the shares of the classes that occurred, those that are not nan; nan when no class occurred.
-- The shares are floats, so that the mean has the digits that Torch7 prints.
local function mean(shares, valids)
   local sum, n = 0, 0
   for k = 1, valids:nElement() do
      if valids[k] == valids[k] and shares[k] == shares[k] then sum, n = sum + shares[k], n + 1 end
   end
   return sum / n
end

--- Computes valids (right predictions by class), unionvalids, and the averages from the counts. A class that never
-- occurred is not part of the averages; its share is nan.
function ConfusionMatrix:updateValids()
   local rows, columns, diagonal, total = sums(self)
   local right = 0
   for k = 1, self.nclasses do
      self.valids[k] = diagonal[k] / rows[k]
      self.unionvalids[k] = diagonal[k] / (rows[k] + columns[k] - diagonal[k])
      right = right + diagonal[k]
   end
   self.totalValid = right / total
   self.averageValid = mean(self.valids, self.valids)
   self.averageUnionValid = mean(self.unionvalids, self.valids)
end

--- For each class the share of its samples that were rejected (false rejections), and the share of
-- the others' samples that were accepted (false acceptances). The latter is averaged over the other
-- classes that occurred.
-- @return two vectors by class, with -1 for a class that never occurred; then the same without those classes
function ConfusionMatrix:farFrr()
   local rows = sums(self)
   local class_frrs = torch.Tensor(self.nclasses):fill(-1)
   local class_fars = class_frrs:clone()
   local frrs, fars = {}, {}
   for k = 1, self.nclasses do
      if rows[k] ~= 0 then
         local taken, others = 0, 0
         for t = 1, self.nclasses do
            if t ~= k and rows[t] ~= 0 then
               taken, others = taken + tonumber(self.mat[t][k]) / rows[t], others + 1
            end
         end
         local at = #frrs + 1
         frrs[at], fars[at] = 1 - tonumber(self.mat[k][k]) / rows[k], taken / others
         class_frrs[k], class_fars[k] = frrs[at], fars[at]
      end
   end
   return class_frrs, class_fars, torch.Tensor(frrs), torch.Tensor(fars)
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

--- The matrix as a picture: a tensor of 3 planes, one square for each cell. A square is brighter
-- for a larger share of its row. Right predictions are green, wrong ones red.
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
