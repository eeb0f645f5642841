-- nn/parallel/links.lua - splits a model into a chain of links, and calls back when the gradients of each link are ready.
local torch = require 'torch'

local links = {}

-- The modules of a chain, in the order of forward; a module that is no plain Sequential is one link.
local function chain_of(module, chain)
   if torch.type(module) ~= 'nn.Sequential' then
      chain[#chain + 1] = module
      return chain
   end
   for _, inner in ipairs(module.modules) do chain_of(inner, chain) end
   return chain
end

--- The links of the chain, and the gradients that are ready after each. A shared gradient is ready after the first link that
-- has it. If a link occurs twice, the whole model is one link.
-- @return list of modules, list of lists of tensors
function links.of(model)
   local chain, seen, grads = chain_of(model, {}), {}, {}
   for _, link in ipairs(chain) do
      if seen[link] then chain = { model } end
      seen[link] = true
   end
   local taken = {}
   for i, link in ipairs(chain) do
      local _, all = link:parameters()
      grads[i] = {}
      for _, g in ipairs(all or {}) do
         local key = g:nElement() > 0
            and ('%s %d %d'):format(tostring(torch.pointer(g:storage())), g:storageOffset(), g:nElement())
         if key and not taken[key] then
            taken[key] = true
            table.insert(grads[i], g)
         end
      end
   end
   return chain, grads
end

--- Calls f(i) whenever link i of a chain has run backward, until links.leave.
function links.watch(chain, f)
   for i, link in ipairs(chain) do
      local backward = link.backward
      rawset(link, 'backward', function(...)
         local gradInput = backward(...)
         f(i)
         return gradInput
      end)
   end
end

--- Ends links.watch.
function links.leave(chain)
   for _, link in ipairs(chain) do rawset(link, 'backward', nil) end
end

return links
