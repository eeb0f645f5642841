/* gemm_weight.h - gradWeight as products: rows are taps, summed over the pixels of some images; and the bias' gradient. Read
 * once per dtype by gemm.c. */

/* A row of `width` planes' gradients, planes becoming neighbours. */
static void K(turn_row)(const conv *c, C *to, const T *g, int64_t width)
{
  int64_t l = 0;
#if !IS_HALF
  if (c->gs[3] == 1) {
    for (; l + 4 <= width; l += 4) {
      const T *from = g + l * c->gs[1];
      int64_t j = 0;
      for (; j + 4 <= c->ow; j += 4)
        TRANSPOSE(to + j * PANEL + l, PANEL, from + j, c->gs[1], (const C[4]){ 0 });
      for (; j < c->ow; j++)
        for (int64_t q = 0; q < 4; q++) to[j * PANEL + l + q] = from[j + q * c->gs[1]];
    }
  }
#endif
  for (; l < width; l++) {
    const T *from = g + l * c->gs[1];
    for (int64_t j = 0; j < c->ow; j++) to[j * PANEL + l] = LOAD(from[j * c->gs[3]]);
  }
  for (int64_t j = 0; j < c->ow && width < PANEL; j++) memset(to + j * PANEL + width, 0, sizeof(C) * (size_t)(PANEL - width));
}

/* Block: a part of an image at hand. Its first ones are panels (group, panel, pixel, plane) of the gradient, the last one, if
 * there is any, the image padded. */
static void K(turn)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t panels = up(c->o, PANEL), turned = c->groups * panels, parts = turned + (c->padded != NULL);
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t n = b / parts, p = b % parts;
    if (p == turned) {
      const int64_t planes = c->groups * c->c;
      K(pad)(c, (C *)c->padded + n * planes * c->ts[0], (const T *)c->x + (c->first + n) * c->xs[0], planes, 0, c->hp);
      continue;
    }
    const int64_t o = p / panels * c->o + p % panels * PANEL, width = th_min(PANEL, c->o - p % panels * PANEL);
    const T *g = (const T *)c->g + (c->first + n) * c->gs[0] + o * c->gs[1];
    C *to = (C *)c->turned + (n * turned + p) * c->pixels * PANEL;
    for (int64_t i = 0; i < c->oh; i++, to += c->ow * PANEL) K(turn_row)(c, to, g + i * c->gs[2], width);
  }
}

/* Block: TH_MR taps by PANEL planes of one part of the images at hand. */
static void K(correlate)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t panels = up(c->o, PANEL), steps = up(c->k, TH_MR), per = c->groups * panels * steps;
  const int64_t image = c->padded ? c->groups * c->c * c->ts[0] : c->xs[0];
  const C *x =
    c->padded ? c->padded : (const C *)(const void *)((const T *)c->x + c->first * c->xs[0]);
  C tile[TH_MR * PANEL] __attribute__((aligned(64)));
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t part = b / per, p = b % per / steps, k = b % steps * TH_MR;
    const int mr = (int)th_min(TH_MR, c->k - k);
    const int64_t end = c->count * (part + 1) / c->parts;
    C *sums = (C *)c->sums + b * TH_MR * PANEL;
    for (int64_t n = c->count * part / c->parts; n < end; n++) {
      const C *at[TH_MR];
      for (int i = 0; i < mr; i++)
        at[i] = x + n * image + p / panels * c->c * c->ts[0] + c->tap[k + i];
      const C *turned = (const C *)c->turned + (n * c->groups * panels + p) * c->pixels * PANEL;
      const bool fresh = c->first == 0 && n == c->count * part / c->parts;
      MICRO(mr, c->pixels, at, c->place, turned, fresh ? sums : tile, false);
      if (!fresh) for (int64_t i = 0; i < mr * PANEL; i++) sums[i] += tile[i];
    }
  }
}

/* Block: GATHERED taps of a panel of planes; the parts are added up in order. */
static void K(collect)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t panels = up(c->o, PANEL), steps = up(c->k, TH_MR), cuts = up(c->k, GATHERED), area = c->kh * c->kw,
                per = c->groups * panels * steps * TH_MR * PANEL;
  const C scale = *(const C *)c->b;
  for (int64_t b = first; b < last; b++) {
    const int64_t p = b / cuts, tap = b % cuts * GATHERED, n = th_min(GATHERED, c->k - tap);
    const int64_t o = p % panels * PANEL, width = th_min(PANEL, c->o - o);
    const C *from = (const C *)c->sums + (p * steps * TH_MR + tap) * PANEL;
    C sums[GATHERED * PANEL];
    int64_t at[GATHERED];
    for (int64_t i = 0; i < n * PANEL; i++) sums[i] = from[i];
    for (int64_t part = 1; part < c->parts; part++)
      for (int64_t i = 0; i < n * PANEL; i++) sums[i] += from[part * per + i];
    for (int64_t i = 0, k = tap; i < n; i++, k++)
      at[i] = k / area * c->ws[1] + k / c->kw % c->kh * c->ws[2] + k % c->kw * c->ws[3];
    T *to = (T *)c->y + (p / panels * c->o + o) * c->ws[0];
    for (int64_t l = 0; l < width; l++, to += c->ws[0])
      for (int64_t i = 0; i < n; i++) to[at[i]] = STORE(LOAD(to[at[i]]) + scale * sums[i * PANEL + l]);
  }
}

typedef struct K(bias_job) { const conv *c; const th_tensor *gb; double scale; } K(bias_job);

/* Block: planes of the bias. Sums in double. */
static void K(bias)(void *ctx, int64_t first, int64_t last)
{
  const K(bias_job) *j = ctx;
  const conv *c = j->c;
  const bool straight = c->gs[3] == 1 && c->gs[2] == c->ow;       /* a plane is one long row */
  const int64_t rows = straight ? 1 : c->oh, n_row = straight ? c->pixels : c->ow;
  for (int64_t o = first; o < last && !th_interrupted(); o++) {
    double total = 0;
    for (int64_t n = 0; n < c->n; n++) {
      double lane[16] = { 0 };
      for (int64_t i = 0; i < rows; i++) {
        const T *g = (const T *)c->g + n * c->gs[0] + o * c->gs[1] + i * c->gs[2];
        int64_t q = 0;
        if (c->gs[3] == 1) {
          for (; q + 16 <= n_row; q += 16)
            for (int l = 0; l < 16; l++) lane[l] += (double)LOAD(g[q + l]);
        }
        for (; q < n_row; q++) lane[q % 16] += (double)LOAD(g[q * c->gs[3]]);
      }
      for (int w = 8; w; w /= 2) for (int l = 0; l < w; l++) lane[l] += lane[l + w];
      total += lane[0];
    }
    T *to = TH_DATA(T, j->gb) + o * j->gb->stride[0];
    *to = STORE((C)((double)LOAD(*to) + j->scale * total));
  }
}

static th_status K(grad_kernels)(conv *c, const th_tensor *gw, C scale)
{
  const int64_t panels = c->groups * up(c->o, PANEL), steps = up(c->k, TH_MR),
                planes = c->groups * c->c;
  const bool direct = K(direct)(c);
  if (direct) memcpy(c->ts, c->xs + 1, sizeof c->ts);
  else c->ts[0] = c->hp * c->wp, c->ts[1] = c->wp, c->ts[2] = 1;
  const int64_t turned = panels * c->pixels * PANEL,
                padded = direct ? 0 : up(planes * c->ts[0], 16) * 16;
  int64_t chunk = CHUNK_BYTES / (int64_t)sizeof(C) / (turned + padded);
  chunk = chunk < 1 ? 1 : th_min(chunk, c->n);
  c->parts = th_min(up(SUMS, panels * steps), chunk);
  const int64_t sums = c->parts * panels * steps * TH_MR * PANEL;
  const size_t bytes = sizeof(C) * (size_t)(sums + chunk * (turned + padded)) +
                       sizeof(int64_t) * (size_t)(c->k + c->pixels);
  char *scratch = th_scratch(bytes);
  if (!scratch) return th_fail(TH_ENOMEM, "no memory for %zu bytes of rearranged gradients", bytes);
  c->sums = scratch;
  c->turned = (C *)c->sums + sums;
  c->padded = direct ? NULL : (C *)c->turned + chunk * turned;
  int64_t *tap = (int64_t *)((C *)c->turned + chunk * (turned + padded)), *place = tap + c->k;
  set_taps(c, tap, c->ts);
  set_places(c, place, c->ts);
  c->tap = tap, c->place = place, c->b = &scale;
  th_status s = TH_OK;
  for (c->first = 0; c->first < c->n && s == TH_OK; c->first += chunk) {
    c->count = th_min(chunk, c->n - c->first);
    s = th_parallel(c->count * (panels + !direct), up(1 << 14, up(turned + padded, panels + !direct)), K(turn), c);
    const int64_t block = up(c->count, c->parts) * c->pixels * TH_MR * PANEL;
    if (s == TH_OK)
      s = th_parallel(c->parts * panels * steps, up(BLOCK_WORK / 4, block + 1), K(correlate), c);
  }
  c->y = TH_DATA(T, gw);
  if (s == TH_OK) s = th_parallel(panels * up(c->k, GATHERED), up(1 << 14, GATHERED * PANEL * c->parts), K(collect), c);
  th_scratch_free(scratch);
  return s;
}

static th_status K(grad_weight)(const th_call *call)
{
  const conv2d_grad_weight_args *a = conv2d_grad_weight_args_of(call);
  const th_tensor *gw = a->gw, *x = a->x, *g = a->g;
  const double scale = a->scale;
  conv c = geometry(x, g, gw, conv_geometry_args_at(call, conv2d_grad_weight_strideH));
  c.x = TH_DATA(T, x);
  c.g = TH_DATA(T, g);
  if (th_tensor_numel(g) == 0) return TH_OK;
  return c.k > 0 ? K(grad_kernels)(&c, gw, (C)scale) : TH_OK;
}

static th_status K(grad_bias)(const th_call *call)
{
  const conv2d_grad_weight_args *a = conv2d_grad_weight_args_of(call);
  const th_tensor *gw = a->gw, *x = a->x, *g = a->g;
  conv c = geometry(x, g, gw, conv_geometry_args_at(call, conv2d_grad_weight_strideH));
  c.g = TH_DATA(T, g);
  if (th_tensor_numel(g) == 0) return TH_OK;
  K(bias_job) j = { &c, a->gb, a->scale };
  return th_parallel(c.groups * c.o, up(1 << 14, c.n * c.pixels), K(bias), &j);
}
