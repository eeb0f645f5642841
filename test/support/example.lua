-- test/support/example.lua - runs a program of examples/ as a user does, stops it and resumes it.
local torch = require 'torch'
require 'nn'
local assert = require 'luassert'
local shell = require 'test.support.shell'

local function execute(command)
   local output, status = shell.run(command)
   return status, output
end

local example = { TH = os.getenv 'TH' or 'build/bin/th' }
example.__index = example

--- The program of that name, with a separate folder for its output.
function example.new(name)
   local self = setmetatable({ name = name, dir = os.tmpname() }, example)
   os.remove(self.dir)
   assert.equal(0, os.execute("mkdir '" .. self.dir .. "'"))
   return self
end

function example:remove() os.execute("rm -r '" .. self.dir .. "'") end

--- A name in that folder.
function example:path(name) return self.dir .. '/' .. name end

function example:command(...) return ("'%s' examples/%s.lua %s"):format(example.TH, self.name, table.concat({ ... }, ' ')) end

--- Runs it with these options; returns its exit status and what it wrote on both streams.
function example:run(...) return execute(self:command(...)) end

--- Runs it and wants it to succeed; returns what it wrote.
function example:ok(...)
   local status, output = self:run(...)
   assert.equal(0, status, output)
   return output
end

--- Wants it to end with status 1 and one line that holds the message.
function example:refused(message, ...)
   local status, output = self:run('-save', self:path 'refused', ...)
   assert.equal(1, status, output)
   assert.truthy(output:find(message, 1, true), output)
   assert.is_nil(output:find 'traceback', output)
end

--- The content of a file in the folder.
function example:bytes(name)
   local file = assert(io.open(self:path(name), 'rb'))
   local text = file:read '*a'
   file:close()
   return text
end

--- The names of the files in a subfolder, sorted.
function example:files(folder)
   local list, names = io.popen(("ls '%s'"):format(self:path(folder))), {}
   for name in list:lines() do names[#names + 1] = name end
   list:close()
   return names
end

local function everything(value, out)         -- numbers, strings and tensors' bits of a checkpoint, in a fixed order
   if torch.isTensor(value) then
      out[#out + 1] = value:type() .. torch.serialize(value:clone())
   elseif type(value) == 'table' then
      local keys = {}
      for key in pairs(value) do keys[#keys + 1] = key end
      table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
      for _, key in ipairs(keys) do
         out[#out + 1] = tostring(key)
         everything(value[key], out)
      end
   else
      out[#out + 1] = type(value) == 'number' and ('%.17g'):format(value) or tostring(value)
   end
   return out
end

--- Wants two checkpoints of folders to hold the same models, states, history and random numbers, bit by bit.
function example:same(a, b)
   local one, two = torch.load(self:path(a .. '/checkpoint.t7')), torch.load(self:path(b .. '/checkpoint.t7'))
   for _, part in ipairs { 'keep', 'at', 'history', 'rng' } do
      local x, y = everything(one[part], {}), everything(two[part], {})
      assert.equal(#x, #y, part)
      for i = 1, #x do assert.is_true(x[i] == y[i], ('%s: entry %d of %d differs'):format(part, i, #x)) end
   end
   assert.equal(self:bytes(a .. '/train.log'), self:bytes(b .. '/train.log'))
end

--- Asserts that a run that is stopped after each of these numbers of steps, and resumed each time, equals `whole`.
function example:resumes(whole, steps, ...)
   self:ok('-steps', steps[1], '-save', self:path 'stopped', ...)
   for k = 2, #steps + 1 do
      self:ok('-steps', steps[k] or 0, '-save', self:path 'stopped', '-resume', self:path 'stopped/checkpoint.t7', ...)
   end
   self:same(whole, 'stopped')
end

--- Starts it with options that let it run long, sends it a signal (INT or TERM) after so many seconds of training, and returns
--- its exit status, what it wrote, and the epoch it was in.
function example:signalled(signal, seconds, ...)
   local folder = self:path 'signalled'
   local status, output = execute(([[rm -rf '%s'; env --default-signal=%s %s -save '%s' &
      p=$!
      while ! [ -s '%s/train.log' ] && kill -0 $p; do sleep 0.05; done
      sleep %g; kill -%s $p; wait $p]]):format(folder, signal, self:command(...), folder, folder, seconds, signal))
   return status, output, torch.load(folder .. '/checkpoint.t7').at.epoch
end

return example
