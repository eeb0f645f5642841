-- test/comm/commit_spec.lua - dist.commit and dist.restore: the last complete checkpoint, whatever
-- happens to files and disks.
-- runs once
local dist = require 'dist'
local torch = require 'torch'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end

local function listing(folder)
   local p = io.popen(("cd '%s' && find . -type f | sort"):format(folder))
   local text = p:read '*a'
   p:close()
   return text
end

-- The files of two checkpoints, as listing returns them.
local function whole(a, b)
   local names = {}
   for i, n in ipairs { a, b } do names[i] = ('./%d/manifest.t7\n./%d/rank-0.t7\n./%d/rank-1.t7\n'):format(n, n, n) end
   return table.concat(names) .. './manifest.t7\n'
end

-- A folder with three checkpoints of two ranks: { step = its number, x = five numbers }.
local function committed()
   local folder = temporary.name '.commits'
   ranks.ok(2, ([[for step = 1, 3 do dist.commit({ step = step, x = torch.ones(5) * step }, { folder = %q }) end]]):format(folder))
   return folder
end

local function remove(folder) os.execute(("rm -r '%s'"):format(folder)) end

local function spoil(name, change)
   local bytes = temporary.get(name)
   local f = assert(io.open(name, 'wb'))
   f:write(change(bytes))
   f:close()
end

-- Counts to 30 with random numbers; is killed in the first attempts, and continues from the last
-- checkpoint.
local counting = [[
local state = dist.restore() or { step = 0, sum = torch.zeros(3), seed = 11 + dist.rank() }
for step = state.step + 1, 30 do
   torch.manualSeed(state.seed + step)
   state.sum:add(dist.allreduce(torch.rand(3)))
   state.step = step
   if step % 4 == 0 then dist.commit(state) end
   if step == 7 + 9 * dist.restarts() and dist.rank() == 1 and KILL and dist.restarts() < 2 then os.execute('kill -9 ' .. pid()) end
end
print(('sum %.17g %.17g'):format(state.sum[1], state.sum[3]))
]]

describe('dist.commit', function()
   it('lets a job continue with the same bits after kill -9', function()
      local folder = temporary.name '.commits'
      local calm = ranks.ok(2, 'local KILL = false ' .. counting, ("--commit '%s'"):format(folder))
      remove(folder)
      local status, out, err = ranks.run(2, 'local KILL = true ' .. counting, ("--restarts 3 --commit '%s'"):format(folder))
      assert.equal(0, status, err)
      has(err, 'restart 2 of 3')
      assert.equal(calm:match 'sum [^\n]*', out:match 'sum [^\n]*')
      assert.equal(whole(6, 7), listing(folder))
      ranks.ok(3, [[
         local state, info = dist.restore()
         assert(state.step == 28 and info.number == 7 and info.size == 2 and state.seed == 11 + dist.rank() % 2)]],
         ("--commit '%s'"):format(folder))
      remove(folder)
   end)

   it('keeps two commits, and clears up what killed ones have left', function()
      local folder = committed()
      assert.equal(whole(2, 3), listing(folder))
      os.execute(("cd '%s' && mkdir 1 4 && touch 1/rank-0.t7 "
         .. "4/.rank-0.t7.1-1.tmp 4/rank-7.t7 4/.manifest.t7.1-1.tmp .manifest.t7.1-1.tmp mine"):format(folder))
      ranks.ok(2, ([[assert(dist.commit({ step = 4 }, { folder = %q }) == 4)]]):format(folder))
      assert.equal(whole(3, 4) .. './mine\n', listing(folder))
      remove(folder)
   end)

   it('never removes what others have written into numbered folders', function()
      local folder = temporary.name '.commits'
      os.execute(("mkdir -p '%s/1' '%s/3' && cd '%s' && touch 1/thesis.txt 1/rank-0.t7 3/rank-0.t7 3/notes 07 7"):format(folder,
         folder, folder))
      ranks.ok(2, ([[
         local o = { folder = %q }
         says(dist.rank() == 0 and o.folder .. '/1 contains thesis.txt, which is not a file of a commit' or 'failed on 1 other rank',
            dist.commit, {}, o)
         assert(dist.restore(o) == nil)
         if dist.rank() == 0 then os.rename(o.folder .. '/1', o.folder .. '/2000') end
         assert(dist.commit({ 1 }, o) == 1 and dist.commit({ 2 }, o) == 2)
         says(dist.rank() == 0 and '/3 contains notes' or 'failed on 1 other rank', dist.commit, {}, o)
         assert(dist.restore(o)[1] == 2)]]):format(folder))
      assert.equal('./07\n' .. whole(1, 2):gsub('%./manifest.*$', '')
         .. './2000/rank-0.t7\n./2000/thesis.txt\n./3/notes\n./3/rank-0.t7\n./7\n./manifest.t7\n', listing(folder))
      remove(folder)
   end)

   it('fails on all ranks when the disk is full, takes no room then, and the commit before is there', function()
      local script = ranks.script [[
         local o = { folder = arg[1] }
         assert(dist.commit({ 'first' }, o) == 1)
         local large = { torch.ByteTensor(dist.rank() == 1 and 9e6 or 1e5) }
         says(dist.rank() == 1 and 'No space left' or 'dist.commit: ', dist.commit, large, o)
         assert(dist.restore(o)[1] == 'first')
         assert(dist.commit({ 'second', torch.ByteTensor(1e6) }, o) == 2)
         assert(dist.restore(o)[1] == 'second')
         os.execute(('head -c 9000000 /dev/zero >%s/fill 2>/dev/null'):format(o.folder))
         dist.barrier()
         says('dist.commit: ', dist.commit, { 'third' }, o)
         assert(dist.restore(o)[1] == 'second')
         print 'as it should']]
      local folder = temporary.name '.tmpfs'
      local inside = temporary.put(("mkdir -p '%s' && mount -t tmpfs -o size=8m tmpfs '%s' || exit 9\n'%s' -n 2 '%s' '%s'\n")
         :format(folder, folder, ranks.thrun, script, folder), '.sh')
      local status, out, err = ranks.sh(("unshare -rm sh '%s'"):format(inside))
      os.execute(("rmdir '%s' 2>/dev/null"):format(folder))
      if status == 9 or err:find('unshare', 1, true) then return pending 'this system does not let a user mount a tmpfs' end
      local _, n = out:gsub('as it should', '')
      assert.equal(2, n, out .. err)
   end)

   it('says what went wrong, on all ranks', function()
      dist.init()
      refuses('dist.commit: give the option folder, or start with thrun --commit FOLDER', dist.commit, {})
      refuses('dist.restore: options must be a table, got a number (1)', dist.restore, 1)
      refuses('dist.commit: cannot make the folder /proc/no/1', dist.commit, {}, { folder = '/proc/no' })
      local folder = temporary.name '.commits'
      refuses('dist.commit: ', dist.commit, { newproxy() }, { folder = folder })
      assert.is_nil(dist.restore { folder = folder })
      assert.equal(1, dist.commit({ 5 }, { folder = folder }))
      assert.same({ 5 }, (dist.restore { folder = folder }))
      os.remove(folder .. '/1/rank-0.t7')
      refuses('dist.restore: ' .. folder .. '/1/rank-0.t7: No such file', dist.restore, { folder = folder })
      remove(folder)
   end)
end)

describe('dist.restore', function()
   local damages = {
      ['has bytes less'] = { function(s) return s:sub(1, -9) end, 'bytes, it was written with' },
      ['is empty'] = { function() return '' end, 'has 0 bytes, it was written with' },
      ['holds another byte'] = { function(s) return s:sub(1, -9) .. 'x' .. s:sub(-7) end, 'holds other bytes than were written' },
   }
   for how, damage in pairs(damages) do
      it('takes the commit before, on all ranks, where a file ' .. how .. ', and continues from there', function()
         local folder = committed()
         spoil(folder .. '/3/rank-1.t7', damage[1])
         local status, out, err = ranks.run(2, ([[
            local o = { folder = %q }
            local state, info = dist.restore(o)
            assert(state.step == 2 and state.x:sum() == 10 and info.number == 2)
            assert(dist.commit({ step = 30 }, o) == 4)
            assert(dist.restore(o).step == 30)
            print 'went on']]):format(folder))
         assert.equal(0, status, err)
         has(out, '[0] went on')
         has(err, '[1] dist.restore: ' .. folder .. '/3/rank-1.t7 ' .. (how == 'holds another byte' and '' or 'has '))
         has(err, damage[2])
         has(err, '; using commit 2 instead')
         assert.equal(whole(2, 4), listing(folder))
         spoil(folder .. '/4/rank-0.t7', damage[1])
         ranks.ok(2, ([[assert(dist.restore{ folder = %q }.step == 2)]]):format(folder))
         remove(folder)
      end)
   end

   it('is an error that names the files where both commits are damaged', function()
      local folder = committed()
      os.remove(folder .. '/3/rank-0.t7')
      spoil(folder .. '/2/rank-1.t7', function(s) return s:sub(1, 10) end)
      local status, _, err = ranks.run(2, ([[dist.restore{ folder = %q }]]):format(folder))
      assert.equal(1, status)
      has(err, folder .. '/3/rank-0.t7: No such file')
      has(err, folder .. '/2/rank-1.t7 has 10 bytes')
      has(err, 'dist.restore: it failed on 1 other rank')
      remove(folder)
   end)

   it('reads the manifests of the commits where that of all is damaged or missing, and continues counting from them', function()
      for how, change in pairs { empty = function(s) return s:sub(1, 0) end, cut = function(s) return s:sub(1, 20) end,
                                 missing = false } do
         local folder = committed()
         local manifest = folder .. '/manifest.t7'
         if change then spoil(manifest, change) else os.remove(manifest) end
         local status, _, err = ranks.run(2, ([[
            local o = { folder = %q }
            local state, info = dist.restore(o)
            assert(state.step == 3 and info.number == 3)
            assert(dist.commit({ step = 30 }, o) == 4)
            assert(dist.restore(o).step == 30)]]):format(folder))
         assert.equal(0, status, err)
         has(err, '[0] dist.restore: ' .. manifest .. (how == 'missing' and ' is missing' or ': torch.load'))
         has(err, '; the last commit by its folder is 3')
         assert.equal(whole(3, 4), listing(folder))
         remove(folder)
      end
   end)

   it('gives a state back whichever byte of the manifest is another', function()
      dist.init()
      local folder = temporary.name '.commits'
      for step = 1, 2 do dist.commit({ step = step }, { folder = folder }) end
      local manifest, stderr = folder .. '/manifest.t7', io.stderr
      local good = temporary.get(manifest)
      io.stderr = { write = function() end }
      local ok, why = pcall(function()
         for at = 1, #good do
            spoil(manifest, function() return good:sub(1, at - 1) .. string.char(255 - good:byte(at)) .. good:sub(at + 1) end)
            assert.truthy(({ true, true })[dist.restore({ folder = folder }).step], 'byte ' .. at)
         end
      end)
      io.stderr = stderr
      assert(ok, why)
      remove(folder)
   end)

   it('takes nothing for a manifest that is none, and says so where no folder holds a commit', function()
      dist.init()
      local folder = temporary.name '.commits'
      local manifest = folder .. '/manifest.t7'
      os.execute(("mkdir '%s'"):format(folder))
      for _, object in ipairs { { 3 }, 'text', { number = 1.5, size = 1, parts = { { 1, 2 } } },
                                { number = 1, size = 2, parts = { { 1, 2 } } }, { number = 1, size = 1, parts = { 7 } },
                                { number = 1, size = 1, parts = { { 1, 2 } }, before = 8 } } do
         torch.save(manifest, object)
         refuses('dist.restore: ' .. manifest .. ' is not a manifest of commits, and no folder contains a complete commit',
            dist.restore, { folder = folder })
      end
      assert.equal(1, dist.commit({ step = 1 }, { folder = folder }))
      assert.equal(1, dist.restore({ folder = folder }).step)
      os.execute(("cd '%s' && mv 1 2 && rm 2/manifest.t7 manifest.t7"):format(folder))
      refuses('dist.restore: ' .. manifest .. ' is missing, and no folder', dist.restore, { folder = folder })
      assert.equal(3, dist.commit({}, { folder = folder }))
      remove(folder)
   end)

   it('takes a commit of the first version, which had no checksums', function()
      local folder = temporary.name '.commits'
      os.execute(("mkdir -p '%s/3'"):format(folder))
      torch.save(folder .. '/3/rank-0.t7', { step = 3 })
      torch.save(folder .. '/manifest.t7', { number = 3, size = 1 })
      dist.init()
      local state, info = dist.restore { folder = folder }
      assert.same({ 3, 3 }, { state.step, info.number })
      assert.equal(4, dist.commit({ step = 4 }, { folder = folder }))
      os.remove(folder .. '/4/rank-0.t7')
      assert.equal(3, dist.restore({ folder = folder }).step)
      spoil(folder .. '/3/rank-0.t7', function(s) return s:sub(1, 9) end)
      refuses('dist.restore: ' .. folder .. '/3/rank-0.t7: torch.load', dist.restore, { folder = folder })
      remove(folder)
   end)

   it('refuses folders that are not the same for all ranks', function()
      local folder = committed()
      ranks.ok(2, ([[says('dist.restore: the ranks see different commits in', dist.restore,
         { folder = %q .. (dist.rank() == 1 and '.other' or '') })]]):format(folder))
      remove(folder)
   end)
end)

teardown(temporary.remove)
