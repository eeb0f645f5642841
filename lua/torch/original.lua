-- torch.original - the functions of Lua that torch.launch replaces in programs run by th, as they were before.
return {
   type = type, getmetatable = getmetatable, print = print, require = require, dofile = dofile, pairs = pairs, ipairs = ipairs,
   next = next,
}
