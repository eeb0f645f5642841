-- rocks/onnx-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/onnx-scm-1.rockspec
rockspec_format = "3.0"
package = "onnx"
version = "scm-1"
source = { url = "." }
description = {
   summary = "ONNX models: reading, running, and as modules of nn, for Torch",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch", "nn", "nngraph", "autograd", "feed", "image" }
build = {
   type = "command",
   install_command = 'mkdir -p "$(LUADIR)" && cp -R lua/onnx "$(LUADIR)"',
}
test = { type = "command", command = "./dev test" }
