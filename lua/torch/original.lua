-- torch.original - Lua's versions of the functions that torch.launch replaces in programs run by th.
return {
   type = type, getmetatable = getmetatable, print = print, require = require, dofile = dofile, pairs = pairs, ipairs = ipairs,
   next = next, load = load, loadstring = loadstring, loadfile = loadfile,
}
