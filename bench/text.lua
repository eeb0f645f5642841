-- bench/text.lua - tokens per second of the package text, on one core.
--    th bench/text.lua                               a vocabulary trained on the documentation, and the documentation as text
--    th bench/text.lua FILE [TEXT]                   a vocabulary that text.load reads, another text
--    th bench/text.lua tokenizer.json TEXT PYTHON    beside the package tokenizers of that Python
--
-- "first" is one pass of a tokenizer that has seen no word yet. "again" is a pass over words that it remembers. Times are
-- processor time of this process.
package.path = './?.lua;' .. package.path
local measure = require 'bench.lib.measure'
local samples = require 'test.support.vocabularies'
local text = require 'text'

local ROUNDS, MERGES, BATCH = 5, 400, 512
local vocabulary, name, python = arg[1], arg[2], arg[3]

local function read(file)
   local f = assert(io.open(file, 'rb'))
   local s = f:read '*a'
   f:close()
   return s
end

local function documentation()
   local parts = {}
   local list = io.popen 'ls doc/*.md doc/internals/*.md README.md CHANGELOG.md'
   for file in list:lines() do parts[#parts + 1] = read(file) end
   list:close()
   return table.concat(parts)
end

local s = name and read(name) or documentation()
local trained
if not vocabulary then
   trained = os.tmpname() .. '.json'
   local f = assert(io.open(trained, 'w'))
   f:write(samples.byte_level(s:sub(1, 100000), MERGES))
   f:close()
   vocabulary = trained
end

local first, again, back, batch, n, ids = {}, {}, {}, {}, nil, nil
local lines = {}
for line in s:gmatch '[^\n]+' do
   lines[#lines + 1] = line
   if #lines == BATCH then break end
end
local loading = {}
for i = 1, ROUNDS do
   local t
   loading[i] = measure.work(function() t = text.load(vocabulary) end)
   first[i] = measure.work(function() ids = t:encode(s) end)
   again[i] = measure.work(function() t:encode(s) end)
   back[i] = measure.work(function() t:decode(ids) end)
   local rows
   batch[i] = measure.work(function() rows = { t:encodeBatch(lines) } end)
   n = { text = ids:nElement(), batch = rows[2]:sum() }
end
if trained then os.remove(trained) end

local function row(what, seconds, tokens)
   local t = measure.median(seconds)
   print(('%-28s %8.2f M tokens/s  %7.1f MB/s'):format(what, tokens / t / 1e6, #s * tokens / n.text / t / 1e6))
end

print(('%d bytes of text, %d tokens; the vocabulary loads in %.2f s'):format(#s, n.text, measure.median(loading)))
row('encode, first', first, n.text)
row('encode, again', again, n.text)
row(('encodeBatch, %d lines'):format(#lines), batch, n.batch)
row('decode', back, n.text)

if python then
   local script = [[
import sys, time, os
os.environ["TOKENIZERS_PARALLELISM"] = "false"
import tokenizers
t = tokenizers.Tokenizer.from_file(sys.argv[1])
s = open(sys.argv[2], encoding="utf-8").read()
times = []
for _ in range(6):
    c = time.process_time()
    n = len(t.encode(s).ids)
    times.append(time.process_time() - c)
print("tokenizers %s, first: %.2f M tokens/s; again: %.2f M tokens/s" % (tokenizers.__version__, n / times[0] / 1e6,
   n / sorted(times)[2] / 1e6))
]]
   local file = os.tmpname()
   local f = assert(io.open(file, 'w'))
   f:write(script)
   f:close()
   os.execute(("'%s' '%s' '%s' '%s'"):format(python, file, vocabulary, name))
   os.remove(file)
end
