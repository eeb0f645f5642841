-- lua/nngraph/simple_print.lua - pictures with few details: a name, and the module of each node.
local torch = require 'torch'
local graph = require 'graph'
local nngraph = require 'nngraph'
local where = require 'nngraph.where'

--- nngraph.simple_print: Pictures of graphs with few details: todot and dot.
nngraph.simple_print = {}

-- A word for a node: the type of its module without the package's name.
local function word(node)
   local data = node.data
   if type(data) ~= 'table' or not data.annotations then return node:label() end
   local name = data.annotations.name
   local what = data.module and torch.type(data.module):match '[^.]*$'
      or data.selectindex and 'element ' .. data.selectindex
      or #data.mapindex == 0 and 'input' or 'output'
   return name and name .. ': ' .. what or what
end

local function none() return {} end

local function drawing(g, title)
   if torch.isTypeOf(g, 'nn.gModule') then g = g.fg end
   if not torch.isTypeOf(g, 'graph.Graph') then
      where.refuse('nngraph.simple_print: graph must be a graph or an nn.gModule, got %s', torch.type(g))
   end
   return graph._drawing(g, title, word, none)
end

--- The text for Graphviz, with one short line a node and no attributes.
function nngraph.simple_print.todot(g, title) return graph._todot(drawing(g, title)) end

--- As graph.dot, with short labels: the text, or with fname the files fname.dot and fname.svg.
--- @return the text, and whether a picture was made
function nngraph.simple_print.dot(g, title, fname)
   local text = nngraph.simple_print.todot(g, title)
   if fname == nil then return text, false end
   if type(fname) ~= 'string' or fname == '' then
      where.refuse('nngraph.simple_print.dot: fname must be a string, got %s', torch.type(fname))
   end
   return text, graph._picture('nngraph.simple_print.dot', drawing(g, title), fname, text)
end

return nngraph.simple_print
