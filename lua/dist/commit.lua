-- lua/dist/commit.lua - the state of a job in a folder: all ranks' parts of one moment, or those of the moment before.
--
-- A commit is a folder of one file per rank; the file `manifest` names the last one that is whole, and the one before. It is
-- replaced in one step, when all parts are on the disk. It knows how many bytes each part has, and their checksum.
local torch = require 'torch'
local arg = require 'torch.arg'
local paths = require 'paths'
local dist = require 'dist'
local C = require 'torch.lib'.C

local returned = {}                    -- by folder: the commit that restore went back to, as the last one is damaged

local function folder_of(who, options)
   if options ~= nil and type(options) ~= 'table' then arg.refuse(who, 'options', 'a table', options, 3) end
   local folder = options and options.folder or os.getenv 'TH_DIST_COMMIT'
   if type(folder) ~= 'string' or folder == '' then
      error(who .. ': where? Give the option folder, or start with thrun --commit FOLDER', 3)
   end
   return folder
end

local function is_count(v, least) return type(v) == 'number' and v % 1 == 0 and v >= least and v <= 2 ^ 53 end

local function is_entry(e)
   if type(e) ~= 'table' or not is_count(e.number, 1) or not is_count(e.size, 1) then return false end
   if type(e.parts) ~= 'table' or #e.parts ~= e.size then return false end
   for _, mark in ipairs(e.parts) do
      if type(mark) ~= 'table' or not is_count(mark[1], 0) or not is_count(mark[2], 0) then return false end
   end
   return true
end

-- The last commit: number, size (ranks), parts (bytes and checksum of each), and the commit `before`; nil where there is none.
local function manifest_of(folder)
   local path = folder .. '/manifest.t7'
   if not paths.filep(path) then return nil end
   local last = torch.load(path)
   if not is_entry(last) or last.before and not is_entry(last.before) then error(path .. ' is no manifest of commits', 0) end
   return last
end

local function place(folder, number) return ('%s/%d'):format(folder, number) end
local function part(folder, number, rank) return ('%s/rank-%d.t7'):format(place(folder, number), rank) end

-- Bytes of a file, and their checksum; nil and why where it cannot be read.
local function mark_of(path)
   local f, why = io.open(path, 'rb')
   if not f then return nil, why end
   local bytes, crc = 0, 0
   for piece in function() return f:read(2 ^ 20) end do
      bytes, crc = bytes + #piece, C.th_zip_crc(crc, piece, #piece)
   end
   f:close()
   return { bytes, crc }
end

-- What is wrong with a part, or nil.
local function damage_of(path, mark)
   local now, why = mark_of(path)
   if not now then return why end
   if now[1] ~= mark[1] then return ('%s has %.0f bytes, it was written with %.0f'):format(path, now[1], mark[1]) end
   if now[2] ~= mark[2] then return path .. ' holds other bytes than were written' end
end

-- What went wrong on any rank is an error on all.
local function all_well(who, ok, why, tidy)
   local bad = dist.allreduce(torch.IntTensor{ ok and 0 or 1 })[1]
   if bad > 0 and tidy then tidy() end
   if not ok then error(who .. ': ' .. tostring(why), 3) end
   if bad > 0 then error(('%s: it failed on %d other rank%s'):format(who, bad, bad == 1 and '' or 's'), 3) end
end

-- What a commit that did not come about has left, unless the manifest names it after all. A full disk needs the room.
local function forget(folder, number)
   if dist.localRank() ~= 0 then return end
   local ok, last = pcall(manifest_of, folder)
   if ok and not (last and last.number == number) then paths.rmall(place(folder, number), 'yes') end
end

-- Removes all but two commits, and what a killed rank 0 has left of a manifest.
local function sweep(folder, number, before)
   for _, name in ipairs(paths.dir(folder) or {}) do
      local n = name:match '^%d+$' and tonumber(name)
      if n and n < number and n ~= before then paths.rmall(folder .. '/' .. name, 'yes') end
      if name:find '^manifest%.t7%..*%.tmp$' then os.remove(folder .. '/' .. name) end
   end
end

--- Keeps the state of all ranks: each gives its own, any value that torch.save takes. When it returns, all parts are on the
-- disk; a job that is killed meanwhile finds those of the commit before. Two commits are kept, in case a disk damages one; a
-- commit that fails, on a full disk say, takes no room. All ranks call it. Returns the number of the commit, from 1.
-- @param options  a table: `folder` (default: what thrun --commit says)
-- dist.init(); dist.commit({ step = 7 }, { folder = os.tmpname() .. '.d' }) --> 1
function dist.commit(state, options)
   local folder = folder_of('dist.commit', options)
   local ok, last, mark = true, nil, nil
   if dist.rank() == 0 then
      ok, last = pcall(manifest_of, folder)
      if ok then paths.rmall(place(folder, (last and last.number or 0) + 1), 'yes') end    -- of a job killed in its midst
   end
   all_well('dist.commit', ok, last)
   local why
   local before = last and (returned[folder] or last)
   local numbers = dist.broadcast(torch.DoubleTensor{ last and last.number or 0, before and before.number or 0 })
   local number = numbers[1] + 1
   local at = place(folder, number)
   local function tidy() forget(folder, number) end
   ok, why = pcall(function()
      if dist.localRank() ~= 0 or paths.dirp(at) then return end
      local made, reason = paths.mkdir(at)
      if not made and not paths.dirp(at) then error(('cannot make the folder %s: %s'):format(at, tostring(reason)), 0) end
   end)
   all_well('dist.commit', ok, why)
   local path = part(folder, number, dist.rank())
   ok, why = pcall(torch.save, path, state)
   if ok then mark, why = mark_of(path) end
   all_well('dist.commit', mark, why, tidy)
   local parts = dist.allgather(torch.DoubleTensor(mark)):totable()
   if dist.rank() == 0 then
      if before then before.before = nil end
      local manifest = { number = number, size = dist.size(), parts = parts, before = before }
      ok, why = pcall(torch.save, folder .. '/manifest.t7', manifest)
   end
   all_well('dist.commit', ok, why, tidy)
   returned[folder] = nil
   if dist.localRank() == 0 then sweep(folder, number, numbers[2]) end
   return number
end

-- All ranks must see the same folder: what one has committed alone is no state of the job.
local function need_same(folder, number)
   local all = dist.allgather(torch.DoubleTensor{ number })
   for r = 1, dist.size() - 1 do
      if all[r + 1][1] ~= all[1][1] then
         error(('dist.restore: the ranks see different commits in %s: rank 0 number %d, rank %d number %d'):format(folder,
            all[1][1], r, all[r + 1][1]), 3)
      end
   end
end

--- The state that this rank kept in the last commit, and a table of `number` and `size` (ranks) of it; nil where there is none.
-- Where files of it are missing or damaged, the commit before is taken, and standard error says so; where that is too, it is an
-- error. Where the job had another number of ranks, rank r gets the state of rank r % size. All ranks call it.
-- @param options  as of dist.commit
-- dist.init(); dist.restore { folder = '/no/such/folder' } --> nil
function dist.restore(options)
   local folder = folder_of('dist.restore', options)
   local ok, last = pcall(manifest_of, folder)
   all_well('dist.restore', ok, last)
   need_same(folder, last and last.number or 0)
   for _, entry in ipairs { last, last and last.before } do
      local rank = dist.rank() % entry.size
      local path = part(folder, entry.number, rank)
      local damage = damage_of(path, entry.parts[rank + 1])
      local bad = dist.allreduce(torch.IntTensor{ damage and 1 or 0 })[1]
      if bad == 0 then
         local state
         ok, state = pcall(torch.load, path)
         all_well('dist.restore', ok, state)
         returned[folder] = entry ~= last and entry or nil
         return state, { number = entry.number, size = entry.size }
      end
      if entry ~= last or not last.before then all_well('dist.restore', not damage, damage) end
      if damage then
         io.stderr:write(('dist.restore: %s; commit %d is taken instead\n'):format(damage, last.before.number))
      end
   end
   return nil
end

return dist
