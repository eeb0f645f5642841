-- rocks/fbcunn-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/fbcunn-scm-1.rockspec
rockspec_format = "3.0"
package = "fbcunn"
version = "scm-1"
source = { url = "." }
description = {
   summary = "The names of fbcunn, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "nn", "fbnn", "cunn" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/fbcunn "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
