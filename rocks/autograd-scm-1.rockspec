-- rocks/autograd-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/autograd-scm-1.rockspec
rockspec_format = "3.0"
package = "autograd"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Gradients of Lua functions, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "nn", "optim" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/autograd "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
