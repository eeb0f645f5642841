/* odd.h - real lines of odd sizes that are matrices of R rows and C columns. Two columns are the
 * parts of a complex one, and of the rows k and R - k between the steps, which are conjugates,
 * one is transformed. So a line takes half of a complex one's operations, both ways. Read once
 * per computing type after primes.h.
 *
 * Columns l and l + C / 2 are a pair, for l from 0 to C / 2. Column C / 2 is the first one of
 * the last pair: what the pair of column 0 gives for it is left out. */

static int64_t M(pairs_in)(const th_fft_node *d) { return d->row->n / 2 + 1; }
static int64_t M(rows_in)(const th_fft_node *d) { return d->column->n / 2 + 1; }

/* Vectors between the steps for each row: pairs in whole chunks. */
static int64_t M(slots_of)(const th_fft_node *d)
{
  return d->row->n / 2 + M(up)(M(pairs_in)(d)) * M(CHUNK);
}

/* Numbers that a line needs between the steps, with a copy of a short one; that one thread needs
 * for a step. */
static int64_t M(odd_middle)(const th_fft_node *d)
{
  const int64_t copy = M(up)(d->n + 2 * M(CHUNK)) * M(CHUNK);
  return M(slots_of)(d) * 2 * M(up)(M(rows_in)(d)) * M(CHUNK) + copy;
}
static int64_t M(odd_step)(const th_fft_node *d)
{
  const int64_t halves = 2 * M(up)(M(rows_in)(d)) * M(CHUNK) * M(PAIR);
  const int64_t columns = d->column->n * M(PAIR) + halves + M(room)(d->column) * M(V);
  return th_max(columns, (2 * d->row->n + M(room)(d->row)) * M(PAIR));
}

/* The first row in block b of `count` rows between the steps. */
static int64_t M(block_row)(int64_t b, int64_t count)
{
  const int64_t chunk = b * M(V) / M(CHUNK);
  return th_fft_chunk_at(chunk, M(CHUNK), count) + b * M(V) % M(CHUNK);
}

/* From the transform of a pair of columns, numbers k and R - k: twice number k of both. */
TH_INLINE void M(part)(M(cx) a, M(cx) b, M(cx) *one, M(cx) *two)
{
  *one = (M(cx)){ a.re + b.re, a.im - b.im };
  *two = (M(cx)){ a.im + b.im, b.re - a.re };
}
/* The way back, to numbers k and R - k. */
TH_INLINE void M(unite)(M(cx) one, M(cx) two, M(cx) *a, M(cx) *b)
{
  *a = (M(cx)){ one.re - two.im, one.im + two.re };
  *b = (M(cx)){ one.re + two.im, two.re - one.im };
}

/* ---- one line ---- */

/* Pairs of columns become chunks of the rows between the steps. */
static void M(odd_columns)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const th_fft_node *d = j->d;
  const int64_t columns = d->row->n, rows = d->column->n, apart = columns / 2;
  const int64_t pairs = M(pairs_in)(d), half = M(rows_in)(d);
  const int64_t padded = M(up)(half) * M(CHUNK), slots = M(slots_of)(d);
  P *z = j->slots ? th_slot_take(j->slots) : j->work, *one = z + rows * M(PAIR);
  P *two = one + padded * M(PAIR), *work = two + padded * M(PAIR);
  const M(after) none = { NOTHING, 1, NULL, 0, 0 };
  memset(one + half * M(PAIR), 0, sizeof(P) * (size_t)((padded - half) * M(PAIR)));
  memset(two + half * M(PAIR), 0, sizeof(P) * (size_t)((padded - half) * M(PAIR)));
  if (M(up)(pairs) > 1 && pairs % M(CHUNK) && last == M(up)(pairs) - 1) last++;
  for (int64_t c = first; c < last && !(j->slots && th_interrupted()); c++) {
    M(fetch_soon)(j, 0, c, M(up)(pairs));
    /* Backwards: the second columns are written where lanes without a pair have written. */
    for (int64_t lane = (th_min(M(CHUNK), pairs) - 1) / M(V) * M(V); lane >= 0; lane -= M(V)) {
      const int64_t l = th_fft_chunk_at(c, M(CHUNK), pairs) + lane;
      const M(rows) from = { (P *)(uintptr_t)(j->from + l), columns, apart, SPLIT };
      const M(rows) to = { z, M(PAIR), M(V), SPLIT };
      M(across)(d->column, &from, &to, work, &none);
      const P *w = (const P *)d->pair_turns + c * half * 4 * M(CHUNK) + lane;
      for (int64_t k = 0; k < half; k++, w += 4 * M(CHUNK)) {
        M(cx) a, b;
        M(part)(M(take)(z + k * M(PAIR), M(V), SPLIT),
                M(take)(z + (k ? rows - k : 0) * M(PAIR), M(V), SPLIT), &a, &b);
        a = M(turned_by)(a, *(const M(loose) *)w, *(const M(loose) *)(w + M(CHUNK)));
        b = M(turned_by)(b, *(const M(loose) *)(w + 2 * M(CHUNK)),
                         *(const M(loose) *)(w + 3 * M(CHUNK)));
        M(give)(one + k * M(PAIR), M(V), SPLIT, a);
        M(give)(two + k * M(PAIR), M(V), SPLIT, b);
      }
      P *block = j->middle + l * M(PAIR);
      for (int64_t b = 0; b < M(up)(half) * (M(CHUNK) / M(V)); b++, block += slots * M(PAIR)) {
        const int64_t k = M(block_row)(b, half);
        P square[M(V) * M(PAIR)] __attribute__((aligned(TH_VB))),
          *const at = block + apart * M(PAIR);
        M(turn_square)(one + k * M(PAIR), block);
        M(turn_square)(two + k * M(PAIR), l == 0 ? square : at);
        if (l == 0) memcpy(at + M(PAIR), square + M(PAIR), sizeof square - sizeof(P) * M(PAIR));
      }
    }
  }
  if (j->slots) th_slot_give(j->slots, z);
}

/* The rows, of which vectors of `count` become the numbers k + i R of half of the spectrum, or
 * the conjugates of n minus them. */
static void M(odd_rows)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const th_fft_node *d = j->d;
  const int64_t columns = d->row->n, rows = d->column->n;
  const int64_t half = M(rows_in)(d), slots = M(slots_of)(d);
  const M(after) none = { NOTHING, 1, NULL, 0, 0 };
  const P most = (P)0.5 * j->factor * j->inner, ends = (P)0.5 * j->factor;
  P *aside = j->slots ? th_slot_take(j->slots) : j->work, *work = aside + columns * M(PAIR);
  if (M(up)(half) > 1 && half % M(CHUNK) && last == M(up)(half) - 1) last++;
  for (int64_t c = first; c < last && !(j->slots && th_interrupted()); c++) {
    M(fetch_soon)(j, 1, c, M(up)(half));
    for (int64_t lane = 0; lane < th_min(M(CHUNK), half); lane += M(V)) {
      const int64_t k = th_fft_chunk_at(c, M(CHUNK), half) + lane, count = th_min(M(V), half - k);
      const M(rows) from = { j->middle + (c * M(CHUNK) + lane) / M(V) * slots * M(PAIR), M(PAIR),
                             M(V), SPLIT };
      const M(rows) to = { aside, M(PAIR), M(V), SPLIT };
      M(across)(d->row, &from, &to, work, &none);
      for (int64_t i = 0; i < columns; i++) {
        M(cx) v = M(take)(aside + i * M(PAIR), M(V), SPLIT);
        v.re *= most, v.im *= most;
        if (i <= columns / 2) {
          M(give_some)(j->to + 2 * (k + i * rows), count, PAIRS, v);
          continue;
        }
        P *to_end = j->to + 2 * (d->n - k - i * rows + 1),
          p[M(PAIR)] __attribute__((aligned(TH_VB)));
        v.im = -v.im;
        if (count == M(V)) {
          M(give_turned)(to_end - M(PAIR), v);
        } else {
          M(give_turned)(p, v);
          memcpy(to_end - 2 * count, p + M(PAIR) - 2 * count, sizeof(P) * 2 * (size_t)count);
        }
      }
      if (k == 0) j->to[0] = aside[0] * ends, j->to[1] = 0;
    }
  }
  if (j->slots) th_slot_give(j->slots, aside);
}

/* Half of a spectrum becomes the rows between the steps. */
static void M(odd_rows_back)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const th_fft_node *d = j->d;
  const int64_t columns = d->row->n, rows = d->column->n;
  const int64_t half = M(rows_in)(d), slots = M(slots_of)(d);
  const M(after) none = { NOTHING, 1, NULL, 0, 0 };
  P *aside = j->slots ? th_slot_take(j->slots) : j->work, *work = aside + columns * M(PAIR);
  if (M(up)(half) > 1 && half % M(CHUNK) && last == M(up)(half) - 1) last++;
  for (int64_t c = first; c < last && !(j->slots && th_interrupted()); c++) {
    for (int64_t lane = 0; lane < th_min(M(CHUNK), half); lane += M(V)) {
      const int64_t k = th_fft_chunk_at(c, M(CHUNK), half) + lane, count = th_min(M(V), half - k);
      for (int64_t i = 0; i < columns; i++) {
        M(cx) v;
        if (i <= columns / 2) {
          v = M(take_some)(j->from + 2 * (k + i * rows), count, PAIRS);
        } else {
          const P *end = j->from + 2 * (d->n - k - i * rows + 1);
          P p[M(PAIR)] __attribute__((aligned(TH_VB))) = { 0 };
          if (count < M(V)) memcpy(p + M(PAIR) - 2 * count, end - 2 * count,
                                   sizeof(P) * 2 * (size_t)count);
          v = M(take_turned)(count < M(V) ? p : end - M(PAIR));
          v.im = -v.im;
        }
        v.re *= j->inner, v.im *= j->inner;
        M(give)(aside + i * M(PAIR), M(V), SPLIT, v);
      }
      if (k == 0) aside[0] = j->from[0], aside[M(V)] = 0;
      P *block = j->middle + (c * M(CHUNK) + lane) / M(V) * slots * M(PAIR);
      const M(rows) from = { aside + M(V), M(PAIR), -M(V), SPLIT },
                    to = { block + M(V), M(PAIR), -M(V), SPLIT };
      M(across)(d->row, &from, &to, work, &none);
    }
  }
  if (j->slots) th_slot_give(j->slots, aside);
}

/* Chunks of the rows become pairs of columns. */
static void M(odd_columns_back)(void *ctx, int64_t first, int64_t last)
{
  const M(line) *j = ctx;
  const th_fft_node *d = j->d;
  const int64_t columns = d->row->n, rows = d->column->n, apart = columns / 2;
  const int64_t pairs = M(pairs_in)(d), half = M(rows_in)(d);
  const int64_t padded = M(up)(half) * M(CHUNK), slots = M(slots_of)(d);
  const M(after) end = { j->factor == 1 ? NOTHING : SCALE, j->factor, NULL, 0, 0 };
  P *z = j->slots ? th_slot_take(j->slots) : j->work, *one = z + rows * M(PAIR);
  P *two = one + padded * M(PAIR), *work = two + padded * M(PAIR);
  if (M(up)(pairs) > 1 && pairs % M(CHUNK) && last == M(up)(pairs) - 1) last++;
  for (int64_t c = first; c < last && !(j->slots && th_interrupted()); c++) {
    for (int64_t lane = 0; lane < th_min(M(CHUNK), pairs); lane += M(V)) {
      const int64_t l = th_fft_chunk_at(c, M(CHUNK), pairs) + lane, count = th_min(M(V), pairs - l);
      const P *block = j->middle + l * M(PAIR);
      for (int64_t b = 0; b < M(up)(half) * (M(CHUNK) / M(V)); b++, block += slots * M(PAIR)) {
        const int64_t k = M(block_row)(b, half);
        M(turn_square)(block, one + k * M(PAIR));
        M(turn_square)(block + apart * M(PAIR), two + k * M(PAIR));
      }
      const P *w = (const P *)d->pair_turns + c * half * 4 * M(CHUNK) + lane;
      for (int64_t k = 0; k < half; k++, w += 4 * M(CHUNK)) {
        M(cx) a = M(take)(one + k * M(PAIR), M(V), SPLIT),
            b = M(take)(two + k * M(PAIR), M(V), SPLIT), low, high;
        a = M(turned_by)(a, *(const M(loose) *)w, -*(const M(loose) *)(w + M(CHUNK)));
        b = M(turned_by)(b, *(const M(loose) *)(w + 2 * M(CHUNK)),
                         -*(const M(loose) *)(w + 3 * M(CHUNK)));
        M(unite)(a, b, &low, &high);
        M(give)(z + k * M(PAIR), M(V), SPLIT, low);
        if (k) M(give)(z + (rows - k) * M(PAIR), M(V), SPLIT, high);
      }
      const M(rows) from = { z + M(V), M(PAIR), -M(V), SPLIT };
      if (l > 0 && count == M(V)) {
        const M(rows) to = { j->to + l + apart, columns, -apart, SPLIT };
        M(across)(d->column, &from, &to, work, &end);
        continue;
      }
      /* Not all of the lanes are wanted. */
      M(across)(d->column, &from, &from, work, &end);
      for (int64_t i = 0; i < rows; i++) {
        P *to = j->to + i * columns + l;
        memcpy(to, z + i * M(PAIR), sizeof(P) * (size_t)count);
        memcpy(to + apart + (l == 0), z + i * M(PAIR) + M(V) + (l == 0),
               sizeof(P) * (size_t)(count - (l == 0)));
      }
    }
  }
  if (j->slots) th_slot_give(j->slots, z);
}

/* A real line of odd size to half of its spectrum; SWAPPED: back. */
static void M(odd_line)(M(line) *j)
{
  const th_fft_node *d = j->d;
  const int64_t pairs = M(pairs_in)(d), half = M(rows_in)(d);
  if (j->form == SWAPPED) {
    M(each)(j, M(up)(half), half % M(CHUNK), 1, M(odd_rows_back));
    M(each)(j, M(up)(pairs), pairs % M(CHUNK), 1, M(odd_columns_back));
    return;
  }
  if (pairs < M(CHUNK)) {           /* vectors read past the end of a copy */
    P *copy = j->middle + M(slots_of)(d) * 2 * M(up)(half) * M(CHUNK);
    memcpy(copy, j->from, sizeof(P) * (size_t)d->n);
    memset(copy + d->n, 0, sizeof(P) * 2 * M(CHUNK));
    j->from = copy;
  }
  M(each)(j, M(up)(pairs), pairs % M(CHUNK), 1, M(odd_columns));
  M(each)(j, M(up)(half), half % M(CHUNK), 1, M(odd_rows));
}

/* ---- side by side ---- */

/* The same of lines side by side. y may be x. */
static __attribute__((noinline)) void M(odd_across)(const th_fft_node *d, const M(rows) *x,
                                                    const M(rows) *y, P *work, P factor,
                                                    P inner)
{
  const int64_t columns = d->row->n, rows = d->column->n, apart = columns / 2;
  const int64_t pairs = M(pairs_in)(d), half = M(rows_in)(d);
  P *middle = work, *z = middle + half * columns * M(PAIR), *aside = z + rows * M(PAIR),
    *room = aside + columns * M(PAIR);
  const M(after) none = { NOTHING, 1, NULL, 0, 0 };
  const M(vec) nothing = { 0 };
  const P most = (P)0.5 * factor * inner, ends = (P)0.5 * factor;
  for (int64_t l = 0; l < pairs; l++) {
    const M(rows) from = { x->at + l * x->im, columns * x->im, apart * x->im, SPLIT },
                  to = { z, M(PAIR), M(V), SPLIT };
    M(across)(d->column, &from, &to, room, &none);
    const int64_t c = l / M(CHUNK), at_lane = l - th_fft_chunk_at(c, M(CHUNK), pairs);
    const P *w = (const P *)d->pair_turns + c * half * 4 * M(CHUNK) + at_lane;
    for (int64_t k = 0; k < half; k++, w += 4 * M(CHUNK)) {
      M(cx) a, b;
      M(part)(M(take)(z + k * M(PAIR), M(V), SPLIT),
              M(take)(z + (k ? rows - k : 0) * M(PAIR), M(V), SPLIT), &a, &b);
      P *at = middle + (k * columns + l) * M(PAIR);
      M(give)(at, M(V), SPLIT, M(turned_by)(a, w[0] - nothing, w[M(CHUNK)] - nothing));
      if (l > 0) {
        M(give)(at + apart * M(PAIR), M(V), SPLIT,
                M(turned_by)(b, w[2 * M(CHUNK)] - nothing, w[3 * M(CHUNK)] - nothing));
      }
    }
  }
  for (int64_t k = 0; k < half; k++) {
    const M(rows) from = { middle + k * columns * M(PAIR), M(PAIR), M(V), SPLIT },
                  to = { aside, M(PAIR), M(V), SPLIT };
    M(across)(d->row, &from, &to, room, &none);
    for (int64_t i = 0; i < columns; i++) {
      M(cx) v = M(take)(aside + i * M(PAIR), M(V), SPLIT);
      v.re *= most, v.im *= most;
      if (i <= columns / 2) M(give)(y->at + (k + i * rows) * y->step, y->im, y->form, v);
      else M(give)(y->at + (d->n - k - i * rows) * y->step, y->im, y->form, (M(cx)){ v.re, -v.im });
    }
    if (k == 0) M(give)(y->at, y->im, y->form,
                        (M(cx)){ M(take)(aside, M(V), SPLIT).re * ends, nothing });
  }
}

static __attribute__((noinline)) void M(odd_across_back)(const th_fft_node *d, const M(rows) *x,
                                                         const M(rows) *y, P *work,
                                                         P factor, P inner)
{
  const int64_t columns = d->row->n, rows = d->column->n, apart = columns / 2;
  const int64_t pairs = M(pairs_in)(d), half = M(rows_in)(d);
  P *middle = work, *z = middle + half * columns * M(PAIR), *aside = z + rows * M(PAIR),
    *room = aside + columns * M(PAIR);
  const M(after) none = { NOTHING, 1, NULL, 0, 0 },
                 end = { factor == 1 ? NOTHING : SCALE, factor, NULL, 0, 0 };
  const M(vec) nothing = { 0 };
  for (int64_t k = 0; k < half; k++) {
    for (int64_t i = 0; i < columns; i++) {
      const bool low = i <= columns / 2;
      const int64_t at = low ? k + i * rows : d->n - k - i * rows;
      M(cx) v = M(take)(x->at + at * x->step, x->im, x->form);
      v = (M(cx)){ v.re * inner, (low ? v.im : -v.im) * inner };
      if (at == 0) v = (M(cx)){ M(take)(x->at, x->im, x->form).re, nothing };
      M(give)(aside + i * M(PAIR), M(V), SPLIT, v);
    }
    P *block = middle + k * columns * M(PAIR);
    const M(rows) from = { aside + M(V), M(PAIR), -M(V), SPLIT },
                  to = { block + M(V), M(PAIR), -M(V), SPLIT };
    M(across)(d->row, &from, &to, room, &none);
  }
  for (int64_t l = 0; l < pairs; l++) {
    const int64_t c = l / M(CHUNK), at_lane = l - th_fft_chunk_at(c, M(CHUNK), pairs);
    const P *w = (const P *)d->pair_turns + c * half * 4 * M(CHUNK) + at_lane;
    for (int64_t k = 0; k < half; k++, w += 4 * M(CHUNK)) {
      const P *at = middle + (k * columns + l) * M(PAIR);
      M(cx) a = M(take)(at, M(V), SPLIT), b = M(take)(at + apart * M(PAIR), M(V), SPLIT), low, high;
      a = M(turned_by)(a, w[0] - nothing, -(w[M(CHUNK)] - nothing));
      b = M(turned_by)(b, w[2 * M(CHUNK)] - nothing, -(w[3 * M(CHUNK)] - nothing));
      M(unite)(a, b, &low, &high);
      M(give)(z + k * M(PAIR), M(V), SPLIT, low);
      if (k) M(give)(z + (rows - k) * M(PAIR), M(V), SPLIT, high);
    }
    const M(rows) from = { z + M(V), M(PAIR), -M(V), SPLIT };
    const M(rows) to = { y->at + (l + apart) * y->im, columns * y->im, -apart * y->im, SPLIT };
    M(across)(d->column, &from, &to, room, &end);
  }
}
