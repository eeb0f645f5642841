-- lua/text/init.lua - the package text: tokenizers of language models, read from the models' own files.
local arg = require 'torch.arg'
local source = require 'feed.source'
local Tokenizer = require 'text.tokenizer'
local build = require 'text.build'
local gguf = require 'text.gguf'
local gguf_vocabulary = require 'text.gguf_vocabulary'
local json = require 'torch.json'
local sentencepiece = require 'text.sentencepiece'
local tokenizer_json = require 'text.tokenizer_json'
local vocabulary_files = require 'text.vocabulary_files'

local text = { Tokenizer = Tokenizer }

-- ---- files ---------------------------------------------------------------------------------------------------------

local function read_file(path) return source.with(path, source.whole) end

-- The content of a file beside another; nil without such a file.
local function beside(path, name)
   local other = (path:match '^(.*/)[^/]*$' or '') .. name
   local f = io.open(other)
   if not f then return nil, other end
   f:close()
   return read_file(other), other
end

-- The table in a JSON file beside another, or {}.
local function table_beside(path, name)
   local s, other = beside(path, name)
   if not s then return {} end
   local ok, t = pcall(json.read, s)
   if not ok then error(other .. ': ' .. t, 0) end
   return type(t) == 'table' and t or {}
end

-- The special tokens that special_tokens_map.json beside a file names.
local function special_beside(path)
   local list, seen = {}, {}
   for _, v in pairs(table_beside(path, 'special_tokens_map.json')) do
      local name = type(v) == 'table' and v.content or v
      if type(name) == 'string' and not seen[name] then
         seen[name] = true
         list[#list + 1] = name
      end
   end
   if #list == 0 then list = { '<|endoftext|>', '<s>', '</s>', '<unk>', '<pad>', '<mask>' } end
   table.sort(list)
   return list
end

local function read_json(path, s, options)
   local t = json.read(s)
   if type(t) ~= 'table' then error('it must hold an object', 0) end
   if type(t.model) == 'table' then return tokenizer_json.read(t) end
   local merges, other
   if options.merges then merges, other = read_file(options.merges), options.merges
   else merges, other = beside(path, 'merges.txt') end
   if not merges then error(("it has no 'model', and there is no file %s"):format(other), 0) end
   return vocabulary_files.bpe(t, merges, special_beside(path))
end

local function read_lines(path, s, options)
   local lower = options.lower
   if lower == nil then lower = table_beside(path, 'tokenizer_config.json').do_lower_case end
   return vocabulary_files.wordpiece(s, lower ~= false)
end

-- The definition in a file, by its first bytes and its name.
local function read(path, options)
   local head = source.with(path, function(s, n) return source.text(s, math.min(n, 64), 0) end)
   if head:sub(1, 4) == 'GGUF' then return gguf_vocabulary.read(gguf.read(path)) end
   local s = read_file(path)
   if head:find '^%s*{' and not path:find '%.txt$' then return read_json(path, s, options) end
   if path:find '%.model$' then return sentencepiece.read(s) end
   if path:find '%.txt$' then return read_lines(path, s, options) end
   if head:find '^\n' then return sentencepiece.read(s) end
   error('it is no file of a tokenizer: tokenizer.json, vocab.json, vocab.txt, .model or .gguf', 0)
end

local names = { 'tokenizer.json', 'tokenizer.model', 'spiece.model', 'sentencepiece.bpe.model', 'vocab.json', 'vocab.txt' }

-- The file of a folder; a file stays.
local function file_of(path)
   local folder = path:gsub('/+$', '')
   if folder == '' then folder = '/' end
   if not io.open(folder .. '/.') then return path end
   for _, name in ipairs(names) do
      local f = io.open(folder .. '/' .. name)
      if f then
         f:close()
         return folder .. '/' .. name
      end
   end
   error(('%s: it has none of %s'):format(path, table.concat(names, ', ')), 0)
end

local function load(path, options)
   local file = file_of(path)
   local ok, p = pcall(function() return build.parts(read(file, options)) end)
   if not ok then error(tostring(p):find(file, 1, true) and p or file .. ': ' .. tostring(p), 0) end
   return Tokenizer(p)
end

-- ---- the package ---------------------------------------------------------------------------------------------------

--- Reads a tokenizer: tokenizer.json, vocab.json with merges.txt beside it, vocab.txt, a model of SentencePiece, or a
-- GGUF file. Of a folder, the first of these counts. Options: `merges` is the name of another file
-- of merges. `lower = false` keeps capitals and accents with vocab.txt, `lower = true` removes
-- them. Without it tokenizer_config.json beside it decides.
-- @return a text.Tokenizer
function text.load(path, options)
   arg.path('text.load', 'path', path)
   if path == '' then error("text.load: path must be the name of a file or folder, got ''", 2) end
   if options ~= nil and type(options) ~= 'table' then arg.refuse('text.load', 'options', 'a table', options) end
   for name, v in pairs(options or {}) do
      if name == 'merges' then arg.path('text.load', 'merges', v)
      elseif name ~= 'lower' then error(("text.load: there is no option '%s'; there are merges, lower"):format(tostring(name)), 2)
      elseif type(v) ~= 'boolean' then arg.refuse('text.load', 'lower', 'true or false', v) end
   end
   local ok, t = pcall(load, path, options or {})
   if not ok then error('text.load: ' .. tostring(t), 2) end
   return t
end

--- text.unicode: the version of Unicode whose tables the package has, a string.
-- text = require 'text'; type(text.unicode) --> string
text.unicode = require 'ffi'.string(require 'text.lib'.C.th_unicode_version())

return text
