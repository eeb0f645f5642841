-- lua/dist.lua - the package under the name that programs require; its files are in lua/distributed.
return require 'distributed'
