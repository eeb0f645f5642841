-- test/support/nn/criterion_cases.lua - an input and a target or more for every criterion of nn, in the words of drawn.lua.
local drawn = require 'test.support.nn.random_cases'

local cases = {}
local criterion = drawn.add(cases)

criterion 'nn.Criterion()' {'{N}, {N}', none = 'the base class computes nothing'}
local PAIRS = {'{N}, {N}', '{B, N}, {B, N}', '{B, C, N, M}, {B, C, N, M}'}
for _, name in ipairs{'MSE', 'Abs', 'SmoothL1'} do criterion('nn.' .. name .. 'Criterion(yes)') {unpack(PAIRS)} end
criterion 'nn.BCECriterion(nil, yes)' {'unit{N}, unit{N}', 'unit{B, N}, unit{B, N}'}
criterion 'nn.BCECriterion(unit{N}, yes)' {'unit{N}, unit{N}', 'unit{B, N}, unit{B, N}'}
criterion 'nn.ClassNLLCriterion(nil, yes)' {'{N}, torch.random(N)', '{B, N}, classes(N, {B})'}
criterion 'nn.ClassNLLCriterion(unit{N}, yes)' {'{N}, torch.random(N)', '{B, N}, classes(N, {B})'}
criterion 'nn.ClassNLLCriterion(nil, true, 1)' {'{B + 1, N + 1}, long(1):cat(classes(N, {B}) + 1)'}
criterion 'nn.CrossEntropyCriterion()' {'{N}, torch.random(N)', '{B, N}, classes(N, {B})'}
criterion 'nn.CrossEntropyCriterion(unit{N}, yes)' {'{N}, torch.random(N)', '{B, N}, classes(N, {B})'}
criterion 'nn.SpatialClassNLLCriterion()' {'{B, N, H, 2}, classes(N, {B, H, 2})'}
criterion 'nn.SpatialClassNLLCriterion(unit{N}, yes)' {'{B, N, H, 2}, classes(N, {B, H, 2})'}
criterion 'nn.MultiLabelSoftMarginCriterion(nil, yes)' {'{N}, unit{N}', '{B, N}, unit{B, N}'}
criterion 'nn.MultiLabelSoftMarginCriterion(unit{N})' {'{N}, unit{N}', '{B, N}, unit{B, N}'}
criterion 'nn.DistKLDivCriterion()' {'{N}, unit{N}', '{B, N}, unit{B, N}'}
criterion 'nn.HingeEmbeddingCriterion(u)' {'{N}, signs{N}', '{B, N}, signs{B, N}'}
criterion 'nn.L1HingeEmbeddingCriterion(u)' {'{{N}, {N}}, 1', '{{N}, {N}}, -1'}
criterion 'nn.CosineEmbeddingCriterion(u - 0.5)' {'{{N + 1}, {N + 1}}, 1', '{{B, N + 1}, {B, N + 1}}, signs{B}'}
criterion 'nn.MarginCriterion(u)' {'{N}, signs{N}', '{B, N}, signs{B, N}'}
criterion 'nn.SoftMarginCriterion()' {'{N}, signs{N}', '{B, N}, signs{B, N}'}
criterion 'nn.MarginRankingCriterion(u)' {'{{1}, {1}}, 1', '{{B}, {B}}, signs{B}'}
for _, weight in ipairs{'nil', 'unit{N}'} do
   for p = 1, 2 do
      criterion(('nn.MultiMarginCriterion(%d, %s, u)'):format(p, weight)) {'{N}, torch.random(N)', '{B, N}, classes(N, {B})'}
   end
end
criterion 'nn.MultiLabelMarginCriterion()' {'{4}, long(3, 1, 0, 4)', '{B, 3}, long(3, 0, 2):view(1, 3):expand(B, 3)', lo = -0.93}
criterion 'nn.L1Cost()' {'{N}', '{B, N}'}
criterion 'nn.DistanceRatioCriterion(yes)' {'{{B, N}, {B, N}}'}
criterion 'nn.WeightedMSECriterion(unit{N})' {'{N}, {N}', '{B, N}, {B, N}'}
criterion 'nn.ClassSimplexCriterion(N + 1)' {'{B, N + 1}, classes(N + 1, {B})'}
criterion 'nn.SpatialAutoCropMSECriterion(yes)' {'{C, N, M}, {C, N + i, M + j}', '{B, C, N, M}, {B, C, N + i, M}'}
criterion 'nn.MultiCriterion():add(nn.MSECriterion(), u):add(nn.AbsCriterion())' {unpack(PAIRS)}
criterion 'nn.ParallelCriterion():add(nn.MSECriterion(), u):add(nn.AbsCriterion())' {'{{N}, {B, M}}, {{N}, {B, M}}'}
criterion 'nn.ParallelCriterion(true):add(nn.MSECriterion()):add(nn.AbsCriterion(), v)' {'{{B, N}, {B, N}}, {B, N}'}
criterion 'nn.ModuleCriterion(nn.MSECriterion(), nn.Tanh(), nn.Abs())' {unpack(PAIRS)}
criterion 'nn.HSM(clusters(h, e + 1), I)' {'{I}, torch.random(h * (e + 1))', '{B, I}, classes(h * (e + 1), {B})'}
criterion 'nn.HSM(clusters(h, e + 1), I, 2)' {'{B, I}, classes(h * (e + 1), {B})'}
criterion 'nn.CTCCriterion()' {'{T, N + 1}, classes(N, {2})', '{T, B, N + 1}, given(labels(B, N))'}
criterion 'nn.CTCCriterion(true, yes, i)' {'{T, N + 2}, classes(N + 1, {2})', '{B, T, N + 2}, given(labels(B, N + 1))'}

return cases
