// race.cc - finds data races of kernels: the accesses that each word has seen, and what a GPU orders.
//
// Two accesses of a byte race if one of them writes, not both are atomic, and nothing orders them. A GPU orders
//   - the threads of a block by barriers, and lanes of a warp where they meet;
//   - the blocks of one kernel by nothing;
//   - kernels and copies by their stream, by events that streams wait for, and by the waits of the host.
// A word keeps its last accesses, four at most, as ThreadSanitizer does. A race whose first access has been replaced is missed.
#include "race.h"
#ifdef TH_EMU_RACES
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <string>

namespace emu {

bool found_races;

namespace {

enum { WRITES = 1, ATOMIC = 2, KEPT = 4, WORD = 8, PAGE_BITS = 12, WORDS = (1 << PAGE_BITS) / WORD, LEVEL_BITS = 18 };

struct cell {
  uint32_t step, block, clock, pc;   /* pc: from the beginning of this library on */
  uint16_t thread, barrier;
  uint8_t mask, how;                 /* the bytes of the word; mask 0: no access */
};
struct page {
  uint8_t watched[WORDS];            /* masks of bytes */
  cell (*cells)[KEPT];               /* NULL: nothing was accessed */
};

/* A kernel, copy or fill; or what the host does between two things that it waits for or puts into streams. */
struct step { moment at; const char *name; };

page **table[(size_t)1 << LEVEL_BITS];
std::vector<step> steps(1);
times host_knows;
uint32_t host_step;
std::atomic_flag busy = ATOMIC_FLAG_INIT;
thread_local const work *doing;
thread_local const progress *as;

struct guard_spin {
  guard_spin() { while (busy.test_and_set(std::memory_order_acquire)) {} }
  ~guard_spin() { busy.clear(std::memory_order_release); }
};

/* value: what the word held before the later access. */
struct finding { cell before, now; uintptr_t address; uint64_t value; };
std::vector<finding> findings;

uintptr_t base()
{
  static uintptr_t b;
  Dl_info i;
  if (!b && dladdr(reinterpret_cast<const void *>(&found_races), &i)) b = (uintptr_t)i.dli_fbase;
  return b;
}

page *page_of(uintptr_t a, bool makes)
{
  const uintptr_t n = a >> PAGE_BITS, high = n >> LEVEL_BITS, low = n & (((uintptr_t)1 << LEVEL_BITS) - 1);
  if (high >> LEVEL_BITS) return nullptr;
  page **&level = table[high];
  if (!level) {
    if (!makes) return nullptr;
    level = static_cast<page **>(calloc((size_t)1 << LEVEL_BITS, sizeof *level));
  }
  if (level && !level[low] && makes) level[low] = static_cast<page *>(calloc(1, sizeof(page)));
  return level ? level[low] : nullptr;
}

/* Calls f(page, word, mask of bytes, address of the word) for the words of a range that lie in known pages. */
template <class F> void each_word(uintptr_t a, size_t bytes, bool makes, F f)
{
  const uintptr_t end = a + bytes;
  page *p = nullptr;
  uintptr_t of = ~(uintptr_t)0;
  while (a < end) {
    const uintptr_t word = a & ~(uintptr_t)(WORD - 1), next = std::min(end, word + WORD);
    if (a >> PAGE_BITS != of) {
      of = a >> PAGE_BITS;
      p = page_of(a, makes);
      if (!p) {
        a = (of + 1) << PAGE_BITS;
        continue;
      }
    }
    const unsigned mask = ((1u << (next - a)) - 1) << (a - word);
    f(*p, (word >> 3) & (WORDS - 1), (uint8_t)mask, word);
    a = next;
  }
}

uint32_t now_in_step()
{
  if (doing) return doing->number;
  if (!host_step) {
    host_step = (uint32_t)steps.size();
    steps.push_back({ { 0, host_knows.at(0) + 1 }, "the host" });
  }
  return host_step;
}

/* Whether an earlier access is ordered before the current one, which is not of the same thread and step. */
bool is_ordered(const cell &before, const cell &now)
{
  if (before.step == now.step) {
    if (before.block != now.block) return false;
    if (before.barrier != now.barrier) return true;
    return as && before.thread / WARP == now.thread / WARP && as->clock[before.thread % WARP] >= before.clock;
  }
  const moment at = steps[before.step].at, mine = steps[now.step].at;
  if (at.stream == mine.stream) return true;
  return doing ? doing->known->know(at) : host_knows.know(at);
}

/* Looks for a race with the accesses that the word keeps, and keeps this one. */
void access_word(cell (&kept)[KEPT], const cell &now, uintptr_t address)
{
  static unsigned turn;
  int slot = -1;
  for (int i = 0; i < KEPT; i++) {
    cell &c = kept[i];
    if (!c.mask) {
      if (slot < 0) slot = i;
      continue;
    }
    if (!(c.mask & now.mask)) continue;
    const bool same = c.step == now.step && c.block == now.block && c.thread == now.thread;
    if (!same && !is_ordered(c, now)) {
      const bool races = ((c.how | now.how) & WRITES) && !(c.how & now.how & ATOMIC);
      if (races) findings.push_back({ c, now, address, *reinterpret_cast<uint64_t *>(address) });
      continue;
    }
    const bool covers = (c.mask & ~now.mask) == 0 && ((now.how & WRITES) || !(c.how & WRITES)) && !(now.how & ~c.how & ATOMIC);
    if (covers) slot = slot >= 0 && !kept[slot].mask ? slot : i;
    if (covers && slot != i) c.mask = 0;
  }
  kept[slot >= 0 ? slot : turn++ % KEPT] = now;
}

void access(uintptr_t a, size_t bytes, uint8_t how, uintptr_t pc)
{
  page *first = page_of(a, false);
  if (!first && a >> PAGE_BITS == (a + bytes - 1) >> PAGE_BITS) return;
  guard_spin g;
  const size_t before = findings.size();
  cell now = { 0, as ? as->block : 0, as ? as->clock[as->thread % WARP] : 0, (uint32_t)(pc - base()), 0, 0, 0, how };
  if (as) now.thread = (uint16_t)as->thread, now.barrier = (uint16_t)as->barrier;
  each_word(a, bytes, false, [&](page &p, size_t w, uint8_t mask, uintptr_t word) {
    now.mask = mask & p.watched[w];
    if (!now.mask) return;
    if (!p.cells) p.cells = static_cast<cell (*)[KEPT]>(calloc(WORDS, sizeof *p.cells));
    if (!p.cells) return;
    now.step = now_in_step();
    access_word(p.cells[w], now, word);
  });
  if (findings.size() > before + 1) findings.resize(before + 1);
}

/* ---- reports ---- */

/* The function and line of an address, by addr2line where it is installed. */
std::string place_of(uint32_t pc)
{
  Dl_info i;
  char command[4400], text[512] = "";
  if (!pc || !dladdr(reinterpret_cast<const void *>(base() + pc - 1), &i)) return "the runtime";
  char file[4096];
  const ssize_t n = readlink("/proc/self/exe", file, sizeof file - 1);
  file[n > 0 ? n : 0] = 0;
  const bool program = ::access(i.dli_fname, R_OK) != 0;
  snprintf(command, sizeof command, "addr2line -Cfpse '%s' 0x%x 2>/dev/null", program ? file : i.dli_fname, pc - 1);
  if (FILE *f = popen(command, "r")) {
    if (!fgets(text, sizeof text, f)) text[0] = 0;
    pclose(f);
  }
  text[strcspn(text, "\n")] = 0;
  return text[0] ? text : i.dli_sname ? i.dli_sname : "an unknown function";
}

step step_of(const cell &c)
{
  guard_spin g;
  return steps[c.step];
}

void describe(const char *when, const cell &c)
{
  const step s = step_of(c);
  const char *how = c.how & ATOMIC ? "atomic access" : c.how & WRITES ? "write" : "read";
  fprintf(stderr, "  %s: %s by ", when, how);
  if (s.at.stream == 0) fprintf(stderr, "the host");
  else fprintf(stderr, "thread %u of block %u of %s, stream %u", c.thread, c.block, s.name, s.at.stream);
  fprintf(stderr, ", in %s\n", place_of(c.pc).c_str());
}

/* Whether threads of one kernel have written the same value, as those of indexFill do for an index that comes twice. */
bool is_same_value(const finding &f)
{
  if (!(f.before.how & f.now.how & WRITES) || f.before.step != f.now.step) return false;
  const uint64_t differs = f.value ^ *reinterpret_cast<uint64_t *>(f.address);
  for (int i = 0; i < WORD; i++) {
    if ((f.before.mask & f.now.mask) >> i & 1 && reinterpret_cast<const uint8_t *>(&differs)[i]) return false;
  }
  return true;
}

/* Prints each pair of places once. */
void print_findings()
{
  static std::set<std::pair<uint32_t, uint32_t>> known;
  static std::recursive_mutex lock;
  const std::lock_guard<std::recursive_mutex> alone(lock);
  std::vector<finding> all;
  {
    guard_spin g;
    all.swap(findings);
  }
  for (const finding &f : all) {
    if (is_same_value(f)) continue;
    found_races = true;
    if (!known.insert({ f.before.pc, f.now.pc }).second) continue;
    fprintf(stderr, "emulated CUDA device: data race at %#llx\n", (unsigned long long)f.address);
    describe("first", f.before);
    describe("then", f.now);
  }
}

void access_here(const void *p, size_t bytes, uint8_t how, void *pc)
{
  access((uintptr_t)p, bytes, how, (uintptr_t)pc);
  if (!doing && !findings.empty()) print_findings();
}

}  // namespace

/* ---- called by the emulated device ---- */

void watch(void *p, size_t bytes)
{
  guard_spin g;
  each_word((uintptr_t)p, bytes, true, [](page &q, size_t w, uint8_t mask, uintptr_t) { q.watched[w] |= mask; });
}

void forget_accesses(void *p, size_t bytes)
{
  guard_spin g;
  each_word((uintptr_t)p, bytes, false, [](page &q, size_t w, uint8_t mask, uintptr_t) {
    if (q.cells) for (cell &c : q.cells[w]) c.mask &= (uint8_t)~mask;
  });
}

void unwatch(void *p, size_t bytes)
{
  forget_accesses(p, bytes);
  guard_spin g;
  each_word((uintptr_t)p, bytes, false, [](page &q, size_t w, uint8_t mask, uintptr_t) { q.watched[w] &= (uint8_t)~mask; });
}

void access_range(const void *p, size_t bytes, bool writes) { access((uintptr_t)p, bytes, writes ? WRITES : 0, base()); }
void atomic_access(const void *p, size_t bytes) { access_here(p, bytes, WRITES | ATOMIC, __builtin_return_address(0)); }

work::work(moment m, std::shared_ptr<const times> k, const char *n) : at(m), known(std::move(k)), name(n), number(0), outer(doing)
{
  doing = this;
  next_step(n);
}
work::~work()
{
  doing = outer;
  if (!findings.empty()) print_findings();
}

void next_step(const char *name)
{
  guard_spin g;
  if (!doing) return;
  const_cast<work *>(doing)->number = (uint32_t)steps.size();
  steps.push_back({ doing->at, name });
}

void host_has_learned(const times &t)
{
  guard_spin g;
  host_knows = t;
  host_step = 0;
}

void run_as(const progress *p) { as = p; }

}  // namespace emu

/* ---- called by instrumented code: the interface of ThreadSanitizer's library. Hidden, so that they stay in this library ---- */

#define HIDDEN extern "C" __attribute__((visibility("hidden")))
#define HERE __builtin_return_address(0)
#define SIZED(n) \
  HIDDEN void __tsan_read##n(void *p) { emu::access_here(p, n, 0, HERE); } \
  HIDDEN void __tsan_write##n(void *p) { emu::access_here(p, n, emu::WRITES, HERE); } \
  HIDDEN void __tsan_unaligned_read##n(void *p) { emu::access_here(p, n, 0, HERE); } \
  HIDDEN void __tsan_unaligned_write##n(void *p) { emu::access_here(p, n, emu::WRITES, HERE); } \
  HIDDEN void __tsan_volatile_read##n(void *p) { emu::access_here(p, n, emu::ATOMIC, HERE); } \
  HIDDEN void __tsan_volatile_write##n(void *p) { emu::access_here(p, n, emu::WRITES | emu::ATOMIC, HERE); } \
  HIDDEN void __tsan_unaligned_volatile_read##n(void *p) { emu::access_here(p, n, emu::ATOMIC, HERE); } \
  HIDDEN void __tsan_unaligned_volatile_write##n(void *p) { emu::access_here(p, n, emu::WRITES | emu::ATOMIC, HERE); }
SIZED(1) SIZED(2) SIZED(4) SIZED(8) SIZED(16)
HIDDEN void __tsan_read_range(void *p, size_t n) { emu::access_here(p, n, 0, HERE); }
HIDDEN void __tsan_write_range(void *p, size_t n) { emu::access_here(p, n, emu::WRITES, HERE); }
HIDDEN void __tsan_init() {}
HIDDEN void __tsan_func_entry(void *) {}
HIDDEN void __tsan_func_exit() {}
HIDDEN void __tsan_vptr_update(void *, void *) {}
HIDDEN void __tsan_vptr_read(void *) {}

/* Atomics of the host's code, of which the strongest order serves all. */
#define ATOMICS(bits) \
  typedef uint##bits##_t a##bits; \
  HIDDEN a##bits __tsan_atomic##bits##_load(const volatile a##bits *p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
  HIDDEN void __tsan_atomic##bits##_store(volatile a##bits *p, a##bits v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); } \
  RMW(bits, exchange, exchange_n) RMW(bits, fetch_add, fetch_add) RMW(bits, fetch_sub, fetch_sub) \
  RMW(bits, fetch_and, fetch_and) RMW(bits, fetch_or, fetch_or) RMW(bits, fetch_xor, fetch_xor) \
  CAS(bits, strong) CAS(bits, weak)
#define RMW(bits, name, op) \
  HIDDEN a##bits __tsan_atomic##bits##_##name(volatile a##bits *p, a##bits v, int) \
  { \
    return __atomic_##op(p, v, __ATOMIC_SEQ_CST); \
  }
#define CAS(bits, name) \
  HIDDEN int __tsan_atomic##bits##_compare_exchange_##name(volatile a##bits *p, a##bits *want, a##bits v, int, int) \
  { \
    return __atomic_compare_exchange_n(p, want, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
ATOMICS(8) ATOMICS(16) ATOMICS(32) ATOMICS(64)
HIDDEN void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
HIDDEN void __tsan_atomic_signal_fence(int) {}
#endif
