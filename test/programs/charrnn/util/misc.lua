-- test/programs/charrnn/util/misc.lua - a global for lists of tensors.

-- Copies of tensors, or zeros of their sizes.
function clone_list(list, zeros)
  local copy = {}
  for k, v in pairs(list) do
    copy[k] = v:clone()
    if zeros then copy[k]:zero() end
  end
  return copy
end
