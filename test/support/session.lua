-- test/support/session.lua - plays lines at the prompt of th in a terminal, and writes what the terminal shows.
local patience = require 'test.support.patience'
local pty = require 'test.support.pty'

local M = {}

local PROMPTS = { ['th> '] = true, ['..> '] = true }

--- The inputs of a transcript: what stands behind its prompts.
function M.inputs(transcript)
   local lines = {}
   for line in transcript:gmatch '[^\n]*' do
      if PROMPTS[line:sub(1, 4)] then lines[#lines + 1] = line:sub(5) end
   end
   return lines
end

-- Waits for a prompt at the start of a line that ends the text; returns the text before it, and the prompt.
local function until_prompt(p)
   local t0 = pty.now()
   while true do
      local text = p.text:sub(p.from)
      local prompt = text:sub(-4)
      if PROMPTS[prompt] and (#text == 4 or text:sub(-5, -5) == '\n') then
         p.from = #p.text + 1
         return text:sub(1, -5), prompt
      end
      if not p:drain(20) then return text, '' end
      if pty.now() - t0 > patience(60000) then error(('no prompt after %q'):format(text), 2) end
   end
end

-- The text with the figures of %timeit replaced, because they differ from run to run.
local function without_times(text)
   local time = '%d[%d%.]* [mn\194\181]*s'
   local line = time .. ' ± ' .. time .. ' %((%d) rounds of [%d,]+%)'
   return (text:gsub(line, 'T ± T (%1 rounds of N)'))
end

--- Types the lines one after the other; returns the transcript. The terminal has no colours, no line editing and 80 columns.
-- @param th     the launcher
-- @param lines  a list
function M.play(th, lines)
   local p = pty.start({ th }, { TERM = 'dumb', TH_HISTORY = '', TH_PAGER = '', LC_ALL = 'C' }, 1000, 80)
   local out = {}
   local _, prompt = until_prompt(p)
   for _, line in ipairs(lines) do
      out[#out + 1] = prompt .. line .. '\n'
      p:send(line .. '\n')
      local answer
      answer, prompt = until_prompt(p)
      local echo = answer:match '^[^\n]*\n' or ''                 -- the line itself
      out[#out + 1] = without_times(answer:sub(#echo + 1))
      if prompt == '' then break end
   end
   if prompt == '' then p:finish() else p:leave() end
   return table.concat(out)
end

return M
