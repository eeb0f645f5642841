-- test/jupyter/kernel_spec.lua - a kernel in a process, driven through libzmq as a front end does it.
-- runs once
local front = require 'test.support.jupyter'

if not front.available() then
   describe('a kernel of Jupyter', function() it('answers', function() pending 'libzmq is not installed' end) end)
   return
end

local message = require 'jupyter.message'
local SIGINT = 2

describe('a kernel of Jupyter', function()
   local k
   setup(function() k = front.start() end)
   teardown(function() k:stop() end)

   it('says what it is', function()
      assert.equal('5.4', k.info.protocol_version)
      assert.equal('lua', k.info.language_info.name)
      assert.equal('ok', k.info.status)
   end)

   it('runs cells: counts, busy and idle, values', function()
      local first = k:run '1'.execution_count
      local reply, list = k:run '20 + 22'
      assert.equal('ok', reply.status)
      assert.equal(first + 1, reply.execution_count)
      local kinds = {}
      for i, m in ipairs(list) do kinds[i] = m.kind end
      assert.same({ 'status', 'execute_input', 'execute_result', 'status' }, kinds)
      assert.equal('42', list[3].content.data['text/plain'])
      assert.equal('20 + 22', list[2].content.code)
   end)

   it('publishes output in its order, from Lua, stderr and other processes', function()
      local _,
         list = k:run [[print 'a' io.write 'b' io.stdout:flush() os.execute 'printf c' io.write 'd\n' io.stderr:write 'e\n']]
      assert.equal('a\nbcd\n', front.text(list, 'stdout'))
      assert.equal('e\n', front.text(list, 'stderr'))
      _, list = k:run [[io.write('x', ('é'):rep(200000), '\255\n');]]
      local text = front.text(list, 'stdout')
      assert.equal(400005, #text)
      assert.is_true(text == 'x' .. ('é'):rep(200000) .. '\239\191\189\n')
   end)

   it('measures a cell that begins with %time or %timeit', function()
      local _, list = k:run '%time 20 + 22'
      assert.matches('^[%d.]+ s, processors [%d.]+ s\n$', front.text(list, 'stdout'))
      assert.equal('42', front.find(list, 'execute_result').content.data['text/plain'])
      _, list = k:run '%%timeit\nlocal x = 1\nx = x + 1'
      local form = '^[%d.]+ %S+ ± [%d.]+ %S+ %(%d+ rounds of [%d,]+%)\n$'
      assert.matches(form, front.text(list, 'stdout'))
      assert.is_nil(front.find(list, 'execute_result'))
      local reply = k:run '%timeit\nerror "boom"'
      assert.matches('^cell %d+:2: boom$', reply.evalue)
      assert.equal('SyntaxError', k:run '%timer 1'.ename)
      assert.equal('ok', k:run '%time'.status)
      local answer = k:ask('shell', 'is_complete_request', { code = '%time for i = 1, 2 do' })
      assert.equal('incomplete', answer.content.status)
   end)

   it('publishes output while a cell runs', function()
      k:send('shell', 'execute_request', { code = "print 'now' local s = os.time() + 60 while os.time() < s do end" })
      local m
      repeat m = assert(k:receive('iopub', 30)) until m.kind == 'stream'
      assert.equal('now\n', m.content.text)
      k:signal(SIGINT)
      assert.equal('KeyboardInterrupt', k:receive 'shell'.content.ename)
      k:published()
   end)

   it('shows tensors as text and as a table', function()
      local _, list = k:run 'torch.eye(2)'
      local data = front.find(list, 'execute_result').content.data
      assert.matches('DoubleTensor of size 2x2', data['text/plain'])
      assert.matches('<table>', data['text/html'])
   end)

   it('shows pictures and plots, and changes a plot of the same cell', function()
      local _, list = k:run [[require 'image' image.display(torch.eye(4)); require 'gnuplot' gnuplot.plot(torch.range(1, 3))
         gnuplot.title 'a title']]
      local shown, changed = {}, nil
      for _, m in ipairs(list) do
         if m.kind == 'display_data' then shown[#shown + 1] = m.content end
         if m.kind == 'update_display_data' then changed = m.content end
      end
      assert.equal(2, #shown)
      assert.equal('iVBORw0KGgo', shown[1].data['image/png']:sub(1, 11))
      assert.matches('^<svg', shown[2].data['image/svg+xml'])
      assert.equal(shown[2].transient.display_id, changed.transient.display_id)
      assert.matches('a title', changed.data['image/svg+xml'])
   end)

   it('shows any contents by jupyter.display, and refuses wrong ones', function()
      local _, list = k:run "require 'jupyter' jupyter.display('<i>x</i>', 'text/html') jupyter.display(5) jupyter.clear(true)"
      assert.equal('<i>x</i>', front.find(list, 'display_data').content.data['text/html'])
      assert.is_true(front.find(list, 'clear_output').content.wait)
      assert.matches('jupyter.display: data must be', k:run 'jupyter.display({}, "text/html")'.evalue)
      for _, mime in ipairs { '"html"', '""', '3', '"a/b c"' } do
         assert.matches('jupyter.display: mime must be', k:run(('jupyter.display("x", %s)'):format(mime)).evalue)
      end
   end)

   it('reports errors with the line of the cell', function()
      local reply, list = k:run 'local t = {}\nreturn t.x.y'
      assert.equal('error', reply.status)
      assert.equal('line 2 of the cell:  return t.x.y', reply.traceback[2])
      assert.same(reply.traceback[1], front.find(list, 'error').content.traceback[1])
      assert.equal('SyntaxError', k:run 'x = = 1'.ename)
   end)

   it('keeps silent cells silent', function()
      local count = k:run '0'.execution_count
      local reply, list = k:run("print 'x' return 5", { silent = true })
      assert.equal(count, reply.execution_count)
      assert.equal(2, #list)
      assert.equal(count, k:run('0', { store_history = false }).execution_count)
   end)

   it('evaluates expressions for the front end', function()
      local e = k:run('u = 6', { user_expressions = { n = 'u * 7', wrong = 'u.x.y' } }).user_expressions
      assert.equal('42', e.n.data['text/plain'])
      assert.equal('error', e.wrong.status)
   end)

   it('aborts the cells that wait behind an error', function()
      k:send('shell', 'execute_request', { code = "local s = os.time() + 2 while os.time() < s do end error 'x'" })
      k:send('shell', 'execute_request', { code = 'never = 1' })
      k:send('shell', 'is_complete_request', { code = '1' })
      assert.equal('error', k:receive 'shell'.content.status)
      assert.equal('aborted', k:receive 'shell'.content.status)
      assert.equal('complete', k:receive 'shell'.content.status)
      local reply = k:run('never')
      assert.equal('ok', reply.status)
   end)

   it('asks the front end for lines', function()
      k:send('shell', 'execute_request', { code = "return io.read(), io.read '*n', jupyter.input('name? ', true)",
         allow_stdin = true })
      for i, value in ipairs { 'a line', '12', 'secret' } do
         local m = assert(k:receive 'stdin')
         assert.equal('input_request', m.kind)
         assert.equal(i == 3, m.content.password)
         assert.equal(i == 3 and 'name? ' or '', m.content.prompt)
         k:send('stdin', 'input_reply', { value = value })
      end
      local reply = k:receive 'shell'
      local list = k:published(reply.parent.msg_id)
      assert.equal('a line\t12\tsecret', front.find(list, 'execute_result').content.data['text/plain'])
      assert.matches('sends no input', k:run 'io.read()'.evalue)
   end)

   it('stops while it waits for a line', function()
      k:send('shell', 'execute_request', { code = 'io.read()', allow_stdin = true })
      assert(k:receive 'stdin')
      k:signal(SIGINT)
      assert.equal('KeyboardInterrupt', k:receive 'shell'.content.ename)
   end)

   it('stops at a signal and at an interrupt_request, again and again', function()
      for i = 1, 6 do
         k:send('shell', 'execute_request', { code = 'io.stdout:write "x\\n" local n = 0 while true do n = n + 1 end' })
         local m
         repeat m = assert(k:receive 'iopub') until m.kind == 'stream'
         if i % 2 == 0 then k:signal(SIGINT) else k:send('control', 'interrupt_request', {}) end
         assert.equal('KeyboardInterrupt', k:receive 'shell'.content.ename)
         if i % 2 == 1 then assert.equal('interrupt_reply', k:receive 'control'.kind) end
         k:signal(SIGINT)                   -- between cells: without effect
         assert.equal('ok', k:run '1'.status)
      end
   end)

   it('answers heartbeats while a cell runs', function()
      k:send('shell', 'execute_request', { code = 'local s = os.time() + 3 while os.time() < s do end' })
      for i = 1, 3 do
         k.hb:send { 'beat ' .. i }
         assert.is_true(require 'jupyter.zmq'.poll({ k.hb }, 20000)[1])
         assert.same({ 'beat ' .. i }, k.hb:receive())
      end
      assert.equal('ok', k:receive 'shell'.content.status)
   end)

   it('completes, in characters', function()
      local r = k:ask('shell', 'complete_request', { code = 'é = torch.cumsu', cursor_pos = 15 }).content
      assert.same({ 'torch.cumsum' }, { unpack(r.matches) })
      assert.equal(4, r.cursor_start)
      assert.equal(15, r.cursor_end)
      for _, at in ipairs { -5, 0, 1e9, 0.5 } do
         assert.equal('ok', k:ask('shell', 'complete_request', { code = 'x', cursor_pos = at }).content.status)
      end
      assert.equal('error', k:ask('shell', 'complete_request', { code = 'x', cursor_pos = 'x' }).content.status)
   end)

   it('shows help', function()
      local r = k:ask('shell', 'inspect_request', { code = 'y = torch.cumsum(x)', cursor_pos = 12, detail_level = 0 }).content
      assert.is_true(r.found)
      assert.matches('Running sum', r.data['text/plain'])
      assert.is_false(k:ask('shell', 'inspect_request', { code = 'nonsense_name', cursor_pos = 4 }).content.found)
      for _, code in ipairs { '?cumsum', 'cumsum?', ' torch.cumsum ? ' } do
         assert.matches('Running sum', k:run(code).payload[1].data['text/plain'])
      end
      assert.equal('error', k:run '?nonsense_nonsense_nonsense'.status)
   end)

   it('runs commands of the shell', function()
      local _, list = k:run '$ echo out'
      assert.equal('out\n', front.text(list, 'stdout'))
   end)

   it('knows which code is complete', function()
      for code, status in pairs { ['x = 1'] = 'complete', ['1 + 1'] = 'complete', ['for i = 1, 2 do'] = 'incomplete',
         ['f('] = 'incomplete',
         ['x = )'] = 'invalid', [''] = 'complete', ['?x'] = 'complete', ['x = 1\nx'] = 'complete' } do
         assert.equal(status, k:ask('shell', 'is_complete_request', { code = code }).content.status, code)
      end
      assert.equal('   ', k:ask('shell', 'is_complete_request', { code = 'if x then' }).content.indent)
   end)

   it('keeps a history', function()
      k:run 'first_of_history = 1'
      k:run '7 * 6'
      local function history(t) return k:ask('shell', 'history_request', t).content.history end
      local h = history { hist_access_type = 'tail', n = 2, output = true, raw = true }
      assert.equal(2, #h)
      assert.equal('42', h[2][3][2])
      assert.equal('first_of_history = 1', history { hist_access_type = 'search', pattern = 'first_of*', n = 9 }[1][3])
      local line = h[2][2]
      assert.equal('7 * 6', history { hist_access_type = 'range', session = 0, start = line, stop = line + 1 }[1][3])
      assert.equal('error', k:ask('shell', 'history_request', { hist_access_type = 'other' }).content.status)
   end)

   it('has no comms', function()
      assert.same({}, k:ask('shell', 'comm_info_request', {}).content.comms)
      k:send('shell', 'comm_open', { comm_id = 'c', target_name = 't', data = {} })
      local m
      repeat m = assert(k:receive 'iopub') until m.kind == 'comm_close'
      assert.equal('c', m.content.comm_id)
   end)

   it('survives damaged, unsigned and unknown messages', function()
      local good = k.signer:frames('execute_request', { code = 'forged = true' })
      local wrong = message.signer 'another key'
      for _, channel in ipairs { 'shell', 'control', 'stdin' } do
         k[channel]:send { '' }
         k[channel]:send { '<IDS|MSG>' }
         k[channel]:send { 'x', '<IDS|MSG>', '', '', '', '', '' }
         for n = 1, #good - 1 do k[channel]:send { unpack(good, 1, n) } end
         k[channel]:send(wrong:frames('execute_request', { code = 'forged = true' }))
         k[channel]:send(wrong:frames('shutdown_request', { restart = false }))
         local many = {}
         for i = 1, 1000 do many[i] = 'f' end
         k[channel]:send(many)
         k[channel]:send { ('x'):rep(2 ^ 20) }
      end
      k:send('shell', 'unknown_request', {})
      for _, content in ipairs { {}, { code = 3 }, { code = {} } } do
         assert.equal('error', k:ask('shell', 'execute_request', content).content.status)
      end
      assert.equal('ok', k:run('1', { silent = 'x', user_expressions = 3, store_history = 'y', allow_stdin = 7 }).status)
      local _, list = k:run 'forged'
      assert.equal('nil', front.find(list, 'execute_result').content.data['text/plain'])
   end)

   it('survives cells that close what it uses', function()
      k:run 'io.stdout:close()'
      k:run "io.stdout = nil io.write = nil print = nil"
      assert.equal('ok', k:run '1'.status)
   end)
end)

describe('a kernel of Jupyter', function()
   it('ends at a shutdown_request, also while a cell runs', function()
      for _, code in ipairs { '1', 'while true do end' } do
         local k = front.start()
         k:send('shell', 'execute_request', { code = code })
         os.execute 'sleep 0.5'
         local reply = k:ask('control', 'shutdown_request', { restart = true })
         assert.equal('shutdown_reply', reply.kind)
         assert.is_true(reply.content.restart)
         local ended = k:has_ended()
         k:stop()
         assert.is_true(ended)
      end
   end)

   it('drops a connection that sends a frame above the limit', function()
      local k = front.start()
      k.shell:send { ('x'):rep(2 ^ 26 + 1) }
      os.execute 'sleep 0.5'
      local status = k:ask('control', 'kernel_info_request', {}).content.status
      k:stop()
      assert.equal('ok', status)
   end)
end)
