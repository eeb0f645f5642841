-- torch.commands - lines of the prompt that are no Lua: ? NAME, $ COMMAND, %time CODE,
-- %timeit CODE, exit, quit and help.
local terminal = require 'torch.terminal'

local M = {}

--- Shows the help of a name; `complain` shows an error.
local function help(topic, complain)
   local ok, answer = pcall(function() return require 'torch.help'.text(topic) end)
   if ok then terminal.write(answer .. '\n') else complain((tostring(answer):gsub('^[^\n]-:%d+: ', ''))) end
end

local function is_free(name) return rawget(_G, name) == nil end

-- { pattern, what it does }. `state`: complain(message), evaluate(code). Returning 'leave' ends the prompt.
local commands = {
   { '^%s*%?%s*(.-)%s*$', function(topic, state) help(topic, state.complain) end },
   { '^%s*%$%s*(.-)%s*$', function(command)
      io.stdout:flush()
      os.execute(command)
   end },
   { '^%s*%%time%s+(.-)%s*$', function(code, state) return state.time(code) end },
   { '^%s*%%timeit%s+(.-)%s*$', function(code, state) return state.time_often(code) end },
   { '^%s*(%l+)%s*%(?%s*%)?%s*;?%s*$', function(word, state)
      if not is_free(word) then return false end
      if word == 'exit' or word == 'quit' then return 'leave' end
      if word ~= 'help' then return false end
      help('', state.complain)
   end },
   { '^%s*help%s*%(?%s*([%a_][%w_%.:]*)%s*%)?%s*$', function(topic, state)
      if not is_free 'help' then return false end
      help(topic, state.complain)
   end },
}

--- Runs a line that is a command. Returns true if it was one, 'leave' for the end of the prompt, 'more' if it needs more lines,
-- else false.
-- @param state  complain(message) shows an error; time(code) runs code and shows how long it took,
--               time_often(code) runs it many times
function M.run(text, state)
   for _, command in ipairs(commands) do
      local found = text:match(command[1])
      if found then
         local done = command[2](found, state)
         if done ~= false then return done or true end
      end
   end
   return false
end

return M
