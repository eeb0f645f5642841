-- lua/feed/init.lua - feed: datasets in files and tensors, and loaders that make batches of them.
--
-- A dataset is a table with size(), the number of its samples, and get(i, random), sample i from 1: a tensor, number, string or
-- table of these. `random` is a torch.Generator for random parts of a sample.
local feed = {}

feed.tensors = require 'feed.tensors'.new
feed.pack = require 'feed.pack'
feed.records = require 'feed.records'.new
feed.npy = require 'feed.npy'
feed.idx = require 'feed.idx'
feed.text = require 'feed.text'.new
feed.csv = require 'feed.csv'.new
feed.list = require 'feed.list'.new
feed.t7 = require 'feed.list'.t7
feed.image = require 'feed.image'.new
feed.folder = require 'feed.folder'.new
feed.lmdb = require 'feed.lmdb'.new
feed.map = require 'feed.map'.new
feed.zip = require 'feed.zip'.new
feed.concat = require 'feed.concat'.new
feed.subset = require 'feed.subset'.new
feed.split = require 'feed.subset'.split
feed.loader = require 'feed.loader'.new

return feed
