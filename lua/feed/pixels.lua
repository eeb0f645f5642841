-- feed.pixels - limits the pixels of an image: a file of a few megabytes can claim, and hold, gigabytes of pixels.
local environment = require 'torch.environment'
local MOST = 2 ^ 30                          -- three gigabytes as RGB; OpenCV has the same limit
local LARGEST = 2 ^ 53                       -- the numbers up to it are exact

local pixels = {}

local limit

-- The limit: TH_IMAGE_PIXELS when this thread reads its first image.
local function most()
   if limit then return limit end
   local text = environment.get 'TH_IMAGE_PIXELS'
   local n = MOST
   if text then
      n = tonumber(text)
      if not n or n % 1 ~= 0 or n < 1 or n > LARGEST then
         error(("TH_IMAGE_PIXELS must be a whole number in 1..%.0f, got '%s'"):format(LARGEST, text), 0)
      end
   end
   limit = n
   return limit
end

--- Refuses images of more than 2^30 pixels, or than TH_IMAGE_PIXELS, a variable of the environment. Readers call it before
-- they allocate.
function pixels.check(width, height)
   if width * height > most() then
      error(('%d x %d pixels are more than the limit, %.0f; TH_IMAGE_PIXELS sets another'):format(width, height, most()), 0)
   end
end

return pixels
