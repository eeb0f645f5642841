-- test/support/resident.lua - how much of this process is in memory.

--- Bytes of the process that are in memory.
-- @param what  (default: 'Rss', all) 'AnonHugePages': those in large pages
return function(what)
   for line in io.lines '/proc/self/smaps_rollup' do
      local kb = line:match('^' .. (what or 'Rss') .. ':%s*(%d+) kB')
      if kb then return tonumber(kb) * 1024 end
   end
   error('the kernel does not say how much memory is ' .. (what or 'Rss'))
end
