---@meta jupyter
-- types/jupyter.lua - written by ./dev docs from the sources; do not edit.

---@class jupyter
jupyter = {}

--- Removes what the cell that runs has shown so far.
---@param wait? boolean whether it stays until the cell shows something else, so that the page does not flicker (default false)
---@return any
function jupyter.clear(wait) end

--- Shows a value below the cell that runs: a small tensor as a table, a picture of image.display, anything else as the prompt does.
---@param data any any value; with mime, a string of bytes
---@param mime any the kind of the contents: 'text/html', 'image/png', 'image/svg+xml', 'text/markdown', 'text/latex', ...
---@return any
function jupyter.display(data, mime) end

--- Asks the reader of the notebook for a line, as io.read does, with a text in front of it.
---@param prompt? string the text (default '')
---@param password? boolean whether the line is hidden while it is typed (default false)
---@return any # the line
---@return any ...
function jupyter.input(prompt, password) end

--- Writes the kernelspec, so that Jupyter offers the kernel: kernel.json in the folder kernels/<name> of JUPYTER_DATA_DIR, else of $XDG_DATA_HOME/jupyter, else ...
---@param name? string the name of the kernel: small letters, digits, '.', '_' and '-' (default 'cresset')
---@param options? any { folder = , display = }: another folder of data of Jupyter, and the name that menus show ('Cresset (Lua)')
---@return any # the folder of the kernelspec
function jupyter.install(name, options) end

--- Runs a kernel until a front end ends it.
---@param file any the connection file
---@return any
function jupyter.main(file) end

return jupyter
