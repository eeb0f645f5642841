-- test/attack/surroundings.lua - programs in hostile surroundings: little memory or stack, few descriptors, full or read-only
-- folders, no HOME, strange locales and variables. A program ends well or with an error that says what was missing.
package.path = './?.lua;' .. package.path
local child = require 'test.attack.child'
local paths = require 'paths'
local quote, draw, pick = child.quote, child.draw, child.pick

-- Each has the folder FOLDER to write to.
local programs = {
   train = [[
      local nn, optim = require 'nn', require 'optim'
      local net, loss = nn.Sequential():add(nn.SpatialConvolution(1, 4, 3, 3)):add(nn.ReLU()):add(nn.View(4 * 36)):add(nn.Linear(144, 3)),
         nn.CrossEntropyCriterion()
      local x, g = net:getParameters()
      local input, target = torch.rand(8, 1, 8, 8), torch.LongTensor(8):random(1, 3)
      for _ = 1, 3 do
         optim.adam(function()
            g:zero()
            local l = loss:forward(net:forward(input), target)
            net:backward(input, loss:backward(net.output, target))
            return l, g
         end, x, {})
      end
      torch.save(FOLDER .. '/net.t7', net)
      assert(torch.load(FOLDER .. '/net.t7'):getParameters():equal(x))]],
   linear = [[
      local a = torch.rand(300, 300)
      local u, s = torch.svd(a)
      assert(u:size(1) == 300 and s:min() >= 0)
      torch.inverse(a)
      torch.mm(a, a)]],
   large = [[
      for i = 16, 25 do
         local ok, x = pcall(torch.FloatTensor, 2 ^ i)
         if ok then x:fill(1):cumsum() x = nil else assert(x:find 'memory', x) break end
         collectgarbage()
      end]],
   files = [[
      local t = { x = torch.rand(1000), y = torch.ByteTensor(77):fill(3), word = 'text' }
      for _, name in ipairs { 'a.t7', 'b.t7' } do
         torch.save(FOLDER .. '/' .. name, t)
         assert(torch.load(FOLDER .. '/' .. name).x:equal(t.x))
      end
      torch.save(FOLDER .. '/x.npy', t.x)
      torch.save(FOLDER .. '/x.npz', { x = t.x })
      local f = torch.DiskFile(FOLDER .. '/lines', 'w')
      for i = 1, 1000 do f:writeString('line ' .. i .. '\n') end
      f:close()]],
   pictures = [[
      local image = require 'image'
      local x = image.scale(image.lena(), 64, 64)
      image.save(FOLDER .. '/x.ppm', x)
      assert(image.load(FOLDER .. '/x.ppm'):size(2) == 64)
      image.display { image = x, offscreen = true }]],
   threads = [[
      local threads = require 'threads'
      local pool, sum = threads.Threads(3, function() require 'torch' end), 0
      for i = 1, 20 do pool:addjob(function() return i end, function(v) sum = sum + v end) end
      pool:synchronize()
      assert(sum == 210)
      pool:terminate()]],
   loader = [[
      local feed = require 'feed'
      local n = 0
      for batch in feed.loader(feed.tensors { torch.rand(50, 4), torch.range(1, 50) }, { batch = 8, threads = 2 }):batches() do n = n + 1 end
      assert(n > 0)]],
   prompt = [[
      print(torch.rand(3, 3), { a = 1, b = { 2 } }, torch.help)
      io.stdout:write(('x'):rep(100000), '\n')]],
}
local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

local strange = { '', '0', '-1', 'nan', 'inf', '1e99', '99999999999999999999', 'x', ' ', '\\', '/nowhere', '%s%n', ('a'):rep(5000), '1;2' }
local variables = { 'TH_CPU', 'TH_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'TH_DISPLAY', 'TH_JPEG', 'TH_PNG', 'TH_CUDA',
   'TH_UNSAFE_LOAD', 'TH_CONV_CACHE', 'COLUMNS', 'LINES', 'TERM', 'LUA_PATH_EXTRA', 'HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'LANG', 'LC_ALL' }

-- What comes before the command in a shell. The folder is made before it.
local conditions = {
   function() return ('ulimit -v %d; '):format(2 ^ 10 * (40 + draw(400))) end,
   function() return ('ulimit -s %d; '):format(64 + draw(2000)) end,
   function() return ('ulimit -n %d; '):format(4 + draw(30)) end,
   function() return ('ulimit -f %d; '):format(draw(20) - 1) end,
   function() return 'unset HOME; ' end,
   function() return 'export HOME=/nonexistent; ' end,
   function() return ('export LC_ALL=%s LANG=%s; '):format(pick { 'C', 'POSIX', 'de_DE.UTF-8', 'tr_TR', 'xx', '/' }, pick { 'C', 'fr_FR' }) end,
   function() return ('export %s=%s; '):format(pick(variables), quote(pick(strange))) end,
   function() return ('export %s=%s %s=%s; '):format(pick(variables), quote(pick(strange)), pick(variables), quote(pick(strange))) end,
   function() return 'exec <&-; ' end,
   function() return 'exec >/dev/full; ' end,
   function() return 'exec >&-; ' end,
   function() return 'exec 2>&-; ' end,
   function(folder) return ('rmdir %s; '):format(quote(folder)) end,
   function(folder) return ('rmdir %s; ln -s /dev/full %s; '):format(quote(folder), quote(folder)) end,
   function(folder) return ('rmdir %s; ln -s /proc/self %s; '):format(quote(folder), quote(folder)) end,
   function(folder) return ('cd %s; rmdir %s; mkdir %s; '):format(quote(folder), quote(folder), quote(folder)) end,
}

-- What a program may not say: Lua's own words about our code, or a fault of a library.
local faults = { 'lua/[%w_/]+%.lua:%d+: attempt to', 'attempt to index', 'attempt to call', 'Segmentation', 'Aborted', 'double free',
   'corrupt', 'PANIC', 'terminate called', 'Assertion' }

child.run(function(number)
   local name = pick(names)
   local folder = ('%s/at%d'):format(child.folder, number)
   assert(paths.mkdir(folder))
   local script = folder .. '.lua'
   local f = assert(io.open(script, 'w'))
   f:write(('local torch, FOLDER = require "torch", %q\n'):format(folder), programs[name], '\n')
   f:close()
   local before = ''
   for part = 1, draw(2) do
      local condition = pick(conditions)(folder)
      if child.has(part) then before = before .. condition end
   end
   local launcher = child.launcher
   if not launcher:find '^/' then launcher = paths.cwd() .. '/' .. launcher end
   local command = ('%s timeout -s KILL 40 %s %s'):format(before, quote(launcher), quote(script))
   local status = os.execute(('sh -c %s >%s.out 2>%s.err </dev/null'):format(quote(command), quote(folder), quote(folder)))
   status = status % 256 == 0 and status / 256 or 128 + status % 128
   local errors = io.open(folder .. '.err')
   local said = errors and errors:read '*a' or ''
   if errors then errors:close() end
   for _, suffix in ipairs { '', '.lua', '.out', '.err' } do os.execute('rm -rf ' .. quote(folder .. suffix)) end
   local why
   if status == 137 then why = 'it hung for 40 s'
   elseif status >= 126 and status ~= 153 then why = 'status ' .. status end          -- 153: SIGXFSZ, the limit of a file
   for _, pattern in ipairs(faults) do if said:find(pattern) then why = (why or '') .. ' it says: ' .. said:match('[^\n]*' .. pattern .. '[^\n]*') end end
   return why and ('%s under %s%s %s'):format(name, before, why, said:sub(1, 200))
end)
