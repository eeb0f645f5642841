-- lua/distributed/checkpoint.lua - atomic checkpoints of a job: either all ranks' files of this step, or the
-- previous checkpoint.
--
-- A checkpoint is a numbered folder with one file per rank. The file `manifest` names the last
-- complete one and the one before, with the size and the checksum of each part. It is replaced
-- atomically, after all parts are on the disk. Each checkpoint's folder has a copy of its entry, in
-- case the manifest is damaged. A folder with other files in it is not touched.
local torch = require 'torch'
local arg = require 'torch.arg'
local paths = require 'paths'
local dist = require 'distributed.core'
local C = require 'torch.lib'.C
local environment = require 'torch.environment'

local returned = {}                    -- by folder: the checkpoint that restore used because the last one is damaged

local function folder_of(who, options)
   if type(options) ~= 'nil' and type(options) ~= 'table' then arg.refuse(who, 'options', 'a table', options, 3) end
   local folder = options and options.folder or environment.get 'TH_DIST_COMMIT'
   if type(folder) ~= 'string' or folder == '' then
      error(who .. ': give the option folder, or start with thrun --commit FOLDER', 3)
   end
   return folder
end

local function is_count(v, least) return type(v) == 'number' and v % 1 == 0 and v >= least and v <= 2 ^ 53 end

local function is_entry(e)
   if type(e) ~= 'table' or not is_count(e.number, 1) or not is_count(e.size, 1) then return false end
   if e.parts == nil then return true end                   -- of the first version, which wrote no checksums
   if type(e.parts) ~= 'table' or #e.parts ~= e.size then return false end
   for _, mark in ipairs(e.parts) do
      if type(mark) ~= 'table' or not is_count(mark[1], 0) or not is_count(mark[2], 0) then return false end
   end
   return true
end

-- The last checkpoint: number, size (ranks), parts (bytes and checksum of each), and the previous
-- one, `before`; nil if there is none.
local function manifest_of(folder)
   local path = folder .. '/manifest.t7'
   if not paths.filep(path) then return nil end
   local ok, last = pcall(torch.load, path)
   if not ok then error(('%s: %s'):format(path, last), 0) end
   if not is_entry(last) or last.before and not is_entry(last.before) then error(path .. ' is not a manifest of commits', 0) end
   return last
end

local function place(folder, number) return ('%s/%d'):format(folder, number) end
local function part(folder, number, rank) return ('%s/rank-%d.t7'):format(place(folder, number), rank) end

-- ---- folders ------------------------------------------------------------------------------------------------------------

-- The numbers of the folders in it, the highest first.
local function numbers_in(folder)
   local list = {}
   for _, name in ipairs(paths.dir(folder) or {}) do
      if name:find '^[1-9]%d*$' and #name < 16 and paths.dirp(folder .. '/' .. name) then list[#list + 1] = tonumber(name) end
   end
   table.sort(list, function(a, b) return a > b end)
   return list
end

-- The name of a file; for a temporary file that a killed torch.save left, the name that it would
-- have got.
local function final(name) return name:match '^%.?(.*%.t7)%..*%.tmp$' or name end

-- The files in a checkpoint's folder that a commit may have written, and the name of some other
-- file, or nil.
local function contents(at)
   local own, other = {}, nil
   for _, name in ipairs(paths.dir(at) or {}) do
      local plain = final(name)
      if (plain:find '^rank%-%d+%.t7$' or plain == 'manifest.t7') and paths.filep(at .. '/' .. name) then
         own[#own + 1] = name
      elseif name ~= '.' and name ~= '..' then
         other = name
      end
   end
   return own, other
end

-- Removes a checkpoint's folder. If it contains other files it stays as it is; returns the name of
-- such a file.
local function clear(at)
   local own, other = contents(at)
   if other then return other end
   os.remove(at .. '/manifest.t7')                          -- first: the rest is no complete checkpoint then
   for _, name in ipairs(own) do os.remove(at .. '/' .. name) end
   paths.rmdir(at)
end

-- For a damaged or missing manifest: the last checkpoints according to their own folders, in the
-- form of a manifest, and whether some folder contains a checkpoint that may be incomplete. A job
-- killed in its first commit leaves such a folder.
local function by_folders(folder, numbers)
   local found, doubtful = {}, false
   for _, number in ipairs(numbers) do
      local ok, entry = pcall(manifest_of, place(folder, number))
      local own, other = contents(place(folder, number))
      if ok and entry and entry.number == number then
         entry.before = nil
         if #found < 2 then found[#found + 1] = entry end
      elseif number > 1 and #own > 0 and not other then
         doubtful = true
      end
   end
   if found[1] then found[1].before = found[2] end
   return found[1], doubtful
end

-- The last checkpoint or nil, the number below the next one's, and what is wrong with the manifest
-- or nil.
local function last_of(folder)
   local ok, last = pcall(manifest_of, folder)
   if ok and last then return last, last.number end
   local numbers, why = numbers_in(folder), not ok and last or folder .. '/manifest.t7 is missing'
   local found, doubtful = by_folders(folder, numbers)
   if ok and not found and not doubtful then return nil, 0 end
   return found, numbers[1] or 0, why
end

-- ---- files --------------------------------------------------------------------------------------------------------------

-- Size and checksum of a file; nil and the reason if it cannot be read.
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
   if not mark then
      local ok, reason = pcall(torch.load, path)
      return not ok and ('%s: %s'):format(path, reason) or nil
   end
   local now, why = mark_of(path)
   if not now then return why end
   if now[1] ~= mark[1] then return ('%s has %.0f bytes, it was written with %.0f'):format(path, now[1], mark[1]) end
   if now[2] ~= mark[2] then return path .. ' holds other bytes than were written' end
end

-- An error on any rank becomes an error on all.
local function all_well(who, ok, why, tidy)
   local bad = dist.allreduce(torch.IntTensor{ ok and 0 or 1 })[1]
   if bad > 0 and tidy then tidy() end
   if not ok then error(who .. ': ' .. tostring(why), 3) end
   if bad > 0 then error(('%s: it failed on %d other rank%s'):format(who, bad, bad == 1 and '' or 's'), 3) end
end

-- Removes a failed checkpoint, unless the manifest names it after all, because a full disk needs
-- the space.
local function forget(folder, number)
   if dist.localRank() ~= 0 then return end
   local ok, last = pcall(manifest_of, folder)
   if not (ok and last and last.number == number) then clear(place(folder, number)) end
end

-- Removes all but two checkpoints, and temporary manifests of a killed rank 0.
local function sweep(folder, number, before)
   for _, n in ipairs(numbers_in(folder)) do
      if n < number and n ~= before then clear(place(folder, n)) end
   end
   for _, name in ipairs(paths.dir(folder) or {}) do
      if name ~= 'manifest.t7' and final(name) == 'manifest.t7' then os.remove(folder .. '/' .. name) end
   end
end

-- As last_of; also writes to standard error what is wrong.
local function find(who, folder)
   local last, below, why = last_of(folder)
   if why and last and dist.rank() == 0 then
      io.stderr:write(('%s: %s; the last commit by its folder is %d\n'):format(who, why, last.number))
   end
   return last, below, why
end

--- Saves the state of all ranks as a checkpoint: each rank passes its state, any value that
-- torch.save takes. When commit returns, all parts are on the disk; a job that is killed before
-- that restores the previous checkpoint. Two checkpoints are kept, in case a disk damages one. A
-- commit that fails, for example on a full disk, leaves no files. All ranks call it. Returns the
-- number of the checkpoint, from 1. Other files in the folder stay; if the folder of the next
-- checkpoint contains such files, that is an error.
-- @param options  a table: `folder` (default: what thrun --commit passes)
-- dist.init(); dist.commit({ step = 7 }, { folder = os.tmpname() .. '.d' }) --> 1
function dist.commit(state, options)
   local folder = folder_of('dist.commit', options)
   local ok, why, last, mark = true, nil, nil, nil
   local below = 0
   if dist.rank() == 0 then
      ok, why = pcall(function()
         last, below = find('dist.commit', folder)
         local at = place(folder, below + 1)
         local other = clear(at)                            -- the remains of a killed job
         if other then error(('%s contains %s, which is not a file of a commit'):format(at, other), 0) end
      end)
   end
   all_well('dist.commit', ok, why)
   local before = last and (returned[folder] or last)
   local numbers = dist.broadcast(torch.DoubleTensor{ below, before and before.number or 0 })
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
      local manifest = { number = number, size = dist.size(), parts = parts }
      ok, why = pcall(function()
         torch.save(at .. '/manifest.t7', manifest)
         manifest.before = before
         torch.save(folder .. '/manifest.t7', manifest)
      end)
   end
   all_well('dist.commit', ok, why, tidy)
   returned[folder] = nil
   if dist.localRank() == 0 then sweep(folder, number, numbers[2]) end
   return number
end

-- All ranks must see the same folder: a checkpoint that only some ranks see is no state of the job.
local function need_same(folder, number)
   local all = dist.allgather(torch.DoubleTensor{ number })
   for r = 1, dist.size() - 1 do
      if all[r + 1][1] ~= all[1][1] then
         error(('dist.restore: the ranks see different commits in %s: rank 0 number %d, rank %d number %d'):format(folder,
            all[1][1], r, all[r + 1][1]), 3)
      end
   end
end

--- Returns the state that this rank saved in the last checkpoint, and a table of its `number` and
-- `size` (ranks); nil if there is none. If files of it are missing or damaged, restore uses the
-- previous checkpoint and writes that to standard error. If that one is damaged too, it is an
-- error. If the manifest is missing or damaged, restore reads the checkpoints' own folders and
-- writes that to standard error. If the job had another number of ranks, rank r gets the state of
-- rank r % size. All ranks call it.
-- @param options  as of dist.commit
-- dist.init(); dist.restore { folder = '/no/such/folder' } --> nil
function dist.restore(options)
   local folder = folder_of('dist.restore', options)
   local ok, last, _, why = pcall(find, 'dist.restore', folder)
   all_well('dist.restore', ok, last)
   all_well('dist.restore', last or not why, why and why .. ', and no folder contains a complete commit')
   need_same(folder, last and last.number or 0)
   for _, entry in ipairs { last, last and last.before } do
      local rank = dist.rank() % entry.size
      local path = part(folder, entry.number, rank)
      local damage = damage_of(path, entry.parts and entry.parts[rank + 1])
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
         io.stderr:write(('dist.restore: %s; using commit %d instead\n'):format(damage, last.before.number))
      end
   end
   return nil
end

return dist
