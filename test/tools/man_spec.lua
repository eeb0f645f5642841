-- test/tools/man_spec.lua - the manual pages describe every option that -h prints, and no other.
-- runs once: pages do not depend on the CPU level
local function read(name)
   local f = assert(io.open(name))
   local text = f:read '*a'
   f:close()
   return text
end

local function help(program)
   local f = assert(io.popen(("'%s' -h 2>&1"):format(program)))
   local text = f:read '*a'
   f:close()
   return text
end

-- The options in the first column of a help text, as a set.
local function options_of(text)
   local set = {}
   for line in text:gmatch '[^\n]+' do
      local names = line:match '^  (%-.-)   ?%S' or line:match '^  (%-.-)  '
      for name in (names or ''):gmatch '%-[%w%-]*' do set[name] = true end
   end
   return set
end

-- The options that a page lists: the lines ".It Fl NAME" below DESCRIPTION.
local function options_in(page)
   local set = {}
   for line in page:match 'The options are:(.-)\n%.El':gmatch '%.It (Fl[^\n]*)' do
      for name in line:gmatch 'Fl%s*([^%s,]*)' do
         if name == 'Fl' then name = '-' end
         set['-' .. name] = true
      end
   end
   return set
end

local function listed(set)
   local names = {}
   for name in pairs(set) do names[#names + 1] = name end
   table.sort(names)
   return table.concat(names, ' ')
end

describe('the manual page', function()
   local th = os.getenv 'TH' or 'build/bin/th'
   it('of th has its options', function()
      local known = options_of(help(th))
      assert.is_true(known['-e'] and known['-gg'] and known['--'] and known['-'] and true)
      local page = options_in(read 'doc/man/th.1')
      page['-'] = true                                 -- ".It Fl" alone
      assert.equal(listed(known), listed(page))
   end)

   it('of thrun has its options', function()
      local known = options_of(help((th:gsub('th$', 'thrun'))))
      assert.is_true(known['--deadline'])
      assert.equal(listed(known), listed(options_in(read 'doc/man/thrun.1')))
   end)

   it('has no fault that mandoc finds', function()
      if os.execute 'command -v mandoc >/dev/null' ~= 0 then return pending 'mandoc is not installed' end
      assert.equal(0, os.execute 'mandoc -T lint -W warning doc/man/th.1 doc/man/thrun.1')
   end)
end)
