---@meta dist
-- types/dist.lua - written by ./dev docs from the sources; do not edit.

---@class dist
dist = {}

do
--- nn.Linear with its outputs divided among the ranks: each has some rows of the weight.
---
---     dist.init(); dist.ColumnLinear(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class dist.ColumnLinear: dist.OutputsInParts
---@operator call(any): any
local ColumnLinear = {}

end

--- nn.Linear with its outputs divided among the ranks: each has some rows of the weight.
---
---     dist.init(); dist.ColumnLinear(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class dist.ColumnLinear.class: dist.ColumnLinear
---@overload fun(inputSize?: number, outputSize?: number, bias?: boolean, options?: table): dist.ColumnLinear
dist.ColumnLinear = {}

do
--- nn.LookupTable with its columns divided among the ranks.
---
---     dist.init(); dist.ColumnLookupTable(5, 3):forward(torch.LongTensor{2, 5}):size()   --> {2, 3}
---@class dist.ColumnLookupTable: dist.OutputsInParts
---@operator call(any): any
local ColumnLookupTable = {}

end

--- nn.LookupTable with its columns divided among the ranks.
---
---     dist.init(); dist.ColumnLookupTable(5, 3):forward(torch.LongTensor{2, 5}):size()   --> {2, 3}
---@class dist.ColumnLookupTable.class: dist.ColumnLookupTable
---@overload fun(nIndex?: number, nOutput?: number, options?: table): dist.ColumnLookupTable
dist.ColumnLookupTable = {}

do
--- The class of what dist.compressor returns.
---
---     dist.Compressor 'half'   --> dist.Compressor(half, rows of 1024)
---@class dist.Compressor
---@field kind any
---@field ratio any
---@field rows any
---@field seed any
---@field steps any
local Compressor = {}

--- How many bytes are sent for a tensor, or a table of tensors, and how many it has.
---
---     dist.compressor('onebit'):bytes(torch.FloatTensor(2048))   --> 512, 8192
---@param x any
---@return number
function Compressor:bytes(x) end

--- The carried error of this rank: a vector of all elements, in their order.
---
---     c = dist.init().compressor 'half'; dist.allreduce(torch.ones(2), 'sum', {compress = c}); c:owed()   --> {0, 0}
---@return any
function Compressor:owed() end

--- Sets the carried error to zero.
---@return self
function Compressor:reset() end

end

--- The class of what dist.compressor returns.
---
---     dist.Compressor 'half'   --> dist.Compressor(half, rows of 1024)
---@class dist.Compressor.class: dist.Compressor
---@overload fun(options?: table): dist.Compressor
dist.Compressor = {}

do
--- One model on all ranks, with the mean of all gradients.
---
---     dist.init(); dist.DataParallel(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class dist.DataParallel: nn.Container
---@operator call(any): any
---@field bucket any
---@field compress any
---@field compressors any
---@field count any
---@field gradInput any
---@field last any
---@field options table
---@field output any
---@field sync any
---@field uneven any
local DataParallel = {}

--- Whether `ok` is true on all ranks; all call it.
---@param ok? any
---@return boolean
function DataParallel:everywhere(ok) end

--- With `uneven = true` ranks may take different numbers of steps.
---@return self
function DataParallel:finish() end

--- Calls f() without reducing this rank's gradients, so that they add up over several backward calls.
---@param f any
---@return any
function DataParallel:noSync(f) end

--- Sets how many samples the next steps of this rank have, for `uneven = true`, which weights gradients with it.
---@param n any
---@return self
function DataParallel:samples(n) end

--- Refuses to write a model with a group, which has no meaning in a file.
---@param file? any
---@return any
function DataParallel:write(file) end

end

--- One model on all ranks, with the mean of all gradients.
---
---     dist.init(); dist.DataParallel(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class dist.DataParallel.class: dist.DataParallel
---@overload fun(model: nn.Module, options?: table): dist.DataParallel
dist.DataParallel = {}

do
--- The base class of layers in parts on several ranks: dist.ColumnLinear, dist.RowLinear, dist.RowLookupTable and dist.ColumnLookupTable.
---@class dist.InParts: nn.Container
---@operator call(any): any
---@field first any
---@field number any
---@field sizes any
local InParts = {}

--- The whole layer, an nn.Linear or an nn.LookupTable, on all ranks.
---
---     dist.init(); dist.ColumnLinear(3, 2):collect()   --> nn.Linear(3 -> 2)
---@return any
function InParts:collect() end

--- Whether `ok` is true on all ranks that have parts; all call it.
---@param ok? any
---@param asked? any a table of the groups that were asked before
---@return boolean
function InParts:everywhere(ok, asked) end

--- Draws the values of the whole layer anew, as on the first rank.
---
---     dist.init(); dist.ColumnLinear(3, 2):reset(0.5):get(1)   --> nn.Linear(3 -> 2)
---@param stdv any
---@return self
function InParts:reset(stdv) end

end

--- The base class of layers in parts on several ranks: dist.ColumnLinear, dist.RowLinear, dist.RowLookupTable and dist.ColumnLookupTable.
---@class dist.InParts.class: dist.InParts
---@overload fun(make: any, options?: any, flags?: any): dist.InParts
dist.InParts = {}

do
--- Layers in parts whose outputs are divided: dist.ColumnLinear and dist.ColumnLookupTable.
---@class dist.OutputsInParts: dist.InParts
---@operator call(any): any
local OutputsInParts = {}

end

--- Layers in parts whose outputs are divided: dist.ColumnLinear and dist.ColumnLookupTable.
---@class dist.OutputsInParts.class: dist.OutputsInParts
---@overload fun(...): dist.OutputsInParts
dist.OutputsInParts = {}

---@class dist.Pipeline.options
---@field criterion? any the loss, of the last rank; its gradient is weighted with the micro-batch's share of the samples
---@field sizeAverage? boolean whether the loss is the mean over samples; default: as in the criterion and its inner ones, or true. A mean that weights samples differently (class weights, ignoreIndex) is refused if micro is not 1
---@field micro? number how many micro-batches, default 4 per stage; a batch with fewer samples has one for each sample
---@field stages? table a list: how many layers each stage has. Default: the split whose most expensive stage costs least
---@field costs? table a list: the cost of each layer. Default: its number of parameters
---@field sample? any an input: costs are the seconds that each layer takes with it, on the first rank
---@field schedule? string '1f1b' (default) or 'gpipe'
---@field checkpoint? boolean true: recompute. A stage keeps only the input of a micro-batch, and computes forward again before backward, with the same random numbers. That takes less memory and more time, and gives the same bits
---@field group? any of ranks, one for each stage in the order of the list
---@field data? any a group of ranks that hold the same stage of other pipelines. Layers are placed alike, and all begin with the parameters and running estimates of the first. forwardBackward gives them the mean of ...
---@field average? boolean false: their gradients are not averaged, for dist.ShardedOptim, which does it itself
---@field [string] any

do
--- Pipelines: the layers of a model on several ranks, through which The layers of an nn.Sequential on several ranks, as stages of a pipeline.
---
---     dist.init(); dist.Pipeline(nn.Sequential():add(nn.Linear(3, 2))):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class dist.Pipeline: nn.Container
---@operator call(any): any
---@field across boolean
---@field average any
---@field checkpoint any
---@field count any
---@field criterion any
---@field micro any
---@field number any
---@field parted boolean
---@field parts any
---@field schedule any
---@field sizeAverage any
---@field stage any
---@field stages any
local Pipeline = {}

--- The idle time of the last batch: the fraction of its time in which this rank did not compute.
---
---     dist.init(); dist.Pipeline(nn.Sequential():add(nn.Abs())):bubble()   --> nil
---@return any
---@return any ...
function Pipeline:bubble() end

--- The whole model on all ranks, a plain nn.Sequential with copies of the layers of all ranks: for files, or for use without the pipeline.
---
---     dist.init(); dist.Pipeline(nn.Sequential():add(nn.Abs()):add(nn.Tanh())):collect():size()   --> 2
---@return any
function Pipeline:collect() end

--- Computes the loss of a batch and adds its gradients to those of the stages.
---@param input any
---@param target any
---@return number # the loss, on all ranks
function Pipeline:forwardBackward(input, target) end

--- Computes the output for a batch without keeping what backward needs.
---@param input any
---@return any
function Pipeline:updateOutput(input) end

end

--- Pipelines: the layers of a model on several ranks, through which The layers of an nn.Sequential on several ranks, as stages of a pipeline.
---
---     dist.init(); dist.Pipeline(nn.Sequential():add(nn.Linear(3, 2))):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class dist.Pipeline.class: dist.Pipeline
---@overload fun(model: any, options?: dist.Pipeline.options): dist.Pipeline
dist.Pipeline = {}

do
--- nn.Linear with its inputs divided among the ranks: each has some columns of the weight.
---
---     dist.init(); dist.RowLinear(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class dist.RowLinear: dist.SumOfParts
---@operator call(any): any
local RowLinear = {}

end

--- nn.Linear with its inputs divided among the ranks: each has some columns of the weight.
---
---     dist.init(); dist.RowLinear(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size()   --> {4, 2}
---@class dist.RowLinear.class: dist.RowLinear
---@overload fun(inputSize?: number, outputSize?: number, bias?: boolean, options?: table): dist.RowLinear
dist.RowLinear = {}

do
--- nn.LookupTable with its rows divided among the ranks, for large vocabularies.
---
---     dist.init(); dist.RowLookupTable(5, 3):forward(torch.LongTensor{2, 5}):size()   --> {2, 3}
---@class dist.RowLookupTable: dist.SumOfParts
---@operator call(any): any
local RowLookupTable = {}

--- The gradient by the input, which holds numbers of rows, is zero.
---@param input any
---@return any
function RowLookupTable:updateGradInput(input) end

end

--- nn.LookupTable with its rows divided among the ranks, for large vocabularies.
---
---     dist.init(); dist.RowLookupTable(5, 3):forward(torch.LongTensor{2, 5}):size()   --> {2, 3}
---@class dist.RowLookupTable.class: dist.RowLookupTable
---@overload fun(nIndex?: number, nOutput?: number, options?: table): dist.RowLookupTable
dist.RowLookupTable = {}

---@class dist.ShardedOptim.options
---@field model? any or `parameters` and `gradParameters`: vectors of floats or doubles
---@field method? any a method of optim that works elementwise with one gradient per step. It is sgd (default), adam, adamw, adagrad, adadelta, adamax, rmsprop, asgd, or a function like them
---@field config? any its options; may change between steps. Tensors with one element per parameter are cut likewise
---@field op? string 'mean' (default) or 'sum' of the gradients
---@field group? any of ranks
---@field state? any what `state` returned: continues from there, on any number of ranks
---@field [string] any

do
--- An optimizer whose state is sharded among the ranks.
---
---     x = torch.ones(1); dist.init().ShardedOptim{parameters = x, gradParameters = torch.ones(1)}:step(); x   --> {0.999}
---@class dist.ShardedOptim
---@field config any
---@field count any
---@field failed any
---@field first any
---@field g any
---@field method any
---@field model any
---@field most any
---@field n any
---@field number any
---@field op any
---@field own any
---@field shard any
---@field steps any
---@field x any
local ShardedOptim = {}

--- What dist.commit needs to continue with the option `state` on any number of ranks.
---@return any
function ShardedOptim:state() end

--- Takes a step with the gradient of this rank. `f`, if given, is called first and must compute it. step returns what f returns, and its first value is the ...
---@param f? any
---@return any
---@return any ...
function ShardedOptim:step(f) end

--- Refuses, because a file must hold what state() returns.
---@return any
function ShardedOptim:write() end

end

--- An optimizer whose state is sharded among the ranks.
---
---     x = torch.ones(1); dist.init().ShardedOptim{parameters = x, gradParameters = torch.ones(1)}:step(); x   --> {0.999}
---@class dist.ShardedOptim.class: dist.ShardedOptim
---@overload fun(options?: dist.ShardedOptim.options): dist.ShardedOptim
dist.ShardedOptim = {}

do
--- Layers in parts whose output is a sum over the ranks: dist.RowLinear and dist.RowLookupTable.
---@class dist.SumOfParts: dist.InParts
---@operator call(any): any
local SumOfParts = {}

end

--- Layers in parts whose output is a sum over the ranks: dist.RowLinear and dist.RowLookupTable.
---@class dist.SumOfParts.class: dist.SumOfParts
---@overload fun(...): dist.SumOfParts
dist.SumOfParts = {}

--- The algorithm of operations between hosts. 'auto' uses the fastest one whose sums have the bits of one host.
---
---     dist.init(); dist.algorithm()   --> auto
---@param name? string 'auto' (default), 'fastest', 'gather', 'doubling', 'parts', 'ring' or 'hosts'
---@return any
---@return any ...
function dist.algorithm(name) end

--- The tensors of all ranks, concatenated along a new first dimension.
---
---     dist.init(); dist.allgather(torch.Tensor{1, 2})   --> {{1, 2}}
---@param x any
---@param options? any
---@return any
---@return any ...
function dist.allgather(x, options) end

--- Replaces x, a tensor or a table of tensors, by its sum over all ranks; returns x.
---
---     dist.init(); dist.allreduce(torch.Tensor{1, 2})   --> {1, 2}
---@param x any
---@param op? string 'sum' (default), 'mean', 'min', 'max' or 'prod'. Integers wrap, and their mean is truncated; NaN wins
---@param options? table `group`; `deadline`, the timeout in seconds. `async = true` returns a handle immediately, whose wait() returns x and whose test() returns whether wait() would not wait. `compress`, a dist....
---@return table
function dist.allreduce(x, op, options) end

--- Cuts x along its first dimension into one part per rank, and sends each rank its part.
---
---     dist.init(); dist.alltoall(torch.Tensor{1, 2})   --> {1, 2}
---@param x any
---@param options? any
---@return any
---@return any ...
function dist.alltoall(x, options) end

--- Returns when all ranks have called it.
---
---     dist.init(); dist.barrier()   --> nil
---@param options? any
---@return any
---@return any ...
function dist.barrier(options) end

--- Replaces x, a tensor or a table of tensors, by that of rank `root` (default 0); returns x.
---
---     dist.init(); dist.broadcast(torch.Tensor{1, 2})   --> {1, 2}
---@param x any
---@param root any
---@param options? any
---@return table
function dist.broadcast(x, root, options) end

--- A copy of a model in which layers in parts are whole, plain ones, and without dist.DataParallel: for files, or for use without ranks.
---
---     dist.init(); dist.collect(nn.Sequential():add(dist.ColumnLinear(3, 2))):get(1)   --> nn.Linear(3 -> 2)
---@param model nn.Module
---@return any
---@return any ...
function dist.collect(model) end

--- Saves the state of all ranks as a checkpoint: each rank passes its state, any value that torch.save takes.
---
---     dist.init(); dist.commit({ step = 7 }, { folder = os.tmpname() .. '.d' })   --> 1
---@param state any
---@param options? table a table: `folder` (default: what thrun --commit passes)
---@return any
function dist.commit(state, options) end

--- Compression of gradients with error feedback: pass it to dist.allreduce as the option `compress`.
---
---     dist.init(); dist.allreduce(torch.Tensor{1, 2, 3}, 'sum', {compress = dist.compressor{'topk', ratio = 0.3}})   --> {0, 0, 3}
---@param options? table one of these names, or a table of it and of these. `rows`: the elements of a row at most (1024; for onebit 64; for topk 4096, which is the maximum). `ratio`, of topk: the fraction of a row that is ...
---@return any
---@return any ...
function dist.compressor(options) end

--- The timeout of operations in seconds.
---
---     dist.init(); dist.deadline(300); dist.deadline()   --> 300
---@param seconds? any
---@return any
---@return any ...
function dist.deadline(seconds) end

--- The algorithm that an operation uses and its predicted time, as a table.
---
---     dist.init(); dist.explain('allreduce', torch.ones(5)).algorithm   --> memory
---@param name string 'allreduce', 'reduce', 'broadcast', 'allgather', 'reducescatter', 'alltoall' or 'barrier'
---@param x? torch.Tensor a tensor as for the operation
---@param op? any as of dist.allreduce
---@param options? any `group`
---@return any
function dist.explain(name, x, op, options) end

--- A group of some ranks, for the option `group` of operations.
---
---     dist.init(); g = dist.group{0}; n = g:size(); g:close(); n   --> 1
---@param ranks any
---@return any
---@return any ...
function dist.group(ranks) end

--- How many hosts the ranks are on.
---
---     dist.init(); dist.hosts()   --> 1
---@return number
function dist.hosts() end

--- Joins the job that this process was started for, and waits until all its ranks have joined.
---
---     dist.init().rank()   --> 0
---@param options? any a table: `deadline`, the timeout of operations in seconds (default: what thrun passes, or 300)
---@return any
function dist.init(options) end

---@class dist.lbfgs.config
---@field op? string 'mean' (default) or 'sum' of the ranks' values and gradients
---@field sharded? boolean true: x is this rank's part of a vector that no rank has as a whole, as is the gradient. opfunc, which all ranks call at the same time, may communicate. Its values are summed, so each term must be ...
---@field group? any of ranks
---@field [string] any

--- optim.lbfgs on all ranks.
---
---     x = torch.Tensor{1}; dist.init().lbfgs(function(x) return x[1]^2, x * 2 end, x, {maxIter = 5}); x   --> {0}
---@param opfunc any value and gradient at x
---@param x any
---@param config? dist.lbfgs.config options as of optim.lbfgs: maxIter, maxEval, tolFun, tolX, nCorrection, lineSearch (optim.lswolfe, or your function, which gets whole vectors), lineSearchOptions, learningRate, verbose
---@param state? any kept between calls; default: config
---@return any # x, {all values}, number of evaluations
---@return any ...
function dist.lbfgs(opfunc, x, config, state) end

--- The number of this process among the ranks on its host, from 0; for example to choose a GPU.
---
---     dist.init(); dist.localRank()   --> 0
---@return number
function dist.localRank() end

--- Groups of ranks that form a grid, with consecutive ranks along the last dimension: dist.mesh(2, 3) has ranks 0 1 2 in its first row and 3 4 5 in its second.
---
---     dist.init(); a, b = dist.mesh(1, 1); a:size(), b:size()   --> 1, 1
---@param ... any
---@return any
---@return any ...
function dist.mesh(...) end

---@class dist.optim.options
---@field scheme? any one of these
---@field model? any or `parameters` and `gradParameters`: vectors of floats or doubles. With 'allreduce' the modules nn.MixedPrecision in a model have the same loss scale on all ranks, the smallest, after each step
---@field update? string|number 'sgd' (default), 'momentum', 'adagrad', 'adam', or function(x, g, state, config) that changes x, a shard's elements, by the gradient g. state is a list of `states` (default 0) tensors like x. ...
---@field learningRate? number default 0.01; `momentum` 0.9; `beta1` 0.9, `beta2` 0.999; `epsilon` 1e-10, of adam 1e-8
---@field servers? number how many ranks only update: the last ones of the job, which call `serve`; default 0
---@field workers? any of syncps: gradients of one round (default: all workers)
---@field nFetch? number of downpour: steps from one fetch or push to the next; default 1
---@field nPush? number of downpour: steps from one fetch or push to the next; default 1
---@field staleness? number of ssp, default 2
---@field tau? number of easgd and eamsgd: steps between moves, default 10; alpha is beta / workers, and beta 0.9
---@field alpha? number of easgd and eamsgd: steps between moves, default 10; alpha is beta / workers, and beta 0.9
---@field beta? number of easgd and eamsgd: steps between moves, default 10; alpha is beta / workers, and beta 0.9
---@field spare? number how many workers may die; default: those beyond `workers`, otherwise 0
---@field sparse? boolean true: gradients of nn.LookupTable are sent as rows, and only rows with a gradient are updated
---@field compress? any of allreduce: how gradients are compressed, as dist.compressor takes it
---@field state? any what `state` returned: continues from there
---@field [string] any

--- Trains a model on all ranks of the job together.
---
---     x = torch.ones(1); dist.init().optim{scheme = 'ssp', parameters = x, gradParameters = torch.ones(1)}:step(); x   --> {0.99}
---@param options? dist.optim.options
---@return any # an object with these methods; `steps` and `dropped` count
function dist.optim(options) end

--- The number of this process among the ranks of the job, from 0.
---
---     dist.init(); dist.rank()   --> 0
---@return number
function dist.rank() end

--- Replaces x by the tensor, or table of tensors, that a rank sends; types and numbers of elements must be the same on both.
---@param x any
---@param from any the rank
---@param options? any
---@return any
---@return any ...
function dist.recv(x, from, options) end

--- As dist.allreduce, but only rank `root` gets the result; the tensors of the others do not change.
---
---     dist.init(); dist.reduce(torch.Tensor{1, 2}, 0, 'max')   --> {1, 2}
---@param x any
---@param root any
---@param op any
---@param options? any
---@return any
---@return any ...
function dist.reduce(x, root, op, options) end

--- Cuts x along its first dimension into one part per rank; returns this rank's part, summed over all ranks.
---
---     dist.init(); dist.reducescatter(torch.Tensor{1, 2})   --> {1, 2}
---@param x any
---@param op any as of dist.allreduce
---@param options? any
---@return any
---@return any ...
function dist.reducescatter(x, op, options) end

--- How often thrun has restarted the job after a failure.
---
---     dist.init(); dist.restarts()   --> 0
---@return any
function dist.restarts() end

--- Returns the state that this rank saved in the last checkpoint, and a table of its `number` and `size` (ranks); nil if there is none.
---
---     dist.init(); dist.restore { folder = '/no/such/folder' }   --> nil
---@param options? table as of dist.commit
---@return any
---@return any ...
function dist.restore(options) end

--- Sends x, a tensor or a table of tensors, to a rank, which must call dist.recv.
---@param x any
---@param to any the rank
---@param options? any
---@return table
function dist.send(x, to, options) end

--- A tensor that all ranks of the job see under a name, as an object with methods.
---
---     dist.init(); s = dist.shared('w', {2, 3}); s:add(torch.ones(2, 3)); s:fetch()   --> {{1, 1, 1}, {1, 1, 1}}
---@param name any 1 to 63 bytes, which do not begin with 'dist.optim'
---@param sizes number|torch.LongStorage|table a number, a list of numbers or a LongStorage
---@param options? table a table: `type` (the default tensor type), `shards` (as many as ranks; whole rows of the first dimension each)
---@return any
function dist.shared(name, sizes, options) end

--- How many ranks the job has.
---
---     dist.init(); dist.size()   --> 1
---@return number
function dist.size() end

--- Calls f(...), returns its results, and shows it under this name in a trace, if one runs.
---
---     require 'dist'.span('sum', function(a, b) return a + b end, 1, 2)   --> 3
---@param name any any text
---@param f any
---@param ... any
---@return any
---@return any ...
function dist.span(name, f, ...) end

--- With the name of a file, begins a trace of all ranks.
---
---     f = os.tmpname(); dist.init().trace(f); dist.barrier(); n = dist.trace(); os.remove(f); n   --> 1
---@param ... any
---@return any
---@return any ...
function dist.trace(...) end

return dist
