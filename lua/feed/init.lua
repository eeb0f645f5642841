-- lua/feed/init.lua - feed: datasets in files and tensors, and loaders that make batches of them.
--
-- A dataset is a table with size(), the number of its samples, and get(i, random), sample i from 1:
-- a tensor, number, string or table of these. `random` is a torch.Generator for random parts of it.
local feed = {}

feed.image = require 'feed.image'.new
feed.loader = require 'feed.loader'.new
feed.pack = require 'feed.pack'

-- Each file of dataset/ is a kind: dataset/NAME.lua returns the class with its function `new`, or a
-- function that returns datasets. That is feed.NAME; none is listed here.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/init%.lua$'
for _, file in ipairs(require 'torch.paths'.dir(here .. '/dataset')) do
   local name = file:match '^(%w+)%.lua$'
   if name then
      local kind = require('feed.dataset.' .. name)
      feed[name] = type(kind) == 'table' and kind.new or kind
   end
end

return feed
