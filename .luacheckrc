-- .luacheckrc - what luacheck may expect of our files.
std = 'luajit'
max_line_length = false                       -- ./dev check looks at lines
globals = { 'torch', 'nn', 'optim', 'paths', 'sys', 'xlua', 'graph', 'nngraph', 'autograd', 'fbnn', 'cudnn', 'dist', 'include', 'cutorch', 'gnuplot', 'hdf5', 'loadcaffe', 'onnx', 'jupyter' }
ignore = {
   '212/self', '212/_.*',                     -- methods need not use self
   '431', '432',                              -- an upvalue's name may be reused
}
files['test/'] = { std = '+busted', globals = { 'torch', 'nn', 'arg', 'io', 'specpkg' } }
files['test/programs/*/'] = { std = 'luajit', allow_defined = true, module = false,             -- scripts with globals
                              globals = { 'torch', 'nn', 'optim', 'paths', 'xlua', 'image', 'path', 'dir', 'lapp', 'tablex', 'stringx', 'OneHot', 'Provider', 'dataLoader' } }
files['lua/torch'] = { globals = { 'table', 'string' } }
files['rocks/*.rockspec'] = { std = 'none', globals = { 'rockspec_format', 'package', 'version', 'source', 'description', 'dependencies', 'build', 'deploy', 'test' } }
files['.luacheckrc'] = { std = 'luacheckrc' }
files['.busted'] = { std = 'none' }
