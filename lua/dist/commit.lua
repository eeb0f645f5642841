-- lua/dist/commit.lua - the state of a job in a folder: all ranks' parts of one moment, or those of the moment before.
--
-- A commit is a folder of one file per rank; the file `manifest` names the last one that is whole. It is replaced in one step,
-- when all parts are on the disk.
local torch = require 'torch'
local arg = require 'torch.arg'
local paths = require 'paths'
local dist = require 'dist'

local function folder_of(who, options)
   if options ~= nil and type(options) ~= 'table' then arg.refuse(who, 'options', 'a table', options, 3) end
   local folder = options and options.folder or os.getenv 'TH_DIST_COMMIT'
   if type(folder) ~= 'string' or folder == '' then
      error(who .. ': where? Give the option folder, or start with thrun --commit FOLDER', 3)
   end
   return folder
end

local function manifest_of(folder)
   local path = folder .. '/manifest.t7'
   return paths.filep(path) and torch.load(path) or nil
end

local function part(folder, number, rank) return ('%s/%d/rank-%d.t7'):format(folder, number, rank) end

-- What went wrong on any rank is an error on all.
local function all_well(who, ok, why)
   local bad = dist.allreduce(torch.IntTensor{ ok and 0 or 1 })[1]
   if not ok then error(who .. ': ' .. tostring(why), 3) end
   if bad > 0 then error(('%s: it failed on %d other rank%s'):format(who, bad, bad == 1 and '' or 's'), 3) end
end

--- Keeps the state of all ranks: each gives its own, any value that torch.save takes. When it returns, all parts are on the
-- disk; a job that is killed meanwhile finds those of the commit before. All ranks call it. Returns the number of the commit, from 1.
-- @param options  a table: `folder` (default: what thrun --commit says)
-- dist.init(); dist.commit({ step = 7 }, { folder = os.tmpname() .. '.d' }) --> 1
function dist.commit(state, options)
   local folder = folder_of('dist.commit', options)
   local last = dist.rank() == 0 and manifest_of(folder)
   local number = dist.broadcast(torch.DoubleTensor{ last and last.number or 0 })[1] + 1
   local ok, why = pcall(function()
      local at = ('%s/%d'):format(folder, number)              -- there already, if a job was killed in the midst of a commit
      if dist.localRank() == 0 and not paths.dirp(at) and not paths.mkdir(at) then error('cannot make the folder ' .. at, 0) end
   end)
   all_well('dist.commit', ok, why)
   ok, why = pcall(torch.save, part(folder, number, dist.rank()), state)
   all_well('dist.commit', ok, why)
   if dist.rank() == 0 then
      ok, why = pcall(torch.save, folder .. '/manifest.t7', { number = number, size = dist.size() })
   end
   all_well('dist.commit', ok, why)
   if number > 2 then                                         -- the one before stays, should a disk fail
      os.remove(part(folder, number - 2, dist.rank()))
      dist.barrier()
      if dist.localRank() == 0 then paths.rmall(('%s/%d'):format(folder, number - 2), 'yes') end
   end
   return number
end

--- The state that this rank kept in the last commit, and a table of `number` and `size` (ranks) of it; nil where there is none.
-- Where the job had another number of ranks, rank r gets the state of rank r % size. All ranks call it.
-- @param options  as of dist.commit
-- dist.init(); dist.restore { folder = '/no/such/folder' } --> nil
function dist.restore(options)
   local folder = folder_of('dist.restore', options)
   local ok, last, state = pcall(manifest_of, folder)
   local number = ok and last and last.number or 0
   if dist.allreduce(torch.DoubleTensor{ number }, 'min')[1] == 0 and ok then
      all_well('dist.restore', true)
      return nil
   end
   local why = last
   if ok then
      ok, why = pcall(function() state = torch.load(part(folder, number, dist.rank() % last.size)) end)
   end
   all_well('dist.restore', ok, why)
   return state, { number = number, size = last.size }
end

return dist
