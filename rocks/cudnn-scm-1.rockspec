-- rocks/cudnn-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/cudnn-scm-1.rockspec
rockspec_format = "3.0"
package = "cudnn"
version = "scm-1"
source = { url = "." }
description = {
   summary = "The names of cudnn.torch, for layers of nn",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "nn" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/cudnn "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
