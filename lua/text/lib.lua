-- text.lib - the C side of the package: texts, tries, patterns and models with finalizers, and errors without positions.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local C = lib.C

local header = assert(io.open(lib.include .. '/th_text.h'))
ffi.cdef((assert(header:read '*a':match '/%* FFI BEGIN %*/(.-)/%* FFI END %*/', 'th_text.h has lost its FFI part')))
header:close()

local M = { C = C }

local ends_t = ffi.typeof 'int64_t[?]'

--- Turns a status into an error without position; `text.load` and the others add their names.
function M.check(status)
   if status ~= lib.OK then error(ffi.string(C.th_error()), 0) end
end
local check = M.check

-- Calls make(out, ...) again after a collection if there was no memory. @return the object, freed by `free`
local function object(ctype, free, make, ...)
   local out = ffi.new(ctype .. ' *[1]')
   local status = make(out, ...)
   if status == lib.ENOMEM then
      lib.collect()
      status = make(out, ...)
   end
   check(status)
   return ffi.gc(out[0], free)
end

--- A th_text.
function M.text() return object('th_text', C.th_text_free, C.th_text_new) end

--- Strings in one: the bytes, an int64_t array of their ends, and their number. Elements that are no strings count as empty.
function M.joined(list, n)
   n = n or #list
   local parts, ends, total = {}, ends_t(n + 1), 0
   for i = 1, n do
      local s = list[i] or ''
      parts[i] = s
      total = total + #s
      ends[i - 1] = total
   end
   return table.concat(parts), ends, n
end

--- A th_trie of the strings of a list; false stands for none.
function M.trie(list, n, alphabet)
   local bytes, ends, count = M.joined(list, n)
   return object('th_trie', C.th_trie_free, C.th_trie_new, bytes, ends, count, alphabet and 1 or 0)
end

--- A th_pattern: a program in a list of words, and its classes, each a list of ranges { from, to, from, to ... }.
function M.pattern(code, classes)
   local total, at = 0, 0
   for _, ranges in ipairs(classes) do total = total + #ranges end
   local words, ranges, ends = ffi.new('int32_t[?]', #code, code), ffi.new('uint32_t[?]', total + 1), ends_t(#classes)
   for k, class in ipairs(classes) do
      for i = 1, #class do
         ranges[at] = class[i]
         at = at + 1
      end
      ends[k - 1] = at / 2
   end
   return object('th_pattern', C.th_pattern_free, C.th_pattern_new, words, #code, ranges, ends, #classes)
end

--- A th_text_model of a trie, which the caller keeps.
function M.model(trie, options) return object('th_text_model', C.th_text_model_free, C.th_text_model_new, trie, options) end

return M
