-- test/support/patience.lua - patience(time): how long a spec may take or wait, on this machine.
--
-- Specs name times of a usual machine. TH_TEST_SLOW says how many times slower this one is, 1 by
-- default; `./dev cross` sets it for qemu.
local text = os.getenv 'TH_TEST_SLOW'
local factor = text == nil and 1 or tonumber(text)
if not (factor and factor >= 1 and factor <= 1e4) then
   error(("TH_TEST_SLOW must be a number in 1..10000, got '%s'"):format(text))
end

--- @param time  in any unit
--- @return the same times TH_TEST_SLOW
return function(time) return time * factor end
