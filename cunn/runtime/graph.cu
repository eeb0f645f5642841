// graph.cu - graphs: what a thread gives its device is recorded once, and launched as a whole as often as it is wanted.
//
// Everything that the recorded work touches must stay where it is. Memory that tensors take while a thread records is the graph's
// own; all other memory that a kernel reads or writes is kept from the moment it is given back until the graph is gone.
#include <stdio.h>
#include <string.h>
#include <mutex>
#include "graph.cuh"
#include "graph_memory.cuh"
#include "graph_state.cuh"

enum : size_t { MOST_CHECKS = 1024, SMALL_WORKSPACE = 4 << 20, LARGE_WORKSPACE = 32 << 20 };

// ---- what kernels work on -----------------------------------------------------------------------------------------------

static th_status look_at(th_cuda_graph *g, const th_tensor *t, bool result)
{
  if (!t || t->dtype == TH_NONE || !t->storage || !t->storage->data) return TH_OK;
  if (t->device == TH_CPU) return TH_OK;
  if (t->device - 1 != g->device) return th_cuda_cannot_record("it works on another device");
  th_cuda_graph_use(g, t->storage);
  if (result) {
    const input_memory *r = th_cuda_graph_input_at(g, static_cast<const char *>(t->storage->data));
    if (r) return th_cuda_cannot_record(("it changes " + r->name + "; change a copy, or what is no argument").c_str());
    g->written.insert(th_whole_of(t->storage)->data);
  }
  return TH_OK;
}

th_status th_cuda_graph_enter(const th_call *c)
{
  th_cuda_graph *g = th_cuda_graph_now();
  if (c->device - 1 != g->device) return th_cuda_cannot_record("it works on another device");
  for (int i = 0; i < c->narg; i++) {
    if (c->kind[i] == TH_K_LIST) {
      for (int64_t k = 0; k < c->arg[i].list->n; k++) TH_TRY(look_at(g, c->arg[i].list->t[k], false));
    } else if (c->kind[i] == TH_K_TENSOR) {
      TH_TRY(look_at(g, c->arg[i].t, false));
    } else if (c->kind[i] == TH_K_OUT || c->kind[i] == TH_K_SELF || c->kind[i] == TH_K_INOUT) {
      TH_TRY(look_at(g, c->arg[i].t, true));
    }
  }
  return TH_OK;
}

/* As much as cuBLAS takes by itself. */
th_status th_cuda_graph_workspace(void **p, size_t *bytes)
{
  th_cuda_graph *g = th_cuda_graph_now();
  cudaDeviceProp q;
  *p = nullptr;
  *bytes = 0;
  if (g->workspace) return TH_OK;
  TH_CUDA_TRY(cudaGetDeviceProperties(&q, g->device));
  const size_t want = q.major >= 9 ? LARGE_WORKSPACE : SMALL_WORKSPACE;
  TH_TRY(th_cuda_graph_take(p, g->device, want));
  *bytes = want;
  g->workspace = *p;
  return TH_OK;
}

// ---- random numbers -----------------------------------------------------------------------------------------------------

static __global__ void stand(th_cuda_stand *to, th_philox at) { to->at = at; }

th_status th_cuda_graph_words(const th_cuda_stand **live, uint64_t *before, uint64_t count)
{
  th_cuda_graph *g = th_cuda_graph_now();
  *live = g->live;
  for (int k = 0; k < 2; k++) {
    before[k] = g->course[k].words;
    g->course[k].words += count;
  }
  return TH_OK;
}

/* Pairs are the device's, what is over comes through the generator, as without a graph. */
th_status th_cuda_graph_normals(const th_cuda_stand **live, th_cuda_normals *of, int64_t n)
{
  th_cuda_graph *g = th_cuda_graph_now();
  *live = g->live;
  for (int k = 0; k < 2; k++) {
    random_course &c = g->course[k];
    const bool first = c.waits;
    of[k] = { c.words, (n - first) / 2, -1, -1 };
    const bool last = first + 2 * of[k].pairs < n;
    if (c.lone.size() + first + last > TH_CUDA_MOST_LONE) {
      return th_cuda_cannot_record("there are too many draws of normal random numbers");
    }
    if (first) {
      of[k].first = (int32_t)c.lone.size();
      c.lone.push_back(c.words);
    }
    c.words += 2 * (uint64_t)of[k].pairs;
    if (last) {
      of[k].last = (int32_t)c.lone.size();
      c.lone.push_back(c.words);
      c.words += 2;
    }
    c.waits = last;
  }
  return TH_OK;
}

/* Tells the device where the generator stands. When the graph is launched, the generator moves on to where `ahead` stands. */
static th_status set_random(th_cuda_graph *g, th_generator **own)
{
  th_philox at, now;
  double z[TH_CUDA_MOST_LONE];
  *own = nullptr;
  if (g->course[1].words == 0 && g->course[1].lone.empty()) return TH_OK;       /* nothing is drawn */
  th_generator *from = th_cuda_generator(g->device + 1);
  if (from && !g->ahead) g->ahead = th_generator_new(TH_PHILOX);
  if (!from || !g->ahead) return th_fail(TH_ENOMEM, "no memory left for a generator");
  if (!th_generator_philox(&at, from)) return th_fail(TH_EBACKEND, "the generator of the device must be of the kind Philox");
  th_generator_copy(g->ahead, from);
  const random_course &c = g->course[at.waiting != 0];
  uint64_t drawn = 0;
  for (size_t i = 0; i < c.lone.size(); i++) {
    th_philox_skip(g->ahead, c.lone[i] - drawn);
    th_generator_philox(&now, g->ahead);
    z[i] = th_generator_normal(g->ahead, 0, 1);
    drawn = c.lone[i] + (now.waiting ? 0 : 2);
  }
  th_philox_skip(g->ahead, c.words - drawn);
  if (!c.lone.empty()) {
    TH_CUDA_TRY(cudaMemcpyAsync(g->live->lone, z, c.lone.size() * sizeof *z, cudaMemcpyHostToDevice, th_cuda_stream()));
  }
  TH_LAUNCH((stand), 1, 1, 0, g->live, at);
  TH_TRY(th_launched());
  *own = from;
  return TH_OK;
}

// ---- elements that must lie within bounds -------------------------------------------------------------------------------

th_status th_cuda_graph::check(const th_tensor *t, const th_bound *b, uint32_t origin, th_cuda_found **found)
{
  th_cuda_graph *g = this;
  const void *whole = th_whole_of(t->storage)->data;
  const bool given = th_cuda_graph_input_at(g, static_cast<const char *>(t->storage->data)) != nullptr;
  *found = nullptr;
  TH_TRY(look_at(g, t, false));
  /* The work does not write these, so their elements exist when a replay begins. */
  if (!g->late && (given || (!g->own.count(const_cast<void *>(whole)) && !g->written.count(whole)))) {
    input_check c = { th_tensor(), *b, origin };
    memset(&c.t, 0, sizeof c.t);
    th_tensor_alias(&c.t, t);
    g->before.push_back(c);
    return TH_OK;
  }
  if (g->checks == MOST_CHECKS) return th_cuda_cannot_record("too many tensors of indices are checked");
  *found = g->seen + g->checks++;
  return TH_OK;
}

static bool has_found(const th_cuda_found *f) { return static_cast<const volatile th_cuda_found *>(f)->call != 0; }

/* The first finding of the replays before, if it is known; `wait`: until it is. The records are empty then. */
static th_status take_finding(th_cuda_graph *g, bool wait, th_cuda_found *to)
{
  size_t bad = 0;
  to->call = 0;
  if (g->checks == 0) return TH_OK;
  if (wait) TH_CUDA_TRY(cudaEventSynchronize(g->last));
  while (bad < g->checks && !has_found(&g->seen[bad])) bad++;
  if (bad == g->checks) return TH_OK;
  TH_CUDA_TRY(cudaEventSynchronize(g->last));
  for (bad = 0; !has_found(&g->seen[bad]);) bad++;       /* the replay may have found an earlier one meanwhile */
  *to = g->seen[bad];
  memset(g->seen, 0, g->checks * sizeof *g->seen);
  return TH_OK;
}
static th_status tell_findings(th_cuda_graph *g, bool wait)
{
  th_cuda_found found;
  TH_TRY(take_finding(g, wait, &found));
  return found.call ? th_cuda_refuse_found(found, " (found by a replay before)") : TH_OK;
}

/* Graphs with checks that have been launched. */
static std::mutex live_lock;
static std::set<th_cuda_graph *> live;

static th_status tell_live();

static void set_live(th_cuda_graph *g, bool is)
{
  if (g->checks == 0) return;
  th_cuda_tell_also(tell_live);
  std::lock_guard<std::mutex> guard(live_lock);
  g->by = std::this_thread::get_id();
  if (is) live.insert(g);
  else live.erase(g);
}

/* Fails with what replays of this thread have found and the host has not reported yet; waits only for such a replay. */
static th_status tell_live()
{
  std::vector<th_cuda_graph *> mine;
  {
    std::lock_guard<std::mutex> guard(live_lock);
    for (th_cuda_graph *g : live) if (g->by == std::this_thread::get_id()) mine.push_back(g);
  }
  for (th_cuda_graph *g : mine) TH_TRY(tell_findings(g, false));
  return TH_OK;
}

static th_status look_at_inputs(th_cuda_graph *g)
{
  for (const input_check &c : g->before) {
    th_cuda_found found = { 1, 0, 0, c.b.least, c.b.most, c.b.columns, c.origin, 0 };
    int64_t place;
    TH_TRY(th_cuda_outside(&c.t, &c.b, &place, &found.element));
    found.place = (unsigned long long)place;
    if (place >= 0) return th_cuda_refuse_found(found, "");
  }
  return TH_OK;
}

// ---- recording ----------------------------------------------------------------------------------------------------------

static std::mutex lock;
static std::vector<cudaStream_t> recorders[TH_MAXDEVICE];     /* streams that wait for the next recording */

static th_status recorder_of(cudaStream_t *s, int device)
{
  std::lock_guard<std::mutex> g(lock);
  if (!recorders[device].empty()) {
    *s = recorders[device].back();
    recorders[device].pop_back();
    return TH_OK;
  }
  return TH_CUDA(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking));
}

static th_status prepare(th_cuda_graph *g)
{
  void *p;
  TH_CUDA_TRY(cudaEventCreateWithFlags(&g->last, cudaEventDisableTiming));
  TH_CUDA_TRY(cudaMallocHost(&p, MOST_CHECKS * sizeof *g->seen));
  g->seen = static_cast<th_cuda_found *>(p);
  memset(g->seen, 0, MOST_CHECKS * sizeof *g->seen);
  TH_TRY(recorder_of(&g->stream, g->device));
  th_cuda_recorded = g;                      /* from here on memory is the graph's, and streams are the one that records */
  TH_TRY(th_cuda_graph_take(&p, g->device, sizeof *g->live));
  g->live = static_cast<th_cuda_stand *>(p); /* now: memory that was given back while recording is written by replays */
  TH_TRY(th_cuda_prepare_recording());
  TH_CUDA_TRY(cudaStreamSynchronize(g->stream));
  th_cuda_count_recording(g->device, 1);         /* from here on no thread may wait for the whole device */
  g->counts = true;
  return TH_CUDA(cudaStreamBeginCapture(g->stream, cudaStreamCaptureModeThreadLocal));
}

th_status th_cuda_graph_begin(th_cuda_graph **out, int late)
{
  *out = nullptr;
  if (th_cuda_recorded) return th_fail(TH_EBACKEND, "this thread records a CUDA graph already");
  const int device = th_cuda_device();
  TH_TRY(th_cuda_set_device(device));
  th_cuda_graph *g = new th_cuda_graph();
  g->device = device - 1;
  g->late = late != 0;
  g->course[1].waits = true;
  const th_status s = prepare(g);
  if (s != TH_OK) {
    const std::string why = th_error();
    th_cuda_graph_free(g);
    return th_fail(s, "%s", why.c_str());
  }
  *out = g;
  return TH_OK;
}

void th_cuda_graph_input(th_cuda_graph *g, const th_tensor *t, const char *name)
{
  if (!t->storage || !t->storage->data) return;
  const char *first = static_cast<const char *>(t->storage->data);
  g->inputs.push_back({ first, first + t->storage->size * (int64_t)th_element_size(t->dtype), name });
}

/* Leaves the capture, whatever became of it; *captured may be nullptr. */
static cudaError_t stop(th_cuda_graph *g, cudaGraph_t *captured)
{
  const cudaError_t e = cudaStreamEndCapture(g->stream, captured);
  cudaGetLastError();
  if (g->counts) th_cuda_count_recording(g->device, -1);
  g->counts = false;
  th_cuda_recorded = nullptr;
  std::lock_guard<std::mutex> guard(lock);
  recorders[g->device].push_back(g->stream);
  g->stream = nullptr;
  return e;
}

static th_status finish(th_cuda_graph *g, cudaGraph_t captured)
{
  TH_CUDA_TRY(cudaGraphGetNodes(captured, nullptr, &g->nodes));
  TH_CUDA_TRY(cudaGraphInstantiateWithFlags(&g->exec, captured, 0));
  return TH_CUDA(cudaEventRecord(g->last, th_cuda_stream()));
}

th_status th_cuda_graph_end(th_cuda_graph *g)
{
  cudaGraph_t captured = nullptr;
  if (th_cuda_recorded != g) return th_fail(TH_EBACKEND, "this thread does not record that CUDA graph");
  const cudaError_t e = stop(g, &captured);
  th_status s = !g->why.empty() ? th_fail(TH_EBACKEND, "%s", g->why.c_str()) : th_cuda_status(e, "recording a graph");
  if (e != cudaSuccess && g->why.empty()) g->why = th_error();
  if (s == TH_OK) s = finish(g, captured);
  g->full = g->full || s == TH_ENOMEM;
  if (captured) cudaGraphDestroy(captured);
  return s;
}

// ---- replays ------------------------------------------------------------------------------------------------------------

static th_status need_finished(const th_cuda_graph *g)
{
  if (th_cuda_recorded) return th_cuda_cannot_record("it replays another graph");
  if (!g->exec) return th_fail(TH_EBACKEND, "the CUDA graph was not recorded to its end");
  return TH_CUDA(cudaSetDevice(g->device));
}

th_status th_cuda_graph_prepare(th_cuda_graph *g)
{
  TH_TRY(need_finished(g));
  TH_CUDA_TRY(cudaStreamWaitEvent(th_cuda_stream(), g->last, 0));
  return tell_findings(g, false);
}
th_status th_cuda_graph_look(th_cuda_graph *g)
{
  TH_TRY(need_finished(g));
  return look_at_inputs(g);
}
th_status th_cuda_graph_launch(th_cuda_graph *g)
{
  th_generator *own;
  TH_TRY(need_finished(g));
  TH_TRY(set_random(g, &own));
  TH_CUDA_TRY(cudaGraphLaunch(g->exec, th_cuda_stream()));
  set_live(g, true);
  if (own) th_generator_copy(own, g->ahead);
  return TH_CUDA(cudaEventRecord(g->last, th_cuda_stream()));
}
th_status th_cuda_graph_wait(th_cuda_graph *g)
{
  TH_TRY(need_finished(g));
  TH_CUDA_TRY(cudaEventSynchronize(g->last));
  return tell_findings(g, true);
}
const char *th_cuda_graph_why(const th_cuda_graph *g) { return g->why.c_str(); }
int th_cuda_graph_full(const th_cuda_graph *g) { return g->full; }
double th_cuda_graph_nodes(const th_cuda_graph *g) { return (double)g->nodes; }
double th_cuda_graph_bytes(const th_cuda_graph *g)
{
  size_t sum = 0;
  for (const auto &piece : g->own) sum += piece.second;
  return (double)sum;
}

void th_cuda_graph_free(th_cuda_graph *g)
{
  cudaGraph_t captured = nullptr;
  int device = 0;
  if (th_cuda_recorded == g) {
    stop(g, &captured);
    if (captured) cudaGraphDestroy(captured);
  }
  cudaGetDevice(&device);
  cudaSetDevice(g->device);
  set_live(g, false);
  {
    th_relaxed mode;
    th_cuda_found found;
    if (g->last) cudaEventSynchronize(g->last);
    if (g->exec && take_finding(g, true, &found) == TH_OK && found.call) th_cuda_keep_found(found);
    if (g->exec) cudaGraphExecDestroy(g->exec);
    if (g->seen) cudaFreeHost(g->seen);
    if (g->last) cudaEventDestroy(g->last);
  }
  for (input_check &c : g->before) th_tensor_release(&c.t);
  for (void *p : { static_cast<void *>(g->live), g->workspace }) {
    if (p) th_cuda_graph_keeps(p, false);                  /* no tensor gives these back */
  }
  th_generator_free(g->ahead);
  for (void *p : th_cuda_graph_release(g)) th_cuda_host_release(p);
  cudaSetDevice(device);
  cudaGetLastError();
  delete g;
}
