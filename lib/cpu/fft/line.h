/* line.h - transforms of one line within vectors, and of lines that lie apart. Read once per
 * computing type after pass.h. Lines are pairs of real and imaginary part. */

/* One line, of which several threads may do parts: then each borrows a slot to work in. */
typedef struct M(line) M(line);
struct M(line) {
  const th_fft_node *d;
  const P *from;
  P      *to, *middle;              /* middle: the matrix between the steps */
  int64_t planar;                   /* not 0: `from` and `to` have imaginary parts so far behind */
  int     form, out;                /* PAIRS, or SWAPPED for the inverse */
  bool    past;                     /* the results are written past the caches, where M(may_pass) */
  P      *past_to;                  /* where a real line's spectrum is written past the caches */
  P       factor, inner;            /* inner: one more of a real line, of all of the spectrum but its ends */
  th_slots *slots;                  /* NULL: one thread, which works in `work` */
  P      *work;
  const P *kernel;                  /* a spectrum to multiply with */
  P      *reals, first;             /* of a real line of a prime size: in the order of the convolution; number 0 */
  int64_t points;                   /* of a convolution's spectrum */
  const P *soon[2];                 /* where the next line comes from and goes to, NULL: not known; */
  int64_t bytes[2];                 /* they are fetched into the cache, each in one of the two steps */
  const M(line) *chirped;           /* of a chirp's convolution: the line of its columns, or NULL */
};

/* Fetches part c of `parts` of the next line's input or result, into the second cache: the first
 * one is full of this line. Strided steps hide the order of memory from the processor. Without a
 * result each step fetches half of the input. */
TH_INLINE void M(fetch_soon)(const M(line) *j, const int to_write, int64_t c, int64_t parts)
{
  const bool halves = !j->soon[1];
  const char *at = (const char *)j->soon[halves ? 0 : to_write];
  if (!at) return;
  const int64_t bytes = halves ? j->bytes[0] / 2 : j->bytes[to_write];
  if (halves && to_write) at += bytes;
  const int64_t end = bytes * (c + 1) / parts;
  for (int64_t b = bytes * c / parts; b < end; b += 64) __builtin_prefetch(at + b, 0, 2);
}

static int64_t M(up)(int64_t n) { return (n + M(CHUNK) - 1) / M(CHUNK); }

/* Does a line of this kind become a convolution? */
static bool M(convolves)(const th_fft_node *d)
{
  return d->kind == TH_FFT_CHIRP || d->kind == TH_FFT_PRIME || d->kind == TH_FFT_WEIGHTED;
}

static bool M(narrow)(const th_fft_node *d)
{
  return d->column->n < M(CHUNK) || d->row->n < M(CHUNK);
}

/* May a convolution keep its spectrum in the order of the matrix between the steps? */
static bool M(keeps_order)(const th_fft_node *d)
{
  return d->kind == TH_FFT_SPLIT && !M(narrow)(d);
}

/* Is this a chirp whose convolution takes its columns from the line, and puts them back there? */
static bool M(chirps_columns)(const th_fft_node *d)
{
  return d->kind == TH_FFT_CHIRP && M(keeps_order)(d->padded) &&
         d->padded->row->n % M(CHUNK) == 0;
}

/* Numbers that a convolution needs between the steps: what is transformed, and one more; real ones behind them. */
static int64_t M(pairs_of)(const th_fft_node *d) { return 2 * M(up)(d->padded->n + 1) * M(CHUNK); }
static int64_t M(middle_of)(const th_fft_node *d)
{
  if (M(chirps_columns)(d)) return 0;
  return M(pairs_of)(d) + (d->kind == TH_FFT_WEIGHTED ? M(up)(d->padded->n) * M(CHUNK) : 0);
}

/* Of real lines of odd size: odd.h. */
static int64_t M(odd_step)(const th_fft_node *d);
static int64_t M(odd_middle)(const th_fft_node *d);

/* Numbers that one thread needs for a step of a line; that a line needs between the steps; that a transform needs in all. */
static int64_t M(step_room)(const th_fft_node *d)
{
  if (d->kind == TH_FFT_DIRECT) return 2 * d->n * M(PAIR) + M(room)(d) * M(V);
  if (M(convolves)(d)) {
    const int64_t column = M(chirps_columns)(d) ? d->padded->column->n * M(PAIR) : 0;
    return M(step_room)(d->padded) + column;
  }
  if (d->kind == TH_FFT_SUM) return 0;
  if (d->pair_turns) return M(odd_step)(d);
  return th_max(th_max(d->column->n, M(CHUNK)) * M(PAIR) + M(room)(d->column) * M(V), (d->row->n + M(room)(d->row)) * M(V) * 2);
}

/* Can the results be written past the caches? They are whole lines of a cache, at every step of the rows. */
static bool M(may_pass)(const th_fft_node *d, const P *to)
{
  if (TH_VB < 32 || d->kind != TH_FFT_SPLIT || M(narrow)(d)) return false;
  return (uintptr_t)to % 64 == 0 && d->column->n * 2 * (int64_t)sizeof(P) % 64 == 0;
}
static int64_t M(middle_room)(const th_fft_node *d)
{
  if (d->kind == TH_FFT_DIRECT || d->kind == TH_FFT_SUM) return 0;
  if (M(convolves)(d)) return M(middle_of)(d) + M(middle_room)(d->padded);
  if (d->pair_turns) return M(odd_middle)(d);
  const int64_t rows = M(up)(d->column->n) * M(CHUNK);
  return M(narrow)(d) ? 2 * th_max(d->row->n, M(CHUNK)) * rows + 2 * M(up)(d->n) * M(CHUNK) + 2 * M(PAIR) : 2 * d->row->n * rows;
}

/* Does f for n parts, of which the last two are one thread's: what they write may overlap. */
static void M(each)(M(line) *j, int64_t n, bool overlap, int64_t grain, th_block f)
{
  if (j->slots) th_parallel(overlap && n > 1 ? n - 1 : n, grain, f, j);
  else f(j, 0, overlap && n > 1 ? n - 1 : n);
}

/* Up to V pairs, of which the first `count` are there. */
TH_INLINE M(cx) M(take_some)(const P *at, int64_t count, int form)
{
  if (count >= M(V)) return M(take)(at, 0, form);
  P p[M(PAIR)] __attribute__((aligned(TH_VB))) = { 0 };         /* not before: that takes time */
  memcpy(p, at, sizeof(P) * 2 * (size_t)count);
  return M(take)(p, 0, form);
}
TH_INLINE void M(give_some)(P *at, int64_t count, int form, M(cx) v)
{
  P p[M(PAIR)] __attribute__((aligned(TH_VB)));
  if (count >= M(V)) {
    M(give)(at, 0, form, v);
    return;
  }
  M(give)(p, 0, form, v);
  memcpy(at, p, sizeof(P) * 2 * (size_t)count);
}

/* The real (part 0) or imaginary parts of V x V numbers, whose columns become rows. */
TH_INLINE void M(parts_turned)(const P *from, int part, M(vec) *v)
{
  const M(vec) *at = (const M(vec) *)from + part;
#pragma GCC unroll 16
  for (int i = 0; i < M(V) / 2; i++) {
    const P *low = (const P *)(at + 2 * i), *high = (const P *)(at + 2 * i + M(V));
    v[i] = M(halves)(low, high), v[i + M(V) / 2] = M(halves)(low + M(V) / 2, high + M(V) / 2);
  }
  M(turn_halves)(v);
}
TH_INLINE void M(turn_square)(const P *from, P *to)
{
  M(vec) *out = (M(vec) *)to, v[M(V)];
  for (int part = 0; part < 2; part++) {
    M(parts_turned)(from, part, v);
#pragma GCC unroll 16
    for (int i = 0; i < M(V); i++) out[2 * i + part] = v[i];
  }
}

static void M(chirp_column)(const M(line) *j, int64_t column, const th_fft_node *d, P *to);

/* Columns: chunks of them become chunks of the middle's rows. */
static void M(columns)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const th_fft_node *d = j->d;
  const int64_t columns = d->row->n, rows = d->column->n;
  P *results = j->slots ? th_slot_take(j->slots) : j->work;
  P *chirped = results + th_max(rows, M(CHUNK)) * M(PAIR);
  P *work = j->chirped ? chirped + rows * M(PAIR) : chirped;
  if (j->chirped) memset(chirped, 0, sizeof(P) * (size_t)(rows * M(PAIR)));
  if (rows < M(CHUNK)) memset(results + rows * M(PAIR), 0, sizeof(P) * (size_t)((M(CHUNK) - rows) * M(PAIR)));
  if (M(up)(columns) > 1 && columns % M(CHUNK) && last == M(up)(columns) - 1) last++;
  for (int64_t c = first; c < last && !(j->slots && th_interrupted()); c++) {
    M(fetch_soon)(j, 0, c, M(up)(columns));
    for (int64_t lane = 0; lane < th_min(M(CHUNK), columns); lane += M(V)) {
      const int64_t column = th_fft_chunk_at(c, M(CHUNK), columns) + lane;
      P *const at = (P *)(uintptr_t)(j->from + (j->planar ? column : 2 * column));
      M(rows) from = { at, j->planar ? columns : 2 * columns, j->planar,
                       j->planar ? SPLIT : j->form };
      if (j->chirped) {
        M(chirp_column)(j->chirped, column, d, chirped);
        from = (M(rows)){ chirped, M(PAIR), M(V), SPLIT };
      }
      const M(rows) to = { results, M(PAIR), M(V), SPLIT };
      const M(after) turn = { .how = TURN_LANES, .turns = (const P *)d->turns + c * rows * 2 * M(CHUNK) + lane,
                              .step = 2 * M(CHUNK) };
      M(across)(d->column, &from, &to, work, &turn);
      P *block = j->middle + column * M(PAIR);
      for (int64_t b = 0; b < M(up)(rows) * (M(CHUNK) / M(V)); b++, block += th_max(columns, M(CHUNK)) * M(PAIR)) {
        const int64_t k = th_fft_chunk_at(b / (M(CHUNK) / M(V)), M(CHUNK), rows) + b % (M(CHUNK) / M(V)) * M(V);
        M(turn_square)(results + k * M(PAIR), block);
      }
    }
  }
  if (j->slots) th_slot_give(j->slots, results);
}

/* Rows of the middle. */
static void M(across_rows)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const th_fft_node *d = j->d;
  const int64_t columns = d->row->n, rows = d->column->n;
  const M(after) end = { j->factor == 1 ? NOTHING : SCALE, j->factor, NULL, 0, 0 };
  const int out = !j->past ? j->out : j->out == PAIRS ? PAIRS_PAST : SWAPPED_PAST;
  P *work = j->slots ? th_slot_take(j->slots) : j->work;
  if (M(up)(rows) > 1 && rows % M(CHUNK) && last == M(up)(rows) - 1) last++;
  for (int64_t c = first; c < last && !(j->slots && th_interrupted()); c++) {
    M(fetch_soon)(j, 1, c, M(up)(rows));
    for (int64_t lane = 0; lane < th_min(M(CHUNK), rows); lane += M(V)) {
      const int64_t k = th_fft_chunk_at(c, M(CHUNK), rows) + lane;
      P *block = j->middle + (c * M(CHUNK) + lane) / M(V) * th_max(columns, M(CHUNK)) * M(PAIR);
      const M(rows) from = { block, M(PAIR), M(V), SPLIT };
      const M(rows) to = { j->to + 2 * k, 2 * rows, 0, out }, aside = { work, M(PAIR), M(V), SPLIT };
      if (rows >= M(CHUNK)) {
        M(across)(d->row, &from, &to, work, &end);
        continue;
      }
      /* Results that are wider than a row, where the next row writes over them. */
      M(across)(d->row, &from, &aside, work + columns * M(PAIR), &end);
      for (int64_t i = 0; i < columns; i++) {
        const M(cx) v = M(take)(work + i * M(PAIR), M(V), SPLIT);
        M(give_some)(j->to + 2 * (i * rows + k), th_min(rows - k, d->n - k - i * rows), j->out, v);
      }
    }
  }
  if (j->past) TH_STREAMED();
  if (j->slots) th_slot_give(j->slots, work);
}

/* A short line: one lane. */
static void M(one_lane)(const M(line) *j)
{
  const int64_t n = j->d->n;
  P *x = j->slots ? th_slot_take(j->slots) : j->work, *const base = x, *work = x + 2 * n * M(PAIR);
  for (int64_t i = 0; i < 2 * n; i++) ((M(vec) *)x)[i] = j->from[i] - (M(vec)){ 0 };
  const bool in = j->form == SWAPPED, out = j->out == SWAPPED;
  P *y = x + n * M(PAIR);
  const M(rows) from = { x + (in ? M(V) : 0), M(PAIR), in ? -M(V) : M(V), SPLIT };
  const M(rows) to = { y + (out ? M(V) : 0), M(PAIR), out ? -M(V) : M(V), SPLIT };
  const M(after) end = { j->factor == 1 ? NOTHING : SCALE, j->factor, NULL, 0, 0 };
  M(across)(j->d, &from, &to, work, &end);
  for (int64_t i = 0; i < 2 * n; i++) j->to[i] = y[i * M(V)];
  if (j->slots) th_slot_give(j->slots, base);
}

/* A product of the waves with a line's sums and differences, for results at + i of `count`
 * vectors in the order of the waves: to those and, with the other sign of the differences, to
 * those at n minus their numbers. real: there are no imaginary parts, and the latter are not
 * wanted. */
typedef struct M(halves_of) { P re[TH_FFT_SUMMED / 2 + M(CHUNK)], im[TH_FFT_SUMMED / 2 + M(CHUNK)]; } M(halves_of);

TH_INLINE void M(waves)(const int count, const bool real, const th_fft_node *d, int64_t at, P re, P im, const M(halves_of) *sum,
                        const M(halves_of) *dif, M(halves_of) *low, M(halves_of) *high, P factor)
{
  const int64_t half = d->n / 2;
  const P *c = (const P *)d->wave[0]->cosines + at, *s = (const P *)d->wave[0]->sines + at;
  const M(vec) none = { 0 };
  M(cx) even[4], turn[4];
  for (int i = 0; i < count; i++) even[i] = (M(cx)){ re - none, im - none }, turn[i] = (M(cx)){ none, none };
  for (int64_t part = 0; part < half; part += SUM_PART) {
    M(cx) c_sum[4] = { { none, none } }, s_sum[4] = { { none, none } };
    for (int64_t k = part; k < th_min(half, part + SUM_PART); k++) {
#pragma GCC unroll 4
      for (int i = 0; i < count; i++) {
        const M(vec) vc = *(const M(loose) *)(c + k + i * M(V)),
                     vs = *(const M(loose) *)(s + k + i * M(V));
        c_sum[i].re = M_FMA(vc, sum->re[k] - none, c_sum[i].re), s_sum[i].re = M_FMA(vs, dif->re[k] - none, s_sum[i].re);
        if (real) continue;
        c_sum[i].im = M_FMA(vc, sum->im[k] - none, c_sum[i].im), s_sum[i].im = M_FMA(vs, dif->im[k] - none, s_sum[i].im);
      }
    }
    for (int i = 0; i < count; i++) {
      even[i].re += c_sum[i].re, even[i].im += c_sum[i].im;
      turn[i].re += s_sum[i].re, turn[i].im += s_sum[i].im;
    }
  }
  for (int i = 0; i < count; i++) {
    const int64_t to = at + i * M(V);
    *(M(loose) *)(low->re + to) = (even[i].re + turn[i].im) * factor;
    *(M(loose) *)(low->im + to) = (even[i].im - turn[i].re) * factor;
    if (real) continue;
    *(M(loose) *)(high->re + to) = (even[i].re - turn[i].im) * factor;
    *(M(loose) *)(high->im + to) = (even[i].im + turn[i].re) * factor;
  }
}
TH_INLINE void M(all_waves)(const bool real, const th_fft_node *d, P re, P im,
                            const M(halves_of) *sum, const M(halves_of) *dif,
                            M(halves_of) *low, M(halves_of) *high, P factor)
{
  const int64_t half = d->n / 2;
  int64_t at = 0;
  for (; at + 3 * M(V) < half; at += 4 * M(V)) M(waves)(4, real, d, at, re, im, sum, dif, low, high,
                                                        factor);
  for (; at + M(V) < half; at += 2 * M(V)) M(waves)(2, real, d, at, re, im, sum, dif, low, high,
                                                    factor);
  if (at < half) M(waves)(1, real, d, at, re, im, sum, dif, low, high, factor);
}

/* The sum of a line's numbers, given number 0 and the sums of two; as of lines side by side. */
TH_INLINE P M(whole_sum)(P first, const P *sum, int64_t half)
{
  P all[4] = { 0 };
  int64_t k = 0;
  for (; k + 4 <= half; k += 4) for (int i = 0; i < 4; i++) all[i] += sum[k + i];
  for (; k < half; k++) all[k % 4] += sum[k];
  return first + ((all[0] + all[1]) + (all[2] + all[3]));
}

/* A line of a prime size, with the operations of lines side by side in their order. */
static void M(sum_line)(const M(line) *j)
{
  const th_fft_node *d = j->d;
  const int32_t *order = d->wave[0]->order;
  const int64_t n = d->n, half = n / 2;
  const int64_t re = j->form == SWAPPED, im = 1 - re, to_re = j->out == SWAPPED, to_im = 1 - to_re;
  const P *from = j->from;
  M(halves_of) sum, dif, low, high;
  for (int64_t q = 0; q < half; q++) {
    const P *one = from + 2 * order[q], *two = from + 2 * (n - order[q]);
    sum.re[q] = one[re] + two[re], dif.re[q] = one[re] - two[re];
    sum.im[q] = one[im] + two[im], dif.im[q] = one[im] - two[im];
  }
  const P first = from[re], second = from[im];
  const P all_re = M(whole_sum)(first, sum.re, half), all_im = M(whole_sum)(second, sum.im, half);
  M(all_waves)(false, d, first, second, &sum, &dif, &low, &high, j->factor);
  P *to = j->to;
  to[to_re] = all_re * j->factor, to[to_im] = all_im * j->factor;
  for (int64_t q = 0; q < half; q++) {
    P *one = to + 2 * order[q], *two = to + 2 * (n - order[q]);
    one[to_re] = low.re[q], one[to_im] = low.im[q];
    two[to_re] = high.re[q], two[to_im] = high.im[q];
  }
}

/* The same of n real numbers and half of their spectrum; SWAPPED: back. */
static void M(sum_real_line)(const M(line) *j)
{
  const th_fft_node *d = j->d;
  const int32_t *order = d->wave[0]->order;
  const int64_t n = d->n, half = n / 2;
  const bool back = j->form == SWAPPED;
  const P *from = j->from, first = from[0], twice = 2 * j->inner, all = j->factor, most = j->factor * j->inner;
  M(halves_of) sum, dif, low;
  for (int64_t q = 0; q < half; q++) {
    const int64_t k = order[q], near = th_min(k, n - k);
    sum.re[q] = back ? from[2 * near] * twice : from[k] + from[n - k];
    dif.re[q] = back ? from[2 * near + 1] * (k > half ? -twice : twice) : from[k] - from[n - k];
  }
  const P zero = M(whole_sum)(first, sum.re, half);
  M(all_waves)(true, d, first, 0, &sum, &dif, &low, NULL, 1);
  P *to = j->to;
  to[0] = zero * all;
  if (!back) to[1] = 0;
  for (int64_t q = 0; q < half; q++) {
    const int64_t k = order[q], near = th_min(k, n - k);
    const P re = low.re[q], im = k > half ? -low.im[q] : low.im[q];
    if (back) to[near] = (re + im) * all, to[n - near] = (re - im) * all;
    else to[2 * near] = re * most, to[2 * near + 1] = im * most;
  }
}

enum { M(BLOCK) = 4096 };           /* numbers of a loop that are one thread's */

static void M(chirp_line)(M(line) *j);
static void M(prime_line)(M(line) *j);

/* The transform of a line; `to` may be `from`. Interrupted, it leaves numbers that mean nothing. */
static void M(transform)(M(line) *j)
{
  const th_fft_node *d = j->d;
  if (d->kind == TH_FFT_DIRECT) {
    M(one_lane)(j);
  } else if (d->kind == TH_FFT_SUM) {
    M(sum_line)(j);
  } else if (d->kind == TH_FFT_PRIME) {
    M(prime_line)(j);
  } else if (d->kind == TH_FFT_SPLIT && M(narrow)(d)) {
    /* Vectors are wider than rows: they read past the end of a copy. */
    const int64_t matrix = 2 * th_max(d->row->n, M(CHUNK)) * M(up)(d->column->n) * M(CHUNK);
    P *copy = j->middle + matrix;
    M(line) own = { .d = d, .from = copy, .to = j->to, .middle = j->middle, .form = j->form, .out = j->out, .factor = j->factor };
    memcpy(copy, j->from, sizeof(P) * 2 * (size_t)d->n);
    memset(copy + 2 * d->n, 0, sizeof(P) * 2 * M(PAIR));
    own.work = j->slots ? th_slot_take(j->slots) : j->work;
    M(each)(&own, M(up)(d->row->n), d->row->n % M(CHUNK), 1, M(columns));
    M(each)(&own, M(up)(d->column->n), d->column->n % M(CHUNK), 1, M(across_rows));
    if (j->slots) th_slot_give(j->slots, own.work);
  } else if (d->kind == TH_FFT_SPLIT) {
    M(each)(j, M(up)(d->row->n), d->row->n % M(CHUNK), 1, M(columns));
    M(each)(j, M(up)(d->column->n), d->column->n % M(CHUNK), 1, M(across_rows));
  } else {
    M(chirp_line)(j);
  }
}

/* ---- lanes ---- */

enum { M(FEW) = M(V) / 4 };         /* numbers of a line that are not worth a transpose */

/* n numbers of each of V lines become n vectors, and back. */
static void M(gather_lanes)(P *to, const P *const *from, int64_t n)
{
  int64_t i = 0;
  for (; n >= M(V) && i + M(FEW) < n; i += M(V)) {
    const int64_t at = th_min(i, n - M(V));         /* the last ones, some of them again */
    M(vec) v[M(V)];
#pragma GCC unroll 16
    for (int l = 0; l < M(V) / 2; l++) {
      const P *low = from[l] + at, *high = from[l + M(V) / 2] + at;
      v[l] = M(halves)(low, high), v[l + M(V) / 2] = M(halves)(low + M(V) / 2, high + M(V) / 2);
    }
    M(turn_halves)(v);
#pragma GCC unroll 16
    for (int l = 0; l < M(V); l++) ((M(vec) *)to)[at + l] = v[l];
  }
  for (; i < n; i++) for (int l = 0; l < M(V); l++) to[i * M(V) + l] = from[l][i];
}
static void M(scatter_lanes)(P *const *to, const P *from, int64_t n, int used)
{
  int64_t i = 0;
  for (; n >= M(V) && i + M(FEW) < n; i += M(V)) {
    const int64_t at = th_min(i, n - M(V));
    M(vec) v[M(V)];
#pragma GCC unroll 16
    for (int l = 0; l < M(V) / 2; l++) {
      const P *low = from + (at + l) * M(V), *high = from + (at + l + M(V) / 2) * M(V);
      v[l] = M(halves)(low, high), v[l + M(V) / 2] = M(halves)(low + M(V) / 2, high + M(V) / 2);
    }
    M(turn_halves)(v);
    if (used == M(V)) {
#pragma GCC unroll 16
      for (int l = 0; l < M(V); l++) *(M(loose) *)(to[l] + at) = v[l];
    } else {
      for (int l = 0; l < used; l++) *(M(loose) *)(to[l] + at) = v[l];
    }
  }
  for (; i < n; i++) for (int l = 0; l < used; l++) to[l][i] = from[i * M(V) + l];
}
