-- lua/jupyter/start.lua - the program that Jupyter starts: th start.lua CONNECTION_FILE.
require 'jupyter.signals'.restart_if_ignored(arg[0], arg[1])
require 'jupyter'.main(arg[1])
