-- torch.front_end - where pictures and plots go. A front end such as a notebook sets `show`; image and gnuplot call it.
local M = {}

--- show(bundle, key): shows a table from kinds of contents (MIME types) to their bytes, such as ['image/png'] and
-- ['text/plain']. What is shown again with an equal key, during one input, takes the place of the former. nil: there is no
-- front end.
M.show = nil

return M
