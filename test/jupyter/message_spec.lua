-- test/jupyter/message_spec.lua - frames of messages: signed, read back, and damaged in each way.
-- runs once
local message = require 'jupyter.message'
local json = require 'torch.json'

local KEY = 'a key'

local function signed(signer, parts, to)
   local frames = { to or 'address', '<IDS|MSG>', signer:sign(table.concat(parts)) }
   for _, part in ipairs(parts) do frames[#frames + 1] = part end
   return frames
end

describe('jupyter.message', function()
   it('reads what it wrote', function()
      local signer = message.signer(KEY)
      local m = assert(signer:parse(signer:frames('status', { execution_state = 'busy' }, '{"msg_id":"p"}', { 'x',
         'y' }, { a = 1 })))
      assert.equal('status', m.kind)
      assert.same({ 'x', 'y' }, m.to)
      assert.equal('busy', m.content.execution_state)
      assert.equal('p', m.parent.msg_id)
      assert.equal(1, m.metadata.a)
      assert.equal(signer.session, m.header.session)
      assert.equal('5.4', m.header.version)
   end)

   it('numbers messages differently', function()
      local signer = message.signer(KEY)
      local a, b = signer:frames('a', {}), signer:frames('a', {})
      assert.not_equal(json.read(a[3]).msg_id, json.read(b[3]).msg_id)
   end)

   it('drops a message when any byte is changed', function()
      local signer = message.signer(KEY)
      local frames = signer:frames('execute_request', { code = 'x' }, nil, { 'address' })
      for i = 3, #frames do
         for at = 1, #frames[i], 7 do
            local changed = { unpack(frames) }
            local c = string.char((frames[i]:byte(at) + 1) % 256)
            changed[i] = frames[i]:sub(1, at - 1) .. c .. frames[i]:sub(at + 1)
            assert.is_nil((signer:parse(changed)))
         end
      end
      assert.is_nil((message.signer('another key'):parse(frames)))
      assert.is_nil((message.signer('a key '):parse(frames)))
   end)

   it('drops messages that lack frames', function()
      local signer = message.signer(KEY)
      local frames = signer:frames('execute_request', { code = 'x' }, nil, { 'address' })
      for n = 0, #frames - 1 do
         local m, why = signer:parse { unpack(frames, 1, n) }
         assert.is_nil(m)
         assert.matches(n < 2 and 'no mark' or 'fewer than four parts', why)
      end
   end)

   it('drops signed messages that are no JSON, no objects, or lack fields', function()
      local signer = message.signer(KEY)
      local header = '{"msg_id":"1","session":"s","msg_type":"t"}'
      assert.is_truthy(signer:parse(signed(signer, { header, '{}', '{}', '{}' })))
      for _, parts in ipairs { { 'x', '{}', '{}', '{}' }, { '[]', '{}', '{}', '{}' }, { header, '[]', '{}', '{}' },
         { header, '{}', 'null', '{}' }, { header, '{}', '{}', '3' }, { header, '{}', '{}', '' }, { '{}', '{}', '{}', '{}' },
         { '{"msg_id":1,"session":"s","msg_type":"t"}', '{}', '{}', '{}' }, { header, '{}', '{}', ('['):rep(10000) } } do
         local m, why = signer:parse(signed(signer, parts))
         assert.is_nil(m)
         assert.is_string(why)
      end
   end)

   it('needs no signature without a key', function()
      local frames = message.signer(''):frames('a', {})
      assert.equal('', frames[2])
      assert.is_truthy(message.signer(''):parse(frames))
      assert.is_nil((message.signer(KEY):parse(frames)))
   end)
end)
