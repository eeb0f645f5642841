-- rocks/cunn-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/cunn-scm-1.rockspec
rockspec_format = "3.0"
package = "cunn"
version = "scm-1"
source = { url = "." }
description = {
   summary = "nn on GPUs, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "nn", "cutorch" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/cunn "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
