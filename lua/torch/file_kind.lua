-- torch.file_kind - says what a file is by its first bytes, for the errors of torch.load.
local M = {}

--- How many first bytes M.of wants to see; fewer do.
M.BYTES = 512

-- { first bytes, offset, what it is, what reads it }
local signatures = {
   { '\137PNG\r\n\26\n', 0, 'a PNG picture', 'image.load reads it' },
   { '\255\216\255', 0, 'a JPEG picture', 'image.load reads it' },
   { 'GIF8', 0, 'a GIF picture', 'convert it to PNG' },
   { 'BM', 0, 'a BMP picture', 'convert it to PNG' },
   { 'II*\0', 0, 'a TIFF picture', 'convert it to PNG' },
   { 'MM\0*', 0, 'a TIFF picture', 'convert it to PNG' },
   { 'WEBP', 8, 'a WebP picture', 'image.load reads it' },
   { 'WAVE', 8, 'a WAV sound' },
   { '%PDF-', 0, 'a PDF document' },
   { '\31\139', 0, 'a gzip archive', 'unpack it with gunzip first' },
   { 'BZh', 0, 'a bzip2 archive', 'unpack it with bunzip2 first' },
   { '\253' .. '7zXZ\0', 0, 'an xz archive', 'unpack it with unxz first' },
   { '\40\181\47\253', 0, 'a zstd archive', 'unpack it with unzstd first' },
   { '7z\188\175\39\28', 0, 'a 7z archive', 'unpack it first' },
   { '\137HDF\r\n\26\n', 0, 'an HDF5 file', "require 'hdf5' reads it" },
   { 'MATLAB 5.0 MAT-file', 0, 'a MATLAB file', 'save it with -v7.3, which hdf5 reads' },
   { 'GGUF', 0, 'a GGUF model', 'text.load reads its vocabulary' },
   { '\127ELF', 0, 'a program or a library' },
   { '\27LJ', 0, 'bytecode of LuaJIT', 'dofile runs it' },
   { 'version https://git-lfs', 0, 'a pointer of Git LFS, without the data', 'git lfs pull fetches the file' },
}

local texts = {
   { '^%s*<!?[%a?]', 'a page of HTML or XML', 'maybe the answer of a server in place of a download' },
   { '^%s*[%{%[]', 'a JSON text' },
   { '^#!', 'a script' },
   { '^P[1-6]%s', 'a PNM picture', 'image.load reads it' },
}

local function is_text(head)
   if #head < 4 or head:find '[%z\1-\8\14-\31\127]' then return false end
   local _, other = head:gsub('[\128-\255]', '')
   return other <= #head / 4
end

-- Files of torch.save in ASCII begin with the number of a record on a line.
local function is_ascii_record(head) return head:find '^%s*%d%d?\n' ~= nil end

--- What a file is: 'a PNG picture', and what to do with it; nil where the first bytes do not tell.
-- @param head  the first bytes of the file
function M.of(head)
   for _, s in ipairs(signatures) do
      if head:sub(s[2] + 1, s[2] + #s[1]) == s[1] then return s[3], s[4] end
   end
   for _, t in ipairs(texts) do
      if is_text(head) and head:find(t[1]) then return t[2], t[3] end
   end
   if is_ascii_record(head) then return 'a file of torch.save in ASCII', "torch.load(name, 'ascii') reads it" end
   if is_text(head) then return 'a text', 'io.open or a reader of its format reads it' end
end

--- A sentence about the file for an error message, or nil.
-- @param mode  of torch.load
function M.hint(head, mode)
   local what, how = M.of(head)
   if not what or mode == 'ascii' and what:find 'ASCII' then return nil end
   return ('this is %s%s'):format(what, how and ': ' .. how or '')
end

return M
