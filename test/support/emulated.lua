-- test/support/emulated.lua - why a spec cannot run under the user mode of qemu; nil elsewhere.
--
-- qemu runs a program of another processor inside itself. So the address space is that of qemu, the
-- resident memory holds the code that it translates, and programs of the machine cannot open our
-- libraries. The system gives the process the name of qemu.
local file = io.open '/proc/self/comm'
local name = file and file:read '*l' or ''
if file then file:close() end

--- @param what  what the spec needs, in words
--- @return a reason for `pending`, or nil
return function(what)
   return name:find '^qemu%-' and ('needs %s, which %s hides'):format(what, name) or nil
end
