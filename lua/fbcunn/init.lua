-- fbcunn - its layers are in nn and fbnn; this package loads them and cunn, for old scripts.
require 'cunn'
require 'fbnn'

local fbcunn = {}
package.loaded.fbcunn = fbcunn
return fbcunn
