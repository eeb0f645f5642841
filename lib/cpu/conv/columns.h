/* columns.h - panels of im2col and their products. Read once per computing type after micro.h: P, M(f) as there. */
typedef P M(quad) __attribute__((vector_size(4 * sizeof(P)), aligned(sizeof(P)), may_alias));
typedef P M(eight) __attribute__((vector_size(8 * sizeof(P)), aligned(sizeof(P)), may_alias));

/* n numbers: short runs, for which a call of memcpy would take longer. */
TH_INLINE void M(copy)(P *to, const P *from, int64_t n)
{
  if (M(NR) >= 8 && n >= 8) {
    const M(eight) last = *(const M(eight) *)(from + n - 8);
    for (int64_t i = 0; i + 8 < n; i += 8) *(M(eight) *)(to + i) = *(const M(eight) *)(from + i);
    *(M(eight) *)(to + n - 8) = last;
  } else if (n >= 4) {
    const M(quad) last = *(const M(quad) *)(from + n - 4);
    for (int64_t i = 0; i + 4 < n; i += 4) *(M(quad) *)(to + i) = *(const M(quad) *)(from + i);
    *(M(quad) *)(to + n - 4) = last;
  } else {
    for (int64_t i = 0; i < n; i++) to[i] = from[i];
  }
}

/* Every second number, eight or four of them; nothing is read behind the last one. */
TH_INLINE void M(copy_eight)(P *to, const P *from)
{
  const M(eight) a = *(const M(eight) *)from, b = *(const M(eight) *)(from + 7);
  *(M(eight) *)to = __builtin_shufflevector(a, b, 0, 2, 4, 6, 9, 11, 13, 15);
}
TH_INLINE void M(copy_four)(P *to, const P *from)
{
  const M(quad) a = *(const M(quad) *)from, b = *(const M(quad) *)(from + 3);
  *(M(quad) *)to = __builtin_shufflevector(a, b, 0, 2, 5, 7);
}

/* Every second number, n of them: short runs too. */
TH_INLINE void M(copy_second)(P *to, const P *from, int64_t n)
{
  if (M(NR) >= 8 && n >= 8) {
    for (int64_t i = 0; i + 8 < n; i += 8) M(copy_eight)(to + i, from + 2 * i);
    M(copy_eight)(to + n - 8, from + 2 * (n - 8));
  } else if (n >= 4) {
    for (int64_t i = 0; i + 4 < n; i += 4) M(copy_four)(to + i, from + 2 * i);
    M(copy_four)(to + n - 4, from + 2 * (n - 4));
  } else {
    for (int64_t i = 0; i < n; i++) to[i] = from[2 * i];
  }
}

/* One run of one tap; what lies outside the image is 0. */
TH_INLINE void M(pack_run)(const job *j, const run *r, P *to, const P *x, int64_t y, int64_t left)
{
  const int64_t h = r->row * j->sh + y, from = r->col * j->sw + left;       /* of the first number, and its column */
  if (h < 0 || h >= j->h) {
    for (int64_t i = 0; i < r->count; i++) to[i] = 0;
    return;
  }
  const P *row = x + r->n * j->xs[0] + h * j->xs[2] + from * j->xs[3];
  const bool near = j->sw == 1;                     /* which spares divisions */
  int64_t i = 0, end = r->count;
  if (from < 0) i = th_min(end, near ? -from : up(-from, j->sw));
  if (from + (end - 1) * j->sw >= j->w) end = th_max(i, near ? j->w - from : up(j->w - from, j->sw));
  for (int64_t l = 0; l < i; l++) to[l] = 0;
  for (int64_t l = end; l < r->count; l++) to[l] = 0;
  const int64_t step = j->sw * j->xs[3];
  if (step == 1) M(copy)(to + i, row + i, end - i);
  else if (step == 2) M(copy_second)(to + i, row + 2 * i, end - i);
  else for (; i < end; i++) to[i] = row[i * step];
}

/* Taps [k, k + deep) of some panels, which lie `step` apart: tap by tap, as neighbours lie in the image. */
static void M(pack)(const job *j, P *to, int64_t step, int64_t panel, int64_t wide, int64_t k, int64_t deep)
{
  const int64_t above = -1 - th_max(0, (j->kh - 1) * j->dh - j->ph);      /* a row that is above the image for every tap */
  run runs[WIDE * M(NR)];
  int n = 0;
  for (int64_t p = 0; p < wide; p++) {
    const int64_t column = (panel + p) * M(NR), lanes = th_min(M(NR), j->n * j->pixels - column), from = n;
    n += runs_of(j, runs + n, column, lanes);
    if (lanes < M(NR)) runs[n++] = (run){ lanes, 0, above, 0, M(NR) - lanes };
    for (int64_t i = from; i < n; i++) runs[i].lane += p * step;
  }
  int64_t plane = k / (j->kh * j->kw), y = k / j->kw % j->kh, x = k % j->kw;
  for (int64_t i = 0; i < deep; i++, to += M(NR)) {
    const P *from = (const P *)j->x + plane * j->xs[1];
    for (int r = 0; r < n; r++) M(pack_run)(j, runs + r, to + runs[r].lane, from, y * j->dh - j->ph, x * j->dw - j->pw);
    if (++x == j->kw && (x = 0, ++y == j->kh)) y = 0, plane++;
  }
}

/* Sums of rows [o, o + rows) of a panel go to the result. */
static void M(put)(const job *j, const P *tile, int64_t panel, int64_t o, int rows)
{
  run runs[M(NR)];
  const int n = runs_of(j, runs, panel * M(NR), th_min(M(NR), j->n * j->pixels - panel * M(NR)));
  for (int i = 0; i < rows; i++, tile += M(NR)) {
    P sums[M(NR)] __attribute__((aligned(64)));
    const P bias = j->bias ? ((const P *)j->bias)[(o + i) * j->bias_step] : 0;
    for (int l = 0; l < M(NR); l++) sums[l] = tile[l] + bias;
    for (int r = 0; r < n; r++) {
      P *to = (P *)j->y + runs[r].n * j->ys[0] + (o + i) * j->ys[1] + runs[r].row * j->ys[2] + runs[r].col * j->ys[3];
      const P *from = sums + runs[r].lane;
      if (j->ys[3] == 1) M(copy)(to, from, runs[r].count);
      else for (int64_t l = 0; l < runs[r].count; l++) to[l * j->ys[3]] = from[l];
    }
  }
}

/* Block: stretches of DEEP taps of WIDE of the panels at hand. */
static void M(pack_all)(void *ctx, int64_t first, int64_t last)
{
  const job *j = ctx;
  const int64_t stretches = up(j->taps, DEEP);
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t panel = b / stretches * WIDE, k = b % stretches * DEEP;
    M(pack)(j, (P *)j->packed + (panel * j->taps + k) * M(NR), j->taps * M(NR), j->first + panel, th_min(WIDE, j->count - panel),
            k, th_min(DEEP, j->taps - k));
  }
}

/* TH_MR planes by a panel, of some taps. */
TH_INLINE void M(tile)(const job *j, const P *left, const P *right, P *sums, int64_t panel, int64_t o, int mr, int64_t k,
                       int64_t deep)
{
  const P *at[TH_MR];
  const P *base = left ? left : (const P *)j->k + o * j->row;
  for (int i = 0; i < mr; i++) at[i] = base + i * j->row;
  M(micro)(mr, deep, at, left ? j->dense : j->off + k, right, sums, k > 0);
  if (k + deep == j->taps) M(put)(j, sums, j->first + panel, o, mr);
}

/* Kernels whose planes are neighbours, for which every tap is a leap: TH_MR planes of a tap side by side. */
static void M(pack_left)(const job *j, P *to, int64_t o, int64_t high, int64_t k, int64_t deep)
{
  for (int64_t i = 0; i < high; i += TH_MR, to += DEEP * TH_MR) {
    const P *from = (const P *)j->k + o + i;
    const int64_t mr = th_min(TH_MR, high - i);
    for (int64_t q = 0; q < deep; q++) {
      if (mr == TH_MR) memcpy(to + q * TH_MR, from + j->off[k + q], TH_MR * sizeof(P));
      else memcpy(to + q * TH_MR, from + j->off[k + q], (size_t)mr * sizeof(P));
    }
  }
}

/* Block: some of the panels at hand by some planes. The next block has the same kernels where these
 * are more than the pixels at hand, and else the same panels: the smaller of both is read again. */
static void M(block)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  P *sums = th_slot_take(&j->slots), *own = sums + j->wide * j->high * M(NR);
  P *left = j->row == 1 ? own + (j->packed ? 0 : j->wide * DEEP * M(NR)) : NULL;
  const int64_t step = (j->packed ? j->taps : DEEP) * M(NR);
  const int64_t down = up(j->o, j->high), across = up(j->count, j->wide);
  const bool same_planes = j->o > j->count * M(NR);
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t panel = (same_planes ? b % across : b / down) * j->wide;
    const int64_t plane = (same_planes ? b / across : b % down) * j->high;
    const int64_t wide = th_min(j->wide, j->count - panel), high = th_min(j->high, j->o - plane);
    for (int64_t k = 0; k < j->taps && !th_interrupted(); k += DEEP) {
      const int64_t deep = th_min(DEEP, j->taps - k);
      const P *right = j->packed ? (const P *)j->packed + (panel * j->taps + k) * M(NR) : own;
      if (!j->packed) M(pack)(j, own, step, panel, wide, k, deep);
      if (left) M(pack_left)(j, left, plane, high, k, deep);
      /* A panel stays near; where there is only one stretch, it is more that results are written in their order. */
      const bool turned = deep == j->taps;
      for (int64_t i = 0; i < wide * up(high, TH_MR); i++) {
        const int64_t p = turned ? i % wide : i / up(high, TH_MR), o = (turned ? i / wide : i % up(high, TH_MR)) * TH_MR;
        M(tile)(j, left ? left + o * DEEP : NULL, right + p * step, sums + (p * j->high + o) * M(NR), panel + p, plane + o,
                (int)th_min(TH_MR, high - o), k, deep);
      }
    }
  }
  th_slot_give(&j->slots, sums);
}
