-- test/tools/markdown_spec.lua - doc/site: Markdown to HTML, colours of code, anchors.
-- runs once
local colour = require 'doc.site.colour'
local html = require 'doc.site.html'
local inline = require 'doc.site.inline'
local markdown = require 'doc.site.markdown'

local hooks = {
   code = function(text) return '<code>' .. html.escape(text) .. '</code>' end,
   link = function(target, markup) return ('<a href="%s">%s</a>'):format(target, markup) end,
   picture = function(target, label) return ('<img src="%s" alt="%s">'):format(target, label) end,
   heading = function(level, markup) return ('<h%d>%s</h%d>'):format(level, markup, level) end,
   block = function(text, language) return ('<pre %s>%s</pre>'):format(tostring(language), html.escape(text)) end,
}

local function page(text) return (markdown.html(markdown.blocks(text), hooks):gsub('\n', '')) end
local function line(text) return inline.render(text, hooks) end

describe('markdown: blocks', function()
   it('reads headings, paragraphs and rules', function()
      assert.equal('<h1>A</h1><p>b c</p><hr><h3>D</h3>', (page('# A\nb\n  c\n\n---\n### D ##\n'):gsub('b *c', 'b c')))
   end)

   it('keeps empty lines of code, and its blanks', function()
      assert.equal('<pre lua>a\n\n  b &lt;</pre>', (markdown.html(markdown.blocks '```lua\na\n\n  b <\n```\n', hooks):gsub('\n$', '')))
      assert.equal('<pre nil>a\n\n  b</pre>', (markdown.html(markdown.blocks '    a\n\n      b\n\n', hooks):gsub('\n$', '')))
      assert.equal('<pre c>```</pre>', page '````c\n```\n````')
   end)

   it('reads a fence that does not end as far as the end of the page', function() assert.equal('<pre >a</pre>', page '```\na') end)

   it('reads lists: items of several lines, lists in items, numbers', function()
      assert.equal('<ul><li>a b</li><li>c</li></ul>', (markdown.html(markdown.blocks '- a\n  b\n- c', hooks):gsub('a\nb', 'a b'):gsub('\n', '')))
      assert.equal('<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', page '- a\n  - b\n- c')
      assert.equal('<ol start="3"><li>a</li><li>b</li></ol>', page '3. a\n4. b')
      assert.equal('<p>t</p><ul><li>a</li></ul><p>u</p>', page 't\n- a\n\nu')
      assert.equal('<ul><li><p>a</p><pre >x</pre></li></ul>', page '- a\n\n  ```\n  x\n  ```\n')
   end)

   it('continues the last item with a line that is not indented', function()
      assert.equal('<ol><li>ab</li></ol>', page '1. a\nb')
   end)

   it('reads tables: bars in code and behind a backslash, alignment, short rows', function()
      local out = page '| a | b |\n|---|--:|\n| `x|y` | 1 \\| 2 |\n| z |\n'
      assert.matches('<th>a</th><th class="right">b</th>', out, 1, true)
      assert.matches('<td><code>x|y</code></td><td class="right">1 | 2</td>', out, 1, true)
      assert.matches('<td>z</td><td class="right"></td>', out, 1, true)
      assert.equal('<p>a | b</p>', page 'a | b')
   end)

   it('drops comments and marks quotes', function()
      assert.equal('<p>a</p><blockquote><p>b</p></blockquote>', page '<!-- x\ny -->\na\n\n> b')
   end)

   it('refuses lists that are nested too deep, and what is no text', function()
      local deep = {}
      for i = 0, 20 do deep[i + 1] = (' '):rep(2 * i) .. '- a' end
      assert.has_error(function() markdown.blocks(table.concat(deep, '\n')) end, 'markdown: lists must not be nested deeper than 16')
      assert.error_matches(function() markdown.blocks(nil) end, 'markdown.blocks: text must be a string, got nil')
   end)

   it('gives no page for an empty text', function() assert.equal('', page '') end)
end)

describe('markdown: lines', function()
   it('reads code, links, pictures and emphasis', function()
      assert.equal('<code>a*b</code> <em>c</em> <strong>d</strong> <em>e</em>', line '`a*b` *c* **d** _e_')
      assert.equal('<a href="x.md#y">a <code>b]</code></a>', line '[a `b]`](x.md#y)')
      assert.equal('<img src="p.png" alt="a">', line '![a](p.png)')
      assert.equal('<code>a`b</code>', line '``a`b``')
   end)

   it('leaves marks alone that mean nothing', function()
      assert.equal('2 * 3 * 4, a_b_c, x*, [a], [a] (b), `c', line '2 * 3 * 4, a_b_c, x*, [a], [a] (b), `c')
      assert.equal('*a* [b](c)', line '\\*a\\* \\[b](c)')
      assert.equal('&lt;b&gt; &amp; &lt; &amp;x;', line '<b> & &lt; &x;')
   end)

   it('makes links of addresses', function()
      assert.equal('<a href="https://a.b/c">https://a.b/c</a>.', line 'https://a.b/c.')
      assert.equal('<a href="https://a.b">https://a.b</a>', line '<https://a.b>')
   end)

   it('bounds the depth of links in each other', function()
      local deep = ('['):rep(400) .. 'a' .. ('](b)'):rep(400)
      assert.is_true(#line(deep) > 400)
   end)

   it('of a doc comment reads backticks only', function()
      assert.equal('a * b [c](d) <code>&lt;</code>', inline.comment('a * b [c](d) `<`', hooks))
      assert.equal('a `b', inline.comment('a `b', hooks))
   end)
end)

describe('colours of code', function()
   it('mark keywords, strings, numbers, comments and results', function()
      local out = colour.html("local x = 'a\\'b' -- c\nf(1e-3) --> 2", 'lua')
      assert.equal('<span class="k">local</span> x = <span class="s">\'a\\\'b\'</span> <span class="c">-- c</span>\n'
         .. 'f(<span class="n">1e-3</span>) <span class="r">--&gt; 2</span>', out)
      assert.equal('<span class="k">int</span> a; <span class="c">/* b\n*/</span>', colour.html('int a; /* b\n*/', 'c'))
      assert.equal('./dev test <span class="c"># a</span>', colour.html('./dev test # a', 'shell'))
   end)

   it('lead from a public name to its text', function()
      local function url_of(name) return name == 'nn.Linear' and 'nn.html#nn.Linear' or nil end
      assert.equal('<a href="nn.html#nn.Linear">nn.Linear</a>(a.b)', colour.html('nn.Linear(a.b)', 'lua', url_of))
   end)

   it('change no character of the code', function()
      local text = 'x = [[a\n<]] .. "b" --[==[ ]] ]==] 0x1F 3.5 & \n"open'
      for _, language in ipairs { 'lua', 'c', 'shell', 'other' } do
         assert.equal(text, html.text_of(colour.html(text, language)), language)
      end
   end)

   it('guess the language of indented code', function()
      assert.equal('shell', colour.guess './dev build   # a')
      assert.equal('shell', colour.guess 'TH_CPU=base th x.lua')
      assert.equal('lua', colour.guess 'x = torch.ones(3)')
      assert.is_nil(colour.guess 'Lua program\n  |  v')
   end)
end)

describe('anchors', function()
   it('follow the rule of GitHub and are unique on a page', function()
      local slug = html.slugs()
      assert.equal('several-hosts', slug 'Several hosts')
      assert.equal('what-th-does-in-c', slug 'What `th` does, in C')
      assert.equal('several-hosts-1', slug 'Several hosts')
      assert.equal('section', slug '???')
   end)
end)

describe('strings of JavaScript', function()
   it('end no script and no line', function()
      assert.equal('"a\\u0022\\u005c\\u000a\\u003c/script>"', html.js 'a"\\\n</script>')
   end)
end)
