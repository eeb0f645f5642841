-- test/doc_spec.lua - every Lua example of README and doc/ runs, and `-->` says what it prints.
-- runs once
local TH = os.getenv 'TH' or 'build/bin/th'

-- The ```lua blocks of a page: { text, line }. A piece that cannot stand alone is marked ```lua fragment.
local function blocks_of(file)
   local found, block, number = {}, nil, 0
   for line in io.lines(file) do
      number = number + 1
      if block and line:match '^%s*```%s*$' then
         block.text = table.concat(block, '\n') .. '\n'
         found[#found + 1] = block
         block = nil
      elseif block then
         block[#block + 1] = line
      elseif line:match '^%s*```lua%s*$' then
         block = { line = number }
      end
   end
   return found
end

local function pages()
   local list = { 'README.md' }
   local p = io.popen 'ls doc/*.md'
   for name in p:lines() do list[#list + 1] = name end
   p:close()
   return list
end

-- Runs the block as a script of its own; returns both streams and the status.
local function run(text)
   local name = os.tmpname()
   local f = assert(io.open(name, 'w'))
   f:write(text)
   f:close()
   local p = io.popen(("'%s' %s 2>&1 </dev/null; echo \"status $?\""):format(TH, name))
   local out, status = p:read('*a'):match '^(.*)status (%d+)\n$'
   p:close()
   os.remove(name)
   return out, tonumber(status)
end

local count = 0
for _, page in ipairs(pages()) do
   for _, block in ipairs(blocks_of(page)) do
      count = count + 1
      describe(('%s, line %d'):format(page, block.line), function()
         it('runs and prints what it says', function()
            local out, status = run(block.text)
            assert.equal(0, status, out)
            local from = 1
            for want in block.text:gmatch '%-%->%s*([^\n]*)' do
               local first, last = out:find(want, from, true)
               assert.is_truthy(first, ('expected %q in what it printed: %q'):format(want, out))
               from = last + 1
            end
         end)
      end)
   end
end

describe('the documentation', function()
   it('has examples', function() assert.is_true(count >= 2) end)

   it('has a README that leads to files which exist', function()
      local f = assert(io.open 'README.md')
      local text = f:read '*a'
      f:close()
      for path in text:gmatch '`([%w_%-]+/[%w_%-%./]+%.%w+)`' do
         local file = io.open(path)
         assert.is_truthy(file, path .. ' is named in README.md and does not exist')
         file:close()
      end
   end)
end)
