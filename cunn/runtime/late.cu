// late.cu - reports what kernels find after their call has returned. Each thread of the host has a record for each device, so
// that no thread gets an error of another.
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>
#include "device.cuh"
#include "late.cuh"

namespace {

/* ---- arguments of ops, by number ---- */

struct origin { std::string op, arg; int rule, dtype; const char *what; };
std::mutex lock;
std::vector<origin> origins;
std::map<std::tuple<const char *, const char *, int, int, const char *>, uint32_t> numbers;

uint32_t number_of(const th_call *c, const th_bound *b)
{
  const char *arg = th_arg_name(c, b->arg);
  const int dtype = c->arg[b->arg].t->dtype;
  std::lock_guard<std::mutex> g(lock);
  const auto at = numbers.emplace(std::make_tuple(c->op->name, arg, b->rule, dtype, b->what), (uint32_t)origins.size());
  if (at.second) origins.push_back({ c->op->name, arg, b->rule, dtype, b->what });
  return at.first->second;
}

/* ---- records ---- */

constexpr size_t AT_ONCE = 32;
std::vector<th_cuda_found *> spare;

th_status take_record(th_cuda_found **r)
{
  th_relaxed mode;
  std::lock_guard<std::mutex> g(lock);
  if (spare.empty()) {
    void *p;
    TH_CUDA_TRY(cudaMallocHost(&p, AT_ONCE * sizeof **r));
    for (size_t i = 0; i < AT_ONCE; i++) spare.push_back(static_cast<th_cuda_found *>(p) + i);
  }
  *r = spare.back();
  spare.pop_back();
  memset(*r, 0, sizeof **r);
  return TH_OK;
}

std::string text_of(const th_cuda_found &found)
{
  char text[TH_BOUND_TEXT];
  origin from;
  {
    std::lock_guard<std::mutex> g(lock);
    from = origins[found.origin];
  }
  const th_bound b = { 0, from.rule, found.least, found.most, 0, found.columns, false, from.what };
  th_bound_text(text, &b, from.arg.c_str(), (int64_t)found.place, &found.element, from.dtype);
  return from.op + ": " + text;
}

/* calls: those of this thread that had something to check; told: the last one that was reported. */
struct watch { th_cuda_found *at; unsigned long long calls, told; };
struct watches {
  watch of[TH_MAXDEVICE] = {};
  int last = 0;                              /* the devices before it may have records */
  pid_t process = 0;
  std::string kept;                          /* a finding of a graph that is freed */
  ~watches();
};
thread_local watches mine;

bool is_new(const watch &w)
{
  if (!w.at) return false;
  const unsigned long long call = static_cast<const volatile th_cuda_found *>(w.at)->call;
  return call != 0 && call != w.told;
}

/* Other streams may still write the record: nothing runs on the device when it is read. */
th_status read(th_cuda_found *to, int device, watch *w)
{
  int before = 0;
  cudaGetDevice(&before);
  const th_status s = th_cuda_wait_device(device);
  cudaSetDevice(before);
  TH_TRY(s);
  *to = *w->at;
  w->told = to->call;
  return TH_OK;
}

/* The thread ends: what it has not waited for is printed, and its records become those of other threads. Work that does not end
 * soon, because it waits for other processes, keeps its record. */
constexpr double PATIENCE = 2;                /* seconds */
watches::~watches()
{
  if (process != getpid()) return;           /* a forked child has no device */
  for (int d = 0; d < last; d++) {
    th_cuda_found found;
    if (!of[d].at || !th_cuda_finishes(d, PATIENCE)) continue;
    if (is_new(of[d])) {
      found = *of[d].at;
      fprintf(stderr, "%s (found by CUDA device %d; the thread ended without waiting for it)\n", text_of(found).c_str(), d + 1);
    }
    std::lock_guard<std::mutex> g(lock);
    spare.push_back(of[d].at);
  }
  if (!kept.empty()) fprintf(stderr, "%s (found by a CUDA graph)\n", kept.c_str());
}

}  // namespace

th_status th_cuda_finder_of(th_cuda_finder *f, const th_call *c, const th_bound *b)
{
  *f = { nullptr, 1, 0, b->least, b->most, b->columns, 0 };
  if (th_cuda_records()) {
    TH_TRY(th_cuda_recorded->check(c->arg[b->arg].t, b, number_of(c, b), &f->at));
    f->origin = number_of(c, b);
    return TH_OK;
  }
  const int device = c->device - 1;
  watch &w = mine.of[device];
  if (!w.at) {
    TH_TRY(take_record(&w.at));
    mine.process = getpid();
    if (device >= mine.last) mine.last = device + 1;
    w.calls = w.told = 0;
  }
  f->at = w.at;
  f->call = ++w.calls;
  f->told = w.told;
  f->origin = number_of(c, b);
  return TH_OK;
}

th_status th_cuda_finder_in(th_cuda_finder *f, const th_call *c, int arg)
{
  const th_bound *b = th_bound_of(c, arg);
  if (b) return th_cuda_finder_of(f, c, b);
  *f = {};
  return TH_OK;
}

th_status th_cuda_refuse_found(const th_cuda_found &found, const char *when)
{
  const std::string text = text_of(found);
  th_enter(nullptr);
  return th_fail(TH_EARG, "%s%s", text.c_str(), when);
}

void th_cuda_keep_found(const th_cuda_found &found)
{
  mine.process = getpid();
  if (mine.kept.empty()) mine.kept = text_of(found);
}

static std::atomic<th_status (*)()> others;   /* of graphs */

void th_cuda_tell_also(th_status (*f)()) { others = f; }

th_status th_cuda_tell()
{
  const char *who = th_entered();
  const std::string when = std::string(" (found after the call, when ") + (who ? who : "a later call") +
                           " waited for the device; TH_CUDA_SYNC=1 finds it at once)";
  for (int d = 0; d < mine.last; d++) {
    th_cuda_found found;
    if (!is_new(mine.of[d])) continue;
    TH_TRY(read(&found, d, &mine.of[d]));
    return th_cuda_refuse_found(found, when.c_str());
  }
  if (!mine.kept.empty()) {
    const std::string text = mine.kept;
    mine.kept.clear();
    th_enter(nullptr);
    return th_fail(TH_EARG, "%s%s", text.c_str(), when.c_str());
  }
  th_status (*const f)() = others;
  return f ? f() : TH_OK;
}
