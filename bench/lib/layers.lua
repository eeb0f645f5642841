-- bench/lib/layers.lua - convolutions of well-known networks, for bench/conv.lua.
--
-- A layer: name, side of the image, planes, results, kernel; step and padding; `least`, the ratio to PyTorch that forward,
-- gradInput and gradWeight must keep at batches of 16 and more. A line is one high, and as long as `side`.
local layers = {}

local function set(name, list) layers[#layers + 1] = { name = name, list = list } end

set('classic', {                              -- convnet-benchmarks
   { 'L1', 128, 3, 96, 11, least = { 2 } },
   { 'L2', 64, 64, 128, 9, least = { 4, 4, 4 } },
   { 'L3', 32, 128, 128, 9, least = { 4, 4, 4 } },
   { 'L4', 16, 128, 128, 7, least = { 2 } },
   { 'L5', 13, 384, 384, 3 },
})
set('long', {
   { 'k16', 64000, 64, 64, 16, line = true },
   { 'k64', 64000, 64, 64, 64, line = true },
   { 'k256', 64000, 64, 64, 256, line = true, least = { 20 } },
   { 'k1024', 64000, 64, 64, 1024, line = true, least = { 60 } },
   { 'k4096', 64000, 64, 64, 4096, line = true },
})
set('alexnet', {
   { 'alex1', 224, 3, 64, 11, step = 4, pad = 2 },
   { 'alex2', 27, 64, 192, 5, pad = 2 },
   { 'alex3', 13, 192, 384, 3, pad = 1 },
   { 'alex4', 13, 384, 256, 3, pad = 1 },
   { 'alex5', 13, 256, 256, 3, pad = 1 },
})
set('overfeat', {                             -- fast
   { 'over1', 231, 3, 96, 11, step = 4 },
   { 'over2', 28, 96, 256, 5 },
   { 'over3', 12, 256, 512, 3, pad = 1 },
   { 'over4', 12, 512, 1024, 3, pad = 1 },
   { 'over5', 12, 1024, 1024, 3, pad = 1 },
})
set('vgg', {                                  -- A
   { 'vgg1', 224, 3, 64, 3, pad = 1 },
   { 'vgg2', 112, 64, 128, 3, pad = 1 },
   { 'vgg3', 56, 128, 256, 3, pad = 1 },
   { 'vgg4', 56, 256, 256, 3, pad = 1 },
   { 'vgg5', 28, 256, 512, 3, pad = 1 },
   { 'vgg6', 28, 512, 512, 3, pad = 1 },
   { 'vgg7', 14, 512, 512, 3, pad = 1 },
})
set('resnet', {                               -- 18 and 50
   { 'res7x7', 224, 3, 64, 7, step = 2, pad = 3 },
   { 'res56', 56, 64, 64, 3, pad = 1 },
   { 'res28', 28, 128, 128, 3, pad = 1 },
   { 'res14', 14, 256, 256, 3, pad = 1 },
   { 'res7', 7, 512, 512, 3, pad = 1 },
   { 'half56', 56, 64, 128, 3, step = 2, pad = 1 },
   { 'half28', 28, 128, 256, 3, step = 2, pad = 1 },
   { 'half14', 14, 256, 512, 3, step = 2, pad = 1 },
   { 'skip56', 56, 64, 128, 1, step = 2 },
   { 'skip14', 14, 1024, 2048, 1, step = 2 },
   { 'wide56', 56, 64, 256, 1 },
   { 'thin56', 56, 256, 64, 1 },
   { 'wide28', 28, 128, 512, 1 },
   { 'thin28', 28, 512, 128, 1 },
   { 'wide14', 14, 256, 1024, 1 },
   { 'thin14', 14, 1024, 256, 1 },
   { 'wide7', 7, 512, 2048, 1 },
   { 'thin7', 7, 2048, 512, 1 },
})

return layers
