/* spectrum.h - tiles of images and of kernels become spectra, spectra are multiplied and become tiles again.
 * Read once per computing type after lanes.h: P, M(f), M_FMA as there.
 *
 * A tile of th x tw numbers has th * tw / 2 + 2 frequencies: its columns 1 ... tw / 2 - 1 with th each, then half of
 * column 0 and half of column tw / 2, which are symmetric. A line (th = 1) has tw / 2 + 1. */

/* Number f of a row whose frequencies do not lie in blocks. */
TH_INLINE void M(put)(const M(row) *r, int64_t f, M(vec) re, M(vec) im)
{
  M(vec) *to = r->re + f * r->step;
  if (r->past) TH_STREAM(to, re), TH_STREAM(to + r->im, im);
  else to[0] = re, to[r->im] = im;
}

/* Row y of a tile whose first number lies in row gy, column gx of the picture; to: tw vectors, step vectors apart. room: for
 * as many. */
static void M(take_row)(const grid *g, M(vec) *to, int64_t step, const char *image, int64_t gy, int64_t gx, int64_t tw,
                        int64_t lanes, M(cx) *room)
{
  int64_t first = gx < 0 ? -gx : 0, last = th_min(g->cols, g->w - gx);
  if (gy < 0 || gy >= g->h || gy % g->dh || first >= last) first = last = 0;
  if (last - first < tw || g->dw > 1) {
    for (int64_t j = 0; j < tw; j++) if (j < first || j >= last || g->dw > 1) to[j * step] = (M(vec)){ 0 };
  }
  if (first == last) return;
  const int64_t n = g->dw > 1 ? (g->w - 1) / g->dw + 1 : last - first;
  const char *from = image + (gy / g->dh * g->sh + (gx + first) * g->sw) * g->size;
  to += first * step, step *= g->dw;
  if (g->size != 2) {
    M(take)(to, step, (const P *)(const void *)from, g->sl, g->sw, n, lanes);
    return;
  }
  for (int64_t l = 0; l < lanes; l++) widen((float *)(void *)room + l * n, from + l * g->sl * 2, g->sw, n, g->dtype);
  M(take)(to, step, (const P *)(const void *)room, n, 1, n, lanes);
}

/* The spectrum of a line of tw real numbers, by a transform of half as many complex ones. */
static void M(line)(const job *j, M(cx) *z, M(cx) *room, M(row) to)
{
  const int64_t n = j->tw / 2;
  const P *w = j->roots;
  M(fourier)(M(row_of)(z), M(row_of)(room), room, z, n, w, 2);
  M(put)(&to, 0, room[0].re + room[0].im, (M(vec)){ 0 });
  M(put)(&to, n, room[0].re - room[0].im, (M(vec)){ 0 });
  for (int64_t k = 1; k < n; k++) {
    const M(cx) *a = room + k, *b = room + n - k;
    M(cx) t;
    M(turned)(&t, (a->im + b->im) * (P)0.5, (b->re - a->re) * (P)0.5, w[2 * k], w[2 * k + 1]);
    M(put)(&to, k, (a->re + b->re) * (P)0.5 + t.re, (a->im - b->im) * (P)0.5 + t.im);
  }
}

/* Two rows of a tile in one complex transform, taken apart into the columns, which lie `column` apart. */
static void M(two_rows)(const job *j, M(cx) *z, M(cx) *room, M(cx) *columns, int64_t column, int64_t y)
{
  const int64_t n = j->tw;
  const M(cx) *x = room;
  M(cx) *to = columns + y;
  M(fourier)(M(row_of)(z), M(row_of)(room), room, z, n, j->roots, 1);
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
static void M(columns)(const job *j, M(cx) *columns, int64_t column, M(cx) *room, M(row) to)
{
  const int64_t n = j->th, half = j->tw / 2, special = (half - 1) * n;
  for (int64_t k = 1; k < half; k++) {
    M(cx) *x = columns + k * column;
    M(row) at = to;
    at.re += (k - 1) * n * to.step;
    M(fourier)(M(row_of)(x), at, room, x, n, j->roots_down, 1);
  }
  M(fourier)(M(row_of)(columns), M(row_of)(room), room, columns, n, j->roots_down, 1);
  for (int64_t y = 0; y <= n / 2; y++) {
    const M(cx) *a = room + y, *b = room + (n - y) % n;
    M(put)(&to, special + y, (a->re + b->re) * (P)0.5, (a->im - b->im) * (P)0.5);
    M(put)(&to, special + n / 2 + 1 + y, (a->im + b->im) * (P)0.5, (b->re - a->re) * (P)0.5);
  }
}

/* Block: tiles of a group of lanes. */
static void M(to_spectra)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  const grid *g = &j->grid;
  M(cx) *z = th_slot_take(&j->slots), *room = z + j->longest, *columns = room + j->longest;
  const int64_t column = j->th + 1;
  int64_t b = first;
  for (; b < last && !th_interrupted(); b++) {
    const int64_t group = b / j->to.rows, row = b % j->to.rows, tile = j->first + row;
    const int64_t n = tile / (g->ty * g->tx), ty = tile / g->tx % g->ty, tx = tile % g->tx;
    const int64_t gy = g->oy + ty * g->my, gx = g->ox + tx * g->mx, lane = group * M(LV);
    const int64_t lanes = th_min(M(LV), g->lanes - lane);
    const char *image = (const char *)g->data + (n * g->sn + lane * g->sl) * g->size;
    const M(row) to = M(spectrum_row)(&j->to, row, group);
    if (j->side != WAVES) {
      M(vec) *x = &z[0].re, *y = x + 36;
      const int side = M(side_before)(j);
      /* Kernels without gaps: their rows are one row. */
      if (side == 3 && g->size == sizeof(P) && g->sh == 3 * g->sw)
        M(take)(x, 1, (const P *)(const void *)image, g->sl, g->sw, 9, lanes);
      else for (int i = 0; i < side; i++)
        M(take_row)(g, x + i * side, 1, image, gy + i, gx, side, lanes, room);
      M(winograd)(j, y, x);
      for (int f = 0; f < j->th * j->tw / 2; f++) M(put)(&to, f, y[2 * f], y[2 * f + 1]);
      continue;
    }
    if (j->th == 1) {
      M(take_row)(g, &z->re, 1, image, gy, gx, j->tw, lanes, room);
      M(line)(j, z, room, to);
      continue;
    }
    for (int64_t y = 0; y < j->th; y += 2) {
      if (y >= g->rows) {
        for (int64_t k = 0; k < j->tw / 2; k++)
          columns[k * column + y] = columns[k * column + y + 1] = (M(cx)){ 0 };
        continue;
      }
      M(take_row)(g, &z->re, 2, image, gy + y, gx, j->tw, lanes, room);
      M(take_row)(g, &z->im, 2, image, y + 1 < g->rows ? gy + y + 1 : -1, gx, j->tw, lanes, room);
      M(two_rows)(j, z, room, columns, column, y);
    }
    M(columns)(j, columns, column, room, to);
  }
  __atomic_add_fetch(&j->done, b - first, __ATOMIC_RELAXED);
  TH_STREAMED();
  th_slot_give(&j->slots, z);
}

/* ---- back ---- */

/* n numbers times the scale, plus the bias, to row y, column x of the picture. room: for as many. */
static void M(give_row)(const job *j, char *image, const M(vec) *from, int64_t step, int64_t y, int64_t x, int64_t n,
                        int64_t lanes, const M(vec) *bias, M(cx) *room)
{
  const grid *g = &j->grid;
  const int64_t count = (n - 1) / g->dw + 1;
  const P scale = (P)j->scale;
  if (y % g->dh) return;
  char *const to = image + (y / g->dh * g->sh + x * g->sw) * g->size;
  if (g->size != 2) {
    P *past = j->past && !j->add && n >= 64 ? (P *)room : NULL;
    M(give)((P *)(void *)to, g->sl, g->sw, count, lanes, from, step * g->dw, scale, bias, j->add, past);
    return;
  }
  M(give)((P *)room, count, 1, count, lanes, from, step * g->dw, scale, bias, false, NULL);
  for (int64_t l = 0; l < lanes; l++)
    narrow(to + l * g->sl * 2, g->sw, (const float *)(const void *)room + l * count, count, g->dtype, j->add);
}

/* n pixels of floats, whose lanes lie side by side, with what follows: an addend and an
 * activation. */
static void M(give_after)(const job *j, char *image, const M(vec) *from, int64_t n, int64_t lanes,
  const M(vec) *bias)
{
  const P scale = (P)j->scale;
#ifdef LIMITED
  const M(vec) low = (P)j->after->low - (M(vec)){ 0 }, high = (P)j->after->high - (M(vec)){ 0 };
#endif
  const bool clamps = j->after->act == TH_AFTER_CLAMP, adds = j->after->add != NULL;
  for (int64_t i = 0; i < n; i++, image += j->grid.sw * (int64_t)sizeof(P)) {
    M(vec) v = from[i] * scale + *bias, more = { 0 };
    if (adds) {
      if (lanes == M(LV)) memcpy(&more, image + j->shift, sizeof more);
      else memcpy(&more, image + j->shift, (size_t)lanes * sizeof(P));
      v += more;
    }
    if (clamps) {
#ifdef LIMITED
      v = (M(vec))LIMITED(v, low, high);
#else
      limit((float *)&v, (float)j->after->low, (float)j->after->high);
#endif
    } else if (j->after->act == TH_AFTER_GELU) {
      P *x = (P *)&v;
      for (int l = 0; l < M(LV); l++) x[l] = (P)gelu_of((float)x[l]);
    }
    if (lanes == M(LV)) memcpy(image, &v, sizeof v);
    else memcpy(image, &v, (size_t)lanes * sizeof(P));
  }
}

/* A line of tw real numbers from its spectrum, into room. */
static void M(line_back)(const job *j, M(cx) *z, M(cx) *room, M(row) from)
{
  const int64_t n = j->tw / 2;
  const P *w = j->roots;
  for (int64_t k = 0; k <= n / 2; k++) {
    const int64_t a = M(offset)(&j->to, k), b = M(offset)(&j->to, n - k);
    const M(vec) ar = from.re[a], br = from.re[b];
    const M(vec) ai = k ? from.re[a + from.im] : (M(vec)){ 0 }, bi = k ? from.re[b + from.im] : (M(vec)){ 0 };
    M(cx) t;
    M(turned)(&t, ar - br, ai + bi, w[2 * k], -w[2 * k + 1]);         /* times i, below */
    z[k] = (M(cx)){ ar + br - t.im, ai - bi + t.re };
    if (k) z[n - k] = (M(cx)){ ar + br + t.im, bi - ai + t.re };
  }
  M(fourier)(M(swapped)(M(row_of)(z)), M(swapped)(M(row_of)(room)), room, z, n, w, 2);
}

/* The columns of a tile from its spectrum; column 0 holds two, as two_rows left them. */
static void M(columns_back)(const job *j, M(cx) *z, M(cx) *room, M(cx) *columns, int64_t column, M(row) from)
{
  const int64_t n = j->th, half = j->tw / 2, special = (half - 1) * n;
  for (int64_t y = 0; y <= n / 2; y++) {
    const int64_t a = M(offset)(&j->to, special + y), b = M(offset)(&j->to, special + n / 2 + 1 + y);
    const M(vec) ar = from.re[a], ai = from.re[a + from.im], br = from.re[b], bi = from.re[b + from.im];
    z[y] = (M(cx)){ ar - bi, ai + br };
    if (y && y < n / 2) z[n - y] = (M(cx)){ ar + bi, br - ai };
  }
  M(fourier)(M(swapped)(M(row_of)(z)), M(swapped)(M(row_of)(columns)), room, z, n, j->roots_down, 1);
  from.ahead = j->to.block;
  for (int64_t k = 1; k < half; k++, from.re += j->to.block)
    M(fourier)(M(swapped)(from), M(swapped)(M(row_of)(columns + k * column)), room, z, n, j->roots_down, 1);
}

/* Two rows of a tile from its columns, into room: one real, one imaginary. */
static void M(two_rows_back)(const job *j, M(cx) *z, M(cx) *room, const M(cx) *columns, int64_t column, int64_t y)
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
  M(fourier)(M(swapped)(M(row_of)(z)), M(swapped)(M(row_of)(room)), room, z, n, j->roots, 1);
}

/* Block: tiles of a group of lanes. */
static void M(from_spectra)(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  const grid *g = &j->grid;
  M(cx) *z = th_slot_take(&j->slots), *room = z + j->longest, *columns = room + j->longest;
  const int64_t column = j->th + 1;
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t group = b / j->to.rows, row = b % j->to.rows, tile = j->first + row;
    const int64_t n = tile / (g->ty * g->tx), gy = tile / g->tx % g->ty * g->my, gx = tile % g->tx * g->mx;
    const int64_t lane = group * M(LV), lanes = th_min(M(LV), g->lanes - lane);
    const int64_t rows = th_min(g->rows, g->h - gy), cols = th_min(g->cols, g->w - gx);
    char *image = (char *)g->out + (n * g->sn + lane * g->sl) * g->size;
    P bias[M(LV)] __attribute__((aligned(TH_VB))) = { 0 };
    if (j->bias && g->size == 2)
      widen((float *)(void *)bias, (const char *)j->bias + lane * j->bias_step * 2, j->bias_step, lanes, g->dtype);
    else for (int64_t l = 0; l < lanes && j->bias; l++) bias[l] = ((const P *)j->bias)[(lane + l) * j->bias_step];
    const M(vec) *more = (const M(vec) *)bias;
    const M(row) from = M(spectrum_row)(&j->to, row, group);
    if (j->side != WAVES) {
      M(vec) *x = &z[0].re, *y = x + 36;
      const int side = M(side_after)(j);
      for (int f = 0; f < j->th * j->tw / 2; f++)
        x[2 * f] = from.re[f * from.step], x[2 * f + 1] = from.re[f * from.step + from.im];
      M(winograd)(j, y, x);
      for (int64_t i = 0; i < rows; i++) {
        char *to = image + ((gy + i) * g->sh + gx * g->sw) * g->size;
        if (j->after) M(give_after)(j, to, y + i * side, cols, lanes, more);
        else M(give_row)(j, image, y + i * side, 1, gy + i, gx, cols, lanes, more, columns);
      }
      continue;
    }
    if (j->th == 1) {
      M(line_back)(j, z, room, from);
      M(give_row)(j, image, &room->re, 1, gy, gx, cols, lanes, more, z);
      continue;
    }
    M(columns_back)(j, z, room, columns, column, from);
    for (int64_t y = 0; y < rows; y += 2) {
      M(two_rows_back)(j, z, room, columns, column, y);
      M(give_row)(j, image, &room->re, 2, gy + y, gx, cols, lanes, more, z);
      if (y + 1 < rows) M(give_row)(j, image, &room->im, 2, gy + y + 1, gx, cols, lanes, more, z);
    }
  }
  TH_STREAMED();
  th_slot_give(&j->slots, z);
}
