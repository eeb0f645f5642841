-- lua/onnx/command.lua - the script that th-convert runs: nets of Torch7 as files of other programs.
os.exit(require 'onnx.convert'.main(arg))
