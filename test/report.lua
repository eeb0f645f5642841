-- test/report.lua - busted's output for us: failures with their trace, skipped tests with the reason, one sum.
local busted = require 'busted'
local base = require 'busted.outputHandlers.base'
local pretty = require 'pl.pretty'

local function text_of(message)
   if type(message) == 'string' then return message end
   return message == nil and 'nil error' or pretty.write(message)
end

-- Why a test is skipped. `pending` in the body of a test has a message; in its place, the title ends with the reason in parentheses.
local function reason_of(t) return t.message or t.name:match '%(([^()]*)%)$' or 'no reason is given' end

return function()
   local handler = base()

   local function show(what, t)
      local at = t.trace and t.trace.short_src and t.trace or t.element.trace or {}
      io.write(('%s: %s\n   %s:%s\n   %s\n'):format(what, t.name, at.short_src or '?', at.currentline or '?',
         (text_of(t.message):gsub('\n', '\n   '))))
      local back = t.isError and t.trace and t.trace.traceback
      if back then io.write('   ', (back:gsub('^\n', ''):gsub('\n', '\n   ')), '\n') end
   end

   function handler.suiteEnd()
      for _, t in ipairs(handler.pendings) do
         t.message = reason_of(t)
         show('SKIPPED', t)
      end
      for _, t in ipairs(handler.failures) do show('FAILED', t) end
      for _, t in ipairs(handler.errors) do show('FAILED', t) end
      local skipped = handler.pendingsCount
      io.write(('%d passed, %d failed%s\n'):format(handler.successesCount, handler.failuresCount + handler.errorsCount,
         skipped > 0 and ', ' .. skipped .. ' skipped' or ''))
      io.flush()
      return nil, true
   end

   busted.subscribe({ 'suite', 'end' }, handler.suiteEnd)
   return handler
end
