-- torch.habits - hints for lines that are right in another language or another prompt.
local M = {}

-- { a pattern of the line, the hint }. The hint may be a function of the captures.
local habits = {
   { '([%w_%.%]]+)%s*([%+%-%*/%%])=%s*(.+)$', function(x, op, rest)
      return ('Lua has no %s=: write %s = %s %s %s'):format(op, x, x, op, rest)
   end },
   { '([%w_%.%]]+)%s*%+%+%s*$', function(x) return ('Lua has no ++: write %s = %s + 1'):format(x, x) end },
   { '!=', 'Lua writes ~= for "is not equal"' },
   { '^%s*import%s+([%w_%.]+)', function(name) return ("Lua loads a package by a call: require '%s'"):format(name) end },
   { '^%s*from%s+([%w_%.]+)%s+import', function(name) return ("Lua loads a package by a call: require '%s'"):format(name) end },
   { '^%s*!%s*(.*)$', function(command) return ('a command of the shell begins with a dollar sign: $ %s'):format(command) end },
   { '^%s*%%', 'the prompt knows %time CODE and %timeit CODE; ? lists what it understands' },
   { '^%s*def%s+([%w_]+)', function(name) return ('Lua defines a function so: function %s(...) ... end'):format(name) end },
   { '^%s*for%s.*%sin%s+range%s*%(', 'Lua counts so: for i = 1, n do ... end' },
   { '^%s*for%s.*:%s*$', 'Lua writes: for ... do ... end' },
   { '^%s*if%s.*:%s*$', 'Lua writes: if ... then ... end' },
   { '^%s*while%s.*:%s*$', 'Lua writes: while ... do ... end' },
   { '%f[%w]elif%f[%W]', 'Lua writes elseif' },
   { '%f[%w]else%s+if%f[%W]', 'Lua writes elseif, or needs one more end' },
   { '&&', 'Lua writes and' },
   { '||', 'Lua writes or' },
   { '!%s*[%w_%(]', 'Lua writes not' },
   { '^%s*#%s', 'a comment begins with two dashes: --' },
   { '//', 'a comment begins with two dashes (--); math.floor(a / b) divides whole numbers' },
   { '%[[^%]]*:[^%]]*%]', 'a range of a tensor is a table: x[{ {2, 3} }], and x[{ {}, 1 }] takes a column' },
   { '^%s*print%s+[%w_]', 'Lua calls print with parentheses: print(x)' },
   { '%f[%w]lambda%f[%W]', 'Lua writes function(x) return ... end' },
   { '%*%*', 'Lua writes ^ for powers of numbers, torch.pow for tensors' },
}

local blocks = { '^%s*for%s.*%sin%s+range%s*%(', '^%s*for%s.*:%s*$', '^%s*if%s.*:%s*$', '^%s*while%s.*:%s*$' }

--- The hint for an input that Lua takes for the beginning of a block, and that is one of Python; or nil.
function M.of_block(text)
   for _, pattern in ipairs(blocks) do
      if text:find(pattern) then return M.hint(text) end
   end
end

--- The hint for a line that Lua cannot read, or nil.
function M.hint(line)
   local bare = line:gsub('%-%-.*$', '')
   local plain = bare:gsub('"[^"]*"', '""'):gsub("'[^']*'", "''")
   for _, habit in ipairs(habits) do
      local pattern, hint = habit[1], habit[2]
      local found = { plain:match(pattern) }
      if #found > 0 then
         if type(hint) == 'string' then return hint end
         found = { bare:match(pattern) }
         return #found > 0 and hint(unpack(found)) or nil
      end
   end
end

return M
