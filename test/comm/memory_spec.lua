-- test/comm/memory_spec.lua - ranks without free memory.
-- runs once, on the plain build: AddressSanitizer needs the memory that is forbidden here
local ranks = require 'test.support.comm.ranks'
local hosts = require 'test.support.comm.hosts'
local temporary = require 'test.support.temporary'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end

describe('dist.shared', function()
   it('leaves nothing behind where it cannot be mapped: a smaller one has the name', function()
      local script = ranks.script [[
         says('Cannot allocate memory', dist.shared, 'w', 4e7)
         dist.barrier()
         assert(dist.shared('w', 4):fetch():size(1) == 4)
         print 'smaller']]
      local inside = temporary.put(("ulimit -v 300000\nexec '%s' -n 2 '%s'\n"):format(ranks.thrun, script), '.sh')
      local status, out, err = ranks.sh(("sh '%s'"):format(inside))
      assert.equal(0, status, out .. err)
      has(out, '[0] smaller')
      has(out, '[1] smaller')
   end)
end)

describe('a rank on another host', function()
   local it = hosts.there and it or pending             -- Open MPI is not installed
   it('that alone has no memory left breaks the job: its next operation is not taken for the one that failed', function()
      local short_of_memory = [[
         local C, r = require 'ffi'.C, dist.rank()
         require 'ffi'.cdef [=[ struct limit { unsigned long now, most; };
            int getrlimit(int, struct limit *); int setrlimit(int, const struct limit *); void *malloc(size_t); ]=]
         local limit, none = require 'ffi'.new 'struct limit', require 'ffi'.new('struct limit', 1)
         dist.algorithm 'gather'
         local x, y = torch.ones(500), torch.ones(50000)
         dist.barrier()
         C.getrlimit(9, limit)
         none.most = limit.most
         local slack = {}                           -- Lua gets no memory either
         for i = 1, 20000 do slack[i] = 'slack ' .. i end
         slack = nil
         collectgarbage()
         if r == 1 then
            C.setrlimit(9, none)
            while C.malloc(1024) ~= nil do end
         end
         local ok, why = pcall(%s)
         C.setrlimit(9, limit)
         print(('told %%d: %%s'):format(r, tostring(why)))
         says('rank 1 failed: ', dist.allreduce, x:fill(7))
         os.exit(3)]]
      for _, call in ipairs { 'dist.allreduce, x', 'r == 1 and dist.recv or dist.send, y, 1 - r' } do
         local _, out, err = hosts.run('a b', short_of_memory:format(call), nil, nil, '--enable-recovery --timeout 20')
         assert.matches('told 1: [^\n]*memory', out, err)
         assert.matches('told 0: dist[^\n]*: rank 1 failed: [^\n]*memory', out, err)
      end
   end)
end)
