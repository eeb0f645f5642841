---@meta text
-- types/text.lua - written by ./dev docs from the sources; do not edit.

---@class text
local text = {}

do
--- A tokenizer, which text.load makes. `#t` is the number of ids, and t[i] the token with the id i - 1, false if it has none.
---@class text.Tokenizer
local Tokenizer = {}

--- The text of ids, a tensor or a list.
---@param ids any
---@param options? any
---@return string
function Tokenizer:decode(ids, options) end

--- The ids of a text.
---@param s any
---@param options? any
---@return any # a LongTensor of n ids. With `offsets`, n x 2 positions of the first and last byte in the text, 0 and 0 for tokens of the model. With `types`, n numbers 0 and 1 that tell the texts of a pair apart
---@return any ...
function Tokenizer:encode(s, options) end

--- The ids of several texts, or of pairs { text, text }, in one tensor.
---@param list any
---@param options? any
---@return any # ids: a LongTensor, texts x length; mask: a ByteTensor with 1 at ids of the text, 0 at padding; with `types`, their tensor
---@return any ...
function Tokenizer:encodeBatch(list, options) end

--- The id of a token, written as the vocabulary writes it, or nil.
---@param token any
---@return any
---@return any ...
function Tokenizer:id(token) end

--- Whether an id is a special token.
---@param id any
---@return boolean
function Tokenizer:isSpecial(id) end

--- The number of ids.
---@return number
function Tokenizer:size() end

--- The token with an id; nil: there is none.
---@param id any
---@return any
function Tokenizer:token(id) end

--- The tokens of a text, or of ids, as a list of strings, written as the vocabulary writes them.
---@param x any
---@param options? any
---@return any
function Tokenizer:tokens(x, options) end

--- Refuses to be saved: the name of the file is enough to load the tokenizer again.
---@return any
function Tokenizer:write() end

end

--- A tokenizer, which text.load makes. `#t` is the number of ids, and t[i] the token with the id i - 1, false if it has none.
---@class text.Tokenizer.class: text.Tokenizer
---@overload fun(p?: any): text.Tokenizer
text.Tokenizer = {}

--- Reads a tokenizer: tokenizer.json, vocab.json with merges.txt beside it, vocab.txt, a model of SentencePiece, or a GGUF file.
---@param path string
---@param options? any
---@return text.Tokenizer # a text.Tokenizer
function text.load(path, options) end

--- the version of Unicode whose tables the package has, a string.
---
---     text = require 'text'; type(text.unicode)   --> string
---@type string
text.unicode = nil

return text
