-- lua/data/init.lua - data: datasets in files and tensors, and loaders that make batches of them.
--
-- A dataset is a table with size(), the number of its samples, and get(i, random), sample i from 1: a tensor, number, string or
-- table of these. `random` is a torch.Generator for what shall be random in a sample.
local data = {}

data.tensors = require 'data.tensors'.new
data.pack = require 'data.pack'
data.records = require 'data.records'.new
data.npy = require 'data.npy'
data.idx = require 'data.idx'
data.text = require 'data.text'.new
data.csv = require 'data.csv'.new
data.list = require 'data.list'.new
data.t7 = require 'data.list'.t7
data.folder = require 'data.folder'.new
data.lmdb = require 'data.lmdb'.new
data.map = require 'data.map'.new
data.zip = require 'data.zip'.new
data.concat = require 'data.concat'.new
data.subset = require 'data.subset'.new
data.split = require 'data.subset'.split
data.loader = require 'data.loader'.new

return data
