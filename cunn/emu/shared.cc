// shared.cc - fills shared memory with garbage for each block, so that a kernel cannot read what another block has left.
//
// A __shared__ variable is a static variable of its function. The macro __shared__ puts a marker in front of it, which is another
// static variable of that function. The symbol table of the program has the addresses and sizes of both: their mangled names
// begin alike, _ZZ<function>E. A program without a symbol table (strip) has no garbage.
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>
#include "block.h"
#include "race.h"

namespace emu {

uint64_t this_block;

struct range { char *at; size_t bytes; };
struct shared_variables { std::vector<range> all; };

namespace {

const char MARK[] = "emu_declared_at_";
enum { GARBAGE = 0xcb };

/* Objects whose names begin with _ZZ: the static variables of functions. */
struct symbols {
  std::map<uintptr_t, std::string> name;
  std::map<std::string, range> by_name;
};

template <class T> std::vector<T> read_table(std::ifstream &f, uint64_t at, uint64_t bytes)
{
  std::vector<T> v((size_t)(bytes / sizeof(T)));
  f.seekg((std::streamoff)at);
  f.read(reinterpret_cast<char *>(v.data()), (std::streamsize)(v.size() * sizeof(T)));
  return v;
}

symbols read_symbols(const char *file, uintptr_t base)
{
  symbols out;
  std::ifstream f(file, std::ios::binary);
  ElfW(Ehdr) head;
  if (!f.read(reinterpret_cast<char *>(&head), sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return out;
  if (head.e_type != ET_DYN) base = 0;
  const auto sections = read_table<ElfW(Shdr)>(f, head.e_shoff, (uint64_t)head.e_shnum * sizeof(ElfW(Shdr)));
  for (const auto &s : sections) {
    if (s.sh_type != SHT_SYMTAB || s.sh_link >= sections.size()) continue;
    const auto table = read_table<ElfW(Sym)>(f, s.sh_offset, s.sh_size);
    auto text = read_table<char>(f, sections[s.sh_link].sh_offset, sections[s.sh_link].sh_size);
    if (!f) return out;
    text.push_back(0);
    for (const auto &sym : table) {
      const char *name = sym.st_name < text.size() ? &text[sym.st_name] : "";
      if ((sym.st_info & 0xf) != STT_OBJECT || strncmp(name, "_ZZ", 3) != 0 || !sym.st_size) continue;
      out.name[base + sym.st_value] = name;
      out.by_name[name] = { reinterpret_cast<char *>(base + sym.st_value), (size_t)sym.st_size };
    }
  }
  return out;
}

/* The program or library that holds an address, read once. */
const symbols &symbols_around(const void *p)
{
  static std::map<uintptr_t, symbols> known;
  Dl_info i;
  if (!dladdr(p, &i) || !i.dli_fname) return known[0];
  const uintptr_t base = (uintptr_t)i.dli_fbase;
  const auto at = known.find(base);
  if (at != known.end()) return at->second;
  symbols s = read_symbols(i.dli_fname, base);
  if (s.name.empty()) s = read_symbols("/proc/self/exe", base);        /* a program that was started by another name */
  return known[base] = std::move(s);
}

/* The static variables of the function that holds a marker, without the markers. */
shared_variables *variables_beside(const declaration &d)
{
  shared_variables *v = new shared_variables();
  const symbols &all = symbols_around(&d);
  const auto own = all.name.find((uintptr_t)&d);
  if (own == all.name.end()) return v;
  size_t end = own->second.rfind(MARK);
  while (end > 0 && own->second[end - 1] != 'E') end--;                /* the length of the marker's name precedes it */
  const std::string prefix = own->second.substr(0, end);
  for (auto at = all.by_name.lower_bound(prefix); at != all.by_name.end(); ++at) {
    if (at->first.compare(0, prefix.size(), prefix) != 0) break;
    if (at->first.find(MARK, prefix.size()) != std::string::npos) continue;
    v->all.push_back(at->second);
    watch(at->second.at, at->second.bytes);
  }
  return v;
}

}  // namespace

/* Markers of one function share their variables, and a thread may declare one after a neighbour has written to the other. So the
 * variables know the block that they were filled for. */
void fill_shared(declaration &d)
{
  static std::map<char *, uint64_t> filled;
  if (!d.all) d.all = variables_beside(d);
  d.block = this_block;
  for (const range &r : d.all->all) {
    uint64_t &block = filled[r.at];
    if (block == this_block) continue;
    block = this_block;
    fill_dynamic_shared(r.at, r.bytes);
  }
}

void fill_dynamic_shared(void *p, size_t bytes)
{
  memset(p, GARBAGE, bytes);
  forget_accesses(p, bytes);
}

}  // namespace emu
