-- dok - named arguments and help texts under the names that packages of Torch7 use; xlua and torch.help do the work.
local xlua = require 'xlua'

local dok = {}

--- dok.unpack(args, funcname, description, ...): xlua.unpack.
-- dok.usage(funcname, description, example, ...): xlua.usage.
-- dok.error(message, domain, usage): xlua.error.
dok.unpack, dok.usage, dok.error = xlua.unpack, xlua.usage, xlua.error

--- Prints the help for a name, a function, a class or an object.
function dok.help(topic) print(torch.help(topic)) end

--- The same: there is no browser.
dok.browse = dok.help

rawset(_G, 'dok', dok)
rawset(_G, 'help', dok.help)
rawset(_G, 'browse', dok.browse)
return dok
