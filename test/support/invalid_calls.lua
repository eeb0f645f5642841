-- test/support/invalid_calls.lua - calls of functions with arguments that make no sense, drawn with a fixed seed.
--
-- For any arguments, a function must return or raise an error for users: not an error of Lua, which refers to local variables and
-- to functions without a name.
local torch = require 'torch'
local ffi = require 'ffi'

local junk = { calls = 0, refused = 0 }                              -- of all walks

local CALLS = tonumber(os.getenv 'TH_BAD_INPUT_CALLS') or 100         -- for each function

local state = 1
local function draw(n)                      -- 1..n, the same on every machine
   state = (state * 48271) % 2147483647
   return state % n + 1
end

--- Starts the draws anew for a function of that name.
function junk.seed(name)
   state = 12345
   for i = 1, #name do state = (state * 31 + name:byte(i)) % 2147483646 + 1 end
end

--- Draws from another generator than the one of `seed`: f(n) gives 1..n.
function junk.draw_from(f) draw = f end

-- Made anew for each call: a call may change them. Strings that are names of files or commands do no harm.
local makers = {
   function() return nil end,
   function() return nil end,
   function() return true end,
   function() return false end,
   function() return 0 end,
   function() return 1 end,
   function() return 2 end,
   function() return -1 end,
   function() return 4 end,
   function() return 1.5 end,
   function() return '2' end,
   function() return '-1.5' end,
   function() return '1e300' end,
   function() return 0 / 0 end,
   function() return 1 / 0 end,
   function() return 2 ^ 31 end,
   function() return 2 ^ 40 end,
   function() return 2 ^ 53 end,
   function() return -2 ^ 53 end,
   function() return '' end,
   function() return ':' end,
   function() return 'w' end,
   function() return '#%s %' end,
   function() return 'torch.FloatTensor' end,
   function() return {} end,
   function() return { 1, 2 } end,
   function() return { {}, 'a', {} } end,
   function() return { a = 1, [2] = print } end,
   function() return { torch.ones(2), torch.ones(3) } end,
   function() return function() end end,
   function() return function(x) return x end end,
   function() return coroutine.create(print) end,
   function() return io.stdout end,
   function() return 5LL end,
   function() return ffi.cast('void *', 0) end,
   function() return ffi.new('struct { int x; }') end,
   function() return torch.ones(3) end,
   function() return torch.FloatTensor(2, 3):fill(1) end,
   function() return torch.LongTensor { 1, 2, 3 } end,
   function() return torch.ByteTensor { 0, 1, 1 } end,
   function() return torch.rand(2, 2, 2, 2) end,
   function() return torch.Tensor() end,
   function() return torch.tensor(2) end,
   function() return torch.ones(1):expand(4) end,
   function() return torch.Tensor(0, 3) end,
   function() return torch.LongStorage { 2, 3 } end,
   function() return torch.LongStorage { 2 ^ 40, 2 ^ 40 } end,
   function() return torch.DoubleStorage(3) end,
   function() return torch.Generator() end,
   function() return torch.Timer() end,
   function() return torch.MemoryFile() end,
}

--- A value of any kind. @param good  values that are drawn half of the time (optional)
function junk.value(good)
   if good and #good > 0 and draw(2) == 1 then return good[draw(#good)] end
   return makers[draw(#makers)]()
end

--- What stands in the place of os.exit while functions are called that may end a script.
junk.EXIT = setmetatable({}, { __tostring = function() return 'os.exit was called' end })
function junk.exit() error(junk.EXIT, 0) end

-- Names that an error may use instead: of what the function calls, or of the class that a constructor makes.
local spoken = { loadobj = 'load', saveobj = 'save', rand = 'uniform', randn = 'normal', readBool = 'readInt', new = 'torch.',
   assertGeneralEq = 'eq', assertGeneralNe = 'ne', assertTableEq = 'eq', assertTableNe = 'ne', assertError = 'assertErrorObj',
   assertErrorMsg = 'assertErrorObj', assertErrorPattern = 'assertErrorObj', nDimension = 'dim',
   ColumnLinear = 'nn.Linear', RowLinear = 'nn.Linear', ColumnLookupTable = 'nn.LookupTable', RowLookupTable = 'nn.LookupTable' }

local internal = { 'attempt to ', 'bad argument #', 'cannot convert', 'table index', 'wrong number of arguments', 'stack overflow',
   'invalid value', 'invalid order function', "'for' ", 'initializer for', 'has no member', 'size of C type', 'invalid option' }

--- 'the message is one of Lua itself' where that is so, or nil.
function junk.of_lua(why)
   for _, pattern in ipairs(internal) do
      if why:find(pattern, 1, true) then return 'the message is one of Lua itself' end
   end
end

junk.UNNAMED = 'the message does not name the function'

--- What is wrong with an error message of the function `name`, or nil.
function junk.fault(name, why)
   if why == junk.EXIT then return nil end
   if type(why) ~= 'string' then return 'the error is no text' end
   local word, text = name:match '[%w_]+$', why:lower()
   if not text:find(word:lower(), 1, true) and not (spoken[word] and text:find(spoken[word]:lower(), 1, true)) then
      return junk.UNNAMED
   end
   return junk.of_lua(why)
end

--- A value for a message.
function junk.shown(v)
   if torch.isTensor(v) then return v:type() .. '(' .. table.concat(v:size():totable(), 'x') .. ')' end
   if type(v) == 'string' then return ('%q'):format(v) end
   return tostring(torch.typename(v) or v)
end

--- Calls f(first, ...) with 0 to `most` drawn arguments. @param before  arguments that always come first
-- @return whether it was refused, and what is wrong with the refusal or nil
function junk.call(name, f, most, before, good)
   local args, n = {}, #before
   for i = 1, n do args[i] = before[i] end
   for _ = 1, draw(most + 1) - 1 do
      n = n + 1
      args[n] = junk.value(good)
   end
   local ok, why = pcall(f, unpack(args, 1, n))
   if ok then return false end
   local fault = junk.fault(name, why)
   if not fault then return true end
   local words = {}
   for i = 1, n do words[i] = junk.shown(args[i]) end
   return true, ('%s(%s): %s: %s'):format(name, table.concat(words, ', '), fault, tostring(why))
end

-- Not called: they change the process for all specs, wait, or raise what others have said.
junk.left_out = {
   ['torch.setdefaulttensortype'] = 'changes what torch.Tensor is', ['torch.setnumthreads'] = 'changes the threads',
   ['torch.class'] = 'makes classes', ['torch.newmetatable'] = 'makes classes', ['torch.metatype'] = 'makes classes',
   ['torch.setenv'] = 'may change the environment of anything', ['torch.include'] = 'runs files, whose errors it passes on',
   ['paths.dofile'] = 'runs files, whose errors it passes on', ['paths.require'] = "raises Lua's error of require",
   ['sys.sleep'] = 'waits', ['sys.usleep'] = 'waits', ['xlua.error'] = 'raises what it is given',
   ['xlua.unpack'] = 'raises in the name of another function', ['xlua.unpack_class'] = 'raises in the name of another function',
   ['xlua.log'] = 'changes print', ['torch.CmdLine:log'] = 'changes print', ['xlua.trycatch'] = 'calls what it is given',
   ['torch.test'] = 'runs every example, which other specs do', ['optim.Logger:plot'] = 'starts gnuplot',
}

function junk.callable(f)
   if type(f) == 'function' then return true end
   local mt = type(f) == 'table' and getmetatable(f)
   return type(mt) == 'table' and mt.__call ~= nil
end

--- Calls every function of a table with 0 to `most` (default 4) drawn arguments; an error says what harm was done.
-- @param before    gives the first arguments, as a table (optional)
-- @return how many functions that were
function junk.walk(prefix, functions, before, most)
   local names, faults = {}, {}
   for name, f in pairs(functions) do
      if type(name) == 'string' and not name:find '^_' and junk.callable(f) and not junk.left_out[prefix .. name] then
         names[#names + 1] = name
      end
   end
   table.sort(names)
   for _, name in ipairs(names) do
      junk.seed(prefix .. name)
      for _ = 1, CALLS do
         local no, fault = junk.call(prefix .. name, functions[name], most or 4, before and before() or {})
         junk.calls, junk.refused = junk.calls + 1, junk.refused + (no and 1 or 0)
         faults[#faults + 1] = fault
      end
   end
   if #faults > 0 then error(('%d faults; the first: %s'):format(#faults, faults[1]), 0) end
   return #names
end

return junk
