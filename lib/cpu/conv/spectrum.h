/* spectrum.h - tiles of images and of kernels become spectra, spectra are multiplied and become tiles again.
 * Read once per computing type after lanes.h: P, M(f), M_FMA as there.
 *
 * A tile of th x tw numbers has th * tw / 2 + 2 frequencies: its columns 1 ... tw / 2 - 1 with th each, then half of
 * column 0 and half of column tw / 2, which are symmetric. A line (th = 1) has tw / 2 + 1. */

static P *M(at)(const spectrum *s, int64_t row, int64_t group, int64_t f)
{
  return (P *)s->data + f / TOGETHER * s->block * 2 * M(LV) +
         ((row * s->groups + group) * TOGETHER + f % TOGETHER) * 2 * M(LV);
}

TH_INLINE void M(put)(const spectrum *s, int64_t row, int64_t group, int64_t f, M(vec) re, M(vec) im)
{
  M(vec) *to = (M(vec) *)M(at)(s, row, group, f);
  to[0] = re, to[1] = im;
}

/* Row y of a tile whose first number lies in row gy, column gx of the picture; to: tw vectors, step numbers apart. */
static void M(take_row)(const grid *g, P *to, int64_t step, const P *image, int64_t gy, int64_t gx,
                        int64_t tw, int64_t lanes)
{
  int64_t first = gx < 0 ? -gx : 0, last = least(g->cols, g->w - gx);
  if (gy < 0 || gy >= g->h || gy % g->dh || first >= last) first = last = 0;
  if (last - first < tw || g->dw > 1) {
    for (int64_t j = 0; j < tw; j++) if (j < first || j >= last || g->dw > 1)
      *(M(vec) *)(to + j * step) = (M(vec)){ 0 };
  }
  if (first == last) return;
  const P *from = image + gy / g->dh * g->sh;
  if (g->dw > 1) M(take)(to, step * g->dw, from, g->sl, g->sw, (g->w - 1) / g->dw + 1, lanes);
  else M(take)(to + first * step, step, from + (gx + first) * g->sw, g->sl, g->sw, last - first, lanes);
}

/* The spectrum of a line of tw real numbers, by a transform of half as many complex ones. */
static void M(line)(const job *j, M(cx) *z, M(cx) *room, int64_t row, int64_t group)
{
  const int64_t n = j->tw / 2;
  const P *w = j->roots;
  const M(cx) *x = M(forth)(z, room, n, w, 2);
  M(put)(&j->to, row, group, 0, x[0].re + x[0].im, (M(vec)){ 0 });
  M(put)(&j->to, row, group, n, x[0].re - x[0].im, (M(vec)){ 0 });
  for (int64_t k = 1; k < n; k++) {
    const M(cx) *a = x + k, *b = x + n - k;
    M(cx) t;
    M(turned)(&t, (a->im + b->im) * (P)0.5, (b->re - a->re) * (P)0.5, w[2 * k], -w[2 * k + 1]);
    M(put)(&j->to, row, group, k, (a->re + b->re) * (P)0.5 + t.re, (a->im - b->im) * (P)0.5 + t.im);
  }
}

/* Two rows of a tile in one complex transform, taken apart into the columns, which lie `column` apart. */
static void M(two_rows)(const job *j, M(cx) *z, M(cx) *room, M(cx) *columns, int64_t column, int64_t y)
{
  const int64_t n = j->tw;
  const M(cx) *x = M(forth)(z, room, n, j->roots, j->nroots / n);
  M(cx) *to = columns + y;
  to[0] = (M(cx)){ x[0].re, x[n / 2].re };          /* columns 0 and n / 2 are real: they share a place */
  to[1] = (M(cx)){ x[0].im, x[n / 2].im };
  for (int64_t k = 1; k < n / 2; k++) {
    const M(cx) *a = x + k, *b = x + n - k;
    to += column;
    to[0] = (M(cx)){ (a->re + b->re) * (P)0.5, (a->im - b->im) * (P)0.5 };
    to[1] = (M(cx)){ (a->im + b->im) * (P)0.5, (b->re - a->re) * (P)0.5 };
  }
}

/* The columns of a tile are transformed and put away. */
static void M(columns)(const job *j, M(cx) *columns, int64_t column, M(cx) *room, int64_t row, int64_t group)
{
  const int64_t n = j->th, half = j->tw / 2, special = (half - 1) * n, step = j->nroots / n;
  for (int64_t k = 1; k < half; k++) {
    const M(cx) *x = M(forth)(columns + k * column, room, n, j->roots, step);
    for (int64_t y = 0; y < n; y++)
      M(put)(&j->to, row, group, (k - 1) * n + y, x[y].re, x[y].im);
  }
  const M(cx) *x = M(forth)(columns, room, n, j->roots, step);
  for (int64_t y = 0; y <= n / 2; y++) {
    const M(cx) *a = x + y, *b = x + (n - y) % n;
    M(put)(&j->to, row, group, special + y, (a->re + b->re) * (P)0.5, (a->im - b->im) * (P)0.5);
    M(put)(&j->to, row, group, special + n / 2 + 1 + y, (a->im + b->im) * (P)0.5,
           (b->re - a->re) * (P)0.5);
  }
}

/* Block: tiles of a group of lanes. */
static void M(to_spectra)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  const grid *g = &j->grid;
  M(cx) *z = th_slot_take(&j->slots), *room = z + j->longest, *columns = room + j->longest;
  const int64_t column = j->th + 1;
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t row = b / j->to.groups, group = b % j->to.groups, tile = j->first + row;
    const int64_t n = tile / (g->ty * g->tx), ty = tile / g->tx % g->ty, tx = tile % g->tx;
    const int64_t gy = g->oy + ty * g->my, gx = g->ox + tx * g->mx, lane = group * M(LV);
    const int64_t lanes = least(M(LV), g->lanes - lane);
    const P *image = (const P *)g->data + n * g->sn + lane * g->sl;
    if (j->side != WAVES) {
      M(vec) *x = &z[0].re, *y = x + 36;
      const int side = M(side_before)(j);
      for (int i = 0; i < side; i++)
        M(take_row)(g, (P *)(x + i * side), M(LV), image, gy + i, gx, side, lanes);
      M(winograd)(j, y, x);
      for (int f = 0; f < j->th * j->tw / 2; f++) M(put)(&j->to, row, group, f, y[2 * f], y[2 * f + 1]);
      continue;
    }
    if (j->th == 1) {
      M(take_row)(g, (P *)z, M(LV), image, gy, gx, j->tw, lanes);
      M(line)(j, z, room, row, group);
      continue;
    }
    for (int64_t y = 0; y < j->th; y += 2) {
      if (y >= g->rows) {
        for (int64_t k = 0; k < j->tw / 2; k++)
          columns[k * column + y] = columns[k * column + y + 1] = (M(cx)){ 0 };
        continue;
      }
      M(take_row)(g, (P *)&z[0].re, 2 * M(LV), image, gy + y, gx, j->tw, lanes);
      M(take_row)(g, (P *)&z[0].im, 2 * M(LV), image, y + 1 < g->rows ? gy + y + 1 : -1, gx, j->tw, lanes);
      M(two_rows)(j, z, room, columns, column, y);
    }
    M(columns)(j, columns, column, room, row, group);
  }
  th_slot_give(&j->slots, z);
}

/* ---- back ---- */

/* n numbers times the scale, plus the bias, to row y, column x of the picture. */
static void M(give_row)(const job *j, P *image, P *from, int64_t step, int64_t y, int64_t x, int64_t n,
                        int64_t lanes, const M(vec) *bias)
{
  const grid *g = &j->grid;
  const P scale = (P)j->scale;
  if (y % g->dh) return;
  for (int64_t i = 0; i < n; i++) {
    M(vec) *v = (M(vec) *)(from + i * step);
    *v = *v * scale + *bias;
  }
  M(give)(image + y / g->dh * g->sh + x * g->sw, g->sl, g->sw, (n - 1) / g->dw + 1, lanes, from,
          step * g->dw, j->add);
}

/* A line of tw real numbers from its spectrum. */
static P *M(line_back)(const job *j, M(cx) *z, M(cx) *room, int64_t row, int64_t group)
{
  const int64_t n = j->tw / 2;
  const P *w = j->roots;
  for (int64_t k = 0; k <= n / 2; k++) {
    const M(vec) *a = (const M(vec) *)M(at)(&j->to, row, group, k),
                 *b = (const M(vec) *)M(at)(&j->to, row, group, n - k);
    const M(vec) ar = a[0], ai = k ? a[1] : (M(vec)){ 0 }, br = b[0], bi = k ? b[1] : (M(vec)){ 0 };
    M(cx) t;
    M(turned)(&t, ar - br, ai + bi, w[2 * k], w[2 * k + 1]);          /* times i, below */
    z[k] = (M(cx)){ ar + br - t.im, ai - bi + t.re };
    if (k) z[n - k] = (M(cx)){ ar + br + t.im, bi - ai + t.re };
  }
  return (P *)M(back)(z, room, n, w, 2);
}

/* The columns of a tile from its spectrum; column 0 holds two, as two_rows left them. */
static void M(columns_back)(const job *j, M(cx) *z, M(cx) *room, M(cx) *columns, int64_t column, int64_t row,
                            int64_t group)
{
  const int64_t n = j->th, half = j->tw / 2, special = (half - 1) * n, step = j->nroots / n;
  for (int64_t k = 0; k < half; k++) {
    if (k == 0) {
      for (int64_t y = 0; y <= n / 2; y++) {
        const M(vec) *a = (const M(vec) *)M(at)(&j->to, row, group, special + y),
                     *b = (const M(vec) *)M(at)(&j->to, row, group, special + n / 2 + 1 + y);
        z[y] = (M(cx)){ a[0] - b[1], a[1] + b[0] };
        if (y && y < n / 2) z[n - y] = (M(cx)){ a[0] + b[1], b[0] - a[1] };
      }
    } else {
      for (int64_t y = 0; y < n; y++)
        z[y] = *(const M(cx) *)M(at)(&j->to, row, group, (k - 1) * n + y);
    }
    const M(cx) *x = M(back)(z, room, n, j->roots, step);
    memcpy(columns + k * column, x, sizeof *x * (size_t)least(n, j->grid.rows + 1));
  }
}

/* Two rows of a tile from its columns: one real, one imaginary. */
static M(cx) *M(two_rows_back)(const job *j, M(cx) *z, M(cx) *room, const M(cx) *columns, int64_t column,
                               int64_t y)
{
  const int64_t n = j->tw;
  const M(cx) *from = columns + y;
  z[0] = (M(cx)){ from[0].re, from[1].re };
  z[n / 2] = (M(cx)){ from[0].im, from[1].im };
  for (int64_t k = 1; k < n / 2; k++) {
    from += column;
    z[k] = (M(cx)){ from[0].re - from[1].im, from[0].im + from[1].re };
    z[n - k] = (M(cx)){ from[0].re + from[1].im, from[1].re - from[0].im };
  }
  return M(back)(z, room, n, j->roots, j->nroots / n);
}

/* Block: tiles of a group of lanes. */
static void M(from_spectra)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  const grid *g = &j->grid;
  M(cx) *z = th_slot_take(&j->slots), *room = z + j->longest, *columns = room + j->longest;
  const int64_t column = j->th + 1;
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t row = b / j->to.groups, group = b % j->to.groups, tile = j->first + row;
    const int64_t n = tile / (g->ty * g->tx), gy = tile / g->tx % g->ty * g->my, gx = tile % g->tx * g->mx;
    const int64_t lane = group * M(LV), lanes = least(M(LV), g->lanes - lane);
    const int64_t rows = least(g->rows, g->h - gy), cols = least(g->cols, g->w - gx);
    P *image = (P *)g->out + n * g->sn + lane * g->sl;
    P bias[M(LV)] __attribute__((aligned(TH_VB))) = { 0 };
    for (int64_t l = 0; l < lanes && j->bias; l++) bias[l] = ((const P *)j->bias)[(lane + l) * j->bias_step];
    const M(vec) *more = (const M(vec) *)bias;
    if (j->side != WAVES) {
      M(vec) *x = &z[0].re, *y = x + 36;
      const int side = M(side_after)(j);
      for (int f = 0; f < j->th * j->tw / 2; f++)
        memcpy(x + 2 * f, M(at)(&j->to, row, group, f), 2 * sizeof *x);
      M(winograd)(j, y, x);
      for (int64_t i = 0; i < rows; i++)
        M(give_row)(j, image, (P *)(y + i * side), M(LV), gy + i, gx, cols, lanes, more);
      continue;
    }
    if (j->th == 1) {
      M(give_row)(j, image, M(line_back)(j, z, room, row, group), M(LV), gy, gx, cols, lanes, more);
      continue;
    }
    M(columns_back)(j, z, room, columns, column, row, group);
    for (int64_t y = 0; y < rows; y += 2) {
      M(cx) *x = M(two_rows_back)(j, z, room, columns, column, y);
      M(give_row)(j, image, (P *)&x[0].re, 2 * M(LV), gy + y, gx, cols, lanes, more);
      if (y + 1 < rows)
        M(give_row)(j, image, (P *)&x[0].im, 2 * M(LV), gy + y + 1, gx, cols, lanes, more);
    }
  }
  th_slot_give(&j->slots, z);
}

/* ---- the product ---- */

/* Rows of one frequency as three matrices: real parts, imaginary parts, their sums. */
static void M(pack_left)(const spectrum *s, int64_t f, int64_t row, int64_t rows, P *to, int64_t part, bool waves)
{
  const int64_t ld = s->groups * M(LV);
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t g = 0; g < s->groups; g++) {
      const M(vec) *from = (const M(vec) *)M(at)(s, row + r, g, f);
      P *t = to + r * ld + g * M(LV);
      *(M(vec) *)t = from[0];
      *(M(vec) *)(t + part) = from[1];
      if (waves) *(M(vec) *)(t + 2 * part) = from[0] + from[1];
    }
  }
}

/* Two groups of one frequency as three panels: real parts, imaginary parts, their differences. */
static void M(pack_right)(const spectrum *s, int64_t f, int64_t panel, P *to, bool waves)
{
  const int64_t part = s->rows * M(NR);
  for (int h = 0; h < 2; h++) {
    const int64_t g = 2 * panel + h;
    for (int64_t r = 0; r < s->rows; r++) {
      P *t = to + r * M(NR) + h * M(LV);
      M(cx) v = { 0 };
      if (g < s->groups) v = *(const M(cx) *)M(at)(s, r, g, f);
      *(M(vec) *)t = v.re;
      *(M(vec) *)(t + part) = v.im;
      if (waves) *(M(vec) *)(t + 2 * part) = v.re - v.im;
    }
  }
}

/* Rows of a product from its three tiles: left * conj(right) = p + q + i (r - p + q); or from the two that they are. */
static void M(combine)(const spectrum *s, int64_t f, int64_t row, int64_t rows, int64_t panel, const P *tile,
                       bool add, bool waves)
{
  enum { PART = TH_MR * M(NR) };
  for (int h = 0; h < 2 && 2 * panel + h < s->groups; h++) {
    for (int64_t r = 0; r < rows; r++) {
      const P *t = tile + r * M(NR) + h * M(LV);
      const M(vec) p = *(const M(vec) *)t, q = *(const M(vec) *)(t + PART);
      M(vec) *to = (M(vec) *)M(at)(s, row + r, 2 * panel + h, f);
      M(vec) re = p, im = q;
      if (waves) re = p + q, im = *(const M(vec) *)(t + 2 * PART) - p + q;
      if (add) re += to[0], im += to[1];
      to[0] = re, to[1] = im;
    }
  }
}

/* Block: TOGETHER frequencies. Three real products make a complex one; without waves, two are all there is. */
static void M(multiply)(void *ctx, int64_t first, int64_t last)
{
  const product *p = ctx;
  P *left = th_slot_take((th_slots *)(uintptr_t)&p->slots);
  P tile[3 * TH_MR * M(NR)] __attribute__((aligned(64)));
  const int64_t ld = p->left.groups * M(LV), cut = p->across ? p->left.rows : ROWS, part = cut * ld;
  P *const right = left + up(3 * part, 16) * 16;
  const int64_t depth = p->right.rows, panels = up(p->right.groups, 2);
  const int64_t end = least(last * TOGETHER, p->freqs);
  for (int64_t f = first * TOGETHER; f < end && !th_interrupted(); f++) {
    for (int64_t row = 0; row < p->left.rows; row += cut) {
      const int64_t rows = least(cut, p->left.rows - row), m = p->across ? p->m : rows;
      M(pack_left)(&p->left, f, row, rows, left, part, p->waves);
      for (int64_t panel = 0; panel < panels; panel++) {
        M(pack_right)(&p->right, f, panel, right, p->waves);
        for (int64_t i = 0; i < m; i += TH_MR) {
          const int mr = (int)least(TH_MR, m - i);
          const P *at[TH_MR];
          for (int q = 0; q < (p->waves ? 3 : 2); q++) {
            for (int r = 0; r < mr; r++) at[r] = left + q * part + (i + r) * (p->across ? 1 : ld);
            M(micro)(mr, depth, at, p->off, right + q * depth * M(NR), tile + q * TH_MR * M(NR), false);
          }
          M(combine)(&p->to, f, row + i, mr, panel, tile, p->add, p->waves);
        }
      }
    }
  }
  th_slot_give((th_slots *)(uintptr_t)&p->slots, left);
}

static void M(set_roots)(void *to, int64_t n)
{
  P *w = to;
  for (int64_t j = 0; j < n; j++) {
    w[2 * j] = (P)cos(6.283185307179586476925 * (double)j / (double)n);
    w[2 * j + 1] = (P)sin(6.283185307179586476925 * (double)j / (double)n);
  }
}
