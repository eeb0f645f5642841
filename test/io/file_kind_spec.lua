-- test/io/file_kind_spec.lua - torch.load of files that are none of torch.save says what they are.
-- runs once
local torch = require 'torch'

local function loaded(bytes, ...)
   local name = os.tmpname()
   local f = assert(io.open(name, 'wb'))
   f:write(bytes)
   f:close()
   local ok, why = pcall(torch.load, name, ...)
   os.remove(name)
   return ok, why
end

describe('torch.load', function()
   local rest = ('\0'):rep(300)
   local kinds = {
      ['a PNG picture: image.load reads it'] = '\137PNG\r\n\26\n' .. rest,
      ['a JPEG picture: image.load reads it'] = '\255\216\255\224' .. rest,
      ['a GIF picture'] = 'GIF89a' .. rest,
      ['a PDF document'] = '%PDF-1.4\n' .. rest,
      ['a gzip archive: unpack it with gunzip first'] = '\31\139\8\0' .. rest,
      ["an HDF5 file: require 'hdf5' reads it"] = '\137HDF\r\n\26\n' .. rest,
      ['a page of HTML or XML'] = '<!DOCTYPE html><html>not found</html>',
      ['a JSON text'] = '{"weights": [1, 2, 3]}',
      ['a text'] = 'some words that a person wrote\n',
      ['a script'] = '#!/bin/sh\necho hello\n',
      ['a pointer of Git LFS, without the data'] = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\n',
      ["a file of torch.save in ASCII: torch.load(name, 'ascii') reads it"] = '3\n1\n2\n1\n1\n1\n1\n2\n1\n2\n',
   }
   for what, bytes in pairs(kinds) do
      it('says that a file is ' .. what, function()
         local ok, why = loaded(bytes)
         assert.is_false(ok)
         assert.truthy(why:find('(this is ' .. what, 1, true), why)
      end)
   end
   it('names the archive, where a zip or tar archive is damaged', function()
      for kind, bytes in pairs { zip = 'PK\3\4' .. rest, tar = ('x'):rep(257) .. 'ustar' .. rest } do
         local ok, why = loaded(bytes)
         assert.is_false(ok)
         assert.truthy(why:find(('the %s archive is damaged'):format(kind), 1, true), why)
      end
   end)
   it('says nothing about damaged files of torch.save, short ones and unknown bytes', function()
      local name = os.tmpname()
      torch.save(name, torch.ones(3))
      local f = io.open(name, 'rb')
      local bytes = f:read '*a'
      f:close()
      os.remove(name)
      for _, damaged in ipairs { bytes:sub(1, -5), bytes:sub(1, 3), '', '\1\2\3' } do
         local ok, why = loaded(damaged)
         assert.is_false(ok)
         assert.is_nil(why:find('this is', 1, true), why)
      end
   end)
   it('reads ASCII files in their mode as before', function()
      local ok, v = loaded('1\n7\n', 'ascii')
      assert.is_true(ok)
      assert.equal(7, v)
      ok, v = loaded('some words', 'ascii')
      assert.is_false(ok)
      assert.truthy(v:find('this is a text', 1, true), v)
   end)
end)
