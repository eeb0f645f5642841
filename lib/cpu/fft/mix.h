/* mix.h - real lines of even sizes, as complex ones of half the size: how both spectra become each
 * other. Read once per computing type after line.h.
 *
 * A line of n real numbers is one of h = n / 2 complex ones: the numbers k and h - k of its
 * spectrum and of the real line's come from each other, both ways. back: to the real line.
 * factor: of all. c, s: turns of k. */
TH_INLINE void M(mix)(bool back, M(cx) a, M(cx) b, M(vec) c, M(vec) s, P factor, M(cx) *low,
                      M(cx) *high)
{
  const M(vec) er = (a.re + b.re) * factor, ei = (a.im - b.im) * factor;
  const M(vec) dr = (a.re - b.re) * factor, di = (a.im + b.im) * factor;
  const M(vec) turned = di * s, less = dr * s, minus = -less;
  const M(vec) tr = back ? -M_FMA(di, c, less) : M_FMA(di, c, minus);
  const M(vec) ti = back ? M_FMA(dr, c, -turned) : -M_FMA(dr, c, turned);
  *low = (M(cx)){ er + tr, ei + ti };
  *high = (M(cx)){ er - tr, ti - ei };
}

/* From the cosines of a real line's roots to the sines. */
TH_INLINE int64_t M(root_room)(int64_t h) { return th_fft_root_room(2 * h, M(CHUNK)); }

/* The numbers k and h - k for k in blocks from 1 on: from `from` to `to`, which may be the same. */
typedef struct M(mixing) {
  const P *from;
  P       *to;
  int64_t  h;
  const P *roots;
  P        factor;
  bool     back;
} M(mixing);

/* A vector of the numbers from `up` on, which begin with k, and of those that `down` ends with. */
TH_INLINE void M(mix_some)(const M(mixing) *j, int64_t k, const P *up, const P *down, P *to_up,
                           P *to_down)
{
  const P *cosines = j->roots + k;
  const M(vec) c = *(const M(loose) *)cosines;
  const M(vec) s = *(const M(loose) *)(cosines + M(root_room)(j->h));
  M(cx) low, high;
  M(mix)(j->back, M(take)(up, 0, PAIRS), M(take_turned)(down), c, s, j->factor, &low, &high);
  M(give_turned)(to_down, high);
  M(give)(to_up, 0, PAIRS, low);
}
/* Numbers k to `end` and h - end to h - k. */
static void M(mix_range)(const M(mixing) *j, int64_t k, int64_t end)
{
  const int64_t h = j->h;
  for (; k + M(V) <= end + 1; k += M(V)) {
    const int64_t down = 2 * (h - k + 1 - M(V));
    M(mix_some)(j, k, j->from + 2 * k, j->from + down, j->to + 2 * k, j->to + down);
  }
  if (k > end) return;
  const int64_t count = end + 1 - k, down = 2 * (h - k + 1 - count), some = M(PAIR) - 2 * count;
  const size_t part = sizeof(P) * 2 * (size_t)count;
  P p[M(PAIR)] __attribute__((aligned(TH_VB))) = { 0 };
  P q[M(PAIR)] __attribute__((aligned(TH_VB))) = { 0 };
  memcpy(p, j->from + 2 * k, part);
  memcpy(q + some, j->from + down, part);
  M(mix_some)(j, k, p, q, p, q);
  memcpy(j->to + down, q + some, part);
  memcpy(j->to + 2 * k, p, part);
}
static void M(mix_lines)(void *ctx, int64_t first, int64_t last)
{
  const M(mixing) *j = ctx;
  M(mix_range)(j, 1 + first * M(BLOCK), th_min(j->h / 2, last * M(BLOCK)));
}

static void M(mix_all)(const M(line) *j, M(mixing) *m)
{
  const int64_t blocks = (m->h / 2 + M(BLOCK) - 1) / M(BLOCK);
  if (j->slots) th_parallel(blocks, 4, M(mix_lines), m);
  else M(mix_lines)(m, 0, blocks);
}

/* n numbers, written past the caches. */
static void M(put_past)(P *to, const P *from, int64_t n)
{
  int64_t i = th_min(n, (-(intptr_t)to & 63) / (int64_t)sizeof(P));
  memcpy(to, from, sizeof(P) * (size_t)i);
  for (; i + M(CHUNK) <= n; i += M(CHUNK)) {
    for (int v = 0; v < M(CHUNK); v += M(V)) {
      TH_STREAM((M(vec) *)(to + i + v), *(const M(loose) *)(from + i + v));
    }
  }
  memcpy(to + i, from + i, sizeof(P) * (size_t)(n - i));
}

/* Mixes both ends of a line towards its middle, and writes each part to `to` while it is in the
 * first cache. Numbers 0 and h are there. */
static void M(mix_past)(const M(mixing) *m, P *to)
{
  enum { SOME = 2048 / (int)sizeof(P) };
  const int64_t half = m->h / 2, cut = M(CHUNK);
  /* To the first whole line of a cache. */
  const int64_t skew = (-(intptr_t)to & 63) / (int64_t)sizeof(P);
  int64_t low = 0, high = 2 * (m->h + 1);
  for (int64_t k = 1; k <= half; k += SOME) {
    const int64_t end = th_min(half, k + SOME - 1);
    M(mix_range)(m, k, end);
    const int64_t up = (2 * (end + 1) - skew) / cut * cut + skew;
    const int64_t down = (2 * (m->h - end) - skew + cut - 1) / cut * cut + skew;
    if (end == half || up <= low || down >= high || up > down) continue;
    M(put_past)(to + low, m->from + low, up - low);
    M(put_past)(to + down, m->from + down, high - down);
    low = up;
    high = down;
  }
  M(put_past)(to + low, m->from + low, high - low);
  TH_STREAMED();
}

/* 2 h real numbers of a line to half of their spectrum, of which `ends` is a factor of numbers 0
 * and h, j->factor of all. */
static void M(real_line)(M(line) *j, int64_t h, const P *roots, P ends)
{
  M(mixing) m = { .from = j->to, .to = j->to, .h = h, .roots = roots, .factor = j->factor };
  P *to = j->to;
  j->factor = 1;
  M(transform)(j);
  const P a = to[0], b = to[1];
  to[0] = (a + b) * ends, to[1] = 0;
  to[2 * h] = (a - b) * ends, to[2 * h + 1] = 0;
  if (j->past_to) M(mix_past)(&m, j->past_to);
  else M(mix_all)(j, &m);
}

/* Back. They are mixed in `buffer`. */
static void M(whole_line)(M(line) *j, int64_t h, const P *roots, P *buffer)
{
  M(mixing) m = { .from = j->from, .to = buffer, .h = h, .roots = roots, .factor = j->inner,
                  .back = true };
  const P a = j->from[0], b = j->from[2 * h];
  M(mix_all)(j, &m);
  buffer[0] = a + b, buffer[1] = a - b;
  j->from = buffer;
  M(transform)(j);
}

/* The same of lines side by side, in rows of these forms; numbers 0 and h too. ends: their
 * factor. */
TH_INLINE void M(mix_forms)(const M(rows) *x, const M(rows) *y, const int xf, const int yf,
                            int64_t h, const P *roots, P factor, P ends, const bool back)
{
  const int64_t xs = x->step, ys = y->step, xi = x->im, yi = y->im;
  const P *from = x->at, *sines = roots + M(root_room)(h);
  P *to = y->at;
  const M(cx) zero = M(take)(from, xi, xf);
  if (back) {
    const M(cx) top = M(take)(from + h * xs, xi, xf);
    M(give)(to, yi, yf, (M(cx)){ zero.re + top.re, zero.re - top.re });
  } else {
    const M(vec) none = { 0 };
    M(give)(to, yi, yf, (M(cx)){ (zero.re + zero.im) * ends, none });
    M(give)(to + h * ys, yi, yf, (M(cx)){ (zero.re - zero.im) * ends, none });
  }
  for (int64_t k = 1; 2 * k <= h; k++) {
    M(cx) low, high;
    M(mix)(back, M(take)(from + k * xs, xi, xf), M(take)(from + (h - k) * xs, xi, xf),
           roots[k] - (M(vec)){ 0 }, sines[k] - (M(vec)){ 0 }, factor, &low, &high);
    M(give)(to + (h - k) * ys, yi, yf, high);
    M(give)(to + k * ys, yi, yf, low);
  }
}
static void M(mix_rows)(const M(rows) *x, const M(rows) *y, int64_t h, const P *roots, P factor,
                        P ends, bool back)
{
  const bool plain = x->form == SPLIT && y->form == SPLIT;
  if (plain && back) M(mix_forms)(x, y, SPLIT, SPLIT, h, roots, factor, ends, true);
  else if (plain) M(mix_forms)(x, y, SPLIT, SPLIT, h, roots, factor, ends, false);
  else M(mix_forms)(x, y, x->form, y->form, h, roots, factor, ends, back);
}
