-- test/programs/charrnn/util/OneHot.lua - class k becomes row k of an identity matrix. The class is a global.
local OneHot, parent = torch.class('OneHot', 'nn.Module')

function OneHot:__init(size)
  parent.__init(self)
  self.size = size
  self._eye = torch.eye(size)
end

function OneHot:updateOutput(input)
  self.output:resize(input:size(1), self.size)
  self.output:copy(self._eye:float():index(1, input:long()))
  return self.output
end
