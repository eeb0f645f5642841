-- lua/xlua/OptionParser.lua - options of a script in the manner of Unix: -s 3, --size=3, --verbose.
--
--    op = xlua.OptionParser('%prog [options] FILE')
--    op:option{'-s', '--size', action = 'store', dest = 'size', default = 3, help = 'how many'}
--    options, rest = op:parse()
local Parser = {}
Parser.__index = Parser

--- @param spec  names first; action 'store' (default), 'store_true' or 'store_false'; dest, default, help, req
function Parser:option(spec)
   if type(spec) ~= 'table' or type(spec[1]) ~= 'string' then
      error("OptionParser:option: a table such as {'-s', '--size', dest = 'size'} is needed", 2)
   end
   spec.action = spec.action or 'store'
   if spec.action ~= 'store' and spec.action ~= 'store_true' and spec.action ~= 'store_false' then
      error(("OptionParser:option: action must be 'store', 'store_true' or 'store_false', got '%s'"):format(
            tostring(spec.action)), 2)
   end
   spec.dest = spec.dest or spec[#spec]:gsub('^%-+', '')
   for _, name in ipairs(spec) do self.by_name[name] = spec end
   self.specs[#self.specs + 1] = spec
end

function Parser.program() return (rawget(_G, 'arg') or {})[0] or 'script' end

--- Ends the script with a message.
function Parser:fail(message)
   io.stderr:write(self.program(), ': ', message, '\n')
   self:help()
   os.exit(1)
end

--- Prints how the script is used.
function Parser:help()
   print('Usage: ' .. self.usage:gsub('%%prog', (self.program():gsub('%%', '%%%%'))))
   print ''
   print 'Options:'
   for _, spec in ipairs(self.specs) do
      local names = table.concat(spec, ', ')
      if spec.action == 'store' then names = names .. '=' .. (spec.metavar or spec.dest:upper()) end
      local default = spec.default ~= nil and (' [default: %s]'):format(tostring(spec.default)) or ''
      print(('  %-30s %s%s'):format(names, spec.help or '', default))
   end
end
Parser.printHelp = Parser.help

--- Prints the options that parse has read, one on a line.
-- @param compact  true: prints nothing, and returns them on one line, 'size=3,verbose=true'
-- @return the text
function Parser:summarize(compact)
   local parts = {}
   for _, spec in ipairs(self.specs) do
      local value = (self.options or {})[spec.dest]
      if value ~= nil then parts[#parts + 1] = ('%s=%s'):format(spec.dest, tostring(value)) end
   end
   local text = table.concat(parts, compact and ',' or '\n')
   if not compact then print(text) end
   return text
end

--- Reads the global `arg`. @return the options by name, and the list of the other words
function Parser:parse()
   local words = rawget(_G, 'arg') or {}
   local options, rest, i = {}, {}, 1
   for _, spec in ipairs(self.specs) do options[spec.dest] = spec.default end
   while i <= #words do
      local word = words[i]
      local name, value = word:match '^(%-%-[^=]+)=(.*)$'
      name = name or word
      local spec = self.by_name[name]
      if name == '-h' and not spec or name == '--help' and not spec then
         self:help()
         os.exit(0)
      end
      if word == '--' then
         for k = i + 1, #words do rest[#rest + 1] = words[k] end
         break
      elseif spec and spec.action == 'store' then
         if value == nil then
            i = i + 1
            value = words[i]
            if value == nil then self:fail(('option %s needs a value'):format(name)) end
         end
         options[spec.dest] = value
      elseif spec then
         if value ~= nil then self:fail(('option %s takes no value'):format(name)) end
         options[spec.dest] = spec.action == 'store_true'
      elseif word:match '^%-%-?%a' then
         self:fail(('there is no option %s'):format(name))
      else
         rest[#rest + 1] = word
      end
      i = i + 1
   end
   for _, spec in ipairs(self.specs) do
      if spec.req and options[spec.dest] == nil then self:fail(('option %s is required'):format(spec[#spec])) end
   end
   self.options = options
   return options, rest
end

return function(usage)
   return setmetatable({ usage = usage or '%prog [options]', specs = {}, by_name = {} }, Parser)
end
