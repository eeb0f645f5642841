-- doc/site/colour.lua - code blocks as HTML with the classes c (comment), r (result), s (string), n (number), k (keyword).
local html = require 'doc.site.html'

local M = {}

local function set(words)
   local t = {}
   for word in words:gmatch '%S+' do t[word] = true end
   return t
end

local LUA = set 'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'
local C = set [[auto break case char const continue default do double else enum extern float for goto if inline int long register
   restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool int8_t int16_t int32_t
   int64_t uint8_t uint16_t uint32_t uint64_t size_t template class typename namespace using constexpr true false nullptr
   __global__ __shared__ __device__]]
local SHELL = set 'if then else elif fi for while do done case esac in function export cd'

local function span(class, text) return ('<span class="%s">%s</span>'):format(class, html.escape(text)) end

-- Each language has a list of { pattern, class or function }. The first pattern that matches at a place decides.
-- A function gets the match and the hook for names, and returns HTML.
local function word_of(keywords)
   return function(word) return keywords[word] and span('k', word) or html.escape(word) end
end

local function lua_name(chain, url_of)
   local first = chain:match '^[%a_][%w_]*'
   if LUA[first] then return first == chain and span('k', chain) or nil end
   local url = url_of and chain:find '[%.:]' and url_of(chain)
   if url then return ('<a href="%s">%s</a>'):format(html.escape(url), html.escape(chain)) end
   return nil
end

local NUMBER = '^%d[%w%.]*[eEpP][%+%-]%d+'
local rules = {
   lua = {
      { '^%-%->[^\n]*', 'r' },
      { '^%-%-%[(=*)%[.-%]%1%]', 'c' },
      { '^%-%-[^\n]*', 'c' },
      { '^%[(=*)%[.-%]%1%]', 's' },
      { '^"[^"\n]*"', 's' }, { "^'[^'\n]*'", 's' },
      { '^[%a_][%w_]*[%w_%.]*:[%a_][%w_]*', lua_name },
      { '^[%a_][%w_%.]*[%w_]', lua_name },
      { '^[%a_][%w_]*', word_of(LUA) },
      { '^0[xX]%x+', 'n' }, { NUMBER, 'n' }, { '^%d[%w]*%.?%d*', 'n' },
   },
   c = {
      { '^/%*.-%*/', 'c' }, { '^//[^\n]*', 'c' },
      { '^#%s*%a+', 'k' },
      { '^"[^"\n]*"', 's' }, { "^'[^'\n]*'", 's' },
      { '^[%a_][%w_]*', word_of(C) },
      { '^0[xX]%x+', 'n' }, { NUMBER, 'n' }, { '^%d[%w]*%.?%d*', 'n' },
   },
   shell = {
      { '^#[^\n]*', 'c' },
      { '^"[^"\n]*"', 's' }, { "^'[^'\n]*'", 's' },
      { '^%$[%a_][%w_]*', 'n' },
      { '^[%a_][%w_%-]*', word_of(SHELL) },
   },
}
rules.cpp, rules.sh, rules.cmake, rules.cuda = rules.c, rules.shell, rules.shell, rules.c

-- A string may hold escaped quotation marks: the match is extended behind them.
local function extended(text, from, last)
   local quote = text:sub(from, from)
   while text:sub(last - 1, last - 1) == '\\' and text:sub(last - 2, last - 2) ~= '\\' do
      local _, further = text:find(quote, last + 1, true)
      if not further then break end
      last = further
   end
   return last
end

--- HTML of code.
-- @param language  lua, c, cpp, cuda, sh, shell or cmake; other code is only escaped
-- @param url_of    function(name): the address of a public name, or nil (optional)
function M.html(text, language, url_of)
   local list = rules[language]
   if not list then return html.escape(text) end
   local out, at = {}, 1
   while at <= #text do
      local done
      for _, rule in ipairs(list) do
         local first, last = text:find(rule[1], at)
         if first then
            if rule[2] == 's' then last = extended(text, first, last) end
            local piece = text:sub(first, last)
            local markup
            if type(rule[2]) == 'string' then markup = span(rule[2], piece) else markup = rule[2](piece, url_of) end
            if markup then
               out[#out + 1], at, done = markup, last + 1, true
               break
            end
         end
      end
      if not done then
         local word = text:match('^[%w_]+', at) or text:match('^%s+', at) or text:sub(at, at)
         out[#out + 1], at = html.escape(word), at + #word
      end
   end
   return table.concat(out)
end

local COMMANDS = set [[./dev git luarocks cmake th thrun tar luajit make apt-get sudo export cd ssh python3 mpirun cc
   build/bin/th build/bin/thrun $T/bin/th $P/bin/th]]

--- The language of a block without a name: shell where a line begins with a command, lua where it is Lua, or nil.
function M.guess(text)
   local first = text:match '^%s*(%S+)' or ''
   if COMMANDS[first] or first:match '^[%u_][%u%d_]*=' then return 'shell' end
   local code = text:gsub('^th> ', ''):gsub('\nth> ', '\n')
   if text:find '^th> ' or loadstring(code) or loadstring('return ' .. code) then return 'lua' end
   return nil
end

return M
