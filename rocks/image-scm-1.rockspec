-- rocks/image-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/image-scm-1.rockspec
rockspec_format = "3.0"
package = "image"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Pictures for Torch: files, sizes, geometry, filters, colours",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "feed" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/image "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
