-- feed.seed - random numbers that depend on a seed, an epoch and a sample only.
local bit = require 'bit'
local ffi = require 'ffi'
local torch = require 'torch'
local bxor, rshift = bit.bxor, bit.rshift
local u64 = ffi.typeof 'uint64_t'

local seed = {}

-- SplitMix64's step (Steele, Lea, Flood 2014): every bit of z flips half of the result's bits.
local function mix(z)
   z = z + 0x9e3779b97f4a7c15ULL
   z = bxor(z, rshift(z, 30)) * 0xbf58476d1ce4e5b9ULL
   z = bxor(z, rshift(z, 27)) * 0x94d049bb133111ebULL
   return bxor(z, rshift(z, 31))
end

--- A whole number below 2^53 for whole numbers from 0 on.
function seed.of(base, epoch, k)
   return tonumber(rshift(mix(bxor(mix(bxor(mix(u64(base)), u64(epoch))), u64(k))), 11))
end

--- The numbers 1..n in an order that depends on base, epoch and k, as a LongTensor.
function seed.permutation(n, base, epoch, k)
   local g = torch.Generator 'philox'
   torch.manualSeed(g, seed.of(base, epoch, k))
   return torch.randperm(torch.LongTensor(), g, n)
end

return seed
