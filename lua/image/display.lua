-- lua/image/display.lua - shows pictures: in the terminal, or as a file where there is none.
local torch = require 'torch'
local arg = require 'torch.arg'
local named = require 'image.named'
local environment = require 'torch.environment'
local front_end = require 'torch.front_end'

local M = {}

local MOST = 2 ^ 26                         -- pixels after zooming

local ARGUMENTS = { { 'image', 'any' }, { 'zoom', 'number', 1 }, { 'min', 'number' }, { 'max', 'number' },
   { 'legend', 'string', '' }, { 'win', 'any' }, { 'x', 'number' }, { 'y', 'number' }, { 'scaleeach', 'boolean', false },
   { 'gui', 'boolean' }, { 'offscreen', 'boolean', false }, { 'padding', 'number', 0 }, { 'symmetric', 'boolean', false },
   { 'nrow', 'number', 6 }, { 'saturate', 'boolean', true } }

-- ---- the picture of a call --------------------------------------------------------------------------------------------------

local Picture = {}
Picture.__index = Picture

function Picture:__tostring()
   local x = self.image
   local where = self.file and ', in ' .. self.file or ''
   return ('image: %d x %d pixels%s'):format(x:size(3), x:size(2), where)
end

-- What stands for the picture in a front end that shows text only.
function Picture:caption() return self.legend == '' and tostring(self) or self.legend end

-- The bytes of a PNG file, a string, for front ends that show pictures themselves.
function Picture:png() return require 'feed.png'.write(self.image:permute(2, 3, 1):contiguous()) end

-- Writes the picture into a file; the suffix selects its kind.
function Picture:save(name) require 'image.save'.save(name, self.image) end

-- The picture as text for the terminal.
function Picture:text()
   local terminal = require 'image.terminal'
   local form = terminal.form()
   local rows, columns, height, width = terminal.size()
   if form == 'blocks' then return terminal.blocks(terminal.shrunk(self.image, 2 * math.max(rows - 2, 1), columns)) end
   if not height or height == 0 then height, width = 20, 10 end                -- pixels of a cell, if the terminal is silent
   return terminal[form](terminal.shrunk(self.image, height * math.max(rows - 2, 1), width * columns))
end

local function in_terminal()
   local form = environment.get 'TH_DISPLAY'
   if form == 'png' then return false end
   return form ~= nil and form ~= '' or torch.isatty(io.stdout)
end

-- Without a terminal: a temporary file, which later pictures of the same window overwrite.
local function write_file(picture)
   local suffix = pcall(picture.png, picture) and '.png' or '.ppm'             -- a PPM file needs no library
   if not picture.file then
      local name = os.tmpname()
      picture.file = name .. suffix
      os.remove(name)
   end
   picture:save(picture.file)
   local legend = picture.legend == '' and '' or ' (' .. picture.legend .. ')'
   io.stderr:write(('image.display: %s%s\n'):format(picture.file, legend))
end

-- Shows the picture, once more if it has been shown.
function Picture:show()
   if front_end.show then return front_end.show { ['image/png'] = self:png(), ['text/plain'] = self:caption() } end
   if not in_terminal() then return write_file(self) end
   io.stdout:write(self:text(), self.legend, self.legend == '' and '' or '\n')
   io.stdout:flush()
end

-- ---- image.display ----------------------------------------------------------------------------------------------------------

-- 3 x rows x columns bytes from values in 0..1.
local function coloured(x)
   if x:dim() == 2 then x = x:view(1, x:size(1), x:size(2)) end
   x = x:clone():clamp(0, 1):mul(255):add(0.5):byte()
   return x:expand(3, x:size(2), x:size(3)):contiguous()
end

local function zoomed(x, zoom)
   if zoom == 1 then return x end
   local height, width = math.floor(x:size(2) * zoom), math.floor(x:size(3) * zoom)
   if not (zoom > 0 and height >= 1 and width >= 1 and height * width <= MOST) then
      error(('image.display: zoom must give 1 to %d pixels, got %g'):format(MOST, zoom), 3)
   end
   return require 'image'.scale(x, width, height, 'simple')
end

--- Shows a picture, or a list of them side by side, in the terminal by half blocks in 24-bit
-- colour. If TERM and similar variables name a terminal that has them, it uses the protocol of
-- kitty or sixels. TH_DISPLAY=blocks, kitty, sixel or png names the form. A notebook shows the
-- picture itself. Without a terminal it writes the picture into a PNG file, and its name to stderr.
-- Arguments come in this order, or by name.
-- @param image  a picture or pictures as for image.toDisplayTensor: a tensor of 2 to 4 dimensions, or a list of one size
-- @param zoom  a factor for the size (1)
-- @param min  the value that is black (the smallest)
-- @param max  the value that is white (the largest)
-- @param legend  text below the picture
-- @param win  the result of an earlier call, whose file is written again
-- @param x, y, gui  for windows of Qt, without effect
-- @param offscreen  whether nothing is shown (false)
-- @param scaleeach, padding, symmetric, nrow, saturate  as in image.toDisplayTensor
-- @return a table: `image`, a ByteTensor of 3 x rows x columns, and `file`, if one was written. Its
--    methods are show(), png() (the bytes of a PNG file), save(name) and text() (for the terminal)
-- image.display{ image = torch.eye(2), offscreen = true }.image[1] --> {{255, 0}, {0, 255}}
function M.display(...)
   local who = 'image.display'
   local a = named(who, ARGUMENTS, ...)
   if a.image == nil then arg.refuse(who, 'image', 'a tensor or a list of tensors', nil) end
   if a.win ~= nil and getmetatable(a.win) ~= Picture then
      arg.refuse(who, 'win', 'what an earlier image.display gave', a.win)
   end
   local ok, x = pcall(require 'image'.toDisplayTensor, { input = a.image, padding = a.padding, nrow = a.nrow, min = a.min,
      max = a.max, scaleeach = a.scaleeach, symmetric = a.symmetric, saturate = a.saturate })
   if not ok then error((tostring(x):gsub('image%.toDisplayTensor', who)), 2) end
   local picture = a.win or setmetatable({}, Picture)
   picture.image = zoomed(coloured(x), a.zoom)
   picture.legend = a.legend:gsub('%c', ' ')                                    -- no control sequences for the terminal
   if not a.offscreen then picture:show() end
   return picture
end

--- An error: windows of Qt are not part of this package.
function M.window()
   error('image.window: windows of Qt are not part of this package; image.display shows pictures in the terminal or as files', 2)
end

return M
