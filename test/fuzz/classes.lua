-- test/fuzz/classes.lua - two classes for objects in .t7 files: one reads and writes its own parts, one does not.
local torch = require 'torch'

local classes = {}

local Own = torch.class('fuzz.Own', classes)
function Own:__init(inner) self.number, self.inner = 7, inner end
function Own:write(f)
   f:writeInt(self.number)
   f:writeObject(self.inner)
end
function Own:read(f)
   self.number = f:readInt()
   self.inner = f:readObject()
end

local Plain = torch.class('fuzz.Plain', classes)
function Plain:__init(fields) for k, v in pairs(fields) do self[k] = v end end

return classes
