-- lua/image/terminal.lua - pictures as text for terminals: half blocks with 24-bit colours, sixels, the protocol of kitty.
local ffi = require 'ffi'
local torch = require 'torch'
local base64 = require 'torch.base64'
local environment = require 'torch.environment'

ffi.cdef [[
struct image_winsize { unsigned short rows, columns, width, height; };
int ioctl(int fd, unsigned long request, ...);
]]

local M = {}

local TIOCGWINSZ = ffi.os == 'OSX' and 0x40087468 or 0x5413

--- Rows and columns of the terminal at stdout, 24 x 80 if it does not report them; and pixels of a cell, if it does.
function M.size()
   local w = ffi.new 'struct image_winsize'
   if ffi.C.ioctl(1, TIOCGWINSZ, w) ~= 0 or w.rows == 0 or w.columns == 0 then return 24, 80 end
   return w.rows, w.columns, w.height / w.rows, w.width / w.columns
end

--- The protocol of the terminal: 'kitty', 'sixel' or 'blocks', from the environment. TH_DISPLAY overrides it.
function M.form()
   local named = environment.get 'TH_DISPLAY'
   if named == 'kitty' or named == 'sixel' or named == 'blocks' then return named end
   local term, program = os.getenv 'TERM' or '', os.getenv 'TERM_PROGRAM' or ''
   if os.getenv 'TMUX' or term:find '^screen' then return 'blocks' end        -- these pass neither protocol on
   if term:find 'kitty' or os.getenv 'KITTY_WINDOW_ID' or program == 'ghostty' or program == 'WezTerm' then return 'kitty' end
   if term:find 'sixel' or term:find '^mlterm' or term:find '^foot' or term:find '^yaft' then return 'sixel' end
   return 'blocks'
end

-- ---- sizes ------------------------------------------------------------------------------------------------------------------

-- m x n: row i has the weights of the n pixels whose mean is pixel i of m.
local function means(m, n)
   local w = torch.zeros(m, n)
   for i = 1, m do
      local first, last = (i - 1) * n / m, i * n / m
      for j = math.floor(first), math.min(math.ceil(last), n) - 1 do
         w[i][j + 1] = (math.min(last, j + 1) - math.max(first, j)) * m / n
      end
   end
   return w
end

--- Scales a picture of 3 x rows x columns bytes to these sizes: each pixel is the mean of those it covers.
function M.shrunk(x, rows, columns)
   local h, w = x:size(2), x:size(3)
   local part = math.min(rows / h, columns / w, 1)
   local m, n = math.max(1, math.floor(h * part)), math.max(1, math.floor(w * part))
   if m == h and n == w then return x end
   local left, right = means(m, h), means(n, w):t()
   local y = torch.Tensor(3, m, n)
   for c = 1, 3 do y[c] = torch.mm(torch.mm(left, x[c]:double()), right) end
   return y:add(0.5):clamp(0, 255):byte()
end

-- ---- half blocks ------------------------------------------------------------------------------------------------------------

local UPPER = '\226\150\128'                -- the upper half of a cell in the text colour, the lower in the background colour

--- A picture of 3 x rows x columns bytes as lines of text: two rows of pixels in each.
function M.blocks(x)
   local h, w, out = x:size(2), x:size(3), {}
   local p = x:contiguous()
   local data, plane = p:data(), h * w
   for i = 0, h - 1, 2 do
      local last
      for j = 0, w - 1 do
         local a = i * w + j
         local colours = ('\27[38;2;%d;%d;%d'):format(data[a], data[plane + a], data[2 * plane + a])
         if i + 1 < h then
            a = a + w
            colours = colours .. (';48;2;%d;%d;%dm'):format(data[a], data[plane + a], data[2 * plane + a])
         else
            colours = colours .. ';49m'
         end
         out[#out + 1] = (colours ~= last and colours or '') .. UPPER
         last = colours
      end
      out[#out + 1] = '\27[0m\n'
   end
   return table.concat(out)
end

-- ---- kitty ------------------------------------------------------------------------------------------------------------------

local PIECE = 4096                          -- the longest part that the protocol allows

--- A picture of 3 x rows x columns bytes in the protocol of the terminal kitty.
function M.kitty(x)
   local p = x:permute(2, 3, 1):contiguous()
   local text = base64.encode(ffi.string(p:data(), p:nElement()))
   local out = {}
   for at = 1, #text, PIECE do
      local head = at == 1 and ('a=T,f=24,s=%d,v=%d,'):format(x:size(3), x:size(2)) or ''
      out[#out + 1] = ('\27_G%sq=2,m=%d;%s\27\\'):format(head, at + PIECE <= #text and 1 or 0, text:sub(at, at + PIECE - 1))
   end
   return table.concat(out) .. '\n'
end

-- ---- sixels -----------------------------------------------------------------------------------------------------------------

local LEVELS = 6                            -- of each of red, green and blue: 216 colours

local function run(out, sixel, n)
   local c = string.char(63 + sixel)
   out[#out + 1] = n > 3 and ('!%d%s'):format(n, c) or c:rep(n)
end

-- One colour in a band of six rows: `rows` holds the sixels by columns.
local function band(out, colour, sixels, w)
   out[#out + 1] = '#' .. colour
   local last, n = sixels[0] or 0, 0
   for j = 0, w - 1 do
      local v = sixels[j] or 0
      if v ~= last then
         run(out, last, n)
         last, n = v, 0
      end
      n = n + 1
   end
   if last ~= 0 then run(out, last, n) end
   out[#out + 1] = '$'
end

--- A picture of 3 x rows x columns bytes in sixels.
function M.sixel(x)
   local h, w = x:size(2), x:size(3)
   local steps = x:double():mul((LEVELS - 1) / 255):add(0.5):floor()
   local colours = steps[1]:mul(LEVELS):add(steps[2]):mul(LEVELS):add(steps[3]):int()
   local data = colours:data()
   local out = { ('\27Pq"1;1;%d;%d'):format(w, h) }
   for k = 0, LEVELS ^ 3 - 1 do
      local r, g, b = math.floor(k / LEVELS ^ 2), math.floor(k / LEVELS) % LEVELS, k % LEVELS
      out[#out + 1] = ('#%d;2;%d;%d;%d'):format(k, r * 20, g * 20, b * 20)
   end
   for first = 0, h - 1, 6 do
      local seen, order = {}, {}
      for i = first, math.min(first + 5, h - 1) do
         for j = 0, w - 1 do
            local k = data[i * w + j]
            if not seen[k] then seen[k], order[#order + 1] = {}, k end
            seen[k][j] = (seen[k][j] or 0) + 2 ^ (i - first)
         end
      end
      for _, k in ipairs(order) do band(out, k, seen[k], w) end
      out[#out + 1] = '-'
   end
   return table.concat(out) .. '\27\\\n'
end

return M
