-- test/op/plugin_spec.lua - ops of your own: the example is compiled, loaded and behaves like an op of ours.
-- runs once, on the plain build: it starts a compiler, which knows nothing of sanitizers
local ffi = require 'ffi'
local torch = require 'torch'
local derivative = require 'torch.derivative'
local emulated = require 'test.support.emulated'
local EXAMPLE = 'examples/plugin/squareplus.c'

local dir, count = nil, 0

local function read(file)
   local f = assert(io.open(file))
   local text = f:read '*a'
   f:close()
   return text
end

local function cc(source, name, flags)
   local out = ('%s/%s.so'):format(dir, name)
   local how = '${CC:-cc} -shared -fPIC -O1 -Wall -Wextra -Werror'
   local p = io.popen(("%s %s -I'%s' '%s' -o '%s' 2>&1"):format(how, flags or '',
      torch.config().include, source, out))
   local said = p:read '*a'
   p:close()
   assert.equal('', said)
   return out
end

-- Compiles a plug-in from its parts; `ops` is what TH_PLUGIN is given, `change` is put before it.
local OP = [[
#include <th_op.h>
static th_status check(th_call *c) { return th_out_like(c, 0, c->arg[1].t); }
static th_status run(const th_call *c) { th_write(TH_DATA(char, c->arg[0].t), c->dtype, 7); return TH_OK; }
]]
local function build(text, flags)
   count = count + 1
   local source = ('%s/p%d.c'):format(dir, count)
   local f = assert(io.open(source, 'w'))
   f:write(OP, text, '\n')
   f:close()
   return cc(source, 'p' .. count, (flags or '') .. ' -Wno-unused-function')
end

-- A plug-in of one op with these fields.
local function one(fields, kernel)
   local all = { name = '"plug' .. count .. '"', args = '"y:out x:tensor"', doc = '"Seven."', check = 'check' }
   for k, v in pairs(fields) do all[k] = v end
   local list = {}
   for k, v in pairs(all) do if v then list[#list + 1] = ('.%s = %s'):format(k, v) end end
   return build(('static const th_op o = { %s };\nTH_PLUGIN({ %s, %s })'):format(table.concat(list, ', '), '&o',
      kernel or '.kernel = run'))
end

local function refused(path, why)
   local ops = #require 'torch.op'.names()
   local ok, message = pcall(torch.loadlib, path)
   assert.is_false(ok)
   assert.truthy(message:find(why, 1, true), message)
   require 'torch.op'.refresh()
   assert.equal(ops, #require 'torch.op'.names())
end

setup(function()
   dir = os.tmpname()
   os.remove(dir)
   assert(os.execute("mkdir '" .. dir .. "'") == 0)
end)
teardown(function() os.execute("rm -r '" .. dir .. "'") end)

describe('the example of a plug-in', function()
   setup(function() assert.same({ 'squareplus' }, torch.loadlib(cc(EXAMPLE, 'squareplus'))) end)

   it('is the one that the page shows, and short', function()
      local text = read(EXAMPLE)
      assert.truthy(read 'doc/user-ops.md':find('```c\n' .. text .. '```', 1, true))
      assert.is_true(select(2, text:gsub('\n', '')) < 40)
   end)

   it('computes, for every float type, layout and call form', function()
      for _, kind in ipairs { 'Half', 'BFloat16', 'Float', 'Double' } do
         local x = torch[kind .. 'Tensor'] { { -1.5, 0, 1.5 }, { 0, 0, 0 } }
         local want = torch[kind .. 'Tensor'] { { 0.5, 1, 2 }, { 1, 1, 1 } }
         assert.is_true(torch.squareplus(x):equal(want))
         assert.is_true(x:squareplus():equal(want))
         assert.is_true(x:t():squareplus():equal(want:t()))
         local y = torch[kind .. 'Tensor'](7)
         assert.is_true(rawequal(y, torch.squareplus(y, x)))
         assert.is_true(y:equal(want))
         assert.is_true(rawequal(x, x:squareplus(x)))
         assert.is_true(x:equal(want))
      end
      assert.near(1.5, torch.squareplus(torch.Tensor { 0 }, 9)[1], 1e-12)
      assert.equal(0, torch.squareplus(torch.Tensor()):nElement())
      assert.equal(2e5, torch.squareplus(torch.zeros(2e5)):sum())
   end)

   it('refuses bad input as other ops do', function()
      local function says(why, ...)
         local ok, message = pcall(torch.squareplus, ...)
         assert.is_false(ok)
         assert.truthy(message:find(why, 1, true), message)
      end
      says('squareplus: b must be above 0, got -1', torch.ones(2), -1)
      says('squareplus: b must be above 0, got', torch.ones(2), 0 / 0)
      says('squareplus: x must be a Float, Double, Half or BFloat16 tensor, got a IntTensor', torch.IntTensor(2))
      says('torch.squareplus: argument 1 must be y (a tensor) or x (a tensor), got nothing')
      says('argument 2 must be x (a tensor) or b (a number), got a string', torch.ones(2), 'much')
      says('too many arguments', torch.ones(2), torch.ones(2), 4, 4)
      says('result y must be a DoubleTensor, got a FloatTensor', torch.FloatTensor(2), torch.ones(2))
   end)

   it('has a gradient', function()
      local x, g, b, h = torch.Tensor { -2, 0.5, 3 }, torch.Tensor { 1, 2, -1 }, 3, 1e-6
      local rule = require 'ffi'.string(require 'torch.op'.forms 'squareplus'[1].op.grad)
      local gx = derivative.gradients(rule, { x = x, b = b, g = g, y = torch.squareplus(x, b) }).x
      local slope = (torch.squareplus(x + h, b) - torch.squareplus(x - h, b)):div(2 * h):cmul(g)
      assert.is_true((gx - slope):abs():max() < 1e-8)
   end)

   it('has help', function()
      local text = require 'torch.help'.text 'squareplus'
      assert.truthy(text:find('torch.squareplus([y], x, [b])', 1, true), text)
      assert.truthy(text:find('a smooth relu', 1, true), text)
   end)

   it('is found along package.cpath, and loading it again does nothing', function()
      local kept = package.cpath
      package.cpath = dir .. '/?.so;' .. kept
      assert.same({ 'squareplus' }, torch.loadlib 'squareplus')
      package.cpath = kept
      assert.same({ 'squareplus' }, torch.loadlib(dir .. '/squareplus.so'))
   end)

   it('is refused as a copy: the name is taken', function()
      refused(cc(EXAMPLE, 'copy'), 'there is already an op named squareplus')
   end)

   it('is refused for CUDA tensors when it has no kernel for them, unless it leaves them to the CPU', function()
      local device = require 'test.support.cuda.device'
      if not device.cutorch then return pending('there is no ' .. device.name .. ' here') end
      local ok, why = pcall(torch.squareplus, torch.CudaTensor(2))
      assert.is_false(ok)
      assert.truthy(why:find('squareplus: there is no kernel of this op for CUDA device 1: bring the tensors to the CPU', 1, true), why)
      torch.loadlib(one { name = '"plugByCpu"', flags = 'TH_BY_CPU' })
      local y = torch.plugByCpu(torch.CudaByteTensor { 1 })
      assert.equal('torch.CudaByteTensor', y:type())
      assert.same({ 7 }, y:totable())
   end)

   it('works in a program that is not th', function()
      local why = emulated 'a luajit of the machine'
      if why then return pending(why) end
      local lua = torch.config().include:gsub('lib/include$', 'lua'):gsub('/torch$', '')
      local p = io.popen(([[LUA_PATH='%s/?.lua;%s/?/init.lua' luajit -e "require 'torch' torch.loadlib '%s/squareplus.so' print(torch.squareplus(torch.zeros(3)):sum())" 2>&1]])
         :format(lua, lua, dir))
      assert.equal('3\n', p:read '*a')
      p:close()
   end)
end)

describe('torch.loadlib', function()
   it('takes one kernel for all types, or a table of them', function()
      torch.loadlib(one { name = '"plugAll"' })
      torch.loadlib(one({ name = '"plugTable"' }, '.kernels = (const th_kernel[TH_NDTYPE]){ [TH_F32] = run, [TH_I64] = run }'))
      for _, kind in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' } do
         assert.equal(7, torch[kind .. 'Tensor'](1):plugAll()[1])
      end
      assert.equal(7, torch.plugTable(torch.LongTensor(1))[1])
      local ok, why = pcall(torch.plugTable, torch.Tensor(1))
      assert.is_false(ok)
      assert.truthy(why:find('x must be a tensor of type Long, Float, got a DoubleTensor', 1, true), why)
   end)

   it('takes several ops, call forms of one name, and numbers as results', function()
      local path = build [[
static th_status none(th_call *c) { (void)c; return TH_OK; }
static th_status count(const th_call *c) { ((th_call *)c)->arg[0].d = (double)th_numel(c->arg[1].t); return TH_OK; }
static const th_op a = { .name = "plugForm", .args = "y:out x:tensor", .doc = "One.", .check = check };
static const th_op b = { .name = "plugForm", .args = "y:out x:tensor k:int", .doc = "Two.", .check = check };
static const th_op n = { .name = "plugCount", .args = "n:return x:tensor", .doc = "Counts.", .check = none };
TH_PLUGIN({ &a, .kernel = run }, { &b, .kernel = run }, { &n, .kernel = count })]]
      assert.same({ 'plugForm', 'plugCount' }, torch.loadlib(path))
      assert.equal(6, torch.plugCount(torch.Tensor(2, 3)))
      assert.equal(7, torch.plugForm(torch.Tensor(1), 3)[1])
      assert.equal(7, torch.plugForm(torch.Tensor(1))[1])
   end)

   it('refuses what is no plug-in', function()
      refused(dir .. '/nothing.so', 'torch.loadlib: there is no file ' .. dir .. '/nothing.so')
      refused('no_such_plugin', 'torch.loadlib: there is no plug-in no_such_plugin')
      local f = assert(io.open(dir .. '/text.so', 'w'))
      f:write 'this is no library'
      f:close()
      refused(dir .. '/text.so', 'torch.loadlib: ')
      refused(build 'int x;', 'has no ops: a plug-in ends with TH_PLUGIN(...)')
      refused(build 'const th_plugin_face th_plugin_entry = { TH_ABI, 0, NULL };', 'has no ops')
      refused(build 'th_status lost(const th_call *c); TH_PLUGIN({ NULL, .kernel = lost })',
         'undefined symbol: lost')
      for _, bad in ipairs { 3, {}, true } do
         assert.has_error(function() torch.loadlib(bad) end,
            'torch.loadlib: name must be a string, got ' .. (type(bad) == 'table' and 'a table' or require 'torch.arg'.describe(bad)))
      end
      assert.is_false((pcall(torch.loadlib)))
   end)

   it('refuses another version of the interface and says which is older', function()
      local ABI = require 'torch.lib'.C.TH_ABI
      local text = 'static const th_op o = { .name = "plugAbi" }; static const th_plugin_op p[] = { { &o, run, NULL } };'
         .. 'const th_plugin_face th_plugin_entry = { TH_ABI %s, 1, p };'
      refused(build(text:format '- 1'), ('was compiled for version %d of th_op.h, this Cresset has the newer version %d: '
         .. 'compile it again'):format(ABI - 1, ABI))
      refused(build(text:format '+ 1'), ('was compiled for version %d of th_op.h, this Cresset has the older version %d: '
         .. 'use a newer Cresset'):format(ABI + 1, ABI))
   end)

   it('refuses names that are taken or no names', function()
      refused(one { name = '"add"' }, 'there is already an op named add')
      refused(one { name = '"save"' }, 'there is already a function torch.save or a method Tensor:save')
      refused(one { name = '"narrow"' }, 'there is already a function torch.narrow or a method Tensor:narrow')
      refused(one { name = '"a b"' }, 'op 1 must have a name')
      refused(one { name = 'NULL' }, 'op 1 must have a name')
      refused(build [[
static const th_op a = { .name = "plugTwice", .args = "y:out x:tensor", .doc = "One.", .check = check };
TH_PLUGIN({ &a, .kernel = run }, { &a, .kernel = run })]], 'op plugTwice is defined twice with the signature y:out x:tensor')
   end)

   it('refuses incomplete and unreadable declarations', function()
      refused(one { args = 'NULL' }, 'must have a signature')
      refused(one { doc = 'NULL' }, 'must say what it does')
      refused(one { check = 'NULL' }, 'must have a check')
      refused(one({}, '.kernel = NULL'), 'must have either a kernel or a table of kernels')
      refused(one({}, '.kernels = (const th_kernel[TH_NDTYPE]){ NULL }'), 'must have a kernel for at least one dtype')
      refused(one { args = '"y:out x:matrix"' }, 'has an unknown kind: x:matrix')
      refused(one { args = '"y:out x"' }, 'cannot be read: x')
      refused(one { args = '"x:tensor k:int"' }, 'has no result')
      refused(one { args = '"y:out x:tensor k:int=1.5"' }, 'has a default that does not fit at "k:int=1.5"')
      refused(one { args = '"y:out x:tensor k:number=os.exit()"' }, 'has a default that does not fit')
      refused(one { args = '"y:out x:tensor z:tensor=w"' }, 'has a default that does not fit at "z:tensor=w"')
      refused(one { grad = '"x: mul(g, 2"' }, 'its gradient cannot be read')
      refused(one { grad = '"w: g"' }, 'its gradient speaks of w, which is no argument')
   end)

   it('adds nothing of a plug-in of which one op is refused', function()
      refused(build [[
static const th_op a = { .name = "plugGood", .args = "y:out x:tensor", .doc = "One.", .check = check };
static const th_op b = { .name = "plugBad", .args = "y:out x:tensor", .doc = "One." };
TH_PLUGIN({ &a, .kernel = run }, { &b, .kernel = run })]], 'op plugBad must have a check')
      assert.is_nil(torch.plugGood)
   end)
end)

describe('a list of arguments, TH_ARGS,', function()
   local LIST = [[
#include <th_args.h>
TH_ARGS(listed, (y, self), (x, tensor, "y"), (by, number, "0.5"), (n, int, "-1"), (both, bool, "true"),
  (how, string), (float_, bool, "false", "float"))
]]
   local USE = 'static __typeof__(%s) use(const th_call *c) { const listed_args *a = listed_args_of(c); return a->%s; }'

   it('is the signature of its op', function()
      torch.loadlib(build(LIST .. [[
static const th_op o = { .name = "plugListed", .args = listed_signature, .doc = "Seven.", .check = check };
TH_PLUGIN({ &o, .kernel = run })]]))
      local C, found = require 'torch.lib'.C, nil
      for i = 0, math.huge do
         local o = C.th_op_at(i)
         if o == nil then break end
         if ffi.string(o.name) == 'plugListed' then found = ffi.string(o.args) end
      end
      assert.equal("y:self x:tensor=y by:number=0.5 n:int=-1 both:bool=true how:string float:bool=false", found)
   end)

   it('gives each argument its place and its type in C', function()
      build(LIST .. [[
_Static_assert(listed_y == 0 && listed_x == 1 && listed_how == 5 && listed_float_ == 6, "places");
static const th_tensor *x(const th_call *c) { return listed_args_of(c)->x; }
static double by(const th_call *c) { return listed_args_of(c)->by; }
static const char *how(const th_call *c) { return listed_args_of(c)->how; }
static int64_t n(const th_call *c) { return listed_args_of(c)->n; }]])
   end)

   it('stops the compiler at an argument that the op does not have, and at a tensor that is read as a number', function()
      for member, why in pairs { by = false, eps = 'no member named', x = 'incompatible type' } do
         local text = USE:format('1.0', member)
         if why then
            local ok, message = pcall(build, LIST .. text)
            assert.is_false(ok)
            assert.truthy(tostring(message):find(why, 1, true), message)
         else build(LIST .. text) end
      end
   end)
end)
