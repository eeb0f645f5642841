-- rocks/optim-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/optim-scm-1.rockspec
rockspec_format = "3.0"
package = "optim"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Optimizers for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "gnuplot" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/optim "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
