-- rocks/xlua-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/xlua-scm-1.rockspec
rockspec_format = "3.0"
package = "xlua"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Progress bars, options and other helpers: comes with torch; this rock lets others depend on the name",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch" }
build = { type = "none" }
