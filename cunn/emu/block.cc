// block.cc - runs the threads of a block, one after another until they wait for each other.
//
// A fiber runs thread after thread. A thread that reaches a barrier keeps its fiber, and another fiber continues with the next
// thread. So kernels without barriers are a plain loop in one fiber, without help from the compiler.
#include "block.h"
#include <stdio.h>
#include <stdlib.h>
#include <algorithm>
#include <vector>
#include "fiber.h"
#include "race.h"

namespace emu {

place now;

enum state { READY, AT_BARRIER, AT_MEETING, FAILED, DONE };

struct thread {
  uint3 index;
  state at;
  fiber *on;                         /* while it waits */
  line barrier;                      /* where it waits, if it is AT_BARRIER */
  unsigned mask;                     /* the lanes that it waits for */
  bool yes;
  uint64_t mine, seen[WARP];
  progress known;
};

static struct {
  const std::function<void()> *kernel;
  std::vector<thread> threads;
  std::vector<int> order;
  size_t count, begun, done;
  int current, yes;                  /* how many said yes at the last barrier */
  unsigned number;                   /* of the block in its grid */
  void *shared;
  size_t shared_bytes;
  const char *wrong;                 /* the message of a thread that has failed */
} block;

static std::vector<fiber *> idle;
static uint64_t seed;

void set_order(uint64_t s) { seed = s; }

static uint64_t draw()
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

template <class T> static void shuffle(std::vector<T> &v)
{
  for (size_t i = v.size(); i > 1; i--) std::swap(v[i - 1], v[draw() % i]);
}

/* ---- called by kernels ---- */

int lane() { return block.current % WARP; }
void *dynamic_shared() { return block.shared; }

static void become(int t)
{
  block.current = t;
  now.thread = block.threads[(size_t)t].index;
  run_as(&block.threads[(size_t)t].known);
}

static fiber *running;               /* NULL: the host's own stack */

static void wait(state s)
{
  const int t = block.current;
  fiber *f = running;
  block.threads[(size_t)t].at = s;
  block.threads[(size_t)t].on = f;
  fiber_leave(f);
  become(t);
}

int barrier(bool yes, line at)
{
  thread &t = block.threads[(size_t)block.current];
  t.yes = yes;
  t.barrier = at;
  wait(AT_BARRIER);
  return block.yes;
}

const uint64_t *meet(unsigned mask, uint64_t mine)
{
  thread &t = block.threads[(size_t)block.current];
  t.mask = mask;
  t.mine = mine;
  wait(AT_MEETING);
  return t.seen;
}

bool in_kernel() { return running != nullptr; }

void fail(const char *message)
{
  static char text[512];
  snprintf(text, sizeof text, "thread %d of block %u: %s", block.current, now.block.x, message);
  block.wrong = text;
  wait(FAILED);
  abort();                           /* its fiber is freed */
}

/* ---- scheduling ---- */

static void body(fiber *f)
{
  for (;;) {
    while (block.begun < block.count) {
      const int t = block.order[block.begun++];
      begin_thread(block.threads[(size_t)t].known, block.number, (unsigned)t);
      become(t);
      (*block.kernel)();
      block.threads[(size_t)block.current].at = DONE;
      block.done++;
    }
    idle.push_back(f);
    fiber_leave(f);
  }
}

static void resume(fiber *f)
{
  running = f;
  fiber_enter(f);
  running = nullptr;
  run_as(nullptr);
}

/* Starts all threads, unless one fails. */
static bool begin_all()
{
  while (block.begun < block.count && !block.wrong) {
    fiber *f = nullptr;
    if (idle.empty()) {
      f = fiber_new(body);
      if (!f) return false;
    } else {
      f = idle.back();
      idle.pop_back();
    }
    resume(f);
  }
  return true;
}

/* Releases the lanes of a warp that have all arrived, with the values of each. */
static void release_warp(size_t first, std::vector<int> &ready)
{
  const size_t n = std::min<size_t>(WARP, block.count - first);
  unsigned alive = 0, met = 0;
  for (size_t l = 0; l < n; l++) {
    if (block.threads[first + l].at != DONE) alive |= 1u << l;
    if (block.threads[first + l].at == AT_MEETING) met |= 1u << l;
  }
  for (size_t l = 0; l < n; l++) {
    if (!(met >> l & 1)) continue;
    const unsigned mask = block.threads[first + l].mask, group = mask & alive;
    bool all = (group & ~met) == 0 && (group >> l & 1);
    for (size_t k = 0; k < n && all; k++) if (group >> k & 1) all = block.threads[first + k].mask == mask;
    if (!all) continue;
    pass_meeting(group, [=](int k) -> progress & { return block.threads[first + (size_t)k].known; });
    for (size_t k = 0; k < n; k++) {
      if (!(group >> k & 1)) continue;
      thread &t = block.threads[first + k];
      for (size_t j = 0; j < n; j++) t.seen[j] = group >> j & 1 ? block.threads[first + j].mine : t.mine;
      t.at = READY;
      ready.push_back((int)(first + k));
    }
    met &= ~group;
  }
}

/* The threads that may continue: lanes that have met, else all threads if all are at the barrier. Returns whether a barrier
 * has released them. */
static bool release(std::vector<int> &ready)
{
  size_t at_barrier = 0;
  for (size_t first = 0; first < block.count; first += WARP) release_warp(first, ready);
  if (!ready.empty()) return false;
  for (const thread &t : block.threads) at_barrier += t.at == AT_BARRIER;
  if (at_barrier == 0 || at_barrier + block.done < block.count) return false;
  block.yes = 0;
  for (size_t t = 0; t < block.count; t++) {
    thread &th = block.threads[t];
    if (th.at != AT_BARRIER) continue;
    block.yes += th.yes;
    pass_barrier(th.known);
    th.at = READY;
    ready.push_back((int)t);
  }
  return true;
}

/* Drops threads that cannot continue. */
static const char *drop(const char *why)
{
  for (thread &t : block.threads) if (t.at != DONE && t.on) fiber_free(t.on);
  return why;
}
static const char *stuck()
{
  return drop("threads of a block wait for each other for ever: not all of them reach the barrier, or the lanes of a mask");
}

/* The threads that a barrier has released came from different lines. A GPU may release them too, or deadlock. */
static const char *divergent(const std::vector<int> &ready)
{
  static char text[512];
  const int first = *std::min_element(ready.begin(), ready.end());
  const line a = block.threads[(size_t)first].barrier;
  for (int t : ready) {
    const line b = block.threads[(size_t)t].barrier;
    if (b.number == a.number && !strcmp(b.file, a.file)) continue;
    snprintf(text, sizeof text, "threads of a block meet at different barriers: thread %d at %s:%d, thread %d at %s:%d", first,
             a.file, a.number, t, b.file, b.number);
    return drop(text);
  }
  return nullptr;
}

static const char *run_block()
{
  std::vector<int> ready;
  block.begun = block.done = 0;
  this_block++;
  fill_dynamic_shared(block.shared, block.shared_bytes);
  block.wrong = nullptr;
  for (thread &t : block.threads) t.at = READY, t.on = nullptr;
  if (seed) shuffle(block.order);
  if (!begin_all()) return "no memory left for a stack";
  while (block.done < block.count) {
    if (block.wrong) return drop(block.wrong);
    ready.clear();
    const bool by_barrier = release(ready);
    if (ready.empty()) return stuck();
    const char *wrong = by_barrier ? divergent(ready) : nullptr;
    if (wrong) return wrong;
    if (seed) shuffle(ready);
    for (int t : ready) if (!block.wrong) resume(block.threads[(size_t)t].on);
  }
  return nullptr;
}

static void prepare(dim3 threads)
{
  block.count = (size_t)threads.x * threads.y * threads.z;
  block.threads.resize(block.count);
  block.order.resize(block.count);
  for (size_t t = 0; t < block.count; t++) {
    const unsigned i = (unsigned)t;
    block.threads[t].index = { i % threads.x, i / threads.x % threads.y, i / threads.x / threads.y };
    block.order[t] = (int)t;
  }
}

const char *run_grid(dim3 blocks, dim3 threads, size_t shared, const std::function<void()> &kernel)
{
  const uint64_t n = (uint64_t)blocks.x * blocks.y * blocks.z;
  const char *wrong = nullptr;
  std::vector<uint64_t> order;
  prepare(threads);
  block.kernel = &kernel;
  if (posix_memalign(&block.shared, 128, shared ? shared : 1) != 0) return "no memory left for shared memory";
  block.shared_bytes = shared;
  watch(block.shared, shared);
  now.threads = threads;
  now.blocks = blocks;
  if (seed) {
    order.resize(n);
    for (uint64_t i = 0; i < n; i++) order[i] = i;
    shuffle(order);
  }
  for (uint64_t k = 0; k < n && !wrong; k++) {
    const uint64_t i = seed ? order[k] : k;
    block.number = (unsigned)i;
    now.block = { (unsigned)(i % blocks.x), (unsigned)(i / blocks.x % blocks.y), (unsigned)(i / blocks.x / blocks.y) };
    wrong = run_block();
  }
  unwatch(block.shared, shared);
  free(block.shared);
  return wrong;
}

}  // namespace emu
