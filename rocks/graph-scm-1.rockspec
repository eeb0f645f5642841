-- rocks/graph-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/graph-scm-1.rockspec
rockspec_format = "3.0"
package = "graph"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Directed graphs and pictures of them, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/graph "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
