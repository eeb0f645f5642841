/* primes.h - lines of sizes with large prime factors, as convolutions. Read once per computing type after line.h. */

/* ---- convolutions ---- */

/* The product with a spectrum in the order of its line. */
static void M(product_part)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const int64_t n = j->points;
  for (int64_t i = first * M(BLOCK); i < th_min(n, last * M(BLOCK)); i += M(V)) {
    const M(cx) w = M(take_some)(j->kernel + 2 * i, n - i, PAIRS);
    const M(cx) v = M(take_some)(j->to + 2 * i, n - i, PAIRS);
    M(give_some)(j->to + 2 * i, n - i, PAIRS, M(turned_by)(v, w.re, -w.im));
  }
}
static void M(apply_kernel)(M(line) *j, P *z, int64_t points)
{
  P *const to = j->to;
  j->to = z;
  j->points = points;
  M(each)(j, (points - 1) / M(BLOCK) + 1, false, 4, M(product_part));
  j->to = to;
}

/* Rows of the middle become spectra, which are multiplied, and come back. The kernel lies as the turns of columns do: for each
 * chunk of rows, for each number of a row, the cosines of the chunk, then its sines. */
static void M(convolve_rows)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const th_fft_node *d = j->d;
  const int64_t columns = d->row->n;
  const M(after) none = { NOTHING, 1, NULL, 0, 0 };
  P *aside = j->slots ? th_slot_take(j->slots) : j->work, *work = aside + columns * M(PAIR);
  const M(rows) spectra = { aside, M(PAIR), M(V), SPLIT }, back = { aside + M(V), M(PAIR), -M(V), SPLIT };
  for (int64_t c = first; c < last && !(j->slots && th_interrupted()); c++) {
    for (int64_t lane = 0; lane < M(CHUNK); lane += M(V)) {
      P *block = j->middle + (c * M(CHUNK) + lane) / M(V) * columns * M(PAIR);
      const M(rows) from = { block, M(PAIR), M(V), SPLIT }, to = { block + M(V), M(PAIR), -M(V), SPLIT };
      const M(after) product = { .how = TURN_LANES, .turns = j->kernel + c * columns * 2 * M(CHUNK) + lane,
                                 .step = 2 * M(CHUNK) };
      M(across)(d->row, &from, &spectra, work, &product);
      M(across)(d->row, &back, &to, work, &none);
    }
  }
  if (j->slots) th_slot_give(j->slots, aside);
}

/* Vectors of the chirp or the weights. */
TH_INLINE M(cx) M(chirp_at)(const th_fft_node *d, int64_t i, int64_t n)
{
  return M(take)((const P *)d->chirp + i, M(up)(n) * M(CHUNK), SPLIT);
}

/* Number i of a line and those behind it, times the chirp; and back. */
TH_INLINE M(cx) M(chirped_at)(const M(line) *j, int64_t i)
{
  const int64_t n = j->d->n;
  const M(cx) w = M(chirp_at)(j->d, i, n), x = M(take_some)(j->from + 2 * i, n - i, j->form);
  return M(turned_by)(x, w.re, w.im);
}
TH_INLINE void M(chirp_back)(const M(line) *j, int64_t i, M(cx) v)
{
  const int64_t n = j->d->n;
  const M(cx) w = M(chirp_at)(j->d, i, n);
  v = M(turned_by)(v, w.re, w.im);
  v.re *= j->factor, v.im *= j->factor;
  M(give_some)(j->to + 2 * i, n - i, j->out, v);
}

/* A vector of columns of a chirp's convolution, from the numbers of line j; and back. A column is
 * longer than the line's part of it: the caller has set its rest to zero. */
static void M(chirp_column)(const M(line) *j, int64_t column, const th_fft_node *d, P *to)
{
  const M(cx) none = { 0 };
  for (int64_t i = column; i - column < j->d->n; to += M(PAIR), i += d->row->n) {
    M(give)(to, M(V), SPLIT, i < j->d->n ? M(chirped_at)(j, i) : none);
  }
}
static void M(column_out)(const M(line) *j, int64_t column, const th_fft_node *d, const P *from)
{
  for (int64_t k = 0, i = column; i < j->d->n; k++, i += d->row->n) {
    M(chirp_back)(j, i, M(take)(from + k * M(PAIR), M(V), SPLIT));
  }
}

/* Chunks of the middle's rows become columns again. */
static void M(columns_back)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const th_fft_node *d = j->d;
  const int64_t columns = d->row->n, rows = d->column->n;
  const M(after) none = { NOTHING, 1, NULL, 0, 0 };
  P *aside = j->slots ? th_slot_take(j->slots) : j->work, *work = aside + rows * M(PAIR);
  const M(rows) chirped = { aside + M(V), M(PAIR), -M(V), SPLIT };
  if (M(up)(columns) > 1 && columns % M(CHUNK) && last == M(up)(columns) - 1) last++;
  for (int64_t c = first; c < last && !(j->slots && th_interrupted()); c++) {
    for (int64_t lane = 0; lane < M(CHUNK); lane += M(V)) {
      const int64_t column = th_fft_chunk_at(c, M(CHUNK), columns) + lane;
      const P *block = j->middle + column * M(PAIR), *turns = (const P *)d->turns + c * rows * 2 * M(CHUNK) + lane;
      for (int64_t b = 0; b < M(up)(rows) * (M(CHUNK) / M(V)); b++, block += columns * M(PAIR)) {
        const int64_t k = th_fft_chunk_at(b / (M(CHUNK) / M(V)), M(CHUNK), rows) + b % (M(CHUNK) / M(V)) * M(V);
        M(vec) re[M(V)], im[M(V)];
        M(parts_turned)(block, 0, re);
        M(parts_turned)(block, 1, im);
#pragma GCC unroll 16
        for (int64_t i = 0; i < M(V); i++) {        /* exchanged, as the transform takes them */
          const M(cx) v = { im[i], re[i] };
          M(give)(aside + (k + i) * M(PAIR), M(V), SPLIT,
                  M(turned_at)(TURN_LANES, turns + (k + i) * 2 * M(CHUNK), v));
        }
      }
      const M(rows) from = { aside, M(PAIR), M(V), SPLIT };
      const M(rows) to = { j->to + column + j->planar, columns, -j->planar, SPLIT };
      M(across)(d->column, &from, j->chirped ? &chirped : &to, work, &none);
      if (j->chirped) M(column_out)(j->chirped, column, d, aside);
    }
  }
  if (j->slots) th_slot_give(j->slots, aside);
}

/* Where a convolution keeps its order, the imaginary parts of its numbers lie so far behind the
 * real ones; 0: as pairs. */
static int64_t M(planes)(const th_fft_node *d)
{
  return M(keeps_order)(d->padded) ? M(pairs_of)(d) / 2 : 0;
}
TH_INLINE void M(put_number)(P *z, int64_t i, int64_t count, int64_t planar, M(cx) v)
{
  if (planar) M(give)(z + i, planar, SPLIT, v);
  else M(give_some)(z + 2 * i, count, PAIRS, v);
}
TH_INLINE M(cx) M(get_number)(const P *z, int64_t i, int64_t count, int64_t planar)
{
  return planar ? M(take)(z + i, planar, SPLIT) : M(take_some)(z + 2 * i, count, PAIRS);
}

/* The convolution of the numbers z, as many as d transforms, with what `kernel` is the spectrum
 * of. `middle` lies behind z, or is z if the columns come from the line. */
static void M(convolve)(const M(line) *line, const th_fft_node *d, P *z)
{
  M(line) j = { .d = d->padded, .from = z, .to = z, .middle = z + M(middle_of)(d), .kernel = d->kernel, .form = PAIRS,
                .out = PAIRS, .factor = 1, .slots = line->slots, .work = line->work };
  j.planar = M(planes)(d);
  j.chirped = M(chirps_columns)(d) ? line : NULL;
  if (j.planar) {
    const int64_t columns = j.d->row->n, chunks = M(up)(columns);
    M(each)(&j, chunks, columns % M(CHUNK), 1, M(columns));
    M(each)(&j, M(up)(j.d->column->n), false, 1, M(convolve_rows));
    M(each)(&j, chunks, columns % M(CHUNK), 1, M(columns_back));
    return;
  }
  M(transform)(&j);
  M(apply_kernel)(&j, z, j.d->n);
  j.form = j.out = SWAPPED;
  M(transform)(&j);
}

/* ---- sizes with large factors: products with a chirp before and after ---- */

static void M(chirp_in)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const int64_t n = j->d->n, planar = M(planes)(j->d);
  for (int64_t i = first * M(BLOCK); i < th_min(n, last * M(BLOCK)); i += M(V)) {
    M(put_number)(j->middle, i, n - i, planar, M(chirped_at)(j, i));
  }
}
static void M(chirp_out)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const int64_t n = j->d->n, planar = M(planes)(j->d);
  for (int64_t i = first * M(BLOCK); i < th_min(n, last * M(BLOCK)); i += M(V)) {
    M(chirp_back)(j, i, M(get_number)(j->middle, i, n - i, planar));
  }
}

static void M(chirp_line)(M(line) *j)
{
  if (M(chirps_columns)(j->d)) {
    M(convolve)(j, j->d, j->middle);
    return;
  }
  const int64_t n = j->d->n, blocks = (n - 1) / M(BLOCK) + 1;
  M(each)(j, blocks, false, 4, M(chirp_in));
  const int64_t planar = M(planes)(j->d), rest = j->d->padded->n - n;
  memset(j->middle + (planar ? n : 2 * n), 0, sizeof(P) * (size_t)(planar ? rest : 2 * rest));
  if (planar) memset(j->middle + planar + n, 0, sizeof(P) * (size_t)rest);
  M(convolve)(j, j->d, j->middle);
  M(each)(j, blocks, false, 4, M(chirp_out));
}

/* ---- primes ---- */

/* A line of a large prime size, in the order of the convolution and back: pairs, of which the input's or results' parts may be
 * exchanged. */
static void M(prime_in)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const int64_t n = j->d->n, h = n / 2, re = j->form == SWAPPED, im = 1 - re;
  for (int64_t q = first * M(BLOCK); q < th_min(h, last * M(BLOCK)); q++) {
    const int64_t k = j->d->order[q];
    P *low = j->middle + 2 * q, *high = low + 2 * h;
    low[0] = j->from[2 * k + re], low[1] = j->from[2 * k + im];
    high[0] = j->from[2 * (n - k) + re], high[1] = j->from[2 * (n - k) + im];
  }
}
static void M(prime_out)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const int64_t n = j->d->n, h = n / 2, re = j->out == SWAPPED, im = 1 - re;
  const P factor = j->factor;
  for (int64_t q = first * M(BLOCK); q < th_min(h, last * M(BLOCK)); q++) {
    const int64_t k = j->d->order[h - q];
    const P *high = j->middle + 2 * q, *low = high + 2 * h;
    j->to[2 * k + re] = low[0] * factor, j->to[2 * k + im] = low[1] * factor;
    j->to[2 * (n - k) + re] = high[0] * factor, j->to[2 * (n - k) + im] = high[1] * factor;
  }
}
static void M(prime_line)(M(line) *j)
{
  const th_fft_node *d = j->d;
  const int64_t blocks = (d->n / 2 - 1) / M(BLOCK) + 1, re = j->form == SWAPPED, to_re = j->out == SWAPPED;
  const P first = j->from[re], second = j->from[1 - re];
  P *z = j->middle;
  M(line) whole = { .d = d->padded, .from = z, .to = z, .middle = z + M(middle_of)(d), .form = PAIRS, .out = PAIRS, .factor = 1,
                    .kernel = d->kernel, .slots = j->slots, .work = j->work };
  M(each)(j, blocks, false, 2, M(prime_in));
  M(transform)(&whole);
  const P all_re = z[0] + first, all_im = z[1] + second;
  M(apply_kernel)(&whole, z, d->padded->n);
  z[0] += first, z[1] += second;
  whole.form = whole.out = SWAPPED;
  M(transform)(&whole);
  M(each)(j, blocks, false, 2, M(prime_out));
  j->to[to_re] = all_re * j->factor, j->to[1 - to_re] = all_im * j->factor;
}

/* Real lines of a large prime size. The sums of cos + sin, of which real and imaginary parts are sums and differences, are a
 * convolution of real numbers, and its own inverse. SWAPPED: from half of a spectrum to real numbers. */
static void M(prime_real_in)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const int64_t n = j->d->n, h = n / 2;
  const P *from = j->from;
  for (int64_t q = first * M(BLOCK); q < th_min(h, last * M(BLOCK)); q++) {
    const int64_t k = j->d->order[q];
    P *low = j->reals + q, *high = low + h;
    if (j->form == SWAPPED) {
      const int64_t at = 2 * th_min(k, n - k);
      const P less = (from[at] - from[at + 1]) * j->inner, more = (from[at] + from[at + 1]) * j->inner;
      *low = k > h ? more : less, *high = k > h ? less : more;
    } else {
      *low = from[k], *high = from[n - k];
    }
  }
}
static void M(prime_real_out)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const int64_t n = j->d->n, h = n / 2;
  const P half = (P)0.5 * j->factor * j->inner;
  for (int64_t q = first * M(BLOCK); q < th_min(h, last * M(BLOCK)); q++) {
    const int64_t k = j->d->order[h - q];
    const P high = j->reals[q], low = j->reals[q + h];
    if (j->form == SWAPPED) {
      j->to[k] = low * j->factor, j->to[n - k] = high * j->factor;
    } else {
      P *to = j->to + 2 * th_min(k, n - k);
      to[0] = (high + low) * half, to[1] = (k > h ? low - high : high - low) * half;
    }
  }
}
static void M(prime_real_line)(M(line) *j, const P *roots)
{
  const th_fft_node *d = j->d;
  const int64_t h = d->n / 2, blocks = (h - 1) / M(BLOCK) + 1;
  const P first = j->from[0];
  P *z = j->middle;
  M(line) whole = { .d = d->padded, .from = z, .to = z, .middle = z + M(middle_of)(d), .form = PAIRS, .out = PAIRS,
                    .factor = (P)0.5, .inner = 1, .kernel = d->kernel, .slots = j->slots, .work = j->work };
  j->reals = z;
  M(each)(j, blocks, false, 2, M(prime_real_in));
  M(real_line)(&whole, h, roots, 1);
  const P all = z[0] + first;
  M(apply_kernel)(&whole, z, h + 1);
  z[0] += first;
  whole.form = whole.out = SWAPPED;
  M(whole_line)(&whole, h, roots, z);
  M(each)(j, blocks, false, 2, M(prime_real_out));
  j->to[0] = all * j->factor;
  if (j->form != SWAPPED) j->to[1] = 0;
}

/* The same by a longer convolution, where n - 1 has large factors. Numbers k of N are turned by k / (4 N) of a circle before it
 * and back after it, so that N complex numbers convolve 2 N real ones, whose second half is zero here. */
static void M(weights_in)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const int64_t n = j->d->padded->n, planar = M(planes)(j->d);
  for (int64_t i = first * M(BLOCK); i < th_min(n, last * M(BLOCK)); i += M(V)) {
    const M(vec) x = *(const M(vec) *)(j->reals + i);
    const M(cx) w = M(chirp_at)(j->d, i, n);
    M(put_number)(j->middle, i, n - i, planar, (M(cx)){ x * w.re, x * w.im });
  }
}
static void M(weights_out)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const int64_t n = j->d->padded->n, planar = M(planes)(j->d);
  const P more = j->first;
  for (int64_t i = first * M(BLOCK); i < th_min(n, last * M(BLOCK)); i += M(V)) {
    const M(cx) w = M(chirp_at)(j->d, i, n), v = M(get_number)(j->middle, i, n - i, planar);
    *(M(vec) *)(j->reals + i) = M_FMA(v.im, w.im, v.re * w.re) + more;
  }
}

/* The sum of n numbers, up to the next whole vector: in the lanes of blocks, so that the sum of many rounds as little as their
 * transform. */
static P M(sum_of)(const P *x, int64_t n)
{
  P all = 0;
  for (int64_t i = 0; i < n;) {
    M(vec) part = { 0 };
    for (const int64_t end = th_min(n, i + M(BLOCK)); i < end; i += M(V)) part += *(const M(vec) *)(x + i);
    P sum = 0;
    for (int l = 0; l < M(V); l++) sum += part[l];
    all += sum;
  }
  return all;
}

static void M(weighted_line)(M(line) *j)
{
  const th_fft_node *d = j->d;
  const int64_t n = d->padded->n, h = d->n / 2, blocks = (h - 1) / M(BLOCK) + 1, whole = (n - 1) / M(BLOCK) + 1;
  j->first = j->from[0];
  j->reals = j->middle + M(pairs_of)(d);
  M(each)(j, blocks, false, 2, M(prime_real_in));
  memset(j->reals + 2 * h, 0, sizeof(P) * (size_t)(M(up)(n) * M(CHUNK) - 2 * h));
  const P all = j->first + M(sum_of)(j->reals, 2 * h);
  M(each)(j, whole, false, 4, M(weights_in));
  M(convolve)(j, d, j->middle);
  M(each)(j, whole, false, 4, M(weights_out));
  M(each)(j, blocks, false, 2, M(prime_real_out));
  j->to[0] = all * j->factor;
  if (j->form != SWAPPED) j->to[1] = 0;
}

/* ---- side by side ---- */

/* Real lines of a large prime size, side by side; back: from half of their spectra. */
static __attribute__((noinline)) void M(prime_real_across)(const th_fft_plan *plan, const M(rows) *x, const M(rows) *y, P *work,
                                                           P factor, P inner, bool back)
{
  const th_fft_node *d = plan->node;
  const int64_t n = d->n, h = n / 2;
  const P *kernel = d->kernel, half = (P)0.5 * factor * inner;
  P *room = work + d->n * M(PAIR);
  const M(after) none = { NOTHING, 1, NULL, 0, 0 };
  const M(rows) z = { work, M(PAIR), M(V), SPLIT }, swapped = { work + M(V), M(PAIR), -M(V), SPLIT };
  const M(vec) first = back ? M(take)(x->at, x->im, x->form).re : M(take_real)(x, 0);
  for (int64_t q = 0; q < h; q++) {
    const int64_t k = d->order[q];
    if (back) {
      const M(cx) v = M(take)(x->at + th_min(k, n - k) * x->step, x->im, x->form);
      const M(vec) less = (v.re - v.im) * inner, more = (v.re + v.im) * inner;
      M(give_real)(&z, q, k > h ? more : less);
      M(give_real)(&z, q + h, k > h ? less : more);
    } else {
      M(give_real)(&z, q, M(take_real)(x, k));
      M(give_real)(&z, q + h, M(take_real)(x, n - k));
    }
  }
  M(across)(d->padded, &z, &z, room, &none);
  M(mix_rows)(&z, &z, h, plan->roots, (P)0.5, 1, false);
  const M(vec) all = M(take_real)(&z, 0) + first;
  for (int64_t k = 0; k <= h; k++) {
    M(cx) v = M(take)(work + k * M(PAIR), M(V), SPLIT);
    v = M(turned_by)(v, kernel[2 * k] - (M(vec)){ 0 }, -kernel[2 * k + 1] - (M(vec)){ 0 });
    if (k == 0) v.re += first;
    M(give)(work + k * M(PAIR), M(V), SPLIT, v);
  }
  M(mix_rows)(&z, &z, h, plan->roots, 1, 1, true);
  M(across)(d->padded, &swapped, &swapped, room, &none);
  for (int64_t q = 0; q < h; q++) {
    const int64_t k = d->order[h - q];
    const M(vec) high = M(take_real)(&z, q), low = M(take_real)(&z, q + h);
    if (back) {
      M(give_real)(y, k, low * factor);
      M(give_real)(y, n - k, high * factor);
    } else {
      M(give)(y->at + th_min(k, n - k) * y->step, y->im, y->form,
              (M(cx)){ (high + low) * half, (k > h ? low - high : high - low) * half });
    }
  }
  if (back) M(give_real)(y, 0, all * factor);
  else M(give)(y->at, y->im, y->form, (M(cx)){ all * factor, (M(vec)){ 0 } });
}

/* ---- plans ---- */

/* Spectrum z in the order in which rows of the middle are multiplied. */
static void M(order_kernel)(const th_fft_node *d, const P *z, P *to)
{
  const int64_t columns = d->row->n, rows = d->column->n;
  for (int64_t c = 0; c < M(up)(rows); c++) {
    const P *from = z + 2 * th_fft_chunk_at(c, M(CHUNK), rows);
    for (int64_t i = 0; i < columns; i++, from += 2 * rows, to += 2 * M(CHUNK)) {
      for (int64_t l = 0; l < M(CHUNK); l += M(V)) {
        const M(cx) v = M(take)(from + 2 * l, 0, PAIRS);
        *(M(loose) *)(to + l) = v.re, *(M(loose) *)(to + M(CHUNK) + l) = -v.im;
      }
    }
  }
}

/* The numbers that a chirp's convolution is with. */
static void M(chirp_kernel)(const th_fft_node *d, P *restrict z)
{
  typedef P number __attribute__((vector_size(2 * sizeof(P)), aligned(sizeof(P)), may_alias));
  const int64_t n = d->padded->n, most = d->n;
  const P *chirp = d->chirp, *sines = chirp + M(up)(most) * M(CHUNK);
  for (int64_t k = 0; k < most; k++) z[2 * k] = chirp[k], z[2 * k + 1] = sines[k];
  memset(z + 2 * most, 0, sizeof(P) * 2 * (size_t)(n - 2 * most + 1));
  number *const to = (number *)(void *)z;
  for (int64_t k = 1; k < most; k++) to[n - k] = to[k];
}

/* The spectrum that a plan of a convolution multiplies with. */
static th_status M(finish)(th_fft_plan *p)
{
  const th_fft_node *d = p->node;
  if (d->kind != TH_FFT_CHIRP && d->kind != TH_FFT_PRIME && d->kind != TH_FFT_WEIGHTED) return TH_OK;
  const bool ordered = d->kind != TH_FFT_PRIME && M(keeps_order)(d->padded);
  const int64_t n = d->padded->n, own = ordered ? 2 * M(up)(n) * M(CHUNK) : 0;
  const int64_t room = own + M(step_room)(d->padded) + M(middle_room)(d->padded) + 4 * M(V);
  P *memory = th_scratch(sizeof(P) * (size_t)room), *z = ordered ? memory : d->kernel, *work = memory + own;
  if (!memory) return th_no_scratch((int64_t)sizeof(P) * room);
  M(line) j = { .d = d->padded, .from = z, .to = z, .form = PAIRS, .out = PAIRS, .factor = 1 / (P)n, .work = work,
                .middle = work + (M(step_room)(d->padded) + M(V)) / M(V) * M(V) };
  if (d->kind == TH_FFT_CHIRP) M(chirp_kernel)(d, z);
  else if (ordered) memcpy(z, d->kernel, sizeof(P) * 2 * (size_t)n);
  if (d->kind == TH_FFT_PRIME && d->n == p->n && p->folded) {
    j.factor = (P)0.25 / (P)n;
    M(real_line)(&j, n, p->roots, (P)0.5 / (P)n);
  } else {
    M(transform)(&j);
  }
  if (ordered) M(order_kernel)(d->padded, z, d->kernel);
  th_scratch_free(memory);
  return TH_OK;
}
