-- test/tools/dev_checks_spec.lua - checks of ./dev check that read text: columns, words and more.
-- runs once, on the plain build: it starts programs that know nothing of sanitizers
local shell = require 'test.support.shell'
local temporary = require 'test.support.temporary'

local folder

local function put(name, text)
   local f = assert(io.open(folder .. '/' .. name, 'w'))
   f:write(text)
   f:close()
end
local function git(command) shell.ok(('git -C %s %s'):format(folder, command)) end
local function commit()
   git 'add -A'
   git '-c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q -m x'
end

-- What a check of the copy prints, and its status.
local function check(name) return shell.run(('cd %s && ./dev .check %s'):format(folder, name)) end

local function line(columns) return ('x'):rep(columns) .. '\n' end

describe('./dev check', function()
   if not shell.has 'git' then return pending 'needs git' end
   before_each(function()
      folder = temporary.name '.repository'
      shell.ok(('mkdir -p %s/doc %s/lib && cp dev %s'):format(folder, folder, folder))
      git 'init -q'
      put('lib/old.c', line(120) .. line(80))
      commit()
   end)
   after_each(function()
      shell.ok('rm -rf ' .. folder)
      temporary.remove()
   end)

   it('accepts 100 columns in lines that differ, and more in older ones', function()
      put('lib/old.c', line(120) .. line(100) .. line(80))
      put('lib/new.c', line(100))
      assert.same({ '', 0 }, { check 'columns HEAD' })
   end)

   it('refuses 101 columns in a line that differs, with its place', function()
      put('lib/old.c', line(120) .. line(80) .. line(101))
      assert.same({ 'lib/old.c:3: 101 columns\n', 1 }, { check 'columns HEAD' })
      commit()
      assert.same({ '', 0 }, { check 'columns HEAD' })
      assert.same({ 'lib/old.c:3: 101 columns\n', 1 }, { check 'columns HEAD~1' })
   end)

   it('refuses 101 columns in files that git does not know, each in a line', function()
      put('lib/old.c', line(120) .. line(150))
      put('lib/a.lua', line(101))
      put('lib/b.cu', line(9) .. line(102))
      local old = 'lib/old.c:2: 150 columns\n'
      local new = 'lib/a.lua:1: 101 columns\nlib/b.cu:2: 102 columns\n'
      assert.same({ old .. new, 1 }, { check 'columns HEAD' })
   end)

   it('counts characters, and reads no pages', function()
      put('lib/new.lua', ('é'):rep(100) .. '\n')
      put('doc/page.md', line(300))
      assert.same({ '', 0 }, { check 'columns HEAD' })
      put('lib/new.lua', ('é'):rep(101) .. '\n')
      assert.same({ 'lib/new.lua:1: 101 columns\n', 1 }, { check 'columns HEAD' })
   end)

   it('takes a renamed file for the same lines', function()
      shell.ok(('cd %s && git mv lib/old.c lib/moved.c'):format(folder))
      assert.same({ '', 0 }, { check 'columns HEAD' })
   end)

   it('refuses tabs, blanks at the end of a line, and 131 columns', function()
      put('lib/new.c', line(130))
      commit()
      assert.same({ '', 0 }, { check 'lines' })
      put('lib/new.c', line(131) .. 'a\tb\n')
      put('doc/page.md', 'end \n')
      commit()
      assert.same({ 'doc/page.md:1:end \nlib/new.c:2:a\tb\nlib/new.c:1: 131 columns\n', 1 },
         { check 'lines' })
   end)

   it('refuses the words that doc/style.md bans', function()
      put('lib/new.c', '/* The thread waits until the lock is free. */\n')
      put('doc/page.md', 'The reader is ' .. 'told the sizes.\n')
      put('doc/style.md', 'These are banned: no' .. 'body.\n')
      commit()
      local out, status = check 'words'
      assert.same({ 'doc/page.md:1:The reader is ' .. 'told the sizes.\n', 1 }, { out, status })
      put('doc/page.md', 'The reader knows the sizes.\n')
      for _, banned in ipairs { 'No' .. 'body reads it', 'who' .. 'ever reads it',
         'a lock of its' .. ' own', 'it goes' .. ' on' } do
         put('lib/new.c', ('/* %s. */\n'):format(banned))
         commit()
         assert.same({ ('lib/new.c:1:/* %s. */\n'):format(banned), 1 }, { check 'words' })
      end
   end)

   it('refuses an argument of an op by its number', function()
      put('lib/new.c', 'int n = c->arg[2].i;\n')
      commit()
      assert.same({ 'lib/new.c:1:int n = c->arg[2].i;\n', 1 }, { check 'arguments' })
   end)
end)
