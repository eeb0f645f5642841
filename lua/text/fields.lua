-- text.fields - reads fields of parsed files with their types, and checks vocabularies.
local json = require 'torch.json'

local fields = {}

local SLACK = 2 ^ 15                         -- a vocabulary may have so many ids without a token
local MOST = 2 ^ 24                          -- tokens

local function describe(v)
   if v == nil or v == json.null then return 'nothing' end
   if type(v) == 'string' or type(v) == 'number' or type(v) == 'boolean' then return ("'%s'"):format(tostring(v)) end
   return 'a ' .. type(v)
end

--- The field `name` of a table, of this type; without it, the default, or an error if there is none.
function fields.get(t, name, kind, default)
   local v = t[name]
   if v == json.null then v = nil end
   if v == nil and default ~= nil then return default end
   if type(v) ~= kind then error(("'%s' must be a %s, got %s"):format(name, kind, describe(v)), 0) end
   return v
end

--- The same for a field that may be absent: nil then.
function fields.maybe(t, name, kind)
   local v = t[name]
   if v == nil or v == json.null then return nil end
   return fields.get(t, name, kind)
end

--- A whole number of at least 0 that can be an id.
function fields.id(v, what)
   if type(v) ~= 'number' or v % 1 ~= 0 or v < 0 or v >= MOST then
      error(('%s must have an id of 0 or more, got %s'):format(what, describe(v)), 0)
   end
   return v
end

--- Token -> id becomes a list of tokens from id 0; false stands for ids without token.
function fields.list_of(vocabulary)
   local list, n, last = {}, 0, -1
   for token, id in pairs(vocabulary) do
      if type(token) ~= 'string' then error('a token must be a string, got ' .. describe(token), 0) end
      n, last = n + 1, math.max(last, fields.id(id, ("the token '%s'"):format(token:sub(1, 40))))
   end
   if last >= n + SLACK then error(('the id %.0f is too large for %d tokens'):format(last, n), 0) end
   for i = 1, last + 1 do list[i] = false end
   for token, id in pairs(vocabulary) do
      local other = list[id + 1]
      if other == false or token < other then list[id + 1] = token end
   end
   return list
end

--- Puts a token at an id, with holes before it where needed. A file with `n` tokens may not have many more ids: a few
-- bytes of it must not take much memory.
function fields.put(tokens, id, token, n)
   if id >= n + SLACK then error(('the id %.0f is too large for %d tokens'):format(id, n), 0) end
   for i = #tokens + 1, id do tokens[i] = false end
   tokens[id + 1] = token
end

--- Token -> id, from a list of tokens from id 0. Of equal tokens, the last one counts.
function fields.ids_of(tokens)
   local ids = {}
   for i, token in ipairs(tokens) do if token then ids[token] = i - 1 end end
   return ids
end

--- byte -> id of the token '<0x41>', for all bytes; nil if one is missing.
function fields.byte_ids(ids)
   local bytes = {}
   for b = 0, 255 do
      bytes[b] = ids[('<0x%02X>'):format(b)]
      if not bytes[b] then return nil end
   end
   return bytes
end

fields.describe = describe

return fields
