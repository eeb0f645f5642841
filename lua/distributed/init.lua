-- lua/distributed/init.lua - the package dist: its core, and the files that add functions and classes to it.
local dist = require 'distributed.core'

require 'distributed.explain'
require 'distributed.compress'
require 'distributed.checkpoint'
require 'distributed.DataParallel'
require 'distributed.trace'
require 'distributed.shared'
require 'distributed.optim'
require 'distributed.pipeline.Pipeline'
require 'distributed.layers.linear'
require 'distributed.layers.lookup_tables'
require 'distributed.ShardedOptim'
require 'distributed.lbfgs'

-- Programs know the package as dist, and some of its files by these names.
local names = {
   DataParallel = 'DataParallel', Pipeline = 'pipeline.Pipeline', ShardedOptim = 'ShardedOptim', again = 'pipeline.recompute',
   agree = 'collective_check', commit = 'checkpoint', compress = 'compress', explain = 'explain', job = 'environment',
   layout = 'optim.layout', lbfgs = 'lbfgs', lib = 'lib', linear = 'layers.linear', link = 'pipeline.link',
   losses = 'pipeline.losses', optim = 'optim', options = 'optim.options', parts = 'layers.base', plan = 'pipeline.plan',
   scales = 'loss_scales', schemes = 'optim.schemes', shared = 'shared', split = 'layers.partition', stages = 'pipeline.stages',
   state = 'optim.state', tables = 'layers.lookup_tables', trace = 'trace', twins = 'pipeline.replicas',
   update = 'optim.update_rules', vectors = 'vectors',
}
for name, file in pairs(names) do package.loaded['dist.' .. name] = require('distributed.' .. file) end
package.loaded.dist = dist

return dist
