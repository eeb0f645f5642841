-- test/tools/stubs_spec.lua - types/: stubs for language servers, which doc/stubs/build.lua writes.
-- runs once
local class = require 'torch.class'
local doc = require 'torch.doc'
local paths = require 'paths'
local shell = require 'test.support.shell'
local reference = require 'doc.reference'
local build = require 'doc.stubs.build'
local guess = require 'doc.stubs.guess'

local function read(file)
   local f = io.open(file, 'rb')
   local text = f and f:read '*a'
   if f then f:close() end
   return text
end

local function sorted(list)
   table.sort(list)
   return table.concat(list, '\n')
end

local files = build.files()

-- The names that the files declare: functions, methods, tables and values; and the classes.
local declared, classes = {}, {}
for _, text in pairs(files) do
   local class_of, last = {}, nil                            -- the local name of a class in its block
   for line in text:gmatch '[^\n]+' do
      local kind = line:match '^%-%-%-@class ([%w_%.]+)'
      if kind then classes[kind], last = true, kind end
      local here = line:match '^local ([%w_]+) = {}'
      if here and last and here ~= 'Tensor' and here ~= 'Storage' then class_of[here] = last end
      local name = line:match '^function ([%w_%.:]+)%(' or line:match '^([%a][%w_%.]*) = '
      local object, method = (name or ''):match '^([%w_]+):([%w_]+)$'
      if object and class_of[object] then name = class_of[object] .. ':' .. method end
      if name then declared[name] = (declared[name] or 0) + 1 end
   end
end

describe('types/', function()
   it('is what ./dev docs writes: run it when this fails', function()
      local stale, count = {}, 0
      for name, text in pairs(files) do
         count = count + 1
         if read('types/' .. name) ~= text then stale[#stale + 1] = name end
      end
      assert.equal('', sorted(stale))
      if not reference.devices then return end
      local p = io.popen 'cd types && find . -name "*.lua"'
      for path in p:lines() do assert.is_truthy(files[path:sub(3)], path) end
      p:close()
      assert.is_true(count >= 20, count)
   end)

   it('is Lua that LuaJIT loads, and gives each package as a table', function()
      for name, text in pairs(files) do
         local chunk = assert(loadstring(text, '=types/' .. name))
         local env = { require = function() return {} end }
         setfenv(chunk, env)
         assert.equal('table', type(chunk()), name)
      end
   end)

   it('has every public name once: functions, classes, methods, values', function()
      local missing, twice = {}, {}
      for _, key in ipairs(doc.names()) do
         if not doc.entry(key).inherited and not declared[key] then missing[#missing + 1] = key end
      end
      for name, n in pairs(declared) do if n > 1 then twice[#twice + 1] = name end end
      assert.equal('', sorted(missing))
      assert.equal('', sorted(twice))
   end)

   it('leaves to the parent what a class inherits', function()
      local missing = {}
      for _, key in ipairs(doc.names()) do
         if doc.entry(key).inherited then
            local owner, method = key:match '^(.*):([%w_]+)$'
            local found, mt = false, class.find(owner)
            while mt and not found do
               found = declared[(class.name(mt) or '?') .. ':' .. method] ~= nil
               mt = getmetatable(mt)
            end
            if not found then missing[#missing + 1] = key end
         end
      end
      assert.equal('', sorted(missing))
   end)

   it('has the ops as methods of tensors', function()
      for _, name in ipairs { 'add', 'mm', 'sum', 'zero', 'fill', 'narrow', 'view', 'float' } do assert.equal(1, declared['Tensor:' .. name], name) end
   end)

   it('names only classes that it declares', function()
      local builtin = { any = true, number = true, string = true, boolean = true, table = true, ['function'] = true, self = true, fun = true }
      local unknown = {}
      local function check(kind, where)
         kind = kind:gsub('fun%(.*', ''):gsub('%[%]', ''):gsub('%?$', '')
         for word in kind:gmatch '[^|]+' do
            if not builtin[word] and not classes[word] then unknown[#unknown + 1] = where .. ': ' .. word end
         end
      end
      for file, text in pairs(files) do
         for line in text:gmatch '[^\n]+' do
            local kind = line:match '^%-%-%-@param [%w_%.]+%?? (%S+)' or line:match '^%-%-%-@return (%S+)' or line:match '^%-%-%-@field %S+%?? (%S+)$'
               or line:match '^%-%-%-@class %S+: (%S+)$'
            if kind then check(kind, file .. ': ' .. line) end
            for params, result in line:gmatch '@overload fun(%b()): (.*)$' do
               for p in params:gmatch ': ([^,%)]+)' do check(p, file .. ': ' .. line) end
               for r in result:gmatch '[^,%s]+' do check(r, file .. ': ' .. line) end
            end
         end
      end
      assert.equal('', sorted(unknown))
   end)

   it('describes the parameters that the functions have, in their order', function()
      for file, text in pairs(files) do
         local params = {}
         for line in text:gmatch '[^\n]+' do
            local name = line:match '^%-%-%-@param ([%w_%.]+)%??'
            local list = line:match '^function [%w_%.:]+%((.*)%) end$'
            if name then params[#params + 1] = name end
            if list then
               assert.equal(list, table.concat(params, ', '), file .. ': ' .. line)
               params = {}
            end
         end
      end
   end)

   it('has no required parameter behind an optional one', function()
      for file, text in pairs(files) do
         for params in text:gmatch '@overload fun(%b())' do
            assert.is_nil(params:gsub('%.%.%.: any', ''):match '%?: [^,]*, [%w_]+:', file .. ': ' .. params)
         end
      end
   end)

   it('states what is known of common names', function()
      local nn, torch = files['nn.lua'], files['torch.lua']
      assert.matches('---@class nn.Linear: nn.Module\n', nn, 1, true)
      assert.matches('---@overload fun(inputSize: number, outputSize: number, bias?: boolean): nn.Linear\n', nn, 1, true)
      assert.matches('---@field weight torch.Tensor\n', nn, 1, true)
      assert.matches('---@class nn.Linear.class: nn.Linear\n', nn, 1, true)
      assert.matches('---@return self\nfunction Sequential:add(module) end', nn, 1, true)
      assert.matches('---@overload fun(x: torch.Tensor, dim: number, keepdim?: boolean): torch.Tensor\n', torch, 1, true)
      assert.matches('---@class torch.FloatTensor: torch.Tensor\n', torch, 1, true)
      assert.matches('---@operator add(torch.Tensor|number): torch.Tensor\n', torch, 1, true)
      assert.matches('---@field learningRate? number', files['optim.lua'], 1, true)
   end)

   it('has the same bytes when it is written again', function() assert.same(files, (build.files())) end)
end)

describe('the types of arguments', function()
   it('come from texts', function()
      assert.equal('number', guess.argument 'a number of elements')
      assert.equal('number|torch.Tensor', guess.argument 'a tensor or a number')
      assert.equal('number', guess.argument 'default 1e-5')
      assert.equal('string', guess.argument "a name ('binary')")
      assert.equal('boolean', guess.argument 'whether it is')
      assert.equal('nn.Linear', guess.argument 'an nn.Linear')
      assert.is_nil(guess.argument 'which neighbours count')
   end)

   it('come from checks in the source', function()
      assert.same({ 'torch.Tensor', false }, { guess.from_source("arg.tensor('f', 'x', x)", 'x') })
      assert.same({ 'number', true }, { guess.from_source("if n == nil then n = 1 end\nif not ok then arg.refuse('f', 'n', 'a number', n) end", 'n') })
      assert.same({ 'string', true }, { guess.from_source("need.one('f', 'mode', 'a string', mode or 'r')", 'mode') })
   end)

   it('are several where the source asks for the type', function()
      assert.is_true(guess.takes_several("if type(x) == 'table' then", 'x'))
      assert.is_true(guess.takes_several('if arg.is_tensor(x) then', 'x'))
      assert.is_false(guess.takes_several("if type(y) == 'table' then", 'x'))
   end)

   it('may be absent where the text says so', function()
      assert.is_true(guess.is_optional 'a list (optional)')
      assert.is_true(guess.is_optional 'the value outside (0)')
      assert.is_false(guess.is_optional 'the first column')
   end)
end)

describe('doc/stubs/build.lua', function()
   local TH = os.getenv 'TH' or 'build/bin/th'
   local folder
   local function run(arguments)
      return shell.run(("'%s' doc/stubs/build.lua %s"):format(TH, arguments))
   end
   before_each(function()
      folder = os.tmpname()
      os.remove(folder)
      assert(paths.mkdir(folder))
   end)
   after_each(function() os.execute(("rm -r '%s'"):format(folder)) end)

   it('writes the files, and removes generated ones of packages that are gone, and nothing else', function()
      for name, text in pairs { ['gone.lua'] = '-- types/gone.lua - written by ./dev docs from the sources', ['mine.lua'] = 'return 1' } do
         local f = assert(io.open(folder .. '/' .. name, 'w'))
         f:write(text)
         f:close()
      end
      local out, status = run('-to ' .. folder)
      assert.equal(0, status, out)
      assert.matches('^stubs: %d+ names in %d+ files of [%d%.]+ MB in ', out)
      assert.equal(files['nn.lua'], read(folder .. '/nn.lua'))
      assert.is_nil(read(folder .. '/gone.lua'))
      assert.equal('return 1', read(folder .. '/mine.lua'))
   end)

   it('refuses options that it does not have, and folders that cannot be made or written', function()
      assert.same({ "stubs: there is no option '-from', only -to FOLDER\n", 1 }, { run '-from x' })
      assert.same({ 'stubs: -to must have a folder behind it, got nothing\n', 1 }, { run '-to' })
      assert(io.open(folder .. '/file', 'w')):close()
      assert.same({ ('stubs: -to must be a folder that can be made, got %s/file\n'):format(folder), 1 }, { run(('-to %s/file'):format(folder)) })
      assert.same({ ('stubs: -to must be a folder that can be made, got %s/file/a\n'):format(folder), 1 }, { run(('-to %s/file/a'):format(folder)) })
      assert(paths.mkdir(folder .. '/torch.lua'))
      local out, status = run('-to ' .. folder)
      assert.equal(1, status)
      assert.matches('stubs: cannot write .*/torch%.lua: .*Is a directory', out)
   end)
end)
