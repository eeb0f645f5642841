-- lua/jupyter/message.lua - messages of Jupyter's protocol: frames of bytes, signed by HMAC-SHA256.
--
-- Frames: addresses of the receiver, '<IDS|MSG>', the signature, then four JSON objects: header, parent header, metadata,
-- content; then buffers, which a kernel of this kind does not use.
local json = require 'torch.json'
local sha256 = require 'torch.sha256'

local M = {}

--- The version of the protocol that the kernel speaks.
M.version = '5.4'

local MARK = '<IDS|MSG>'

--- A random name of 32 hexadecimal digits.
function M.name()
   local f = assert(io.open('/dev/urandom', 'rb'))
   f:setvbuf 'no'
   local bytes = f:read(16)
   f:close()
   return sha256.hex(bytes)
end

-- ---- one side of the connection ------------------------------------------------------------------------------------

local Signer = {}
Signer.__index = Signer

--- What writes and reads messages of one session.
-- @param key  of the signatures; '' leaves them out
-- @param session  the name of the session (default: a new one)
function M.signer(key, session)
   local self = setmetatable({ key = key, session = session or M.name(), count = 0 }, Signer)
   self.prefix = M.name()
   return self
end

function Signer:sign(text) return self.key == '' and '' or sha256.hex(sha256.hmac(self.key, text)) end

local function date() return os.date '!%Y-%m-%dT%H:%M:%S.000000Z' end

--- The frames of a new message.
-- @param kind  its msg_type
-- @param content  a table
-- @param parent  the text of the header that it answers (default: none)
-- @param to  the addresses before the mark, a list (default: none)
-- @param metadata  a table (default: empty)
function Signer:frames(kind, content, parent, to, metadata)
   self.count = self.count + 1
   local header = json.write { msg_id = ('%s_%d'):format(self.prefix, self.count), session = self.session, username = 'kernel',
      date = date(), msg_type = kind, version = M.version }
   local parts = { header, parent or '{}', json.write(metadata or {}), json.write(content) }
   local frames = {}
   for i, address in ipairs(to or {}) do frames[i] = address end
   frames[#frames + 1] = MARK
   frames[#frames + 1] = self:sign(table.concat(parts))
   for _, part in ipairs(parts) do frames[#frames + 1] = part end
   return frames
end

local function object(text, what)
   local value = json.read(text)
   if type(value) ~= 'table' or value == json.null or text:match '^%s*(.)' ~= '{' then error(what .. ' must be an object', 0) end
   return value
end

--- The message in these frames: to (addresses), header, header_text, parent, metadata, content, kind. Returns nil and the
-- reason if they are damaged or the signature is wrong.
function Signer:parse(frames)
   local mark
   for i, frame in ipairs(frames) do
      if frame == MARK then
         mark = i
         break
      end
   end
   if not mark then return nil, 'no mark <IDS|MSG>' end
   if #frames < mark + 5 then return nil, 'fewer than four parts' end
   local text = table.concat(frames, '', mark + 2, mark + 5)
   if self.key ~= '' and not sha256.equal(self:sign(text), frames[mark + 1]) then return nil, 'a wrong signature' end
   local ok, message = pcall(function()
      local header = object(frames[mark + 2], 'the header')
      for _, name in ipairs { 'msg_id', 'session', 'msg_type' } do
         if type(header[name]) ~= 'string' then error(('the header must have a string %s'):format(name), 0) end
      end
      return { to = { unpack(frames, 1, mark - 1) }, header = header, header_text = frames[mark + 2], kind = header.msg_type,
         parent = object(frames[mark + 3], 'the parent header'), metadata = object(frames[mark + 4], 'the metadata'),
         content = object(frames[mark + 5], 'the content') }
   end)
   if not ok then return nil, tostring(message) end
   return message
end

return M
