-- nn/convolution/fft.lua - convolutions that prefer Fourier transforms, under fbcunn's names; TemporalConvolutionFFT.
local torch = require 'torch'

-- Passes that an engine computes wherever it can; on devices, which have other engines, the engine `there`.
local function prefer(class, engine, parent, there)
   for _, pass in ipairs{'updateOutput', 'updateGradInput', 'accGradParameters'} do
      local plain = parent[pass]
      class[pass] = function(self, x, ...)
         return torch.conv.with(torch.isTensor(x) and x._device > 0 and there or engine, plain, self, x, ...)
      end
   end
end

--- nn.SpatialConvolutionFFT(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [memoryReusePolicy],
-- [numCudaStreams]): nn.SpatialConvolution by the engine fft wherever it can, whatever the cost model says. Everything else,
-- such as steps, is computed as by nn.SpatialConvolution. The last two arguments are those of fbcunn, and have no effect.
-- nn.SpatialConvolutionFFT(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size() --> {3, 4, 4}
local FFT, SpatialConvolution = torch.class('nn.SpatialConvolutionFFT', 'nn.SpatialConvolution')
FFT.__arguments = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padLeft:size? padUp:size?'
prefer(FFT, 'fft', SpatialConvolution, 'fft')

function FFT:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padLeft, padUp, memoryReusePolicy)
   SpatialConvolution.__init(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padLeft, padUp)
   self.memoryReusePolicy = memoryReusePolicy
end

--- Empties the buffers, as clearState.
function FFT:cleanupBuffers() return self:clearState() end

--- Accepted for scripts of fbcunn, and has no effect, because the engine decides what to keep. Returns self.
function FFT:setReuseInputs() return self end
FFT.setReuseOutputs, FFT.setReuseWeights = FFT.setReuseInputs, FFT.setReuseInputs

--- nn.SpatialConvolutionCuFFT(...): nn.SpatialConvolutionFFT under another of fbcunn's names; on CUDA devices by the engine
-- cufft.
-- nn.SpatialConvolutionCuFFT(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size() --> {3, 4, 4}
local CuFFT = torch.class('nn.SpatialConvolutionCuFFT', 'nn.SpatialConvolutionFFT')
prefer(CuFFT, 'fft', SpatialConvolution, 'cufft')

--- nn.SpatialConvolutionFBFFT(...): nn.SpatialConvolutionFFT under another of fbcunn's names.
-- nn.SpatialConvolutionFBFFT(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size() --> {3, 4, 4}
torch.class('nn.SpatialConvolutionFBFFT', 'nn.SpatialConvolutionFFT')

--- nn.SpatialConvolutionFBFFTGemm(...): nn.SpatialConvolutionFFT under another of fbcunn's names.
-- nn.SpatialConvolutionFBFFTGemm(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size() --> {3, 4, 4}
torch.class('nn.SpatialConvolutionFBFFTGemm', 'nn.SpatialConvolutionFFT')

--- nn.SpatialConvolutionFFTTiled(nInputPlane, nOutputPlane, kW, kH, [dW], [dH], [padLeft], [padUp], [tileSizeW], [tileSizeH],
-- [memoryReusePolicy], [numCudaStreams]): nn.SpatialConvolutionFFT, which always cuts images into tiles. It chooses their
-- size; tileSizeW and tileSizeH are kept and not used.
-- nn.SpatialConvolutionFFTTiled(2, 3, 5, 5, 1, 1, 0, 0, 16, 16):forward(torch.ones(2, 8, 8)):size() --> {3, 4, 4}
local Tiled = torch.class('nn.SpatialConvolutionFFTTiled', 'nn.SpatialConvolutionFBFFT')
Tiled.__arguments = 'nInputPlane:size nOutputPlane:size kW:count kH:count dW:count? dH:count? padLeft:size? '
   .. 'padUp:size? tileSizeW:count? tileSizeH:count?'

function Tiled:__init(nInputPlane, nOutputPlane, kW, kH, dW, dH, padLeft, padUp, tileSizeW, tileSizeH, memoryReusePolicy)
   FFT.__init(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padLeft, padUp, memoryReusePolicy)
   self.tileSizeW, self.tileSizeH = tileSizeW, tileSizeH
end

--- nn.SpatialConvolutionFFTTiledSync(...): nn.SpatialConvolutionFFTTiled under another of fbcunn's names.
-- nn.SpatialConvolutionFFTTiledSync(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size() --> {3, 4, 4}
torch.class('nn.SpatialConvolutionFFTTiledSync', 'nn.SpatialConvolutionFFTTiled')

--- nn.SpatialConvolutionFFTTiledAsync(...): nn.SpatialConvolutionFFTTiled under another of fbcunn's names.
-- nn.SpatialConvolutionFFTTiledAsync(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size() --> {3, 4, 4}
torch.class('nn.SpatialConvolutionFFTTiledAsync', 'nn.SpatialConvolutionFFTTiled')

--- nn.SpatialConvolutionFFTTiledIterated(...): nn.SpatialConvolutionFFTTiled under another of fbcunn's names.
-- nn.SpatialConvolutionFFTTiledIterated(2, 3, 5, 5):forward(torch.ones(2, 8, 8)):size() --> {3, 4, 4}
torch.class('nn.SpatialConvolutionFFTTiledIterated', 'nn.SpatialConvolutionFFTTiled')

--- nn.TemporalConvolutionFFT(inputFrameSize, outputFrameSize, kW, [dW]): nn.TemporalConvolution for long filters: by the engine
-- fft1d, on CUDA devices by cufft, wherever it can, whatever the cost model says.
-- nn.TemporalConvolutionFFT(3, 4, 20):forward(torch.ones(50, 3)):size() --> {31, 4}
local Temporal, TemporalConvolution = torch.class('nn.TemporalConvolutionFFT', 'nn.TemporalConvolution')
prefer(Temporal, 'fft1d', TemporalConvolution, 'cufft')

return FFT
