---@meta torch
-- types/torch.lua - written by ./dev docs from the sources; do not edit.

--- What all types of storages share.
---@class torch.Storage
---@operator len: number
---@field [number] number
local Storage = {}

--- What all types of tensors share.
---@class torch.Tensor
---@operator add(torch.Tensor|number): torch.Tensor
---@operator sub(torch.Tensor|number): torch.Tensor
---@operator mul(number): torch.Tensor
---@operator mul(torch.Tensor): any
---@operator div(torch.Tensor|number): torch.Tensor
---@operator mod(torch.Tensor|number): torch.Tensor
---@operator unm: torch.Tensor
---@operator len: torch.LongStorage
---@field [number] any
---@field [table] any
---@field [torch.Tensor] any
local Tensor = {}

---@class torch
---@field _gen torch.Generator
torch = {}

--- A copy in another type; the storage itself if it has that type.
---
---     torch.DoubleStorage{1.5}:int()   --> {1}
---@return any
---@return any ...
function Storage:bfloat16() end

--- A copy in another type; the storage itself if it has that type.
---
---     torch.DoubleStorage{1.5}:int()   --> {1}
---@return any
---@return any ...
function Storage:byte() end

--- The struct of the storage, for functions of C, or its address, a number.
---@param asnumber? any
---@return any
function Storage:cdata(asnumber) end

--- A copy in another type; the storage itself if it has that type.
---
---     torch.DoubleStorage{1.5}:int()   --> {1}
---@return any
---@return any ...
function Storage:char() end

--- Copies the elements of another storage of the same size, of any type.
---@param from any
---@return any
function Storage:copy(from) end

--- The elements as a pointer, or as its address, a number.
---@param asnumber? any
---@return any
function Storage:data(asnumber) end

--- A copy in another type; the storage itself if it has that type.
---@return any
---@return any ...
function Storage:double() end

--- Bytes that one element takes: s:elementSize(), or of a class torch.FloatStorage.elementSize().
---@return any
function Storage:elementSize() end

--- Sets every element to v; returns the storage.
---@param v any
---@return any
---@return any ...
function Storage:fill(v) end

--- A copy in another type; the storage itself if it has that type.
---@return any
---@return any ...
function Storage:float() end

--- Do nothing, because the collector counts references.
---@return any
function Storage:free() end

--- The device that a storage is on, from 1; 0 on the CPU.
---
---     torch.FloatStorage(2):getDevice()   --> 0
---@return any
function Storage:getDevice() end

--- A copy in another type; the storage itself if it has that type.
---
---     torch.DoubleStorage{1.5}:int()   --> {1}
---@return any
---@return any ...
function Storage:half() end

--- A copy in another type; the storage itself if it has that type.
---
---     torch.DoubleStorage{1.5}:int()   --> {1}
---@return any
---@return any ...
function Storage:int() end

--- A copy in another type; the storage itself if it has that type.
---
---     torch.DoubleStorage{1.5}:int()   --> {1}
---@return any
---@return any ...
function Storage:long() end

--- Used by readObject and writeObject of a file.
---@param file any
---@return any
---@return any ...
function Storage:read(file) end

--- Changes the number of elements; the first ones keep their values, and new ones are 0.
---
---     torch.IntStorage{1, 2}:resize(3):totable()   --> {1, 2, 0}
---@param n any
---@return any
function Storage:resize(n) end

--- Do nothing, because the collector counts references.
---@return any
function Storage:retain() end

--- A copy in another type; the storage itself if it has that type.
---
---     torch.DoubleStorage{1.5}:int()   --> {1}
---@return any
---@return any ...
function Storage:short() end

--- Number of elements.
---@return any
---@return any ...
function Storage:size() end

--- s:string() is the bytes of a Char or Byte storage as a string; s:string('text') makes the storage hold those bytes.
---@param text? any
---@return any
---@return any ...
function Storage:string(text) end

--- The elements as a table.
---
---     torch.IntStorage{1, 2}:totable()   --> {1, 2}
---@return any
function Storage:totable() end

--- x:type() is its type's name; x:type('torch.IntStorage') a copy of that type.
---@param name? any
---@return any
---@return any ...
function Storage:type(name) end

--- Used by readObject and writeObject of a file.
---@param file any
---@return any
function Storage:write(file) end

--- Calls f(element) for every element in row-major order and stores what it returns; nil leaves the element.
---
---     torch.Tensor{1, 2, 3}:apply(function(v) return v * v end)   --> {1, 4, 9}
---@param f any
---@return self
function Tensor:apply(f) end

--- The positions of the largest elements along dim; without dim the position of the largest of all, counted row by row.
---
---     torch.argmax(torch.Tensor{{1, 5}, {7, 2}}), torch.argmax(torch.Tensor{{1, 5}, {7, 2}}, 2)   --> 3, {{2}, {1}}
---@param dim? number
---@return any
---@return any ...
function Tensor:argmax(dim) end

--- The positions of the smallest elements along dim; without dim the position of the smallest of all, counted row by row.
---
---     torch.argmin(torch.Tensor{{1, 5}, {7, 2}}), torch.argmin(torch.Tensor{{1, 5}, {7, 2}}, 2)   --> 1, {{1}, {2}}
---@param dim? number
---@return any
---@return any ...
function Tensor:argmin(dim) end

--- The positions that sort x along dim (default: the last), stably; descending: true or false.
---
---     torch.argsort(torch.Tensor{3, 1, 2})   --> {2, 3, 1}
---@param dim? number
---@param descending? any
---@return any
function Tensor:argsort(dim, descending) end

--- x as floats of 16 bits (half: 11 bits of precision; bfloat16: 8 bits, and the range of float), 32 and 64 bits. x itself if it has the type already, else a copy.
---
---     torch.Tensor{0.1}:half():double()[1]   --> 0.099976
---@return torch.BFloat16Tensor
function Tensor:bfloat16() end

--- How often each whole number from 1 on occurs in x, which must hold no others. y[i] is the number of elements equal to i, or the sum of their weights, a ...
---
---     torch.bincount(torch.LongTensor{1, 3, 3})   --> {1, 0, 2}
---     torch.bincount(torch.LongTensor{1, 3, 3}, torch.Tensor{0.5, 1, 2}, 4)   --> {0.5, 0, 3, 0}
---@param weights? any
---@param minlength? number
---@return any
---@return any ...
function Tensor:bincount(weights, minlength) end

--- x as whole numbers of 8 bits (byte: 0 to 255; char: -128 to 127), 16, 32 and 64 bits.
---
---     torch.Tensor{1.7, -1.7}:int()   --> {1, -1}
---@return torch.ByteTensor
function Tensor:byte() end

--- Bytes that the elements take.
---
---     torch.FloatTensor(2, 3):bytes()   --> 24
---@return any
---@return any ...
function Tensor:bytes() end

--- A pointer to the struct behind x, for functions of C. x lives as long as the pointer.
---@param asnumber? any
---@return any
---@return any ...
function Tensor:cdata(asnumber) end

--- x as whole numbers of 8 bits (byte: 0 to 255; char: -128 to 127), 16, 32 and 64 bits.
---
---     torch.Tensor{1.7, -1.7}:int()   --> {1, -1}
---@return torch.CharTensor
function Tensor:char() end

--- n parts of equal size along dimension d (1), the last one maybe shorter.
---
---     torch.range(1, 5):chunk(2)   --> {{1, 2, 3}, {4, 5}}
---@param n any
---@param d? any
---@return any
---@return any ...
function Tensor:chunk(n, d) end

--- A contiguous copy of the same type and sizes, with separate memory.
---
---     x = torch.ones(2); y = x:clone():fill(5); x   --> {1, 1}
---@return self
function Tensor:clone() end

--- x itself if its elements lie one after the other, else a contiguous copy.
---
---     torch.Tensor(2, 3):t():contiguous():isContiguous()   --> true
---@return self
function Tensor:contiguous() end

--- Copies as copy does, but where memory of the host is pinned (cutorch.createCudaHostTensor) it returns before the copy is done.
---
---     x = torch.CudaTensor(2); x:copyAsync(cutorch.createCudaHostTensor(2):fill(3))   --> {3, 3}
---@param y any
---@return any
function Tensor:copyAsync(y) end

--- x in a type of the device of this thread, cuda() in floats. x itself if it has that type already, on whatever device, else a copy.
---
---     torch.Tensor{1.5}:cudaInt()   --> {1}
---@return any
---@return any ...
function Tensor:cuda() end

--- x in a type of the device of this thread, cuda() in floats. x itself if it has that type already, on whatever device, else a copy.
---
---     torch.Tensor{1.5}:cudaInt()   --> {1}
---@return any
---@return any ...
function Tensor:cudaBFloat16() end

--- x in a type of the device of this thread, cuda() in floats. x itself if it has that type already, on whatever device, else a copy.
---
---     torch.Tensor{1.5}:cudaInt()   --> {1}
---@return any
---@return any ...
function Tensor:cudaByte() end

--- x in a type of the device of this thread, cuda() in floats. x itself if it has that type already, on whatever device, else a copy.
---
---     torch.Tensor{1.5}:cudaInt()   --> {1}
---@return any
---@return any ...
function Tensor:cudaChar() end

--- x in a type of the device of this thread, cuda() in floats. x itself if it has that type already, on whatever device, else a copy.
---
---     torch.Tensor{1.5}:cudaInt()   --> {1}
---@return any
---@return any ...
function Tensor:cudaDouble() end

--- x in a type of the device of this thread, cuda() in floats. x itself if it has that type already, on whatever device, else a copy.
---
---     torch.Tensor{1.5}:cudaInt()   --> {1}
---@return any
---@return any ...
function Tensor:cudaHalf() end

--- x in a type of the device of this thread, cuda() in floats. x itself if it has that type already, on whatever device, else a copy.
---
---     torch.Tensor{1.5}:cudaInt()   --> {1}
---@return any
---@return any ...
function Tensor:cudaInt() end

--- x in a type of the device of this thread, cuda() in floats. x itself if it has that type already, on whatever device, else a copy.
---
---     torch.Tensor{1.5}:cudaInt()   --> {1}
---@return any
---@return any ...
function Tensor:cudaLong() end

--- x in a type of the device of this thread, cuda() in floats. x itself if it has that type already, on whatever device, else a copy.
---
---     torch.Tensor{1.5}:cudaInt()   --> {1}
---@return any
---@return any ...
function Tensor:cudaShort() end

--- The elements of a tensor, or of a storage, as a pointer of their C type, or as its address, a number.
---@param asnumber? any
---@return any
function Tensor:data(asnumber) end

--- Differences of neighbours along dim (default: the last): y[i] = x[i + 1] - x[i].
---
---     torch.diff(torch.Tensor{1, 4, 9})   --> {3, 5}
---@param dim? number
---@return any
---@return any ...
function Tensor:diff(dim) end

--- Number of dimensions; 0 for an empty tensor and for a single number.
---
---     torch.Tensor(2, 3):dim()   --> 2
---@return number
function Tensor:dim() end

--- x as floats of 16 bits (half: 11 bits of precision; bfloat16: 8 bits, and the range of float), 32 and 64 bits. x itself if it has the type already, else a copy.
---
---     torch.Tensor{0.1}:half():double()[1]   --> 0.099976
---@return torch.DoubleTensor
function Tensor:double() end

--- Bytes that one element takes, also of a class: torch.FloatTensor.elementSize().
---
---     torch.FloatTensor():elementSize()   --> 4
---@return any
function Tensor:elementSize() end

--- A view in which dimensions of size 1 are repeated without copying; further dimensions may be added in front.
---
---     torch.Tensor{{1}, {2}}:expand(2, 3)   --> {{1, 1, 1}, {2, 2, 2}}
---@param ... any
---@return self
function Tensor:expand(...) end

--- x expanded to the size of another tensor.
---
---     torch.Tensor{{1}, {2}}:expandAs(torch.zeros(2, 2))   --> {{1, 1}, {2, 2}}
---@param other any
---@return self
function Tensor:expandAs(other) end

--- x as floats of 16 bits (half: 11 bits of precision; bfloat16: 8 bits, and the range of float), 32 and 64 bits. x itself if it has the type already, else a copy.
---
---     torch.Tensor{0.1}:half():double()[1]   --> 0.099976
---@return torch.FloatTensor
function Tensor:float() end

--- Frees the memory now instead of at garbage collection; x is empty afterwards.
---@return any
function Tensor:free() end

--- The device that x is on, from 1; 0 on the CPU, and for a tensor that has no memory.
---
---     torch.Tensor(2):getDevice()   --> 0
---@return any
---@return any ...
function Tensor:getDevice() end

--- x as floats of 16 bits (half: 11 bits of precision; bfloat16: 8 bits, and the range of float), 32 and 64 bits. x itself if it has the type already, else a copy.
---
---     torch.Tensor{0.1}:half():double()[1]   --> 0.099976
---@return torch.HalfTensor
function Tensor:half() end

--- x itself if it is on the CPU, else a copy there, of the same element type.
---
---     torch.Tensor{1, 2}:host()   --> {1, 2}
---@return torch.Tensor
function Tensor:host() end

--- x as whole numbers of 8 bits (byte: 0 to 255; char: -128 to 127), 16, 32 and 64 bits.
---
---     torch.Tensor{1.7, -1.7}:int()   --> {1, -1}
---@return torch.IntTensor
function Tensor:int() end

--- Whether the elements lie one after the other in memory, row by row.
---
---     torch.Tensor(2, 3):t():isContiguous()   --> false
---@return boolean
function Tensor:isContiguous() end

--- Whether both have the same sizes; their types may differ.
---
---     torch.Tensor(2, 3):isSameSizeAs(torch.IntTensor(3, 2))   --> false
---@param other any
---@return boolean
function Tensor:isSameSizeAs(other) end

--- Whether x and other are the same view of the same storage.
---
---     x = torch.Tensor(2); x:isSetTo(torch.Tensor(2))   --> false
---@param other any
---@return boolean
function Tensor:isSetTo(other) end

--- Whether the sizes are those of a LongStorage.
---
---     torch.Tensor(2, 3):isSize(torch.LongStorage{2, 3})   --> true
---@param sizes any
---@return boolean
function Tensor:isSize(sizes) end

--- True.
---
---     torch.Tensor():isTensor()   --> true
---@return boolean
function Tensor:isTensor() end

--- Bytes: 1 where x is neither infinite nor NaN.
---
---     torch.isfinite(torch.Tensor{1, -1/0, 0/0})   --> {1, 0, 0}
---@return any
---@return any ...
function Tensor:isfinite() end

--- Bytes: 1 where x is infinite.
---
---     torch.isinf(torch.Tensor{1, -1/0, 0/0})   --> {0, 1, 0}
---@return any
---@return any ...
function Tensor:isinf() end

--- Bytes: 1 where x is NaN.
---
---     torch.isnan(torch.Tensor{1, 0/0})   --> {0, 1}
---@return any
---@return any ...
function Tensor:isnan() end

--- The only element, as a number.
---
---     torch.Tensor{{7}}:item()   --> 7
---@return any
---@return any ...
function Tensor:item() end

--- The Kronecker product of two matrices: every element of a times all of b.
---
---     torch.kron(torch.Tensor{{1, 2}}, torch.Tensor{{1, 1}, {0, 1}})   --> {{1, 1, 2, 2}, {0, 1, 0, 2}}
---@param b any
---@return any
---@return any ...
function Tensor:kron(b) end

--- log(sum(exp(x))) along dim, without overflow; without dim over all elements, a number.
---
---     torch.logsumexp(torch.Tensor{1000, 1000})   --> 1000.7
---@param dim? number
---@return any
---@return any ...
function Tensor:logsumexp(dim) end

--- x as whole numbers of 8 bits (byte: 0 to 255; char: -128 to 127), 16, 32 and 64 bits.
---
---     torch.Tensor{1.7, -1.7}:int()   --> {1, -1}
---@return torch.LongTensor
function Tensor:long() end

--- Calls f(x element, z element) for every pair and stores what it returns in x; nil leaves the element.
---
---     torch.Tensor{1, 2}:map(torch.Tensor{3, 4}, function(x, z) return x * z end)   --> {3, 8}
---@param z any
---@param f any
---@return self
function Tensor:map(z, f) end

--- Calls f(x element, z element, w element) for every triple and stores what it returns in x; nil leaves the element.
---
---     torch.Tensor{1, 2}:map2(torch.Tensor{3, 4}, torch.Tensor{5, 6}, function(x, z, w) return x + z * w end)   --> {16, 26}
---@param z any
---@param w any
---@param f any
---@return any
---@return any ...
function Tensor:map2(z, w, f) end

--- The squared distances between every row of a and every row of b, times gain (1): result[i][j] is gain * sum((a[i] - b[j])^2).
---
---     torch.match(torch.Tensor{{0, 0}}, torch.Tensor{{1, 0}, {3, 4}})   --> {{1, 25}}
---@param a? any
---@param b? any
---@param gain? number
---@return any
function Tensor:match(a, b, gain) end

--- Number of dimensions; 0 for an empty tensor and for a single number.
---
---     torch.Tensor(2, 3):dim()   --> 2
---@return number
function Tensor:nDimension() end

--- How many elements x has.
---
---     torch.Tensor(2, 3):nElement()   --> 6
---@return number
function Tensor:nElement() end

--- The sum without NaNs: of all elements a number, along dim a tensor.
---
---     torch.nansum(torch.Tensor{1, 0/0, 2})   --> 3
---@param dim? number
---@return any
---@return any ...
function Tensor:nansum(dim) end

--- A view of n positions of dimension dim, from `first` on. n may be 0.
---
---     torch.range(1, 5):narrow(1, 2, 3)   --> {2, 3, 4}
---@param dim? number
---@param first? any
---@param n? any
---@return self
function Tensor:narrow(dim, first, n) end

--- A tensor of the same type: x:new(2, 3), ... as the type's constructor takes them; x:new() alone is a second view of x.
---
---     torch.IntTensor():new{1, 2}:type()   --> torch.IntTensor
---@param ... any
---@return self
function Tensor:new(...) end

--- How many elements x has.
---
---     torch.Tensor(2, 3):nElement()   --> 6
---@return number
function Tensor:numel() end

--- All elements 1, with the arguments of torch.zeros.
---
---     torch.ones(3, 'torch.IntTensor')   --> {1, 1, 1}
---@param ... any
---@return torch.Tensor
function Tensor:ones(...) end

--- The outer product of two vectors, of any one type: y[i][j] = a[i] * b[j].
---
---     torch.outer(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {{3, 4}, {6, 8}}
---@param b any
---@return any
---@return any ...
function Tensor:outer(b) end

--- A view with the dimensions in another order; all of them must be named.
---
---     torch.Tensor(2, 3, 4):permute(3, 1, 2):size()   --> {4, 2, 3}
---@param dim1 any
---@param dim2 any
---@param ... any
---@return self
function Tensor:permute(dim1, dim2, ...) end

--- Numbers of [0, 1), all equally likely.
---
---     torch.rand(2, 3):size()   --> {2, 3}
---@param ... any
---@return torch.Tensor
function Tensor:rand(...) end

--- Numbers of the normal distribution with mean 0 and standard deviation 1.
---
---     torch.randn(2, 3):size()   --> {2, 3}
---@param ... any
---@return any
---@return any ...
function Tensor:randn(...) end

--- x in the type of torch.Tensor: itself if it has it already, else a copy.
---
---     torch.IntTensor{1}:real():type()   --> torch.DoubleTensor
---@return any
---@return any ...
function Tensor:real() end

--- Copies of x, so many along each dimension; extra counts add dimensions in front.
---
---     torch.Tensor{1, 2}:repeatTensor(2, 2)   --> {{1, 2, 1, 2}, {1, 2, 1, 2}}
---@param ... any
---@return any
---@return any ...
function Tensor:repeatTensor(...) end

--- A copy in another shape with the same number of elements.
---
---     torch.range(1, 4):reshape(2, 2)   --> {{1, 2}, {3, 4}}
---@param ... any
---@return any
---@return any ...
function Tensor:reshape(...) end

--- Changes the sizes; elements keep their order in memory, and those behind the old memory are 0 (torch.setzerofill).
---
---     torch.range(1, 4):resize(2, 2)   --> {{1, 2}, {3, 4}}
---@param first any
---@param ... any
---@return self
function Tensor:resize(first, ...) end

--- Takes the size of another tensor; no effect if the sizes are equal.
---
---     torch.range(1, 4):resizeAs(torch.Tensor(2, 2))   --> {{1, 2}, {3, 4}}
---@param other any
---@return self
function Tensor:resizeAs(other) end

--- Does nothing, because the collector counts references.
---@return any
function Tensor:retain() end

--- A view of one index of dimension dim, which disappears; of a vector the element itself, a number, whatever dim is.
---
---     torch.Tensor{{1, 2}, {3, 4}}:select(2, 1)   --> {1, 3}
---@param dim? number
---@param index? number
---@return any
function Tensor:select(dim, index) end

--- Makes x a view of something else: x:set(tensor), x:set(storage [, offset, sizes, strides]), x:set() empties it.
---
---     x = torch.Tensor{1, 2}; y = torch.Tensor():set(x); y[1] = 9; x   --> {9, 2}
---@overload fun(self: torch.Tensor, first: any, ...: any): self
---@param ... any
---@return self
function Tensor:set(...) end

--- x as whole numbers of 8 bits (byte: 0 to 255; char: -128 to 127), 16, 32 and 64 bits.
---
---     torch.Tensor{1.7, -1.7}:int()   --> {1, -1}
---@return torch.ShortTensor
function Tensor:short() end

--- x:size() is a LongStorage, x:size(d) a number.
---
---     torch.Tensor(2, 3):size()   --> {2, 3}
---@param d? any
---@return any
function Tensor:size(d) end

--- Parts of `size` indices along dimension d (1), the last one maybe shorter: a table of views.
---
---     torch.range(1, 5):split(2)   --> {{1, 2}, {3, 4}, {5}}
---@param size any
---@param d any
---@return any
---@return any ...
function Tensor:split(size, d) end

--- A view without the dimensions of size 1, all or the one named; if one element is all that remains, it is a number.
---
---     torch.Tensor(1, 2, 1, 3):squeeze():size()   --> {2, 3}
---@param dim? number
---@return any
function Tensor:squeeze(dim) end

--- The storage that x views; nil when it has none.
---
---     torch.Tensor{1, 2}:storage()   --> {1, 2}
---@return torch.Storage
function Tensor:storage() end

--- Position of the first element in the storage, from 1.
---
---     torch.range(1, 5):narrow(1, 3, 2):storageOffset()   --> 3
---@return any
---@return any ...
function Tensor:storageOffset() end

--- x:stride() is a LongStorage, x:stride(d) a number of elements.
---
---     torch.Tensor(2, 3):stride()   --> {3, 1}
---@param d? any
---@return any
function Tensor:stride(d) end

--- The text that print shows for x.
---@return string
function Tensor:string() end

--- A view of ranges of the first dimensions, ends included; negative positions count from the end.
---
---     torch.range(1, 5):sub(2, -2)   --> {2, 3, 4}
---@param first1 any
---@param last1 any
---@param ... any
---@return torch.Tensor
function Tensor:sub(first1, last1, ...) end

--- A view of a matrix with rows and columns exchanged.
---
---     torch.Tensor{{1, 2}, {3, 4}}:t()   --> {{1, 3}, {2, 4}}
---@param ... any
---@return self
function Tensor:t(...) end

--- The product of two tensors, summed over the last n dimensions of a and the first n of b (default: 2).
---
---     torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), 1):size()   --> {2, 4}
---@param b torch.Tensor
---@param n? number
---@param dims_b? any
---@return any
---@return any ...
function Tensor:tensordot(b, n, dims_b) end

--- The elements as nested tables.
---
---     torch.Tensor{{1, 2}, {3, 4}}:totable()   --> {{1, 2}, {3, 4}}
---@return table
function Tensor:totable() end

--- A view with two dimensions exchanged.
---
---     torch.Tensor(2, 3, 4):transpose(1, 3):size()   --> {4, 3, 2}
---@param dim1 any
---@param dim2 any
---@return self
function Tensor:transpose(dim1, dim2) end

--- x:type() is the type's name; x:type(name) is x in that type: itself if it has it already, else a copy. torch.Tensor.type(v) takes anything, and gives the ...
---
---     torch.Tensor{1.5}:type('torch.IntTensor')   --> {1}
---@param name? any
---@return any
function Tensor:type(name) end

--- x in the type of another tensor: itself if it has it already, else a copy.
---
---     torch.Tensor{1.7}:typeAs(torch.IntTensor())   --> {1}
---@param other any
---@return torch.Tensor
function Tensor:typeAs(other) end

--- A view of the windows of `size` elements along dim, `step` apart, which lie in a new last dimension.
---
---     torch.range(1, 5):unfold(1, 3, 2)   --> {{1, 2, 3}, {3, 4, 5}}
---@param dim? number
---@param size? any
---@param step? any
---@return self
function Tensor:unfold(dim, size, step) end

--- The different values of x in ascending order, NaN last.
---
---     torch.unique(torch.Tensor{3, 1, 3})   --> {1, 3}, {2, 1, 2}, {1, 2}
---     torch.unique(torch.Tensor{{1, 2}, {0, 5}, {1, 2}}, 1)   --> {{0, 5}, {1, 2}}, {2, 1, 2}, {1, 2}
---@param dim? number
---@return any
---@return any ...
function Tensor:unique(dim) end

--- A view with a further dimension of size 1 in position dim.
---
---     torch.Tensor(2, 3):unsqueeze(2):size()   --> {2, 1, 3}
---@param dim? number
---@return torch.Tensor
function Tensor:unsqueeze(dim) end

--- The same elements in another shape, without copying; one size may be -1.
---
---     torch.range(1, 6):view(2, -1)   --> {{1, 2, 3}, {4, 5, 6}}
---@param ... any
---@return self
function Tensor:view(...) end

--- x in the shape of another tensor, without copying.
---
---     torch.range(1, 4):viewAs(torch.zeros(2, 2))   --> {{1, 2}, {3, 4}}
---@param other any
---@return self
function Tensor:viewAs(other) end

--- All elements 0.
---
---     torch.zeros(2, 2)   --> {{0, 0}, {0, 0}}
---@param ... any
---@return torch.Tensor
function Tensor:zeros(...) end

do
--- The source of a storage's memory, as its first argument: torch.FloatStorage(allocator, 100). 'default' is the memory of this process; 'shared' is memory ...
---
---     #torch.FloatStorage(torch.Allocator('shared'), 100)   --> 100
---@class torch.Allocator
---@field kind string
local Allocator = {}

end

--- The source of a storage's memory, as its first argument: torch.FloatStorage(allocator, 100). 'default' is the memory of this process; 'shared' is memory ...
---
---     #torch.FloatStorage(torch.Allocator('shared'), 100)   --> 100
---@class torch.Allocator.class: torch.Allocator
---@overload fun(kind?: any): torch.Allocator
torch.Allocator = {}

do
--- A block of floats.
---
---     torch.DoubleStorage{1, 2, 3}:size()   --> 3
---@class torch.BFloat16Storage: torch.Storage
local BFloat16Storage = {}

end

--- A block of floats.
---
---     torch.DoubleStorage{1, 2, 3}:size()   --> 3
---@class torch.BFloat16Storage.class: torch.BFloat16Storage
---@overload fun(...: any): torch.BFloat16Storage
torch.BFloat16Storage = {}

do
--- A tensor of floats of 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.FloatTensor(2, 2):zero()   --> {{0, 0}, {0, 0}}
---@class torch.BFloat16Tensor: torch.Tensor
local BFloat16Tensor = {}

end

--- A tensor of floats of 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.FloatTensor(2, 2):zero()   --> {{0, 0}, {0, 0}}
---@class torch.BFloat16Tensor.class: torch.BFloat16Tensor
---@overload fun(...: any): torch.BFloat16Tensor
torch.BFloat16Tensor = {}

do
--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.ByteStorage: torch.Storage
local ByteStorage = {}

end

--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.ByteStorage.class: torch.ByteStorage
---@overload fun(...: any): torch.ByteStorage
torch.ByteStorage = {}

do
--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.ByteTensor: torch.Tensor
local ByteTensor = {}

end

--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.ByteTensor.class: torch.ByteTensor
---@overload fun(...: any): torch.ByteTensor
torch.ByteTensor = {}

do
--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.CharStorage: torch.Storage
local CharStorage = {}

end

--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.CharStorage.class: torch.CharStorage
---@overload fun(...: any): torch.CharStorage
torch.CharStorage = {}

do
--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.CharTensor: torch.Tensor
local CharTensor = {}

end

--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.CharTensor.class: torch.CharTensor
---@overload fun(...: any): torch.CharTensor
torch.CharTensor = {}

do
--- Reads the options of a script: declare them, then parse the words.
---
---     cmd = torch.CmdLine(); cmd:option('-rate', 0.1, 'step'); cmd:parse{'-rate', '0.5'}.rate   --> 0.5
---@class torch.CmdLine
---@field argseparator string
---@field arguments any
---@field dateformat any
---@field helplines any
---@field keyseparator string
---@field options any
---@field silentio any
local CmdLine = {}

--- Puts the time before every line of the log: 12:30:05[name]: with the format of os.date.
---@param name? any
---@param format? any
---@return any
function CmdLine:addTime(name, format) end

--- An argument that must be given, in the order of these calls.
---@param key any
---@param help any
---@param kind any
---@return any
function CmdLine:argument(key, help, kind) end

--- The defaults of all options.
---@return any
function CmdLine:default() end

--- Ends the script with the help and a message.
---@param msg any
---@return any
function CmdLine:error(msg) end

--- Prints how the script is used.
---@param arg any
---@return any
function CmdLine:help(arg) end

--- From now on print also writes to a file, which begins with the parameters.
---@param file string a name, or an open Lua file
---@param params? any
---@return any
function CmdLine:log(file, params) end

--- An option `key value`, with its default and help.
---@param key any
---@param default? any
---@param help? any
---@param kind? any
---@return any
function CmdLine:option(key, default, help, kind) end

--- Reads the words of the command line (the global `arg`); -h, -help and --help print the help and end the script.
---@param arg any
---@return any
function CmdLine:parse(arg) end

--- Makes log() write to the file only.
---@return any
function CmdLine:silent() end

--- A name for the values that differ from the defaults: 'run,rate=0.5,size=7'; arguments first.
---@param prefix? any
---@param params? any
---@param ignore? any {key = true}: options that are left out (optional)
---@return string
function CmdLine:string(prefix, params, ignore) end

--- A line of text in the help.
---@param text? any
---@return any
function CmdLine:text(text) end

end

--- Reads the options of a script: declare them, then parse the words.
---
---     cmd = torch.CmdLine(); cmd:option('-rate', 0.1, 'step'); cmd:parse{'-rate', '0.5'}.rate   --> 0.5
---@class torch.CmdLine.class: torch.CmdLine
---@overload fun(separator?: string, key_separator?: string): torch.CmdLine
torch.CmdLine = {}

do
--- A block of floats on the device of this thread: a number of them, a table of numbers, or a part of another such storage.
---
---     torch.CudaStorage{1, 2}:size()   --> 2
---@class torch.CudaBFloat16Storage: torch.Storage
local CudaBFloat16Storage = {}

end

--- A block of floats on the device of this thread: a number of them, a table of numbers, or a part of another such storage.
---
---     torch.CudaStorage{1, 2}:size()   --> 2
---@class torch.CudaBFloat16Storage.class: torch.CudaBFloat16Storage
---@overload fun(...: any): torch.CudaBFloat16Storage
torch.CudaBFloat16Storage = {}

do
--- A tensor of floats on the device of this thread, of 32 bits where no type is named; the arguments are those of torch.Tensor.
---
---     torch.CudaTensor{1, 2}:cumsum()   --> {1, 3}
---@class torch.CudaBFloat16Tensor: torch.Tensor
local CudaBFloat16Tensor = {}

end

--- A tensor of floats on the device of this thread, of 32 bits where no type is named; the arguments are those of torch.Tensor.
---
---     torch.CudaTensor{1, 2}:cumsum()   --> {1, 3}
---@class torch.CudaBFloat16Tensor.class: torch.CudaBFloat16Tensor
---@overload fun(...: any): torch.CudaBFloat16Tensor
torch.CudaBFloat16Tensor = {}

do
--- A block of small whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaByteStorage{1, 2}:size()   --> 2
---@class torch.CudaByteStorage: torch.Storage
local CudaByteStorage = {}

end

--- A block of small whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaByteStorage{1, 2}:size()   --> 2
---@class torch.CudaByteStorage.class: torch.CudaByteStorage
---@overload fun(...: any): torch.CudaByteStorage
torch.CudaByteStorage = {}

do
--- A tensor of small whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaByteTensor{1, 2}:sum()   --> 3
---@class torch.CudaByteTensor: torch.Tensor
local CudaByteTensor = {}

end

--- A tensor of small whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaByteTensor{1, 2}:sum()   --> 3
---@class torch.CudaByteTensor.class: torch.CudaByteTensor
---@overload fun(...: any): torch.CudaByteTensor
torch.CudaByteTensor = {}

do
--- A block of small whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaByteStorage{1, 2}:size()   --> 2
---@class torch.CudaCharStorage: torch.Storage
local CudaCharStorage = {}

end

--- A block of small whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaByteStorage{1, 2}:size()   --> 2
---@class torch.CudaCharStorage.class: torch.CudaCharStorage
---@overload fun(...: any): torch.CudaCharStorage
torch.CudaCharStorage = {}

do
--- A tensor of small whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaByteTensor{1, 2}:sum()   --> 3
---@class torch.CudaCharTensor: torch.Tensor
local CudaCharTensor = {}

end

--- A tensor of small whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaByteTensor{1, 2}:sum()   --> 3
---@class torch.CudaCharTensor.class: torch.CudaCharTensor
---@overload fun(...: any): torch.CudaCharTensor
torch.CudaCharTensor = {}

do
--- A block of floats on the device of this thread: a number of them, a table of numbers, or a part of another such storage.
---
---     torch.CudaStorage{1, 2}:size()   --> 2
---@class torch.CudaDoubleStorage: torch.Storage
local CudaDoubleStorage = {}

end

--- A block of floats on the device of this thread: a number of them, a table of numbers, or a part of another such storage.
---
---     torch.CudaStorage{1, 2}:size()   --> 2
---@class torch.CudaDoubleStorage.class: torch.CudaDoubleStorage
---@overload fun(...: any): torch.CudaDoubleStorage
torch.CudaDoubleStorage = {}

do
--- A tensor of floats on the device of this thread, of 32 bits where no type is named; the arguments are those of torch.Tensor.
---
---     torch.CudaTensor{1, 2}:cumsum()   --> {1, 3}
---@class torch.CudaDoubleTensor: torch.Tensor
local CudaDoubleTensor = {}

end

--- A tensor of floats on the device of this thread, of 32 bits where no type is named; the arguments are those of torch.Tensor.
---
---     torch.CudaTensor{1, 2}:cumsum()   --> {1, 3}
---@class torch.CudaDoubleTensor.class: torch.CudaDoubleTensor
---@overload fun(...: any): torch.CudaDoubleTensor
torch.CudaDoubleTensor = {}

do
--- A block of floats on the device of this thread: a number of them, a table of numbers, or a part of another such storage.
---
---     torch.CudaStorage{1, 2}:size()   --> 2
---@class torch.CudaHalfStorage: torch.Storage
local CudaHalfStorage = {}

end

--- A block of floats on the device of this thread: a number of them, a table of numbers, or a part of another such storage.
---
---     torch.CudaStorage{1, 2}:size()   --> 2
---@class torch.CudaHalfStorage.class: torch.CudaHalfStorage
---@overload fun(...: any): torch.CudaHalfStorage
torch.CudaHalfStorage = {}

do
--- A tensor of floats on the device of this thread, of 32 bits where no type is named; the arguments are those of torch.Tensor.
---
---     torch.CudaTensor{1, 2}:cumsum()   --> {1, 3}
---@class torch.CudaHalfTensor: torch.Tensor
local CudaHalfTensor = {}

end

--- A tensor of floats on the device of this thread, of 32 bits where no type is named; the arguments are those of torch.Tensor.
---
---     torch.CudaTensor{1, 2}:cumsum()   --> {1, 3}
---@class torch.CudaHalfTensor.class: torch.CudaHalfTensor
---@overload fun(...: any): torch.CudaHalfTensor
torch.CudaHalfTensor = {}

do
--- A block of whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaLongStorage{1, 2}:size()   --> 2
---@class torch.CudaIntStorage: torch.Storage
local CudaIntStorage = {}

end

--- A block of whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaLongStorage{1, 2}:size()   --> 2
---@class torch.CudaIntStorage.class: torch.CudaIntStorage
---@overload fun(...: any): torch.CudaIntStorage
torch.CudaIntStorage = {}

do
--- A tensor of whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaTensor{1, 3, 5}:index(1, torch.CudaLongTensor{3, 1})   --> {5, 1}
---@class torch.CudaIntTensor: torch.Tensor
local CudaIntTensor = {}

end

--- A tensor of whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaTensor{1, 3, 5}:index(1, torch.CudaLongTensor{3, 1})   --> {5, 1}
---@class torch.CudaIntTensor.class: torch.CudaIntTensor
---@overload fun(...: any): torch.CudaIntTensor
torch.CudaIntTensor = {}

do
--- A block of whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaLongStorage{1, 2}:size()   --> 2
---@class torch.CudaLongStorage: torch.Storage
local CudaLongStorage = {}

end

--- A block of whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaLongStorage{1, 2}:size()   --> 2
---@class torch.CudaLongStorage.class: torch.CudaLongStorage
---@overload fun(...: any): torch.CudaLongStorage
torch.CudaLongStorage = {}

do
--- A tensor of whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaTensor{1, 3, 5}:index(1, torch.CudaLongTensor{3, 1})   --> {5, 1}
---@class torch.CudaLongTensor: torch.Tensor
local CudaLongTensor = {}

end

--- A tensor of whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaTensor{1, 3, 5}:index(1, torch.CudaLongTensor{3, 1})   --> {5, 1}
---@class torch.CudaLongTensor.class: torch.CudaLongTensor
---@overload fun(...: any): torch.CudaLongTensor
torch.CudaLongTensor = {}

do
--- A block of small whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaByteStorage{1, 2}:size()   --> 2
---@class torch.CudaShortStorage: torch.Storage
local CudaShortStorage = {}

end

--- A block of small whole numbers on the device of this thread; see torch.CudaStorage.
---
---     torch.CudaByteStorage{1, 2}:size()   --> 2
---@class torch.CudaShortStorage.class: torch.CudaShortStorage
---@overload fun(...: any): torch.CudaShortStorage
torch.CudaShortStorage = {}

do
--- A tensor of small whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaByteTensor{1, 2}:sum()   --> 3
---@class torch.CudaShortTensor: torch.Tensor
local CudaShortTensor = {}

end

--- A tensor of small whole numbers on the device of this thread; see torch.CudaTensor.
---
---     torch.CudaByteTensor{1, 2}:sum()   --> 3
---@class torch.CudaShortTensor.class: torch.CudaShortTensor
---@overload fun(...: any): torch.CudaShortTensor
torch.CudaShortTensor = {}

do
--- A block of floats on the device of this thread: a number of them, a table of numbers, or a part of another such storage.
---
---     torch.CudaStorage{1, 2}:size()   --> 2
---@class torch.CudaStorage: torch.Storage
local CudaStorage = {}

end

--- A block of floats on the device of this thread: a number of them, a table of numbers, or a part of another such storage.
---
---     torch.CudaStorage{1, 2}:size()   --> 2
---@class torch.CudaStorage.class: torch.CudaStorage
---@overload fun(...: any): torch.CudaStorage
torch.CudaStorage = {}

do
--- A tensor of floats on the device of this thread, of 32 bits where no type is named; the arguments are those of torch.Tensor.
---
---     torch.CudaTensor{1, 2}:cumsum()   --> {1, 3}
---@class torch.CudaTensor: torch.Tensor
local CudaTensor = {}

end

--- A tensor of floats on the device of this thread, of 32 bits where no type is named; the arguments are those of torch.Tensor.
---
---     torch.CudaTensor{1, 2}:cumsum()   --> {1, 3}
---@class torch.CudaTensor.class: torch.CudaTensor
---@overload fun(...: any): torch.CudaTensor
torch.CudaTensor = {}

do
--- A file on disk.
---
---     name = os.tmpname(); f = torch.DiskFile(name, 'w'); f:writeInt(5); f:close(); torch.DiskFile(name):readInt()   --> 5
---@class torch.DiskFile: torch.File
local DiskFile = {}

--- Binary elements have their highest byte first.
---@return any
function DiskFile:bigEndianEncoding() end

--- Whether this machine stores the highest byte first.
---@return boolean
function DiskFile:isBigEndianCPU() end

--- Whether this machine stores the lowest byte first.
---@return boolean
function DiskFile:isLittleEndianCPU() end

--- Binary elements have their lowest byte first.
---@return any
function DiskFile:littleEndianEncoding() end

--- Binary elements have the byte order of this machine, as files begin.
---@return any
function DiskFile:nativeEndianEncoding() end

--- Every write is passed to the operating system immediately.
---@return any
function DiskFile:noBuffer() end

end

--- A file on disk.
---
---     name = os.tmpname(); f = torch.DiskFile(name, 'w'); f:writeInt(5); f:close(); torch.DiskFile(name):readInt()   --> 5
---@class torch.DiskFile.class: torch.DiskFile
---@overload fun(path: any, mode?: string, quiet?: boolean): torch.DiskFile
torch.DiskFile = {}

do
--- A block of floats.
---
---     torch.DoubleStorage{1, 2, 3}:size()   --> 3
---@class torch.DoubleStorage: torch.Storage
local DoubleStorage = {}

end

--- A block of floats.
---
---     torch.DoubleStorage{1, 2, 3}:size()   --> 3
---@class torch.DoubleStorage.class: torch.DoubleStorage
---@overload fun(...: any): torch.DoubleStorage
torch.DoubleStorage = {}

do
--- A tensor of floats of 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.FloatTensor(2, 2):zero()   --> {{0, 0}, {0, 0}}
---@class torch.DoubleTensor: torch.Tensor
local DoubleTensor = {}

end

--- A tensor of floats of 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.FloatTensor(2, 2):zero()   --> {{0, 0}, {0, 0}}
---@class torch.DoubleTensor.class: torch.DoubleTensor
---@overload fun(...: any): torch.DoubleTensor
torch.DoubleTensor = {}

do
--- The methods of all files: numbers, strings and objects, as text or in binary. torch.DiskFile, torch.MemoryFile and torch.PipeFile make files.
---@class torch.File
local File = {}

--- From now on elements are read and written as text (as files begin), or as bytes.
---@return any
function File:ascii() end

--- Whether text gets blanks and line ends between elements (as files begin).
---@return boolean
function File:autoSpacing() end

--- From now on elements are read and written as text (as files begin), or as bytes.
---@return any
function File:binary() end

--- Forgets failures.
---@return any
function File:clearError() end

--- Closes the file.
---@return any
function File:close() end

--- Whether something failed since the last clearError().
---@return boolean
function File:hasError() end

--- Whether text gets blanks between elements.
---@return boolean
function File:isAutoSpacing() end

--- Whether elements are bytes, not text.
---@return boolean
function File:isBinary() end

--- Whether failures are kept for hasError().
---@return boolean
function File:isQuiet() end

--- Whether the file was opened for reading.
---@return boolean
function File:isReadable() end

--- Whether objects that occur twice are written once.
---@return boolean
function File:isReferenced() end

--- Whether the file was opened for writing.
---@return boolean
function File:isWritable() end

--- Whether writeObject can write this value, regardless of its contents.
---@param object any
---@return boolean
function File:isWritableObject(object) end

--- Size of a Long in binary files: 4 or 8 bytes; 0 is the machine's own, 8.
---@param n any
---@return any
function File:longSize(n) end

--- Whether text gets blanks and line ends between elements (as files begin).
---@return boolean
function File:noAutoSpacing() end

--- Failures are raised, as files begin.
---@return any
function File:pedantic() end

--- The position of the next read or write; the first byte is 1.
---@return any
---@return any ...
function File:position() end

--- Quiet: failures are kept for hasError().
---@return any
function File:quiet() end

--- As readInt.
---@param what? any
---@return any
---@return any ...
function File:readBFloat16(what) end

--- A boolean is an Int: 1 or 0.
---@return boolean
function File:readBool() end

--- Without argument one number; with a number n a storage of n; with a storage its elements are filled, and their number is returned.
---
---     f = torch.MemoryFile(); f:writeInt(3); f:seek(1); f:readInt()   --> 3
---@param what? any
---@return any
---@return any ...
function File:readByte(what) end

--- Without argument one number; with a number n a storage of n; with a storage its elements are filled, and their number is returned.
---
---     f = torch.MemoryFile(); f:writeInt(3); f:seek(1); f:readInt()   --> 3
---@param what? any
---@return any
---@return any ...
function File:readChar(what) end

--- As readInt.
---@param what? any
---@return any
---@return any ...
function File:readDouble(what) end

--- As readInt.
---@param what? any
---@return any
---@return any ...
function File:readFloat(what) end

--- As readInt.
---@param what? any
---@return any
---@return any ...
function File:readHalf(what) end

--- Without argument one number; with a number n a storage of n; with a storage its elements are filled, and their number is returned.
---
---     f = torch.MemoryFile(); f:writeInt(3); f:seek(1); f:readInt()   --> 3
---@param what? any
---@return any
---@return any ...
function File:readInt(what) end

--- As readInt.
---@param what? any
---@return any
---@return any ...
function File:readLong(what) end

--- Reads an object that writeObject, or Torch7, has written.
---@return any
---@return any ...
function File:readObject() end

--- Without argument one number; with a number n a storage of n; with a storage its elements are filled, and their number is returned.
---
---     f = torch.MemoryFile(); f:writeInt(3); f:seek(1); f:readInt()   --> 3
---@param what? any
---@return any
---@return any ...
function File:readShort(what) end

--- Reads a line without its end ('*l') or all that is left ('*a').
---@param format any
---@return any
function File:readString(format) end

--- Whether objects that occur twice are written once (as files begin) or twice.
---@param yes any
---@return boolean
function File:referenced(yes) end

--- Moves to a position; the first byte is 1.
---@param place number
---@return any
function File:seek(place) end

--- Moves to the end.
---@return any
function File:seekEnd() end

--- Passes all written bytes to the operating system.
---@return any
function File:synchronize() end

--- As writeInt.
---@param what any
---@return any
---@return any ...
function File:writeBFloat16(what) end

--- Writes true as the Int 1, false as 0.
---@param value? any
---@return any
function File:writeBool(value) end

--- A number, or the elements of a storage, whose number is returned.
---@param what any
---@return number
function File:writeByte(what) end

--- A number, or the elements of a storage, whose number is returned.
---@param what any
---@return number
function File:writeChar(what) end

--- As writeInt.
---@param what any
---@return any
---@return any ...
function File:writeDouble(what) end

--- As writeInt.
---@param what any
---@return any
---@return any ...
function File:writeFloat(what) end

--- As writeInt.
---@param what any
---@return any
---@return any ...
function File:writeHalf(what) end

--- A number, or the elements of a storage, whose number is returned.
---@param what any
---@return number
function File:writeInt(what) end

--- As writeInt.
---@param what any
---@return any
---@return any ...
function File:writeLong(what) end

--- Writes any value that Torch7's files can hold: numbers, strings, booleans, tables, functions, tensors, objects.
---@param object any
---@param _ any
---@param hook? any called with every table, object and function; what it returns is written instead (optional)
---@return any
function File:writeObject(object, _, hook) end

--- A number, or the elements of a storage, whose number is returned.
---@param what any
---@return number
function File:writeShort(what) end

--- Writes the bytes of a string; returns how many they are.
---@param text any
---@return any
function File:writeString(text) end

end

--- The methods of all files: numbers, strings and objects, as text or in binary. torch.DiskFile, torch.MemoryFile and torch.PipeFile make files.
---@class torch.File.class: torch.File
---@overload fun(...): torch.File
torch.File = {}

do
--- A block of floats.
---
---     torch.DoubleStorage{1, 2, 3}:size()   --> 3
---@class torch.FloatStorage: torch.Storage
local FloatStorage = {}

end

--- A block of floats.
---
---     torch.DoubleStorage{1, 2, 3}:size()   --> 3
---@class torch.FloatStorage.class: torch.FloatStorage
---@overload fun(...: any): torch.FloatStorage
torch.FloatStorage = {}

do
--- A tensor of floats of 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.FloatTensor(2, 2):zero()   --> {{0, 0}, {0, 0}}
---@class torch.FloatTensor: torch.Tensor
local FloatTensor = {}

end

--- A tensor of floats of 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.FloatTensor(2, 2):zero()   --> {{0, 0}, {0, 0}}
---@class torch.FloatTensor.class: torch.FloatTensor
---@overload fun(...: any): torch.FloatTensor
torch.FloatTensor = {}

do
--- A generator with a separate stream and a random seed.
---
---     g = torch.Generator(); torch.manualSeed(g, 7); torch.random(g, 10)   --> 6
---@class torch.Generator
local Generator = {}

--- A copy of the generator that continues its stream.
---@return any
function Generator:clone() end

--- Which kind of generator it is: 'mt19937' or 'philox'.
---@return any
---@return any ...
function Generator:kind() end

--- The state, from or to a torch.File.
---@param file any
---@return any
function Generator:read(file) end

--- The state, from or to a torch.File.
---@param file any
---@return any
function Generator:write(file) end

end

--- A generator with a separate stream and a random seed.
---
---     g = torch.Generator(); torch.manualSeed(g, 7); torch.random(g, 10)   --> 6
---@class torch.Generator.class: torch.Generator
---@overload fun(kind?: any): torch.Generator
torch.Generator = {}

do
--- A block of floats.
---
---     torch.DoubleStorage{1, 2, 3}:size()   --> 3
---@class torch.HalfStorage: torch.Storage
local HalfStorage = {}

end

--- A block of floats.
---
---     torch.DoubleStorage{1, 2, 3}:size()   --> 3
---@class torch.HalfStorage.class: torch.HalfStorage
---@overload fun(...: any): torch.HalfStorage
torch.HalfStorage = {}

do
--- A tensor of floats of 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.FloatTensor(2, 2):zero()   --> {{0, 0}, {0, 0}}
---@class torch.HalfTensor: torch.Tensor
local HalfTensor = {}

end

--- A tensor of floats of 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.FloatTensor(2, 2):zero()   --> {{0, 0}, {0, 0}}
---@class torch.HalfTensor.class: torch.HalfTensor
---@overload fun(...: any): torch.HalfTensor
torch.HalfTensor = {}

do
--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.IntStorage: torch.Storage
local IntStorage = {}

end

--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.IntStorage.class: torch.IntStorage
---@overload fun(...: any): torch.IntStorage
torch.IntStorage = {}

do
--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.IntTensor: torch.Tensor
local IntTensor = {}

end

--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.IntTensor.class: torch.IntTensor
---@overload fun(...: any): torch.IntTensor
torch.IntTensor = {}

do
--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.LongStorage: torch.Storage
local LongStorage = {}

end

--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.LongStorage.class: torch.LongStorage
---@overload fun(...: any): torch.LongStorage
torch.LongStorage = {}

do
--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.LongTensor: torch.Tensor
local LongTensor = {}

end

--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.LongTensor.class: torch.LongTensor
---@overload fun(...: any): torch.LongTensor
torch.LongTensor = {}

do
--- A file in memory, in a CharStorage that grows; the mode is 'rw' unless given.
---
---     f = torch.MemoryFile(); f:writeString('abc'); f:seek(1); f:readString('*a')   --> abc
---@class torch.MemoryFile: torch.File
local MemoryFile = {}

--- The storage that holds the bytes and, after them, a 0.
---@return any
function MemoryFile:storage() end

end

--- A file in memory, in a CharStorage that grows; the mode is 'rw' unless given.
---
---     f = torch.MemoryFile(); f:writeString('abc'); f:seek(1); f:readString('*a')   --> abc
---@class torch.MemoryFile.class: torch.MemoryFile
---@overload fun(storage?: any, mode?: any): torch.MemoryFile
torch.MemoryFile = {}

do
--- A function from a file that is kept but not loaded; a call explains why. torch.save writes it unchanged.
---@class torch.OpaqueFunction
local OpaqueFunction = {}

end

--- A function from a file that is kept but not loaded; a call explains why. torch.save writes it unchanged.
---@class torch.OpaqueFunction.class: torch.OpaqueFunction
---@overload fun(...): torch.OpaqueFunction
torch.OpaqueFunction = {}

do
--- A file on the output ('r', default) or the input ('w') of a command of the shell.
---
---     torch.PipeFile('echo 3'):readInt()   --> 3
---@class torch.PipeFile: torch.DiskFile
local PipeFile = {}

end

--- A file on the output ('r', default) or the input ('w') of a command of the shell.
---
---     torch.PipeFile('echo 3'):readInt()   --> 3
---@class torch.PipeFile.class: torch.PipeFile
---@overload fun(command: any, mode?: any, quiet?: any): torch.PipeFile
torch.PipeFile = {}

do
--- What torch.pointwise makes of a function.
---
---     torch.type(torch.Pointwise(function(x) return x * 2 end))   --> torch.Pointwise
---@class torch.Pointwise
---@field f any
local Pointwise = {}

end

--- What torch.pointwise makes of a function.
---
---     torch.type(torch.Pointwise(function(x) return x * 2 end))   --> torch.Pointwise
---@class torch.Pointwise.class: torch.Pointwise
---@overload fun(f: any): torch.Pointwise
torch.Pointwise = {}

do
--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.ShortStorage: torch.Storage
local ShortStorage = {}

end

--- A block of whole numbers, as torch.DoubleStorage takes them.
---
---     torch.LongStorage{2, 3}   --> {2, 3}
---@class torch.ShortStorage.class: torch.ShortStorage
---@overload fun(...: any): torch.ShortStorage
torch.ShortStorage = {}

do
--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.ShortTensor: torch.Tensor
local ShortTensor = {}

end

--- A tensor of whole numbers of 8 (Byte: without a sign), 16, 32 or 64 bits; the arguments are those of torch.Tensor.
---
---     torch.IntTensor{1, 2.7}   --> {1, 2}
---@class torch.ShortTensor.class: torch.ShortTensor
---@overload fun(...: any): torch.ShortTensor
torch.ShortTensor = {}

--- A storage of the default type; the arguments are those of torch.DoubleStorage.
---@class torch.Storage
---@overload fun(...: any): torch.Storage
torch.Storage = {}

--- A tensor of the default type, Double unless torch.setdefaulttensortype says otherwise.
---
---     torch.Tensor{{1, 2}, {3, 4}}   --> {{1, 2}, {3, 4}}
---     torch.Tensor(torch.Tensor{1, 2, 3, 4}:storage(), 2, torch.LongStorage{3})   --> {2, 3, 4}
---@class torch.Tensor
---@overload fun(...: any): torch.Tensor
---@overload fun(table: table): torch.Tensor
---@overload fun(tensor: any): torch.Tensor
---@overload fun(storage: any, offset: any, sizes: torch.LongStorage|table, strides: any): torch.Tensor
torch.Tensor = {}

--- A table of tests that refuses a second test of the same name, which a plain table would silently replace.
---@return table
function torch.TestSuite() end

do
--- Runs test functions and reports what failed. tester:add(suite):run(), where suite is a torch.TestSuite.
---
---     t = torch.Tester(); t:asserteq(1, 1)   --> true
---@class torch.Tester
---@field assertionFail any
---@field assertionPass any
---@field countasserts number
---@field disabledTests any
---@field earlyAbort any
---@field errors any
---@field rethrow any
---@field summaryOnly any
---@field testError any
---@field tests any
---@field warnings any
local Tester = {}

--- Adds a test, called 'unknown' without a name, or all tests of a TestSuite or a plain table. `_setUp(name)` and `_tearDown(name)` of a suite run around each ...
---@param f any
---@param name? any
---@return any # the tester
function Tester:add(f, name) end

--- condition must be true.
---@param condition any
---@param message? any
---@return any
---@return any ...
function Tester:assert(condition, message) end

--- Calling f must raise an error.
---@param f any
---@param message? any
---@return any
---@return any ...
function Tester:assertError(f, message) end

--- The error must be this message exactly.
---@param f any
---@param expected any
---@param message? any
---@return any
---@return any ...
function Tester:assertErrorMsg(f, expected, message) end

--- The call of f must raise an error for which compare(error) is true.
---@param f any
---@param compare any
---@param message? any
---@return any
---@return any ...
function Tester:assertErrorObj(f, compare, message) end

--- The error must contain the Lua pattern.
---@param f any
---@param pattern any
---@param message? any
---@return any
---@return any ...
function Tester:assertErrorPattern(f, pattern, message) end

--- Equal values of any type: numbers and elements within the tolerance (default 0), tables by what they contain.
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:assertGeneralEq(a, b, tolerance, message) end

--- a and b must differ.
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:assertGeneralNe(a, b, tolerance, message) end

--- Calling f must raise no error.
---@param f any
---@param message? any
---@return any
---@return any ...
function Tester:assertNoError(f, message) end

--- Two tables must hold equal values, at all levels.
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:assertTableEq(a, b, tolerance, message) end

--- Two tables must differ somewhere.
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:assertTableNe(a, b, tolerance, message) end

--- Tensors of one type whose elements differ by at most the tolerance (default 0).
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return torch.Tensor
function Tester:assertTensorEq(a, b, tolerance, message) end

--- Two tensors must differ in type, in size, or by more than the tolerance (0) somewhere.
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:assertTensorNe(a, b, tolerance, message) end

--- |a - b| must be at most the tolerance (default 1e-16).
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:assertalmosteq(a, b, tolerance, message) end

--- a == b, a ~= b must hold.
---@param a any
---@param b any
---@param message? any
---@return any
---@return any ...
function Tester:asserteq(a, b, message) end

--- a > b, a >= b must hold.
---@param a any
---@param b any
---@param message? any
---@return any
---@return any ...
function Tester:assertge(a, b, message) end

--- a > b, a >= b must hold.
---@param a any
---@param b any
---@param message? any
---@return any
---@return any ...
function Tester:assertgt(a, b, message) end

--- a < b, a <= b must hold.
---@param a any
---@param b any
---@param message? any
---@return any
---@return any ...
function Tester:assertle(a, b, message) end

--- a < b, a <= b must hold.
---@param a any
---@param b any
---@param message? any
---@return any
---@return any ...
function Tester:assertlt(a, b, message) end

--- a == b, a ~= b must hold.
---@param a any
---@param b any
---@param message? any
---@return any
---@return any ...
function Tester:assertne(a, b, message) end

--- Leaves the tests of these names out of the next runs; returns the tester.
---@param names any
---@return any
function Tester:disable(names) end

--- Equal values of any type: numbers and elements within the tolerance (default 0), tables by what they contain.
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:eq(a, b, tolerance, message) end

--- a and b must differ.
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:ne(a, b, tolerance, message) end

--- Runs all tests, or those whose names contain this Lua pattern or one of a table of patterns, and prints a report.
---@param patterns any
---@return any # 0; raises an error when an assertion did not hold or a test had an error
function Tester:run(patterns) end

--- stop after the first test that fails
---@param yes? any
---@return any
function Tester:setEarlyAbort(yes) end

--- let failures and errors through
---@param yes? any
---@return any
function Tester:setRethrowErrors(yes) end

--- print no details
---@param yes? any
---@return any
function Tester:setSummaryOnly(yes) end

end

--- Runs test functions and reports what failed. tester:add(suite):run(), where suite is a torch.TestSuite.
---
---     t = torch.Tester(); t:asserteq(1, 1)   --> true
---@class torch.Tester.class: torch.Tester
---@overload fun(...): torch.Tester
torch.Tester = {}

do
--- A stopwatch that runs from now on.
---
---     torch.Timer():stop():time().real < 1   --> true
---@class torch.Timer
local Timer = {}

--- The seconds measured so far, from or to a torch.File.
---@param file any
---@return any
function Timer:read(file) end

--- Starts again from zero.
---@return any
function Timer:reset() end

--- Continues after stop().
---@return any
function Timer:resume() end

--- Stops; time() stays as it is until resume().
---@return any
function Timer:stop() end

--- {real =, user =, sys =} in seconds; user and sys are the processor time of the whole process.
---@return any
---@return any ...
function Timer:time() end

--- The seconds measured so far, from or to a torch.File.
---@param file any
---@return any
function Timer:write(file) end

end

--- A stopwatch that runs from now on.
---
---     torch.Timer():stop():time().real < 1   --> true
---@class torch.Timer.class: torch.Timer
---@overload fun(): torch.Timer
torch.Timer = {}

--- Absolute value.
---
---     torch.abs(torch.Tensor{-2, 3})   --> {2, 3}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.abs(x) end

--- The mean (or without sizeAverage the sum) of |x - target|, as a number.
---
---     torch.abs_loss(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 1
---@param x torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return number
function torch.abs_loss(x, target, sizeAverage) end

--- The gradient of abs_loss by x.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, target: torch.Tensor, sizeAverage?: boolean): torch.Tensor
---@param x torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return torch.Tensor
function torch.abs_loss_grad(x, target, sizeAverage) end

--- Angle whose cosine is x, in radians.
---
---     torch.acos(torch.Tensor{1, 0})   --> {0, 1.5708}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.acos(x) end

--- A step of Adam with the moments m and v of the gradient g. m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, x = keep x - rate m / (sqrt(v) + eps).
---
---     x = torch.Tensor{1, 2}; x:adam_step(torch.zeros(2), torch.zeros(2), torch.Tensor{1, -1}, 1, 0, 0, 0); x   --> {0, 3}
---     x = torch.Tensor{1}; y = torch.zeros(1); x:adam_step(y, y:clone(), torch.ones(1), torch.Tensor{1, 1}, 0, 0, 0); x   --> {0}
---@overload fun(x: torch.Tensor, m: torch.Tensor, v: torch.Tensor, g: torch.Tensor, rates: torch.Tensor, beta1?: number, beta2?: number, eps?: number, denom?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param m torch.Tensor
---@param v torch.Tensor
---@param g torch.Tensor
---@param rate number
---@param beta1? number default 0.9
---@param beta2? number default 0.999
---@param eps? number default 1e-8
---@param keep? number default 1
---@param denom? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.adam_step(x, m, v, g, rate, beta1, beta2, eps, keep, denom) end

--- x + value * z.
---
---     torch.add(torch.Tensor{1, 2}, 10)   --> {11, 12}
---     torch.add(torch.Tensor{1, 2}, 10, torch.Tensor{3, 4})   --> {31, 42}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(x: torch.Tensor, value: number, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.add(x, value) end

--- beta * m + alpha * (a[1] * b[1] + a[2] * b[2] + ...). beta 0 does not read m.
---
---     torch.addbmm(torch.ones(1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))   --> {{7}}
---@overload fun(m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param m torch.Tensor default y
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function torch.addbmm(m, a, b) end

--- x + value * z1 / z2.
---
---     torch.addcdiv(torch.Tensor{1, 1}, 10, torch.Tensor{1, 2}, torch.Tensor{4, 4})   --> {3.5, 6}
---@overload fun(x: torch.Tensor, value: number, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z1 torch.Tensor
---@param z2 torch.Tensor
---@return torch.Tensor
function torch.addcdiv(x, z1, z2) end

--- x + value * z1 * z2.
---
---     torch.addcmul(torch.Tensor{1, 1}, 10, torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {31, 81}
---@overload fun(x: torch.Tensor, value: number, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z1 torch.Tensor
---@param z2 torch.Tensor
---@return torch.Tensor
function torch.addcmul(x, z1, z2) end

--- beta * m + alpha * a * b of matrices. beta 0 does not read m.
---
---     torch.addmm(10, torch.ones(1, 2), torch.Tensor{{1, 2}}, torch.Tensor{{1, 0}, {1, 1}})   --> {{13, 12}}
---@overload fun(m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param m torch.Tensor default y
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function torch.addmm(m, a, b) end

--- beta * m + alpha * a * x, m and x being vectors. beta 0 does not read m.
---
---     torch.addmv(torch.Tensor{10, 20}, torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 1})   --> {13, 27}
---@overload fun(m: torch.Tensor, alpha: number, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, alpha: number, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param m torch.Tensor default y
---@param a torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.addmv(m, a, x) end

--- beta * m + alpha * u * v', the outer product added to a matrix. beta 0 does not read m.
---
---     torch.addr(torch.ones(2, 2), torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {{4, 5}, {7, 9}}
---@overload fun(m: torch.Tensor, alpha: number, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, alpha: number, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, alpha: number, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@param m torch.Tensor default y
---@param u torch.Tensor
---@param v torch.Tensor
---@return torch.Tensor
function torch.addr(m, u, v) end

--- max(x + z, 0): what joins the branches of a residual block.
---
---     torch.addrelu(torch.Tensor{1, -2}, torch.Tensor{3, 1})   --> {4, 0}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.addrelu(x, z) end

--- true if no element of the ByteTensor x is 0; true for an empty one.
---
---     torch.all(torch.ByteTensor{1, 0})   --> false
---@param x torch.Tensor
---@return number
function torch.all(x) end

--- true if an element of the ByteTensor x is not 0; false for an empty one.
---
---     torch.any(torch.ByteTensor{1, 0})   --> true
---@param x torch.Tensor
---@return number
function torch.any(x) end

--- The positions of the largest elements along dim; without dim the position of the largest of all, counted row by row.
---
---     torch.argmax(torch.Tensor{{1, 5}, {7, 2}}), torch.argmax(torch.Tensor{{1, 5}, {7, 2}}, 2)   --> 3, {{2}, {1}}
---@param x any
---@param dim? number
---@return any
---@return any ...
function torch.argmax(x, dim) end

--- The positions of the smallest elements along dim; without dim the position of the smallest of all, counted row by row.
---
---     torch.argmin(torch.Tensor{{1, 5}, {7, 2}}), torch.argmin(torch.Tensor{{1, 5}, {7, 2}}, 2)   --> 1, {{1}, {2}}
---@param x any
---@param dim? number
---@return any
---@return any ...
function torch.argmin(x, dim) end

--- The positions that sort x along dim (default: the last), stably; descending: true or false.
---
---     torch.argsort(torch.Tensor{3, 1, 2})   --> {2, 3, 1}
---@param x torch.Tensor
---@param dim? number
---@param descending? any
---@return any
function torch.argsort(x, dim, descending) end

--- Angle whose sine is x, in radians.
---
---     torch.asin(torch.Tensor{0, 1})   --> {0, 1.5708}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.asin(x) end

--- Angle whose tangent is x, in radians.
---
---     torch.atan(torch.Tensor{0, 1})   --> {0, 0.7854}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.atan(x) end

--- Angle of the point (z, x), from -pi to pi.
---
---     torch.atan2(torch.Tensor{1, 1}, torch.Tensor{1, -1})   --> {0.7854, 2.3562}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.atan2(x, z) end

--- Attention of several heads, y = softmax(scale q k') v, without the matrix of all weights.
---
---     (torch.attention(torch.zeros(1, 1, 1, 2), torch.ones(1, 1, 2, 2), torch.Tensor{1, 2, 3, 4}:view(1, 1, 2, 2)))   --> {{{{2, 3}}}}
---@overload fun(y: torch.Tensor, lse: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor, torch.Tensor
---@param q torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
function torch.attention(q, k, v, scale, causal, padding, dropout, seed) end

--- The gradients of attention by q, k and v, from its results y and lse and the gradient g by y.
---@overload fun(gq: torch.Tensor, gk: torch.Tensor, gv: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, y: torch.Tensor, lse: torch.Tensor, g: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param q torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param y torch.Tensor
---@param lse torch.Tensor
---@param g torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.attention_grad(q, k, v, y, lse, g, scale, causal, padding, dropout, seed) end

--- The gradient of attention by k, from its results y and lse and the gradient g by y. attention_grad gives all three.
---@overload fun(gk: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, y: torch.Tensor, lse: torch.Tensor, g: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor
---@param q torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param y torch.Tensor
---@param lse torch.Tensor
---@param g torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
function torch.attention_grad_key(q, k, v, y, lse, g, scale, causal, padding, dropout, seed) end

--- The gradient of attention by q, from its results y and lse and the gradient g by y. attention_grad gives all three.
---@overload fun(gq: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, y: torch.Tensor, lse: torch.Tensor, g: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor
---@param q torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param y torch.Tensor
---@param lse torch.Tensor
---@param g torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
function torch.attention_grad_query(q, k, v, y, lse, g, scale, causal, padding, dropout, seed) end

--- The gradient of attention by v, from its results y and lse and the gradient g by y. attention_grad gives all three.
---@overload fun(gv: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, y: torch.Tensor, lse: torch.Tensor, g: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor
---@param q torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param y torch.Tensor
---@param lse torch.Tensor
---@param g torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
function torch.attention_grad_value(q, k, v, y, lse, g, scale, causal, padding, dropout, seed) end

--- Attention with numbers that are added to the scores, y = softmax(scale q k' + mask) v. q, k, v and scale are those of attention. mask has the type of q, ...
---
---     torch.attention_masked(torch.zeros(1, 1, 1, 2), torch.ones(1, 1, 2, 2), torch.Tensor{1, 2, 3, 4}:view(1, 1, 2, 2), torch.Tensor{0, -math.huge}:view(1, 1, 1, 2))   --> {{{{1, 2}}}}
---@overload fun(y: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor, scale?: number, safe?: boolean): torch.Tensor
---@param q torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param mask torch.Tensor
---@param scale? number default 0
---@param safe? boolean default false
---@return torch.Tensor
function torch.attention_masked(q, k, v, mask, scale, safe) end

--- The mean of each window of N x C x H x W or C x H x W images; countPad counts the padding's zeros.
---
---     torch.avgpool2d(torch.range(1, 16):view(1, 4, 4), 2, 2, 2, 2)   --> {{{3.5, 5.5}, {11.5, 13.5}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, ceil?: boolean, countPad?: boolean): torch.Tensor
---@param x torch.Tensor
---@param kH number
---@param kW number
---@param strideH number
---@param strideW number
---@param padH? number default 0
---@param padW? number default 0
---@param ceil? boolean default false
---@param countPad? boolean default true
---@return torch.Tensor
function torch.avgpool2d(x, kH, kW, strideH, strideW, padH, padW, ceil, countPad) end

--- The gradient of avgpool2d; x only tells the size.
---
---     torch.avgpool2d_grad(torch.Tensor(1, 2, 2), torch.ones(1, 1, 1), 2, 2, 1, 1)   --> {{{0.25, 0.25}, {0.25, 0.25}}}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, ceil?: boolean, countPad?: boolean): torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param kH number
---@param kW number
---@param strideH number
---@param strideW number
---@param padH? number default 0
---@param padW? number default 0
---@param ceil? boolean default false
---@param countPad? boolean default true
---@return torch.Tensor
function torch.avgpool2d_grad(x, g, kH, kW, strideH, strideW, padH, padW, ceil, countPad) end

--- beta * m[i] + alpha * a[i] * b[i] for every matrix of a batch. beta 0 does not read m.
---
---     torch.baddbmm(torch.ones(2, 1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))   --> {{{4}}, {{4}}}
---@overload fun(m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param m torch.Tensor default y
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function torch.baddbmm(m, a, b) end

--- (x - mean) / sqrt(var + eps) * weight + bias for each feature, dimension 2 of x.
---
---     torch.batchnorm(torch.Tensor{{1, 10}, {3, 30}}, true):round()   --> {{-1, -1}, {1, 1}}
---@overload fun(x: torch.Tensor, weight: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, runningMean: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, runningMean: torch.Tensor, runningVar: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, runningMean: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, runningMean: torch.Tensor, runningVar: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param train boolean
---@param momentum? number default 0.1
---@param eps? number default 1e-5
---@param relu? boolean default false
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.batchnorm(x, train, momentum, eps, relu) end

--- The gradient of batchnorm by x, with the mean and invstd it gave.
---@overload fun(x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, train: boolean, scale?: number, y?: torch.Tensor, gy?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, gradWeight: torch.Tensor, train: boolean, scale?: number, y?: torch.Tensor, gy?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, gradWeight: torch.Tensor, gradBias: torch.Tensor, train: boolean, scale?: number, y?: torch.Tensor, gy?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, gradWeight: torch.Tensor, gradBias: torch.Tensor, train: boolean, scale?: number, y?: torch.Tensor, gy?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param mean torch.Tensor
---@param invstd torch.Tensor
---@param train boolean
---@param scale? number default 1
---@param y? torch.Tensor default nil
---@param gy? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.batchnorm_grad(x, g, mean, invstd, train, scale, y, gy) end

--- The mean (or without sizeAverage the sum) of the binary cross entropy -(t log(x + e) + (1 - t) log(1 - x + e)), times weight. e is 1e-12.
---
---     torch.bce_loss(torch.Tensor{0.5, 0.5}, torch.Tensor{0, 1})   --> 0.69315
---@param x torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@param weight? torch.Tensor default nil
---@return number
function torch.bce_loss(x, target, sizeAverage, weight) end

--- The gradient of bce_loss by x.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, target: torch.Tensor, sizeAverage?: boolean, weight?: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@param weight? torch.Tensor default nil
---@return torch.Tensor
function torch.bce_loss_grad(x, target, sizeAverage, weight) end

--- Fills x with 1, with probability p, and 0.
---
---     torch.manualSeed(1); torch.Tensor(4):bernoulli()   --> {1, 0, 0, 0}
---     torch.manualSeed(1); torch.Tensor(3):bernoulli(torch.Tensor{0, 0.5, 1})   --> {0, 0, 1}
---@overload fun(x: torch.Tensor, gen: torch.Generator, p?: number): torch.Tensor
---@overload fun(x: torch.Tensor, p: torch.Tensor): torch.Tensor
---@overload fun(x: torch.Tensor, gen: torch.Generator, p: torch.Tensor): torch.Tensor
---@overload fun(generator?: any, p?: any): any, any
---@param x torch.Tensor
---@param p? number default 0.5
---@return torch.Tensor
function torch.bernoulli(x, p) end

--- Counts the elements of each row of x as histc does: a row of the result for each row of x.
---
---     torch.bhistc(torch.Tensor{{1, 2, 2, 5}}, 4, 1, 5)   --> {{1, 2, 0, 1}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, bins?: number, min?: number, max?: number): torch.Tensor
---@param x torch.Tensor
---@param bins? number default 100
---@param min? number default 0
---@param max? number default 0
---@return torch.Tensor
function torch.bhistc(x, bins, min, max) end

--- How often each whole number from 1 on occurs in x, which must hold no others. y[i] is the number of elements equal to i, or the sum of their weights, a ...
---
---     torch.bincount(torch.LongTensor{1, 3, 3})   --> {1, 0, 2}
---     torch.bincount(torch.LongTensor{1, 3, 3}, torch.Tensor{0.5, 1, 2}, 4)   --> {0.5, 0, 3, 0}
---@param x torch.Tensor
---@param weights? any
---@param minlength? number
---@return any
---@return any ...
function torch.bincount(x, weights, minlength) end

--- The bits that are set in x and in value.
---
---     torch.bitand(torch.IntTensor{5, 6}, 3)   --> {1, 2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.bitand(x, value) end

--- The bits that are set in x or in value.
---
---     torch.bitor(torch.IntTensor{5, 6}, 3)   --> {7, 7}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.bitor(x, value) end

--- The bits that differ between x and value.
---
---     torch.bitxor(torch.IntTensor{5, 6}, 3)   --> {6, 5}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.bitxor(x, value) end

--- The products of two batches of matrices: y[i] = a[i] * b[i].
---
---     torch.bmm(torch.ones(3, 2, 4), torch.ones(3, 4, 1)):size()   --> {3, 2, 1}
---@overload fun(y: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function torch.bmm(a, b) end

--- Joins the tensors of a table along dim (default: the last).
---
---     torch.cat({torch.Tensor{1, 2}, torch.Tensor{3}, torch.Tensor{4}}, 1)   --> {1, 2, 3, 4}
---     torch.cat(torch.Tensor{{1}, {2}}, torch.Tensor{{3}, {4}}, 2)   --> {{1, 3}, {2, 4}}
---@overload fun(a: torch.Tensor, b: torch.Tensor, dim?: number): torch.Tensor
---@overload fun(y: torch.Tensor, list: table, dim?: number): torch.Tensor
---@overload fun(y: torch.Tensor, a: torch.Tensor, b: torch.Tensor, dim?: number): torch.Tensor
---@param list table
---@param dim? number default -1
---@return torch.Tensor
function torch.cat(list, dim) end

--- Fills x with numbers of the Cauchy distribution around median with half width sigma.
---
---     torch.manualSeed(1); torch.Tensor(2):cauchy()   --> {-0.26675, 113.07}
---@overload fun(x: torch.Tensor, gen: torch.Generator, median?: number, sigma?: number): torch.Tensor
---@overload fun(generator?: any, median?: any, sigma?: any): any, any
---@param x torch.Tensor
---@param median? number default 0
---@param sigma? number default 1
---@return torch.Tensor
function torch.cauchy(x, median, sigma) end

--- The bits that are set in x and in z.
---
---     torch.cbitand(torch.IntTensor{5, 6}, torch.IntTensor{3, 4})   --> {1, 4}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.cbitand(x, z) end

--- The bits that are set in x or in z.
---
---     torch.cbitor(torch.IntTensor{5, 6}, torch.IntTensor{3, 4})   --> {7, 6}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.cbitor(x, z) end

--- The bits that differ between x and z.
---
---     torch.cbitxor(torch.IntTensor{5, 6}, torch.IntTensor{3, 4})   --> {6, 2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.cbitxor(x, z) end

--- A pointer to the struct behind x, for functions of C. x lives as long as the pointer.
---@param x any
---@param asnumber? any
---@return any
---@return any ...
function torch.cdata(x, asnumber) end

--- x / z, element by element; whole numbers are truncated.
---
---     torch.cdiv(torch.Tensor{1, 2}, torch.Tensor{4, 8})   --> {0.25, 0.25}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.cdiv(x, z) end

--- The smallest whole number that is not below x.
---
---     torch.ceil(torch.Tensor{1.2, -1.7})   --> {2, -1}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.ceil(x) end

--- What is left of x divided by z, with the sign of x.
---
---     torch.cfmod(torch.Tensor{5, -5}, torch.Tensor{3, 3})   --> {2, -2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.cfmod(x, z) end

--- n parts of equal size along dimension d (1), the last one maybe shorter.
---
---     torch.range(1, 5):chunk(2)   --> {{1, 2, 3}, {4, 5}}
---@param n any
---@param d any
---@return any
---@return any ...
function torch.chunk(n, d) end

--- 1 / x.
---
---     torch.cinv(torch.Tensor{4, -2})   --> {0.25, -0.5}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.cinv(x) end

--- x, but not below min and not above max.
---
---     torch.clamp(torch.Tensor{-5, 0.5, 5}, -1, 1)   --> {-1, 0.5, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, min: number, max: number): torch.Tensor
---@param x torch.Tensor default y
---@param min number
---@param max number
---@return torch.Tensor
function torch.clamp(x, min, max) end

--- Makes a class; `local Foo, parent = torch.class('pkg.Foo', 'pkg.Parent')`. pkg.Foo(...) makes objects and calls Foo.__init(object, ...).
---
---     torch.class('Point').__init = function(self, x) self.x = x end; Point(3).x   --> 3
---@param name string 'pkg.Foo'; the constructor is stored in the global table pkg
---@param parent? any name of the parent class, which must be known (optional)
---@param home? table a table to store the constructor in instead (optional; may also be the second argument)
---@return any
---@return any
function torch.class(name, parent, home) end

--- Bits of x moved up by z places: x * 2^z.
---
---     torch.clshift(torch.IntTensor{1, 3}, torch.IntTensor{2, 1})   --> {4, 6}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.clshift(x, z) end

--- The larger of x and value
---
---     torch.cmax(torch.Tensor{1, 3}, 2)   --> {2, 3}
---     torch.cmax(torch.Tensor{1, 3}, torch.Tensor{2, 2})   --> {2, 3}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.cmax(x, value) end

--- The smaller of x and value
---
---     torch.cmin(torch.Tensor{1, 3}, 2)   --> {1, 2}
---     torch.cmin(torch.Tensor{1, 3}, torch.Tensor{2, 2})   --> {1, 2}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.cmin(x, value) end

--- cfmod under its older name.
---
---     torch.cmod(torch.Tensor{5, -5}, torch.Tensor{3, 3})   --> {2, -2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.cmod(x, z) end

--- x * z, element by element.
---
---     torch.cmul(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {3, 8}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.cmul(x, z) end

--- a times b, element by element, both complex: a last dimension of size 2.
---
---     torch.complexMul(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {-5, 10}
---@overload fun(y: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function torch.complexMul(a, b) end

--- a times the conjugate of b, element by element, both complex: a last dimension of size 2.
---
---     torch.complexMulConj(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {11, 2}
---@overload fun(y: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function torch.complexMulConj(a, b) end

--- Facts about this build, as a table that prints nicely.
---
---     torch.config().threads == torch.getnumthreads()   --> true
---@return any
---@return any ...
function torch.config() end

--- How convolutions are computed.
---
---     torch.conv.engine = 'gemm'; e = torch.conv.engine; torch.conv.engine = nil; e   --> gemm
---     torch.conv.prefer = 'fft'; e = torch.conv.choice('forward', {3, 8, 8}, {4, 3, 3, 3}); torch.conv.prefer = nil; e   --> fft
---@class torch.conv
---@field [string] any
torch.conv = {}

--- The engine that would compute a pass of torch.conv2d ('forward', 'gradInput' or 'gradWeight') with these arguments; x and weight as in torch.conv.explain.
---
---     torch.conv.choice('forward', {1, 3, 8, 8}, {4, 3, 3, 3})   --> gemm
---@param pass any
---@param x any
---@param weight any
---@param strideH? any
---@param strideW? any
---@param padH? number
---@param padW? number
---@param dilationH? any
---@param dilationW? any
---@param groups? any
---@return string
function torch.conv.choice(pass, x, weight, strideH, strideW, padH, padW, dilationH, dilationW, groups) end

--- The names of the engines, as a list. gemm computes everything, by products of matrices without im2col. fft1d uses spectra of lines, for kernels one high or ...
---
---     torch.conv.engines()   --> {gemm, fft1d, fft, winograd, columns, direct, depthwise}
---@return any
function torch.conv.engines() end

--- How torch.conv2d with these arguments, and its gradients, would be computed, as text.
---
---     torch.conv.explain({1, 64, 1, 64000}, {64, 64, 1, 1024}):match 'forward: %w+'   --> forward: fft1d
---@param x any
---@param weight any
---@param strideH? any
---@param strideW? any
---@param padH? number
---@param padW? number
---@param dilationH? any
---@param dilationW? any
---@param groups? any
---@return any
---@return any ...
function torch.conv.explain(x, weight, strideH, strideW, padH, padW, dilationH, dilationW, groups) end

--- The memory of kept transforms of kernels, as a table: `bytes`, and the `count` of transforms. `uses` is how often one of them was used instead of computed ...
---
---     torch.conv.kept().uses >= 0   --> true
---@return any
---@return any ...
function torch.conv.kept() end

--- Why an engine of torch.conv.engines() cannot be used on the CPU (device 0) or a CUDA device, as text; nil if it can.
---
---     torch.conv.missing 'gemm'   --> nil
---     torch.conv.missing('gemm', 0)   --> nil
---@param engine any
---@param device? any
---@return any
---@return any ...
function torch.conv.missing(engine, device) end

--- Calls f(...) and returns its results.
---
---     torch.conv.with('fft', torch.conv.choice, 'forward', {3, 8, 8}, {4, 3, 3, 3})   --> fft
---@param engine any
---@param f any
---@param ... any
---@return any
---@return any ...
function torch.conv.with(engine, f, ...) end

--- x convolved with k in two dimensions. "V" (valid) keeps what needs no padding, "F" (full) all that is touched. x may have planes: then k has one for each, ...
---
---     torch.conv2(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {0, 0}})   --> {{4}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, k: torch.Tensor, type?: string): torch.Tensor
---@param x torch.Tensor
---@param k torch.Tensor
---@param type? string default 'V'
---@return torch.Tensor
function torch.conv2(x, k, type) end

--- Images correlated with kernels. x is N x C x H x W or C x H x W, weight outPlanes x C/groups x kH x kW.
---
---     torch.conv2d(torch.ones(1, 3, 3), torch.ones(1, 1, 2, 2), torch.Tensor{0.5})   --> {{{4.5, 4.5}, {4.5, 4.5}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, strideH?: number, strideW?: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, groups?: number): torch.Tensor
---@param x torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor default nil
---@param strideH? number default 1
---@param strideW? number default 1
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param groups? number default 1
---@return torch.Tensor
function torch.conv2d(x, weight, bias, strideH, strideW, padH, padW, dilationH, dilationW, groups) end

--- act(conv2d(x, weight, bias, ...) + add), in one step: act is 'none', 'relu', 'clip' (to low..high) or 'gelu'.
---
---     torch.conv2d_fused(torch.Tensor{{{-1, 2}}}, torch.ones(1, 1, 1, 1), nil, 1, 1, 0, 0, 1, 1, 1, nil, 'relu')   --> {{{0, 2}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, strideH?: number, strideW?: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, groups?: number, add?: torch.Tensor, act?: string, low?: number, high?: number): torch.Tensor
---@param x torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor default nil
---@param strideH? number default 1
---@param strideW? number default 1
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param groups? number default 1
---@param add? torch.Tensor default nil
---@param act? string default 'none'
---@param low? number default 0
---@param high? number default 0
---@return torch.Tensor
function torch.conv2d_fused(x, weight, bias, strideH, strideW, padH, padW, dilationH, dilationW, groups, add, act, low, high) end

--- The gradient of conv2d by its images: g is that of the result, x only tells the size.
---
---     torch.conv2d_grad_input(torch.Tensor(1, 2, 2), torch.ones(1, 1, 1), torch.ones(1, 1, 2, 2))   --> {{{1, 1}, {1, 1}}}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, strideH?: number, strideW?: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, groups?: number): torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param weight torch.Tensor
---@param strideH? number default 1
---@param strideW? number default 1
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param groups? number default 1
---@return torch.Tensor
function torch.conv2d_grad_input(x, g, weight, strideH, strideW, padH, padW, dilationH, dilationW, groups) end

--- Adds scale times the gradient of conv2d by its kernels to gw and, if given, by its bias to gb.
---
---     torch.conv2d_grad_weight(torch.zeros(1, 1, 1, 1), torch.range(1, 4):view(1, 2, 2), torch.ones(1, 2, 2))   --> {{{{10}}}}
---@overload fun(gw: torch.Tensor, gb: torch.Tensor, x: torch.Tensor, g: torch.Tensor, scale?: number, strideH?: number, strideW?: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, groups?: number): torch.Tensor, torch.Tensor
---@param gw torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param scale? number default 1
---@param strideH? number default 1
---@param strideW? number default 1
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param groups? number default 1
---@return torch.Tensor
---@return torch.Tensor
function torch.conv2d_grad_weight(gw, x, g, scale, strideH, strideW, padH, padW, dilationH, dilationW, groups) end

--- x convolved with k in three dimensions. "V" (valid) keeps what needs no padding, "F" (full) all that is touched. x may have planes: then k has one for each, ...
---
---     torch.conv3(torch.ones(3, 4, 5), torch.ones(2, 2, 2)):size()   --> {2, 3, 4}
---@overload fun(y: torch.Tensor, x: torch.Tensor, k: torch.Tensor, type?: string): torch.Tensor
---@param x torch.Tensor
---@param k torch.Tensor
---@param type? string default 'V'
---@return torch.Tensor
function torch.conv3(x, k, type) end

--- Copies the elements of x, of any type and of a size with as many elements, in row-major order.
---
---     torch.IntTensor(2):copy(torch.Tensor{1.7, -1.7})   --> {1, -1}
---@param y torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.copy(y, x) end

--- Cosine of x in radians.
---
---     torch.cos(torch.Tensor{0, math.pi})   --> {1, -1}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.cos(x) end

--- Hyperbolic cosine.
---
---     torch.cosh(torch.Tensor{0, 1})   --> {1, 1.5431}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.cosh(x) end

--- x to the power of z; whole numbers wrap, and are truncated when z is below 0.
---
---     torch.cpow(torch.Tensor{2, 3}, torch.Tensor{3, 2})   --> {8, 9}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.cpow(x, z) end

--- What is left of x divided by z, with the sign of z.
---
---     torch.cremainder(torch.Tensor{5, -5}, torch.Tensor{3, 3})   --> {2, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.cremainder(x, z) end

--- Cross products of the vectors along dim, which must have size 3 (default: the first such dimension).
---
---     torch.cross(torch.Tensor{1, 0, 0}, torch.Tensor{0, 1, 0})   --> {0, 0, 1}
---@overload fun(y: torch.Tensor, a: torch.Tensor, b: torch.Tensor, dim?: number): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@param dim? number default -1
---@return torch.Tensor
function torch.cross(a, b, dim) end

--- Bits of x moved down by z places, zeros moving in; for floats x / 2^z.
---
---     torch.crshift(torch.IntTensor{4, 12}, torch.IntTensor{2, 1})   --> {1, 6}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@return torch.Tensor
function torch.crshift(x, z) end

--- x - value * z.
---
---     torch.csub(torch.Tensor{1, 2}, 10)   --> {-9, -8}
---     torch.csub(torch.Tensor{1, 2}, torch.Tensor{3, 5})   --> {-2, -3}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(x: torch.Tensor, value: number, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.csub(x, value) end

--- Connectionist temporal classification: for each sample, -log of the probability that its steps become its labels, summed over all alignments.
---
---     (torch.ctc_loss(torch.zeros(2, 1, 3), torch.LongTensor{{1}}))   --> {1.0986}
---@overload fun(loss: torch.Tensor, alpha: torch.Tensor, x: torch.Tensor, labels: torch.Tensor, blank?: number, lengths?: torch.Tensor, batchFirst?: boolean): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param labels torch.Tensor
---@param blank? number default 1
---@param lengths? torch.Tensor default nil
---@param batchFirst? boolean default false
---@return torch.Tensor
---@return torch.Tensor
function torch.ctc_loss(x, labels, blank, lengths, batchFirst) end

--- The gradient of ctc_loss by x, that of each sample times its g; alpha is what ctc_loss gave.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, labels: torch.Tensor, alpha: torch.Tensor, g: torch.Tensor, blank: number, lengths?: torch.Tensor, batchFirst?: boolean): torch.Tensor
---@param x torch.Tensor
---@param labels torch.Tensor
---@param alpha torch.Tensor
---@param g torch.Tensor
---@param blank number
---@param lengths? torch.Tensor default nil
---@param batchFirst? boolean default false
---@return torch.Tensor
function torch.ctc_loss_grad(x, labels, alpha, g, blank, lengths, batchFirst) end

--- Running product along dim: y[i] = x[1] * ... * x[i]. y may be x itself.
---
---     torch.cumprod(torch.Tensor{1, 2, 3})   --> {1, 2, 6}
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor
---@param x torch.Tensor
---@param dim? number default 1
---@return torch.Tensor
function torch.cumprod(x, dim) end

--- Running sum along dim: y[i] = x[1] + ... + x[i], summed in double or int64. y may be x itself.
---
---     torch.cumsum(torch.Tensor{1, 2, 3})   --> {1, 3, 6}
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor
---@param x torch.Tensor
---@param dim? number default 1
---@return torch.Tensor
function torch.cumsum(x, dim) end

--- The elements of a tensor, or of a storage, as a pointer of their C type, or as its address, a number.
---@param x any
---@param asnumber? any
---@return any
---@return any ...
function torch.data(x, asnumber) end

--- The object that a string holds; see torch.load.
---@param text any
---@param mode any
---@param options? any
---@return any
---@return any ...
function torch.deserialize(text, mode, options) end

--- The object that the bytes of a CharStorage hold; see torch.load.
---@param s any
---@param mode any
---@param options? any
---@return any
---@return any ...
function torch.deserializeFromStorage(s, mode, options) end

--- Of a vector the square matrix with x on its k-th diagonal, of a matrix its k-th diagonal. 0 is the main one, 1 the one above it.
---
---     torch.diag(torch.Tensor{1, 2})   --> {{1, 0}, {0, 2}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, k?: number): torch.Tensor
---@param x torch.Tensor
---@param k? number default 0
---@return torch.Tensor
function torch.diag(x, k) end

--- Differences of neighbours along dim (default: the last): y[i] = x[i + 1] - x[i].
---
---     torch.diff(torch.Tensor{1, 4, 9})   --> {3, 5}
---@param x torch.Tensor
---@param dim? number
---@return any
---@return any ...
function torch.diff(x, dim) end

--- The p-norm of x - y, as a number. x and y need as many elements, not the same size. p = 0 gives what Torch7 gives: infinity, or 1 for single elements.
---
---     torch.dist(torch.Tensor{1, 2}, torch.Tensor{4, 6})   --> 5
---@param x torch.Tensor
---@param y torch.Tensor
---@param p? number default 2
---@return number
function torch.dist(x, y, p) end

--- x / value; whole numbers are truncated.
---
---     torch.div(torch.Tensor{1, 2}, 4)   --> {0.25, 0.5}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.div(x, value) end

--- The sum of a[i] * b[i] over all elements, in row-major order, as a number.
---
---     torch.dot(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> 11
---@param a torch.Tensor
---@param b torch.Tensor
---@return number
function torch.dot(a, b) end

--- x times noise, which is 0 with probability p, else 1 / (1 - p), or 1 unless scaled.
---
---     torch.manualSeed(1); torch.dropout(torch.Tensor{1, 2, 3, 4})   --> {2, 0, 0, 0}, {2, 0, 0, 0}
---@overload fun(x: torch.Tensor, gen: torch.Generator, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, gen: torch.Generator, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, noise: torch.Tensor, x: torch.Tensor, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, noise: torch.Tensor, x: torch.Tensor, gen: torch.Generator, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param p? number default 0.5
---@param scaled? boolean default true
---@return torch.Tensor
---@return torch.Tensor
function torch.dropout(x, p, scaled) end

--- Eigenvalues of a square matrix, and with vectors 'V' its eigenvectors of length 1.
---
---     torch.eig(torch.Tensor{{2, 0}, {0, 3}})   --> {{2, 0}, {3, 0}}, {}
---@overload fun(e: torch.Tensor, a: torch.Tensor, vectors?: string): torch.Tensor, torch.Tensor
---@overload fun(e: torch.Tensor, v: torch.Tensor, a: torch.Tensor, vectors?: string): torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@param vectors? string default 'N'
---@return torch.Tensor
---@return torch.Tensor
function torch.eig(a, vectors) end

--- Sums of products of tensors in Einstein's notation.
---
---     torch.einsum('ij,jk->ik', torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {0, 2}})   --> {{1, 4}, {3, 8}}
---     torch.einsum('ii', torch.Tensor{{1, 2}, {3, 4}})   --> 5
---@param equation any
---@param ... any
---@return any
---@return any ...
function torch.einsum(equation, ...) end

--- x where it is above 0, else alpha (exp(x) - 1).
---
---     torch.elu(torch.Tensor{-1, 2})   --> {-0.63212, 2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, alpha?: number): torch.Tensor
---@param x torch.Tensor default y
---@param alpha? number default 1
---@return torch.Tensor
function torch.elu(x, alpha) end

--- The gradient of elu at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, alpha?: number): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param alpha? number default 1
---@return torch.Tensor
function torch.elu_grad(x, y, g, alpha) end

--- The rows of weight that the LongTensor index names, from 1; y has the sizes of index, then those of a row.
---
---     torch.embedding(torch.Tensor{{1, 2}, {3, 4}}, torch.LongTensor{2, 1, 2})   --> {{3, 4}, {1, 2}, {3, 4}}
---@overload fun(y: torch.Tensor, weight: torch.Tensor, index: torch.Tensor): torch.Tensor
---@param weight torch.Tensor
---@param index torch.Tensor
---@return torch.Tensor
function torch.embedding(weight, index) end

--- Adds scale times each row of g to the row of gw that index names, in order; row `padding` stays as it is.
---
---     torch.zeros(2, 1):embedding_grad(torch.LongTensor{2, 2}, torch.Tensor{{1}, {5}})   --> {{0}, {6}}
---@param gw torch.Tensor
---@param index torch.Tensor
---@param g torch.Tensor
---@param scale? number default 1
---@param padding? number default 0
---@return torch.Tensor
function torch.embedding_grad(gw, index, g, scale, padding) end

--- 1 where x is equal to value or z, else 0.
---
---     torch.eq(torch.Tensor{1, 2, 3}, 2)   --> {0, 1, 0}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param value number
---@return torch.Tensor
function torch.eq(x, value) end

--- true if x and z have the same size and equal elements
---
---     torch.equal(torch.Tensor{1, 2}, torch.Tensor{1, 2})   --> true
---@param x torch.Tensor
---@param z torch.Tensor
---@return number
function torch.equal(x, z) end

--- The error function.
---
---     torch.erf(torch.Tensor{0, 1})   --> {0, 0.8427}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.erf(x) end

--- e to the power of x.
---
---     torch.exp(torch.Tensor{0, 1})   --> {1, 2.7183}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.exp(x) end

--- A view in which dimensions of size 1 are repeated without copying; further dimensions may be added in front.
---
---     torch.Tensor{{1}, {2}}:expand(2, 3)   --> {{1, 1, 1}, {2, 2, 2}}
---@overload fun(result: any, x: any, ...: any): torch.Tensor
---@param x any
---@param ... any
---@return torch.Tensor
function torch.expand(x, ...) end

--- x expanded to the size of another tensor.
---
---     torch.Tensor{{1}, {2}}:expandAs(torch.zeros(2, 2))   --> {{1, 1}, {2, 2}}
---@overload fun(result: any, x: any, other: any): any, any
---@param x any
---@param other any
---@return any
---@return any ...
function torch.expandAs(x, other) end

--- exp(x) - 1, exact near 0.
---
---     torch.expm1(torch.Tensor{0, 1e-10})   --> {0, 1e-10}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.expm1(x) end

--- Fills x with exponential numbers of rate lambda; their mean is 1 / lambda.
---
---     torch.manualSeed(1); torch.Tensor(2):exponential()   --> {0.53961, 5.8727}
---@overload fun(x: torch.Tensor, gen: torch.Generator, lambda?: number): torch.Tensor
---@overload fun(generator?: any, lambda?: any): any, any
---@param x torch.Tensor
---@param lambda? number default 1
---@return torch.Tensor
function torch.exponential(x, lambda) end

--- The n x n matrix with ones on the diagonal and zeros elsewhere.
---
---     torch.eye(2)   --> {{1, 0}, {0, 1}}
---     torch.eye(2, 3)   --> {{1, 0, 0}, {0, 1, 0}}
---@overload fun(n: number, m: number): torch.Tensor
---@overload fun(y: torch.Tensor, n: number): torch.Tensor
---@overload fun(y: torch.Tensor, n: number, m: number): torch.Tensor
---@param n number
---@return torch.Tensor
function torch.eye(n) end

--- A function that makes an object of a class without calling `__init`, or nil when there is no such class.
---@param name any
---@return function
function torch.factory(name) end

--- The discrete Fourier transform of complex x along dim, by any size.
---
---     torch.fft(torch.Tensor{{1, 0}, {2, 0}})   --> {{3, 0}, {-1, 0}}
---@class torch.fft
---@overload fun(x: torch.Tensor, n?: number, dim?: number, norm?: string): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, n?: number, dim?: number, norm?: string): torch.Tensor
torch.fft = {}

--- The absolute values of the elements of a complex tensor.
---
---     torch.fft.abs(torch.Tensor{{3, 4}, {0, 2}})   --> {5, 2}
---@param x any
---@return any
---@return any ...
function torch.fft.abs(x) end

--- The angles of the elements of a complex tensor, in radians from -pi to pi.
---
---     torch.fft.angle(torch.Tensor{{1, 0}, {0, 2}})   --> {0, 1.5708}
---@param x any
---@return any
---@return any ...
function torch.fft.angle(x) end

--- A complex tensor of real and imaginary parts (default: 0): one more dimension, of size 2.
---
---     torch.fft.complex(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {{1, 3}, {2, 4}}
---@param re any
---@param im? torch.Tensor
---@return any
---@return any ...
function torch.fft.complex(re, im) end

--- The conjugate of a complex tensor.
---
---     torch.fft.conj(torch.Tensor{{1, 3}, {2, 4}})   --> {{1, -3}, {2, -4}}
---@param x any
---@return any
---@return any ...
function torch.fft.conj(x) end

--- The convolution of signals along dim, by their spectra: y[k] = sum(a[j] b[k - j]), as scipy.signal.fftconvolve and oaconvolve give it.
---
---     torch.fft.convolve(torch.Tensor{1, 2, 3}, torch.Tensor{1, 1})   --> {1, 3, 5, 3}
---@param a any floating point numbers; the dimensions other than dim are a batch. Halves are computed as floats
---@param b torch.Tensor one line, or a tensor with as many dimensions; dimensions other than dim have the size of a or 1, or a has 1
---@param mode? string 'full' (default): na + nb - 1 places. 'same': the na in the middle of them. 'valid': the places where the shorter signal lies within the longer, max(na, nb) - min(na, nb) + 1
---@param dim? number from 1 (default, and -1: the last)
---@param isComplex? boolean true: a and b are complex, with a last dimension of size 2 that dim does not count (default false)
---@return any
---@return any ...
function torch.fft.convolve(a, b, mode, dim, isComplex) end

--- The correlation of signals along dim, by their spectra, as scipy.signal.correlate gives it. y[k] = sum(a[j] conj(b[j - k + nb - 1])), k from 0 in the mode '...
---
---     torch.fft.correlate(torch.Tensor{1, 1, 2, 4}, torch.Tensor{1, 2})   --> {2, 3, 5, 10, 4}
---@param a any
---@param b any
---@param mode? any
---@param dim? number
---@param isComplex? any
---@return any
---@return any ...
function torch.fft.correlate(a, b, mode, dim, isComplex) end

--- The discrete cosine transform of real x along dim, of type 1 to 4, as scipy.fft.dct defines it. k is from 0 to n - 1.
---
---     torch.fft.dct(torch.Tensor{1, 2, 3, 5})   --> {22, -8.1564, 1.4142, -1.2137}
---     torch.fft.dct(torch.Tensor{1, 2, 4}, 1)   --> {9, -3, 1}
---@param x any floating point numbers of at least one dimension; halves are computed as floats. The result has its type
---@param type? number 1 to 4 (default 2)
---@param n? any x is cut or padded with zeros to n numbers along dim (default, and -1: the size of x)
---@param dim? number from 1 (default, and -1: the last); the other dimensions are a batch. A NaN or an infinity reaches its line only
---@param norm? string 'backward' (default) divides nothing, 'forward' by 2n (type 1: 2n - 2), 'ortho' by the square root of that. 'ortho' also scales x[0] or y[0], as SciPy does, so that the matrix is orthogonal
---@return any
---@return any ...
function torch.fft.dct(x, type, n, dim, norm) end

--- The discrete sine transform of real x along dim, of type 1 to 4, as scipy.fft.dst defines it. k is from 0 to n - 1.
---
---     torch.fft.dst(torch.Tensor{1, 2, 3, 4}, 2)   --> {13.066, -5.6569, 5.412, -4}
---@param x any
---@param type? any
---@param n? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.dst(x, type, n, dim, norm) end

--- The smallest number of at least n that has no prime factors but 2, 3 and 5: a size with a fast transform.
---
---     torch.fft.fastLength(1021)   --> 1024
---@param n number a whole number, 1 to 2^52
---@return any
function torch.fft.fastLength(n) end

--- torch.fft itself and its inverse; ? torch.fft
---
---     torch.fft.fft(torch.Tensor{{1, 0}, {2, 0}})   --> {{3, 0}, {-1, 0}}
---@param x any
---@param n? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.fft(x, n, dim, norm) end

--- torch.fft2, torch.ifft2: two dimensions.
---@param x any
---@param s? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.fft2(x, s, dim, norm) end

--- The frequencies of fft's results for n numbers, d apart (default 1): 0, 1, ..., -1 divided by n d.
---
---     torch.fft.fftfreq(4)   --> {0, 0.25, -0.5, -0.25}
---@param n any
---@param d any
---@return any
---@return any ...
function torch.fft.fftfreq(n, d) end

--- torch.fftn, torch.ifftn: several dimensions.
---@param x any
---@param s? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.fftn(x, s, dim, norm) end

--- Puts frequency 0 into the middle along dim, a number or a list of them (default: all dimensions).
---
---     torch.fft.fftshift(torch.range(1, 5))   --> {4, 5, 1, 2, 3}
---@param x any
---@param dim? number
---@return table
function torch.fft.fftshift(x, dim) end

--- The real spectrum of a complex signal with x[n - t] = conj(x[t]), of which x has the first half, places 0 to n/2.
---
---     torch.fft.hfft(torch.Tensor{{1, 0}, {2, -1}, {4, 0}})   --> {9, -5, 1, -1}
---@param x any complex; along dim it is cut or padded with zeros to n/2 + 1 places
---@param n? number how many numbers the result has along dim (default, and -1: 2 (m - 1), m being the size of x); at least 1
---@param dim? number from 1, without the complex one (default, and -1: the last)
---@param norm? string 'backward' (default) divides nothing, 'ortho' by sqrt(n), 'forward' by n
---@return any
---@return any ...
function torch.fft.hfft(x, n, dim, norm) end

--- The inverse of torch.fft.dct with the same arguments.
---
---     torch.fft.idct(torch.fft.dct(torch.Tensor{1, 2, 3, 4}))   --> {1, 2, 3, 4}
---@param y any
---@param type? any
---@param n? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.idct(y, type, n, dim, norm) end

--- The inverse of torch.fft.dst with the same arguments.
---
---     torch.fft.idst(torch.fft.dst(torch.Tensor{1, 2, 3, 4}, 4), 4)   --> {1, 2, 3, 4}
---@param y any
---@param type? any
---@param n? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.idst(y, type, n, dim, norm) end

--- torch.fft itself and its inverse; ? torch.fft
---
---     torch.fft.fft(torch.Tensor{{1, 0}, {2, 0}})   --> {{3, 0}, {-1, 0}}
---@param y any
---@param n? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.ifft(y, n, dim, norm) end

--- torch.fft2, torch.ifft2: two dimensions.
---@param y any
---@param s? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.ifft2(y, s, dim, norm) end

--- torch.fftn, torch.ifftn: several dimensions.
---@param y any
---@param s? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.ifftn(y, s, dim, norm) end

--- The inverse of fftshift.
---
---     torch.fft.ifftshift(torch.Tensor{4, 5, 1, 2, 3})   --> {1, 2, 3, 4, 5}
---@param x any
---@param dim? number
---@return any
---@return any ...
function torch.fft.ifftshift(x, dim) end

--- The inverse of hfft: n/2 + 1 complex numbers from n real ones.
---
---     torch.fft.real(torch.fft.ihfft(torch.Tensor{9, -5, 1, -1}))   --> {1, 2, 4}
---@param x? any real numbers; along dim it is cut or padded with zeros to n places (default, and -1: its size)
---@param n? any
---@param dim? number
---@param norm? string 'backward' (default) divides by n, 'ortho' by sqrt(n), 'forward' nothing
---@return any
---@return any ...
function torch.fft.ihfft(x, n, dim, norm) end

--- The imaginary parts of a complex tensor: a view, or a number.
---
---     torch.fft.imag(torch.Tensor{{1, 3}, {2, 4}})   --> {3, 4}
---@param x any
---@return any
---@return any ...
function torch.fft.imag(x) end

--- torch.rfft and torch.irfft, of real x.
---
---     torch.fft.rfft(torch.Tensor{1, 2, 3, 4})   --> {{10, 0}, {-2, 2}, {-2, 0}}
---     torch.fft.irfft(torch.fft.rfft(torch.range(1, 5)), 5)   --> {1, 2, 3, 4, 5}
---@param y any
---@param n? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.irfft(y, n, dim, norm) end

--- torch.rfft2, torch.irfft2: two dimensions.
---@param y any
---@param s? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.irfft2(y, s, dim, norm) end

--- torch.rfftn, torch.irfftn: several dimensions.
---@param y any
---@param s? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.irfftn(y, s, dim, norm) end

--- The inverse of stft with the same arguments.
---
---     x = torch.range(1, 16); (torch.fft.istft(torch.fft.stft(x, 8), 8) - x):abs():max() < 1e-12   --> true
---@param y torch.Tensor complex, of size ... x bins x frames x 2
---@param n any
---@param hop? any
---@param window? torch.Tensor
---@param options? table width, center, onesided and normalized as for stft. length: how many places the result has (default: those between the middles of the first and the last frame, or all where center is false). ...
---@return any # real signals: a tensor of the type of y, of size ... x places
---@return any ...
function torch.fft.istft(y, n, hop, window, options) end

--- the product of complex tensors, torch.complexMul.
---
---     torch.fft.mul(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {-5, 10}
---@param a any
---@param b any
---@return any
---@return any ...
function torch.fft.mul(a, b) end

--- The real parts of a complex tensor: a view, or a number.
---
---     torch.fft.real(torch.Tensor{{1, 3}, {2, 4}})   --> {1, 2}
---@param x any
---@return any
---@return any ...
function torch.fft.real(x) end

--- torch.rfft and torch.irfft, of real x.
---
---     torch.fft.rfft(torch.Tensor{1, 2, 3, 4})   --> {{10, 0}, {-2, 2}, {-2, 0}}
---     torch.fft.irfft(torch.fft.rfft(torch.range(1, 5)), 5)   --> {1, 2, 3, 4, 5}
---@param x any
---@param n? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.rfft(x, n, dim, norm) end

--- torch.rfft2, torch.irfft2: two dimensions.
---@param x any
---@param s? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.rfft2(x, s, dim, norm) end

--- The frequencies of rfft's results for n numbers, d apart (default 1): 0, 1, ..., n/2 divided by n d.
---
---     torch.fft.rfftfreq(4)   --> {0, 0.25, 0.5}
---@param n any
---@param d any
---@return any
---@return any ...
function torch.fft.rfftfreq(n, d) end

--- torch.rfftn, torch.irfftn: several dimensions.
---@param x any
---@param s? any
---@param dim? number
---@param norm? any
---@return any
---@return any ...
function torch.fft.rfftn(x, s, dim, norm) end

--- The short-time Fourier transform of real signals, the last dimension of x: the spectra of frames of n places, each multiplied by the window.
---
---     torch.fft.stft(torch.ones(2, 16), 8):size()   --> {2, 5, 9, 2}
---     torch.fft.stft(torch.Tensor{1, 2, 3, 4}, 2, 2, 'ones', {center = false})   --> {{{3, 0}, {7, 0}}, {{-1, 0}, {-1, 0}}}
---@param x any floating point numbers; the dimensions in front are a batch. Halves are computed as floats
---@param n any places in a frame, at least 1; the k-th of the n/2 + 1 bins, from 0, has the frequency k / n per place
---@param hop? any places from one frame to the next, at least 1 (default: n / 4)
---@param window? torch.Tensor|string the name of a periodic window of torch.fft.window (default 'hann'), {'kaiser', beta}, or a vector of at most n values. A window shorter than n is centred in the frame, between zeros
---@param options? table a table. width: places of a window that is named (default n). center: true (default) puts the middle of frame f at place (f - 1) hop of x, and pads x with n/2 places on both sides. false begins ...
---@return torch.Tensor # a tensor of the type of x
---@return any ...
function torch.fft.stft(x, n, hop, window, options) end

--- The n values of a window, a vector of the default type of tensors.
---
---     torch.fft.window('hann', 4)   --> {0, 0.5, 1, 0.5}
---     torch.fft.window('hamming', 3, false)   --> {0.08, 1, 0.08}
---@param name any
---@param n number at least 1; a window of one place is 1
---@param periodic? boolean true (default): t is i / n for i from 0, for spectra; false: i / (n - 1), symmetric, for filters
---@param beta? number of 'kaiser', 0 to 700 (default 12): larger values make a wider peak and lower sidelobes
---@return any
---@return any ...
function torch.fft.window(name, n, periodic, beta) end

--- fft along two dimensions (default: the last two).
---
---     torch.fft2(torch.Tensor{{{1, 0}, {2, 0}}, {{3, 0}, {4, 0}}})   --> {{{10, 0}, {-2, 0}}, {{-4, 0}, {0, 0}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param x torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.fft2(x, s, dim, norm) end

--- Gradient of fft, ifft, rfft, irfft (kind 0, 1, 2, 3) with these n, dim and norm.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, kind: number, n?: number, dim?: number, norm?: string): torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param kind number
---@param n? number default -1
---@param dim? number default -1
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.fft_grad(x, g, kind, n, dim, norm) end

--- fft along several dimensions (default: all).
---
---     torch.fftn(torch.ones(2, 2, 2, 2)):size()   --> {2, 2, 2, 2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param x torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.fftn(x, s, dim, norm) end

--- Gradient of fft2, ifft2, rfft2, irfft2 (kind 4, 5, 6, 7), fftn, ifftn, rfftn, irfftn (8, 9, 10, 11).
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, kind: number, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param kind number
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.fftn_grad(x, g, kind, s, dim, norm) end

--- Sets every element to value; whole-number types truncate it. y may be expanded.
---
---     torch.Tensor(2):fill(5)   --> {5, 5}
---@param y torch.Tensor
---@param value number
---@return torch.Tensor
function torch.fill(y, value) end

--- x in reverse order along dim.
---
---     torch.flip(torch.Tensor{1, 2, 3}, 1)   --> {3, 2, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number): torch.Tensor
---@param x torch.Tensor
---@param dim number
---@return torch.Tensor
function torch.flip(x, dim) end

--- The largest whole number that is not above x.
---
---     torch.floor(torch.Tensor{1.7, -1.2})   --> {1, -2}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.floor(x) end

--- What is left of x divided by value, with the sign of x.
---
---     torch.fmod(torch.Tensor{5, -5}, 3)   --> {2, -2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.fmod(x, value) end

--- x - trunc(x).
---
---     torch.frac(torch.Tensor{1.75, -1.75})   --> {0.75, -0.75}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.frac(x) end

--- The largest pixel of each window of kH x kW.
---
---     torch.fractionalmaxpool2d(torch.range(1, 9):view(1, 3, 3), torch.zeros(1, 1, 2), 2, 2, 2, 2)   --> {{{5, 6}, {8, 9}}}, {{{5, 6}, {8, 9}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, samples: torch.Tensor, kH: number, kW: number, outH: number, outW: number): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, samples: torch.Tensor, kH: number, kW: number, outH: number, outW: number): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param samples torch.Tensor
---@param kH number
---@param kW number
---@param outH number
---@param outW number
---@return torch.Tensor
---@return torch.Tensor
function torch.fractionalmaxpool2d(x, samples, kH, kW, outH, outW) end

--- The largest element of each window of kD x kH x kW.
---
---     torch.fractionalmaxpool3d(torch.range(1, 8):view(1, 2, 2, 2), torch.zeros(1, 1, 3), 2, 2, 2, 1, 1, 1)   --> {{{{8}}}}, {{{{8}}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, samples: torch.Tensor, kD: number, kH: number, kW: number, outD: number, outH: number, outW: number): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, samples: torch.Tensor, kD: number, kH: number, kW: number, outD: number, outH: number, outW: number): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param samples torch.Tensor
---@param kD number
---@param kH number
---@param kW number
---@param outD number
---@param outH number
---@param outW number
---@return torch.Tensor
---@return torch.Tensor
function torch.fractionalmaxpool3d(x, samples, kD, kH, kW, outD, outH, outW) end

--- From every line of x along dim the elements that the same line of index names; for dim 1 of a matrix, y[i][j] = x[index[i][j]][j].
---
---     torch.gather(torch.Tensor{{1, 2}, {3, 4}}, 2, torch.LongTensor{{2}, {1}})   --> {{2}, {3}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param dim number
---@param index torch.Tensor
---@return torch.Tensor
function torch.gather(x, dim, index) end

--- Gradient of `gather`, `sort` and `topk`: g added at the places that were picked, 0 elsewhere. dim -1 is the last.
---
---     torch.gather_grad(torch.Tensor(3), 1, torch.LongTensor{1, 1}, torch.Tensor{5, 6})   --> {11, 0, 0}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.gather_grad(x, dim, index, g) end

--- 1 where x is above or equal to value or z, else 0.
---
---     torch.ge(torch.Tensor{1, 2, 3}, 2)   --> {0, 1, 1}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param value number
---@return torch.Tensor
function torch.ge(x, value) end

--- Solves a * x = b by least squares: the x for which |a * x - b| is smallest.
---
---     (torch.gels(torch.Tensor{{1}, {2}, {4}}, torch.Tensor{{1, 0}, {1, 1}, {1, 2}}))   --> {{0.83333}, {1.5}}
---@overload fun(x: torch.Tensor, b: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(x: torch.Tensor, qr: torch.Tensor, b: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@param b torch.Tensor
---@param a torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.gels(b, a) end

--- x times the normal distribution function of x.
---
---     torch.gelu(torch.Tensor{-1, 2})   --> {-0.15866, 1.9545}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.gelu(x) end

--- The gradient of gelu at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.gelu_grad(x, y, g) end

--- Fills x with how often something is tried until it fails, p being the chance to succeed: i with probability (1-p) p^(i-1).
---
---     torch.manualSeed(1); torch.Tensor(3):geometric(0.5)   --> {1, 9, 2}
---@overload fun(x: torch.Tensor, gen: torch.Generator, p: number): torch.Tensor
---@overload fun(p: any): any, any
---@overload fun(generator: torch.Generator, p: any): any, any
---@param x torch.Tensor
---@param p number
---@return torch.Tensor
function torch.geometric(x, p) end

--- The QR factors of a matrix as LAPACK keeps them.
---
---     m, tau = torch.geqrf(torch.Tensor{{3, 1}, {4, 2}}); tau:size()   --> {2}
---@overload fun(m: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(m: torch.Tensor, tau: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.geqrf(a) end

--- The outer product of two vectors: y[i][j] = u[i] * v[j].
---
---     torch.ger(torch.Tensor{1, 2}, torch.Tensor{3, 4, 5})   --> {{3, 4, 5}, {6, 8, 10}}
---@overload fun(y: torch.Tensor, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@param u torch.Tensor
---@param v torch.Tensor
---@return torch.Tensor
function torch.ger(u, v) end

--- Solves a * x = b for a square matrix a. b holds one right side in each column (a vector is one column). lu gets the factors L and U of a with its rows ...
---
---     (torch.gesv(torch.Tensor{{5}, {10}}, torch.Tensor{{2, 1}, {1, 3}}))   --> {{1}, {3}}
---@overload fun(x: torch.Tensor, b: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(x: torch.Tensor, lu: torch.Tensor, b: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@param b torch.Tensor
---@param a torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.gesv(b, a) end

--- The state of the generator as a ByteTensor, for setRNGState: torch.getRNGState([generator,] [result]).
---
---     s = torch.getRNGState(); a = torch.random(); torch.setRNGState(s); a == torch.random()   --> true
---@param ... any
---@return any
function torch.getRNGState(...) end

--- The constructor of a class: torch.getconstructortable 'nn.Linear' is nn.Linear.
---@param name any
---@return any
function torch.getconstructortable(name) end

--- The name of the type that torch.Tensor makes.
---
---     torch.getdefaulttensortype()   --> torch.DoubleTensor
---@return string
function torch.getdefaulttensortype() end

--- The table that torch.setenv has attached to an object, or a function's environment.
---@param object any
---@return function
function torch.getenv(object) end

--- The metatable of a class (the class itself), or nil when there is no such class.
---@param name any
---@return any
---@return any ...
function torch.getmetatable(name) end

--- The number of processors that this process may use.
---@return number
function torch.getnumcores() end

--- The number of threads that one operation may use.
---@return number
function torch.getnumthreads() end

--- Whether resize sets the elements that it adds to 0.
---
---     torch.getzerofill()   --> true
---@return boolean
function torch.getzerofill() end

--- Gated recurrent units over sequences. (r z n) = x, (s y q) = weight h of the step before, and bias is added to r, z, n and q. h = (1 - w) tanh(n + sigmoid(r ...
---
---     (torch.gru(torch.ones(2, 3), torch.LongTensor{{1}, {2}}, torch.ones(3, 1), false))   --> {{0.20482}, {0.34675}}
---@overload fun(h: torch.Tensor, q: torch.Tensor, a: torch.Tensor, x: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, reverse: boolean, bias?: torch.Tensor, h0?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param reverse boolean
---@param bias? torch.Tensor default nil
---@param h0? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.gru(x, places, weight, reverse, bias, h0) end

--- The gradient of gru by x, q and h0, from its results. g is the gradient of all h, ghn that of the last ones. hp is the h that each row came from: weight's ...
---@overload fun(gx: torch.Tensor, gq: torch.Tensor, hp: torch.Tensor, gh0: torch.Tensor, a: torch.Tensor, h: torch.Tensor, q: torch.Tensor, g: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, reverse: boolean, h0?: torch.Tensor, ghn?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@param h torch.Tensor
---@param q torch.Tensor
---@param g torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param reverse boolean
---@param h0? torch.Tensor default nil
---@param ghn? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.gru_grad(a, h, q, g, places, weight, reverse, h0, ghn) end

--- 1 where x is above value or z, else 0.
---
---     torch.gt(torch.Tensor{1, 2, 3}, 2)   --> {0, 0, 1}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param value number
---@return torch.Tensor
function torch.gt(x, value) end

--- x, but 0 between -lambda and lambda.
---
---     torch.hardshrink(torch.Tensor{-0.3, 2})   --> {0, 2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, lambda?: number): torch.Tensor
---@param x torch.Tensor default y
---@param lambda? number default 0.5
---@return torch.Tensor
function torch.hardshrink(x, lambda) end

--- The gradient of hardshrink at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, lambda?: number): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param lambda? number default 0.5
---@return torch.Tensor
function torch.hardshrink_grad(x, y, g, lambda) end

--- x, but not below min and not above max.
---
---     torch.hardtanh(torch.Tensor{-3, 0.5, 3})   --> {-1, 0.5, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, min?: number, max?: number): torch.Tensor
---@param x torch.Tensor default y
---@param min? number default -1
---@param max? number default 1
---@return torch.Tensor
function torch.hardtanh(x, min, max) end

--- The gradient of hardtanh at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, min?: number, max?: number): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param min? number default -1
---@param max? number default 1
---@return torch.Tensor
function torch.hardtanh_grad(x, y, g, min, max) end

--- The help of a name, a function, a class or an object, as text: torch.help 'nn.Linear', torch.help(torch.cumsum).
---
---     torch.help('cumsum'):match '[^\n]*'   --> torch.cumsum([y], x, [dim])
---@param topic? any
---@return any
function torch.help(topic) end

--- Counts the elements of x in bins of equal width from min to max, max included.
---
---     torch.histc(torch.Tensor{1, 2, 2, 5}, 4, 1, 5)   --> {1, 2, 0, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, bins?: number, min?: number, max?: number): torch.Tensor
---@param x torch.Tensor
---@param bins? number default 100
---@param min? number default 0
---@param max? number default 0
---@return torch.Tensor
function torch.histc(x, bins, min, max) end

--- The inverse of fft.
---
---     torch.ifft(torch.Tensor{{3, 0}, {-1, 0}})   --> {{1, 0}, {2, 0}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, n?: number, dim?: number, norm?: string): torch.Tensor
---@param x torch.Tensor
---@param n? number default -1
---@param dim? number default -1
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.ifft(x, n, dim, norm) end

--- The inverse of fft2.
---
---     torch.ifft2(torch.fft2(torch.Tensor{{{1, 0}, {2, 5}}}))   --> {{{1, 0}, {2, 5}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param x torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.ifft2(x, s, dim, norm) end

--- The inverse of fftn.
---
---     torch.ifftn(torch.fftn(torch.Tensor{{{1, 0}, {2, 5}}}))   --> {{{1, 0}, {2, 5}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param x torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.ifftn(x, s, dim, norm) end

--- Each pixel of the result is read from x where the matrix {{a, b}, {c, d}} puts its row and column around the centre.
---
---     torch.image_affine(torch.Tensor{{1, 2, 3}}, 1, 0, 0, 1, 0, 1)   --> {{1, 1, 2}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, a: number, b: number, c: number, d: number, down?: number, right?: number, mode?: string, clamp?: string, pad?: number): torch.Tensor
---@param x torch.Tensor
---@param a number
---@param b number
---@param c number
---@param d number
---@param down? number default 0
---@param right? number default 0
---@param mode? string default 'bilinear'
---@param clamp? string default 'clamp'
---@param pad? number default 0
---@return torch.Tensor
function torch.image_affine(x, a, b, c, d, down, right, mode, clamp, pad) end

--- A batch of height x width pixels from each of the pictures in a table, which have 1 or 3 planes and any sides.
---
---     plan = torch.Tensor{{0, 1, 1, 2, 1, 1}}; torch.image_augment({torch.ByteTensor{{{1, 2, 3}}}}, plan, 1, 2):view(2)   --> {6, 4}
---@overload fun(y: torch.Tensor, list: table, plan: torch.Tensor, height: number, width: number, mean?: torch.Tensor, std?: torch.Tensor, float?: boolean): torch.Tensor
---@param list table
---@param plan torch.Tensor
---@param height number
---@param width number
---@param mean? torch.Tensor default nil
---@param std? torch.Tensor default nil
---@param float? boolean default false
---@return torch.Tensor
function torch.image_augment(list, plan, height, width, mean, std, float) end

--- Pictures of 3 planes x rows x columns in another colour space. change is rgb2hsl, rgb2hsv, rgb2nrgb, rgb2yuv or rgb2lab, or one of the first two, yuv or lab ...
---
---     torch.image_color(torch.Tensor{1, 0, 0}:view(3, 1, 1), 'rgb2hsv'):view(3)   --> {0, 1, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, change: string): torch.Tensor
---@param x torch.Tensor
---@param change string
---@return torch.Tensor
function torch.image_color(x, change) end

--- The brightness of pictures whose first 3 planes are red, green and blue: 0.299 r + 0.587 g + 0.114 b, one plane.
---
---     torch.image_luma(torch.Tensor{1, 0, 0}:view(3, 1, 1)):view(1)   --> {0.299}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.image_luma(x) end

--- Pictures in polar coordinates: rows are angles, columns distances from the centre, or their logarithms. valid: up to the nearest edge. full: up to the ...
---
---     torch.image_polar(torch.ones(3, 3), 2, 2)   --> {{1, 1}, {1, 1}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, height: number, width: number, mode?: string, area?: string, log?: boolean): torch.Tensor
---@param x torch.Tensor
---@param height number
---@param width number
---@param mode? string default 'simple'
---@param area? string default 'valid'
---@param log? boolean default false
---@return torch.Tensor
function torch.image_polar(x, height, width, mode, area, log) end

--- Pictures turned counterclockwise around their centre by an angle in radians.
---
---     torch.image_rotate(torch.Tensor{{1, 2}, {3, 4}}, math.pi)   --> {{4, 3}, {2, 1}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, angle: number, mode?: string): torch.Tensor
---@param x torch.Tensor
---@param angle number
---@param mode? string default 'simple'
---@return torch.Tensor
function torch.image_rotate(x, angle, mode) end

--- Pictures of height x width. bilinear: lines between pixels where a side grows, the mean of the pixels that a new one covers where it shrinks. bicubic
---
---     torch.image_scale(torch.Tensor{{0, 2}, {4, 6}}, 3, 3)   --> {{0, 1, 2}, {2, 3, 4}, {4, 5, 6}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, height: number, width: number, mode?: string): torch.Tensor
---@param x torch.Tensor
---@param height number
---@param width number
---@param mode? string default 'bilinear'
---@return torch.Tensor
function torch.image_scale(x, height, width, mode) end

--- Each pixel of the result is read from x at the position that field[1] (row) and field[2] (column) give.
---
---     torch.image_warp(torch.Tensor{{1, 2, 3}}, torch.Tensor{{{0, 0}}, {{1.5, 0}}}, 'bilinear', false)   --> {{2.5, 1}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, field: torch.Tensor, mode?: string, offset?: boolean, clamp?: string, pad?: number): torch.Tensor
---@param x torch.Tensor
---@param field torch.Tensor
---@param mode? string default 'bilinear'
---@param offset? boolean default true
---@param clamp? string default 'clamp'
---@param pad? number default 0
---@return torch.Tensor
function torch.image_warp(x, field, mode, offset, clamp, pad) end

--- Runs a file of a package: torch.include('pkg', 'Layer.lua') runs Layer.lua beside pkg's init.lua.
---@param name? any
---@param file? any
---@return any # the results of the file
---@return any ...
function torch.include(name, file) end

--- The slices of x along dim that index names, in its order. index is a LongTensor vector.
---
---     torch.index(torch.Tensor{{1, 2}, {3, 4}}, 1, torch.LongTensor{2, 2})   --> {{3, 4}, {3, 4}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param dim number
---@param index torch.Tensor
---@return torch.Tensor
function torch.index(x, dim, index) end

--- Adds the slices of x along dim to the slices of y that index names; a place named twice gets both.
---
---     torch.ones(3):indexAdd(1, torch.LongTensor{3, 3}, torch.Tensor{5, 6})   --> {1, 1, 12}
---@param y torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.indexAdd(y, dim, index, x) end

--- Copies the slices of x along dim to the places of y that index names.
---
---     torch.zeros(3):indexCopy(1, torch.LongTensor{3, 1}, torch.Tensor{5, 6})   --> {6, 0, 5}
---@param y torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.indexCopy(y, dim, index, x) end

--- Sets the slices of y along dim that index names to value.
---
---     torch.zeros(3):indexFill(1, torch.LongTensor{3, 1}, 7)   --> {7, 0, 7}
---@param y torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param value number
---@return torch.Tensor
function torch.indexFill(y, dim, index, value) end

--- Gradient of `index`: the slices of g added at the places that were picked, 0 elsewhere.
---
---     torch.index_grad(torch.Tensor(3), 1, torch.LongTensor{1, 1}, torch.Tensor{5, 6})   --> {11, 0, 0}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.index_grad(x, dim, index, g) end

--- The seed that the generator was given last.
---
---     torch.manualSeed(7); torch.initialSeed()   --> 7
---@param ... any
---@return any
---@return any ...
function torch.initialSeed(...) end

--- The inverse of a square matrix.
---
---     torch.inverse(torch.Tensor{{2, 0}, {0, 4}})   --> {{0.5, 0}, {0, 0.25}}
---@overload fun(y: torch.Tensor, a: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@return torch.Tensor
function torch.inverse(a) end

--- The inverse of rfft: n real numbers from the first half of their spectrum. n is 2 (m - 1) by default, with the size m of x along dim.
---
---     torch.irfft(torch.Tensor{{10, 0}, {-2, 2}, {-2, 0}})   --> {1, 2, 3, 4}
---@overload fun(y: torch.Tensor, x: torch.Tensor, n?: number, dim?: number, norm?: string): torch.Tensor
---@param x torch.Tensor
---@param n? number default -1
---@param dim? number default -1
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.irfft(x, n, dim, norm) end

--- The inverse of rfft2.
---
---     torch.irfft2(torch.rfft2(torch.Tensor{{1, 2}, {3, 4}}))   --> {{1, 2}, {3, 4}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param x torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.irfft2(x, s, dim, norm) end

--- The inverse of rfftn.
---
---     torch.irfftn(torch.rfftn(torch.Tensor{{1, 2}, {3, 4}}))   --> {{1, 2}, {3, 4}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param x torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.irfftn(x, s, dim, norm) end

--- Whether the elements lie one after the other in memory, row by row.
---
---     torch.Tensor(2, 3):t():isContiguous()   --> false
---@param x any
---@return boolean
function torch.isContiguous(x) end

--- Whether both have the same sizes; their types may differ.
---
---     torch.Tensor(2, 3):isSameSizeAs(torch.IntTensor(3, 2))   --> false
---@param x any
---@param other any
---@return boolean
function torch.isSameSizeAs(x, other) end

--- Whether x and other are the same view of the same storage.
---
---     x = torch.Tensor(2); x:isSetTo(torch.Tensor(2))   --> false
---@param other any
---@return boolean
function torch.isSetTo(other) end

--- Whether the sizes are those of a LongStorage.
---
---     torch.Tensor(2, 3):isSize(torch.LongStorage{2, 3})   --> true
---@param sizes any
---@return boolean
function torch.isSize(sizes) end

--- Whether x is a tensor, or a storage, of any type.
---
---     torch.isTensor(torch.Tensor())   --> true
---@param x any
---@return boolean
function torch.isStorage(x) end

--- Whether x is a tensor, or a storage, of any type.
---
---     torch.isTensor(torch.Tensor())   --> true
---@param x any
---@return boolean
function torch.isTensor(x) end

--- Whether x is an object of the class `spec`, or of one derived from it.
---
---     torch.isTypeOf(torch.FloatTensor(), 'torch.FloatTensor'), torch.isTypeOf(torch.FloatTensor(), 'torch%..*Tensor')   --> true, true
---@param x any
---@param spec? string a name, a Lua pattern that some part of the name matches ('.*Convolution'), or the class itself. A part that is spec letter for letter does not count: 'nn.Spatial' finds no nn.SpatialConvolution
---@return boolean
function torch.isTypeOf(x, spec) end

--- Whether a Lua file (io.stdout) is a terminal.
---@param f any
---@return boolean
function torch.isatty(f) end

--- Whether two values are one and the same object.
---
---     torch.isequal(torch.Tensor{1}, torch.Tensor{1})   --> false
---@param a any
---@param b any
---@return boolean
function torch.isequal(a, b) end

--- Bytes: 1 where x is neither infinite nor NaN.
---
---     torch.isfinite(torch.Tensor{1, -1/0, 0/0})   --> {1, 0, 0}
---@param x torch.Tensor
---@return any
---@return any ...
function torch.isfinite(x) end

--- Bytes: 1 where x is infinite.
---
---     torch.isinf(torch.Tensor{1, -1/0, 0/0})   --> {0, 1, 0}
---@param x torch.Tensor
---@return any
---@return any ...
function torch.isinf(x) end

--- Bytes: 1 where x is NaN.
---
---     torch.isnan(torch.Tensor{1, 0/0})   --> {0, 1}
---@param x torch.Tensor
---@return any
---@return any ...
function torch.isnan(x) end

--- The keys of a table in a list.
---
---     torch.keys { ['layer.10'] = 1, ['layer.9'] = 2 }   --> {layer.9, layer.10}
---@param t any
---@return any
---@return any ...
function torch.keys(t) end

--- The Kronecker product of two matrices: every element of a times all of b.
---
---     torch.kron(torch.Tensor{{1, 2}}, torch.Tensor{{1, 1}, {0, 1}})   --> {{1, 1, 2, 2}, {0, 1, 0, 2}}
---@param a any
---@param b any
---@return any
---@return any ...
function torch.kron(a, b) end

--- The k-th smallest elements along dim (default: the last), and the places where a stable sort would find them.
---
---     torch.kthvalue(torch.Tensor{3, 1, 4, 2}, 3)   --> {3}, {1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, k: number, dim?: number): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, k: number, dim?: number): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param k number
---@param dim? number default -1
---@return torch.Tensor
---@return torch.Tensor
function torch.kthvalue(x, k, dim) end

--- (x - mean) / sqrt(var + eps) * weight + bias, with mean and variance of each row, the elements along the last dimension. mean and invstd, 1 / sqrt(var + eps)...
---
---     torch.layernorm(torch.Tensor{{1, 3}, {50, 10}}, 1e-5):round()   --> {{-1, 1}, {1, -1}}
---@overload fun(y: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, x: torch.Tensor, eps: number, weight?: torch.Tensor, bias?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param eps number
---@param weight? torch.Tensor default nil
---@param bias? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.layernorm(x, eps, weight, bias) end

--- The gradient of layernorm by x, with the mean and invstd it gave.
---@overload fun(x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor): torch.Tensor
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param mean torch.Tensor
---@param invstd torch.Tensor
---@return torch.Tensor
function torch.layernorm_grad(x, g, mean, invstd) end

--- layernorm_grad, and the sum of base and this gradient in the same pass: base is the gradient of another branch with the input x.
---@overload fun(x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, base: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(gx: torch.Tensor, sum: torch.Tensor, x: torch.Tensor, g: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, base: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(gx: torch.Tensor, sum: torch.Tensor, x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, base: torch.Tensor): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param mean torch.Tensor
---@param invstd torch.Tensor
---@param base torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.layernorm_grad_sum(x, g, mean, invstd, base) end

--- Adds scale times the gradients of layernorm by weight and bias to gw and gb.
---@param gw torch.Tensor
---@param gb torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param mean torch.Tensor
---@param invstd torch.Tensor
---@param scale? number default 1
---@return torch.Tensor
---@return torch.Tensor
function torch.layernorm_grad_weight(gw, gb, x, g, mean, invstd, scale) end

--- 1 where x is below or equal to value or z, else 0.
---
---     torch.le(torch.Tensor{1, 2, 3}, 2)   --> {1, 1, 0}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param value number
---@return torch.Tensor
function torch.le(x, value) end

--- x where it is above 0, else slope * x.
---
---     torch.leakyrelu(torch.Tensor{-1, 2}, 0.1)   --> {-0.1, 2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, slope?: number): torch.Tensor
---@param x torch.Tensor default y
---@param slope? number default 0.01
---@return torch.Tensor
function torch.leakyrelu(x, slope) end

--- The gradient of leakyrelu at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, slope?: number): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param slope? number default 0.01
---@return torch.Tensor
function torch.leakyrelu_grad(x, y, g, slope) end

--- x + weight * (z - x).
---
---     torch.lerp(torch.Tensor{0, 10}, torch.Tensor{1, 20}, 0.25)   --> {0.25, 12.5}
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor, weight: number): torch.Tensor
---@param x torch.Tensor default y
---@param z torch.Tensor
---@param weight number
---@return torch.Tensor
function torch.lerp(x, z, weight) end

--- n numbers evenly spaced from first to last, both included.
---
---     torch.linspace(0, 1, 5)   --> {0, 0.25, 0.5, 0.75, 1}
---@overload fun(y: torch.Tensor, first: number, last: number, n?: number): torch.Tensor
---@param first number
---@param last number
---@param n? number default 100
---@return torch.Tensor
function torch.linspace(first, last, n) end

--- Reads the object in a file.
---
---     name = os.tmpname(); torch.save(name, torch.ones(2), 'ascii'); t = torch.load(name, 'ascii'); os.remove(name); t   --> {1, 1}
---@param filename string
---@param mode? string 'binary' (default), 'ascii', or for binary files with Longs of 32 or 64 bits 'b32' or 'b64'
---@param options? table {unsafe = true} loads functions: use it for files that you trust like programs. {most = bytes} allows so many in a zip archive, unpacked (default: 3 times the file and 48 MiB)
---@return any
---@return any ...
function torch.load(filename, mode, options) end

--- Loads a library of ops: they become functions of torch and methods of tensors, with help, checks and gradients.
---@param name string a file (with a slash or ending in .so), or a name to search along package.cpath
---@return any # the names of its ops
---@return any ...
function torch.loadlib(name) end

--- Reads the object in a file.
---
---     name = os.tmpname(); torch.save(name, torch.ones(2), 'ascii'); t = torch.load(name, 'ascii'); os.remove(name); t   --> {1, 1}
---@param filename string
---@param mode? string 'binary' (default), 'ascii', or for binary files with Longs of 32 or 64 bits 'b32' or 'b64'
---@param options? table {unsafe = true} loads functions: use it for files that you trust like programs. {most = bytes} allows so many in a zip archive, unpacked (default: 3 times the file and 48 MiB)
---@return any
---@return any ...
function torch.loadobj(filename, mode, options) end

--- Natural logarithm
---
---     torch.log(torch.Tensor{1, 10})   --> {0, 2.3026}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.log(x) end

--- log(1 + x), exact near 0.
---
---     torch.log1p(torch.Tensor{0, 1e-10})   --> {0, 1e-10}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.log1p(x) end

--- Fills x with exp(z), z normal with this mean and standard deviation.
---
---     torch.manualSeed(1); torch.Tensor(2):logNormal()   --> {0.0071285, 82.591}
---@overload fun(x: torch.Tensor, gen: torch.Generator, mean?: number, std?: number): torch.Tensor
---@overload fun(generator?: any, mean?: any, std?: any): any, any
---@param x torch.Tensor
---@param mean? number default 1
---@param std? number default 2
---@return torch.Tensor
function torch.logNormal(x, mean, std) end

--- log(1 / (1 + exp(-x))), without overflow.
---
---     torch.logsigmoid(torch.Tensor{0, -100})   --> {-0.69315, -100}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.logsigmoid(x) end

--- The gradient of logsigmoid at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.logsigmoid_grad(x, y, g) end

--- The logarithm of softmax along `dim`: x - log(sum(exp(x))), without overflow.
---
---     torch.logsoftmax(torch.Tensor{0, 0}, 1)   --> {-0.69315, -0.69315}
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number): torch.Tensor
---@param x torch.Tensor
---@param dim number
---@return torch.Tensor
function torch.logsoftmax(x, dim) end

--- The gradient of logsoftmax from its result y and the gradient g of that.
---
---     torch.logsoftmax_grad(torch.Tensor{math.log(0.5), math.log(0.5)}, torch.Tensor{1, 0}, 1)   --> {0.5, -0.5}
---@overload fun(gx: torch.Tensor, y: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function torch.logsoftmax_grad(y, g, dim) end

--- n numbers from 10^first to 10^last, both included, whose logarithms are evenly spaced.
---
---     torch.logspace(0, 2, 3)   --> {1, 10, 100}
---@overload fun(y: torch.Tensor, first: number, last: number, n?: number): torch.Tensor
---@param first number
---@param last number
---@param n? number default 100
---@return torch.Tensor
function torch.logspace(first, last, n) end

--- log(sum(exp(x))) along dim, without overflow; without dim over all elements, a number.
---
---     torch.logsumexp(torch.Tensor{1000, 1000})   --> 1000.7
---@param x torch.Tensor
---@param dim? number
---@return any
---@return any ...
function torch.logsumexp(x, dim) end

--- Bits moved up by value places: x * 2^value.
---
---     torch.lshift(torch.IntTensor{1, 3}, 2)   --> {4, 12}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.lshift(x, value) end

--- Long short-term memory over sequences.
---
---     (torch.lstm(torch.zeros(2, 4), torch.LongTensor{{1}, {2}}, torch.ones(4, 1), false, torch.ones(4)))   --> {{0.36961}, {0.65054}}
---@overload fun(h: torch.Tensor, c: torch.Tensor, a: torch.Tensor, x: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, reverse: boolean, bias?: torch.Tensor, h0?: torch.Tensor, c0?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param reverse boolean
---@param bias? torch.Tensor default nil
---@param h0? torch.Tensor default nil
---@param c0? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.lstm(x, places, weight, reverse, bias, h0, c0) end

--- The gradient of lstm by x, h0 and c0, from its results. g is the gradient of all h, ghn that of the last ones. hp is the h that each row came from: weight's ...
---@overload fun(gx: torch.Tensor, hp: torch.Tensor, gh0: torch.Tensor, gc0: torch.Tensor, a: torch.Tensor, h: torch.Tensor, c: torch.Tensor, g: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, reverse: boolean, h0?: torch.Tensor, c0?: torch.Tensor, ghn?: torch.Tensor, gcn?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@param h torch.Tensor
---@param c torch.Tensor
---@param g torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param reverse boolean
---@param h0? torch.Tensor default nil
---@param c0? torch.Tensor default nil
---@param ghn? torch.Tensor default nil
---@param gcn? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.lstm_grad(a, h, c, g, places, weight, reverse, h0, c0, ghn, gcn) end

--- 1 where x is below value or z, else 0.
---
---     torch.lt(torch.Tensor{1, 2, 3}, 2)   --> {1, 0, 0}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param value number
---@return torch.Tensor
function torch.lt(x, value) end

--- Restarts the stream: torch.manualSeed([generator,] seed [, kind]).
---
---     torch.manualSeed(7); a = torch.random(100); torch.manualSeed(7); a == torch.random(100)   --> true
---@param ... any
---@return any
function torch.manualSeed(...) end

--- Gradient of `maskedSelect`: g where mask is 1, 0 elsewhere.
---
---     torch.mask_grad(torch.Tensor(3), torch.ByteTensor{1, 0, 1}, torch.Tensor{5, 6})   --> {5, 0, 6}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, mask: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param mask torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.mask_grad(x, mask, g) end

--- Puts the first elements of x, in row-major order, where mask is 1; x may hold more than are needed.
---
---     torch.Tensor{1, 2, 3}:maskedCopy(torch.ByteTensor{1, 0, 1}, torch.Tensor{8, 9})   --> {8, 2, 9}
---@param y torch.Tensor
---@param mask torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.maskedCopy(y, mask, x) end

--- Sets the elements of y where mask is 1 to value.
---
---     torch.Tensor{1, 2, 3}:maskedFill(torch.ByteTensor{0, 1, 0}, 9)   --> {1, 9, 3}
---@param y torch.Tensor
---@param mask torch.Tensor
---@param value number
---@return torch.Tensor
function torch.maskedFill(y, mask, value) end

--- The elements of x where mask is 1, in row-major order, as a vector.
---
---     torch.maskedSelect(torch.Tensor{1, 2, 3}, torch.ByteTensor{1, 0, 1})   --> {1, 3}
---@overload fun(y: torch.Tensor, x: torch.Tensor, mask: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param mask torch.Tensor
---@return torch.Tensor
function torch.maskedSelect(x, mask) end

--- The squared distances between every row of a and every row of b, times gain (1): result[i][j] is gain * sum((a[i] - b[j])^2).
---
---     torch.match(torch.Tensor{{0, 0}}, torch.Tensor{{1, 0}, {3, 4}})   --> {{1, 25}}
---@overload fun(result: any, a: any, b: any, gain?: any): any
---@param a any
---@param b any
---@param gain? any
---@return any
function torch.match(a, b, gain) end

--- The largest elements along dim and their places (a LongTensor; the first place if several are equal).
---
---     torch.max(torch.Tensor{{1, 5}, {7, 2}}, 2)   --> {{5}, {7}}, {{2}, {1}}
---     torch.max(torch.Tensor{{1, 5}, {7, 2}})   --> 7
---@overload fun(x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@return number
function torch.max(x) end

--- The largest pixel of each window of N x C x H x W or C x H x W images
---
---     torch.maxpool2d(torch.range(1, 16):view(1, 4, 4), 2, 2, 2, 2)   --> {{{6, 8}, {14, 16}}}, {{{6, 8}, {14, 16}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, ceil?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, ceil?: boolean): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param kH number
---@param kW number
---@param strideH number
---@param strideW number
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param ceil? boolean default false
---@return torch.Tensor
---@return torch.Tensor
function torch.maxpool2d(x, kH, kW, strideH, strideW, padH, padW, dilationH, dilationW, ceil) end

--- The gradient of maxpool2d: g is added where the maxima came from. x only tells the size.
---
---     y, at = torch.maxpool2d(torch.range(1, 4):view(1, 2, 2), 2, 2, 1, 1); torch.maxpool2d_grad(torch.Tensor(1, 2, 2), at, y)   --> {{{0, 0}, {0, 4}}}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.maxpool2d_grad(x, index, g) end

--- The gradient of maxima over windows: g is added where the maxima came from.
---
---     y, at = torch.fractionalmaxpool3d(torch.range(1, 8):view(1, 2, 2, 2), torch.zeros(1, 1, 3), 2, 2, 2, 1, 1, 1); torch.maxpool3d_grad(torch.Tensor(1, 2, 2, 2), at, y)   --> {{{{0, 0}, {0, 0}}, {{0, 0}, {0, 8}}}}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.maxpool3d_grad(x, index, g) end

--- Means along dim, which must not be empty.
---
---     torch.mean(torch.Tensor{{1, 2}, {3, 4}}, 1)   --> {{2, 3}}
---     torch.mean(torch.Tensor{{1, 2}, {3, 4}})   --> 2.5
---@overload fun(x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@param x torch.Tensor
---@return number
function torch.mean(x) end

--- Gradient of `mean` of everything: g / n in the size of x.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: number): torch.Tensor
---@param x torch.Tensor
---@param g number
---@return torch.Tensor
function torch.mean_all_grad(x, g) end

--- Gradient of `mean` along dim: g / n repeated along dim to the size of x.
---
---     torch.mean_grad(torch.Tensor(2, 2), torch.Tensor{{5, 6}}, 1)   --> {{2.5, 3}, {2.5, 3}}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function torch.mean_grad(x, g, dim) end

--- The medians along dim (default: the last), and their places: the lower of the two middle elements where their number is even.
---
---     torch.median(torch.Tensor{3, 1, 4, 2})   --> {2}, {4}
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param dim? number default -1
---@return torch.Tensor
---@return torch.Tensor
function torch.median(x, dim) end

--- Memory of tensors, as a table that prints nicely: `bytes` in use now, `peak`, the most so far, and the number of `storages`. `limit` is the most bytes ...
---
---     torch.memory().bytes >= 0   --> true
---@return any
---@return any ...
function torch.memory() end

--- The coordinates of a grid: for n vectors n tensors of n dimensions; tensor k repeats vector k along all other dimensions.
---
---     torch.meshgrid(torch.Tensor{1, 2}, torch.Tensor{3, 4, 5})   --> {{1, 1, 1}, {2, 2, 2}}, {{3, 4, 5}, {3, 4, 5}}
---@param ... any
---@return any
---@return any ...
function torch.meshgrid(...) end

--- Gives objects of a C struct the class `name`: its methods and operators.
---@param name any
---@param ctype any a C type, as ffi.typeof takes it
---@return any # the metatable
---@return any ...
function torch.metatype(name, ctype) end

--- The smallest elements along dim and their places (a LongTensor; the first place if several are equal).
---
---     torch.min(torch.Tensor{{1, 5}, {7, 2}}, 1)   --> {{1, 2}}, {{1, 2}}
---     torch.min(torch.Tensor{{1, 5}, {7, 2}})   --> 1
---@overload fun(x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@return number
function torch.min(x) end

--- The product of two matrices.
---
---     torch.mm(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {1, 1}})   --> {{3, 2}, {7, 4}}
---@overload fun(y: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function torch.mm(a, b) end

--- fmod under its older name.
---
---     torch.mod(torch.Tensor{5, -5}, 3)   --> {2, -2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.mod(x, value) end

--- The most frequent values along dim (default: the last), the smallest of equally frequent ones, and the first places that hold them.
---
---     torch.mode(torch.Tensor{3, 1, 3, 2})   --> {3}, {1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param dim? number default -1
---@return torch.Tensor
---@return torch.Tensor
function torch.mode(x, dim) end

--- A step of gradient descent with the momentum v: g = g + decay x, v = momentum v + (1 - dampening) g, x = x - rate v.
---
---     x = torch.Tensor{1, 2}; x:momentum_step(torch.ones(2), torch.Tensor{1, 2}, 1, 0.5); x   --> {-0.5, -0.5}
---     x = torch.Tensor{1, 2}; x:momentum_step(torch.ones(2), torch.Tensor{1, 2}, torch.Tensor{1}, 0.5); x   --> {-0.5, -0.5}
---@overload fun(x: torch.Tensor, v: torch.Tensor, g: torch.Tensor, rates: torch.Tensor, momentum: number, dampening?: number, decay?: number, nesterov?: boolean): torch.Tensor, torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param v torch.Tensor
---@param g torch.Tensor
---@param rate number
---@param momentum number
---@param dampening? number default 0
---@param decay? number default 0
---@param nesterov? boolean default false
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.momentum_step(x, v, g, rate, momentum, dampening, decay, nesterov) end

--- The mean (or without sizeAverage the sum) of (x - target)^2, as a number.
---
---     torch.mse_loss(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 2
---@param x torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return number
function torch.mse_loss(x, target, sizeAverage) end

--- The gradient of mse_loss by x.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, target: torch.Tensor, sizeAverage?: boolean): torch.Tensor
---@param x torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return torch.Tensor
function torch.mse_loss_grad(x, target, sizeAverage) end

--- x * value.
---
---     torch.mul(torch.Tensor{1, 2}, 10)   --> {10, 20}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.mul(x, value) end

--- Draws n places of p, or of every row of p, each with a chance proportional to its element.
---
---     torch.manualSeed(1); torch.multinomial(torch.Tensor{1, 0, 1}, 4, true)   --> {1, 3, 3, 3}
---@overload fun(gen: torch.Generator, p: torch.Tensor, n: number, replacement?: boolean): torch.Tensor
---@overload fun(y: torch.Tensor, p: torch.Tensor, n: number, replacement?: boolean): torch.Tensor
---@overload fun(y: torch.Tensor, gen: torch.Generator, p: torch.Tensor, n: number, replacement?: boolean): torch.Tensor
---@param p torch.Tensor
---@param n number
---@param replacement? boolean default false
---@return torch.Tensor
function torch.multinomial(p, n, replacement) end

--- Fills a LongTensor with positions drawn by the tables of multinomialAliasSetup.
---@param result? any
---@param tables? any
---@return any
---@return any ...
function torch.multinomialAlias(result, tables) end

--- The tables for drawing positions of p in constant time, { J, q }; or fills given ones.
---@param p any
---@param tables any
---@return any
---@return any ...
function torch.multinomialAliasSetup(p, tables) end

--- The product of a matrix and a vector.
---
---     torch.mv(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 1})   --> {3, 7}
---@overload fun(y: torch.Tensor, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.mv(a, x) end

--- Number of dimensions; 0 for an empty tensor and for a single number.
---
---     torch.Tensor(2, 3):dim()   --> 2
---@return any
---@return any ...
function torch.nDimension() end

--- How many elements x has.
---
---     torch.Tensor(2, 3):nElement()   --> 6
---@param x any
---@return number
function torch.nElement(x) end

--- The sum without NaNs: of all elements a number, along dim a tensor.
---
---     torch.nansum(torch.Tensor{1, 0/0, 2})   --> 3
---@param x torch.Tensor
---@param dim? number
---@return any
---@return any ...
function torch.nansum(x, dim) end

--- A view of n positions of dimension dim, from `first` on. n may be 0.
---
---     torch.range(1, 5):narrow(1, 2, 3)   --> {2, 3, 4}
---@overload fun(result: any, x: any, dim: any, first: any, n: any): torch.Tensor
---@param x any
---@param dim any
---@param first any
---@param n any
---@return torch.Tensor
function torch.narrow(x, dim, first, n) end

--- 1 where x differs from value or z, else 0.
---
---     torch.ne(torch.Tensor{1, 2, 3}, 2)   --> {1, 0, 1}
---@overload fun(x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param value number
---@return torch.Tensor
function torch.ne(x, value) end

--- -x.
---
---     torch.neg(torch.Tensor{-2, 3})   --> {2, -3}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.neg(x) end

--- Makes a class whose objects a function makes, without `__init`.
---@param name any
---@param parent? any name of the parent class (optional)
---@param constructor? any function that makes an object; pkg.Foo(...) then calls it (optional)
---@param _? any
---@param factory? any function that makes an empty object, for reading files (optional)
---@param home? table a table to store the constructor in instead of the global one (optional)
---@return any # the metatable
function torch.newmetatable(name, parent, constructor, _, factory, home) end

--- The sum of -weight[class] * x[class] over the samples, divided by the sum of the weights unless told not to. x holds log probabilities: classes, samples x ...
---
---     torch.nll_loss(torch.log(torch.Tensor{{0.5, 0.5}}), torch.LongTensor{2})   --> {0.69315}, {1}
---@overload fun(y: torch.Tensor, total: torch.Tensor, x: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, sizeAverage?: boolean, ignore?: number): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor default nil
---@param sizeAverage? boolean default true
---@param ignore? number default -100
---@return torch.Tensor
---@return torch.Tensor
function torch.nll_loss(x, target, weight, sizeAverage, ignore) end

--- The gradient of nll_loss by x, times g; total is the sum of the weights that nll_loss gave.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, target: torch.Tensor, total: torch.Tensor, g?: number, weight?: torch.Tensor, sizeAverage?: boolean, ignore?: number): torch.Tensor
---@param x torch.Tensor
---@param target torch.Tensor
---@param total torch.Tensor
---@param g? number default 1
---@param weight? torch.Tensor default nil
---@param sizeAverage? boolean default true
---@param ignore? number default -100
---@return torch.Tensor
function torch.nll_loss_grad(x, target, total, g, weight, sizeAverage, ignore) end

--- The places of the elements of x that are not 0, one a row, as a LongTensor with a column for each dimension of x.
---
---     torch.nonzero(torch.Tensor{{0, 5}, {6, 0}})   --> {{1, 2}, {2, 1}}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.nonzero(x) end

--- p-norms along dim; p = 0 counts the elements that are not 0, p = inf gives the largest absolute value.
---
---     torch.norm(torch.Tensor{{3, 4}, {6, 8}}, 2, 2)   --> {{5}, {10}}
---     torch.norm(torch.Tensor{3, 4})   --> 5
---@overload fun(x: torch.Tensor, p: number, dim: number, keepdim?: boolean): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, p: number, dim: number, keepdim?: boolean): torch.Tensor
---@param x torch.Tensor
---@param p? number default 2
---@return number
function torch.norm(x, p) end

--- Gradient of `norm` along dim, y being its result: g sign(x) (|x| / y)^(p-1). 0 where the norm is 0; for p = inf the largest elements share g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, dim: number, p: number): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param dim number
---@param p number
---@return torch.Tensor
function torch.norm_grad(x, y, g, dim, p) end

--- Fills x with normal numbers of this mean and standard deviation (Box and Muller 1958).
---
---     torch.manualSeed(1); torch.Tensor(2):normal(0, 1)   --> {-2.9718, 1.707}
---@overload fun(x: torch.Tensor, gen: torch.Generator, mean?: number, std?: number): torch.Tensor
---@overload fun(generator?: any, mean?: any, std?: any): number
---@param x torch.Tensor
---@param mean? number default 0
---@param std? number default 1
---@return torch.Tensor
function torch.normal(x, mean, std) end

--- How many elements x has.
---
---     torch.Tensor(2, 3):nElement()   --> 6
---@param x any
---@return number
function torch.numel(x) end

--- All elements 1, with the arguments of torch.zeros.
---
---     torch.ones(3, 'torch.IntTensor')   --> {1, 1, 1}
---@overload fun(result: any, ...: any): torch.Tensor
---@param ... any
---@return torch.Tensor
function torch.ones(...) end

--- The matrix Q that geqrf keeps as reflectors in m and tau: one orthonormal column for each element of tau.
---
---     q = torch.orgqr(torch.geqrf(torch.Tensor{{3, 1}, {4, 2}})); torch.round(torch.mm(q:t(), q))   --> {{1, 0}, {0, 1}}
---@overload fun(q: torch.Tensor, m: torch.Tensor, tau: torch.Tensor): torch.Tensor
---@param m torch.Tensor
---@param tau torch.Tensor
---@return torch.Tensor
function torch.orgqr(m, tau) end

--- Multiplies c by the square matrix Q that geqrf keeps in m and tau
---
---     m, tau = torch.geqrf(torch.Tensor{{0, 1}, {1, 0}}); torch.abs(torch.ormqr(m, tau, torch.Tensor{{5}, {6}}))   --> {{6}, {5}}
---@overload fun(y: torch.Tensor, m: torch.Tensor, tau: torch.Tensor, c: torch.Tensor, side?: string, trans?: string): torch.Tensor
---@param m torch.Tensor
---@param tau torch.Tensor
---@param c torch.Tensor
---@param side? string default 'L'
---@param trans? string default 'N'
---@return torch.Tensor
function torch.ormqr(m, tau, c, side, trans) end

--- The outer product of two vectors, of any one type: y[i][j] = a[i] * b[j].
---
---     torch.outer(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {{3, 4}, {6, 8}}
---@param a any
---@param b any
---@return any
---@return any ...
function torch.outer(a, b) end

--- The folder that holds the init.lua of an installed package, or nil.
---@param name string
---@return any
function torch.packageLuaPath(name) end

--- A view with the dimensions in another order; all of them must be named.
---
---     torch.Tensor(2, 3, 4):permute(3, 1, 2):size()   --> {4, 2, 3}
---@overload fun(result: any, x: any, dim1: any, ...: any): torch.Tensor
---@param x any
---@param dim1 any
---@param ... any
---@return torch.Tensor
function torch.permute(x, dim1, ...) end

--- Gradient of `max`, `min`, `median` and their like: g at the places that were picked, 0 elsewhere. dim -1 is the last.
---
---     torch.pick_grad(torch.Tensor(2, 2), 1, torch.LongTensor{{2, 1}}, torch.Tensor{{5, 6}})   --> {{0, 6}, {5, 0}}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.pick_grad(x, dim, index, g) end

--- The address of an object as a number; two values have the same one exactly when they are the same object.
---@param x any
---@return any
---@return any ...
function torch.pointer(x) end

--- A function that gives the bits of f with fewer passes over memory.
---
---     f = torch.pointwise(function(x) return torch.exp(x) + 1 end); f(torch.zeros(2))   --> {2, 2}
---@param f function a function of tensors
---@return function
function torch.pointwise(f) end

--- The largest pixel (kind 'max') or the mean ('mean') of each window, as maxpool2d and avgpool2d give them.
---
---     torch.pool2d(torch.range(1, 16):view(1, 4, 4), 'max', 2, 2, 2, 2)   --> {{{6, 8}, {14, 16}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, kind: string, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, ceil?: boolean, countPad?: boolean): torch.Tensor
---@param x torch.Tensor
---@param kind string
---@param kH number
---@param kW number
---@param strideH number
---@param strideW number
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param ceil? boolean default false
---@param countPad? boolean default true
---@return torch.Tensor
function torch.pool2d(x, kind, kH, kW, strideH, strideW, padH, padW, dilationH, dilationW, ceil, countPad) end

--- The Cholesky factor of a symmetric positive definite matrix: a = y' * y with an upper triangle y.
---
---     torch.potrf(torch.Tensor{{4, 2}, {2, 5}})   --> {{2, 1}, {0, 2}}
---@overload fun(y: torch.Tensor, a: torch.Tensor, uplo?: string): torch.Tensor
---@param a torch.Tensor
---@param uplo? string default 'U'
---@return torch.Tensor
function torch.potrf(a, uplo) end

--- The inverse of the matrix whose Cholesky factor is chol. uplo says which triangle of chol is read ('U' upper, 'L' lower).
---
---     torch.potri(torch.potrf(torch.Tensor{{4, 0}, {0, 2}}))   --> {{0.25, 0}, {0, 0.5}}
---@overload fun(y: torch.Tensor, chol: torch.Tensor, uplo?: string): torch.Tensor
---@param chol torch.Tensor
---@param uplo? string default 'U'
---@return torch.Tensor
function torch.potri(chol, uplo) end

--- Solves a * x = b where chol is the Cholesky factor of a, as potrf gives it. b holds one right side in each column (a vector is one column).
---
---     torch.potrs(torch.Tensor{{8}, {9}}, torch.potrf(torch.Tensor{{4, 2}, {2, 5}}))   --> {{1.375}, {1.25}}
---@overload fun(x: torch.Tensor, b: torch.Tensor, chol: torch.Tensor, uplo?: string): torch.Tensor
---@param b torch.Tensor
---@param chol torch.Tensor
---@param uplo? string default 'U'
---@return torch.Tensor
function torch.potrs(b, chol, uplo) end

--- x to the power of value. value to the power of x.
---
---     torch.pow(torch.Tensor{2, 3}, 2)   --> {4, 9}
---     torch.pow(2, torch.Tensor{2, 3})   --> {4, 8}
---@overload fun(value: number, x: torch.Tensor): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(y: torch.Tensor, value: number, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.pow(x, value) end

--- Products along dim.
---
---     torch.prod(torch.Tensor{{1, 2}, {3, 4}}, 2, false)   --> {2, 12}
---     torch.prod(torch.Tensor{{1, 2}, {3, 4}})   --> 24
---@overload fun(x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@param x torch.Tensor
---@return number
function torch.prod(x) end

--- Gradient of `prod` along dim: g times the product of the others, right at zeros too.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function torch.prod_grad(x, g, dim) end

--- The Cholesky factor of a symmetric positive definite matrix with rows and columns exchanged, largest pivots first. a[piv[i]][piv[j]] is element i, j of y' * ...
---
---     torch.pstrf(torch.Tensor{{1, 0}, {0, 4}})   --> {{2, 0}, {0, 1}}, {2, 1}
---@overload fun(y: torch.Tensor, a: torch.Tensor, uplo?: string, tol?: number): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, piv: torch.Tensor, a: torch.Tensor, uplo?: string, tol?: number): torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@param uplo? string default 'U'
---@param tol? number default -1
---@return torch.Tensor
---@return torch.Tensor
function torch.pstrf(a, uplo, tol) end

--- The object of this type behind the pointer of x:cdata().
---
---     x = torch.Tensor{1}; torch.pushudata(x:cdata(), 'torch.DoubleTensor')   --> {1}
---@param pointer any
---@param typename any
---@return any
function torch.pushudata(pointer, typename) end

--- The QR factors of a matrix: a = q * r with orthonormal columns in q and zeros below the diagonal of r.
---
---     q, r = torch.qr(torch.Tensor{{3, 1}, {4, 2}}); torch.abs(r)   --> {{5, 2.2}, {0, 0.4}}
---@overload fun(q: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(q: torch.Tensor, r: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.qr(a) end

--- Numbers of [0, 1), all equally likely.
---
---     torch.rand(2, 3):size()   --> {2, 3}
---@overload fun(result: any, generator: any, ...: any): torch.Tensor
---@param ... any
---@return torch.Tensor
function torch.rand(...) end

--- Numbers of the normal distribution with mean 0 and standard deviation 1.
---
---     torch.randn(2, 3):size()   --> {2, 3}
---@overload fun(result: any, generator: any, ...: any): torch.Tensor
---@param ... any
---@return torch.Tensor
function torch.randn(...) end

--- Fills x with whole numbers from 0 to what its type holds exactly, at most 2^32-1.
---
---     torch.manualSeed(1); torch.ByteTensor(3):random()   --> {37, 235, 140}
---     torch.manualSeed(1); torch.Tensor(5):random(6)   --> {2, 6, 1, 3, 2}
---@overload fun(x: torch.Tensor, gen: torch.Generator): torch.Tensor
---@overload fun(x: torch.Tensor, n: number): torch.Tensor
---@overload fun(x: torch.Tensor, gen: torch.Generator, n: number): torch.Tensor
---@overload fun(x: torch.Tensor, a: number, b: number): torch.Tensor
---@overload fun(x: torch.Tensor, gen: torch.Generator, a: number, b: number): torch.Tensor
---@overload fun(generator?: any, a?: any, b?: any): any, any
---@param x torch.Tensor
---@return torch.Tensor
function torch.random(x) end

--- The numbers 1..n in random order (Fisher and Yates).
---
---     torch.manualSeed(1); torch.randperm(5)   --> {1, 5, 3, 4, 2}
---@overload fun(gen: torch.Generator, n: number): torch.Tensor
---@overload fun(y: torch.Tensor, n: number): torch.Tensor
---@overload fun(y: torch.Tensor, gen: torch.Generator, n: number): torch.Tensor
---@param n number
---@return torch.Tensor
function torch.randperm(n) end

--- The numbers first, first + step, ... up to last, or down to it with a negative step.
---
---     torch.range(1, 7, 2)   --> {1, 3, 5, 7}
---@overload fun(y: torch.Tensor, first: number, last: number, step?: number): torch.Tensor
---@param first number
---@param last number
---@param step? number default 1
---@return torch.Tensor
function torch.range(first, last, step) end

--- x where it is above 0, else 0.
---
---     torch.relu(torch.Tensor{-1, 2})   --> {0, 2}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.relu(x) end

--- The gradient of relu at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.relu_grad(x, y, g) end

--- What is left of x divided by value, with the sign of value.
---
---     torch.remainder(torch.Tensor{5, -5}, 3)   --> {2, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.remainder(x, value) end

--- Shrinks every slice along dim whose p-norm is above maxnorm by maxnorm / (norm + 1e-7), as Torch7 does; the others are copied.
---
---     torch.renorm(torch.Tensor{{3, 4}, {0, 1}}, 2, 1, 1)   --> {{0.6, 0.8}, {0, 1}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, p: number, dim: number, maxnorm: number): torch.Tensor
---@param x torch.Tensor default y
---@param p number
---@param dim number
---@param maxnorm number
---@return torch.Tensor
function torch.renorm(x, p, dim, maxnorm) end

--- Copies of x, so many along each dimension; extra counts add dimensions in front.
---
---     torch.Tensor{1, 2}:repeatTensor(2, 2)   --> {{1, 2, 1, 2}, {1, 2, 1, 2}}
---@overload fun(result: any, x: any, ...: any): any, any
---@param x any
---@param ... any
---@return any
---@return any ...
function torch.repeatTensor(x, ...) end

--- A copy in another shape with the same number of elements.
---
---     torch.range(1, 4):reshape(2, 2)   --> {{1, 2}, {3, 4}}
---@overload fun(result: any, x: any, ...: any): any, any
---@param x any
---@param ... any
---@return any
---@return any ...
function torch.reshape(x, ...) end

--- The Fourier transform of real x along dim: the n/2 + 1 complex numbers that say all.
---
---     torch.rfft(torch.Tensor{1, 2, 3, 4})   --> {{10, 0}, {-2, 2}, {-2, 0}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, n?: number, dim?: number, norm?: string): torch.Tensor
---@param x torch.Tensor
---@param n? number default -1
---@param dim? number default -1
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.rfft(x, n, dim, norm) end

--- rfft along the second of two dimensions (default: the last two), then fft along the first.
---
---     torch.rfft2(torch.Tensor{{1, 2}, {3, 4}})   --> {{{10, 0}, {-2, 0}}, {{-4, 0}, {0, 0}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param x torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.rfft2(x, s, dim, norm) end

--- rfft along the last of several dimensions (default: all), then fft along the others.
---
---     torch.rfftn(torch.ones(4, 4, 4)):size()   --> {4, 4, 3, 2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param x torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function torch.rfftn(x, s, dim, norm) end

--- A step of RMSprop with the mean square v of the gradient g: v = alpha v + (1 - alpha) g^2, x = x - rate g / (sqrt(v) + eps).
---
---     x = torch.Tensor{1, 2}; x:rmsprop_step(torch.zeros(2), torch.Tensor{1, -2}, 1, 0, 0); x   --> {0, 3}
---     x = torch.Tensor{1, 2}; x:rmsprop_step(torch.zeros(2), torch.Tensor{1, -2}, torch.Tensor{1}, 0, 0); x   --> {0, 3}
---@overload fun(x: torch.Tensor, v: torch.Tensor, g: torch.Tensor, rates: torch.Tensor, alpha?: number, eps?: number): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param v torch.Tensor
---@param g torch.Tensor
---@param rate number
---@param alpha? number default 0.99
---@param eps? number default 1e-8
---@return torch.Tensor
---@return torch.Tensor
function torch.rmsprop_step(x, v, g, rate, alpha, eps) end

--- Plain recurrent units over sequences: h = tanh(x + weight h of the step before + bias), or relu instead of tanh.
---
---     torch.rnn(torch.Tensor{{1}, {2}}, torch.LongTensor{{1}, {2}}, torch.ones(1, 1), true, false)   --> {{1}, {3}}
---@overload fun(h: torch.Tensor, x: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, relu: boolean, reverse: boolean, bias?: torch.Tensor, h0?: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param relu boolean
---@param reverse boolean
---@param bias? torch.Tensor default nil
---@param h0? torch.Tensor default nil
---@return torch.Tensor
function torch.rnn(x, places, weight, relu, reverse, bias, h0) end

--- The gradient of rnn by x and h0, from its result. g is the gradient of all h, ghn that of the last ones. hp is the h that each row came from: weight's ...
---@overload fun(gx: torch.Tensor, hp: torch.Tensor, gh0: torch.Tensor, h: torch.Tensor, g: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, relu: boolean, reverse: boolean, h0?: torch.Tensor, ghn?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param h torch.Tensor
---@param g torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param relu boolean
---@param reverse boolean
---@param h0? torch.Tensor default nil
---@param ghn? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.rnn_grad(h, g, places, weight, relu, reverse, h0, ghn) end

--- x moved by shift places along dim; what leaves at one end comes back at the other.
---
---     torch.roll(torch.range(1, 5), 2)   --> {4, 5, 1, 2, 3}
---@overload fun(y: torch.Tensor, x: torch.Tensor, shift: number, dim?: number): torch.Tensor
---@param x torch.Tensor
---@param shift number
---@param dim? number default 1
---@return torch.Tensor
function torch.roll(x, shift, dim) end

--- The nearest whole number; halves go away from 0.
---
---     torch.round(torch.Tensor{1.5, -1.2})   --> {2, -1}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.round(x) end

--- Bits moved down by value places, zeros moving in; for floats x / 2^value.
---
---     torch.rshift(torch.IntTensor{4, 12}, 2)   --> {1, 3}
---@overload fun(y: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param x torch.Tensor default y
---@param value number
---@return torch.Tensor
function torch.rshift(x, value) end

--- 1 / sqrt(x).
---
---     torch.rsqrt(torch.Tensor{4, 16})   --> {0.5, 0.25}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.rsqrt(x) end

--- Writes an object to a file.
---
---     name = os.tmpname(); torch.save(name, {1, 2}); t = torch.load(name); os.remove(name); t   --> {1, 2}
---@param filename string
---@param object any
---@param mode? string 'binary' (default) or 'ascii'; 'deflate' packs the tensors of a .npz file
---@param referenced? boolean false: tables that occur twice are written twice (default true)
---@return any
function torch.save(filename, object, mode, referenced) end

--- Writes an object to a file.
---
---     name = os.tmpname(); torch.save(name, {1, 2}); t = torch.load(name); os.remove(name); t   --> {1, 2}
---@param filename string
---@param object any
---@param mode? string 'binary' (default) or 'ascii'; 'deflate' packs the tensors of a .npz file
---@param referenced? boolean false: tables that occur twice are written twice (default true)
---@return any
function torch.saveobj(filename, object, mode, referenced) end

--- act(x * scale + shift): x is N x C x ..., and scale and shift have a number for each of the C planes. act is 'none', 'relu' or 'clip' (to low..high).
---
---     torch.scale_planes(torch.ones(1, 2, 1), torch.Tensor{2, 3}, torch.Tensor{1, -4}, 'relu')   --> {{{3}, {0}}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor, act?: string, low?: number, high?: number): torch.Tensor
---@param x torch.Tensor
---@param scale torch.Tensor
---@param shift torch.Tensor
---@param act? string default 'none'
---@param low? number default 0
---@param high? number default 0
---@return torch.Tensor
function torch.scale_planes(x, scale, shift, act, low, high) end

--- Puts the elements of x into y, each line along dim at the places that the same line of index names.
---
---     torch.zeros(2, 2):scatter(2, torch.LongTensor{{2}, {1}}, torch.Tensor{{5}, {6}})   --> {{0, 5}, {6, 0}}
---     torch.zeros(2, 2):scatter(2, torch.LongTensor{{2}, {1}}, 7)   --> {{0, 7}, {7, 0}}
---@overload fun(y: torch.Tensor, dim: number, index: torch.Tensor, value: number): torch.Tensor
---@param y torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.scatter(y, dim, index, x) end

--- Adds the elements of x to those of y that index names, along dim as `scatter` does, in order.
---
---     torch.ones(1, 2):scatterAdd(2, torch.LongTensor{{2, 2}}, torch.Tensor{{5, 6}})   --> {{1, 12}}
---@param y torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function torch.scatterAdd(y, dim, index, x) end

--- Seeds with a random seed; returns the seed, with which manualSeed starts the same stream.
---@param ... any
---@return any
---@return any ...
function torch.seed(...) end

--- A view of one index of dimension dim, which disappears; of a vector the element itself, a number, whatever dim is.
---
---     torch.Tensor{{1, 2}, {3, 4}}:select(2, 1)   --> {1, 3}
---@overload fun(result: any, x: any, dim: any, index: any): torch.Tensor
---@param x any
---@param dim any
---@param index any
---@return torch.Tensor
function torch.select(x, dim, index) end

--- The bytes that torch.save would write, as a string.
---
---     torch.deserialize(torch.serialize{1, x = torch.ones(2)})   --> {1, x = {1, 1}}
---@param object any
---@param mode any
---@return any
function torch.serialize(object, mode) end

--- The bytes that torch.save would write, as a CharStorage.
---@param object any
---@param mode any
---@return any
---@return any ...
function torch.serializeToStorage(object, mode) end

--- Continues the stream from a state of getRNGState, of either kind: torch.setRNGState([generator,] state).
---@param ... any
---@return any
function torch.setRNGState(...) end

--- Sets the type that torch.Tensor, torch.zeros, ... make: 'torch.FloatTensor'.
---@param name any
---@return any
function torch.setdefaulttensortype(name) end

--- Attaches a table to an object, or sets a function's environment.
---@param object any
---@param env any
---@return any
function torch.setenv(object, env) end

--- Stores the flag in torch._heaptracking, where programs of Torch7 read it.
---@param enabled any
---@return any
function torch.setheaptracking(enabled) end

--- Makes a plain table an object of a class, without calling `__init`; returns the table.
---@param object any
---@param name any
---@return any
---@return any ...
function torch.setmetatable(object, name) end

--- Sets the number of threads that one operation may use.
---@param n any
---@return any
function torch.setnumthreads(n) end

--- How tensors and storages are printed: torch.setprintoptions{full = true, threshold = 1000, edgeitems = 3, precision = 4, linewidth = 80, style = 'torch7', ...
---@param options? any
---@return any # the options before
function torch.setprintoptions(options) end

--- Whether resize sets the elements that it adds to 0, which it does at the start.
---@param flag any
---@return boolean
function torch.setzerofill(flag) end

--- 1 / (1 + exp(-x)).
---
---     torch.sigmoid(torch.Tensor{0, 2})   --> {0.5, 0.8808}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.sigmoid(x) end

--- The gradient of sigmoid at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.sigmoid_grad(x, y, g) end

--- -1, 0 or 1.
---
---     torch.sign(torch.Tensor{-2, 0, 3})   --> {-1, 0, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.sign(x) end

--- Sine of x in radians.
---
---     torch.sin(torch.Tensor{0, math.pi / 2})   --> {0, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.sin(x) end

--- Hyperbolic sine.
---
---     torch.sinh(torch.Tensor{0, 1})   --> {0, 1.1752}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.sinh(x) end

--- The mean (or without sizeAverage the sum) of (x - target)^2 / 2 where that difference is below 1, |x - target| - 1/2 elsewhere, as a number.
---
---     torch.smoothl1_loss(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 0.75
---@param x torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return number
function torch.smoothl1_loss(x, target, sizeAverage) end

--- The gradient of smoothl1_loss by x.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, target: torch.Tensor, sizeAverage?: boolean): torch.Tensor
---@param x torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return torch.Tensor
function torch.smoothl1_loss_grad(x, target, sizeAverage) end

--- exp(x) divided by its sum along `dim`, without overflow.
---
---     torch.softmax(torch.Tensor{0, math.log(3)}, 1)   --> {0.25, 0.75}
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number): torch.Tensor
---@param x torch.Tensor
---@param dim number
---@return torch.Tensor
function torch.softmax(x, dim) end

--- The gradient of softmax from its result y and the gradient g of that.
---
---     torch.softmax_grad(torch.Tensor{0.5, 0.5}, torch.Tensor{1, 0}, 1)   --> {0.25, -0.25}
---@overload fun(gx: torch.Tensor, y: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function torch.softmax_grad(y, g, dim) end

--- log(1 + exp(beta x)) / beta; x itself where beta x is above limit.
---
---     torch.softplus(torch.Tensor{0, 30})   --> {0.69315, 30}
---@overload fun(y: torch.Tensor, x: torch.Tensor, beta?: number, limit?: number): torch.Tensor
---@param x torch.Tensor default y
---@param beta? number default 1
---@param limit? number default 20
---@return torch.Tensor
function torch.softplus(x, beta, limit) end

--- The gradient of softplus at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, beta?: number, limit?: number): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param beta? number default 1
---@param limit? number default 20
---@return torch.Tensor
function torch.softplus_grad(x, y, g, beta, limit) end

--- x moved towards 0 by lambda, but not across it.
---
---     torch.softshrink(torch.Tensor{-0.3, 2})   --> {0, 1.5}
---@overload fun(y: torch.Tensor, x: torch.Tensor, lambda?: number): torch.Tensor
---@param x torch.Tensor default y
---@param lambda? number default 0.5
---@return torch.Tensor
function torch.softshrink(x, lambda) end

--- The gradient of softshrink at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, lambda?: number): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param lambda? number default 0.5
---@return torch.Tensor
function torch.softshrink_grad(x, y, g, lambda) end

--- x / (1 + abs(x)).
---
---     torch.softsign(torch.Tensor{-1, 3})   --> {-0.5, 0.75}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.softsign(x) end

--- The gradient of softsign at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.softsign_grad(x, y, g) end

--- The elements in order along dim (default: the last), and the places they come from (a LongTensor).
---
---     torch.sort(torch.Tensor{3, 1, 2})   --> {1, 2, 3}, {2, 3, 1}
---     torch.sort(torch.Tensor{3, 1, 2}, true)   --> {3, 2, 1}, {1, 3, 2}
---@overload fun(x: torch.Tensor, descending: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim?: number, descending?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, descending: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim?: number, descending?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, descending: boolean): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param dim? number default -1
---@param descending? boolean default false
---@return torch.Tensor
---@return torch.Tensor
function torch.sort(x, dim, descending) end

--- Parts of `size` indices along dimension d (1), the last one maybe shorter: a table of views.
---
---     torch.range(1, 5):split(2)   --> {{1, 2}, {3, 4}, {5}}
---@param size any
---@param d any
---@return any
---@return any ...
function torch.split(size, d) end

--- Square root
---
---     torch.sqrt(torch.Tensor{4, 9})   --> {2, 3}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.sqrt(x) end

--- x * x.
---
---     torch.square(torch.Tensor{-2, 3})   --> {4, 9}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.square(x) end

--- A view without the dimensions of size 1, all or the one named; if one element is all that remains, it is a number.
---
---     torch.Tensor(1, 2, 1, 3):squeeze():size()   --> {2, 3}
---@overload fun(result: any, x: any, dim?: any): torch.Tensor
---@param x any
---@param dim? any
---@return torch.Tensor
function torch.squeeze(x, dim) end

--- Tensors of one size and type side by side along a new dimension dim (default: 1): torch.stack({a, b, ...}, dim).
---
---     torch.stack({torch.Tensor{1, 2}, torch.Tensor{3, 4}})   --> {{1, 2}, {3, 4}}
---     torch.stack({torch.Tensor{1, 2}, torch.Tensor{3, 4}}, 2)   --> {{1, 3}, {2, 4}}
---@param list any
---@param dim? number
---@return torch.Tensor
function torch.stack(list, dim) end

--- Standard deviations along dim: the roots of `var`.
---
---     torch.std(torch.Tensor{{1, 2, 3}, {0, 0, 9}}, 2, true, false)   --> {0.8165, 4.2426}
---     torch.std(torch.Tensor{1, 2, 3})   --> 1
---@overload fun(x: torch.Tensor, dim: number, biased?: boolean, keepdim?: boolean): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number, biased?: boolean, keepdim?: boolean): torch.Tensor
---@param x torch.Tensor
---@param biased? boolean default false
---@return number
function torch.std(x, biased) end

--- Gradient of `std` along dim, y being its result; 0 where the deviation is 0.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, dim: number, biased?: boolean): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param dim number
---@param biased? boolean default false
---@return torch.Tensor
function torch.std_grad(x, y, g, dim, biased) end

--- A view of ranges of the first dimensions, ends included; negative positions count from the end.
---
---     torch.range(1, 5):sub(2, -2)   --> {2, 3, 4}
---@overload fun(result: any, x: any, first1: any, last1: any, ...: any): torch.Tensor
---@param x any
---@param first1 any
---@param last1 any
---@param ... any
---@return torch.Tensor
function torch.sub(x, first1, last1, ...) end

--- Sums along dim.
---
---     torch.sum(torch.Tensor{{1, 2}, {3, 4}}, 1)   --> {{4, 6}}
---     torch.sum(torch.Tensor{{1, 2}, {3, 4}})   --> 10
---@overload fun(x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@param x torch.Tensor
---@return number
function torch.sum(x) end

--- Gradient of `sum` along dim: g repeated along dim to the size of x.
---
---     torch.sum_grad(torch.Tensor(2, 2), torch.Tensor{{5, 6}}, 1)   --> {{5, 6}, {5, 6}}
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function torch.sum_grad(x, g, dim) end

--- Singular values, in descending order, and vectors of a matrix: a = u * diag(s) * v' with orthonormal columns in u and v. size 'S' gives as many columns as ...
---
---     u, s, v = torch.svd(torch.Tensor{{3, 0}, {0, -2}}); s   --> {3, 2}
---@overload fun(u: torch.Tensor, a: torch.Tensor, size?: string): torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(u: torch.Tensor, s: torch.Tensor, a: torch.Tensor, size?: string): torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(u: torch.Tensor, s: torch.Tensor, v: torch.Tensor, a: torch.Tensor, size?: string): torch.Tensor, torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@param size? string default 'S'
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function torch.svd(a, size) end

--- x * sigmoid(x).
---
---     torch.swish(torch.Tensor{-1, 2})   --> {-0.26894, 1.7616}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.swish(x) end

--- The gradient of swish at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.swish_grad(x, y, g) end

--- Eigenvalues of a symmetric matrix, in ascending order, and with vectors 'V' its eigenvectors: column k of v belongs to e[k].
---
---     torch.symeig(torch.Tensor{{2, 1}, {1, 2}})   --> {1, 3}, {}
---@overload fun(e: torch.Tensor, a: torch.Tensor, vectors?: string, uplo?: string): torch.Tensor, torch.Tensor
---@overload fun(e: torch.Tensor, v: torch.Tensor, a: torch.Tensor, vectors?: string, uplo?: string): torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@param vectors? string default 'N'
---@param uplo? string default 'U'
---@return torch.Tensor
---@return torch.Tensor
function torch.symeig(a, vectors, uplo) end

--- A view of a matrix with rows and columns exchanged.
---
---     torch.Tensor{{1, 2}, {3, 4}}:t()   --> {{1, 3}, {2, 4}}
---@overload fun(result: any, x: any): torch.Tensor
---@param x any
---@return torch.Tensor
function torch.t(x) end

--- Tangent of x in radians.
---
---     torch.tan(torch.Tensor{0, 1})   --> {0, 1.5574}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.tan(x) end

--- Hyperbolic tangent.
---
---     torch.tanh(torch.Tensor{0, 1})   --> {0, 0.76159}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.tanh(x) end

--- The gradient of tanh at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function torch.tanh_grad(x, y, g) end

--- A tensor with the elements of a (nested) table.
---
---     torch.tensor({1, 2}, 'int'):type()   --> torch.IntTensor
---@param values any
---@param name? string 'float', 'torch.FloatTensor', ... (default: torch.Tensor's)
---@return torch.Tensor
function torch.tensor(values, name) end

--- The product of two tensors, summed over the last n dimensions of a and the first n of b (default: 2).
---
---     torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), 1):size()   --> {2, 4}
---@param a torch.Tensor
---@param b torch.Tensor
---@param n? number
---@param dims_b? any
---@return any
---@return any ...
function torch.tensordot(a, b, n, dims_b) end

--- Tests this installation: runs the examples in torch's help texts and prints a report.
---@param tests? string a name such as 'torch.cumsum' or 'Tensor:view', or a Lua pattern in it; a table of them (default: all)
---@return any # 0; raises an error when an example does not have the result in its text
---@return any ...
function torch.test(tests) end

--- x where it is above threshold, else value.
---
---     torch.threshold(torch.Tensor{0.5, 2}, 1, -7)   --> {-7, 2}
---@overload fun(y: torch.Tensor, x: torch.Tensor, threshold?: number, value?: number): torch.Tensor
---@param x torch.Tensor default y
---@param threshold? number default 0
---@param value? number default 0
---@return torch.Tensor
function torch.threshold(x, threshold, value) end

--- The gradient of threshold at x, where its result was y and the gradient of that is g.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, threshold?: number, value?: number): torch.Tensor
---@param x torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param threshold? number default 0
---@param value? number default 0
---@return torch.Tensor
function torch.threshold_grad(x, y, g, threshold, value) end

--- Seconds on a clock that never goes back; give them to torch.toc.
---
---     start = torch.tic(); torch.toc(start) < 1   --> true
---@return any
function torch.tic() end

--- Seconds since torch.tic() gave `start`.
---@param start any
---@return any
---@return any ...
function torch.toc(start) end

--- The k smallest elements along dim (default: the last), or the k largest, and their places. sorted puts them in order, ascending or, if largest, descending.
---
---     torch.topk(torch.Tensor{3, 1, 4, 2}, 2, 1, true, true)   --> {4, 3}, {3, 1}
---@overload fun(y: torch.Tensor, x: torch.Tensor, k?: number, dim?: number, largest?: boolean, sorted?: boolean): torch.Tensor, torch.Tensor
---@overload fun(y: torch.Tensor, index: torch.Tensor, x: torch.Tensor, k?: number, dim?: number, largest?: boolean, sorted?: boolean): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param k? number default 1
---@param dim? number default -1
---@param largest? boolean default false
---@param sorted? boolean default false
---@return torch.Tensor
---@return torch.Tensor
function torch.topk(x, k, dim, largest, sorted) end

--- The elements of a tensor as nested tables, those of a storage as a list.
---
---     torch.totable(torch.Tensor{{1, 2}, {3, 4}})   --> {{1, 2}, {3, 4}}
---@param x any
---@return any
---@return any ...
function torch.totable(x) end

--- The sum of the main diagonal of the matrix x, as a number.
---
---     torch.trace(torch.Tensor{{1, 2}, {3, 4}})   --> 5
---@param x torch.Tensor
---@return number
function torch.trace(x) end

--- A view with two dimensions exchanged.
---
---     torch.Tensor(2, 3, 4):transpose(1, 3):size()   --> {4, 3, 2}
---@overload fun(result: any, x: any, dim1: any, dim2: any): torch.Tensor
---@param x any
---@param dim1 any
---@param dim2 any
---@return torch.Tensor
function torch.transpose(x, dim1, dim2) end

--- The matrix x with zeros above the k-th diagonal: 0 is the main one, 1 the one above it.
---
---     torch.tril(torch.ones(2, 3))   --> {{1, 0, 0}, {1, 1, 0}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, k?: number): torch.Tensor
---@param x torch.Tensor
---@param k? number default 0
---@return torch.Tensor
function torch.tril(x, k) end

--- The matrix x with zeros below the k-th diagonal: 0 is the main one, 1 the one above it.
---
---     torch.triu(torch.ones(2, 3), 1)   --> {{0, 1, 1}, {0, 0, 1}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, k?: number): torch.Tensor
---@param x torch.Tensor
---@param k? number default 0
---@return torch.Tensor
function torch.triu(x, k) end

--- Solves a * x = b for a triangular matrix a, of which only the triangle uplo ('U' upper, 'L' lower) is read. trans 'T' solves a' * x = b; diag 'U' takes the ...
---
---     torch.trtrs(torch.Tensor{{4}, {6}}, torch.Tensor{{2, 1}, {0, 3}})   --> {{1}, {2}}, {{2, 1}, {0, 3}}
---@overload fun(x: torch.Tensor, b: torch.Tensor, a: torch.Tensor, uplo?: string, trans?: string, diag?: string): torch.Tensor, torch.Tensor
---@overload fun(x: torch.Tensor, ra: torch.Tensor, b: torch.Tensor, a: torch.Tensor, uplo?: string, trans?: string, diag?: string): torch.Tensor, torch.Tensor
---@param b torch.Tensor
---@param a torch.Tensor
---@param uplo? string default 'U'
---@param trans? string default 'N'
---@param diag? string default 'N'
---@return torch.Tensor
---@return torch.Tensor
function torch.trtrs(b, a, uplo, trans, diag) end

--- x without its fraction.
---
---     torch.trunc(torch.Tensor{1.7, -1.7})   --> {1, -1}
---@overload fun(y: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor default y
---@return torch.Tensor
function torch.trunc(x) end

--- torch.typename(x), or type(x) where x has no class.
---
---     torch.type{}, torch.type(torch.Timer())   --> table, torch.Timer
---@param x any
---@return any
---@return any ...
function torch.type(x) end

--- The name of the class of x ('torch.FloatTensor', 'nn.Linear'), or nil when x has none.
---
---     torch.typename(torch.FloatTensor())   --> torch.FloatTensor
---@param x any
---@return string?
function torch.typename(x) end

--- A view of the windows of `size` elements along dim, `step` apart, which lie in a new last dimension.
---
---     torch.range(1, 5):unfold(1, 3, 2)   --> {{1, 2, 3}, {3, 4, 5}}
---@overload fun(result: any, x: any, dim: any, size: any, step: any): torch.Tensor
---@param x any
---@param dim any
---@param size any
---@param step any
---@return torch.Tensor
function torch.unfold(x, dim, size, step) end

--- Fills x with numbers drawn evenly from [a, b).
---
---     torch.manualSeed(1); torch.Tensor(2):uniform(1, 2)   --> {1.417, 1.9972}
---@overload fun(x: torch.Tensor, gen: torch.Generator, a?: number, b?: number): torch.Tensor
---@overload fun(generator?: any, a?: any, b?: any): number
---@param x torch.Tensor
---@param a? number default 0
---@param b? number default 1
---@return torch.Tensor
function torch.uniform(x, a, b) end

--- The different values of x in ascending order, NaN last.
---
---     torch.unique(torch.Tensor{3, 1, 3})   --> {1, 3}, {2, 1, 2}, {1, 2}
---     torch.unique(torch.Tensor{{1, 2}, {0, 5}, {1, 2}}, 1)   --> {{0, 5}, {1, 2}}, {2, 1, 2}, {1, 2}
---@param x torch.Tensor
---@param dim? number
---@return any
---@return any ...
function torch.unique(x, dim) end

--- A view with a further dimension of size 1 in position dim.
---
---     torch.Tensor(2, 3):unsqueeze(2):size()   --> {2, 1, 3}
---@overload fun(result: any, x: any, dim: any): torch.Tensor
---@param x any
---@param dim any
---@return torch.Tensor
function torch.unsqueeze(x, dim) end

--- Do nothing: errors and thread variables need no setup here.
---@return any
function torch.updateerrorhandlers() end

--- Do nothing: errors and thread variables need no setup here.
---@return any
function torch.updatethreadlocals() end

--- Variances along dim: over n-1, or over n if biased.
---
---     torch.var(torch.Tensor{{1, 2, 3}, {0, 0, 9}}, 2, false, false)   --> {1, 27}
---     torch.var(torch.Tensor{1, 2, 3})   --> 1
---@overload fun(x: torch.Tensor, dim: number, biased?: boolean, keepdim?: boolean): torch.Tensor
---@overload fun(y: torch.Tensor, x: torch.Tensor, dim: number, biased?: boolean, keepdim?: boolean): torch.Tensor
---@param x torch.Tensor
---@param biased? boolean default false
---@return number
function torch.var(x, biased) end

--- Gradient of `var` along dim: 2 g (x - mean) / (n-1), or / n if biased.
---@overload fun(gx: torch.Tensor, x: torch.Tensor, g: torch.Tensor, dim: number, biased?: boolean): torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param dim number
---@param biased? boolean default false
---@return torch.Tensor
function torch.var_grad(x, g, dim, biased) end

--- The version of the class of an object, which files carry; nil when the object has no class. torch.version itself is the version of this library: it prints ...
---
---     torch.version >= '0.1', torch.version(torch.Timer())   --> true, 1
---@type any
torch.version = nil

--- The same elements in another shape, without copying; one size may be -1.
---
---     torch.range(1, 6):view(2, -1)   --> {{1, 2, 3}, {4, 5, 6}}
---@param x any
---@param ... any
---@return torch.Tensor
function torch.view(x, ...) end

--- x in the shape of another tensor, without copying.
---
---     torch.range(1, 4):viewAs(torch.zeros(2, 2))   --> {{1, 2}, {3, 4}}
---@param x any
---@param other any
---@return any
---@return any ...
function torch.viewAs(x, other) end

--- x where the ByteTensor condition is not 0, else z. with one argument the positions of nonzero elements, as nonzero gives them; x and z may be numbers.
---
---     torch.where(torch.ByteTensor{1, 0}, torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {1, 4}
---     torch.where(torch.ByteTensor{1, 0}, torch.Tensor{1, 2}, -1)   --> {1, -1}
---@overload fun(y: torch.Tensor, condition: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(condition: any): any, any
---@overload fun(condition: any, x: any, z: any): any, any
---@param condition torch.Tensor
---@param x torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function torch.where(condition, x, z) end

--- x correlated with k in two dimensions: k is not flipped. "V" (valid) keeps what needs no padding, "F" (full) all that is touched. x may have planes: then k ...
---
---     torch.xcorr2(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {0, 0}})   --> {{1}}
---@overload fun(y: torch.Tensor, x: torch.Tensor, k: torch.Tensor, type?: string): torch.Tensor
---@param x torch.Tensor
---@param k torch.Tensor
---@param type? string default 'V'
---@return torch.Tensor
function torch.xcorr2(x, k, type) end

--- x correlated with k in three dimensions: k is not flipped. "V" (valid) keeps what needs no padding, "F" (full) all that is touched. x may have planes: then ...
---
---     torch.xcorr3(torch.ones(3, 4, 5), torch.ones(2, 2, 2), 'F'):size()   --> {4, 5, 6}
---@overload fun(y: torch.Tensor, x: torch.Tensor, k: torch.Tensor, type?: string): torch.Tensor
---@param x torch.Tensor
---@param k torch.Tensor
---@param type? string default 'V'
---@return torch.Tensor
function torch.xcorr3(x, k, type) end

--- Sets every element to 0.
---
---     torch.Tensor{1, 2}:zero()   --> {0, 0}
---@param y torch.Tensor
---@return torch.Tensor
function torch.zero(y) end

--- All elements 0.
---
---     torch.zeros(2, 2)   --> {{0, 0}, {0, 0}}
---@overload fun(result: any, ...: any): torch.Tensor
---@param ... any
---@return torch.Tensor
function torch.zeros(...) end

--- Absolute value.
---
---     torch.abs(torch.Tensor{-2, 3})   --> {2, 3}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:abs() end

--- The mean (or without sizeAverage the sum) of |x - target|, as a number.
---
---     torch.abs_loss(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 1
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return number
function Tensor:abs_loss(target, sizeAverage) end

--- The gradient of abs_loss by x.
---@overload fun(self: torch.Tensor, x: torch.Tensor, target: torch.Tensor, sizeAverage?: boolean): torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return torch.Tensor
function Tensor:abs_loss_grad(target, sizeAverage) end

--- Angle whose cosine is x, in radians.
---
---     torch.acos(torch.Tensor{1, 0})   --> {0, 1.5708}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:acos() end

--- A step of Adam with the moments m and v of the gradient g. m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2, x = keep x - rate m / (sqrt(v) + eps).
---
---     x = torch.Tensor{1, 2}; x:adam_step(torch.zeros(2), torch.zeros(2), torch.Tensor{1, -1}, 1, 0, 0, 0); x   --> {0, 3}
---     x = torch.Tensor{1}; y = torch.zeros(1); x:adam_step(y, y:clone(), torch.ones(1), torch.Tensor{1, 1}, 0, 0, 0); x   --> {0}
---@overload fun(self: torch.Tensor, m: torch.Tensor, v: torch.Tensor, g: torch.Tensor, rates: torch.Tensor, beta1?: number, beta2?: number, eps?: number, denom?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param m torch.Tensor
---@param v torch.Tensor
---@param g torch.Tensor
---@param rate number
---@param beta1? number default 0.9
---@param beta2? number default 0.999
---@param eps? number default 1e-8
---@param keep? number default 1
---@param denom? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:adam_step(m, v, g, rate, beta1, beta2, eps, keep, denom) end

--- x + value * z.
---
---     torch.add(torch.Tensor{1, 2}, 10)   --> {11, 12}
---     torch.add(torch.Tensor{1, 2}, 10, torch.Tensor{3, 4})   --> {31, 42}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, value: number, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:add(value) end

--- beta * m + alpha * (a[1] * b[1] + a[2] * b[2] + ...). beta 0 does not read m.
---
---     torch.addbmm(torch.ones(1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))   --> {{7}}
---@overload fun(self: torch.Tensor, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function Tensor:addbmm(a, b) end

--- x + value * z1 / z2.
---
---     torch.addcdiv(torch.Tensor{1, 1}, 10, torch.Tensor{1, 2}, torch.Tensor{4, 4})   --> {3.5, 6}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, value: number, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@param z1 torch.Tensor
---@param z2 torch.Tensor
---@return torch.Tensor
function Tensor:addcdiv(z1, z2) end

--- x + value * z1 * z2.
---
---     torch.addcmul(torch.Tensor{1, 1}, 10, torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {31, 81}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, value: number, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number, z1: torch.Tensor, z2: torch.Tensor): torch.Tensor
---@param z1 torch.Tensor
---@param z2 torch.Tensor
---@return torch.Tensor
function Tensor:addcmul(z1, z2) end

--- beta * m + alpha * a * b of matrices. beta 0 does not read m.
---
---     torch.addmm(10, torch.ones(1, 2), torch.Tensor{{1, 2}}, torch.Tensor{{1, 0}, {1, 1}})   --> {{13, 12}}
---@overload fun(self: torch.Tensor, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function Tensor:addmm(a, b) end

--- beta * m + alpha * a * x, m and x being vectors. beta 0 does not read m.
---
---     torch.addmv(torch.Tensor{10, 20}, torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 1})   --> {13, 27}
---@overload fun(self: torch.Tensor, m: torch.Tensor, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, alpha: number, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, m: torch.Tensor, alpha: number, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, alpha: number, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function Tensor:addmv(a, x) end

--- beta * m + alpha * u * v', the outer product added to a matrix. beta 0 does not read m.
---
---     torch.addr(torch.ones(2, 2), torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {{4, 5}, {7, 9}}
---@overload fun(self: torch.Tensor, m: torch.Tensor, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, alpha: number, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, m: torch.Tensor, alpha: number, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, alpha: number, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@param u torch.Tensor
---@param v torch.Tensor
---@return torch.Tensor
function Tensor:addr(u, v) end

--- max(x + z, 0): what joins the branches of a residual block.
---
---     torch.addrelu(torch.Tensor{1, -2}, torch.Tensor{3, 1})   --> {4, 0}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:addrelu(z) end

--- true if no element of the ByteTensor x is 0; true for an empty one.
---
---     torch.all(torch.ByteTensor{1, 0})   --> false
---@return number
function Tensor:all() end

--- true if an element of the ByteTensor x is not 0; false for an empty one.
---
---     torch.any(torch.ByteTensor{1, 0})   --> true
---@return number
function Tensor:any() end

--- Angle whose sine is x, in radians.
---
---     torch.asin(torch.Tensor{0, 1})   --> {0, 1.5708}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:asin() end

--- Angle whose tangent is x, in radians.
---
---     torch.atan(torch.Tensor{0, 1})   --> {0, 0.7854}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:atan() end

--- Angle of the point (z, x), from -pi to pi.
---
---     torch.atan2(torch.Tensor{1, 1}, torch.Tensor{1, -1})   --> {0.7854, 2.3562}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:atan2(z) end

--- Attention of several heads, y = softmax(scale q k') v, without the matrix of all weights.
---
---     (torch.attention(torch.zeros(1, 1, 1, 2), torch.ones(1, 1, 2, 2), torch.Tensor{1, 2, 3, 4}:view(1, 1, 2, 2)))   --> {{{{2, 3}}}}
---@overload fun(self: torch.Tensor, lse: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor, torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
function Tensor:attention(k, v, scale, causal, padding, dropout, seed) end

--- The gradients of attention by q, k and v, from its results y and lse and the gradient g by y.
---@overload fun(self: torch.Tensor, gk: torch.Tensor, gv: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, y: torch.Tensor, lse: torch.Tensor, g: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param y torch.Tensor
---@param lse torch.Tensor
---@param g torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:attention_grad(k, v, y, lse, g, scale, causal, padding, dropout, seed) end

--- The gradient of attention by k, from its results y and lse and the gradient g by y. attention_grad gives all three.
---@overload fun(self: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, y: torch.Tensor, lse: torch.Tensor, g: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param y torch.Tensor
---@param lse torch.Tensor
---@param g torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
function Tensor:attention_grad_key(k, v, y, lse, g, scale, causal, padding, dropout, seed) end

--- The gradient of attention by q, from its results y and lse and the gradient g by y. attention_grad gives all three.
---@overload fun(self: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, y: torch.Tensor, lse: torch.Tensor, g: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param y torch.Tensor
---@param lse torch.Tensor
---@param g torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
function Tensor:attention_grad_query(k, v, y, lse, g, scale, causal, padding, dropout, seed) end

--- The gradient of attention by v, from its results y and lse and the gradient g by y. attention_grad gives all three.
---@overload fun(self: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, y: torch.Tensor, lse: torch.Tensor, g: torch.Tensor, scale?: number, causal?: boolean, padding?: torch.Tensor, dropout?: number, seed?: torch.Tensor): torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param y torch.Tensor
---@param lse torch.Tensor
---@param g torch.Tensor
---@param scale? number default 0
---@param causal? boolean default false
---@param padding? torch.Tensor default nil
---@param dropout? number default 0
---@param seed? torch.Tensor default nil
---@return torch.Tensor
function Tensor:attention_grad_value(k, v, y, lse, g, scale, causal, padding, dropout, seed) end

--- Attention with numbers that are added to the scores, y = softmax(scale q k' + mask) v. q, k, v and scale are those of attention. mask has the type of q, ...
---
---     torch.attention_masked(torch.zeros(1, 1, 1, 2), torch.ones(1, 1, 2, 2), torch.Tensor{1, 2, 3, 4}:view(1, 1, 2, 2), torch.Tensor{0, -math.huge}:view(1, 1, 1, 2))   --> {{{{1, 2}}}}
---@overload fun(self: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor, scale?: number, safe?: boolean): torch.Tensor
---@param k torch.Tensor
---@param v torch.Tensor
---@param mask torch.Tensor
---@param scale? number default 0
---@param safe? boolean default false
---@return torch.Tensor
function Tensor:attention_masked(k, v, mask, scale, safe) end

--- The mean of each window of N x C x H x W or C x H x W images; countPad counts the padding's zeros.
---
---     torch.avgpool2d(torch.range(1, 16):view(1, 4, 4), 2, 2, 2, 2)   --> {{{3.5, 5.5}, {11.5, 13.5}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, ceil?: boolean, countPad?: boolean): torch.Tensor
---@param kH number
---@param kW number
---@param strideH number
---@param strideW number
---@param padH? number default 0
---@param padW? number default 0
---@param ceil? boolean default false
---@param countPad? boolean default true
---@return torch.Tensor
function Tensor:avgpool2d(kH, kW, strideH, strideW, padH, padW, ceil, countPad) end

--- The gradient of avgpool2d; x only tells the size.
---
---     torch.avgpool2d_grad(torch.Tensor(1, 2, 2), torch.ones(1, 1, 1), 2, 2, 1, 1)   --> {{{0.25, 0.25}, {0.25, 0.25}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, ceil?: boolean, countPad?: boolean): torch.Tensor
---@param g torch.Tensor
---@param kH number
---@param kW number
---@param strideH number
---@param strideW number
---@param padH? number default 0
---@param padW? number default 0
---@param ceil? boolean default false
---@param countPad? boolean default true
---@return torch.Tensor
function Tensor:avgpool2d_grad(g, kH, kW, strideH, strideW, padH, padW, ceil, countPad) end

--- beta * m[i] + alpha * a[i] * b[i] for every matrix of a batch. beta 0 does not read m.
---
---     torch.baddbmm(torch.ones(2, 1, 1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))   --> {{{4}}, {{4}}}
---@overload fun(self: torch.Tensor, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, beta: number, m: torch.Tensor, alpha: number, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param a torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function Tensor:baddbmm(a, b) end

--- (x - mean) / sqrt(var + eps) * weight + bias for each feature, dimension 2 of x.
---
---     torch.batchnorm(torch.Tensor{{1, 10}, {3, 30}}, true):round()   --> {{-1, -1}, {1, 1}}
---@overload fun(self: torch.Tensor, weight: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, runningMean: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, runningMean: torch.Tensor, runningVar: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, runningMean: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, runningMean: torch.Tensor, runningVar: torch.Tensor, train: boolean, momentum?: number, eps?: number, relu?: boolean): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param train boolean
---@param momentum? number default 0.1
---@param eps? number default 1e-5
---@param relu? boolean default false
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:batchnorm(train, momentum, eps, relu) end

--- The gradient of batchnorm by x, with the mean and invstd it gave.
---@overload fun(self: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, train: boolean, scale?: number, y?: torch.Tensor, gy?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, gradWeight: torch.Tensor, train: boolean, scale?: number, y?: torch.Tensor, gy?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, gradWeight: torch.Tensor, gradBias: torch.Tensor, train: boolean, scale?: number, y?: torch.Tensor, gy?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, gradWeight: torch.Tensor, gradBias: torch.Tensor, train: boolean, scale?: number, y?: torch.Tensor, gy?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param g torch.Tensor
---@param mean torch.Tensor
---@param invstd torch.Tensor
---@param train boolean
---@param scale? number default 1
---@param y? torch.Tensor default nil
---@param gy? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:batchnorm_grad(g, mean, invstd, train, scale, y, gy) end

--- The mean (or without sizeAverage the sum) of the binary cross entropy -(t log(x + e) + (1 - t) log(1 - x + e)), times weight. e is 1e-12.
---
---     torch.bce_loss(torch.Tensor{0.5, 0.5}, torch.Tensor{0, 1})   --> 0.69315
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@param weight? torch.Tensor default nil
---@return number
function Tensor:bce_loss(target, sizeAverage, weight) end

--- The gradient of bce_loss by x.
---@overload fun(self: torch.Tensor, x: torch.Tensor, target: torch.Tensor, sizeAverage?: boolean, weight?: torch.Tensor): torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@param weight? torch.Tensor default nil
---@return torch.Tensor
function Tensor:bce_loss_grad(target, sizeAverage, weight) end

--- Fills x with 1, with probability p, and 0.
---
---     torch.manualSeed(1); torch.Tensor(4):bernoulli()   --> {1, 0, 0, 0}
---     torch.manualSeed(1); torch.Tensor(3):bernoulli(torch.Tensor{0, 0.5, 1})   --> {0, 0, 1}
---@overload fun(self: torch.Tensor, gen: torch.Generator, p?: number): torch.Tensor
---@overload fun(self: torch.Tensor, p: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, gen: torch.Generator, p: torch.Tensor): torch.Tensor
---@param p? number default 0.5
---@return torch.Tensor
function Tensor:bernoulli(p) end

--- Counts the elements of each row of x as histc does: a row of the result for each row of x.
---
---     torch.bhistc(torch.Tensor{{1, 2, 2, 5}}, 4, 1, 5)   --> {{1, 2, 0, 1}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, bins?: number, min?: number, max?: number): torch.Tensor
---@param bins? number default 100
---@param min? number default 0
---@param max? number default 0
---@return torch.Tensor
function Tensor:bhistc(bins, min, max) end

--- The bits that are set in x and in value.
---
---     torch.bitand(torch.IntTensor{5, 6}, 3)   --> {1, 2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:bitand(value) end

--- The bits that are set in x or in value.
---
---     torch.bitor(torch.IntTensor{5, 6}, 3)   --> {7, 7}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:bitor(value) end

--- The bits that differ between x and value.
---
---     torch.bitxor(torch.IntTensor{5, 6}, 3)   --> {6, 5}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:bitxor(value) end

--- The products of two batches of matrices: y[i] = a[i] * b[i].
---
---     torch.bmm(torch.ones(3, 2, 4), torch.ones(3, 4, 1)):size()   --> {3, 2, 1}
---@overload fun(self: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function Tensor:bmm(b) end

--- Joins the tensors of a table along dim (default: the last).
---
---     torch.cat({torch.Tensor{1, 2}, torch.Tensor{3}, torch.Tensor{4}}, 1)   --> {1, 2, 3, 4}
---     torch.cat(torch.Tensor{{1}, {2}}, torch.Tensor{{3}, {4}}, 2)   --> {{1, 3}, {2, 4}}
---@overload fun(self: torch.Tensor, b: torch.Tensor, dim?: number): torch.Tensor
---@overload fun(self: torch.Tensor, a: torch.Tensor, b: torch.Tensor, dim?: number): torch.Tensor
---@param list table
---@param dim? number default -1
---@return torch.Tensor
function Tensor:cat(list, dim) end

--- Fills x with numbers of the Cauchy distribution around median with half width sigma.
---
---     torch.manualSeed(1); torch.Tensor(2):cauchy()   --> {-0.26675, 113.07}
---@overload fun(self: torch.Tensor, gen: torch.Generator, median?: number, sigma?: number): torch.Tensor
---@param median? number default 0
---@param sigma? number default 1
---@return torch.Tensor
function Tensor:cauchy(median, sigma) end

--- The bits that are set in x and in z.
---
---     torch.cbitand(torch.IntTensor{5, 6}, torch.IntTensor{3, 4})   --> {1, 4}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:cbitand(z) end

--- The bits that are set in x or in z.
---
---     torch.cbitor(torch.IntTensor{5, 6}, torch.IntTensor{3, 4})   --> {7, 6}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:cbitor(z) end

--- The bits that differ between x and z.
---
---     torch.cbitxor(torch.IntTensor{5, 6}, torch.IntTensor{3, 4})   --> {6, 2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:cbitxor(z) end

--- x / z, element by element; whole numbers are truncated.
---
---     torch.cdiv(torch.Tensor{1, 2}, torch.Tensor{4, 8})   --> {0.25, 0.25}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:cdiv(z) end

--- The smallest whole number that is not below x.
---
---     torch.ceil(torch.Tensor{1.2, -1.7})   --> {2, -1}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:ceil() end

--- What is left of x divided by z, with the sign of x.
---
---     torch.cfmod(torch.Tensor{5, -5}, torch.Tensor{3, 3})   --> {2, -2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:cfmod(z) end

--- 1 / x.
---
---     torch.cinv(torch.Tensor{4, -2})   --> {0.25, -0.5}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:cinv() end

--- x, but not below min and not above max.
---
---     torch.clamp(torch.Tensor{-5, 0.5, 5}, -1, 1)   --> {-1, 0.5, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, min: number, max: number): torch.Tensor
---@param min number
---@param max number
---@return torch.Tensor
function Tensor:clamp(min, max) end

--- Bits of x moved up by z places: x * 2^z.
---
---     torch.clshift(torch.IntTensor{1, 3}, torch.IntTensor{2, 1})   --> {4, 6}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:clshift(z) end

--- The larger of x and value
---
---     torch.cmax(torch.Tensor{1, 3}, 2)   --> {2, 3}
---     torch.cmax(torch.Tensor{1, 3}, torch.Tensor{2, 2})   --> {2, 3}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:cmax(value) end

--- The smaller of x and value
---
---     torch.cmin(torch.Tensor{1, 3}, 2)   --> {1, 2}
---     torch.cmin(torch.Tensor{1, 3}, torch.Tensor{2, 2})   --> {1, 2}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:cmin(value) end

--- cfmod under its older name.
---
---     torch.cmod(torch.Tensor{5, -5}, torch.Tensor{3, 3})   --> {2, -2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:cmod(z) end

--- x * z, element by element.
---
---     torch.cmul(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {3, 8}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:cmul(z) end

--- a times b, element by element, both complex: a last dimension of size 2.
---
---     torch.complexMul(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {-5, 10}
---@overload fun(self: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function Tensor:complexMul(b) end

--- a times the conjugate of b, element by element, both complex: a last dimension of size 2.
---
---     torch.complexMulConj(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {11, 2}
---@overload fun(self: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function Tensor:complexMulConj(b) end

--- x convolved with k in two dimensions. "V" (valid) keeps what needs no padding, "F" (full) all that is touched. x may have planes: then k has one for each, ...
---
---     torch.conv2(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {0, 0}})   --> {{4}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, k: torch.Tensor, type?: string): torch.Tensor
---@param k torch.Tensor
---@param type? string default 'V'
---@return torch.Tensor
function Tensor:conv2(k, type) end

--- Images correlated with kernels. x is N x C x H x W or C x H x W, weight outPlanes x C/groups x kH x kW.
---
---     torch.conv2d(torch.ones(1, 3, 3), torch.ones(1, 1, 2, 2), torch.Tensor{0.5})   --> {{{4.5, 4.5}, {4.5, 4.5}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, strideH?: number, strideW?: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, groups?: number): torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor default nil
---@param strideH? number default 1
---@param strideW? number default 1
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param groups? number default 1
---@return torch.Tensor
function Tensor:conv2d(weight, bias, strideH, strideW, padH, padW, dilationH, dilationW, groups) end

--- act(conv2d(x, weight, bias, ...) + add), in one step: act is 'none', 'relu', 'clip' (to low..high) or 'gelu'.
---
---     torch.conv2d_fused(torch.Tensor{{{-1, 2}}}, torch.ones(1, 1, 1, 1), nil, 1, 1, 0, 0, 1, 1, 1, nil, 'relu')   --> {{{0, 2}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, bias?: torch.Tensor, strideH?: number, strideW?: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, groups?: number, add?: torch.Tensor, act?: string, low?: number, high?: number): torch.Tensor
---@param weight torch.Tensor
---@param bias? torch.Tensor default nil
---@param strideH? number default 1
---@param strideW? number default 1
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param groups? number default 1
---@param add? torch.Tensor default nil
---@param act? string default 'none'
---@param low? number default 0
---@param high? number default 0
---@return torch.Tensor
function Tensor:conv2d_fused(weight, bias, strideH, strideW, padH, padW, dilationH, dilationW, groups, add, act, low, high) end

--- The gradient of conv2d by its images: g is that of the result, x only tells the size.
---
---     torch.conv2d_grad_input(torch.Tensor(1, 2, 2), torch.ones(1, 1, 1), torch.ones(1, 1, 2, 2))   --> {{{1, 1}, {1, 1}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, strideH?: number, strideW?: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, groups?: number): torch.Tensor
---@param g torch.Tensor
---@param weight torch.Tensor
---@param strideH? number default 1
---@param strideW? number default 1
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param groups? number default 1
---@return torch.Tensor
function Tensor:conv2d_grad_input(g, weight, strideH, strideW, padH, padW, dilationH, dilationW, groups) end

--- Adds scale times the gradient of conv2d by its kernels to gw and, if given, by its bias to gb.
---
---     torch.conv2d_grad_weight(torch.zeros(1, 1, 1, 1), torch.range(1, 4):view(1, 2, 2), torch.ones(1, 2, 2))   --> {{{{10}}}}
---@overload fun(self: torch.Tensor, gb: torch.Tensor, x: torch.Tensor, g: torch.Tensor, scale?: number, strideH?: number, strideW?: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, groups?: number): torch.Tensor, torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param scale? number default 1
---@param strideH? number default 1
---@param strideW? number default 1
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param groups? number default 1
---@return torch.Tensor
---@return torch.Tensor
function Tensor:conv2d_grad_weight(x, g, scale, strideH, strideW, padH, padW, dilationH, dilationW, groups) end

--- x convolved with k in three dimensions. "V" (valid) keeps what needs no padding, "F" (full) all that is touched. x may have planes: then k has one for each, ...
---
---     torch.conv3(torch.ones(3, 4, 5), torch.ones(2, 2, 2)):size()   --> {2, 3, 4}
---@overload fun(self: torch.Tensor, x: torch.Tensor, k: torch.Tensor, type?: string): torch.Tensor
---@param k torch.Tensor
---@param type? string default 'V'
---@return torch.Tensor
function Tensor:conv3(k, type) end

--- Copies the elements of x, of any type and of a size with as many elements, in row-major order.
---
---     torch.IntTensor(2):copy(torch.Tensor{1.7, -1.7})   --> {1, -1}
---@param x torch.Tensor
---@return torch.Tensor
function Tensor:copy(x) end

--- Cosine of x in radians.
---
---     torch.cos(torch.Tensor{0, math.pi})   --> {1, -1}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:cos() end

--- Hyperbolic cosine.
---
---     torch.cosh(torch.Tensor{0, 1})   --> {1, 1.5431}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:cosh() end

--- x to the power of z; whole numbers wrap, and are truncated when z is below 0.
---
---     torch.cpow(torch.Tensor{2, 3}, torch.Tensor{3, 2})   --> {8, 9}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:cpow(z) end

--- What is left of x divided by z, with the sign of z.
---
---     torch.cremainder(torch.Tensor{5, -5}, torch.Tensor{3, 3})   --> {2, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:cremainder(z) end

--- Cross products of the vectors along dim, which must have size 3 (default: the first such dimension).
---
---     torch.cross(torch.Tensor{1, 0, 0}, torch.Tensor{0, 1, 0})   --> {0, 0, 1}
---@overload fun(self: torch.Tensor, a: torch.Tensor, b: torch.Tensor, dim?: number): torch.Tensor
---@param b torch.Tensor
---@param dim? number default -1
---@return torch.Tensor
function Tensor:cross(b, dim) end

--- Bits of x moved down by z places, zeros moving in; for floats x / 2^z.
---
---     torch.crshift(torch.IntTensor{4, 12}, torch.IntTensor{2, 1})   --> {1, 6}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:crshift(z) end

--- x - value * z.
---
---     torch.csub(torch.Tensor{1, 2}, 10)   --> {-9, -8}
---     torch.csub(torch.Tensor{1, 2}, torch.Tensor{3, 5})   --> {-2, -3}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, value: number, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:csub(value) end

--- Connectionist temporal classification: for each sample, -log of the probability that its steps become its labels, summed over all alignments.
---
---     (torch.ctc_loss(torch.zeros(2, 1, 3), torch.LongTensor{{1}}))   --> {1.0986}
---@overload fun(self: torch.Tensor, alpha: torch.Tensor, x: torch.Tensor, labels: torch.Tensor, blank?: number, lengths?: torch.Tensor, batchFirst?: boolean): torch.Tensor, torch.Tensor
---@param labels torch.Tensor
---@param blank? number default 1
---@param lengths? torch.Tensor default nil
---@param batchFirst? boolean default false
---@return torch.Tensor
---@return torch.Tensor
function Tensor:ctc_loss(labels, blank, lengths, batchFirst) end

--- The gradient of ctc_loss by x, that of each sample times its g; alpha is what ctc_loss gave.
---@overload fun(self: torch.Tensor, x: torch.Tensor, labels: torch.Tensor, alpha: torch.Tensor, g: torch.Tensor, blank: number, lengths?: torch.Tensor, batchFirst?: boolean): torch.Tensor
---@param labels torch.Tensor
---@param alpha torch.Tensor
---@param g torch.Tensor
---@param blank number
---@param lengths? torch.Tensor default nil
---@param batchFirst? boolean default false
---@return torch.Tensor
function Tensor:ctc_loss_grad(labels, alpha, g, blank, lengths, batchFirst) end

--- Running product along dim: y[i] = x[1] * ... * x[i]. y may be x itself.
---
---     torch.cumprod(torch.Tensor{1, 2, 3})   --> {1, 2, 6}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor
---@param dim? number default 1
---@return torch.Tensor
function Tensor:cumprod(dim) end

--- Running sum along dim: y[i] = x[1] + ... + x[i], summed in double or int64. y may be x itself.
---
---     torch.cumsum(torch.Tensor{1, 2, 3})   --> {1, 3, 6}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor
---@param dim? number default 1
---@return torch.Tensor
function Tensor:cumsum(dim) end

--- Of a vector the square matrix with x on its k-th diagonal, of a matrix its k-th diagonal. 0 is the main one, 1 the one above it.
---
---     torch.diag(torch.Tensor{1, 2})   --> {{1, 0}, {0, 2}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, k?: number): torch.Tensor
---@param k? number default 0
---@return torch.Tensor
function Tensor:diag(k) end

--- The p-norm of x - y, as a number. x and y need as many elements, not the same size. p = 0 gives what Torch7 gives: infinity, or 1 for single elements.
---
---     torch.dist(torch.Tensor{1, 2}, torch.Tensor{4, 6})   --> 5
---@param y torch.Tensor
---@param p? number default 2
---@return number
function Tensor:dist(y, p) end

--- x / value; whole numbers are truncated.
---
---     torch.div(torch.Tensor{1, 2}, 4)   --> {0.25, 0.5}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:div(value) end

--- The sum of a[i] * b[i] over all elements, in row-major order, as a number.
---
---     torch.dot(torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> 11
---@param b torch.Tensor
---@return number
function Tensor:dot(b) end

--- x times noise, which is 0 with probability p, else 1 / (1 - p), or 1 unless scaled.
---
---     torch.manualSeed(1); torch.dropout(torch.Tensor{1, 2, 3, 4})   --> {2, 0, 0, 0}, {2, 0, 0, 0}
---@overload fun(self: torch.Tensor, gen: torch.Generator, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, gen: torch.Generator, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, noise: torch.Tensor, x: torch.Tensor, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, noise: torch.Tensor, x: torch.Tensor, gen: torch.Generator, p?: number, scaled?: boolean): torch.Tensor, torch.Tensor
---@param p? number default 0.5
---@param scaled? boolean default true
---@return torch.Tensor
---@return torch.Tensor
function Tensor:dropout(p, scaled) end

--- Eigenvalues of a square matrix, and with vectors 'V' its eigenvectors of length 1.
---
---     torch.eig(torch.Tensor{{2, 0}, {0, 3}})   --> {{2, 0}, {3, 0}}, {}
---@overload fun(self: torch.Tensor, a: torch.Tensor, vectors?: string): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, v: torch.Tensor, a: torch.Tensor, vectors?: string): torch.Tensor, torch.Tensor
---@param vectors? string default 'N'
---@return torch.Tensor
---@return torch.Tensor
function Tensor:eig(vectors) end

--- x where it is above 0, else alpha (exp(x) - 1).
---
---     torch.elu(torch.Tensor{-1, 2})   --> {-0.63212, 2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, alpha?: number): torch.Tensor
---@param alpha? number default 1
---@return torch.Tensor
function Tensor:elu(alpha) end

--- The gradient of elu at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, alpha?: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param alpha? number default 1
---@return torch.Tensor
function Tensor:elu_grad(y, g, alpha) end

--- The rows of weight that the LongTensor index names, from 1; y has the sizes of index, then those of a row.
---
---     torch.embedding(torch.Tensor{{1, 2}, {3, 4}}, torch.LongTensor{2, 1, 2})   --> {{3, 4}, {1, 2}, {3, 4}}
---@overload fun(self: torch.Tensor, weight: torch.Tensor, index: torch.Tensor): torch.Tensor
---@param index torch.Tensor
---@return torch.Tensor
function Tensor:embedding(index) end

--- Adds scale times each row of g to the row of gw that index names, in order; row `padding` stays as it is.
---
---     torch.zeros(2, 1):embedding_grad(torch.LongTensor{2, 2}, torch.Tensor{{1}, {5}})   --> {{0}, {6}}
---@param index torch.Tensor
---@param g torch.Tensor
---@param scale? number default 1
---@param padding? number default 0
---@return torch.Tensor
function Tensor:embedding_grad(index, g, scale, padding) end

--- 1 where x is equal to value or z, else 0.
---
---     torch.eq(torch.Tensor{1, 2, 3}, 2)   --> {0, 1, 0}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:eq(value) end

--- true if x and z have the same size and equal elements
---
---     torch.equal(torch.Tensor{1, 2}, torch.Tensor{1, 2})   --> true
---@param z torch.Tensor
---@return number
function Tensor:equal(z) end

--- The error function.
---
---     torch.erf(torch.Tensor{0, 1})   --> {0, 0.8427}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:erf() end

--- e to the power of x.
---
---     torch.exp(torch.Tensor{0, 1})   --> {1, 2.7183}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:exp() end

--- exp(x) - 1, exact near 0.
---
---     torch.expm1(torch.Tensor{0, 1e-10})   --> {0, 1e-10}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:expm1() end

--- Fills x with exponential numbers of rate lambda; their mean is 1 / lambda.
---
---     torch.manualSeed(1); torch.Tensor(2):exponential()   --> {0.53961, 5.8727}
---@overload fun(self: torch.Tensor, gen: torch.Generator, lambda?: number): torch.Tensor
---@param lambda? number default 1
---@return torch.Tensor
function Tensor:exponential(lambda) end

--- The n x n matrix with ones on the diagonal and zeros elsewhere.
---
---     torch.eye(2)   --> {{1, 0}, {0, 1}}
---     torch.eye(2, 3)   --> {{1, 0, 0}, {0, 1, 0}}
---@overload fun(self: torch.Tensor, n: number, m: number): torch.Tensor
---@param n number
---@return torch.Tensor
function Tensor:eye(n) end

--- The discrete Fourier transform of complex x along dim, by any size.
---
---     torch.fft(torch.Tensor{{1, 0}, {2, 0}})   --> {{3, 0}, {-1, 0}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, n?: number, dim?: number, norm?: string): torch.Tensor
---@param n? number default -1
---@param dim? number default -1
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:fft(n, dim, norm) end

--- fft along two dimensions (default: the last two).
---
---     torch.fft2(torch.Tensor{{{1, 0}, {2, 0}}, {{3, 0}, {4, 0}}})   --> {{{10, 0}, {-2, 0}}, {{-4, 0}, {0, 0}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:fft2(s, dim, norm) end

--- Gradient of fft, ifft, rfft, irfft (kind 0, 1, 2, 3) with these n, dim and norm.
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, kind: number, n?: number, dim?: number, norm?: string): torch.Tensor
---@param g torch.Tensor
---@param kind number
---@param n? number default -1
---@param dim? number default -1
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:fft_grad(g, kind, n, dim, norm) end

--- fft along several dimensions (default: all).
---
---     torch.fftn(torch.ones(2, 2, 2, 2)):size()   --> {2, 2, 2, 2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:fftn(s, dim, norm) end

--- Gradient of fft2, ifft2, rfft2, irfft2 (kind 4, 5, 6, 7), fftn, ifftn, rfftn, irfftn (8, 9, 10, 11).
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, kind: number, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param g torch.Tensor
---@param kind number
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:fftn_grad(g, kind, s, dim, norm) end

--- Sets every element to value; whole-number types truncate it. y may be expanded.
---
---     torch.Tensor(2):fill(5)   --> {5, 5}
---@param value number
---@return torch.Tensor
function Tensor:fill(value) end

--- x in reverse order along dim.
---
---     torch.flip(torch.Tensor{1, 2, 3}, 1)   --> {3, 2, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number): torch.Tensor
---@param dim number
---@return torch.Tensor
function Tensor:flip(dim) end

--- The largest whole number that is not above x.
---
---     torch.floor(torch.Tensor{1.7, -1.2})   --> {1, -2}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:floor() end

--- What is left of x divided by value, with the sign of x.
---
---     torch.fmod(torch.Tensor{5, -5}, 3)   --> {2, -2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:fmod(value) end

--- x - trunc(x).
---
---     torch.frac(torch.Tensor{1.75, -1.75})   --> {0.75, -0.75}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:frac() end

--- The largest pixel of each window of kH x kW.
---
---     torch.fractionalmaxpool2d(torch.range(1, 9):view(1, 3, 3), torch.zeros(1, 1, 2), 2, 2, 2, 2)   --> {{{5, 6}, {8, 9}}}, {{{5, 6}, {8, 9}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, samples: torch.Tensor, kH: number, kW: number, outH: number, outW: number): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, samples: torch.Tensor, kH: number, kW: number, outH: number, outW: number): torch.Tensor, torch.Tensor
---@param samples torch.Tensor
---@param kH number
---@param kW number
---@param outH number
---@param outW number
---@return torch.Tensor
---@return torch.Tensor
function Tensor:fractionalmaxpool2d(samples, kH, kW, outH, outW) end

--- The largest element of each window of kD x kH x kW.
---
---     torch.fractionalmaxpool3d(torch.range(1, 8):view(1, 2, 2, 2), torch.zeros(1, 1, 3), 2, 2, 2, 1, 1, 1)   --> {{{{8}}}}, {{{{8}}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, samples: torch.Tensor, kD: number, kH: number, kW: number, outD: number, outH: number, outW: number): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, samples: torch.Tensor, kD: number, kH: number, kW: number, outD: number, outH: number, outW: number): torch.Tensor, torch.Tensor
---@param samples torch.Tensor
---@param kD number
---@param kH number
---@param kW number
---@param outD number
---@param outH number
---@param outW number
---@return torch.Tensor
---@return torch.Tensor
function Tensor:fractionalmaxpool3d(samples, kD, kH, kW, outD, outH, outW) end

--- From every line of x along dim the elements that the same line of index names; for dim 1 of a matrix, y[i][j] = x[index[i][j]][j].
---
---     torch.gather(torch.Tensor{{1, 2}, {3, 4}}, 2, torch.LongTensor{{2}, {1}})   --> {{2}, {3}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor): torch.Tensor
---@param dim number
---@param index torch.Tensor
---@return torch.Tensor
function Tensor:gather(dim, index) end

--- Gradient of `gather`, `sort` and `topk`: g added at the places that were picked, 0 elsewhere. dim -1 is the last.
---
---     torch.gather_grad(torch.Tensor(3), 1, torch.LongTensor{1, 1}, torch.Tensor{5, 6})   --> {11, 0, 0}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:gather_grad(dim, index, g) end

--- 1 where x is above or equal to value or z, else 0.
---
---     torch.ge(torch.Tensor{1, 2, 3}, 2)   --> {0, 1, 1}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:ge(value) end

--- Solves a * x = b by least squares: the x for which |a * x - b| is smallest.
---
---     (torch.gels(torch.Tensor{{1}, {2}, {4}}, torch.Tensor{{1, 0}, {1, 1}, {1, 2}}))   --> {{0.83333}, {1.5}}
---@overload fun(self: torch.Tensor, b: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, qr: torch.Tensor, b: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:gels(a) end

--- x times the normal distribution function of x.
---
---     torch.gelu(torch.Tensor{-1, 2})   --> {-0.15866, 1.9545}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:gelu() end

--- The gradient of gelu at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:gelu_grad(y, g) end

--- Fills x with how often something is tried until it fails, p being the chance to succeed: i with probability (1-p) p^(i-1).
---
---     torch.manualSeed(1); torch.Tensor(3):geometric(0.5)   --> {1, 9, 2}
---@overload fun(self: torch.Tensor, gen: torch.Generator, p: number): torch.Tensor
---@param p number
---@return torch.Tensor
function Tensor:geometric(p) end

--- The QR factors of a matrix as LAPACK keeps them.
---
---     m, tau = torch.geqrf(torch.Tensor{{3, 1}, {4, 2}}); tau:size()   --> {2}
---@overload fun(self: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, tau: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:geqrf() end

--- The outer product of two vectors: y[i][j] = u[i] * v[j].
---
---     torch.ger(torch.Tensor{1, 2}, torch.Tensor{3, 4, 5})   --> {{3, 4, 5}, {6, 8, 10}}
---@overload fun(self: torch.Tensor, u: torch.Tensor, v: torch.Tensor): torch.Tensor
---@param v torch.Tensor
---@return torch.Tensor
function Tensor:ger(v) end

--- Solves a * x = b for a square matrix a. b holds one right side in each column (a vector is one column). lu gets the factors L and U of a with its rows ...
---
---     (torch.gesv(torch.Tensor{{5}, {10}}, torch.Tensor{{2, 1}, {1, 3}}))   --> {{1}, {3}}
---@overload fun(self: torch.Tensor, b: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, lu: torch.Tensor, b: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:gesv(a) end

--- Gated recurrent units over sequences. (r z n) = x, (s y q) = weight h of the step before, and bias is added to r, z, n and q. h = (1 - w) tanh(n + sigmoid(r ...
---
---     (torch.gru(torch.ones(2, 3), torch.LongTensor{{1}, {2}}, torch.ones(3, 1), false))   --> {{0.20482}, {0.34675}}
---@overload fun(self: torch.Tensor, q: torch.Tensor, a: torch.Tensor, x: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, reverse: boolean, bias?: torch.Tensor, h0?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param reverse boolean
---@param bias? torch.Tensor default nil
---@param h0? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:gru(places, weight, reverse, bias, h0) end

--- The gradient of gru by x, q and h0, from its results. g is the gradient of all h, ghn that of the last ones. hp is the h that each row came from: weight's ...
---@overload fun(self: torch.Tensor, gq: torch.Tensor, hp: torch.Tensor, gh0: torch.Tensor, a: torch.Tensor, h: torch.Tensor, q: torch.Tensor, g: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, reverse: boolean, h0?: torch.Tensor, ghn?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param h torch.Tensor
---@param q torch.Tensor
---@param g torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param reverse boolean
---@param h0? torch.Tensor default nil
---@param ghn? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:gru_grad(h, q, g, places, weight, reverse, h0, ghn) end

--- 1 where x is above value or z, else 0.
---
---     torch.gt(torch.Tensor{1, 2, 3}, 2)   --> {0, 0, 1}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:gt(value) end

--- x, but 0 between -lambda and lambda.
---
---     torch.hardshrink(torch.Tensor{-0.3, 2})   --> {0, 2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, lambda?: number): torch.Tensor
---@param lambda? number default 0.5
---@return torch.Tensor
function Tensor:hardshrink(lambda) end

--- The gradient of hardshrink at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, lambda?: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param lambda? number default 0.5
---@return torch.Tensor
function Tensor:hardshrink_grad(y, g, lambda) end

--- x, but not below min and not above max.
---
---     torch.hardtanh(torch.Tensor{-3, 0.5, 3})   --> {-1, 0.5, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, min?: number, max?: number): torch.Tensor
---@param min? number default -1
---@param max? number default 1
---@return torch.Tensor
function Tensor:hardtanh(min, max) end

--- The gradient of hardtanh at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, min?: number, max?: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param min? number default -1
---@param max? number default 1
---@return torch.Tensor
function Tensor:hardtanh_grad(y, g, min, max) end

--- Counts the elements of x in bins of equal width from min to max, max included.
---
---     torch.histc(torch.Tensor{1, 2, 2, 5}, 4, 1, 5)   --> {1, 2, 0, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, bins?: number, min?: number, max?: number): torch.Tensor
---@param bins? number default 100
---@param min? number default 0
---@param max? number default 0
---@return torch.Tensor
function Tensor:histc(bins, min, max) end

--- The inverse of fft.
---
---     torch.ifft(torch.Tensor{{3, 0}, {-1, 0}})   --> {{1, 0}, {2, 0}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, n?: number, dim?: number, norm?: string): torch.Tensor
---@param n? number default -1
---@param dim? number default -1
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:ifft(n, dim, norm) end

--- The inverse of fft2.
---
---     torch.ifft2(torch.fft2(torch.Tensor{{{1, 0}, {2, 5}}}))   --> {{{1, 0}, {2, 5}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:ifft2(s, dim, norm) end

--- The inverse of fftn.
---
---     torch.ifftn(torch.fftn(torch.Tensor{{{1, 0}, {2, 5}}}))   --> {{{1, 0}, {2, 5}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:ifftn(s, dim, norm) end

--- Each pixel of the result is read from x where the matrix {{a, b}, {c, d}} puts its row and column around the centre.
---
---     torch.image_affine(torch.Tensor{{1, 2, 3}}, 1, 0, 0, 1, 0, 1)   --> {{1, 1, 2}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, a: number, b: number, c: number, d: number, down?: number, right?: number, mode?: string, clamp?: string, pad?: number): torch.Tensor
---@param a number
---@param b number
---@param c number
---@param d number
---@param down? number default 0
---@param right? number default 0
---@param mode? string default 'bilinear'
---@param clamp? string default 'clamp'
---@param pad? number default 0
---@return torch.Tensor
function Tensor:image_affine(a, b, c, d, down, right, mode, clamp, pad) end

--- A batch of height x width pixels from each of the pictures in a table, which have 1 or 3 planes and any sides.
---
---     plan = torch.Tensor{{0, 1, 1, 2, 1, 1}}; torch.image_augment({torch.ByteTensor{{{1, 2, 3}}}}, plan, 1, 2):view(2)   --> {6, 4}
---@param list table
---@param plan torch.Tensor
---@param height number
---@param width number
---@param mean? torch.Tensor default nil
---@param std? torch.Tensor default nil
---@param float? boolean default false
---@return torch.Tensor
function Tensor:image_augment(list, plan, height, width, mean, std, float) end

--- Pictures of 3 planes x rows x columns in another colour space. change is rgb2hsl, rgb2hsv, rgb2nrgb, rgb2yuv or rgb2lab, or one of the first two, yuv or lab ...
---
---     torch.image_color(torch.Tensor{1, 0, 0}:view(3, 1, 1), 'rgb2hsv'):view(3)   --> {0, 1, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, change: string): torch.Tensor
---@param change string
---@return torch.Tensor
function Tensor:image_color(change) end

--- The brightness of pictures whose first 3 planes are red, green and blue: 0.299 r + 0.587 g + 0.114 b, one plane.
---
---     torch.image_luma(torch.Tensor{1, 0, 0}:view(3, 1, 1)):view(1)   --> {0.299}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:image_luma() end

--- Pictures in polar coordinates: rows are angles, columns distances from the centre, or their logarithms. valid: up to the nearest edge. full: up to the ...
---
---     torch.image_polar(torch.ones(3, 3), 2, 2)   --> {{1, 1}, {1, 1}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, height: number, width: number, mode?: string, area?: string, log?: boolean): torch.Tensor
---@param height number
---@param width number
---@param mode? string default 'simple'
---@param area? string default 'valid'
---@param log? boolean default false
---@return torch.Tensor
function Tensor:image_polar(height, width, mode, area, log) end

--- Pictures turned counterclockwise around their centre by an angle in radians.
---
---     torch.image_rotate(torch.Tensor{{1, 2}, {3, 4}}, math.pi)   --> {{4, 3}, {2, 1}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, angle: number, mode?: string): torch.Tensor
---@param angle number
---@param mode? string default 'simple'
---@return torch.Tensor
function Tensor:image_rotate(angle, mode) end

--- Pictures of height x width. bilinear: lines between pixels where a side grows, the mean of the pixels that a new one covers where it shrinks. bicubic
---
---     torch.image_scale(torch.Tensor{{0, 2}, {4, 6}}, 3, 3)   --> {{0, 1, 2}, {2, 3, 4}, {4, 5, 6}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, height: number, width: number, mode?: string): torch.Tensor
---@param height number
---@param width number
---@param mode? string default 'bilinear'
---@return torch.Tensor
function Tensor:image_scale(height, width, mode) end

--- Each pixel of the result is read from x at the position that field[1] (row) and field[2] (column) give.
---
---     torch.image_warp(torch.Tensor{{1, 2, 3}}, torch.Tensor{{{0, 0}}, {{1.5, 0}}}, 'bilinear', false)   --> {{2.5, 1}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, field: torch.Tensor, mode?: string, offset?: boolean, clamp?: string, pad?: number): torch.Tensor
---@param field torch.Tensor
---@param mode? string default 'bilinear'
---@param offset? boolean default true
---@param clamp? string default 'clamp'
---@param pad? number default 0
---@return torch.Tensor
function Tensor:image_warp(field, mode, offset, clamp, pad) end

--- The slices of x along dim that index names, in its order. index is a LongTensor vector.
---
---     torch.index(torch.Tensor{{1, 2}, {3, 4}}, 1, torch.LongTensor{2, 2})   --> {{3, 4}, {3, 4}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor): torch.Tensor
---@param dim number
---@param index torch.Tensor
---@return torch.Tensor
function Tensor:index(dim, index) end

--- Adds the slices of x along dim to the slices of y that index names; a place named twice gets both.
---
---     torch.ones(3):indexAdd(1, torch.LongTensor{3, 3}, torch.Tensor{5, 6})   --> {1, 1, 12}
---@param dim number
---@param index torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function Tensor:indexAdd(dim, index, x) end

--- Copies the slices of x along dim to the places of y that index names.
---
---     torch.zeros(3):indexCopy(1, torch.LongTensor{3, 1}, torch.Tensor{5, 6})   --> {6, 0, 5}
---@param dim number
---@param index torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function Tensor:indexCopy(dim, index, x) end

--- Sets the slices of y along dim that index names to value.
---
---     torch.zeros(3):indexFill(1, torch.LongTensor{3, 1}, 7)   --> {7, 0, 7}
---@param dim number
---@param index torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:indexFill(dim, index, value) end

--- Gradient of `index`: the slices of g added at the places that were picked, 0 elsewhere.
---
---     torch.index_grad(torch.Tensor(3), 1, torch.LongTensor{1, 1}, torch.Tensor{5, 6})   --> {11, 0, 0}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:index_grad(dim, index, g) end

--- The inverse of a square matrix.
---
---     torch.inverse(torch.Tensor{{2, 0}, {0, 4}})   --> {{0.5, 0}, {0, 0.25}}
---@overload fun(self: torch.Tensor, a: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:inverse() end

--- The inverse of rfft: n real numbers from the first half of their spectrum. n is 2 (m - 1) by default, with the size m of x along dim.
---
---     torch.irfft(torch.Tensor{{10, 0}, {-2, 2}, {-2, 0}})   --> {1, 2, 3, 4}
---@overload fun(self: torch.Tensor, x: torch.Tensor, n?: number, dim?: number, norm?: string): torch.Tensor
---@param n? number default -1
---@param dim? number default -1
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:irfft(n, dim, norm) end

--- The inverse of rfft2.
---
---     torch.irfft2(torch.rfft2(torch.Tensor{{1, 2}, {3, 4}}))   --> {{1, 2}, {3, 4}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:irfft2(s, dim, norm) end

--- The inverse of rfftn.
---
---     torch.irfftn(torch.rfftn(torch.Tensor{{1, 2}, {3, 4}}))   --> {{1, 2}, {3, 4}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:irfftn(s, dim, norm) end

--- The k-th smallest elements along dim (default: the last), and the places where a stable sort would find them.
---
---     torch.kthvalue(torch.Tensor{3, 1, 4, 2}, 3)   --> {3}, {1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, k: number, dim?: number): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, k: number, dim?: number): torch.Tensor, torch.Tensor
---@param k number
---@param dim? number default -1
---@return torch.Tensor
---@return torch.Tensor
function Tensor:kthvalue(k, dim) end

--- (x - mean) / sqrt(var + eps) * weight + bias, with mean and variance of each row, the elements along the last dimension. mean and invstd, 1 / sqrt(var + eps)...
---
---     torch.layernorm(torch.Tensor{{1, 3}, {50, 10}}, 1e-5):round()   --> {{-1, 1}, {1, -1}}
---@overload fun(self: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, x: torch.Tensor, eps: number, weight?: torch.Tensor, bias?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param eps number
---@param weight? torch.Tensor default nil
---@param bias? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:layernorm(eps, weight, bias) end

--- The gradient of layernorm by x, with the mean and invstd it gave.
---@overload fun(self: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor): torch.Tensor
---@param g torch.Tensor
---@param mean torch.Tensor
---@param invstd torch.Tensor
---@return torch.Tensor
function Tensor:layernorm_grad(g, mean, invstd) end

--- layernorm_grad, and the sum of base and this gradient in the same pass: base is the gradient of another branch with the input x.
---@overload fun(self: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, base: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, sum: torch.Tensor, x: torch.Tensor, g: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, base: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, sum: torch.Tensor, x: torch.Tensor, g: torch.Tensor, weight: torch.Tensor, mean: torch.Tensor, invstd: torch.Tensor, base: torch.Tensor): torch.Tensor, torch.Tensor
---@param g torch.Tensor
---@param mean torch.Tensor
---@param invstd torch.Tensor
---@param base torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:layernorm_grad_sum(g, mean, invstd, base) end

--- Adds scale times the gradients of layernorm by weight and bias to gw and gb.
---@param gb torch.Tensor
---@param x torch.Tensor
---@param g torch.Tensor
---@param mean torch.Tensor
---@param invstd torch.Tensor
---@param scale? number default 1
---@return torch.Tensor
---@return torch.Tensor
function Tensor:layernorm_grad_weight(gb, x, g, mean, invstd, scale) end

--- 1 where x is below or equal to value or z, else 0.
---
---     torch.le(torch.Tensor{1, 2, 3}, 2)   --> {1, 1, 0}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:le(value) end

--- x where it is above 0, else slope * x.
---
---     torch.leakyrelu(torch.Tensor{-1, 2}, 0.1)   --> {-0.1, 2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, slope?: number): torch.Tensor
---@param slope? number default 0.01
---@return torch.Tensor
function Tensor:leakyrelu(slope) end

--- The gradient of leakyrelu at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, slope?: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param slope? number default 0.01
---@return torch.Tensor
function Tensor:leakyrelu_grad(y, g, slope) end

--- x + weight * (z - x).
---
---     torch.lerp(torch.Tensor{0, 10}, torch.Tensor{1, 20}, 0.25)   --> {0.25, 12.5}
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor, weight: number): torch.Tensor
---@param z torch.Tensor
---@param weight number
---@return torch.Tensor
function Tensor:lerp(z, weight) end

--- n numbers evenly spaced from first to last, both included.
---
---     torch.linspace(0, 1, 5)   --> {0, 0.25, 0.5, 0.75, 1}
---@param first number
---@param last number
---@param n? number default 100
---@return torch.Tensor
function Tensor:linspace(first, last, n) end

--- Natural logarithm
---
---     torch.log(torch.Tensor{1, 10})   --> {0, 2.3026}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:log() end

--- log(1 + x), exact near 0.
---
---     torch.log1p(torch.Tensor{0, 1e-10})   --> {0, 1e-10}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:log1p() end

--- Fills x with exp(z), z normal with this mean and standard deviation.
---
---     torch.manualSeed(1); torch.Tensor(2):logNormal()   --> {0.0071285, 82.591}
---@overload fun(self: torch.Tensor, gen: torch.Generator, mean?: number, std?: number): torch.Tensor
---@param mean? number default 1
---@param std? number default 2
---@return torch.Tensor
function Tensor:logNormal(mean, std) end

--- log(1 / (1 + exp(-x))), without overflow.
---
---     torch.logsigmoid(torch.Tensor{0, -100})   --> {-0.69315, -100}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:logsigmoid() end

--- The gradient of logsigmoid at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:logsigmoid_grad(y, g) end

--- The logarithm of softmax along `dim`: x - log(sum(exp(x))), without overflow.
---
---     torch.logsoftmax(torch.Tensor{0, 0}, 1)   --> {-0.69315, -0.69315}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number): torch.Tensor
---@param dim number
---@return torch.Tensor
function Tensor:logsoftmax(dim) end

--- The gradient of logsoftmax from its result y and the gradient g of that.
---
---     torch.logsoftmax_grad(torch.Tensor{math.log(0.5), math.log(0.5)}, torch.Tensor{1, 0}, 1)   --> {0.5, -0.5}
---@overload fun(self: torch.Tensor, y: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function Tensor:logsoftmax_grad(g, dim) end

--- n numbers from 10^first to 10^last, both included, whose logarithms are evenly spaced.
---
---     torch.logspace(0, 2, 3)   --> {1, 10, 100}
---@param first number
---@param last number
---@param n? number default 100
---@return torch.Tensor
function Tensor:logspace(first, last, n) end

--- Bits moved up by value places: x * 2^value.
---
---     torch.lshift(torch.IntTensor{1, 3}, 2)   --> {4, 12}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:lshift(value) end

--- Long short-term memory over sequences.
---
---     (torch.lstm(torch.zeros(2, 4), torch.LongTensor{{1}, {2}}, torch.ones(4, 1), false, torch.ones(4)))   --> {{0.36961}, {0.65054}}
---@overload fun(self: torch.Tensor, c: torch.Tensor, a: torch.Tensor, x: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, reverse: boolean, bias?: torch.Tensor, h0?: torch.Tensor, c0?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param reverse boolean
---@param bias? torch.Tensor default nil
---@param h0? torch.Tensor default nil
---@param c0? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:lstm(places, weight, reverse, bias, h0, c0) end

--- The gradient of lstm by x, h0 and c0, from its results. g is the gradient of all h, ghn that of the last ones. hp is the h that each row came from: weight's ...
---@overload fun(self: torch.Tensor, hp: torch.Tensor, gh0: torch.Tensor, gc0: torch.Tensor, a: torch.Tensor, h: torch.Tensor, c: torch.Tensor, g: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, reverse: boolean, h0?: torch.Tensor, c0?: torch.Tensor, ghn?: torch.Tensor, gcn?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor
---@param h torch.Tensor
---@param c torch.Tensor
---@param g torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param reverse boolean
---@param h0? torch.Tensor default nil
---@param c0? torch.Tensor default nil
---@param ghn? torch.Tensor default nil
---@param gcn? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:lstm_grad(h, c, g, places, weight, reverse, h0, c0, ghn, gcn) end

--- 1 where x is below value or z, else 0.
---
---     torch.lt(torch.Tensor{1, 2, 3}, 2)   --> {1, 0, 0}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:lt(value) end

--- Gradient of `maskedSelect`: g where mask is 1, 0 elsewhere.
---
---     torch.mask_grad(torch.Tensor(3), torch.ByteTensor{1, 0, 1}, torch.Tensor{5, 6})   --> {5, 0, 6}
---@overload fun(self: torch.Tensor, x: torch.Tensor, mask: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param mask torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:mask_grad(mask, g) end

--- Puts the first elements of x, in row-major order, where mask is 1; x may hold more than are needed.
---
---     torch.Tensor{1, 2, 3}:maskedCopy(torch.ByteTensor{1, 0, 1}, torch.Tensor{8, 9})   --> {8, 2, 9}
---@param mask torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function Tensor:maskedCopy(mask, x) end

--- Sets the elements of y where mask is 1 to value.
---
---     torch.Tensor{1, 2, 3}:maskedFill(torch.ByteTensor{0, 1, 0}, 9)   --> {1, 9, 3}
---@param mask torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:maskedFill(mask, value) end

--- The elements of x where mask is 1, in row-major order, as a vector.
---
---     torch.maskedSelect(torch.Tensor{1, 2, 3}, torch.ByteTensor{1, 0, 1})   --> {1, 3}
---@overload fun(self: torch.Tensor, x: torch.Tensor, mask: torch.Tensor): torch.Tensor
---@param mask torch.Tensor
---@return torch.Tensor
function Tensor:maskedSelect(mask) end

--- The largest elements along dim and their places (a LongTensor; the first place if several are equal).
---
---     torch.max(torch.Tensor{{1, 5}, {7, 2}}, 2)   --> {{5}, {7}}, {{2}, {1}}
---     torch.max(torch.Tensor{{1, 5}, {7, 2}})   --> 7
---@overload fun(self: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@return number
function Tensor:max() end

--- The largest pixel of each window of N x C x H x W or C x H x W images
---
---     torch.maxpool2d(torch.range(1, 16):view(1, 4, 4), 2, 2, 2, 2)   --> {{{6, 8}, {14, 16}}}, {{{6, 8}, {14, 16}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, ceil?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, ceil?: boolean): torch.Tensor, torch.Tensor
---@param kH number
---@param kW number
---@param strideH number
---@param strideW number
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param ceil? boolean default false
---@return torch.Tensor
---@return torch.Tensor
function Tensor:maxpool2d(kH, kW, strideH, strideW, padH, padW, dilationH, dilationW, ceil) end

--- The gradient of maxpool2d: g is added where the maxima came from. x only tells the size.
---
---     y, at = torch.maxpool2d(torch.range(1, 4):view(1, 2, 2), 2, 2, 1, 1); torch.maxpool2d_grad(torch.Tensor(1, 2, 2), at, y)   --> {{{0, 0}, {0, 4}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:maxpool2d_grad(index, g) end

--- The gradient of maxima over windows: g is added where the maxima came from.
---
---     y, at = torch.fractionalmaxpool3d(torch.range(1, 8):view(1, 2, 2, 2), torch.zeros(1, 1, 3), 2, 2, 2, 1, 1, 1); torch.maxpool3d_grad(torch.Tensor(1, 2, 2, 2), at, y)   --> {{{{0, 0}, {0, 0}}, {{0, 0}, {0, 8}}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:maxpool3d_grad(index, g) end

--- Means along dim, which must not be empty.
---
---     torch.mean(torch.Tensor{{1, 2}, {3, 4}}, 1)   --> {{2, 3}}
---     torch.mean(torch.Tensor{{1, 2}, {3, 4}})   --> 2.5
---@overload fun(self: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@return number
function Tensor:mean() end

--- Gradient of `mean` of everything: g / n in the size of x.
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: number): torch.Tensor
---@param g number
---@return torch.Tensor
function Tensor:mean_all_grad(g) end

--- Gradient of `mean` along dim: g / n repeated along dim to the size of x.
---
---     torch.mean_grad(torch.Tensor(2, 2), torch.Tensor{{5, 6}}, 1)   --> {{2.5, 3}, {2.5, 3}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function Tensor:mean_grad(g, dim) end

--- The medians along dim (default: the last), and their places: the lower of the two middle elements where their number is even.
---
---     torch.median(torch.Tensor{3, 1, 4, 2})   --> {2}, {4}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor, torch.Tensor
---@param dim? number default -1
---@return torch.Tensor
---@return torch.Tensor
function Tensor:median(dim) end

--- The smallest elements along dim and their places (a LongTensor; the first place if several are equal).
---
---     torch.min(torch.Tensor{{1, 5}, {7, 2}}, 1)   --> {{1, 2}}, {{1, 2}}
---     torch.min(torch.Tensor{{1, 5}, {7, 2}})   --> 1
---@overload fun(self: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor, torch.Tensor
---@return number
function Tensor:min() end

--- The product of two matrices.
---
---     torch.mm(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {1, 1}})   --> {{3, 2}, {7, 4}}
---@overload fun(self: torch.Tensor, a: torch.Tensor, b: torch.Tensor): torch.Tensor
---@param b torch.Tensor
---@return torch.Tensor
function Tensor:mm(b) end

--- fmod under its older name.
---
---     torch.mod(torch.Tensor{5, -5}, 3)   --> {2, -2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:mod(value) end

--- The most frequent values along dim (default: the last), the smallest of equally frequent ones, and the first places that hold them.
---
---     torch.mode(torch.Tensor{3, 1, 3, 2})   --> {3}, {1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim?: number): torch.Tensor, torch.Tensor
---@param dim? number default -1
---@return torch.Tensor
---@return torch.Tensor
function Tensor:mode(dim) end

--- A step of gradient descent with the momentum v: g = g + decay x, v = momentum v + (1 - dampening) g, x = x - rate v.
---
---     x = torch.Tensor{1, 2}; x:momentum_step(torch.ones(2), torch.Tensor{1, 2}, 1, 0.5); x   --> {-0.5, -0.5}
---     x = torch.Tensor{1, 2}; x:momentum_step(torch.ones(2), torch.Tensor{1, 2}, torch.Tensor{1}, 0.5); x   --> {-0.5, -0.5}
---@overload fun(self: torch.Tensor, v: torch.Tensor, g: torch.Tensor, rates: torch.Tensor, momentum: number, dampening?: number, decay?: number, nesterov?: boolean): torch.Tensor, torch.Tensor, torch.Tensor
---@param v torch.Tensor
---@param g torch.Tensor
---@param rate number
---@param momentum number
---@param dampening? number default 0
---@param decay? number default 0
---@param nesterov? boolean default false
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:momentum_step(v, g, rate, momentum, dampening, decay, nesterov) end

--- The mean (or without sizeAverage the sum) of (x - target)^2, as a number.
---
---     torch.mse_loss(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 2
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return number
function Tensor:mse_loss(target, sizeAverage) end

--- The gradient of mse_loss by x.
---@overload fun(self: torch.Tensor, x: torch.Tensor, target: torch.Tensor, sizeAverage?: boolean): torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return torch.Tensor
function Tensor:mse_loss_grad(target, sizeAverage) end

--- x * value.
---
---     torch.mul(torch.Tensor{1, 2}, 10)   --> {10, 20}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:mul(value) end

--- Draws n places of p, or of every row of p, each with a chance proportional to its element.
---
---     torch.manualSeed(1); torch.multinomial(torch.Tensor{1, 0, 1}, 4, true)   --> {1, 3, 3, 3}
---@overload fun(self: torch.Tensor, gen: torch.Generator, p: torch.Tensor, n: number, replacement?: boolean): torch.Tensor
---@overload fun(self: torch.Tensor, p: torch.Tensor, n: number, replacement?: boolean): torch.Tensor
---@param n number
---@param replacement? boolean default false
---@return torch.Tensor
function Tensor:multinomial(n, replacement) end

--- The product of a matrix and a vector.
---
---     torch.mv(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 1})   --> {3, 7}
---@overload fun(self: torch.Tensor, a: torch.Tensor, x: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function Tensor:mv(x) end

--- 1 where x differs from value or z, else 0.
---
---     torch.ne(torch.Tensor{1, 2, 3}, 2)   --> {1, 0, 1}
---@overload fun(self: torch.Tensor, z: torch.Tensor): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:ne(value) end

--- -x.
---
---     torch.neg(torch.Tensor{-2, 3})   --> {2, -3}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:neg() end

--- The sum of -weight[class] * x[class] over the samples, divided by the sum of the weights unless told not to. x holds log probabilities: classes, samples x ...
---
---     torch.nll_loss(torch.log(torch.Tensor{{0.5, 0.5}}), torch.LongTensor{2})   --> {0.69315}, {1}
---@overload fun(self: torch.Tensor, total: torch.Tensor, x: torch.Tensor, target: torch.Tensor, weight?: torch.Tensor, sizeAverage?: boolean, ignore?: number): torch.Tensor, torch.Tensor
---@param target torch.Tensor
---@param weight? torch.Tensor default nil
---@param sizeAverage? boolean default true
---@param ignore? number default -100
---@return torch.Tensor
---@return torch.Tensor
function Tensor:nll_loss(target, weight, sizeAverage, ignore) end

--- The gradient of nll_loss by x, times g; total is the sum of the weights that nll_loss gave.
---@overload fun(self: torch.Tensor, x: torch.Tensor, target: torch.Tensor, total: torch.Tensor, g?: number, weight?: torch.Tensor, sizeAverage?: boolean, ignore?: number): torch.Tensor
---@param target torch.Tensor
---@param total torch.Tensor
---@param g? number default 1
---@param weight? torch.Tensor default nil
---@param sizeAverage? boolean default true
---@param ignore? number default -100
---@return torch.Tensor
function Tensor:nll_loss_grad(target, total, g, weight, sizeAverage, ignore) end

--- The places of the elements of x that are not 0, one a row, as a LongTensor with a column for each dimension of x.
---
---     torch.nonzero(torch.Tensor{{0, 5}, {6, 0}})   --> {{1, 2}, {2, 1}}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:nonzero() end

--- p-norms along dim; p = 0 counts the elements that are not 0, p = inf gives the largest absolute value.
---
---     torch.norm(torch.Tensor{{3, 4}, {6, 8}}, 2, 2)   --> {{5}, {10}}
---     torch.norm(torch.Tensor{3, 4})   --> 5
---@overload fun(self: torch.Tensor, p: number, dim: number, keepdim?: boolean): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, p: number, dim: number, keepdim?: boolean): torch.Tensor
---@param p? number default 2
---@return number
function Tensor:norm(p) end

--- Gradient of `norm` along dim, y being its result: g sign(x) (|x| / y)^(p-1). 0 where the norm is 0; for p = inf the largest elements share g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, dim: number, p: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param dim number
---@param p number
---@return torch.Tensor
function Tensor:norm_grad(y, g, dim, p) end

--- Fills x with normal numbers of this mean and standard deviation (Box and Muller 1958).
---
---     torch.manualSeed(1); torch.Tensor(2):normal(0, 1)   --> {-2.9718, 1.707}
---@overload fun(self: torch.Tensor, gen: torch.Generator, mean?: number, std?: number): torch.Tensor
---@param mean? number default 0
---@param std? number default 1
---@return torch.Tensor
function Tensor:normal(mean, std) end

--- The matrix Q that geqrf keeps as reflectors in m and tau: one orthonormal column for each element of tau.
---
---     q = torch.orgqr(torch.geqrf(torch.Tensor{{3, 1}, {4, 2}})); torch.round(torch.mm(q:t(), q))   --> {{1, 0}, {0, 1}}
---@overload fun(self: torch.Tensor, m: torch.Tensor, tau: torch.Tensor): torch.Tensor
---@param tau torch.Tensor
---@return torch.Tensor
function Tensor:orgqr(tau) end

--- Multiplies c by the square matrix Q that geqrf keeps in m and tau
---
---     m, tau = torch.geqrf(torch.Tensor{{0, 1}, {1, 0}}); torch.abs(torch.ormqr(m, tau, torch.Tensor{{5}, {6}}))   --> {{6}, {5}}
---@overload fun(self: torch.Tensor, m: torch.Tensor, tau: torch.Tensor, c: torch.Tensor, side?: string, trans?: string): torch.Tensor
---@param tau torch.Tensor
---@param c torch.Tensor
---@param side? string default 'L'
---@param trans? string default 'N'
---@return torch.Tensor
function Tensor:ormqr(tau, c, side, trans) end

--- Gradient of `max`, `min`, `median` and their like: g at the places that were picked, 0 elsewhere. dim -1 is the last.
---
---     torch.pick_grad(torch.Tensor(2, 2), 1, torch.LongTensor{{2, 1}}, torch.Tensor{{5, 6}})   --> {{0, 6}, {5, 0}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, index: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:pick_grad(dim, index, g) end

--- The largest pixel (kind 'max') or the mean ('mean') of each window, as maxpool2d and avgpool2d give them.
---
---     torch.pool2d(torch.range(1, 16):view(1, 4, 4), 'max', 2, 2, 2, 2)   --> {{{6, 8}, {14, 16}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, kind: string, kH: number, kW: number, strideH: number, strideW: number, padH?: number, padW?: number, dilationH?: number, dilationW?: number, ceil?: boolean, countPad?: boolean): torch.Tensor
---@param kind string
---@param kH number
---@param kW number
---@param strideH number
---@param strideW number
---@param padH? number default 0
---@param padW? number default 0
---@param dilationH? number default 1
---@param dilationW? number default 1
---@param ceil? boolean default false
---@param countPad? boolean default true
---@return torch.Tensor
function Tensor:pool2d(kind, kH, kW, strideH, strideW, padH, padW, dilationH, dilationW, ceil, countPad) end

--- The Cholesky factor of a symmetric positive definite matrix: a = y' * y with an upper triangle y.
---
---     torch.potrf(torch.Tensor{{4, 2}, {2, 5}})   --> {{2, 1}, {0, 2}}
---@overload fun(self: torch.Tensor, a: torch.Tensor, uplo?: string): torch.Tensor
---@param uplo? string default 'U'
---@return torch.Tensor
function Tensor:potrf(uplo) end

--- The inverse of the matrix whose Cholesky factor is chol. uplo says which triangle of chol is read ('U' upper, 'L' lower).
---
---     torch.potri(torch.potrf(torch.Tensor{{4, 0}, {0, 2}}))   --> {{0.25, 0}, {0, 0.5}}
---@overload fun(self: torch.Tensor, chol: torch.Tensor, uplo?: string): torch.Tensor
---@param uplo? string default 'U'
---@return torch.Tensor
function Tensor:potri(uplo) end

--- Solves a * x = b where chol is the Cholesky factor of a, as potrf gives it. b holds one right side in each column (a vector is one column).
---
---     torch.potrs(torch.Tensor{{8}, {9}}, torch.potrf(torch.Tensor{{4, 2}, {2, 5}}))   --> {{1.375}, {1.25}}
---@overload fun(self: torch.Tensor, b: torch.Tensor, chol: torch.Tensor, uplo?: string): torch.Tensor
---@param chol torch.Tensor
---@param uplo? string default 'U'
---@return torch.Tensor
function Tensor:potrs(chol, uplo) end

--- x to the power of value. value to the power of x.
---
---     torch.pow(torch.Tensor{2, 3}, 2)   --> {4, 9}
---     torch.pow(2, torch.Tensor{2, 3})   --> {4, 8}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@overload fun(self: torch.Tensor, value: number, x: torch.Tensor): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:pow(value) end

--- Products along dim.
---
---     torch.prod(torch.Tensor{{1, 2}, {3, 4}}, 2, false)   --> {2, 12}
---     torch.prod(torch.Tensor{{1, 2}, {3, 4}})   --> 24
---@overload fun(self: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@return number
function Tensor:prod() end

--- Gradient of `prod` along dim: g times the product of the others, right at zeros too.
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function Tensor:prod_grad(g, dim) end

--- The Cholesky factor of a symmetric positive definite matrix with rows and columns exchanged, largest pivots first. a[piv[i]][piv[j]] is element i, j of y' * ...
---
---     torch.pstrf(torch.Tensor{{1, 0}, {0, 4}})   --> {{2, 0}, {0, 1}}, {2, 1}
---@overload fun(self: torch.Tensor, a: torch.Tensor, uplo?: string, tol?: number): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, piv: torch.Tensor, a: torch.Tensor, uplo?: string, tol?: number): torch.Tensor, torch.Tensor
---@param uplo? string default 'U'
---@param tol? number default -1
---@return torch.Tensor
---@return torch.Tensor
function Tensor:pstrf(uplo, tol) end

--- The QR factors of a matrix: a = q * r with orthonormal columns in q and zeros below the diagonal of r.
---
---     q, r = torch.qr(torch.Tensor{{3, 1}, {4, 2}}); torch.abs(r)   --> {{5, 2.2}, {0, 0.4}}
---@overload fun(self: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, r: torch.Tensor, a: torch.Tensor): torch.Tensor, torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:qr() end

--- Fills x with whole numbers from 0 to what its type holds exactly, at most 2^32-1.
---
---     torch.manualSeed(1); torch.ByteTensor(3):random()   --> {37, 235, 140}
---     torch.manualSeed(1); torch.Tensor(5):random(6)   --> {2, 6, 1, 3, 2}
---@overload fun(self: torch.Tensor, gen: torch.Generator): torch.Tensor
---@overload fun(self: torch.Tensor, n: number): torch.Tensor
---@overload fun(self: torch.Tensor, gen: torch.Generator, n: number): torch.Tensor
---@overload fun(self: torch.Tensor, a: number, b: number): torch.Tensor
---@overload fun(self: torch.Tensor, gen: torch.Generator, a: number, b: number): torch.Tensor
---@return torch.Tensor
function Tensor:random() end

--- The numbers 1..n in random order (Fisher and Yates).
---
---     torch.manualSeed(1); torch.randperm(5)   --> {1, 5, 3, 4, 2}
---@overload fun(self: torch.Tensor, gen: torch.Generator, n: number): torch.Tensor
---@param n number
---@return torch.Tensor
function Tensor:randperm(n) end

--- The numbers first, first + step, ... up to last, or down to it with a negative step.
---
---     torch.range(1, 7, 2)   --> {1, 3, 5, 7}
---@param first number
---@param last number
---@param step? number default 1
---@return torch.Tensor
function Tensor:range(first, last, step) end

--- x where it is above 0, else 0.
---
---     torch.relu(torch.Tensor{-1, 2})   --> {0, 2}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:relu() end

--- The gradient of relu at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:relu_grad(y, g) end

--- What is left of x divided by value, with the sign of value.
---
---     torch.remainder(torch.Tensor{5, -5}, 3)   --> {2, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:remainder(value) end

--- Shrinks every slice along dim whose p-norm is above maxnorm by maxnorm / (norm + 1e-7), as Torch7 does; the others are copied.
---
---     torch.renorm(torch.Tensor{{3, 4}, {0, 1}}, 2, 1, 1)   --> {{0.6, 0.8}, {0, 1}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, p: number, dim: number, maxnorm: number): torch.Tensor
---@param p number
---@param dim number
---@param maxnorm number
---@return torch.Tensor
function Tensor:renorm(p, dim, maxnorm) end

--- The Fourier transform of real x along dim: the n/2 + 1 complex numbers that say all.
---
---     torch.rfft(torch.Tensor{1, 2, 3, 4})   --> {{10, 0}, {-2, 2}, {-2, 0}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, n?: number, dim?: number, norm?: string): torch.Tensor
---@param n? number default -1
---@param dim? number default -1
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:rfft(n, dim, norm) end

--- rfft along the second of two dimensions (default: the last two), then fft along the first.
---
---     torch.rfft2(torch.Tensor{{1, 2}, {3, 4}})   --> {{{10, 0}, {-2, 0}}, {{-4, 0}, {0, 0}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:rfft2(s, dim, norm) end

--- rfft along the last of several dimensions (default: all), then fft along the others.
---
---     torch.rfftn(torch.ones(4, 4, 4)):size()   --> {4, 4, 3, 2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, s?: torch.LongStorage|number[], dim?: torch.LongStorage|number[], norm?: string): torch.Tensor
---@param s? torch.LongStorage|number[] default {}
---@param dim? torch.LongStorage|number[] default {}
---@param norm? string default 'backward'
---@return torch.Tensor
function Tensor:rfftn(s, dim, norm) end

--- A step of RMSprop with the mean square v of the gradient g: v = alpha v + (1 - alpha) g^2, x = x - rate g / (sqrt(v) + eps).
---
---     x = torch.Tensor{1, 2}; x:rmsprop_step(torch.zeros(2), torch.Tensor{1, -2}, 1, 0, 0); x   --> {0, 3}
---     x = torch.Tensor{1, 2}; x:rmsprop_step(torch.zeros(2), torch.Tensor{1, -2}, torch.Tensor{1}, 0, 0); x   --> {0, 3}
---@overload fun(self: torch.Tensor, v: torch.Tensor, g: torch.Tensor, rates: torch.Tensor, alpha?: number, eps?: number): torch.Tensor, torch.Tensor
---@param v torch.Tensor
---@param g torch.Tensor
---@param rate number
---@param alpha? number default 0.99
---@param eps? number default 1e-8
---@return torch.Tensor
---@return torch.Tensor
function Tensor:rmsprop_step(v, g, rate, alpha, eps) end

--- Plain recurrent units over sequences: h = tanh(x + weight h of the step before + bias), or relu instead of tanh.
---
---     torch.rnn(torch.Tensor{{1}, {2}}, torch.LongTensor{{1}, {2}}, torch.ones(1, 1), true, false)   --> {{1}, {3}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, relu: boolean, reverse: boolean, bias?: torch.Tensor, h0?: torch.Tensor): torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param relu boolean
---@param reverse boolean
---@param bias? torch.Tensor default nil
---@param h0? torch.Tensor default nil
---@return torch.Tensor
function Tensor:rnn(places, weight, relu, reverse, bias, h0) end

--- The gradient of rnn by x and h0, from its result. g is the gradient of all h, ghn that of the last ones. hp is the h that each row came from: weight's ...
---@overload fun(self: torch.Tensor, hp: torch.Tensor, gh0: torch.Tensor, h: torch.Tensor, g: torch.Tensor, places: torch.Tensor, weight: torch.Tensor, relu: boolean, reverse: boolean, h0?: torch.Tensor, ghn?: torch.Tensor): torch.Tensor, torch.Tensor, torch.Tensor
---@param g torch.Tensor
---@param places torch.Tensor
---@param weight torch.Tensor
---@param relu boolean
---@param reverse boolean
---@param h0? torch.Tensor default nil
---@param ghn? torch.Tensor default nil
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:rnn_grad(g, places, weight, relu, reverse, h0, ghn) end

--- x moved by shift places along dim; what leaves at one end comes back at the other.
---
---     torch.roll(torch.range(1, 5), 2)   --> {4, 5, 1, 2, 3}
---@overload fun(self: torch.Tensor, x: torch.Tensor, shift: number, dim?: number): torch.Tensor
---@param shift number
---@param dim? number default 1
---@return torch.Tensor
function Tensor:roll(shift, dim) end

--- The nearest whole number; halves go away from 0.
---
---     torch.round(torch.Tensor{1.5, -1.2})   --> {2, -1}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:round() end

--- Bits moved down by value places, zeros moving in; for floats x / 2^value.
---
---     torch.rshift(torch.IntTensor{4, 12}, 2)   --> {1, 3}
---@overload fun(self: torch.Tensor, x: torch.Tensor, value: number): torch.Tensor
---@param value number
---@return torch.Tensor
function Tensor:rshift(value) end

--- 1 / sqrt(x).
---
---     torch.rsqrt(torch.Tensor{4, 16})   --> {0.5, 0.25}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:rsqrt() end

--- act(x * scale + shift): x is N x C x ..., and scale and shift have a number for each of the C planes. act is 'none', 'relu' or 'clip' (to low..high).
---
---     torch.scale_planes(torch.ones(1, 2, 1), torch.Tensor{2, 3}, torch.Tensor{1, -4}, 'relu')   --> {{{3}, {0}}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor, act?: string, low?: number, high?: number): torch.Tensor
---@param scale torch.Tensor
---@param shift torch.Tensor
---@param act? string default 'none'
---@param low? number default 0
---@param high? number default 0
---@return torch.Tensor
function Tensor:scale_planes(scale, shift, act, low, high) end

--- Puts the elements of x into y, each line along dim at the places that the same line of index names.
---
---     torch.zeros(2, 2):scatter(2, torch.LongTensor{{2}, {1}}, torch.Tensor{{5}, {6}})   --> {{0, 5}, {6, 0}}
---     torch.zeros(2, 2):scatter(2, torch.LongTensor{{2}, {1}}, 7)   --> {{0, 7}, {7, 0}}
---@overload fun(self: torch.Tensor, dim: number, index: torch.Tensor, value: number): torch.Tensor
---@param dim number
---@param index torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function Tensor:scatter(dim, index, x) end

--- Adds the elements of x to those of y that index names, along dim as `scatter` does, in order.
---
---     torch.ones(1, 2):scatterAdd(2, torch.LongTensor{{2, 2}}, torch.Tensor{{5, 6}})   --> {{1, 12}}
---@param dim number
---@param index torch.Tensor
---@param x torch.Tensor
---@return torch.Tensor
function Tensor:scatterAdd(dim, index, x) end

--- 1 / (1 + exp(-x)).
---
---     torch.sigmoid(torch.Tensor{0, 2})   --> {0.5, 0.8808}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:sigmoid() end

--- The gradient of sigmoid at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:sigmoid_grad(y, g) end

--- -1, 0 or 1.
---
---     torch.sign(torch.Tensor{-2, 0, 3})   --> {-1, 0, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:sign() end

--- Sine of x in radians.
---
---     torch.sin(torch.Tensor{0, math.pi / 2})   --> {0, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:sin() end

--- Hyperbolic sine.
---
---     torch.sinh(torch.Tensor{0, 1})   --> {0, 1.1752}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:sinh() end

--- The mean (or without sizeAverage the sum) of (x - target)^2 / 2 where that difference is below 1, |x - target| - 1/2 elsewhere, as a number.
---
---     torch.smoothl1_loss(torch.Tensor{1, 2}, torch.Tensor{1, 4})   --> 0.75
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return number
function Tensor:smoothl1_loss(target, sizeAverage) end

--- The gradient of smoothl1_loss by x.
---@overload fun(self: torch.Tensor, x: torch.Tensor, target: torch.Tensor, sizeAverage?: boolean): torch.Tensor
---@param target torch.Tensor
---@param sizeAverage? boolean default true
---@return torch.Tensor
function Tensor:smoothl1_loss_grad(target, sizeAverage) end

--- exp(x) divided by its sum along `dim`, without overflow.
---
---     torch.softmax(torch.Tensor{0, math.log(3)}, 1)   --> {0.25, 0.75}
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number): torch.Tensor
---@param dim number
---@return torch.Tensor
function Tensor:softmax(dim) end

--- The gradient of softmax from its result y and the gradient g of that.
---
---     torch.softmax_grad(torch.Tensor{0.5, 0.5}, torch.Tensor{1, 0}, 1)   --> {0.25, -0.25}
---@overload fun(self: torch.Tensor, y: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function Tensor:softmax_grad(g, dim) end

--- log(1 + exp(beta x)) / beta; x itself where beta x is above limit.
---
---     torch.softplus(torch.Tensor{0, 30})   --> {0.69315, 30}
---@overload fun(self: torch.Tensor, x: torch.Tensor, beta?: number, limit?: number): torch.Tensor
---@param beta? number default 1
---@param limit? number default 20
---@return torch.Tensor
function Tensor:softplus(beta, limit) end

--- The gradient of softplus at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, beta?: number, limit?: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param beta? number default 1
---@param limit? number default 20
---@return torch.Tensor
function Tensor:softplus_grad(y, g, beta, limit) end

--- x moved towards 0 by lambda, but not across it.
---
---     torch.softshrink(torch.Tensor{-0.3, 2})   --> {0, 1.5}
---@overload fun(self: torch.Tensor, x: torch.Tensor, lambda?: number): torch.Tensor
---@param lambda? number default 0.5
---@return torch.Tensor
function Tensor:softshrink(lambda) end

--- The gradient of softshrink at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, lambda?: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param lambda? number default 0.5
---@return torch.Tensor
function Tensor:softshrink_grad(y, g, lambda) end

--- x / (1 + abs(x)).
---
---     torch.softsign(torch.Tensor{-1, 3})   --> {-0.5, 0.75}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:softsign() end

--- The gradient of softsign at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:softsign_grad(y, g) end

--- The elements in order along dim (default: the last), and the places they come from (a LongTensor).
---
---     torch.sort(torch.Tensor{3, 1, 2})   --> {1, 2, 3}, {2, 3, 1}
---     torch.sort(torch.Tensor{3, 1, 2}, true)   --> {3, 2, 1}, {1, 3, 2}
---@overload fun(self: torch.Tensor, descending: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim?: number, descending?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, descending: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, dim?: number, descending?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, descending: boolean): torch.Tensor, torch.Tensor
---@param dim? number default -1
---@param descending? boolean default false
---@return torch.Tensor
---@return torch.Tensor
function Tensor:sort(dim, descending) end

--- Square root
---
---     torch.sqrt(torch.Tensor{4, 9})   --> {2, 3}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:sqrt() end

--- x * x.
---
---     torch.square(torch.Tensor{-2, 3})   --> {4, 9}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:square() end

--- Standard deviations along dim: the roots of `var`.
---
---     torch.std(torch.Tensor{{1, 2, 3}, {0, 0, 9}}, 2, true, false)   --> {0.8165, 4.2426}
---     torch.std(torch.Tensor{1, 2, 3})   --> 1
---@overload fun(self: torch.Tensor, dim: number, biased?: boolean, keepdim?: boolean): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, biased?: boolean, keepdim?: boolean): torch.Tensor
---@param biased? boolean default false
---@return number
function Tensor:std(biased) end

--- Gradient of `std` along dim, y being its result; 0 where the deviation is 0.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, dim: number, biased?: boolean): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param dim number
---@param biased? boolean default false
---@return torch.Tensor
function Tensor:std_grad(y, g, dim, biased) end

--- Sums along dim.
---
---     torch.sum(torch.Tensor{{1, 2}, {3, 4}}, 1)   --> {{4, 6}}
---     torch.sum(torch.Tensor{{1, 2}, {3, 4}})   --> 10
---@overload fun(self: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor
---@return number
function Tensor:sum() end

--- Gradient of `sum` along dim: g repeated along dim to the size of x.
---
---     torch.sum_grad(torch.Tensor(2, 2), torch.Tensor{{5, 6}}, 1)   --> {{5, 6}, {5, 6}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, dim: number): torch.Tensor
---@param g torch.Tensor
---@param dim number
---@return torch.Tensor
function Tensor:sum_grad(g, dim) end

--- Singular values, in descending order, and vectors of a matrix: a = u * diag(s) * v' with orthonormal columns in u and v. size 'S' gives as many columns as ...
---
---     u, s, v = torch.svd(torch.Tensor{{3, 0}, {0, -2}}); s   --> {3, 2}
---@overload fun(self: torch.Tensor, a: torch.Tensor, size?: string): torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, s: torch.Tensor, a: torch.Tensor, size?: string): torch.Tensor, torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, s: torch.Tensor, v: torch.Tensor, a: torch.Tensor, size?: string): torch.Tensor, torch.Tensor, torch.Tensor
---@param size? string default 'S'
---@return torch.Tensor
---@return torch.Tensor
---@return torch.Tensor
function Tensor:svd(size) end

--- x * sigmoid(x).
---
---     torch.swish(torch.Tensor{-1, 2})   --> {-0.26894, 1.7616}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:swish() end

--- The gradient of swish at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:swish_grad(y, g) end

--- Eigenvalues of a symmetric matrix, in ascending order, and with vectors 'V' its eigenvectors: column k of v belongs to e[k].
---
---     torch.symeig(torch.Tensor{{2, 1}, {1, 2}})   --> {1, 3}, {}
---@overload fun(self: torch.Tensor, a: torch.Tensor, vectors?: string, uplo?: string): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, v: torch.Tensor, a: torch.Tensor, vectors?: string, uplo?: string): torch.Tensor, torch.Tensor
---@param vectors? string default 'N'
---@param uplo? string default 'U'
---@return torch.Tensor
---@return torch.Tensor
function Tensor:symeig(vectors, uplo) end

--- Tangent of x in radians.
---
---     torch.tan(torch.Tensor{0, 1})   --> {0, 1.5574}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:tan() end

--- Hyperbolic tangent.
---
---     torch.tanh(torch.Tensor{0, 1})   --> {0, 0.76159}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:tanh() end

--- The gradient of tanh at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@return torch.Tensor
function Tensor:tanh_grad(y, g) end

--- x where it is above threshold, else value.
---
---     torch.threshold(torch.Tensor{0.5, 2}, 1, -7)   --> {-7, 2}
---@overload fun(self: torch.Tensor, x: torch.Tensor, threshold?: number, value?: number): torch.Tensor
---@param threshold? number default 0
---@param value? number default 0
---@return torch.Tensor
function Tensor:threshold(threshold, value) end

--- The gradient of threshold at x, where its result was y and the gradient of that is g.
---@overload fun(self: torch.Tensor, x: torch.Tensor, y: torch.Tensor, g: torch.Tensor, threshold?: number, value?: number): torch.Tensor
---@param y torch.Tensor
---@param g torch.Tensor
---@param threshold? number default 0
---@param value? number default 0
---@return torch.Tensor
function Tensor:threshold_grad(y, g, threshold, value) end

--- The k smallest elements along dim (default: the last), or the k largest, and their places. sorted puts them in order, ascending or, if largest, descending.
---
---     torch.topk(torch.Tensor{3, 1, 4, 2}, 2, 1, true, true)   --> {4, 3}, {3, 1}
---@overload fun(self: torch.Tensor, x: torch.Tensor, k?: number, dim?: number, largest?: boolean, sorted?: boolean): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, index: torch.Tensor, x: torch.Tensor, k?: number, dim?: number, largest?: boolean, sorted?: boolean): torch.Tensor, torch.Tensor
---@param k? number default 1
---@param dim? number default -1
---@param largest? boolean default false
---@param sorted? boolean default false
---@return torch.Tensor
---@return torch.Tensor
function Tensor:topk(k, dim, largest, sorted) end

--- The sum of the main diagonal of the matrix x, as a number.
---
---     torch.trace(torch.Tensor{{1, 2}, {3, 4}})   --> 5
---@return number
function Tensor:trace() end

--- The matrix x with zeros above the k-th diagonal: 0 is the main one, 1 the one above it.
---
---     torch.tril(torch.ones(2, 3))   --> {{1, 0, 0}, {1, 1, 0}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, k?: number): torch.Tensor
---@param k? number default 0
---@return torch.Tensor
function Tensor:tril(k) end

--- The matrix x with zeros below the k-th diagonal: 0 is the main one, 1 the one above it.
---
---     torch.triu(torch.ones(2, 3), 1)   --> {{0, 1, 1}, {0, 0, 1}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, k?: number): torch.Tensor
---@param k? number default 0
---@return torch.Tensor
function Tensor:triu(k) end

--- Solves a * x = b for a triangular matrix a, of which only the triangle uplo ('U' upper, 'L' lower) is read. trans 'T' solves a' * x = b; diag 'U' takes the ...
---
---     torch.trtrs(torch.Tensor{{4}, {6}}, torch.Tensor{{2, 1}, {0, 3}})   --> {{1}, {2}}, {{2, 1}, {0, 3}}
---@overload fun(self: torch.Tensor, b: torch.Tensor, a: torch.Tensor, uplo?: string, trans?: string, diag?: string): torch.Tensor, torch.Tensor
---@overload fun(self: torch.Tensor, ra: torch.Tensor, b: torch.Tensor, a: torch.Tensor, uplo?: string, trans?: string, diag?: string): torch.Tensor, torch.Tensor
---@param a torch.Tensor
---@param uplo? string default 'U'
---@param trans? string default 'N'
---@param diag? string default 'N'
---@return torch.Tensor
---@return torch.Tensor
function Tensor:trtrs(a, uplo, trans, diag) end

--- x without its fraction.
---
---     torch.trunc(torch.Tensor{1.7, -1.7})   --> {1, -1}
---@overload fun(self: torch.Tensor, x: torch.Tensor): torch.Tensor
---@return torch.Tensor
function Tensor:trunc() end

--- Fills x with numbers drawn evenly from [a, b).
---
---     torch.manualSeed(1); torch.Tensor(2):uniform(1, 2)   --> {1.417, 1.9972}
---@overload fun(self: torch.Tensor, gen: torch.Generator, a?: number, b?: number): torch.Tensor
---@param a? number default 0
---@param b? number default 1
---@return torch.Tensor
function Tensor:uniform(a, b) end

--- Variances along dim: over n-1, or over n if biased.
---
---     torch.var(torch.Tensor{{1, 2, 3}, {0, 0, 9}}, 2, false, false)   --> {1, 27}
---     torch.var(torch.Tensor{1, 2, 3})   --> 1
---@overload fun(self: torch.Tensor, dim: number, biased?: boolean, keepdim?: boolean): torch.Tensor
---@overload fun(self: torch.Tensor, x: torch.Tensor, dim: number, biased?: boolean, keepdim?: boolean): torch.Tensor
---@param biased? boolean default false
---@return number
function Tensor:var(biased) end

--- Gradient of `var` along dim: 2 g (x - mean) / (n-1), or / n if biased.
---@overload fun(self: torch.Tensor, x: torch.Tensor, g: torch.Tensor, dim: number, biased?: boolean): torch.Tensor
---@param g torch.Tensor
---@param dim number
---@param biased? boolean default false
---@return torch.Tensor
function Tensor:var_grad(g, dim, biased) end

--- x where the ByteTensor condition is not 0, else z.
---
---     torch.where(torch.ByteTensor{1, 0}, torch.Tensor{1, 2}, torch.Tensor{3, 4})   --> {1, 4}
---@overload fun(self: torch.Tensor, condition: torch.Tensor, x: torch.Tensor, z: torch.Tensor): torch.Tensor
---@param x torch.Tensor
---@param z torch.Tensor
---@return torch.Tensor
function Tensor:where(x, z) end

--- x correlated with k in two dimensions: k is not flipped. "V" (valid) keeps what needs no padding, "F" (full) all that is touched. x may have planes: then k ...
---
---     torch.xcorr2(torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{{1, 0}, {0, 0}})   --> {{1}}
---@overload fun(self: torch.Tensor, x: torch.Tensor, k: torch.Tensor, type?: string): torch.Tensor
---@param k torch.Tensor
---@param type? string default 'V'
---@return torch.Tensor
function Tensor:xcorr2(k, type) end

--- x correlated with k in three dimensions: k is not flipped. "V" (valid) keeps what needs no padding, "F" (full) all that is touched. x may have planes: then ...
---
---     torch.xcorr3(torch.ones(3, 4, 5), torch.ones(2, 2, 2), 'F'):size()   --> {4, 5, 6}
---@overload fun(self: torch.Tensor, x: torch.Tensor, k: torch.Tensor, type?: string): torch.Tensor
---@param k torch.Tensor
---@param type? string default 'V'
---@return torch.Tensor
function Tensor:xcorr3(k, type) end

--- Sets every element to 0.
---
---     torch.Tensor{1, 2}:zero()   --> {0, 0}
---@return torch.Tensor
function Tensor:zero() end

return torch
