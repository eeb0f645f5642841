-- lua/autograd/rules.lua - gradients written in Lua: for ops that declare none in C, and second derivatives.
--
-- A rule gets the arguments and results of the call by name and `g`, the gradient of the first result, and returns gradients
-- by the names of arguments. It calls functions of torch only, so that it can be taped for a higher derivative.
local torch = require 'torch'
local tape = require 'autograd.tape'
local number = require 'autograd.number'

local is_value, plain = tape.is_value, tape.plain
local rules = {}

local function times(x, s) return number.operate('mul', x, s) end

local function by(x, s) return is_value(s) and times(x, s) or torch.mul(x, s) end

-- ---- second derivatives: of ops with rules here that declare none ------------------------------------------------

-- An activation's gradient is linear in g; if the activation is piecewise linear, x does not matter.
local function straight(name, ...)
   local names = { ... }
   return function(env, g)
      local more = {}
      for i, k in ipairs(names) do more[i] = env[k] end
      return { g = torch[name](env.x, env.y, g, unpack(more)), x = torch.mul(g, 0), y = torch.mul(g, 0) }
   end
end

local function zeros(x)
   x = plain(x)
   return x.new():resizeAs(x):zero()
end

local function row_sum(x, env) return torch.sum(x, env.dim):expandAs(env.y) end

-- Rules of ops that are linear in g, as gradients of others use them.
rules.stated = {
   mean_all_grad = function() return {} end,                 -- x gives the size only
   nll_loss_grad = function() return {} end,
   sum_grad = function(env, g) return { g = torch.sum(g, env.dim) } end,
   mean_grad = function(env, g) return { g = torch.mean(g, env.dim) } end,
   index_grad = function(env, g) return { g = torch.index(g, env.dim, env.index) } end,
   gather_grad = function(env, g) return { g = torch.gather(g, env.dim, env.index) } end,
   pick_grad = function(env, g) return { g = torch.gather(g, env.dim, env.index) } end,
   mask_grad = function(env, g) return { g = torch.maskedSelect(g, env.mask) } end,
   relu_grad = straight 'relu_grad',
   threshold_grad = straight('threshold_grad', 'threshold', 'value'),
   leakyrelu_grad = straight('leakyrelu_grad', 'slope'),
   hardtanh_grad = straight('hardtanh_grad', 'min', 'max'),
   hardshrink_grad = straight('hardshrink_grad', 'lambda'),
   softshrink_grad = straight('softshrink_grad', 'lambda'),
   tanh_grad = function(env, g)
      return { g = torch.tanh_grad(env.x, env.y, g), y = torch.mul(torch.cmul(torch.cmul(g, env.g), env.y), -2) }
   end,
   sigmoid_grad = function(env, g)
      return { g = torch.sigmoid_grad(env.x, env.y, g),
         y = torch.cmul(torch.cmul(g, env.g), torch.add(torch.mul(env.y, -2), 1)) }
   end,
   softmax_grad = function(env, g)
      local own, other = row_sum(torch.cmul(env.y, env.g), env), row_sum(torch.cmul(env.y, g), env)
      return { g = torch.softmax_grad(env.y, g, env.dim),
         y = torch.csub(torch.csub(torch.cmul(g, env.g), torch.cmul(g, own)), torch.cmul(env.g, other)) }
   end,
   logsoftmax_grad = function(env, g)
      local p = torch.exp(env.y)
      local other = row_sum(torch.cmul(p, g), env)
      return { g = torch.csub(g, other), y = torch.neg(torch.cmul(torch.cmul(g, p), row_sum(env.g, env))) }
   end,
}

-- The gradients of a recurrent op, from the gradient of the input of its gates at each step: gx for all units, gq for those
-- that multiply the weight alone.
local function recurrent(name, gx, hp, gq)
   if tape.keep then tape.refuse('autograd: torch.%s declares no second derivative', name) end
   local sum = torch.sum(gx, 1):view(-1)
   local own = gq and gx:narrow(2, 1, 2 * gq:size(2)) or gx
   local weight = torch.mm(own:t(), hp)
   if not gq then return { x = gx, weight = weight, bias = sum } end
   return { x = gx, weight = torch.cat(weight, torch.mm(gq:t(), hp), 1), bias = torch.cat(sum, torch.sum(gq, 1):view(-1), 1) }
end

-- The gradient of a Fourier transform is linear in g, and its transpose is the transform: of this name by its kind.
local transforms = { [0] = 'fft', 'ifft', 'rfft', 'irfft', 'fft2', 'ifft2', 'rfft2', 'irfft2', 'fftn', 'ifftn', 'rfftn', 'irfftn' }
function rules.stated.fft_grad(env, g) return { g = torch[transforms[env.kind]](g, env.n, env.dim, env.norm) } end
function rules.stated.fftn_grad(env, g) return { g = torch[transforms[env.kind]](g, env.s, env.dim, env.norm) } end

-- Rules that cannot be stated, because the op adds to an existing tensor, or computes several gradients together.
rules.beside = {
   lstm = function(env, g)
      local gx, hp, gh0, gc0 = torch.lstm_grad(env.a, env.h, env.c, plain(g), env.places, plain(env.weight), env.reverse,
         plain(env.h0), plain(env.c0))
      local found = recurrent('lstm', gx, hp)
      found.h0, found.c0 = gh0, gc0
      return found
   end,
   gru = function(env, g)
      local gx, gq, hp, gh0 = torch.gru_grad(env.a, env.h, env.q, plain(g), env.places, plain(env.weight), env.reverse,
         plain(env.h0))
      local found = recurrent('gru', gx, hp, gq)
      found.h0 = gh0
      return found
   end,
   rnn = function(env, g)
      local gx, hp, gh0 = torch.rnn_grad(env.h, plain(g), env.places, plain(env.weight), env.relu, env.reverse, plain(env.h0))
      local found = recurrent('rnn', gx, hp)
      found.h0 = gh0
      return found
   end,
   conv2d = function(env, g, wanted)
      if not wanted.weight and not wanted.bias then return end
      if tape.keep then
         tape.refuse('autograd: torch.conv2d declares no second derivative by its arguments weight and bias')
      end
      local weight, bias = zeros(env.weight), env.bias and zeros(env.bias)
      if bias then
         torch.conv2d_grad_weight(weight, bias, env.x, g, 1, env.strideH, env.strideW, env.padH, env.padW, env.dilationH,
            env.dilationW, env.groups)
      else
         torch.conv2d_grad_weight(weight, nil, env.x, g, 1, env.strideH, env.strideW, env.padH, env.padW, env.dilationH,
            env.dilationW, env.groups)
      end
      return { weight = weight, bias = bias }
   end,
}

-- ---- ops that reduce all elements to a number -------------------------------------------------------------------

-- 1 where x is the extremum, 0 elsewhere.
local function at_extremum(env, g)
   local x = plain(env.x)
   return { x = by(torch.eq(x, plain(env[env.first])):typeAs(x), g) }
end

local function centred(x) return number.operate('sub', x, torch.mean(x)) end

local function power_of_norm(d, norm, p, g)
   if plain(norm) == 0 or p == 0 then return zeros(d) end
   if p == 2 then return by(d, g / norm) end
   local sign = torch.sign(plain(d))
   if p == 1 then return by(sign, g) end
   return by(torch.cmul(sign, torch.pow(torch.abs(d), p - 1)), g * norm ^ (1 - p))
end

-- For each element the product of the others, without a division by zero.
local function other_products(x)
   local flat = x:contiguous():view(-1)
   local n = flat:nElement()
   local before, after = flat.new(n):fill(1), flat.new(n):fill(1)
   if n > 1 then
      before:narrow(1, 2, n - 1):copy(torch.cumprod(flat:narrow(1, 1, n - 1), 1))
      after:narrow(1, 1, n - 1):copy(torch.flip(torch.cumprod(torch.flip(flat, 1):narrow(1, 1, n - 1), 1), 1))
   end
   return before:cmul(after):viewAs(x)
end

rules.stated.max, rules.stated.min = at_extremum, at_extremum
function rules.stated.var(env, g)
   local n = plain(env.x):nElement()
   return { x = by(centred(env.x), g * (2 / (env.biased and n or n - 1))) }
end
function rules.stated.std(env, g)
   local n = plain(env.x):nElement()
   return { x = by(centred(env.x), g / (env[env.first] * (env.biased and n or n - 1))) }
end
function rules.stated.norm(env, g) return { x = power_of_norm(env.x, env[env.first], env.p, g) } end
function rules.stated.dist(env, g)
   local gx = power_of_norm(torch.csub(env.x, env.y), env[env.first], env.p, g)
   return { x = gx, y = torch.neg(gx) }
end
function rules.stated.prod(env, g)
   if torch.all(torch.ne(plain(env.x), 0)) then
      return { x = by(torch.cinv(env.x), g * env[env.first]) }
   end
   if tape.keep then tape.refuse 'autograd: torch.prod has no second derivative where an element is 0' end
   return { x = by(other_products(plain(env.x)), g) }
end
function rules.stated.trace(env, g)
   local x = plain(env.x)
   return { x = by(torch.eye(x:size(1), x:size(2)):typeAs(x), g) }
end

-- ---- others --------------------------------------------------------------------------------------------------------

function rules.stated.diag(env, g)
   local x, k = plain(env.x), env.k
   if x:dim() == 1 then return { x = torch.diag(g, k) } end
   local rows, columns, n = x:size(1), x:size(2), plain(g):size(1)
   local above, left = math.max(-k, 0), math.max(k, 0)
   local function none(h, w) return x.new(h, w):zero() end
   local wide = torch.cat({ none(n, left), torch.diag(g), none(n, columns - left - n) }, 2)
   return { x = torch.cat({ none(above, columns), wide, none(rows - above - n, columns) }, 1) }
end

function rules.stated.addbmm(env, g)
   local a, b = env.a, env.b
   local size = plain(g):size()
   local each = torch.expand(torch.view(torch.contiguous(g), 1, size[1], size[2]), plain(a):size(1), size[1], size[2])
   return { m = torch.mul(g, env.beta), a = torch.mul(torch.bmm(each, torch.transpose(b, 2, 3)), env.alpha),
      b = torch.mul(torch.bmm(torch.transpose(a, 2, 3), each), env.alpha) }
end

function rules.stated.cumprod(env, g)
   if not torch.all(torch.ne(plain(env.x), 0)) then
      tape.refuse 'autograd: torch.cumprod has no derivative where an element is 0'
   end
   local sums = torch.flip(torch.cumsum(torch.flip(torch.cmul(g, env[env.first]), env.dim), env.dim), env.dim)
   return { x = torch.cdiv(sums, env.x) }
end

function rules.stated.bce_loss(env, g)
   local x, target = plain(env.x), plain(env.target)
   local gx
   if env.weight then
      gx = torch.bce_loss_grad(x, target, env.sizeAverage, plain(env.weight))
   else
      gx = torch.bce_loss_grad(x, target, env.sizeAverage)
   end
   if tape.keep then tape.refuse 'autograd: torch.bce_loss declares no second derivative' end
   return { x = by(gx, g) }
end

return rules
