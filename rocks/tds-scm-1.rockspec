-- rocks/tds-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/tds-scm-1.rockspec
rockspec_format = "3.0"
package = "tds"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Hash tables, vectors and counters in C memory, shared by threads, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/tds "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
