/* weights.h - gradWeight as a product of gradients, read where they lie, and transposed columns of im2col: panels of taps,
 * which are packed tap by tap, a stretch of pixels at a time. Read once per computing type after columns.h: P, M(f) as there. */

/* Rows of `deep` numbers, `row` apart, become the columns of a panel; those that it lacks are 0. */
static void M(turn)(P *to, const P *from, int64_t row, int64_t rows, int64_t deep)
{
  static const P none[4];
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4, from += 4 * row) {
    int64_t k = 0;
    for (; k + 4 <= deep; k += 4) M(turn4)(to + k * M(NR) + r, M(NR), from + k, row, none);
    for (; k < deep; k++) for (int i = 0; i < 4; i++) to[k * M(NR) + r + i] = from[i * row + k];
  }
  for (; r < M(NR); r++, from += row) {
    for (int64_t k = 0; k < deep; k++) to[k * M(NR) + r] = r < rows ? from[k] : 0;
  }
}

/* The taps of a panel for the pixels of some runs, `deep` in all. */
static void M(pack_taps)(const job *j, P *to, int64_t panel, const run *runs, int n, int64_t deep)
{
  P rows[M(NR) * DEEP];
  const int64_t first = panel * M(NR), taps = th_min(M(NR), j->taps - first);
  const bool lies = n == 1 && j->kh == 1 && j->kw == 1 && j->ph == 0 && j->pw == 0 && j->sw * j->xs[3] == 1;
  int64_t plane = first / (j->kh * j->kw), y = first / j->kw % j->kh, x = first % j->kw;
  const P *from = (const P *)j->x + plane * j->xs[1];
  if (lies) {
    M(turn)(to, from + runs->n * j->xs[0] + runs->row * j->sh * j->xs[2] + runs->col, j->xs[1], taps, deep);
    return;
  }
  for (int64_t t = 0; t < taps; t++) {
    for (int r = 0; r < n; r++) {
      M(pack_run)(j, runs + r, rows + t * DEEP + runs[r].lane, from, y * j->dh - j->ph, x * j->dw - j->pw);
    }
    if (++x == j->kw && (x = 0, ++y == j->kh)) y = 0, from += j->xs[1];
  }
  M(turn)(to, rows, DEEP, taps, deep);
}

/* Block: a stretch of DEEP of the pixels at hand of one panel. */
static void M(pack_pixels)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  run runs[DEEP];
  int n = 0;
  int64_t before = -1;
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t panel = b % j->panels, k = b / j->panels * DEEP, deep = th_min(DEEP, j->count - k);
    if (k != before) n = runs_of(j, runs, j->first + k, deep);
    before = k;
    M(pack_taps)(j, (P *)j->packed + (panel * j->count + k) * M(NR), panel, runs, n, deep);
  }
}

/* Adds the sums of some planes and a panel to gradWeight. */
TH_INLINE void M(add_tile)(const job *j, const P *sums, int64_t panel, int64_t o, int rows)
{
  const int64_t first = panel * M(NR), taps = th_min(M(NR), j->taps - first);
  const P scale = (P)j->scale;
  P *to = (P *)j->y + o * j->ys[0];
  for (int i = 0; i < rows; i++, sums += M(NR), to += j->ys[0]) {
    if (j->tap) for (int64_t t = 0; t < taps; t++) to[j->tap[first + t]] += scale * sums[t];
    else if (taps < M(NR)) for (int64_t t = 0; t < taps; t++) to[first + t] += scale * sums[t];
    else for (int64_t t = 0; t < M(NR); t++) to[first + t] += scale * sums[t];
  }
}

/* What will be added to comes nearer meanwhile. */
TH_INLINE void M(fetch_tile)(const job *j, int64_t panel, int64_t o, int rows)
{
  if (j->tap) return;
  const P *to = (const P *)j->y + o * j->ys[0] + panel * M(NR);
  for (int i = 0; i < rows; i++, to += j->ys[0]) {
    __builtin_prefetch(to, 1);
    __builtin_prefetch(to + M(NR) - 1, 1);
  }
}

/* Block: some panels by some planes, for the pixels at hand: sums of CHAIN of them are added one after the other. */
static void M(weigh)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  P *sums = th_slot_take(&j->slots);
  const int64_t down = up(j->o, j->high), across = up(j->panels, j->wide);
  const bool same_planes = j->o > j->panels * M(NR);
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t panel = (same_planes ? b % across : b / down) * j->wide;
    const int64_t plane = (same_planes ? b / across : b % down) * j->high;
    const int64_t wide = th_min(j->wide, j->panels - panel), high = th_min(j->high, j->o - plane), steps = up(high, TH_MR);
    for (int64_t k = 0; k < j->count && !th_interrupted(); k += DEEP) {
      const int64_t deep = th_min(DEEP, j->count - k);
      const bool whole = deep == j->count, end = k + deep == j->count || (k + DEEP) % CHAIN == 0;
      for (int64_t i = 0; i < wide * steps; i++) {
        const int64_t p = whole ? i % wide : i / steps, o = (whole ? i / wide : i % steps) * TH_MR;
        const int rows = (int)th_min(TH_MR, high - o);
        const P *at[TH_MR], *g = (const P *)j->k + (plane + o) * j->row;
        P *tile = sums + (p * j->high + o) * M(NR);
        for (int r = 0; r < rows; r++) at[r] = g + r * j->row;
        if (end) M(fetch_tile)(j, panel + p, plane + o, rows);
        M(micro)(rows, deep, at, j->off + k, (const P *)j->packed + ((panel + p) * j->count + k) * M(NR), tile,
                 k % CHAIN > 0);
        if (end) M(add_tile)(j, tile, panel + p, plane + o, rows);
      }
    }
  }
  th_slot_give(&j->slots, sums);
}
