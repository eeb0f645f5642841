-- rocks/loadcaffe-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/loadcaffe-scm-1.rockspec
rockspec_format = "3.0"
package = "loadcaffe"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Nets of Caffe as modules of nn, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "nn", "feed" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/loadcaffe "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
