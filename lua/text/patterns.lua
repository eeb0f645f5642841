-- text.patterns - where byte-level models split texts, by the names that GGUF files use (tokenizer.ggml.pre). The expressions
-- are those of the models' own files. A text is split by the first one, its parts by the second, and so on.
local steps = require 'text.steps'

local QUOTES = [['(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])]]
local SPACES = [[\s*[\r\n]+|\s+(?!\S)|\s+]]

-- The family of GPT-4: letters, numbers of up to n digits, the rest.
local function gpt4(digits, letter, rest)
   letter, rest = letter or [[\p{L}]], rest or [=[ ?[^\s\p{L}\p{N}]+[\r\n]*]=]
   return QUOTES .. [=[|[^\r\n\p{L}\p{N}]?]=] .. letter .. '+|' .. digits .. '|' .. rest .. '|' .. SPACES
end

-- The family of GPT-4o, where a capital begins a word.
local function cased(digits, quotes)
   local upper, lower, before = [=[[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]]=], [=[[\p{Ll}\p{Lm}\p{Lo}\p{M}]]=], [=[[^\r\n\p{L}\p{N}]?]=]
   return before .. upper .. '*' .. lower .. '+' .. quotes .. '|' .. before .. upper .. '+' .. lower .. '*' .. quotes .. '|' ..
      digits .. [=[| ?[^\s\p{L}\p{N}]+[\r\n/]*|]=] .. SPACES
end

-- Letters of scripts with cases, as DeepSeek's files list them.
local DEEPSEEK_RANGES = [[
   41-5A 61-7A B5 C0-D6 D8-F6 F8-1BA 1BC-1BF 1C4-293 295-2AF 370-373 376 377 37B-37D 37F 386 388-38A 38C 38E-3A1
   3A3-3F5 3F7-481 48A-52F 531-556 10A0-10C5 13A0-13F5 13F8-13FD 1C90-1CBA 1CBD-1CBF 1D00-1D2B 1D6B-1D77 1D79-1D9A
   1E00-1F15 1F18-1F1D 1F20-1F45 1F48-1F4D 1F50-1F57 1F59 1F5B 1F5D 1F5F-1F7D 1F80-1FB4 1FB6-1FBC 1FBE 1FC2-1FC4
   1FC6-1FCC 1FD0-1FD3 1FD6-1FDB 1FE0-1FEC 1FF2-1FF4 1FF6-1FFC 2102 2107 210A-2113 2115 2119-211D 2124 2126 2128
   212A-212D 212F-2134 2139 213C-213F 2145-2149 214E 2183 2184 2C00-2C7B 2C7E-2CE4 2CEB-2CEE 2CF2 2CF3 A640-A66D
   A680-A69B A722-A76F A771-A787 A78B-A78E AB70-ABBF FB00-FB06 FB13-FB17 FF21-FF3A FF41-FF5A 10400-1044F
   104B0-104D3 104D8-104FB 10C80-10CB2 10CC0-10CF2 118A0-118DF 1E900-1E943]]
local DEEPSEEK_LETTERS = [=[\s?[]=] .. DEEPSEEK_RANGES:gsub('%x+', '\\x{%0}'):gsub('%s+', '') .. ']+'
local CHINESE, KANA = [=[[一-龥ࠀ-一가-퟿]+]=], [=[[一-龥぀-ゟ゠-ヿ]+]=]
local DEEPSEEK3 = [=[[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|]=] ..
   [=[[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|]=] .. SPACES

local llama3, qwen2 = { gpt4 [[\p{N}{1,3}]] }, { gpt4 [[\p{N}]] }
local gpt2, starcoder = { steps.GPT2 }, { [[\p{N}]], steps.GPT2 }
local deepseek3 = { [[\p{N}{1,3}]], KANA, DEEPSEEK3 }
local gpt4o = { cased([[\p{N}{1,3}]], '(?:' .. QUOTES .. ')?') }
local bloom = [=[ ?[^(\s|.,!?…。，、।۔،)]+]=]

local patterns = {
   default = { [=[[\p{P}\$\+<=>\^~\|]+]=], steps.GPT2, [[\p{N}+]], '[0-9][0-9][0-9]' },
   ['deepseek-llm'] = { [=[[\r\n]]=], DEEPSEEK_LETTERS, [=[\s?[!-/:-~！-／：-～‘-‟　-。]+]=], [[\s+$]], CHINESE, [[\p{N}+]] },
   ['deepseek-coder'] = { [=[[\r\n]]=], [[\s?\p{L}+]], [[\s?\p{P}+]], CHINESE, [[\p{N}]] },
   falcon = { [=[[\p{P}\$\+<=>\^~\|`]+]=], steps.GPT2, '[0-9][0-9][0-9]' },
   qwen35 = { gpt4([[\p{N}]], [=[[\p{L}\p{M}]]=], [=[ ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*]=]) },
   tekken = { cased([[\p{N}]], '') },
   viking = { bloom, [[\p{N}]] },
   ['seed-coder'] = { gpt4([[\p{N}]], nil, [=[ ?[^\s\p{L}\p{N}\r\n]+]=]) },
   whitespace = { [[\S+]] },
}

local function name(list, words) for word in words:gmatch '%S+' do patterns[word] = list end end

name(llama3, [[llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano dbrx smaug-bpe chatglm-bpe
   glm4 glm5]])
name(qwen2, 'qwen2 deepseek-r1-qwen kormo f2llmv2 stablelm2 hunyuan megrez solar-open grok-2')
name(gpt2, [[gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert mpt olmo jais trillion
   granite-docling jina-v1-en jina-v2-code roberta-bpe]])
name(starcoder, 'starcoder refact command-r smollm codeshell exaone minerva-7b mellum2')
name(deepseek3, 'deepseek-v3 hunyuan-dense joyai-llm hy_v4')
name(gpt4o, 'gpt-4o llama4 kanana2 minimax-m2')
name({ bloom }, 'bloom poro-chat gpt3-finnish')

return patterns
