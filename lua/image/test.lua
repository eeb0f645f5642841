-- lua/image/test.lua - image.test: a quick test of the package on this machine.
local torch = require 'torch'

local M = {}

-- PNG and JPEG files need libraries: without one, its tests are skipped.
local function without_library(ok, why) return not ok and tostring(why):find('is not installed', 1, true) ~= nil end

local function cases(tester)
   local image = require 'image'
   local tests = torch.TestSuite()

   function tests.files_ppm()
      local name, x = os.tmpname(), torch.ByteTensor(3, 7, 5):random(0, 255)
      image.savePPM(name, x)
      tester:eq(image.loadPPM(name, 3, 'byte'), x, 'a PPM file')
      os.remove(name)
   end

   function tests.compress_png()
      local x = torch.ByteTensor(3, 7, 5):random(0, 255)
      local ok, bytes = pcall(image.compressPNG, x)
      if without_library(ok, bytes) then return end
      tester:assert(ok, tostring(bytes))
      tester:eq(image.decompressPNG(bytes, 3, 'byte'), x, 'a PNG file')
   end

   function tests.compress_jpg()
      local x = image.lena()
      local ok, bytes = pcall(image.compressJPG, x, 95)
      if without_library(ok, bytes) then return end
      tester:assert(ok, tostring(bytes))
      tester:assertlt((image.decompressJPG(bytes) - x):abs():mean(), 0.01, 'a JPEG file')
   end

   function tests.flips()
      local x = torch.rand(3, 4, 5)
      tester:eq(image.hflip(image.hflip(x)), x, 'hflip')
      tester:eq(image.vflip(image.vflip(x)), x, 'vflip')
   end
   return tests
end

--- Tests the package on this machine with a torch.Tester, and prints a report.
-- @param tests  the name of a test, a list of names, or nil for all
-- @param seed  of the random numbers (nil: unchanged)
function M.test(tests, seed)
   if seed ~= nil then torch.manualSeed(seed) end
   local tester = torch.Tester()
   tester:add(cases(tester))
   tester:run(tests)
   return tester
end

return M
