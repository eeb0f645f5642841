-- rocks/nngraph-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/nngraph-scm-1.rockspec
rockspec_format = "3.0"
package = "nngraph"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Neural networks as graphs of nn modules, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "nn", "graph" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/nngraph "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
