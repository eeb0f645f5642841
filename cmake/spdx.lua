-- cmake/spdx.lua - the list of what an archive contains, as SPDX 2.3 in JSON: https://spdx.github.io/spdx-spec/v2.3.
local spdx = {}

-- SPDX's names of the licences of libraries that ./dev bundle copies, by Debian's package.
local LICENCES = {
   { '^libopenblas', 'BSD-3-Clause' }, { '^libluajit', 'MIT' }, { '^libedit', 'BSD-3-Clause' }, { '^libdnnl', 'Apache-2.0' },
   { '^zlib1g', 'Zlib' }, { '^libpng', 'libpng-2.0' }, { '^libjpeg%-turbo', 'IJG AND BSD-3-Clause AND Zlib' },
   { '^libturbojpeg', 'IJG AND BSD-3-Clause AND Zlib' }, { '^libwebp', 'BSD-3-Clause' }, { '^libsharpyuv', 'BSD-3-Clause' },
   { '^libbsd', 'BSD-3-Clause' }, { '^libmd', 'BSD-3-Clause' }, { '^libtinfo', 'X11' },
   { '^libgcc', 'GPL-3.0-or-later WITH GCC-exception-3.1' }, { '^libstdc', 'GPL-3.0-or-later WITH GCC-exception-3.1' },
   { '^libgfortran', 'GPL-3.0-or-later WITH GCC-exception-3.1' }, { '^libquadmath', 'LGPL-2.0-or-later' },
   { '^libgomp', 'GPL-3.0-or-later WITH GCC-exception-3.1' },
}

local function licence_of(package)
   for _, row in ipairs(LICENCES) do
      if package:find(row[1]) then return row[2] end
   end
   return 'NOASSERTION'
end

local function quoted(s)
   return '"' .. tostring(s):gsub('[%c"\\]', function(c) return ('\\u%04x'):format(c:byte()) end) .. '"'
end
local function id_of(name) return 'SPDXRef-' .. name:gsub('[^%w.-]', '-') end

local function package_of(id, name, version, licence, sum, file)
   return table.concat({
      '    {', '      "SPDXID": ' .. quoted(id) .. ',', '      "name": ' .. quoted(name) .. ',',
      '      "versionInfo": ' .. quoted(version) .. ',', '      "downloadLocation": "NOASSERTION",',
      '      "filesAnalyzed": false,',
      file and '      "packageFileName": ' .. quoted(file) .. ',' or nil,
   }, '\n') .. '\n' .. (sum and '      "checksums": [{ "algorithm": "SHA256", "checksumValue": ' .. quoted(sum) .. ' }],\n' or '')
      .. '      "licenseConcluded": ' .. quoted(licence) .. ',\n      "licenseDeclared": ' .. quoted(licence)
      .. ',\n      "copyrightText": "NOASSERTION"\n    }'
end

--- The text of the list.
-- @param version    Cresset's version
-- @param epoch      seconds since 1970, for the date of the list
-- @param libraries  a list of { file, package, version, sum }: sum is the file's SHA-256
function spdx.text(version, epoch, libraries)
   local packages = { package_of('SPDXRef-Cresset', 'Cresset', version, 'BSD-3-Clause') }
   local relations = {
      '    { "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-Cresset" }',
   }
   for _, l in ipairs(libraries) do
      local id = id_of(l.file)
      packages[#packages + 1] = package_of(id, l.package, l.version, licence_of(l.package), l.sum, l.file)
      relations[#relations + 1] = ('    { "spdxElementId": "SPDXRef-Cresset", "relationshipType": "CONTAINS", '
         .. '"relatedSpdxElement": %s }'):format(quoted(id))
   end
   local created = os.date('!%Y-%m-%dT%H:%M:%SZ', epoch)
   return table.concat({
      '{', '  "spdxVersion": "SPDX-2.3",', '  "dataLicense": "CC0-1.0",', '  "SPDXID": "SPDXRef-DOCUMENT",',
      '  "name": ' .. quoted('cresset-' .. version) .. ',',
      '  "documentNamespace": ' .. quoted(('urn:cresset:%s:%d'):format(version, epoch)) .. ',',
      '  "creationInfo": { "created": ' .. quoted(created) .. ', "creators": ["Tool: cresset-dev"] },',
      '  "packages": [', table.concat(packages, ',\n'), '  ],',
      '  "relationships": [', table.concat(relations, ',\n'), '  ]', '}', '' }, '\n')
end

return spdx
