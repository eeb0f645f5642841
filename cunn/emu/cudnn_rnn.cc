// cudnn_rnn.cc - recurrent layers of the emulated cuDNN: sequences of one length, weights in cuDNN's layout.
#include "cudnn.h"

namespace emu_dnn {
namespace {                                          /* the files have types of the same name */

enum { RELU = 0, TANH = 1, LSTM = 2, GRU = 3, BY_STEPS = 0, BY_SAMPLES = 2, SPACE = 64 };

struct dropout : object {
  static constexpr kind KIND = DROPOUT;
  dropout() : object(DROPOUT) {}
};
struct rnn : object {
  static constexpr kind KIND = RNN;
  int cell, ways, type, input, hidden, layers;
  rnn() : object(RNN), cell(0), ways(1), type(0), input(0), hidden(0), layers(0) {}
  int gates() const { return cell == LSTM ? 4 : cell == GRU ? 3 : 1; }
  int cols(int p) const { return p < ways ? input : ways * hidden; }
  int64_t matrices(int p) const
  {
    int64_t n = 0;
    for (int i = 0; i < p; i++) n += (int64_t)gates() * hidden * (cols(i) + hidden);
    return n;
  }
  int64_t weights() const { return matrices(layers * ways) + (int64_t)layers * ways * 2 * gates() * hidden; }
  /* The matrix of input (turn 0) or state (1) of a gate, and its bias. */
  int64_t matrix(int p, int turn, int gate) const
  {
    const int64_t first = matrices(p), wide = (int64_t)hidden * cols(p);
    return turn ? first + gates() * wide + (int64_t)gate * hidden * hidden : first + gate * wide;
  }
  int64_t bias(int p, int turn, int gate) const
  {
    return matrices(layers * ways) + (((int64_t)p * 2 + turn) * gates() + gate) * hidden;
  }
};
struct data : object {
  static constexpr kind KIND = RNN_DATA;
  int type, layout, steps, samples, size;
  data() : object(RNN_DATA), type(0), layout(0), steps(0), samples(0), size(0) {}
  int64_t count() const { return (int64_t)steps * samples * size; }
  int64_t at(int t, int b) const { return ((int64_t)(layout == BY_STEPS ? t * samples + b : b * steps + t)) * size; }
};

static int set_tensor_nd(void *p, int type, int n, const int *size, const int *step)
{
  tensor *d = find<tensor>(p);
  if (!d || n != 3 || !size || !step || !known_type(type)) return BAD_PARAM;
  if (size[0] < 1 || size[1] < 1 || size[2] < 1) return BAD_PARAM;
  if (step[2] != 1 || step[1] != size[2] || step[0] != size[1] * size[2]) return NOT_SUPPORTED;
  d->type = type, d->size[0] = size[0], d->size[1] = size[1], d->size[2] = size[2], d->size[3] = 1;
  d->set = true;
  return SUCCESS;
}
static int set_dropout(void *p, void *h, float part, void *states, size_t bytes, unsigned long long)
{
  dropout *d = find<dropout>(p);
  if (!d || !find<handle>(h) || part != 0 || states || bytes) return BAD_PARAM;
  d->set = true;
  return SUCCESS;
}
static int set_rnn(void *p, int algorithm, int cell, int bias, int direction, int input_mode, int type, int compute, int math,
                   int32_t input, int32_t hidden, int32_t projected, int32_t layers, void *drop, uint32_t flags)
{
  rnn *d = find<rnn>(p);
  if (!d || !ready({ find<dropout>(drop) }) || cell < RELU || cell > GRU || direction < 0 || direction > 1) return BAD_PARAM;
  if (input < 1 || hidden < 1 || projected != hidden || layers < 1 || math < 0 || math > 3 || flags > 1) return BAD_PARAM;
  if (algorithm != 0 || bias != 2 || input_mode != 0 || compute != (type == DOUBLE ? DOUBLE : FLOAT)) return NOT_SUPPORTED;
  d->cell = cell, d->ways = 1 + direction, d->type = type, d->input = input, d->hidden = hidden, d->layers = layers;
  d->set = true;
  return SUCCESS;
}
static int set_data(void *p, int type, int layout, int steps, int samples, int size, const int *lengths, void *fill)
{
  data *d = find<data>(p);
  if (!d || !known_type(type) || steps < 1 || samples < 1 || size < 1 || !lengths || !fill) return BAD_PARAM;
  if (layout != BY_STEPS && layout != BY_SAMPLES) return NOT_SUPPORTED;
  for (int b = 0; b < samples; b++) if (lengths[b] != steps) return NOT_SUPPORTED;
  d->type = type, d->layout = layout, d->steps = steps, d->samples = samples, d->size = size;
  d->set = true;
  return SUCCESS;
}

/* For each walk, step and sample: the gates (later their gradients), the cell or the state's share of the last gate, and the
 * state. */
enum { PARTS = 6, CELL = 4, STATE = 5 };
static size_t reserve_of(const rnn &r, const data &x)
{
  return sizeof(double) * PARTS * (size_t)r.hidden * (size_t)(r.layers * r.ways) * (size_t)x.steps * (size_t)x.samples;
}

static int space(void *h, void *p, int train, void *xp, size_t *work, size_t *reserve)
{
  const rnn *r = find<rnn>(p);
  const data *x = find<data>(xp);
  if (!find<handle>(h)) return NOT_INITIALIZED;
  if (!ready({ r, x }) || !work || !reserve || train < 0 || train > 1 || x->type != r->type) return BAD_PARAM;
  *work = SPACE;
  *reserve = train ? reserve_of(*r, *x) : 0;
  return SUCCESS;
}
static int weights(void *h, void *p, size_t *bytes)
{
  const rnn *r = find<rnn>(p);
  if (!find<handle>(h)) return NOT_INITIALIZED;
  if (!ready({ r }) || !bytes) return BAD_PARAM;
  *bytes = (size_t)r->weights() * bytes_of(r->type);
  return SUCCESS;
}
static int place(void *h, void *p, int32_t layer, size_t bytes, const void *weight, int32_t which, void *dm, void **m, void *db,
                 void **b)
{
  const rnn *r = find<rnn>(p);
  if (!find<handle>(h)) return NOT_INITIALIZED;
  if (!ready({ r }) || !find<tensor>(dm) || !find<tensor>(db) || !m || !b) return BAD_PARAM;
  if (layer < 0 || layer >= r->layers * r->ways || which < 0 || which >= 2 * r->gates()) return BAD_PARAM;
  if (bytes != (size_t)r->weights() * bytes_of(r->type)) return BAD_PARAM;
  char *first = static_cast<char *>(const_cast<void *>(weight));
  const int turn = which / r->gates(), gate = which % r->gates();
  *m = first + (size_t)r->matrix(layer, turn, gate) * bytes_of(r->type);
  *b = first + (size_t)r->bias(layer, turn, gate) * bytes_of(r->type);
  return SUCCESS;
}

/* ---- the walks ---- */

struct job {
  int cell, ways, gates, hidden, layers, steps, samples;
  rnn r;
  data dx, dy;
  std::vector<double> w, x, hx, cx;
  double *kept;

  double *part(int p, int t, int b, int which) const
  {
    return kept + ((((int64_t)p * steps + t) * samples + b) * PARTS + which) * hidden;
  }
  int step_of(int p, int s) const { return p % ways ? steps - 1 - s : s; }
  double input(int p, int t, int b, int k) const
  {
    return p < ways ? x[(size_t)(dx.at(t, b) + k)] : part(p / ways * ways - ways + k / hidden, t, b, STATE)[k % hidden];
  }
  double before(int p, int s, int b, int k, int which, const std::vector<double> &first) const
  {
    if (s) return part(p, step_of(p, s - 1), b, which)[k];
    return first.empty() ? 0 : first[(size_t)((p * samples + b) * hidden + k)];
  }
};

static double sigmoid(double v) { return 1 / (1 + exp(-v)); }

static void forward_step(const job &j, int p, int s, int b)
{
  const int t = j.step_of(p, s);
  for (int u = 0; u < j.hidden; u++) {
    double z[4] = {}, q[4] = {};
    for (int g = 0; g < j.gates; g++) {
      const double *m = &j.w[(size_t)j.r.matrix(p, 0, g)] + u * j.r.cols(p);
      const double *n = &j.w[(size_t)j.r.matrix(p, 1, g)] + u * j.hidden;
      z[g] = j.w[(size_t)j.r.bias(p, 0, g) + (size_t)u], q[g] = j.w[(size_t)j.r.bias(p, 1, g) + (size_t)u];
      for (int k = 0; k < j.r.cols(p); k++) z[g] += m[k] * j.input(p, t, b, k);
      for (int k = 0; k < j.hidden; k++) q[g] += n[k] * j.before(p, s, b, k, STATE, j.hx);
    }
    const double h = j.before(p, s, b, u, STATE, j.hx);
    double a[4] = {}, cell = 0, state = 0;
    if (j.cell == LSTM) {
      for (int g = 0; g < 4; g++) a[g] = g == 2 ? tanh(z[g] + q[g]) : sigmoid(z[g] + q[g]);
      cell = a[1] * j.before(p, s, b, u, CELL, j.cx) + a[0] * a[2];
      state = a[3] * tanh(cell);
    } else if (j.cell == GRU) {
      a[0] = sigmoid(z[0] + q[0]), a[1] = sigmoid(z[1] + q[1]), cell = q[2], a[2] = tanh(z[2] + a[0] * cell);
      state = (1 - a[1]) * a[2] + a[1] * h;
    } else {
      state = j.cell == TANH ? tanh(z[0] + q[0]) : fmax(z[0] + q[0], 0);
    }
    for (int g = 0; g < 4; g++) j.part(p, t, b, g)[u] = a[g];
    j.part(p, t, b, CELL)[u] = cell;
    j.part(p, t, b, STATE)[u] = state;
  }
}

/* dh, dc: gradients of the state and the cell after this step; become those before it. din: of the layer's input. */
static void backward_step(const job &j, int p, int s, int b, double *dh, double *dc, double *din)
{
  const int t = j.step_of(p, s), n = j.hidden;
  std::vector<double> carry((size_t)n);
  for (int u = 0; u < n; u++) {
    double a[4], z[4] = {}, last = 0;
    for (int g = 0; g < 4; g++) a[g] = j.part(p, t, b, g)[u];
    const double cell = j.part(p, t, b, CELL)[u], state = j.part(p, t, b, STATE)[u];
    if (j.cell == LSTM) {
      const double tc = tanh(cell), d = dc[u] + dh[u] * a[3] * (1 - tc * tc);
      z[0] = d * a[2] * a[0] * (1 - a[0]), z[1] = d * j.before(p, s, b, u, CELL, j.cx) * a[1] * (1 - a[1]);
      z[2] = d * a[0] * (1 - a[2] * a[2]), z[3] = dh[u] * tc * a[3] * (1 - a[3]);
      dc[u] = d * a[1];
    } else if (j.cell == GRU) {
      z[2] = dh[u] * (1 - a[1]) * (1 - a[2] * a[2]), z[0] = z[2] * cell * a[0] * (1 - a[0]);
      z[1] = dh[u] * (j.before(p, s, b, u, STATE, j.hx) - a[2]) * a[1] * (1 - a[1]);
      last = z[2] * a[0];
      carry[(size_t)u] = dh[u] * a[1];
    } else {
      z[0] = j.cell == TANH ? dh[u] * (1 - state * state) : state > 0 ? dh[u] : 0;
    }
    for (int g = 0; g < 4; g++) j.part(p, t, b, g)[u] = z[g];
    if (j.cell == GRU) j.part(p, t, b, CELL)[u] = last;
  }
  for (int g = 0; g < j.gates; g++) {
    const double *z = j.part(p, t, b, g), *q = j.cell == GRU && g == 2 ? j.part(p, t, b, CELL) : z;
    const double *m = &j.w[(size_t)j.r.matrix(p, 0, g)], *r = &j.w[(size_t)j.r.matrix(p, 1, g)];
    for (int u = 0; u < n; u++) {
      for (int k = 0; k < j.r.cols(p); k++) din[k] += m[u * j.r.cols(p) + k] * z[u];
      for (int k = 0; k < n; k++) carry[(size_t)k] += r[u * n + k] * q[u];
    }
  }
  for (int u = 0; u < n; u++) dh[u] = carry[(size_t)u];
}

static int check(job *j, void *hp, void *p, void *xp, void *yp, void *sp)
{
  const rnn *r = find<rnn>(p);
  const data *x = find<data>(xp), *y = find<data>(yp);
  const tensor *s = find<tensor>(sp);
  if (!find<handle>(hp)) return NOT_INITIALIZED;
  if (!ready({ r, x, y, s })) return NULL_POINTER;
  if (x->type != r->type || y->type != r->type || s->type != r->type) return BAD_PARAM;
  if (x->steps != y->steps || x->samples != y->samples || x->layout != y->layout || x->size != r->input ||
      y->size != r->ways * r->hidden || s->size[0] != r->layers * r->ways || s->size[1] != x->samples ||
      s->size[2] != r->hidden) return OTHER_SHAPE;
  j->cell = r->cell, j->ways = r->ways, j->gates = r->gates(), j->hidden = r->hidden, j->layers = r->layers;
  j->steps = x->steps, j->samples = x->samples, j->kept = nullptr;
  j->r = *r, j->dx = *x, j->dy = *y;
  return SUCCESS;
}
static std::vector<double> states(const job &j, const void *p)
{
  return p ? take(j.r.type, p, (int64_t)j.layers * j.ways * j.samples * j.hidden) : std::vector<double>();
}
/* Loads the inputs of the walks, at the time when the work runs. */
static void load(job *j, void *kept, const void *x, const void *weight, const void *hx, const void *cx)
{
  j->kept = static_cast<double *>(kept);
  if (x) j->x = take(j->r.type, x, j->dx.count());
  if (weight) j->w = take(j->r.type, weight, j->r.weights());
  j->hx = states(*j, hx), j->cx = states(*j, cx);
}
static void put_states(const job &j, void *to, int which)
{
  for (int p = 0; to && p < j.layers * j.ways; p++) {
    for (int b = 0; b < j.samples; b++) {
      const double *last = j.part(p, j.step_of(p, j.steps - 1), b, which);
      for (int k = 0; k < j.hidden; k++) put(j.r.type, to, (int64_t)(p * j.samples + b) * j.hidden + k, last[k]);
    }
  }
}
static void put_output(const job &j, void *y)
{
  for (int t = 0; t < j.steps; t++) {
    for (int b = 0; b < j.samples; b++) {
      for (int k = 0; k < j.ways * j.hidden; k++) {
        put(j.r.type, y, j.dy.at(t, b) + k, j.part((j.layers - 1) * j.ways + k / j.hidden, t, b, STATE)[k % j.hidden]);
      }
    }
  }
}

static bool large_enough(const job &j, size_t bytes, size_t room, size_t reserved, bool train)
{
  return bytes == (size_t)j.r.weights() * bytes_of(j.r.type) && room >= SPACE && (!train || reserved >= reserve_of(j.r, j.dx));
}

static int forward(void *hp, void *p, int train, const int32_t *lengths, void *xp, const void *x, void *yp, void *y, void *sp,
                   const void *hx, void *hy, void *cp, const void *cx, void *cy, size_t bytes, const void *weight, size_t room,
                   void *work, size_t reserved, void *reserve)
{
  job j;
  const int e = check(&j, hp, p, xp, yp, sp);
  if (e != SUCCESS) return e;
  if (!find<tensor>(cp) || lengths || !there({ x, y, weight, work }) || (train && !reserve)) return NULL_POINTER;
  if (!large_enough(j, bytes, room, reserved, train != 0)) return TOO_SMALL;
  const auto f = [=] {
    job k = j;
    std::vector<double> own(train ? 0 : reserve_of(k.r, k.dx) / sizeof(double));
    load(&k, train ? reserve : own.data(), x, weight, hx, cx);
    for (int i = 0; i < k.layers * k.ways * k.steps * k.samples; i++) {
      forward_step(k, i / k.samples / k.steps, i / k.samples % k.steps, i % k.samples);
    }
    put_output(k, y);
    put_states(k, hy, STATE);
    if (k.cell == LSTM) put_states(k, cy, CELL);
  };
  return start(find<handle>(hp), work, room, f, "a recurrent layer of cuDNN");
}

/* The gradients of one walk. g: gradient of the layer's output; din: of its input. */
static void walk_back(const job &j, int p, const std::vector<double> &g, std::vector<double> *din, std::vector<double> *dh,
                      std::vector<double> *dc)
{
  const int n = j.hidden, wide = j.ways * n, cols = j.r.cols(p);
  for (int s = j.steps - 1; s >= 0; s--) {
    for (int b = 0; b < j.samples; b++) {
      const int t = j.step_of(p, s), row = t * j.samples + b;
      double *h = dh->data() + (p * j.samples + b) * n, *c = dc->data() + (p * j.samples + b) * n;
      for (int k = 0; k < n; k++) h[k] += g[(size_t)(row * wide + p % j.ways * n + k)];
      backward_step(j, p, s, b, h, c, din->data() + row * cols);
    }
  }
}

static int backward(void *hp, void *p, const int32_t *lengths, void *yp, const void *y, const void *gy, void *xp, void *gx,
                    void *sp, const void *hx, const void *ghy, void *ghx, void *cp, const void *cx, const void *gcy, void *gcx,
                    size_t bytes, const void *weight, size_t room, void *work, size_t reserved, void *reserve)
{
  job j;
  const int e = check(&j, hp, p, xp, yp, sp);
  if (e != SUCCESS) return e;
  if (!find<tensor>(cp) || lengths || !there({ y, gy, gx, weight, work, reserve })) return NULL_POINTER;
  if (!large_enough(j, bytes, room, reserved, true)) return TOO_SMALL;
  const auto f = [=] {
    job k = j;
    const int rows = k.steps * k.samples, wide = k.ways * k.hidden;
    load(&k, reserve, nullptr, weight, hx, cx);
    std::vector<double> dh = states(k, ghy), dc = states(k, gcy), g((size_t)(rows * wide)), din;
    dh.resize((size_t)(k.layers * k.ways * k.samples * k.hidden)), dc.resize(dh.size());
    for (int i = 0; i < rows * wide; i++) {
      g[(size_t)i] = get(k.r.type, gy, k.dy.at(i / wide / k.samples, i / wide % k.samples) + i % wide);
    }
    for (int l = k.layers - 1; l >= 0; l--) {
      din.assign((size_t)(rows * k.r.cols(l * k.ways)), 0);
      for (int way = 0; way < k.ways; way++) walk_back(k, l * k.ways + way, g, &din, &dh, &dc);
      g = din;
    }
    for (int i = 0; i < rows * k.r.input; i++) {
      const int row = i / k.r.input;
      put(k.r.type, gx, k.dx.at(row / k.samples, row % k.samples) + i % k.r.input, g[(size_t)i]);
    }
    if (ghx) give(k.r.type, ghx, dh, 1, 0);
    if (gcx && k.cell == LSTM) give(k.r.type, gcx, dc, 1, 0);
  };
  return start(find<handle>(hp), work, room, f, "a recurrent layer of cuDNN");
}

/* The gradients of gates are stored in place of the gates. */
static void add_weights(const job &j, int p, int s, int b, std::vector<double> *gw)
{
  const int t = j.step_of(p, s), n = j.hidden, cols = j.r.cols(p);
  for (int g = 0; g < j.gates; g++) {
    const double *z = j.part(p, t, b, g), *q = j.cell == GRU && g == 2 ? j.part(p, t, b, CELL) : z;
    double *m = gw->data() + j.r.matrix(p, 0, g), *r = gw->data() + j.r.matrix(p, 1, g);
    for (int u = 0; u < n; u++) {
      (*gw)[(size_t)(j.r.bias(p, 0, g) + u)] += z[u], (*gw)[(size_t)(j.r.bias(p, 1, g) + u)] += q[u];
      for (int k = 0; k < cols; k++) m[u * cols + k] += z[u] * j.input(p, t, b, k);
      for (int k = 0; k < n; k++) r[u * n + k] += q[u] * j.before(p, s, b, k, STATE, j.hx);
    }
  }
}
static int backward_weights(void *hp, void *p, int how, const int32_t *lengths, void *xp, const void *x, void *sp, const void *hx,
                            void *yp, const void *y, size_t bytes, void *gw, size_t room, void *work, size_t reserved,
                            void *reserve)
{
  job j;
  const int e = check(&j, hp, p, xp, yp, sp);
  if (e != SUCCESS) return e;
  if (lengths || !there({ x, y, gw, work, reserve })) return NULL_POINTER;
  if (how != 0) return NOT_SUPPORTED;
  if (!large_enough(j, bytes, room, reserved, true)) return TOO_SMALL;
  const auto f = [=] {
    job k = j;
    load(&k, reserve, x, nullptr, hx, nullptr);
    std::vector<double> sum((size_t)k.r.weights());
    for (int i = 0; i < k.layers * k.ways * k.steps * k.samples; i++) {
      add_weights(k, i / k.samples / k.steps, i / k.samples % k.steps, i % k.samples, &sum);
    }
    give(k.r.type, gw, sum, 1, 1);
  };
  return start(find<handle>(hp), work, room, f, "a recurrent layer of cuDNN");
}

}  // namespace

void *symbol_of_rnn(const char *name)
{
  static const symbol all[] = {
    { "cudnnSetTensorNdDescriptor", (void *)set_tensor_nd },
    { "cudnnCreateDropoutDescriptor", (void *)make<dropout> }, { "cudnnDestroyDropoutDescriptor", (void *)destroy<dropout> },
    { "cudnnSetDropoutDescriptor", (void *)set_dropout },
    { "cudnnCreateRNNDescriptor", (void *)make<rnn> }, { "cudnnDestroyRNNDescriptor", (void *)destroy<rnn> },
    { "cudnnSetRNNDescriptor_v8", (void *)set_rnn },
    { "cudnnCreateRNNDataDescriptor", (void *)make<data> }, { "cudnnDestroyRNNDataDescriptor", (void *)destroy<data> },
    { "cudnnSetRNNDataDescriptor", (void *)set_data },
    { "cudnnGetRNNTempSpaceSizes", (void *)space }, { "cudnnGetRNNWeightSpaceSize", (void *)weights },
    { "cudnnGetRNNWeightParams", (void *)place }, { "cudnnRNNForward", (void *)forward },
    { "cudnnRNNBackwardData_v8", (void *)backward }, { "cudnnRNNBackwardWeights_v8", (void *)backward_weights },
  };
  return find_symbol(all, name);
}

}  // namespace emu_dnn
