-- test/image/display_spec.lua - image.display in terminals and without one.
-- runs once
local ffi = require 'ffi'
local torch = require 'torch'
local image = require 'image'
local terminal = require 'image.terminal'
local pty = require 'test.support.pty'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

teardown(temporary.remove)

local TH = os.getenv 'TH' or 'build/bin/th'

-- What a script writes. `env` stands in front of the command.
local function run(env, code)
   local script = temporary.put("require 'image'\n" .. code, '.lua')
   local p = io.popen(("%s timeout 60 '%s' %s 2>&1"):format(env, TH, script))
   local out = p:read '*a'
   p:close()
   return out
end

local two = torch.ByteTensor { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, { { 10, 20 }, { 30, 40 }, { 50, 60 } },
   { { 7, 7 }, { 7, 7 }, { 7, 7 } } }

describe('a picture as text', function()
   it('has two rows of pixels in a line of half blocks', function()
      local block = '\226\150\128'
      assert.equal('\27[38;2;1;10;7;48;2;3;30;7m' .. block .. '\27[38;2;2;20;7;48;2;4;40;7m' .. block .. '\27[0m\n'
         .. '\27[38;2;5;50;7;49m' .. block .. '\27[38;2;6;60;7;49m' .. block .. '\27[0m\n', terminal.blocks(two))
   end)
   it('goes to kitty in parts of base 64', function()
      assert.equal('\27_Ga=T,f=24,s=2,v=3,q=2,m=0;AQoHAhQHAx4HBCgHBTIHBjwH\27\\\n', terminal.kitty(two))
      local text = terminal.kitty(torch.ByteTensor(3, 40, 40):fill(0))
      local parts = {}
      for more, part in text:gmatch ',?m=([01]);([^\27]*)' do parts[#parts + 1] = more .. #part end
      assert.same({ '14096', '02304' }, parts)
   end)
   it('has six rows of pixels in a band of sixels', function()
      local x = torch.ByteTensor(3, 7, 5):fill(0)
      x:narrow(3, 5, 1):fill(255)
      local text = terminal.sixel(x)
      assert.equal('\27Pq"1;1;5;7#0;2;0;0;0#1;2;0;0;20', text:sub(1, 32))
      assert.truthy(text:find('#215;2;100;100;100#0!4~$#215!4?~$-#0!4@$#215!4?@$-\27\\\n', 1, true), text:sub(-80))
   end)
   it('is made smaller by means, and never larger', function()
      local x = torch.ByteTensor { { { 0, 100 }, { 100, 200 } } }:expand(3, 2, 2):contiguous()
      assert.same({ { { 100 } }, { { 100 } }, { { 100 } } }, torch.totable(terminal.shrunk(x, 1, 9)))
      assert.is_true(terminal.shrunk(x, 99, 99):equal(x))
      assert.same({ 3, 2, 3 }, terminal.shrunk(torch.ByteTensor(3, 5, 9), 2, 99):size():totable())
      local wide = torch.ByteTensor(3, 1, 1000):fill(9)
      assert.same({ 3, 1, 10 }, terminal.shrunk(wide, 10, 10):size():totable())
      assert.equal(9, terminal.shrunk(wide, 10, 10):min())
   end)
end)

describe('image.display', function()
   it('returns the picture in bytes, with three planes', function()
      local p = image.display { image = torch.Tensor { { 1, 3 }, { 2, 3 } }, offscreen = true }
      assert.same({ { { 0, 255 }, { 128, 255 } } }, torch.totable(p.image:narrow(1, 2, 1)))
      assert.equal('image: 2 x 2 pixels', tostring(p))
      local function size(options)
         options.offscreen = true
         return image.display(options).image:size():totable()
      end
      assert.same({ 3, 4, 6 }, size { image = torch.rand(3, 2, 3), zoom = 2 })
      assert.same({ 3, 2, 6 }, size { image = { torch.rand(2, 3), torch.rand(2, 3) } })
   end)
   it('draws in the form that TH_DISPLAY names', function()
      local code = "image.display{image = torch.eye(2), legend = 'a\\27b'}"
      assert.equal('\27[38;2;255;255;255;48;2;0;0;0m\226\150\128\27[38;2;0;0;0;48;2;255;255;255m\226\150\128\27[0m\na b\n',
         run('TH_DISPLAY=blocks', code))
      assert.truthy(run('TH_DISPLAY=kitty', code):find('\27_Ga=T,f=24,s=2,v=2', 1, true))
      assert.truthy(run('TH_DISPLAY=sixel', code):find('\27Pq"1;1;2;2', 1, true))
   end)
   it('draws half blocks on a terminal, as wide as it is', function()
      if not pty.there() then return pending 'this machine gives no terminals' end
      local script = temporary.put("require 'image' image.display(torch.eye(200))", '.lua')
      local shell = "unset TMUX TH_DISPLAY KITTY_WINDOW_ID TERM_PROGRAM; stty rows 12 columns 30; '%s' %s"
      local p = pty.start { 'sh', '-c', shell:format(TH, script) }
      assert.equal(0, p:finish())
      local lines, blocks = select(2, p.text:gsub('\27%[0m\n', '')), select(2, p.text:gsub('\226\150\128', ''))
      assert.same({ 10, 200 }, { lines, blocks })                                -- 20 x 20 pixels
   end)
   it('writes a file where there is no terminal, the same one for `win`', function()
      local out = run('', [[
         local win = image.display{image = torch.eye(2), legend = 'first'}
         image.display{image = torch.eye(3), win = win}
         print(image.getSize(win.file)[2], win)
         os.remove(win.file)
      ]])
      local name, again = out:match 'image%.display: (%S+) %(first%)\nimage%.display: (%S+)\n'
      assert(name and name == again, out)
      assert.truthy(out:find('3\timage: 3 x 3 pixels, in ' .. name, 1, true), out)
   end)
   it('refuses what is no picture, and sizes that are too large', function()
      refuses('image.display: image must be a tensor or a list of tensors, got nil', image.display)
      refuses('image.display: ', image.display, torch.Tensor(3))
      refuses('image.display: win must be what an earlier image.display gave', image.display, { image = torch.eye(2), win = 3 })
      for _, zoom in ipairs { 0, -1, 0 / 0, 1e9, math.huge } do
         refuses('image.display: zoom must give 1 to 67108864 pixels', image.display,
            { image = torch.eye(2), zoom = zoom, offscreen = true })
      end
   end)
   it('gives the bytes of a PNG file', function()
      if not pcall(ffi.load, os.getenv 'TH_PNG' or 'libpng16.so.16') then return pending 'libpng is not installed' end
      local p = image.display { image = torch.eye(2), offscreen = true }
      local name = temporary.put(p:png(), '.png')
      assert.is_true(image.load(name, nil, 'byte'):equal(p.image))
   end)
end)

describe('image.window', function()
   it('says that there are no windows', function() refuses('image.window: windows of Qt are not part', image.window) end)
end)
