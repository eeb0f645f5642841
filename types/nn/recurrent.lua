---@meta nn.recurrent
-- types/nn/recurrent.lua - written by ./dev docs from the sources; do not edit.
return require 'nn'
