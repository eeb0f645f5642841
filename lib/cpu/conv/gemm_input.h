/* gemm_input.h - gradInput as products: rows are taps, added where they came from in a padded copy of some planes. Read once
 * per dtype by gemm.c. */

/* Where a tap of the kernel's plane lies in the padded image. */
TH_INLINE int64_t K(spot)(const conv *c, int64_t tap)
{
  return tap / c->kw * c->dh * c->wp + tap % c->kw * c->dw;
}

/* Kernels as blocks of TH_MR taps: group, TH_MR planes of the image, block, plane, tap. The taps go through
 * those planes in turn, so that neighbours are added to different planes: neighbours in a row would overlap
 * what was stored a moment ago, and wait for it. Block: TH_MR planes. */
static void K(arrange_taps)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t area = c->kh * c->kw, steps = up(c->c, TH_MR);
  for (int64_t b = first; b < last; b++) {
    const int64_t p = b % steps * TH_MR, planes = th_min(TH_MR, c->c - p), taps = planes * area;
    C *to = (C *)c->kernels + b / steps * taps_of(c) * c->o + p * area * c->o;
    for (int64_t o = 0; o < c->o; o++, to += TH_MR) {
      const T *w = (const T *)c->x + (b / steps * c->o + o) * c->ws[0] + p * c->ws[1];
      for (int64_t q = taps; q % TH_MR; q++) to[q / TH_MR * c->o * TH_MR + q % TH_MR] = 0;
      for (int64_t l = 0; l < planes; l++, w += c->ws[1]) {
        int64_t q = l;
        for (int64_t i = 0; i < c->kh; i++) {
          for (int64_t j = 0; j < c->kw; j++, q += planes) {
            to[q / TH_MR * c->o * TH_MR + q % TH_MR] = LOAD(w[i * c->ws[2] + j * c->ws[3]]);
          }
        }
      }
    }
  }
}

/* PANEL pixels of the gradient of one group's planes. */
static void K(take_pixels)(const conv *c, C *to, const T *g, int64_t pixel, int64_t n)
{
  const bool straight = c->gs[3] == 1 && (c->gs[2] == c->ow || c->oh == 1);
  for (int64_t o = 0; o < c->o; o++, to += PANEL, g += c->gs[1]) {
    if (straight) for (int64_t i = 0; i < n; i++) to[i] = LOAD(g[pixel + i]);
    else
      for (int64_t i = 0; i < n; i++)
        to[i] = LOAD(g[(pixel + i) / c->ow * c->gs[2] + (pixel + i) % c->ow * c->gs[3]]);
    for (int64_t i = n; i < PANEL; i++) to[i] = 0;
  }
}

typedef C K(eight) __attribute__((vector_size(8 * sizeof(C)), aligned(sizeof(C)), may_alias));

/* Pixels of a panel that are neighbours in a row: where the first was read from, and how many. */
typedef struct K(run) { int64_t at, n; } K(run);

static int K(runs_of)(const conv *c, K(run) *run, int64_t pixel, int64_t n)
{
  int count = 0;
  for (int64_t row = pixel / c->ow, col = pixel % c->ow; n > 0; row++, col = 0) {
    run[count] = (K(run)){ row * c->sh * c->wp + col * c->sw, th_min(n, c->ow - col) };
    n -= run[count++].n;
  }
  return count;
}

/* Adds one tap's pixels where they were read. */
TH_INLINE void K(scatter)(C *to, const C *tile, const K(run) *run, int runs, int64_t step)
{
  for (int r = 0; r < runs; tile += run[r++].n) {
    C *p = to + run[r].at;
    int64_t i = 0;
    if (step == 1)
      for (; i + 8 <= run[r].n; i += 8) *(K(eight) *)(p + i) += *(const K(eight) *)(tile + i);
    for (; i < run[r].n; i++) p[i * step] += tile[i];
  }
}

/* Adds the taps of up to TH_MR planes, for the pixels of a panel. */
static void K(add_taps)(const conv *c, C *gx, const C *kernels, int64_t planes, const C *panel,
                        const K(run) *run, int runs)
{
  C tile[TH_MR * PANEL] __attribute__((aligned(64)));
  const int64_t taps = planes * c->kh * c->kw,
                *tap = planes == TH_MR ? c->tap : c->tap + TH_MR * c->kh * c->kw;
  for (int64_t k = 0; k < taps; k += TH_MR) {
    const C *at[TH_MR];
    for (int i = 0; i < TH_MR; i++) at[i] = kernels + k * c->o + i;
    MICRO(TH_MR, c->o, at, c->place, panel, tile, false);
    for (int64_t t = k; t < th_min(taps, k + TH_MR); t++) {
      K(scatter)(gx + tap[t], tile + (t - k) * PANEL, run, runs, c->sw);
    }
  }
}

/* Block: some planes of one image; they are summed in a padded copy. */
static void K(backward)(void *ctx, int64_t first, int64_t last)
{
  conv *c = ctx;
  const int64_t cuts = up(c->c, c->planes), per_plane = c->kh * c->kw * c->o, area = c->hp * c->wp;
  C *gx = th_slot_take(&c->slots), *panel = gx + up(c->planes * area, 16) * 16;
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t n = b / cuts / c->groups, group = b / cuts % c->groups,
                  plane = b % cuts * c->planes;
    const int64_t planes = th_min(c->planes, c->c - plane);
    const T *g = (const T *)c->g + n * c->gs[0] + group * c->o * c->gs[1];
    const C *kernels = (const C *)c->kernels + group * taps_of(c) * c->o + plane * per_plane;
    memset(gx, 0, sizeof(C) * (size_t)(planes * area));
    for (int64_t pixel = 0; pixel < c->pixels; pixel += PANEL) {
      K(run) run[PANEL];
      const int64_t count = th_min(PANEL, c->pixels - pixel);
      const int runs = K(runs_of)(c, run, pixel, count);
      K(take_pixels)(c, panel, g, pixel, count);
      for (int64_t p = 0; p < planes; p += TH_MR) {
        K(add_taps)(c, gx + p * area, kernels + p * per_plane, th_min(TH_MR, planes - p), panel,
                    run, runs);
      }
    }
    T *out = (T *)c->y + n * c->xs[0] + (group * c->c + plane) * c->xs[1];
    for (int64_t p = 0; p < planes; p++) {
      for (int64_t i = 0; i < c->h; i++) {
        T *line = out + p * c->xs[1] + i * c->xs[2];
        const C *sums = gx + p * area + (i + c->ph) * c->wp + c->pw;
        const int64_t have =
          i + c->ph < c->hp ? th_min(c->w, c->wp - c->pw) : 0; /* the rest was never read */
        for (int64_t j = 0; j < have; j++) line[j * c->xs[3]] = STORE(sums[j]);
        for (int64_t j = have < 0 ? 0 : have; j < c->w; j++) line[j * c->xs[3]] = STORE((C)0);
      }
    }
  }
  th_slot_give(&c->slots, gx);
}

static th_status K(grad_input)(const th_call *call)
{
  const conv2d_grad_input_args *a = conv2d_grad_input_args_of(call);
  const th_tensor *gx = a->gx, *g = a->g, *w = a->weight;
  conv c = geometry(gx, g, w, conv_geometry_args_at(call, conv2d_grad_input_strideH));
  if (th_tensor_numel(gx) == 0) return TH_OK;
  c.g = TH_DATA(T, g);
  c.y = TH_DATA(T, gx);
  const int64_t per_plane = c.pixels * c.o * c.kh * c.kw;
  c.planes = planes_of(per_plane, c.c);
  const int64_t area = c.kh * c.kw;
  const size_t kernels = sizeof(C) * (size_t)(c.groups * taps_of(&c) * c.o);
  char *arranged = th_scratch(kernels + 64 + sizeof(int64_t) * (size_t)(2 * TH_MR * area + c.o));
  if (!arranged)
    return th_fail(TH_ENOMEM, "no memory for %zu bytes of rearranged kernels", kernels);
  const size_t slot = sizeof(C) * (size_t)(up(c.planes * c.hp * c.wp, 16) * 16 + c.o * PANEL);
  th_status s = th_slots_new(&c.slots, slot);
  if (s == TH_OK) {
    int64_t *tap = (int64_t *)(arranged + up((int64_t)kernels, 64) * 64),
            *place = tap + 2 * TH_MR * area;
    /* Whole groups of planes share their offsets; the last has its own. */
    const int64_t rest = c.c % TH_MR;
    for (int64_t i = 0; i < TH_MR * area; i++)
      tap[i] = i % TH_MR * c.hp * c.wp + K(spot)(&c, i / TH_MR);
    for (int64_t i = 0; i < rest * area; i++)
      tap[TH_MR * area + i] = i % rest * c.hp * c.wp + K(spot)(&c, i / rest);
    for (int64_t o = 0; o < c.o; o++) place[o] = o * TH_MR;
    c.x = TH_DATA(T, w), c.kernels = arranged, c.tap = tap, c.place = place;
    const int64_t turns = c.groups * up(c.c, TH_MR);
    s = th_parallel(turns, blocks_of(1 << 14, area * c.o * TH_MR), K(arrange_taps), &c);
    const int64_t block = c.planes * per_plane;
    const int64_t blocks = c.n * c.groups * up(c.c, c.planes);
    if (s == TH_OK) s = th_parallel(blocks, up(BLOCK_WORK / 4, block + 1), K(backward), &c);
    th_slots_free(&c.slots);
  }
  th_scratch_free(arranged);
  return s;
}
