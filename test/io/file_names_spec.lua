-- test/io/file_names_spec.lua - names of files that hold a byte 0: C ends a string there, so such a name would mean another file.
local ffi = require 'ffi'
local torch = require 'torch'
local paths = require 'paths'

ffi.cdef [[
int inotify_init1(int flags);
int inotify_add_watch(int fd, const char *path, uint32_t mask);
long read(int fd, void *to, size_t n);
int close(int fd);
]]

-- Whatever happens to names in the working folder: opened, made, removed, moved, changed.
local OPEN, MODIFY, MOVED, CREATE, DELETE, NONBLOCK = 0x20, 2, 0xc0, 0x100, 0x200, 2048

describe('a name with a byte 0', function()
   local BAD, dir, watch = 'a\0b', nil, nil
   local room = ffi.new 'char[4096]'
   -- The name as it stands, and with the extensions that some functions want.
   local function bad(extension) return dir .. '/' .. BAD .. (extension or '') end

   setup(function()
      dir = os.tmpname()
      os.remove(dir)
      assert(paths.mkdir(dir .. '/empty'))
      for _, name in ipairs { 'a', 'a.dot' } do
         local f = assert(io.open(dir .. '/' .. name, 'w'))
         f:write 'kept'
         f:close()
      end
      watch = ffi.C.inotify_init1(NONBLOCK)
      assert.is_true(watch >= 0)
      assert.is_true(ffi.C.inotify_add_watch(watch, dir, OPEN + MODIFY + MOVED + CREATE + DELETE) >= 0)
   end)
   teardown(function()
      ffi.C.close(watch)
      paths.rmall(dir, 'yes')
   end)

   -- The call must say that it is the byte 0 that it refuses, and must not touch the folder.
   local function refused(what, f, ...)
      local ok, why = pcall(f, ...)
      assert(not ok, what .. ' took it')
      why = tostring(why)
      assert(why:find 'byte 0' or why:find 'must be' or why:find 'must not', what .. ': ' .. why)
      assert(not why:find '%z', what .. ' has a byte 0 in its message')
      assert(ffi.C.read(watch, room, 4096) <= 0, what .. ' touched the folder')
   end

   it('is seen by the watch of this spec when it is not refused', function()
      assert.is_true(ffi.C.read(watch, room, 4096) <= 0)
      io.open(bad(), 'rb'):close()                          -- LuaJIT itself opens `a`
      assert.is_true(ffi.C.read(watch, room, 4096) > 0)
   end)

   it('is refused by torch', function()
      for _, mode in ipairs { 'r', 'w', 'rw' } do
         refused('DiskFile ' .. mode, torch.DiskFile, bad(), mode)
         refused('DiskFile, quiet', torch.DiskFile, bad(), mode, true)
         if mode ~= 'rw' then refused('PipeFile', torch.PipeFile, 'cat ' .. bad(), mode) end
      end
      for _, extension in ipairs { '', '.t7', '.npy', '.npz', '.safetensors' } do
         local object = extension == '.npy' and torch.ones(1) or { x = torch.ones(1) }
         refused('save', torch.save, bad(extension), object)
         refused('load', torch.load, bad(extension))
      end
      refused('save, ascii', torch.save, bad(), 1, 'ascii')
      refused('saveobj', torch.saveobj, bad(), 1)
      refused('loadobj', torch.loadobj, bad())
      refused('Storage', torch.FloatStorage, bad())
      refused('Storage, shared', torch.FloatStorage, bad(), true, 4)
      refused('loadlib', torch.loadlib, bad '.so')
      refused('loadlib', torch.loadlib, BAD)
      refused('packageLuaPath', torch.packageLuaPath, 'nn\0b')
      refused('include', torch.include, 'nn', BAD)
      refused('include', torch.include, BAD)
      refused('CmdLine:log', function() torch.CmdLine():log(bad()) end)
      refused('require', require 'torch.require'.require, 'nn\0b')
      refused('require', require 'torch.require'.require, './' .. BAD)
      refused('dofile', require 'torch.require'.dofile, bad())
   end)

   it('is refused by paths and sys', function()
      for _, name in ipairs { 'basename', 'dirname', 'extname', 'concat', 'thisfile', 'dofile', 'require', 'filep', 'dirp', 'dir',
         'files', 'iterdirs', 'iterfiles', 'mkdir', 'rmdir', 'findprogram' } do
         refused('paths.' .. name, paths[name], bad())
      end
      refused('paths.rmall', paths.rmall, bad(), 'yes')
      local sys = require 'sys'
      for _, name in ipairs { 'fexecute', 'execute', 'ls', 'll', 'la', 'lla' } do
         refused('sys.' .. name, sys[name], 'touch ' .. bad())
      end
   end)

   it('is refused by image and feed', function()
      local image, feed = require 'image', require 'feed'
      for _, name in ipairs { 'load', 'loadJPG', 'loadPNG', 'loadPPM', 'getSize', 'getJPGsize', 'getPNGsize', 'getPPMsize' } do
         refused('image.' .. name, image[name], bad())
      end
      for name, extension in pairs { save = '.ppm', saveJPG = '', savePNG = '', savePPM = '', savePGM = '' } do
         refused('image.' .. name, image[name], bad(extension), torch.ones(name == 'savePGM' and 1 or 3, 2, 2))
      end
      for _, name in ipairs { 'csv', 'folder', 'idx', 'image', 't7', 'lmdb', 'npy', 'records', 'text' } do
         refused('feed.' .. name, feed[name], bad())
      end
      refused('feed.pack', feed.pack, bad(), feed.list { 1 })
   end)

   it('is refused by the packages that write pictures, logs and graphs', function()
      local gnuplot, graph = require 'gnuplot', require 'graph'
      for _, name in ipairs { 'epsfigure', 'pngfigure', 'pdffigure', 'svgfigure', 'figprint', 'setgnuplotexe' } do
         refused('gnuplot.' .. name, gnuplot[name], bad '.svg')
      end
      local g = graph.Graph()
      g:add(graph.Node(1))
      refused('graph.dot', graph.dot, g, 'title', bad())
      refused('graph.graphvizFile', graph.graphvizFile, g, 'dot', bad '.svg')
      refused('optim.Logger', require 'optim'.Logger, bad())
      refused('optim.Logger, dated', require 'optim'.Logger, bad(), true)
      local xlua = require 'xlua'
      refused('xlua.log', xlua.log, bad())
      refused('xlua.installed', xlua.installed, 'nn\0b')
      refused('hdf5.open', require 'hdf5'.open, bad(), 'w')
      refused('loadcaffe.load', require 'loadcaffe'.load, bad(), bad())
      refused('text.load', require 'text'.load, bad '.json')
      refused('cwrap', function() require 'cwrap'.CInterface.new():tofile(bad()) end)
   end)

   it('leaves the file alone whose name it begins with', function()
      for _, name in ipairs { 'a', 'a.dot' } do
         local f = assert(io.open(dir .. '/' .. name))
         assert.equal('kept', f:read '*a')
         f:close()
      end
   end)
end)
