-- test/packages/graph_spec.lua - graphs: order, searches, cycles, copies, and text and pictures for Graphviz.
-- runs once
local torch = require 'torch'
local graph = require 'graph'

local refuses = require 'test.support.refuses'

-- graph_of 'ab bc' has the edges a -> b, b -> c; returns the graph and its nodes by name.
local function graph_of(edges)
   local g, nodes = graph.Graph(), {}
   for from, to in edges:gmatch '(%a)(%a)' do
      nodes[from] = nodes[from] or graph.Node(from)
      nodes[to] = nodes[to] or graph.Node(to)
      g:add(graph.Edge(nodes[from], nodes[to]))
   end
   return g, nodes
end

local function names(list)
   local data = {}
   for i, node in ipairs(list) do data[i] = node.data end
   return table.concat(data)
end

describe('graph.Graph', function()
   it('knows its roots, its leaves, and each node and edge by number', function()
      local g, n = graph_of 'ac bc cd ce'
      assert.equal('ab', names(g:roots()))
      assert.equal('de', names(g:leaves()))
      assert.equal(5, #g.nodes)
      assert.equal(4, #g.edges)
      assert.equal(2, g.nodes[n.c])
      assert.equal(2, n.c.id)
      assert.equal(n.d, n.c.children[1])
   end)
   it('adds a node or an edge once, and lists of them', function()
      local g, n = graph_of 'ab'
      g:add(g.edges[1])
      g:add{n.a, graph.Edge(n.b, graph.Node 'c'), graph.Node 'd'}
      assert.equal('abcd', names(g.nodes))
      assert.equal(2, #g.edges)
      assert.equal('ad', names(g:roots()))
   end)
   it('sorts so that every edge goes forward', function()
      local g = graph_of 'cb ba ca da cd ef'
      local place = {}
      local order = g:topsort()
      for i, node in ipairs(order) do place[node] = i end
      assert.equal(6, #order)
      for _, edge in ipairs(g.edges) do assert(place[edge.from] < place[edge.to]) end
   end)
   it('sorts chains of fifty thousand nodes', function()
      local g = graph.Graph()
      local first = graph.Node(1)
      local last = first
      for k = 2, 50000 do
         local node = graph.Node(k)
         g:add(graph.Edge(last, node))
         last = node
      end
      local order = g:topsort()
      assert.equal(50000, #order)
      assert.equal(50000, order[50000].data)
      assert.is_false(g:hasCycle())
      local count = 0
      first:dfs(function() count = count + 1 end)
      assert.equal(50000, count)
   end)
   it('tells and refuses cycles', function()
      assert.is_false(graph_of('ab bc ac'):hasCycle())
      for _, edges in ipairs{'ab ba', 'aa', 'ab bc cb cd'} do
         local g = graph_of(edges)
         assert.is_true(g:hasCycle())
         refuses('graph.Graph:topsort: the graph must have no cycle', g.topsort, g)
      end
   end)
   it('turns round and copies into new nodes with the same data', function()
      local g, n = graph_of 'ab ac'
      g:add(graph.Node 'd')
      g.edges[1].weight = 3
      local r, twin = g:reverse()
      assert.equal('bcd', names(r:roots()))
      assert.equal('ad', names(r:leaves()))
      assert.equal('a', twin[n.a].data)
      assert.not_equal(n.a, twin[n.a])
      assert.equal(3, r.edges[1].weight)
      local c = g:clone()
      assert.equal('ad', names(c:roots()))
      assert.not_equal(g.nodes[1], c.nodes[1])
      assert.equal('ab', names(g:roots()):sub(1, 1) .. names(g.nodes[1].children):sub(1, 1))
   end)
   it('survives torch.save', function()
      local g = torch.deserialize(torch.serialize((graph_of 'ab bc')))
      assert.equal('graph.Graph', torch.typename(g))
      assert.equal('abc', names(g:topsort()))
      assert.equal(g.nodes[2], g.edges[1].to)
   end)
   it('refuses what is no edge or node', function()
      refuses('graph.Graph:add: edge must be an edge or a node, got number', function() graph.Graph():add(1) end)
      refuses('graph.Edge: to must be a node, got nil', graph.Edge, graph.Node 'a')
      refuses('graph.Edge: from must be a node, got string', graph.Edge, 'a', graph.Node 'a')
      refuses('graph.Node:add: child must be a node, got boolean', function() graph.Node(1):add(true) end)
   end)
end)

describe('graph.Node', function()
   it('walks breadth first from itself, depth first to itself, meeting each node once', function()
      local _, n = graph_of 'ab bc ad cd ba'
      local met = {}
      n.a:bfs(function(node) met[#met + 1] = node end)
      assert.equal('abdc', names(met))
      met = {}
      n.a:dfs(function(node) met[#met + 1] = node end)
      assert.equal('dcba', names(met))
      assert.is_false(n.a.visited)
   end)
   it('leaves its marks after the dirty walks, and goes round them', function()
      local _, n = graph_of 'ab bc ad'
      n.b.visited = true
      assert.equal('ad', names(n.a:bfs_dirty(function() end)))
      assert.is_true(n.d.visited)
      assert.is_false(n.c.visited)
      n.a.visited, n.d.visited = false, false
      assert.equal('da', names(n.a:dfs_dirty(function() end)))
   end)
   it('visits with one call before the children and one after', function()
      local _, n = graph_of 'ab ac'
      local trail = {}
      n.a:visit(function(x) trail[#trail + 1] = '<' .. x.data end, function(x) trail[#trail + 1] = x.data .. '>' end)
      assert.equal('<a<bb><cc>a>', table.concat(trail))
   end)
   it('gives the graph below it', function()
      local _, n = graph_of 'ab bc ad ea'
      local g = n.a:graph()
      assert.equal('abdc', names(g.nodes))
      assert.equal(3, #g.edges)
      assert.equal(1, #graph.Node('x'):graph().nodes)
   end)
   it('tells whether a cycle can be reached', function()
      local _, n = graph_of 'ab bc cb ad'
      assert.is_true(n.a:hasCycle())
      assert.is_false(n.d:hasCycle())
   end)
   it('becomes a child of the parent it is made with', function()
      local a = graph.Node 'a'
      local b = graph.Node('b', a)
      assert.equal(b, a.children[1])
   end)
   it('refuses a walk without a function', function()
      refuses('graph.Node:bfs: func must be a function, got nil', function() graph.Node(1):bfs() end)
   end)
end)

-- A folder with the fake programs of `scripts`; returns what runs code in a th that sees nothing else in its PATH.
local function machine(scripts)
   local dir = os.tmpname()
   os.remove(dir)
   assert(os.execute(("mkdir '%s' '%s/bin'"):format(dir, dir)))
   for name, script in pairs(scripts) do
      local file = dir .. '/bin/' .. name
      local f = assert(io.open(file, 'w'))
      f:write('#!/bin/sh\n', script, '\n')
      f:close()
      os.execute(("chmod +x '%s'"):format(file))
   end
   local th = os.getenv 'TH' or 'build/bin/th'
   local function run(code)
      local file = dir .. '/code.lua'
      local f = assert(io.open(file, 'w'))
      f:write("require 'torch' require 'graph' local DIR = '", dir, "/'\n",
         "local a, b = graph.Node 'a', graph.Node 'b' local g = graph.Graph() g:add(graph.Edge(a, b))\n", code)
      f:close()
      local pipe = io.popen(("PATH='%s/bin' '%s' '%s' 2>&1"):format(dir, th, file))
      local text = pipe:read '*a'
      pipe:close()
      return text
   end
   local function read(name)
      local f = io.open(dir .. '/' .. name)
      if not f then return nil end
      local text = f:read '*a'
      f:close()
      return text
   end
   return run, read, function() os.execute(("rm -rf '%s'"):format(dir)) end
end

describe('pictures', function()
   it('are text with every label quoted', function()
      local g = graph.Graph()
      local evil = graph.Node 'say "hi"];\n\\"} <b>\t'
      g:add(graph.Edge(graph.Node 'digraph', evil))
      local text = graph.dot(g, 'a "title"')
      assert.equal([[
digraph "a \"title\"" {
   label="a \"title\""; labelloc=t;
   n1 [label="digraph"];
   n2 [label="say \"hi\"];\n\\\"} <b> "];
   n1 -> n2;
}
]], text)
      assert.equal('plain_1', graph._dotEscape 'plain_1')
      assert.equal('""', graph._dotEscape '')
      assert.equal('"1a"', graph._dotEscape '1a')
   end)
   it('quote what Graphviz would take for the name of a character', function()
      local g = graph.Graph()
      g:add(graph.Node 'a &lt; b & &#955; &;')
      local text = graph.dot(g, '&amp;')
      assert(text:find('digraph "&amp;" {\n   label="&amp;amp;"; labelloc=t;\n', 1, true), text)
      assert(text:find('n1 [label="a &amp;lt; b & &amp;#955; &;"];', 1, true), text)
   end)
   it('are SVG of our own where Graphviz is missing, beside the text', function()
      local run, read, done = machine{}
      assert.equal('true\n', run [[print(select(2, graph.dot(g, 'G', DIR .. 'pic')))]])
      assert(read('pic.dot'):find('n1 -> n2', 1, true))
      local svg = read 'pic.svg'
      assert.equal(2, select(2, svg:gsub('<rect x=', '')))
      assert(svg:find('>a</text>', 1, true) and svg:find('>b</text>', 1, true), svg)
      local out = run [[print(select(2, pcall(graph.graphvizFile, g, 'neato', DIR .. 'pic.png')))
                  print(select(2, pcall(graph.graphvizLayout, g)))]]
      assert(out:find('graph.graphvizFile: the program neato is not installed', 1, true), out)
      assert(out:find('graph.graphvizLayout: the program dot is not installed', 1, true), out)
      done()
   end)
   it('are made by dot, started with its arguments and no shell', function()
      local run, read, done = machine{dot = 'for a; do echo "[$a]"; last=$a; done >"$3"; while read -r l; do echo "$l"; done <"$4" >>"$3"'}
      local name = "it's $(touch x) ;.svg"
      local out = run([[local name = DIR .. "it's $(touch x) ;"
                        print(select(2, graph.dot(g, 'G', name))) graph.graphvizFile(g, nil, name .. '.PNG')]])
      assert.equal('true\n', out)
      local svg = assert(read(name))
      assert(svg:find('^%[%-Tsvg%]\n%[%-o%]\n%[[^\n]*it\'s %$%(touch x%) ;%.svg%]\n%[[^\n]*%]\n'), svg)
      assert(svg:find('n1 -> n2;', 1, true), svg)
      assert(read("it's $(touch x) ;.PNG"):find('^%[%-Tpng%]'))
      done()
   end)
   it('give the places of the nodes', function()
      local run, _, done = machine{neato = [[echo 'graph 1 2.5 3
node n2 0.5 0.25 1 1 b solid ellipse black lightgrey
node n1 2 2.75 1 1 a solid ellipse black lightgrey
stop' >"$3"]]}
      local out = run [[local p, w, h = graph.graphvizLayout(g, 'neato')
                        print(p[1][1], p[1][2], p[2][1], p[2][2], w, h)]]
      assert.equal('2\t2.75\t0.5\t0.25\t2.5\t3\n', out)
      done()
   end)
   it('pass on that the program failed', function()
      local run, _, done = machine{dot = 'exit 3'}
      local out = run [[print(select(2, pcall(graph.dot, g, 'G', DIR .. 'pic')))]]
      assert(out:find('dot failed with status 3', 1, true), out)
      done()
   end)
   it('refuse other programs, files without a format, and what is no graph', function()
      local g = graph_of 'ab'
      refuses('graph.graphvizFile: algorithm must be dot, neato', graph.graphvizFile, g, 'rm -rf', 'x.svg')
      refuses('graph.graphvizFile: fname must end in a format such as .svg, got x', graph.graphvizFile, g, 'dot', 'x')
      refuses('graph.graphvizFile: fname must be a string, got nil', graph.graphvizFile, g, 'dot')
      refuses('graph.dot: g must be a graph, got table', graph.dot, {})
      refuses('graph.dot: fname must be a string, got number', graph.dot, g, 'x', 3)
      refuses('graph.dot: cannot write', graph.dot, g, 'x', '/nowhere/at/all')
   end)
end)

-- The elements of an SVG text as {name, attributes, text}; fails where it is not well-formed.
local function elements(svg)
   local list, open = {}, {}
   for before, close, name, rest, slash in svg:gmatch '([^<>]*)<(/?)(%a+)(.-)(/?)>' do
      assert(not before:gsub('&%a+;', ''):gsub('&#39;', ''):find '&', before)
      if close == '/' then
         local e = table.remove(open)
         assert.equal(e.name, name)
         e.text = before
      else
         local e = {name = name, attributes = {}}
         for key, value in rest:gmatch '([%w:%-]+)="([^"]*)"' do
            assert(not value:gsub('&%a+;', ''):find '[&<]', value)
            e.attributes[key] = tonumber(value) or value
         end
         list[#list + 1] = e
         if slash == '' then open[#open + 1] = e end
      end
   end
   assert.equal(0, #open)
   return list
end

local function named(list, name, key)
   local found = {}
   for _, e in ipairs(list) do if e.name == name and (not key or e.attributes[key]) then found[#found + 1] = e end end
   return found
end

describe('pictures of our own', function()
   local svg = require 'graph.svg'
   local function draw(g, title) return elements(svg(graph._drawing(g, title))) end

   it('escape every label and attribute, whatever it holds', function()
      local g = graph.Graph()
      local no_text, symbols = '\xff\xc0\x80\xed\xa0\x80\xf5\x80\x80\x80', '\xce\xbb\xe2\x82\xac\xf0\x9f\x98\x80'
      local node = graph.Node('<script>alert("x")</script> & \'y\'\nsecond \t\0line ' .. no_text .. ' ' .. symbols)
      function node.graphNodeAttributes() return {style = 'filled', fillcolor = 'red"/><x y="', color = '&', fontcolor = '<'} end
      g:add(node)
      local text = svg(graph._drawing(g, 'a <b> & "c"'))
      local list = elements(text)
      assert.is_nil(text:find('<script', 1, true))
      assert(text:find('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;</text>', 1, true), text)
      assert(text:find('second   line ?????????? ' .. symbols .. '</text>', 1, true), text)
      assert(text:find('a &lt;b&gt; &amp; &quot;c&quot;</text>', 1, true), text)
      local box = named(list, 'rect', 'x')[1].attributes
      assert.equal('red&quot;/&gt;&lt;x y=&quot;', box.fill)
      assert.equal('&amp;', box.stroke)
   end)

   it('put every node below those it comes from, side by side without touching, inside the picture', function()
      local g, nodes = graph.Graph(), {}
      for i = 1, 40 do nodes[i] = graph.Node(('n'):rep(i % 7 + 1)) end
      local kept = {}
      for i = 2, 40 do
         for _, from in ipairs{math.floor(i / 2), (i * 7) % i} do
            if from >= 1 then
               g:add(graph.Edge(nodes[from], nodes[i]))
               kept[#kept + 1] = {from, i}
            end
         end
      end
      local list = draw(g, 'G')
      local boxes, whole = named(list, 'rect', 'x'), list[1].attributes
      assert.equal(40, #boxes)
      assert.equal(#kept, #named(list, 'path', 'marker-end'))
      for i, e in ipairs(boxes) do
         local a = e.attributes
         assert.is_true(a.x >= 0 and a.y >= 0 and a.x + a.width <= whole.width and a.y + a.height <= whole.height)
         for k = i + 1, #boxes do
            local b = boxes[k].attributes
            assert.is_true(a.x + a.width < b.x or b.x + b.width < a.x or a.y + a.height < b.y or b.y + b.height < a.y)
         end
      end
      for _, e in ipairs(named(list, 'path', 'marker-end')) do              -- edges end lower than they begin
         local from, to = e.attributes.d:match '^M%S+ (%S+)', e.attributes.d:match ' (%S+)$'
         assert.is_true(tonumber(to) > tonumber(from), e.attributes.d)
      end
   end)

   it('turn the edges of cycles upwards, and bow those of a node to itself', function()
      local g = graph_of 'ab bc ca cc'
      local list = draw(g, 'G')
      assert.equal(3, #named(list, 'path', 'marker-end'))
      assert.equal(1, #named(list, 'path', 'marker-start'))
   end)

   it('are the same every time, of deep graphs and of nothing, too', function()
      local g, last = graph.Graph(), graph.Node 'x'
      for _ = 1, 3000 do
         local new = graph.Node 'x'
         g:add(graph.Edge(last, new))
         last = new
      end
      local text = svg(graph._drawing(g))
      assert.equal(text, svg(graph._drawing(g)))
      assert.equal(3001, #named(elements(text), 'rect', 'x'))
      assert.equal(0, #named(draw(graph.Graph(), 'G'), 'rect', 'x'))
   end)
end)
