-- lua/paths/init.lua - the name paths of torch.paths, which comes with torch.
return require 'torch.paths'
