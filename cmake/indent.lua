-- cmake/indent.lua FILES - compares the indentation of C statements with clang-format's, and nothing else, because clang-format
-- would not keep our hand-aligned columns of declarations and comments.
local function lines_of(stream)
   local lines = {}
   for line in stream:lines() do lines[#lines + 1] = line end
   stream:close()
   return lines
end

-- Calls f(number, place, line) for every line; place is the number of non-blank characters before it.
local function each(lines, f)
   local place = 0
   for number, line in ipairs(lines) do
      local text = line:gsub('%s', '')
      if text ~= '' then f(number, place, line, text) end
      place = place + #text
   end
end

local function ends_statement(text) return text:match '[;{}:]$' or text:match '%*/$' end

local wrong = 0
for _, file in ipairs(arg) do
   local expected, before = {}, ''
   each(lines_of(io.popen(('clang-format "%s"'):format(file))), function(_, place, line, text)
      expected[place .. text] = #line:match '^ *'
   end)
   each(lines_of(assert(io.open(file))), function(number, place, line, text)
      local want, got = expected[place .. text], #line:match '^ *'
      if want and want ~= got and ends_statement(before) then
         wrong = wrong + 1
         io.write(('   %s:%d: indented by %d, expected %d\n'):format(file, number, got, want))
      end
      before = text
   end)
end
os.exit(wrong == 0 and 0 or 1)
