-- torch.fuse - turns LuaJIT's option 'fuse' off. With it, compiled code reads a value from memory where it uses the value, which
-- may be after another call has changed that memory. Without it, compiled code reads where the program reads.
--
-- Two kinds of programs get wrong answers with the option, from Debian's LuaJIT of March 2022 (test/torch/luajit_fuse_spec.lua has both):
--    a field of a struct, read before a C function changes or frees the struct, and used after it;
--    an entry of a table, which `next` stores where the next call of `next` stores its own.
-- OpenResty's branch of January 2023 gives wrong answers to the first, too. See doc/internals/luajit.md.
local ffi = require 'ffi'
local jit = require 'jit'

local M = {}

local start = jit.opt.start
start '-fuse'
pcall(jit.flush)                            -- code compiled before may be wrong already

--- LuaJIT's function, which sets the option again when it gets a level: jit.opt.start(3).
function jit.opt.start(...)
   start(...)
   start '-fuse'
end

--- Whether this LuaJIT compiles loops over the entries of a table wrongly with the option. OpenResty's branch, which has
--- table.isempty, does not.
M.wrong_loops = ffi.abi 'gc64' and jit.version_num <= 20100 and not pcall(require, 'table.isempty')

return M
