-- lua/graph/dot.lua - pictures of graphs: text for Graphviz, and its programs, started without a shell; else our own drawing.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local graph = require 'graph'
local svg = require 'graph.svg'

-- Declared under names with a prefix of ours, since other files may declare these functions too.
ffi.cdef [[
   int th_graph_spawnp(int *pid, const char *file, const void *actions, const void *attributes, char *const argv[],
                       char *const envp[]) __asm__("posix_spawnp");
   int th_graph_waitpid(int pid, int *status, int options) __asm__("waitpid");
   extern char **environ;
]]

local ENOENT, EINTR, NOT_FOUND = 2, 4, 127

-- Runs a program found in PATH with these arguments. Returns its exit status; nil when there is no such program.
local function run(arguments)
   local argv = ffi.new('const char *[?]', #arguments + 1)
   for i, a in ipairs(arguments) do argv[i - 1] = a end
   argv[#arguments] = nil
   local pid, status = ffi.new 'int[1]', ffi.new 'int[1]'
   local why = ffi.C.th_graph_spawnp(pid, arguments[1], nil, nil, ffi.cast('char *const *', argv), ffi.C.environ)
   if why == ENOENT then return nil end
   if why ~= 0 then error(('cannot start %s: error %d of the system'):format(arguments[1], why), 0) end
   while ffi.C.th_graph_waitpid(pid[0], status, 0) < 0 do
      if ffi.errno() ~= EINTR then error('lost the process ' .. arguments[1], 0) end
   end
   local code, signal = math.floor(status[0] / 256) % 256, status[0] % 128
   if code == NOT_FOUND then return nil end
   return signal > 0 and 128 + signal or code
end

local function need_text(who, what, x)
   if type(x) ~= 'string' or x == '' or x:find '%z' then
      error(('%s: %s must be a string, got %s'):format(who, what, torch.type(x)), 3)
   end
end

local function need_graph(who, g)
   if not torch.isTypeOf(g, 'graph.Graph') then
      error(('%s: g must be a graph, got %s'):format(who, torch.type(g)), 3)
   end
end

-- A file name that no program mistakes for an option.
local function plain(name) return name:sub(1, 1) == '-' and './' .. name or name end

local function write(who, name, text)
   arg.path(who, 'the name of a file', name, 3)
   local f, why = io.open(name, 'wb')
   if not f then error(('%s: cannot write %s'):format(who, why), 3) end
   f:write(text)
   f:close()
end

local KEYWORDS = {node = true, edge = true, graph = true, digraph = true, subgraph = true, strict = true}

--- A string as Graphviz reads it: quoted, unless it is a plain name. Nothing in it can end the quotes.
function graph._dotEscape(str)
   str = tostring(str)
   if str:find '^[%a_][%w_]*$' and not KEYWORDS[str:lower()] then return str end
   return '"' .. str:gsub('\\', '\\\\'):gsub('"', '\\"'):gsub('\r?\n', '\\n'):gsub('%c', ' ') .. '"'
end

-- The contents of a picture: {title, nodes = {{label, attributes}, ...}, edges = {{from, to}, ...}}, edges by the indices of
-- their nodes. label(node) and attributes(node) are optional and replace the node's methods.
function graph._drawing(g, title, label, attributes)
   local drawing = {title = tostring(title or 'G'), nodes = {}, edges = {}}
   for i, node in ipairs(g.nodes) do
      local extra = attributes and attributes(node)
         or not attributes and node.graphNodeAttributes and node:graphNodeAttributes() or {}
      local text = tostring(label and label(node) or node:label())
      if not label and node.graphNodeName then text = node:graphNodeName() .. '\n' .. text end
      drawing.nodes[i] = {label = text, attributes = extra}
   end
   for i, edge in ipairs(g.edges) do drawing.edges[i] = {g.nodes[edge.from], g.nodes[edge.to]} end
   return drawing
end

-- A label for Graphviz, which would show &lt; as <. The result shows every character unchanged.
local function plain_label(text) return graph._dotEscape((text:gsub('&(#?%w+;)', '&amp;%1'))) end

-- The text for Graphviz.
function graph._todot(drawing)
   local escape, title = graph._dotEscape, drawing.title
   local lines = {('digraph %s {'):format(escape(title)), ('   label=%s; labelloc=t;'):format(plain_label(title))}
   for i, node in ipairs(drawing.nodes) do
      local fields = {'label=' .. plain_label(node.label)}
      for name, value in pairs(node.attributes) do
         if name ~= 'label' then fields[#fields + 1] = escape(name) .. '=' .. escape(value) end
      end
      table.sort(fields)
      lines[#lines + 1] = ('   n%d [%s];'):format(i, table.concat(fields, ' '))
   end
   for _, edge in ipairs(drawing.edges) do
      lines[#lines + 1] = ('   n%d -> n%d;'):format(edge[1], edge[2])
   end
   lines[#lines + 1] = '}\n'
   return table.concat(lines, '\n')
end

-- Lets Graphviz draw the text. Returns true; or false and the reason, if it is not installed.
local function render(who, text, algorithm, format, fname)
   local source = os.tmpname()
   write(who, source, text)
   local ok, status = pcall(run, {algorithm, '-T' .. format, '-o', plain(fname), source})
   os.remove(source)
   if not ok then error(who .. ': ' .. status, 3) end
   if status == nil then
      return false, ('the program %s is not installed (it comes with Graphviz): no %s was made'):format(algorithm, fname)
   end
   if status ~= 0 then error(('%s: %s failed with status %d'):format(who, algorithm, status), 3) end
   return true
end

-- Writes fname.dot and fname.svg, drawn by Graphviz, or by ourselves if it is not installed.
function graph._picture(who, drawing, fname, text)
   text = text or graph._todot(drawing)
   write(who, fname .. '.dot', text)
   if not render(who, text, 'dot', 'svg', fname .. '.svg') then write(who, fname .. '.svg', svg(drawing)) end
   return true
end

--- The graph as text for Graphviz. With fname, that text is written to fname.dot and a picture to fname.svg: Graphviz draws it;
--- if it is not installed, we do, in layers. Labels are shown unchanged, whatever they contain.
--- @return the text, and whether a picture was made
function graph.dot(g, title, fname)
   need_graph('graph.dot', g)
   local text = g:todot(title)
   if fname == nil then return text, false end
   need_text('graph.dot', 'fname', fname)
   return text, graph._picture('graph.dot', graph._drawing(g, title), fname, text)
end

-- The names of Graphviz's programs; no others are started.
local ALGORITHMS = {dot = true, neato = true, fdp = true, sfdp = true, twopi = true, circo = true, osage = true,
                    patchwork = true}

local function need_algorithm(who, algorithm)
   if not ALGORITHMS[algorithm] then
      error(('%s: algorithm must be dot, neato, fdp, sfdp, twopi, circo, osage or patchwork, got %s')
         :format(who, tostring(algorithm)), 3)
   end
end

--- Draws a graph into a file; its extension is the format (svg, png, pdf, ...). An error if Graphviz is not installed.
--- @param algorithm  'dot' (default), 'neato', 'fdp', 'sfdp', 'twopi', 'circo', 'osage', 'patchwork'
function graph.graphvizFile(g, algorithm, fname)
   need_graph('graph.graphvizFile', g)
   algorithm = algorithm or 'dot'
   need_algorithm('graph.graphvizFile', algorithm)
   need_text('graph.graphvizFile', 'fname', fname)
   local format = fname:match '%.(%w+)$'
   if not format then error('graph.graphvizFile: fname must end in a format such as .svg, got ' .. fname, 2) end
   local made, why = render('graph.graphvizFile', g:todot(), algorithm, format:lower(), fname)
   if not made then error('graph.graphvizFile: ' .. why, 2) end
end

--- The positions that Graphviz computes, as a DoubleTensor of #g.nodes rows x, y, in inches from
--- the lower left corner. Then the width and height of the whole. An error if Graphviz is not
--- installed.
function graph.graphvizLayout(g, algorithm)
   need_graph('graph.graphvizLayout', g)
   algorithm = algorithm or 'dot'
   need_algorithm('graph.graphvizLayout', algorithm)
   local file = os.tmpname()
   local made, why = render('graph.graphvizLayout', g:todot(), algorithm, 'plain', file)
   if not made then
      os.remove(file)
      error('graph.graphvizLayout: ' .. why, 2)
   end
   local positions, width, height = torch.DoubleTensor(#g.nodes, 2):zero(), 0, 0
   for line in io.lines(file) do
      local n, x, y = line:match '^node n(%d+) (%S+) (%S+)'
      if n then positions[tonumber(n)][1], positions[tonumber(n)][2] = tonumber(x), tonumber(y) end
      local w, h = line:match '^graph %S+ (%S+) (%S+)'
      if w then width, height = tonumber(w), tonumber(h) end
   end
   os.remove(file)
   return positions, width, height
end

return graph
