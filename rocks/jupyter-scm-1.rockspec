-- rocks/jupyter-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/jupyter-scm-1.rockspec
rockspec_format = "3.0"
package = "jupyter"
version = "scm-1"
source = { url = "." }
description = {
   summary = "A Jupyter kernel for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "feed" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/jupyter "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
