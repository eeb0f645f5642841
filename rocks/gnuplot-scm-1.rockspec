-- rocks/gnuplot-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/gnuplot-scm-1.rockspec
rockspec_format = "3.0"
package = "gnuplot"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Plots of tensors by the program gnuplot, or as SVG files, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "paths" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/gnuplot "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
