-- test/onnx/registry_spec.lua - the ops of onnx: each file of ops/ adds those that the registry
-- lists for it, when one is needed.
-- runs once: nothing here depends on the level
local temporary = require 'test.support.temporary'

teardown(temporary.remove)

-- The lines that a program prints.
local function lines_of(text)
   local p = io.popen(("'%s' '%s' 2>&1"):format(os.getenv 'TH' or 'build/bin/th',
      temporary.put(text, '.lua')))
   local list = {}
   for line in p:lines() do list[#list + 1] = line end
   p:close()
   return list
end

describe('the registry of ops', function()
   it('lists each op for the file that adds it', function()
      assert.same({ 'end' }, lines_of [[
         local registry = require 'onnx.registry'
         local added, listed, add = {}, {}, registry.add
         function registry.add(name, f, domain)
            added[(domain and domain ~= '' and domain .. '.' or '') .. name] = true
            return add(name, f, domain)
         end
         for _, entry in ipairs(registry.families) do
            require('onnx.ops.' .. entry[1])
            for name in entry[2]:gmatch '%S+' do
               if not added[name] then print(entry[1] .. ' does not add ' .. name) end
               if listed[name] then print(name .. ' is listed twice') end
               listed[name] = true
            end
         end
         for name in pairs(added) do if not listed[name] then print(name
            .. ' is not listed') end end
         print 'end']])
   end)

   it('loads a file when one of its ops is needed, and an op that replaces one before stays',
      function()
      assert.same({ 'nil', 'true\ttrue', 'true' }, lines_of [[
         local onnx = require 'onnx'
         local registry = require 'onnx.registry'
         print(package.loaded['onnx.ops.reduce'])
         local function mine() end
         onnx.op('ReduceSum', mine)
         print(registry.find('ReduceMean') ~= nil, registry.find('ReduceSum').run == mine)
         print(package.loaded['onnx.ops.reduce'] ~= nil)]])
   end)
end)
