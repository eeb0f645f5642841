/* across.h - transforms of any kind in which every lane of the vectors has another line, in
 * several passes. Read once per computing type after pass.h. */

/* Transforms of a size in one pass, or of one line in several. */
static void M(direct)(const th_fft_node *d, const M(rows) *x, const M(rows) *y, const M(many) *all,
                      P *work, const M(after) *t)
{
  /* Pointers, for a copy of a structure just written waits until its parts are in the cache. */
  const M(rows) room[2] = { { work, M(PAIR), M(V), SPLIT },
                            { work + d->n * M(PAIR), M(PAIR), M(V), SPLIT } }, *from = x;
  int64_t s = 1, m = d->n;
  for (int i = 0; i < d->passes; i++) {
    const int radix = d->radix[i];
    const bool last = i == d->passes - 1;
    const M(rows) *to = last ? y : &room[i % 2];
    const M(after) *end = last && t->how != NOTHING ? t : NULL;
    m /= radix;
    switch (radix) {
      case 2: M(pass2)(from, to, all, m, s, d->roots[i], end); break;
      case 3: M(pass3)(from, to, all, m, s, d->roots[i], end); break;
      case 4: M(pass4)(from, to, all, m, s, d->roots[i], end); break;
      case 5: M(pass5)(from, to, all, m, s, d->roots[i], end); break;
      case 6: M(pass6)(from, to, all, m, s, d->roots[i], end); break;
      case 7: M(pass7)(from, to, all, m, s, d->roots[i], end); break;
      case 8: M(pass8)(from, to, all, m, s, d->roots[i], end); break;
      case 9: M(pass9)(from, to, all, m, s, d->roots[i], end); break;
      case 10: M(pass10)(from, to, all, m, s, d->roots[i], end); break;
      case 11: M(pass11)(from, to, all, m, s, d->roots[i], end); break;
      case 12: M(pass12)(from, to, all, m, s, d->roots[i], end); break;
      case 13: M(pass13)(from, to, all, m, s, d->roots[i], end); break;
      case 15: M(pass15)(from, to, all, m, s, d->roots[i], end); break;
      case 16: M(pass16)(from, to, all, m, s, d->roots[i], end); break;
      default: M(pass_odd)(radix, from, to, all, m, s, d->roots[i], d->wave[i], end);
    }
    from = to;
    s *= radix;
  }
  if (d->passes > 0) return;
  for (int64_t b = 0; b < all->count; b++) {        /* of one number */
    M(cx) v = M(take)(x->at + b * all->x, x->im, x->form);
    if (t->how != NOTHING) v = M(finished)(t, b, 0, v);
    M(give)(y->at + b * all->y, y->im, y->form, v);
  }
}

/* Vectors that a transform across lanes needs to work in. */
static int64_t M(room)(const th_fft_node *d)
{
  if (d->kind == TH_FFT_DIRECT) return 2 * d->n * 2;
  if (d->kind == TH_FFT_SUM) return 0;
  if (d->kind == TH_FFT_PRIME) return 2 * d->n + M(room)(d->padded);
  /* Odd real lines take half of a matrix, and a row and a column. */
  const int64_t own = d->pair_turns ? d->n + 3 * d->row->n + 2 * d->column->n : 2 * d->n;
  return own + th_max(M(room)(d->column), M(room)(d->row));
}

static void M(across)(const th_fft_node *d, const M(rows) *x, const M(rows) *y, P *work,
                      const M(after) *t);

/* Lines of a large prime size. The number at power q of the root becomes number q of a
 * convolution, whose number q belongs to power -q. Half of the powers later is n minus a power. */
static void M(prime_across)(const th_fft_node *d, const M(rows) *x, const M(rows) *y, P *work,
                            const M(after) *t)
{
  const int64_t m = d->n - 1, h = m / 2, xs = x->step, ys = y->step;
  const P *kernel = d->kernel;
  P *inner = work + d->n * M(PAIR);
  const M(after) none = { NOTHING, 1, NULL, 0, 0 };
  const M(cx) first = M(take)(x->at, x->im, x->form);
  for (int64_t q = 0; q < h; q++) {
    const int64_t k = d->order[q];
    M(give)(work + q * M(PAIR), M(V), SPLIT, M(take)(x->at + k * xs, x->im, x->form));
    M(give)(work + (q + h) * M(PAIR), M(V), SPLIT,
            M(take)(x->at + (d->n - k) * xs, x->im, x->form));
  }
  const M(rows) z = { work, M(PAIR), M(V), SPLIT },
                swapped = { work + M(V), M(PAIR), -M(V), SPLIT };
  M(across)(d->padded, &z, &z, inner, &none);
  M(cx) all = M(take)(work, M(V), SPLIT);
  all.re += first.re, all.im += first.im;
  for (int64_t q = 0; q < m; q++) {
    M(cx) v = M(take)(work + q * M(PAIR), M(V), SPLIT);
    v = M(turned_by)(v, kernel[2 * q] - (M(vec)){ 0 }, -kernel[2 * q + 1] - (M(vec)){ 0 });
    if (q == 0) v.re += first.re, v.im += first.im;
    M(give)(work + q * M(PAIR), M(V), SPLIT, v);
  }
  M(across)(d->padded, &swapped, &swapped, inner, &none);
  for (int64_t q = 0; q < h; q++) {
    const int64_t k = d->order[h - q];
    M(cx) low = M(take)(work + (q + h) * M(PAIR), M(V), SPLIT),
        high = M(take)(work + q * M(PAIR), M(V), SPLIT);
    if (t->how != NOTHING) low = M(finished)(t, 0, k, low),
        high = M(finished)(t, 0, d->n - k, high);
    M(give)(y->at + k * ys, y->im, y->form, low);
    M(give)(y->at + (d->n - k) * ys, y->im, y->form, high);
  }
  if (t->how != NOTHING) all = M(finished)(t, 0, 0, all);
  M(give)(y->at, y->im, y->form, all);
}

/* Many transforms across lanes. */
static void M(each_across)(const th_fft_node *d, const M(rows) *x, const M(rows) *y,
                           const M(many) *all, P *work,
                           const M(after) *t)
{
  if (d->kind == TH_FFT_DIRECT && d->passes < 2) {
    M(direct)(d, x, y, all, work, t);
    return;
  }
  const M(many) one = { 1, 0, 0 };
  for (int64_t b = 0; b < all->count; b++) {
    const M(rows) from = { x->at + b * all->x, x->step, x->im, x->form },
                  to = { y->at + b * all->y, y->step, y->im, y->form };
    const M(after) end = { t->how, t->factor, t->turns + b * t->next, t->step, 0 };
    if (d->kind == TH_FFT_DIRECT) M(direct)(d, &from, &to, &one, work, &end);
    else M(across)(d, &from, &to, work, &end);
  }
}

/* The transform of a matrix. */
static void M(split_across)(const th_fft_node *d, const M(rows) *x, const M(rows) *y, P *work,
                            const M(after) *t)
{
  const int64_t columns = d->row->n, rows = d->column->n;
  P *inner = work + d->n * M(PAIR);
  for (int64_t c = 0, l = 0; l < columns; c++, l += M(CHUNK)) {
    const M(rows) from = { x->at + l * x->step, x->step * columns, x->im, x->form };
    const M(rows) to = { work + l * rows * M(PAIR), M(PAIR), M(V), SPLIT };
    const M(many) chunk = { th_min(M(CHUNK), columns - l), x->step, rows * M(PAIR) };
    const M(after) turn = { .how = TURN_ALL, .step = 2 * M(CHUNK), .next = 1,
                            .turns = (const P *)d->turns +
                            c * rows * 2 * M(CHUNK) + l - th_fft_chunk_at(c, M(CHUNK), columns) };
    M(each_across)(d->column, &from, &to, &chunk, inner, &turn);
  }
  const M(rows) from = { work, rows * M(PAIR), M(V), SPLIT },
                to = { y->at, y->step * rows, y->im, y->form };
  const M(many) all = { rows, M(PAIR), y->step };
  const M(after) end = { t->how, t->factor, t->turns, t->step * rows, t->step };
  M(each_across)(d->row, &from, &to, &all, inner, &end);
}

/* The transform of the lines x, to y, which may be x. */
static void M(across)(const th_fft_node *d, const M(rows) *x, const M(rows) *y, P *work,
                      const M(after) *t)
{
  const M(many) one = { 1, 0, 0 };
  if (d->kind == TH_FFT_DIRECT) M(direct)(d, x, y, &one, work, t);
  else if (d->kind == TH_FFT_SUM) M(sum_across)(d, x, y, t);
  else if (d->kind == TH_FFT_PRIME) M(prime_across)(d, x, y, work, t);
  else M(split_across)(d, x, y, work, t);
}

/* The halves of two rows as a vector: memory does what a shuffle would. */
TH_INLINE M(vec) M(halves)(const P *low, const P *high)
{
  M(vec) v;
#if TH_VB == 64
  const __m256i *a = (const __m256i *)(const void *)low, *b = (const __m256i *)(const void *)high;
  const __m512i first = _mm512_castsi256_si512(_mm256_loadu_si256(a));
  v = (M(vec))_mm512_inserti64x4(first, _mm256_loadu_si256(b), 1);
#elif TH_VB == 32
  const __m128i *a = (const __m128i *)(const void *)low, *b = (const __m128i *)(const void *)high;
  const __m256i first = _mm256_castsi128_si256(_mm_loadu_si128(a));
  v = (M(vec))_mm256_inserti128_si256(first, _mm_loadu_si128(b), 1);
#else
  memcpy(&v, low, sizeof v / 2);
  memcpy((char *)&v + sizeof v / 2, high, sizeof v / 2);
#endif
  return v;
}

/* Columns of V x V numbers become rows, where the halves of rows V / 2 apart have been joined. */
#define EXCHANGE(h, low, high) \
  _Pragma("GCC unroll 16") \
  for (int i = 0; i < M(V); i++) { \
    if (i & (h)) continue; \
    const M(vec) a = v[i], b = v[i + (h)]; \
    v[i] = TH_SHUFFLE(a, b, low); \
    v[i + (h)] = TH_SHUFFLE(a, b, high); \
  }
TH_INLINE void M(turn_halves)(M(vec) *v)            /* all but the largest blocks */
{
  if (M(V) > 2) {
    EXCHANGE(1, TH_PLACE_LOW1, TH_PLACE_HIGH1)
  }
  if (M(V) > 4) {
    EXCHANGE(2 % M(V), TH_PLACE_LOW2, TH_PLACE_HIGH2)
  }
  if (M(V) > 8) {
    EXCHANGE(4 % M(V), TH_PLACE_LOW4, TH_PLACE_HIGH4)
  }
}
#undef EXCHANGE
