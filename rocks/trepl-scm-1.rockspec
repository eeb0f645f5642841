-- rocks/trepl-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/trepl-scm-1.rockspec
rockspec_format = "3.0"
package = "trepl"
version = "scm-1"
source = { url = "." }
description = {
   summary = "The globals and colours of Torch7's prompt: comes with torch; this rock lets others depend on the name",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch" }
build = { type = "none" }
