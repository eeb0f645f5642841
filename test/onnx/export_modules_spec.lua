-- test/onnx/export_modules_spec.lua - every module of nn as ONNX: what onnx.load computes from the file, or why there is no file.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local onnx = require 'onnx'
local exported = require 'test.support.onnx.exported'
local drawn = require 'test.support.nn.random_cases'
local temporary = require 'test.support.temporary'
local context = require 'onnx.export.context'
local cases = require 'test.support.nn.cases'

after_each(temporary.remove)

-- The cases without a file, and a part of the reason.
local BASE, CRITERION, RANDOM = 'a base class', 'a criterion', 'drawn at random'
local PACKED = 'packed sequences'
local REFUSED = {
   ['nn.Module()'] = BASE, ['nn.Container()'] = BASE, ['nn.AbstractParallel(1)'] = BASE,
   ['nn.CriterionTable(nn.MSECriterion())'] = CRITERION, ['nn.ModuleFromCriterion(nn.MSECriterion())'] = CRITERION,
   ['nn.SpatialFractionalMaxPooling(2, 2, i, j)'] = RANDOM,
   ['nn.SpatialFractionalMaxPooling(2, 2, 0.5, 0.6):fixPoolingRegions()'] = RANDOM,
   ['nn.VolumetricFractionalMaxPooling(2, 2, 2, i, j, 2)'] = RANDOM,
}

-- What a class without a rule needs.
local WHERE = '\nAdd leaf(...) to a file of lua/onnx/export, '
   .. 'or none(...) to lua/onnx/export/none.lua.'
local function with_place(why)
   return why:find('no rule for this class', 1, true) and why .. WHERE or why
end

local function reason_for(case, form) return REFUSED[case.new] or form == '{{total, I}, sizes}' and PACKED end

-- Compares what onnx.load computes with the results of the net.
local function need_equal(path, info, tries)
   local model = onnx.load(path)
   for _, try in ipairs(tries) do
      local given = {}
      for i, t in ipairs(try[1]) do given[info.inputs[i]] = t end
      local out = model:forward(given)
      for i, want in ipairs(try[2]) do
         local got = torch.isTensor(out) and out or out[info.outputs[i]] or out[i]
         local d = exported.difference(want, got)
         assert(d, ('output %d has the sizes %s, not %s'):format(i, table.concat(got:size():totable(), 'x'),
            table.concat(want:size():totable(), 'x')))
         assert(d <= 1e-5, ('output %d differs by %g'):format(i, d))
      end
   end
end

describe('onnx.save of a module', function()
   for _, case in ipairs(cases) do
      for k = 1, #case do
         local reason = reason_for(case, case[k])
         local title = ('%s with %s'):format(case.new:gsub('%s+', ' '), case[k])
         if reason then
            it(title .. ' is refused: ' .. reason, function()
               local _, info, why = exported.write(case, k, temporary.name '.onnx')
               assert.is_nil(info)
               assert.truthy(tostring(why):find(reason, 1, true), tostring(why))
            end)
         else
            it(title .. ' writes a file from which onnx.load computes the same, for more samples too', function()
               local path = temporary.name '.onnx'
               local _, info, tries = exported.write(case, k, path)
               assert(info, with_place(tostring(tries)))
               local ok, why = pcall(need_equal, path, info, tries)
               if not ok and tostring(why):find('are not here', 1, true) then return pending(tostring(why)) end
               assert(ok, why)
            end)
         end
      end
   end

   it('leaves the net and its input as they were', function()
      for _, case in ipairs(cases) do
         if not reason_for(case, case[1]) and not case.new:find 'PrintSize' then
            local m, inputs = drawn.make(case)
            local x = inputs[1].n and inputs[1] or inputs[1][1]
            local before = torch.serialize{x}
            local train, output = m.train, m.output
            onnx.save(temporary.name '.onnx', m, x)
            assert.equal(before, torch.serialize{x}, case.new)
            assert.equal(train, m.train)
            assert.is_true(rawequal(output, m.output), case.new)
         end
      end
   end)

   it('has a rule, or the reason why there is none, for each class of modules', function()
      local missing = {}
      for name in pairs(drawn.named(cases)) do
         local its = torch.getmetatable('nn.' .. name)
         local rule, why = context.rule_of(setmetatable({}, its))
         if not rule then missing[#missing + 1] = 'nn.' .. name .. ': ' .. tostring(why) end
      end
      table.sort(missing)
      assert(#missing == 0, table.concat(missing, '\n') .. WHERE)
   end)

   it('writes the classes of cudnn as those of nn', function()
      require 'cudnn'
      local cudnn = package.loaded.cudnn
      for _, row in ipairs{
         {cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2), {2, 4, 5, 5}}, {cudnn.ReLU(true), {2, 3}}, {cudnn.Tanh(), {2, 3}},
         {cudnn.SpatialMaxPooling(2, 2, 2, 2):ceil(), {2, 3, 5, 5}}, {cudnn.SpatialAveragePooling(3, 3, 2, 2), {2, 3, 7, 7}},
         {cudnn.SpatialBatchNormalization(3), {2, 3, 4, 4}}, {cudnn.SpatialCrossMapLRN(5), {2, 6, 3, 3}},
         {cudnn.SpatialDivisiveNormalization(3), {2, 2, 5, 5}}, {cudnn.LogSoftMax(), {2, 5}},
         {cudnn.VolumetricConvolution(2, 3, 2, 2, 2), {2, 2, 3, 4, 4}}, {cudnn.VolumetricAveragePooling(2, 2, 2, 2, 2, 2, 1, 1, 1), {1, 2, 4, 4, 4}},
         {cudnn.TemporalConvolution(3, 4, 2, 1, 1), {2, 6, 3}}, {cudnn.VolumetricSoftMax(), {2, 3, 2, 2, 2}},
         {cudnn.SpatialFullConvolution(2, 3, 3, 3, 2, 2, 1, 1), {2, 2, 4, 4}},
      } do
         local m, x = row[1]:float(), torch.randn(unpack(row[2])):float()
         local path = temporary.name '.onnx'
         local info = onnx.save(path, m, x)
         m:evaluate()
         need_equal(path, info, {{{x}, {m:forward(x)}}})
      end
   end)

   it('writes a DataParallelTable as its module', function()
      local net = nn.DataParallelTable(1):add(nn.Linear(3, 2), {1, 2})
      local path, x = temporary.name '.onnx', torch.randn(4, 3)
      local info = onnx.save(path, net, x)
      assert.equal(1, info.nodes)
      need_equal(path, info, {{{x:float()}, {net:forward(x)}}})
   end)
end)
