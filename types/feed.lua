---@meta feed
-- types/feed.lua - written by ./dev docs from the sources; do not edit.

---@class feed
local feed = {}

--- The samples of several datasets, one after the other.
---
---     d = require 'feed'; d.concat(d.tensors(torch.ones(2)), d.tensors(torch.zeros(3))):size()   --> 5
---@param ... any
---@return any
---@return any ...
function feed.concat(...) end

--- The rows of a CSV file: lists of fields, numbers for fields without quotes that read as one, strings otherwise.
---
---     f = os.tmpname(); os.execute('echo 1,x >' .. f); r = require 'feed'.csv(f):get(1); os.remove(f); r[2]   --> x
---@param file any
---@param options? table a table. `header`: true if the first row has the names; a row is then a table by these. `separator`: one character (','). `tensor`: true if a row is a tensor of the default type, and every field a ...
---@return any
function feed.csv(file, options) end

--- The files in the folders of a folder, sorted by name: sample i is {load(path), number of its folder}.
---
---     require 'feed'.folder('doc', function(path) return path end).classes[1]   --> add
---@param dir any
---@param load? function a function of a path (optional): function(path) return feed.image(path, {least = 256}) end
---@return any
function feed.folder(dir, load) end

--- The rows of an IDX file of any type: tensors, or numbers where it has one dimension.
---
---     require 'feed'.idx('data/digits-labels-idx1-ubyte'):get(2)   --> 1
---@param file any
---@return any
---@return any ...
function feed.idx(file) end

--- The image in a PNG, JPEG or WebP file.
---@param file any
---@param options? table a table. `least`: a JPEG image is read faster, at 1/2, 1/4 or 1/8 of its size, if its shorter side still has so many pixels
---@return any
function feed.image(file, options) end

--- The dataset whose samples are the elements of a table.
---
---     require 'feed'.list{'a', 'b'}:get(2)   --> b
---@param samples any
---@return any
---@return any ...
function feed.list(samples) end

--- The values of an LMDB database as strings, in the order of their keys; feed.map(d, torch.deserialize) makes objects of them.
---@param file any
---@param options? table a table: `keys` (true: a sample is {key = , value = })
---@return any
function feed.lmdb(file, options) end

--- Batches of a dataset, in an order that depends on the seed and the epoch alone. local loader = feed.loader{dataset = d, batch = 32, shuffle = true, workers =...
---
---     d = require 'feed'; l = d.loader{dataset = d.tensors(torch.range(1, 5)), batch = 2}; l:batches()   --> 3
---@param options? any a table. `dataset`. `batch`: samples of a batch (default 1). `shuffle` (default false). `seed` (default 1). `workers`: threads that make batches (default 0: the reader does). `prefetch`: batches ...
---@return any
---@return any ...
function feed.loader(options) end

--- The dataset whose sample i is f(sample, random, i). `random` is a torch.Generator whose numbers depend on the loader's seed, the epoch and the sample alone, ...
---
---     d = require 'feed'.map(require 'feed'.tensors(torch.range(1, 3)), function(x) return 2 * x end); d:get(3)   --> 6
---@param dataset any
---@param f any
---@return any
---@return any ...
function feed.map(dataset, f) end

--- The rows of a .npy file, along the first dimension: tensors, or numbers where it has one dimension.
---
---     f = os.tmpname() .. '.npy'; torch.save(f, torch.range(5, 7)); x = require 'feed'.npy(f):get(3); os.remove(f); x   --> 7
---@param file any
---@return any
---@return any ...
function feed.npy(file) end

--- Writes the samples of a dataset, or the values that a function returns until it returns nil, to a file for feed.records.
---
---     name = os.tmpname(); n = require 'feed'.pack(name, require 'feed'.tensors(torch.ones(5, 2))); os.remove(name); n   --> 5
---@param path any
---@param from any
---@return any
---@return any ...
function feed.pack(path, from) end

--- The samples in a file of feed.pack.
---
---     name = os.tmpname(); f = require 'feed'; f.pack(name, f.list{5, 6, 7}); x = f.records(name):get(3); os.remove(name); x   --> 7
---@param file any
---@return any
function feed.records(file) end

--- Cuts a dataset into parts, whose sizes are these fractions of it: returns a dataset for each.
---
---     d = require 'feed'; a, b = d.split(d.tensors(torch.range(1, 10)), {0.8, 0.2}); b:get(1)   --> 9
---@param dataset any
---@param parts? any
---@param seed? number a seed to shuffle the samples first (default: they stay in order)
---@return any
---@return any ...
function feed.split(dataset, parts, seed) end

--- The samples of a dataset that have these numbers, a LongTensor or a list.
---
---     d = require 'feed'; d.subset(d.tensors(torch.range(1, 9)), {8, 2}):get(1)   --> 8
---@param dataset any
---@param numbers any
---@return table
function feed.subset(dataset, numbers) end

--- The samples in a file of torch.save, which is loaded as a whole.
---
---     f = os.tmpname(); torch.save(f, {4, 7}); x = require 'feed'.t7(f):get(2); os.remove(f); x   --> 7
---@param file any
---@return any
---@return any ...
function feed.t7(file) end

--- The dataset whose sample i is x[i]; of several tensors, {x[i], y[i], ...}; of a table of tensors, a table with the same keys.
---
---     require 'feed'.tensors(torch.ones(3, 2), torch.range(1, 3)):get(2)[2]   --> 2
---@param x any
---@param ... any
---@return any
---@return any ...
function feed.tensors(x, ...) end

--- The lines of a file, strings without their ends (newline, or carriage return and newline) and without the UTF-8 mark before the first one.
---
---     require 'feed'.text('LICENSE'):get(1)   --> BSD 3-Clause License
---@param file any
---@return any
---@return any ...
function feed.text(file) end

--- The dataset whose sample i is the list of the samples i of these datasets, which must have equal sizes.
---
---     d = require 'feed'; d.zip{x = d.tensors(torch.ones(2)), y = d.tensors(torch.zeros(2))}:get(1).y   --> 0
---@param ... any
---@return any
---@return any ...
function feed.zip(...) end

return feed
