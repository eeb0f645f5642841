-- torch.pairs - keeps LuaJIT from compiling loops over the entries of a table wrongly. Debian's build of March 2022 does.
--
-- `next` stores an entry where the next call of `next` stores its own. Code that reads the entry as an operand of a later
-- instruction may find the later entry: the loop loses entries or ends early, without an error. Without such operands
-- (LuaJIT's option 'fuse') it is right. test/pairs_spec.lua has a program with thousands of wrong answers.
--
-- th replaces pairs and next by functions that LuaJIT does not compile (torch.launch), and then turns the option on again,
-- because a loop that writes a tensor's elements takes 12 % longer without it. See doc/design.md.
local ffi = require 'ffi'
local jit = require 'jit'

local M = {}

--- Whether this LuaJIT compiles such loops wrongly. OpenResty's branch, which has table.isempty, does not.
M.wrong = ffi.abi 'gc64' and jit.version_num <= 20100 and not pcall(require, 'table.isempty')

if M.wrong and debug.getinfo(pairs, 'S').what == 'C' then
   jit.opt.start '-fuse'
   pcall(jit.flush)                         -- code compiled before may be wrong already
end

--- Turns the option on again: no compiled code calls Lua's pairs and next any more.
function M.are_safe() jit.opt.start '+fuse' end

return M
