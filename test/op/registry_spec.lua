-- test/op/registry_spec.lua - every op of the registry is declared well and has a spec.
local ffi = require 'ffi'
local C = require 'torch.lib'.C
local derivative = require 'torch.derivative'

local function ops()
   local list, i = {}, 0
   while C.th_op_at(i) ~= nil do
      list[#list + 1] = C.th_op_at(i)
      i = i + 1
   end
   return list
end

-- The text of every spec, comments left out.
local function specs()
   local here = debug.getinfo(1, 'S').source:match '^@(.*)[/\\][^/\\]*$' or 'test/op'
   local files = assert(io.popen('find "' .. here .. '/.." -name "*_spec.lua"'))
   local all = {}
   for name in files:lines() do
      if not name:find('registry_spec', 1, true) then
         local f = assert(io.open(name))
         all[#all + 1] = f:read '*a':gsub('%-%-[^\n]*', '')
         f:close()
      end
   end
   files:close()
   return table.concat(all, '\n')
end

describe('the registry', function()
   it('has ops', function() assert.truthy(#ops() > 100) end)
   it('has a spec for every op', function()
      local text, missing = specs(), {}
      for _, op in ipairs(ops()) do
         local name = ffi.string(op.name):gsub('_$', '')          -- multinomialAlias_ is the inner part of multinomialAlias
         local act = name:match '^(.*)_grad$'
         local named = text:find("['\"]" .. name .. "['\"]") or text:find("[%.:]" .. name .. "[%s(,)]")
            or act and text:find("['\"]" .. act .. "['\"]") and text:find("name .. '_grad'", 1, true)
         if not named then missing[#missing + 1] = name end
      end
      assert.equal('', table.concat(missing, ' '))
   end)
   it('says in a sentence what every op does', function()
      local silent = {}
      for _, op in ipairs(ops()) do
         if op.doc == nil or not ffi.string(op.doc):find '%.' then silent[#silent + 1] = ffi.string(op.name) end
      end
      assert.equal('', table.concat(silent, ' '))
   end)
   it('can read every gradient rule, and each names arguments of its op', function()
      for _, op in ipairs(ops()) do
         if op.grad ~= nil then
            for _, entry in ipairs(derivative.parse(ffi.string(op.grad))) do
               assert.truthy((' ' .. ffi.string(op.args)):find(' ' .. entry.name .. ':', 1, true),
                  ffi.string(op.name) .. ' has no argument ' .. entry.name)
            end
         end
      end
   end)
   it('runs each op for at least one type', function()
      for _, op in ipairs(ops()) do
         local any = false
         for dtype = 1, tonumber(C.TH_NDTYPE) - 1 do any = any or C.th_op_supports(op, C.TH_CPU, dtype) ~= 0 end
         assert.truthy(any, ffi.string(op.name))
      end
   end)
end)
