-- rocks/threads-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/threads-scm-1.rockspec
rockspec_format = "3.0"
package = "threads"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Pools of threads with Lua states of their own, mutexes and queues, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/threads "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
