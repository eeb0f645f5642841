-- test/torchvision.lua [NAME...] - nets of torchvision with random weights: their state dicts go into nets of nn, whose outputs must be
-- equal. Needs Python with torchvision: $PYTHON, or python3. Ends with status 1 when an output differs.
local torch = require 'torch'
local nn = require 'nn'
local nets = require 'test.support.torchvision_nets'

local python = os.getenv 'PYTHON' or 'python3'
local names = #arg > 0 and arg or nets.names()
local LIMIT = 1e-4                          -- of the largest element of the output

local folder = os.tmpname()
os.remove(folder)
assert(os.execute('mkdir ' .. folder) == 0)
local p = io.popen(('%s -W ignore test/support/torchvision_states.py %s %s 2>&1; echo $?'):format(python, folder, table.concat(names, ' ')))
local text = p:read '*a'
p:close()
if not text:find '^0%s*$' then
   io.stderr:write('test/torchvision.lua: torchvision has not written the nets:\n', text)
   os.execute('rm -r ' .. folder)
   os.exit(1)
end

local failed = 0
print(('%-20s %8s %10s %8s %8s %12s'):format('net', 'tensors', 'elements', 'load ms', 'import', 'difference'))
for _, name in ipairs(names) do
   local net, rules = nets[name]()
   net:float():evaluate()
   local timer = torch.Timer()
   local file = torch.load(('%s/%s.pt'):format(folder, name))
   local loaded = timer:time().real
   timer:reset()
   local ok, report = pcall(nn.importState, net, file.state, rules)
   local imported = timer:time().real
   if ok then
      local y = net:forward(file.input)
      local elements = 0
      for _, pair in ipairs(report.used) do elements = elements + file.state[pair[1]]:nElement() end
      local apart = (y - file.output):abs():max() / file.output:clone():abs():max()
      local good = apart <= LIMIT and #report.missing == 0 and #report.left == 0
      print(('%-20s %8d %10d %8.1f %8.1f %12.2g%s'):format(name, #report.used, elements, loaded * 1e3, imported * 1e3, apart,
         good and '' or '  WRONG'))
      if not good then failed = failed + 1 end
   else
      print(name, report)
      failed = failed + 1
   end
   collectgarbage()
end
os.execute('rm -r ' .. folder)
print(('%d of %d nets give the outputs of torchvision'):format(#names - failed, #names))
os.exit(failed == 0 and 0 or 1)
