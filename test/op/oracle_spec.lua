-- test/op/oracle_spec.lua - every op compared with PyTorch and NumPy, if python3, or $PYTHON, has them.
-- runs once, on the plain build: specs of the ops compare the CPU levels
local oracle = require 'test.oracle'
local temporary = require 'test.support.temporary'
local op = require 'torch.op'

describe('ops', function()
   local cases = oracle.cases()
   it('are each called, with all their call forms', function()
      local called = {}
      for _, about in ipairs(cases.about) do called[about.name .. about.form] = true end
      for _, name in ipairs(op.names()) do
         for _, form in ipairs(op.forms(name)) do assert.truthy(called[name .. form.text], name .. ' ' .. form.text) end
      end
   end)
   it('give what PyTorch and NumPy give', function()
      local why = oracle.missing()
      if why then return pending(why) end
      local wrong, _, other = oracle.judge(cases, temporary.name)
      local texts = {}
      for id, text in pairs(wrong) do texts[#texts + 1] = cases.about[id].text .. ': ' .. text end
      assert.equal('', table.concat(texts, '\n') .. other)
   end)
end)
