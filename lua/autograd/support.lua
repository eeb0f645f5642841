-- lua/autograd/support.lua - a name that programs for Torch7 require: the functions of torch that take taped values.
return require 'autograd'
