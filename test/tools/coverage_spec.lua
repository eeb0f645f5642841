-- test/tools/coverage_spec.lua - test/coverage.lua, which counts the lines and branches of lib/ that a build with gcov has run.
-- runs once, on the plain build: it compiles a program with gcov
local coverage = require 'test.coverage'
local shell = require 'test.support.shell'
local temporary = require 'test.support.temporary'

-- What gcov says of one object file.
local function report(path, ...) return { files = { { file = path, lines = { ... } } } } end
local function line(number, count, ...)
   local branches = {}
   for i, taken in ipairs { ... } do branches[i] = { count = taken, throw = false } end
   return { line_number = number, count = count, branches = branches }
end

describe('test/coverage.lua', function()
   it('counts a line as run when one of its copies ran it', function()
      local files = {}
      coverage.add(files, report('/r/lib/cpu/a.c', line(3, 0), line(3, 2), line(4, 0)), '/r/')
      coverage.add(files, report('/r/lib/cpu/a.c', line(3, 0), line(4, 0)), '/r/')
      local row = coverage.folders(files)[1]
      assert.same({ 'lib/cpu', 1, 2, 1 }, { row.name, row.files, row.lines, row.lines_run })
   end)

   it('counts a way of a branch as taken when one of the copies took it', function()
      local files = {}
      coverage.add(files, report('/r/lib/op/a.c', line(3, 5, 5, 0), line(3, 5, 0, 5), line(4, 1, 1, 0)), '/r/')
      local row = coverage.folders(files)[1]
      assert.same({ 4, 3 }, { row.ways, row.ways_taken })
   end)

   it('takes the ways of the copy that has most of them', function()
      local files = {}
      coverage.add(files, report('/r/lib/op/a.c', line(3, 5, 5, 5), line(3, 5, 0, 5, 5, 0)), '/r/')
      assert.same({ 4, 2 }, { coverage.ways(files['lib/op/a.c'][3]) })
   end)

   it('leaves out ways that only exceptions take, and files outside lib', function()
      local files = {}
      local l = line(3, 5, 5, 0)
      l.branches[2].throw = true
      coverage.add(files, report('/r/lib/op/a.c', l), '/r/')
      coverage.add(files, report('/usr/include/lib/x.h', line(1, 1)), '/r/')
      local rows = coverage.folders(files)
      assert.same({ 'lib/op', 1, 1 }, { rows[1].name, rows[1].ways, rows[1].ways_taken })
      assert.equal(2, #rows)
   end)

   it('sums up the folders of lib', function()
      local files = {}
      coverage.add(files, report('/r/lib/op/a.c', line(3, 1)), '/r/')
      coverage.add(files, report('/r/lib/core/conv/a.c', line(3, 1, 1, 0), line(4, 0)), '/r/')
      local rows = coverage.folders(files)
      assert.same({ 'lib/core', 'lib/op', 'lib' }, { rows[1].name, rows[2].name, rows[3].name })
      assert.same({ 2, 3, 2, 2, 1 }, { rows[3].files, rows[3].lines, rows[3].lines_run, rows[3].ways, rows[3].ways_taken })
   end)

   it('lists what a program did not run', function()
      local here = io.popen 'pwd':read '*l'
      local folder = temporary.name '.d'
      assert(os.execute('mkdir ' .. folder))
      local function sh(command) return (shell.run(('cd %s && %s'):format(folder, command))) end
      assert.equal('', sh 'mkdir -p lib/core')
      local f = assert(io.open(folder .. '/lib/core/a.c', 'w'))
      f:write [[
int main(int n, char **arg)
{
  if (n > 1)
    return arg[1][0];
  return 0;
}
]]
      f:close()
      assert.equal('', sh 'gcc --coverage -fprofile-abs-path -c lib/core/a.c -o lib/core/a.c.o')
      assert.equal('', sh 'gcc --coverage lib/core/a.c.o -o a && ./a')
      local out = sh('luajit ' .. here .. '/test/coverage.lua .')
      assert.matches('\nlib/core +1 +4 +3 +75.0 %% +2 +1 +50.0 %%\nlib +1 +4 +3 ', out)
      assert.matches('2 lines in ./uncovered.txt', out)
      f = assert(io.open(folder .. '/uncovered.txt'))
      assert.equal('lib/core/a.c:3: 1 of 2 branches: if (n > 1)\nlib/core/a.c:4: not run: return arg[1][0];\n', f:read '*a')
      f:close()
      assert.equal('', sh './a x || true')                           -- a second run adds its counts
      assert.matches('100.0 %% +2 +2 +100.0 %%', sh('luajit ' .. here .. '/test/coverage.lua .'))
      os.execute('rm -r ' .. folder)
   end)

   it('says when there is no build with gcov', function()
      local p = io.popen 'luajit test/coverage.lua lib 2>&1; luajit test/coverage.lua 2>&1'
      assert.equal('test/coverage.lua: no build with gcov in lib\nusage: luajit test/coverage.lua FOLDER\n', p:read '*a')
      p:close()
   end)
end)

describe('./dev coverage', function()
   it('refuses what it does not know', function()
      local p = io.popen [=[(./dev coverage -x; ./dev coverage -level sse; ./dev coverage -attack soon
         ./dev coverage -level) 2>&1]=]
      assert.equal("dev: coverage: there is no option '-x'\ndev: coverage: LEVEL must be base, avx2 or avx512, got 'sse'\n"
         .. "dev: coverage: MINUTES must be a whole number, got 'soon'\ndev: coverage: -level wants a value\n", p:read '*a')
      p:close()
   end)
end)
