-- nn/support/arguments.lua - checks the arguments of nn's constructors, by what their classes declare.
local torch = require 'torch'
local arg = require 'torch.arg'
local utils = require 'nn.utils'
local errors = require 'nn.support.errors'

-- The test of a whole number. As in Torch7 a string stands for the number that it spells, and fractions are cut off.
local function whole(least)
   return function(v)
      v = arg.whole_of(v)
      return v and v >= least, v
   end
end
local function place(v)
   v = arg.whole_of(v)
   return v and v ~= 0, v
end
local function number(v)
   v = arg.number_of(v)
   return v, v
end
local size = whole(0)
local function sizes(v)
   if torch.isStorage(v) then return true end
   return size(v)
end
local function of(class) return function(v) return utils.worksAs(v, class) end end

-- kind -> its name in messages, and the test of a value. A test of numbers also returns the converted number.
local kinds = {
   size = {'a whole number that is not negative', size},
   sizes = {'a whole number that is not negative, or a LongStorage', sizes},
   count = {'a whole number of at least 1', whole(1)},
   whole = {'a whole number', whole(-2 ^ 53)},
   place = {'a whole number that is not 0', place},
   number = {'a number', number},
   string = {'a string', function(v) return type(v) == 'string' end},
   key = {'a number or a key', function(v) return v == v end},
   tensor = {'a tensor', torch.isTensor},
   module = {'a module', of 'nn.Module'},
   criterion = {'a criterion', of 'nn.Criterion'},
}

-- A class declares the arguments of its constructor in order, as Class.__arguments = 'kW:count dW:count?': name:kind, with ? where
-- nil and false mean a default. An argument without a kind accepts any value, or the constructor checks it. So does the
-- constructor of a class that declares none.

-- 'kW:count dW:count?' as a list of {name, kind, optional}
local function parse(row)
   local list = {}
   for word in row:gmatch '%S+' do
      local name, kind, optional = word:match '^([%w_]+):?(%a*)(%??)$'
      assert(name and (kind == '' or kinds[kind]), word)
      list[#list + 1] = {name = name, kind = kinds[kind], optional = optional == '?'}
   end
   return list
end

-- __init with a check of its arguments. Messages name derived classes by their names.
local function checked(class, list, init)
   local function check(self, ...)
      arg.object(class, self)
      local given, n = nil, select('#', ...)                    -- all arguments, if one is converted to another number
      for i = 1, #list do
         local want, v = list[i], (select(i, ...))
         if want.kind and not (want.optional and not v) then
            local fits, taken = want.kind[2](v)
            if not fits then utils.refuse(torch.typename(self), want.name, 'be ' .. want.kind[1], arg.describe(v)) end
            if taken and taken ~= v then
               given = given or {...}
               given[i] = taken
            end
         end
      end
      if given then return errors.construct(init, self, unpack(given, 1, n)) end
      return errors.construct(init, self, ...)
   end
   arg.behind[check] = init
   return check
end

local arguments = {}

--- Makes the constructor of a class of nn check its arguments.
function arguments.guard(class)
   local init = rawget(class, '__init')
   if init then class.__init = checked(class.__typename, parse(rawget(class, '__arguments') or ''), init) end
end

return arguments
