-- rocks/dist-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/dist-scm-1.rockspec
rockspec_format = "3.0"
package = "dist"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Training across processes, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "nn", "optim" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/dist.lua lua/distributed lua/torchmpi lua/distlearn "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
