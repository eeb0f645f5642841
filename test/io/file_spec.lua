-- test/io/file_spec.lua - torch.File: numbers, text and positions on disk, in memory and through pipes.
local torch = require 'torch'

local function temporary() return os.tmpname() end

local kinds = {
   Byte = { 0, 7, 255 }, Char = { -128, 0, 127 }, Short = { -32768, 5, 32767 }, Int = { -2 ^ 31, 0, 2 ^ 31 - 1 },
   Long = { -2 ^ 53, 1, 2 ^ 53 }, Half = { 0.5, -2, 1000 }, BFloat16 = { 0.5, -2, 1024 },
   Float = { 1.5, -0.10000000149011612, 3.4028234663852886e38 }, Double = { 0.1, -1e300, 5e-324 },
}

describe('torch.File', function()
   for name, values in pairs(kinds) do
      for _, mode in ipairs { 'ascii', 'binary' } do
         for _, order in ipairs { 'littleEndianEncoding', 'bigEndianEncoding' } do
            it(('brings %s back from a %s file, %s'):format(name, mode, order), function()
               local path = temporary()
               local f = torch.DiskFile(path, 'w')
               f[mode](f)
               f[order](f)
               assert.equal(3, f['write' .. name](f, torch[name .. 'Storage'](values)))
               f['write' .. name](f, values[1])
               f:close()
               local g = torch.DiskFile(path)
               g[mode](g)
               g[order](g)
               assert.same(values, g['read' .. name](g, 3):totable())
               assert.equal(values[1], (g['read' .. name](g)))
               g:close()
               os.remove(path)
            end)
         end
      end
   end

   it('reads numbers that lie across the ends of its buffer', function()
      local path, n = temporary(), 40000
      local f = torch.DiskFile(path, 'w')
      local s = torch.IntStorage(n)
      for i = 1, n do s[i] = i * 7919 % 1000003 end
      f:writeInt(s)
      f:close()
      local g = torch.DiskFile(path)
      assert.same(s:totable(), g:readInt(n):totable())
      g:close()
      os.remove(path)
   end)

   it('reads and writes in turn at any place', function()
      local path = temporary()
      local f = torch.DiskFile(path, 'rw'):binary()
      f:writeInt(torch.IntStorage { 1, 2, 3, 4 })
      f:seek(5)
      assert.equal(2, f:readInt())
      f:writeInt(30)
      assert.equal(4, f:readInt())
      f:seek(9)
      assert.equal(30, f:readInt())
      assert.equal(13, f:position())
      f:seekEnd()
      assert.equal(17, f:position())
      f:close()
      os.remove(path)
   end)

   it('takes the place of locales that write a comma', function()
      local f = torch.MemoryFile():ascii()
      f:writeDouble(1.5)
      f:seek(1)
      assert.equal('1.5', f:readString '*l')
   end)

   it('keeps whole lines and what follows them', function()
      local long = ('x'):rep(200000)
      local f = torch.MemoryFile()
      f:writeString('one\n\n' .. long .. '\nlast')
      f:seek(1)
      assert.equal('one', f:readString '*l')
      assert.equal('', f:readString '*l')
      assert.equal(long, f:readString '*l')
      assert.equal('last', f:readString '*l')
      assert.error_matches(function() f:readString '*l' end, 'MemoryFile:readString: nothing is left to read')
      assert.is_true(f:hasError())
      f:clearError()
      f:quiet()
      assert.equal('', f:readString '*a')
      assert.is_true(f:hasError())
   end)

   it('refuses elements that are not there before it takes memory for them', function()
      local f = torch.MemoryFile():binary()
      f:writeInt(7)
      f:seek(1)
      local before = torch.memory().bytes
      assert.error_matches(function() f:readDouble(2 ^ 50) end,
                           'torch.MemoryFile:readDouble: .* elements are wanted, but the file ends after 0')
      assert.is_true(torch.memory().bytes - before < 2 ^ 20)
      assert.equal(1, f:position())
      f:quiet()
      assert.equal(1, #f:readInt(2 ^ 50))
      assert.is_true(f:hasError())
   end)

   it('says what stands where a number is wanted', function()
      local f = torch.MemoryFile()
      f:writeString '12 words'
      f:seek(1)
      assert.equal(12, f:readInt())
      assert.error_matches(function() f:readInt() end, "has no number at byte 4, but 'words'")
      assert.equal('words', f:readString '*a')
      f:seek(1)
      f:writeString '99999 '
      f:seek(1)
      assert.error_matches(function() f:readShort() end, '99999 before byte 6 does not fit Short')
   end)

   it('refuses what it cannot write', function()
      local f = torch.MemoryFile()
      assert.error_matches(function() f:writeInt(2 ^ 31) end,
                           'MemoryFile:writeInt: value must fit Int, got 2147483648')
      assert.error_matches(function() f:writeByte(-1) end, 'value must fit Byte, got %-1')
      assert.error_matches(function() f:writeInt(0 / 0) end, 'value must fit Int')
      assert.error_matches(function() f:writeInt 'x' end,
                           'argument must be a number or a torch.IntStorage, got a string')
      assert.error_matches(function() f:writeInt(torch.FloatStorage(2)) end,
                           'must be a number or a torch.IntStorage, got a torch.FloatStorage')
      assert.error_matches(function() f:readInt(-1) end, 'the number of elements must not be negative, got %-1')
      assert.error_matches(function() f:writeString(3) end, 'text must be a string')
      assert.error_matches(function() f:readString 'x' end, "format must be '%*l' or '%*a'")
      assert.error_matches(function() f:seek(0) end, 'place must be at least 1, got 0')
      assert.error_matches(function() f:seek(100) end, 'place must lie in 1..1, got 100')
      assert.error_matches(function() f:longSize(5) end, 'size must be 0, 4 or 8')
      assert.equal(1, f:position())
   end)

   it('is closed for finalizers that run at the end of a program, whatever its kind and method', function()
      local name, path = temporary() .. '.lua', temporary()
      local f = assert(io.open(name, 'w'))
      f:write(([[
         local torch = require 'torch'
         local files = { torch.DiskFile(%q, 'w'), torch.MemoryFile(), torch.PipeFile('cat > /dev/null', 'w') }
         local methods, seen = {}, {}
         for _, kind in ipairs { 'torch.File', 'torch.DiskFile', 'torch.MemoryFile' } do
            for method, f in pairs(torch.getmetatable(kind)) do
               if type(f) == 'function' and not method:find '^__' and method ~= 'new' and not seen[method] then
                  methods[#methods + 1], seen[method] = method, true
               end
            end
         end
         table.sort(methods)
         local arguments = { writeString = 'text', writeBool = true, referenced = true, longSize = 8 }
         for _, file in ipairs(files) do file:writeInt(7) end
         Guard = newproxy(true)
         getmetatable(Guard).__gc = function()
            for _, file in ipairs(files) do
               local silent, refused = {}, 0
               print(tostring(file):match 'open' or tostring(file):match 'closed')
               for i = 1, #methods do
                  local method = methods[i]
                  if file[method] then
                     local ok, why = pcall(file[method], file, arguments[method])
                     if ok then
                        silent[#silent + 1] = method
                     elseif why:find 'the file is closed' then
                        refused = refused + 1
                     else
                        print(method, why)
                     end
                  end
               end
               print(refused > 30, table.concat(silent, ' '))
            end
         end
      ]]):format(path))
      f:close()
      local p = io.popen(("timeout 60 '%s' %s 2>&1"):format(os.getenv 'TH' or 'build/bin/th', name))
      local out = p:read '*a'
      p:close()
      os.remove(name)
      local plain = 'clearError hasError isQuiet isReadable isReferenced isWritable isWritableObject pedantic quiet referenced'
      local disk = plain:gsub('isQuiet', 'isBigEndianCPU isLittleEndianCPU isQuiet')
      assert.equal(('closed\ntrue\t%s\nclosed\ntrue\t%s\nclosed\ntrue\t%s\n'):format(disk, plain, disk), out)
   end)

   it('refuses the wrong direction and a closed file', function()
      local path = temporary()
      local f = torch.DiskFile(path, 'w')
      assert.error_matches(function() f:readInt() end, 'is not open for reading')
      f:close()
      assert.error_matches(function() f:writeInt(1) end, 'torch.DiskFile:writeInt: the file is closed')
      assert.error_matches(function() f:close() end, 'the file is closed')
      local g = torch.DiskFile(path, 'r')
      assert.error_matches(function() g:writeInt(1) end, 'is not open for writing')
      g:close()
      os.remove(path)
      assert.error_matches(function() torch.DiskFile '/no/such/file' end,
                           'torch.DiskFile: cannot open /no/such/file: No such file')
      assert.error_matches(function() torch.DiskFile '/' end, 'directory')
      assert.is_nil(torch.DiskFile('/no/such/file', 'r', true))
      assert.error_matches(function() torch.DiskFile('x', 'a') end, "mode must be 'r', 'w' or 'rw', got a string")
      assert.error_matches(function() torch.File() end, 'use torch.DiskFile')
   end)

   it('reports a disk that is full', function()
      if not io.open('/dev/full', 'w') then return pending 'this system has no /dev/full' end
      local f = torch.DiskFile('/dev/full', 'w')
      f:writeString 'x'
      assert.error_matches(function() f:synchronize() end, 'cannot write /dev/full: No space left on device')
      local g = torch.DiskFile('/dev/full', 'w'):quiet()
      g:writeString(('x'):rep(100000))
      assert.is_true(g:hasError())
      local h = torch.DiskFile('/dev/full', 'w')
      h:writeString 'x'
      assert.error_matches(function() h:close() end, 'cannot write /dev/full')
   end)

   it('keeps Longs of 4 bytes, and refuses what they cannot hold', function()
      local f = torch.MemoryFile():binary()
      f:longSize(4)
      f:writeLong(torch.LongStorage { 1, -1, 2 ^ 31 - 1 })
      assert.error_matches(function() f:writeLong(2 ^ 31) end,
                           'element 1 must fit 4 bytes %(longSize%), got 2147483648')
      f:seek(1)
      assert.same({ 1, -1, 2 ^ 31 - 1 }, f:readLong(3):totable())
      assert.equal(13, f:position())
   end)
end)

describe('torch.MemoryFile', function()
   it('works on the storage it is given, which ends with a 0', function()
      local s = torch.CharStorage():string '1 2\0'
      local f = torch.MemoryFile(s, 'rw')
      f:seekEnd()
      f:writeString ' 3'
      assert.equal('1 2 3\0', s:string())
      s:resize(2)
      s[2] = 0
      assert.error_matches(function() f:readInt() end, 'ends after 0 of 1 Int elements')
      f:seek(1)
      assert.equal(1, f:readInt())
      s:resize(0)
      f:seek(1)
      assert.error_matches(function() f:readInt() end, 'ends after')
      f:writeInt(5)
      assert.equal('5\n\0', s:string())
      assert.error_matches(function() torch.MemoryFile(torch.CharStorage():string 'ab') end,
                           'must end with a 0, got 98')
      assert.error_matches(function() torch.MemoryFile(torch.FloatStorage(3)) end,
                           'needs a CharStorage or a ByteStorage, got a FloatStorage')
   end)

   it('may begin with an empty storage', function()
      local f = torch.MemoryFile(torch.CharStorage())
      f:writeInt(3)
      f:seek(1)
      assert.equal(3, f:readInt())
   end)
end)

describe('torch.PipeFile', function()
   it('reads what a program prints, as it comes', function()
      local f = torch.PipeFile("printf '1 2 3\\nline\\n'; sleep 0.01; printf 'rest'", 'r')
      assert.same({ 1, 2, 3 }, f:readInt(3):totable())
      assert.equal('line', f:readString '*l')
      assert.equal('rest', f:readString '*a')
      assert.error_matches(function() f:seek(1) end, 'is not seekable')
      f:close()
   end)

   it('reads more elements than it can know of, and says where they end', function()
      local f = torch.PipeFile('head -c 3000000 /dev/zero', 'r'):binary()
      assert.equal(2500000, #f:readByte(2500000))
      assert.error_matches(function() f:readByte(2 ^ 40) end, 'ends after')
      f:close()
   end)

   it('survives a program that does not read', function()
      local f = torch.PipeFile('exit 0', 'w')
      local text = ('x'):rep(100000)
      assert.error_matches(function()
         for _ = 1, 100 do f:writeString(text) end
      end, 'cannot write exit 0: Broken pipe')
   end)
end)
