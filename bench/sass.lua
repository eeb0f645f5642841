-- bench/sass.lua - counts the instructions of kernels for GPUs, and compares the counts with limits.
--    th bench/sass.lua [-cuobjdump PATH] [-arch sm_90] [-all] FILE...
--
-- A file is libthcuda.so or an object that nvcc made. The program cuobjdump comes with CUDA; TH_CUOBJDUMP names it, too. Each
-- line shows a kernel: the instructions of its main loop, or of its main part if it has no loop,
-- for each element and in all, its loads of 16 bytes, its matrix
-- instructions (HMMA, HGMMA), registers, and instructions that access local memory, where arrays and spilled registers lie. Only
-- kernels of the table below are shown; -all shows the others after them. Exit status 1 if a kernel exceeds a limit or if the
-- files have no kernel of the table.
-- Counts are no times, but they need no GPU: they show whether a kernel has lost its vector loads or keeps arrays in memory.

-- name, a pattern of the mangled name, elements that a turn of the main loop computes, and limits:
-- instructions for `each` element (at most), `loads` of 16 bytes in a turn (at least; 0), `matrix`
-- instructions (at least; 0), `registers` (at most; 64) and `locals`, instructions on local memory
-- (at most; 0). `inner`: the main loop is the shortest one with as many loads.
local limits = {
   { 'relu bfloat16', 'by_vectorsI3mapI4bf167relu_op', elements = 8, each = 6, loads = 1 },
   { 'relu half', 'by_vectorsI3mapI3f167relu_op', elements = 8, each = 6, loads = 1 },
   { 'relu float', 'by_vectorsI3mapIf7relu_op', elements = 4, each = 8, loads = 1 },
   { 'gelu bfloat16', 'by_vectorsI3mapI4bf167gelu_op', elements = 8, each = 36, loads = 1 },
   { 'add bfloat16', 'by_vectorsI3zipI4bf1613add_tensor_op', elements = 8, each = 8, loads = 2 },
   { 'add float', 'by_vectorsI3zipIf13add_tensor_op', elements = 4, each = 9, loads = 2 },
   { 'relu gradient bfloat16', 'by_vectorsI3zipI4bf1612relu_grad_op', elements = 8, each = 10, loads = 2 },
   { 'comparison float', 'by_vectorsI11with_numberIf5gt_op.*storedIhE', elements = 4, each = 8,
      loads = 1 },
   { 'float to bfloat16', 'by_vectorsI7convertI4bf16fE', elements = 4, each = 6, loads = 1 },
   { 'bfloat16 to float', 'by_vectorsI7convertIf4bf16E', elements = 4, each = 6, loads = 0 },
   { 'adam float', 'by_vectorsI.*4adamIfEEJ7operandI8computedIfE', elements = 4, each = 70, loads = 4 },
   { 'momentum float', 'by_vectorsI.*8momentumIfEEJ7operandI8computedIfE', elements = 4, each = 30, loads = 3 },
   { 'sum of columns, float', 'th_fold_columnsIf9line_foldIfLb1EEE', elements = 16, each = 4,
      loads = 4, inner = true },
   { 'sum of rows, float', 'th_fold_rowsIf9line_foldIfLb1EELi256E', elements = 16, each = 4,
      loads = 4, inner = true },
   { 'gradient of a bias, float', 'th_fold_columnsIf.*7productIfEE', elements = 16, each = 5,
      loads = 4, inner = true },
   { 'log softmax, 512', 'softmax_cu.*12forward_heldI4bf16Li32ELi4ELb1E', elements = 16, each = 95,
      registers = 80 },
   { 'its gradient', 'softmax_cu.*13backward_heldI4bf16Li32ELi4ELb1E', elements = 16, each = 110,
      registers = 80, locals = 10 },
   { 'layer normalization, 512', 'layernorm_cu.*12forward_heldI4bf16Li32ELi4E', elements = 16,
      each = 120, registers = 80 },
   { 'its gradient', 'layernorm_cu.*13backward_heldI4bf16Li32ELi4E.*Lb0E', elements = 16,
      each = 130, registers = 80, locals = 12 },
   { 'its gradient, and a sum', 'layernorm_cu.*13backward_heldI4bf16Li32ELi4E.*Lb1E',
      elements = 16, each = 180, registers = 80, locals = 12 },
   { 'batch normalization, its sums', 'th_sum_featuresILi8E.*10deviationsI4bf16E', elements = 8,
      each = 34, loads = 1, inner = true },
   { 'batch normalization', 'each_rowILi8E.*14narrow_feature.*10forward_ofI4bf16fE', elements = 8,
      each = 11, loads = 2 },
   { 'its gradient, the sums', 'th_sum_featuresILi8E.*11backward_ofI4bf16fE', elements = 8,
      each = 28, loads = 3, inner = true },
   { 'its gradient', 'each_rowILi8E.*14narrow_feature.*11backward_ofI4bf16fE', elements = 8,
      each = 13, loads = 3 },
   { 'gradient of the bias of a convolution', 'th_sum_featuresILi8E9th_valuesI4bf16Lb1EE',
      elements = 32, each = 16, loads = 4, inner = true },
   { 'attention, d 64', 'attention_mma_cu.*7forwardI4bf16Li64ELb0E', matrix = 128,
      registers = 232 },
   { 'its gradient by q', 'attention_mma_cu.*8by_queryI4bf16Li64ELb0E', matrix = 192,
      registers = 255 },
   { 'its gradients by k and v', 'attention_mma_cu.*6by_keyI4bf16Li64ELb0E', matrix = 128,
      registers = 255, locals = 2 },
   { 'attention, d 64, with dropout', 'attention_mma_cu.*7forwardI4bf16Li64ELb1E', matrix = 128,
      registers = 255 },
   { 'its gradient by q', 'attention_mma_cu.*8by_queryI4bf16Li64ELb1E', matrix = 192,
      registers = 255 },
   { 'its gradients by k and v', 'attention_mma_cu.*6by_keyI4bf16Li64ELb1E', matrix = 128,
      registers = 255, locals = 16 },
   { 'attention, d 128, float', 'attention_cu.*7forwardIfLi128ELb0E', registers = 192 },
   { 'its gradients', 'attention_cu.*8backwardIfLi128ELb0E', registers = 240 },
   { 'attention, d 128, float, with dropout', 'attention_cu.*7forwardIfLi128ELb1E',
      registers = 192 },
   { 'its gradients', 'attention_cu.*8backwardIfLi128ELb1E', registers = 255 },
   { 'dropout float', '4dropIfE', loads = 1, locals = 15 },
   { 'copy of rows', '9copy_rows.*unit16', loads = 1 },
   { 'transposed copy', '9transposeIj' },
   { 'max pooling float', 'pool2d_cu.*7largestIf', registers = 72 },
}
for _, limit in ipairs(limits) do
   limit.registers, limit.locals = limit.registers or 64, limit.locals or 0
   limit.loads, limit.matrix = limit.loads or 0, limit.matrix or 0
end

local options, files = { cuobjdump = os.getenv 'TH_CUOBJDUMP' or 'cuobjdump', arch = 'sm_90' }, {}
do
   local i = 1
   while arg[i] do
      local name = arg[i]:match '^%-(%a+)$'
      if name == 'all' then
         options.all = true
      elseif name == 'cuobjdump' or name == 'arch' then
         i = i + 1
         options[name] = arg[i]
      elseif name then
         files = {}
         break
      else
         files[#files + 1] = arg[i]
      end
      i = i + 1
   end
end
if #files == 0 then
   io.stderr:write('usage: th bench/sass.lua [-cuobjdump PATH] [-arch sm_90] [-all] FILE...\n')
   os.exit(2)
end

-- The lines that cuobjdump prints; an error if it fails.
local function dumped(what, file)
   local function quoted(s) return "'" .. s:gsub("'", "'\\''") .. "'" end
   local command = ('%s -arch %s %s %s 2>&1 && echo cuobjdump-ended')
      :format(quoted(options.cuobjdump), quoted(options.arch), what, quoted(file))
   local pipe = assert(io.popen(command))
   local lines = {}
   for line in pipe:lines() do             -- it warns for each part of a library without a kernel
      if not line:find '^cuobjdump warning' then lines[#lines + 1] = line end
   end
   pipe:close()
   if lines[#lines] ~= 'cuobjdump-ended' then
      io.stderr:write(lines[#lines] and lines[#lines] .. '\n' or '')
      io.stderr:write(('sass: %s failed on %s; give the path of cuobjdump with -cuobjdump or in TH_CUOBJDUMP\n')
         :format(options.cuobjdump, file))
      os.exit(2)
   end
   return lines
end

-- Whether the table has a kernel of that name, or all kernels are wanted.
local function is_wanted(name)
   if options.all then return true end
   for _, limit in ipairs(limits) do
      if name:find(limit[2]) then return true end
   end
end

-- The wanted kernels of a file: their names and registers.
local function read_registers(file)
   local found, name = {}, nil
   for _, line in ipairs(dumped('-res-usage', file)) do
      name = line:match 'Function (%S+):' or name
      local registers = line:match 'REG:(%d+)'
      if registers and name and is_wanted(name) then
         found[#found + 1] = { name = name, registers = tonumber(registers) }
      end
   end
   return found
end

local AT_ONCE = 50                           -- names that one command takes

-- kernels[name] = { registers = ..., { at = address, text = instruction }, ... }
local function read_kernels(file, kernels)
   local found = read_registers(file)
   for first = 1, #found, AT_ONCE do
      local names = {}
      for i = first, math.min(first + AT_ONCE - 1, #found) do
         names[#names + 1] = found[i].name
         kernels[found[i].name] = { registers = found[i].registers }
      end
      local now
      for _, line in ipairs(dumped('-sass -fun ' .. table.concat(names, ','), file)) do
         local name = line:match 'Function : (%S+)'
         if name then now = kernels[name] end
         local at, text = line:match '^%s+/%*(%x+)%*/%s+(.-)%s*;'
         if at and now then now[#now + 1] = { at = tonumber(at, 16), text = text } end
      end
   end
end

local function count(kernel, pattern, from, to)
   local n = 0
   for _, i in ipairs(kernel) do
      if i.at >= (from or 0) and i.at <= (to or math.huge) and i.text:find(pattern) then n = n + 1 end
   end
   return n
end

-- The loop with the most loads of 16 bytes, or with the most instructions where loops have as many:
-- where it begins and ends. With `inner`, a number: the shortest loop with at least as many loads.
local function main_loop(kernel, inner)
   local first, last, most = nil, nil, -math.huge
   for _, i in ipairs(kernel) do
      local to = tonumber(i.text:match 'BRA[%.%w]* .-(0x%x+)' or '')
      if to and to < i.at then
         local loads = count(kernel, 'LDG%S*%.128', to, i.at)
         local weight = loads * 1e6 + (i.at - to)
         if inner then weight = loads >= inner and to - i.at or -math.huge end
         if weight > most then first, last, most = to, i.at, weight end
      end
   end
   return first, last
end

-- Of a kernel without a loop, the part with the most loads of 16 bytes, between two unconditional
-- exits: where it begins and ends, and how many instructions at the kernel's entry lead to it.
local function main_part(kernel)
   local first, last, begins, entry, most = nil, nil, 0, nil, -math.huge
   for k, i in ipairs(kernel) do
      if not entry and i.text:find '^@!?U?P%d BRA' then entry = k end
      if i.text:find '^EXIT' then
         local weight = count(kernel, 'LDG%S*%.128', begins, i.at) * 1e6 + (i.at - begins)
         if weight > most then first, last, most = begins, i.at, weight end
         begins = i.at + 1
      end
   end
   return first, last, first ~= 0 and entry or 0
end

local function measured(kernel, elements, inner)
   local before = 0
   local first, last = main_loop(kernel, inner)
   if not first and elements then first, last, before = main_part(kernel) end
   local r = { registers = kernel.registers or 0, locals = count(kernel, '^[^ ]*%s*LDL') + count(kernel, '^[^ ]*%s*STL') }
   r.matrix = count(kernel, 'H%u*MMA')
   if first then
      r.length = before + count(kernel, '.', first, last)
      r.loads = count(kernel, 'LDG%S*%.128', first, last)
      r.each = elements and r.length / elements
   else
      r.length, r.loads = #kernel, count(kernel, 'LDG%S*%.128')
   end
   return r
end

local ROW = '%-44s %9s %6s %6s %6s %6s %6s  %s'
local function print_row(name, r, found)
   local each = r.each and ('%.1f'):format(r.each) or '-'
   print(ROW:format(name:sub(1, 44), each, r.length, r.loads, r.matrix, r.registers, r.locals, found))
end
local function findings(r, limit)
   local list = {}
   local function check(bad, text) if bad then list[#list + 1] = text end end
   if limit.each then
      check(not r.each, 'no loop')
      check(r.each and r.each > limit.each, ('instructions: at most %g'):format(limit.each))
   end
   check(r.matrix < limit.matrix, ('matrix instructions: at least %d'):format(limit.matrix))
   check(r.loads < limit.loads, ('loads of 16 bytes: at least %d'):format(limit.loads))
   check(r.registers > limit.registers, ('registers: at most %d'):format(limit.registers))
   check(r.locals > limit.locals, ('local memory: at most %d'):format(limit.locals))
   return #list == 0 and 'ok' or table.concat(list, '; '), #list
end

local kernels = {}
for _, file in ipairs(files) do
   read_kernels(file, kernels)
end
local names = {}
for name in pairs(kernels) do names[#names + 1] = name end
table.sort(names)

print(ROW:format('kernel', 'per elem', 'loop', 'ld128', 'mma', 'regs', 'local', 'limits'))
local seen, known, bad = 0, {}, 0
for _, limit in ipairs(limits) do
   for _, name in ipairs(names) do
      if name:find(limit[2]) then
         local r = measured(kernels[name], limit.elements, limit.inner and limit.loads)
         local text, n = findings(r, limit)
         print_row(limit[1], r, text)
         seen, bad, known[name] = seen + 1, bad + n, true
      end
   end
end
if options.all then
   for _, name in ipairs(names) do
      if not known[name] then print_row(name, measured(kernels[name]), '') end
   end
end
if seen == 0 then io.stderr:write('sass: the files have no kernel of the table\n') end
os.exit((seen == 0 or bad > 0) and 1 or 0)
