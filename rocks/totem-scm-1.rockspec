-- rocks/totem-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/totem-scm-1.rockspec
rockspec_format = "3.0"
package = "totem"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Tests for Torch: torch.Tester with a command line, and checks of nn modules",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "nn" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/totem "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
