-- test/image/draw_spec.lua - rectangles and text.
local torch = require 'torch'
local image = require 'image'

local function refuses(text, f, ...)
   local ok, why = pcall(f, ...)
   assert.is_false(ok)
   assert.truthy(tostring(why):find(text, 1, true), tostring(why))
end

-- The red plane as rows of '#' and '.'.
local function seen(picture)
   local rows = {}
   for y = 1, picture:size(2) do
      local row = {}
      for x = 1, picture:size(3) do row[x] = picture[1][y][x] > 0 and '#' or '.' end
      rows[y] = table.concat(row)
   end
   return rows
end

describe('image.drawRect', function()
   it('draws an outline', function()
      assert.same({ '.....', '.###.', '.#.#.', '.###.' }, seen(image.drawRect(torch.zeros(3, 4, 5), 2, 2, 4, 4)))
      assert.same({ '.....', '.###.', '.#.#.', '.###.' }, seen(image.drawRect(torch.zeros(3, 4, 5), 4, 4, 2, 2)))
   end)

   it('draws lines of any width around the corners', function()
      assert.same({ '####', '####', '####' }, seen(image.drawRect(torch.zeros(3, 3, 4), 2, 2, 3, 2, { lineWidth = 3 })))
   end)

   it('leaves out what lies outside', function()
      assert.same({ '..#', '###', '...' }, seen(image.drawRect(torch.zeros(3, 3, 3), -5, -5, 3, 2)))
      assert.same({ '...', '...' }, seen(image.drawRect(torch.zeros(3, 2, 3), 100, 100, 200, 2e9)))
   end)

   it('takes colours of 0 to 255', function()
      local color = { 0, 51, 255 }
      local y = image.drawRect(torch.zeros(3, 1, 1), 1, 1, 1, 1, { color = color })
      assert.near(0.2, y[2][1][1], 1e-7)
      assert.equal(1, y[3][1][1])
      assert.same({ 0, 51, 255 }, torch.totable(image.drawRect(torch.ByteTensor(3, 1, 1), 1, 1, 1, 1, { color = color }):view(3)))
   end)

   it('draws into a copy, or in place', function()
      local x = torch.zeros(3, 2, 2)
      image.drawRect(x, 1, 1, 2, 2)
      assert.equal(0, x:sum())
      assert.is_true(rawequal(x, image.drawRect(x, 1, 1, 2, 2, { inplace = true })))
      assert.equal(4, x:sum())
   end)

   it('draws into views', function()
      local x = torch.zeros(3, 3, 4)
      image.drawRect(x:transpose(2, 3):narrow(2, 2, 2), 1, 1, 1, 1, { inplace = true })
      assert.same({ '.#..', '....', '....' }, seen(x))
   end)

   it('draws nothing without all four sides', function()
      assert.equal(0, image.drawRect(torch.zeros(3, 2, 2), 1, 1, 2):sum())
   end)

   it('refuses pictures without three planes, and numbers and colours of other types', function()
      local x = torch.zeros(3, 2, 2)
      refuses('image.drawRect: the picture must have 3 dimensions', image.drawRect, x[1], 1, 1, 2, 2)
      refuses('image.drawRect: the picture must have 3 planes, got 2x2x2', image.drawRect, torch.zeros(2, 2, 2), 1, 1, 2, 2)
      refuses('image.drawRect: x1 must be a number', image.drawRect, x, 0 / 0, 1, 2, 2)
      refuses('image.drawRect: y2 must be a number', image.drawRect, x, 1, 1, 2, 'low')
      refuses('image.drawRect: lineWidth must be a number from 1 on, got a number (0)', image.drawRect, x, 1, 1, 2, 2, { lineWidth = 0 })
      refuses('image.drawRect: color must be a table of 3 numbers', image.drawRect, x, 1, 1, 2, 2, { color = { 1, 2 } })
      refuses('image.drawRect: the options must be a table', image.drawRect, x, 1, 1, 2, 2, 3)
   end)
end)

describe('image.drawText', function()
   local LETTER = { '..#...', '.#.#..', '#...#.', '#...#.', '#####.', '#...#.', '#...#.', '......' }

   it('draws letters of 5 x 7 pixels', function()
      assert.same(LETTER, seen(image.drawText(torch.zeros(3, 8, 6), 'A', 0, 0)))
   end)

   it('begins one pixel from the corner', function()
      local y = image.drawText(torch.zeros(3, 9, 7), 'A')
      assert.same(LETTER, seen(y:narrow(2, 2, 8):narrow(3, 2, 6)))
   end)

   it('draws letters of any size', function()
      local y = image.drawText(torch.zeros(3, 16, 12), 'A', 0, 0, { size = 2 })
      for _, corner in ipairs { 1, 2 } do
         local rows = torch.LongTensor(8):copy(torch.range(corner, 16, 2))
         local cols = torch.LongTensor(6):copy(torch.range(corner, 12, 2))
         assert.same(LETTER, seen(y:index(2, rows):index(3, cols)))
      end
   end)

   it('has a glyph for every printable character, each another one, and a box for other bytes', function()
      local all = {}
      for code = 33, 126 do
         local glyph = table.concat(seen(image.drawText(torch.zeros(3, 8, 6), string.char(code), 0, 0)))
         assert.truthy(glyph:find '#')
         assert.is_nil(all[glyph])
         all[glyph] = code
      end
      local box = seen(image.drawText(torch.zeros(3, 8, 6), '\200', 0, 0))
      assert.same({ '#####.', '#...#.' }, { box[1], box[2] })
   end)

   it('draws a background of whole cells', function()
      local y = image.drawText(torch.zeros(3, 9, 14), '  ', 0, 0, { bg = { 255, 255, 255 } })
      assert.equal(3 * 8 * 12, y:sum())
   end)

   it('leaves out what lies outside', function()
      local y = image.drawText(torch.zeros(3, 4, 4), 'A', -1, -1)
      assert.same({ '#.#.', '...#', '...#', '####' }, seen(y))
      assert.equal(0, image.drawText(torch.zeros(3, 4, 4), ('A'):rep(100), 9, 9):sum())
   end)

   it('does not change its options', function()
      local options = {}
      image.drawText(torch.zeros(3, 8, 8), 'A', 0, 0, options)
      assert.is_nil(next(options))
   end)

   it('draws into a copy, or in place, also of bytes', function()
      local x = torch.ByteTensor(3, 8, 6):zero()
      image.drawText(x, 'A', 0, 0)
      assert.equal(0, x:max())
      assert.is_true(rawequal(x, image.drawText(x, 'A', 0, 0, { inplace = true })))
      assert.equal(255, x:max())
      local y = torch.ByteTensor(3, 8, 6):zero()
      image.byte.text(y, 'A', 0, 0, 1, 255, 0, 0, -1)
      assert.same(seen(x), seen(y))
   end)

   it('refuses pictures without three planes, and arguments of other types', function()
      local x = torch.zeros(3, 8, 8)
      refuses('image.drawText: the picture must have 3 dimensions', image.drawText, x[1], 'a', 0, 0)
      refuses('image.drawText: the picture must have 3 planes, got 2x8x8', image.drawText, x:narrow(1, 1, 2), 'a', 0, 0)
      refuses('image.drawText: the text must be a string, got nil', image.drawText, x)
      refuses('image.drawText: size must be a number from 1 on', image.drawText, x, 'a', 0, 0, { size = 0 })
      refuses('image.drawText: x must be a number', image.drawText, x, 'a', 1 / 0, 0)
   end)
end)
