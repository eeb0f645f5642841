-- doc/reference.lua - writes the pages of doc/reference/ from what torch.doc knows: run by ./dev docs.
--
-- Nothing is written here that is not said where a name is defined. The headings of ops are the comments of lib/ops.def, those of
-- Lua functions the first lines of their files.
local torch = require 'torch'
local doc = require 'torch.doc'
local class = require 'torch.class'
require 'nn.recurrent'
require 'optim'
require 'cudnn'
local ffi = require 'ffi'
ffi.cdef 'int setenv(const char *name, const char *value, int overwrite);'

local M = {}

-- cutorch is described where there is a device: the emulated one unless TH_CUDA says otherwise.
ffi.C.setenv('TH_CUDA', 'emu', 0)
local found, cutorch = pcall(require, 'cutorch')

--- Are there devices? Without them there is no page of cutorch.
M.devices = found and cutorch.getDeviceCount() > 0
if M.devices then require 'cunn' end

-- ---- one entry --------------------------------------------------------------------------------------------------

-- Stars outside of code would become emphasis.
local function plain(text)
   local parts, code = {}, false
   for part, mark in (text .. '`'):gmatch '([^`]*)(`)' do
      parts[#parts + 1] = code and part or part:gsub('%*', '\\*'):gsub('<', '&lt;')
      parts[#parts + 1] = mark
      code = not code
   end
   return (table.concat(parts):sub(1, -2))
end

local ALL = 'Byte Char Short Int Long Half BFloat16 Float Double'
local GROUPS = { [ALL] = 'all', ['Half BFloat16 Float Double'] = 'floats', ['Byte Char Short Int Long'] = 'whole numbers' }

local function code(out, language, lines)
   out[#out + 1] = '```' .. language
   for _, line in ipairs(lines) do out[#out + 1] = line end
   out[#out + 1] = '```'
end

local function write(out, entry, level)
   out[#out + 1] = ('#'):rep(level) .. ' ' .. entry.key
   code(out, '', entry.usage)
   for i, line in ipairs(entry.text) do
      if line ~= '' or i < #entry.text then out[#out + 1] = plain(line) end
   end
   local items = {}
   for _, p in ipairs(entry.params) do items[#items + 1] = ('- `%s`: %s'):format(p.name, plain(p.text)) end
   for _, r in ipairs(entry.returns) do items[#items + 1] = '- returns ' .. plain(r.text) end
   if entry.op then
      if entry.defaults ~= '' then items[#items + 1] = '- defaults: `' .. entry.defaults .. '`' end
      items[#items + 1] = '- types: ' .. (GROUPS[entry.types] or entry.types)
      if entry.gradients ~= '' then items[#items + 1] = '- gradients: `' .. entry.gradients .. '`' end
   end
   if #items > 0 then out[#out + 1] = '' end
   for _, item in ipairs(items) do out[#out + 1] = item end
   if #entry.examples > 0 then
      local lines = {}
      for i, e in ipairs(entry.examples) do lines[i] = ('%s   --> %s'):format(e.code, e.result) end
      code(out, 'lua', lines)
   end
   out[#out + 1] = ''
end

-- ---- headings -------------------------------------------------------------------------------------------------

local FORMS = { TH_OP = 1, TH_MAP = 1, TH_MAP_AS = 1, TH_ZIP = 1, TH_ZIP3 = 1, TH_ACT = 2, TH_COMPARE = 2 }

-- The heading of every op, in the order of the registry: the comments between the lines of ops.def and pointwise.def.
local function op_headings()
   local headings = {}
   local function read(file)
      local heading
      for line in io.lines(file) do
         local comment = line:match '^/%*[%s%-]*(.-)[%s%-]*%*/$'
         local macro, included = line:match '^(TH_[%u%d_]+)%(', line:match '^#include "(.-)"'
         if comment then heading = comment
         elseif included then read('lib/' .. included)
         elseif macro then for _ = 1, FORMS[macro] do headings[#headings + 1] = heading end end
      end
   end
   read 'lib/ops.def'
   return headings
end

-- name -> heading, and the headings in order.
local function heading_of_op()
   local C = require 'torch.lib'.C
   local of, order, seen = {}, {}, {}
   local headings = op_headings()
   if C.th_op_at(#headings - 1) == nil or C.th_op_at(#headings) ~= nil then
      error('doc/reference.lua: the library and lib/ops.def list different ops: run ./dev build', 0)
   end
   for i, heading in ipairs(headings) do
      local name = ffi.string(C.th_op_at(i - 1).name)
      of[name] = of[name] or heading
      if not seen[heading] then
         seen[heading] = true
         order[#order + 1] = heading
      end
   end
   return of, order
end

-- 'torch.random - generators of ...' gives 'generators of ...'.
local function heading_of_file(path)
   local f = io.open(path)
   local line = f and f:read '*l' or ''
   if f then f:close() end
   local text = line:match '^%-%-+%s*%S+%s+%-%s+(.-)%.?$' or path
   return text:match '^(.-): ' or text:match '^(.-)%. ' or text
end

-- A capital in front, except of names.
local function title(text) return text:find '^torch%.' and text or text:sub(1, 1):upper() .. text:sub(2) end

local GRADIENTS = 'gradients of ops, for modules'

-- ---- which page and which heading ---------------------------------------------------------------------------

local function file_name(entry) return entry.file and entry.file:match '([^/]*)%.lua$' end

-- The heading of a class of nn: the folder of its file.
local function theme(path) return path:match '/nn/(%l+)/' or 'Module' end

-- The page and the heading of a key: nil for what its class inherits, and for internal names.
local function place(key, entry, of_op)
   local package_name = key:match '^[^%.:]+'
   local path = entry.file or ''
   if path:find 'lua/cutorch/%w+%.lua$' or path:find 'lua/cunn/%w+%.lua$' then return 'cutorch', heading_of_file(path) end
   if package_name == 'Tensor' or package_name == 'Storage' then return 'tensor', package_name == 'Tensor' and 'Tensors' or 'Storages' end
   if package_name == 'nn' then
      local name = key:match '^nn%.(%w+)'
      local mt = class.getmetatable('nn.' .. name)
      if not mt then return 'nn', 'Helpers' end
      local base = torch.getmetatable 'nn.Criterion'
      local up, of = mt, 'nn'
      while up do
         if up == base then of = 'criterions' end
         up = getmetatable(up)
      end
      local info = class.getmetatable('nn.' .. name)
      local whole = doc.entry('nn.' .. name)
      return of, of == 'criterions' and 'Criterions' or theme(info and whole.file or '')
   end
   if package_name == 'torch' then
      local name = key:match '^torch%.(%w+)'
      local file = file_name(entry)
      if name:find 'File$' or file == 'serialize' or file == 'file' then return 'files', 'Files' end
      if name:find '%u%w*Tensor$' or name == 'Tensor' or name:find 'Storage$' then return 'tensor', 'Types' end
      if entry.op then return 'torch', key:find '_grad' and GRADIENTS or of_op[entry.op] end
      if class.getmetatable('torch.' .. name) then return 'classes', heading_of_file(entry.file) end
      if entry.key:find '^Tensor' or (file == 'view' or file == 'tensor') then return 'torch', 'functions that are methods of tensors too' end
      return 'torch', heading_of_file(entry.file)
   end
   if package_name == 'optim' then return 'optim', 'Optimizers' end
   return 'packages', package_name
end

local TITLES = {
   { 'torch', 'Functions of torch', 'Ops first: each is a function of torch and, unless it makes tensors from numbers, a method of tensors. The result may be '
      .. 'given in front. Arguments in brackets may be left out.' },
   { 'tensor', 'Tensors and storages', 'Types, and the methods of tensors that are not ops; every op of [torch](torch.md) is a method too.' },
   { 'classes', 'Classes of torch', 'Timers, tests, command lines, generators.' },
   { 'files', 'Files', 'Loading, saving and file objects. `torch.load` knows `.t7`, `.npy`, `.npz` and `.safetensors` by their content; loading a file '
      .. 'never runs code. [File formats](../files.md) says what they hold.' },
   { 'nn', 'Modules of nn', 'A module has what nn.Module has: forward, backward, parameters, type. The first dimension of a batch is the sample.' },
   { 'criterions', 'Criterions of nn', '`forward(input, target)` is the loss, `backward(input, target)` its gradient by the input.' },
   { 'optim', 'Optimizers', '`optim.sgd(f, x, config)`: f(x) gives the value and the gradient at x; one step changes x in place.' },
   { 'packages', 'paths, sys, xlua, graph, nngraph, autograd, totem, fbnn, dist, cudnn', 'The small packages.' },
   { 'cutorch', 'cutorch and cunn', "`require 'cutorch'` brings devices: CUDA's, or with TH_CUDA=emu emulated ones for tests. [GPUs](../cuda.md) tells how "
      .. 'they are used, and which names of Torch7 have no meaning any more.' },
}

--- All sections: a list of { name, title, intro, topics }, the topics a list of { heading, title, entries } that have entries.
-- An entry is one of doc.entry, with its key. The site (doc/site) and the stubs (doc/stubs) read them too.
function M.sections()
   local of_op, op_order = heading_of_op()
   local pages = {}                                           -- page -> { heading -> entries, order = headings }
   for _, t in ipairs(TITLES) do pages[t[1]] = { order = {} } end
   for i = 1, #op_order do
      pages.torch.order[i] = op_order[i]
      pages.torch[op_order[i]] = {}
   end
   for _, key in ipairs(doc.names()) do
      local entry = doc.entry(key)
      if entry and not entry.inherited then
         local page, heading = place(key, entry, of_op)
         local p = pages[page]
         if not p[heading] then
            p[heading] = {}
            p.order[#p.order + 1] = heading
         end
         entry.key = key
         table.insert(p[heading], entry)
      end
   end
   local sections = {}
   for _, t in ipairs(TITLES) do
      if t[1] == 'cutorch' and not M.devices then break end
      local section = { name = t[1], title = t[2], intro = t[3], topics = {} }
      for _, heading in ipairs(pages[t[1]].order) do
         local entries = pages[t[1]][heading]
         if #entries > 0 then table.insert(section.topics, { heading = heading, title = title(heading), entries = entries }) end
      end
      sections[#sections + 1] = section
   end
   return sections
end

--- All pages: a table from file name to text.
function M.pages()
   local texts = {}
   for _, section in ipairs(M.sections()) do
      local out = { '# ' .. section.title, '', section.intro, '', 'Written by `./dev docs` from the sources; do not edit.', '' }
      for _, topic in ipairs(section.topics) do
         out[#out + 1] = '## ' .. topic.title
         out[#out + 1] = ''
         for _, entry in ipairs(topic.entries) do write(out, entry, entry.key:find(':', 1, true) and entry.key:find '%.' and 4 or 3) end
      end
      while out[#out] == '' do out[#out] = nil end
      texts[section.name .. '.md'] = table.concat(out, '\n') .. '\n'
   end
   return texts
end

--- Writes them.
function M.write(folder)
   for name, text in pairs(M.pages()) do
      local f = assert(io.open(folder .. '/' .. name, 'w'))
      f:write(text)
      f:close()
   end
end

if rawget(_G, 'arg') and (arg[0] or ''):match 'doc/reference%.lua$' then M.write 'doc/reference' end

return M
