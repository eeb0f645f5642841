/* gemm_forward.h - the result as products: rows are pixels, read where they lie or in a padded copy; kernels are panels of
 * planes. Read once per dtype by gemm.c. */

/* Kernels as panels of planes: group, panel, tap, plane. Block: panels of all groups. */
static void K(arrange)(void *ctx, int64_t first, int64_t last)
{
  const conv *c = ctx;
  const int64_t panels = up(c->o, PANEL);
  for (int64_t b = first; b < last; b++) {
    const int64_t o = b % panels * PANEL, width = th_min(PANEL, c->o - o);
    const T *w = (const T *)c->x + (b / panels * c->o + o) * c->ws[0];
    C *to = (C *)c->kernels + b * c->k * PANEL;
    for (int64_t k = 0; k < c->k; k++, to += PANEL) {
      const T *from =
        w + k / (c->kh * c->kw) * c->ws[1] + k / c->kw % c->kh * c->ws[2] + k % c->kw * c->ws[3];
      for (int64_t l = 0; l < width; l++) to[l] = LOAD(from[l * c->ws[0]]);
      for (int64_t l = width; l < PANEL; l++) to[l] = 0;
    }
  }
}

/* mr pixels of `width` planes: turned, the bias added, stored. */
static void K(store)(T *y, const C *tile, const T *bias, int mr, int64_t width, int64_t plane)
{
  int i = 0;
#if !IS_HALF
  for (; i + 4 <= mr; i += 4) {
    int64_t l = 0;
    for (; l + 4 <= width; l += 4) {
      const C *b = bias ? bias + l : (const C[4]){ 0 };
      TRANSPOSE(y + l * plane + i, plane, tile + i * PANEL + l, PANEL, b);
    }
    for (; l < width; l++) {
      for (int r = i; r < i + 4; r++) y[l * plane + r] = tile[r * PANEL + l] + (bias ? bias[l] : 0);
    }
  }
#endif
  for (int64_t l = 0; l < width; l++) {
    const C b = bias ? LOAD(bias[l]) : 0;
    for (int r = i; r < mr; r++) y[l * plane + r] = STORE(tile[r * PANEL + l] + b);
  }
}

/* Block: some rows of the result of one image. */
static void K(forward)(void *ctx, int64_t first, int64_t last)
{
  conv *c = ctx;
  const int64_t cuts = up(c->oh, c->rows), panels = up(c->o, PANEL);
  C *buffer = K(direct)(c) ? NULL : th_slot_take(&c->slots);
  C tile[TH_MR * PANEL] __attribute__((aligned(64)));
  for (int64_t b = first; b < last && !th_interrupted(); b++) {
    const int64_t n = b / cuts, row = b % cuts * c->rows, rows = th_min(c->rows, c->oh - row);
    const T *x = (const T *)c->x + n * c->xs[0];
    const C *from = (const C *)(const void *)x + row * c->sh * c->xs[2];
    if (buffer) {
      K(pad)(c, buffer, x, c->groups * c->c, row * c->sh,
             (rows - 1) * c->sh + (c->kh - 1) * c->dh + 1);
      from = buffer;
    }
    const int64_t pixels = rows * c->ow;
    for (int64_t p = 0; p < c->groups * panels; p++) {
      const int64_t group = p / panels, o = group * c->o + p % panels * PANEL;
      const int64_t width = th_min(PANEL, c->o - p % panels * PANEL);
      const C *kernels = (const C *)c->kernels + p * c->k * PANEL,
              *planes = from + group * c->c * c->ts[0];
      T *y = (T *)c->y + (n * c->groups * c->o + o) * c->pixels + row * c->ow;
      for (int64_t i = 0; i < pixels; i += TH_MR) {
        const int mr = (int)th_min(TH_MR, pixels - i);
        const C *at[TH_MR];
        for (int r = 0; r < mr; r++) at[r] = planes + c->place[i + r];
        MICRO(mr, c->k, at, c->tap, kernels, tile, false);
        K(store)(y + i, tile, c->b ? (const T *)c->b + o : NULL, mr, width, c->pixels);
      }
    }
  }
  if (buffer) th_slot_give(&c->slots, buffer);
}

static th_status K(conv2d_packed)(const th_call *call, const th_tensor *y, const th_tensor *bias)
{
  const conv2d_args *a = conv2d_args_of(call);
  conv c = geometry(a->x, y, a->weight, conv_geometry_args_at(call, conv2d_strideH));
  if (th_tensor_numel(y) == 0) return TH_OK;
  c.rows = blocks_of(BLOCK_WORK, c.ow * work(&c));
  if (c.rows > c.oh) c.rows = c.oh;
  const int64_t in_rows = (c.rows - 1) * c.sh + (c.kh - 1) * c.dh + 1,
                panels = c.groups * up(c.o, PANEL);
  const size_t kernels = sizeof(C) * (size_t)(panels * c.k * PANEL);
  char *arranged = th_scratch(kernels + sizeof(int64_t) * (size_t)(c.k + c.pixels));
  if (!arranged)
    return th_fail(TH_ENOMEM, "no memory for %zu bytes of rearranged kernels", kernels);
  th_status s = TH_OK;
  if (K(direct)(&c)) memcpy(c.ts, c.xs + 1, sizeof c.ts);
  else {
    c.ts[0] = in_rows * c.wp, c.ts[1] = c.wp, c.ts[2] = 1;
    s = th_slots_new(&c.slots, sizeof(C) * (size_t)(c.groups * c.c * c.ts[0]));
  }
  if (s == TH_OK) {
    int64_t *tap = (int64_t *)(arranged + kernels), *place = tap + c.k;
    set_taps(&c, tap, c.ts);
    set_places(&c, place, c.ts);
    c.kernels = arranged, c.tap = tap, c.place = place;
    c.x = TH_DATA(T, a->weight);
    s = th_parallel(panels, blocks_of(1 << 14, c.k * PANEL), K(arrange), &c);
    c.x = TH_DATA(T, a->x);
    c.y = TH_DATA(T, y);
    c.b = bias ? TH_DATA(T, bias) : NULL;
    const int64_t block = c.rows * c.ow * work(&c);
    if (s == TH_OK)
      s = th_parallel(c.n * up(c.oh, c.rows), up(BLOCK_WORK / 4, block + 1), K(forward), &c);
    if (!K(direct)(&c)) th_slots_free(&c.slots);
  }
  th_scratch_free(arranged);
  return s;
}

static void K(copy_row)(char *const *p, const int64_t *step, int64_t n, const void *ctx)
{
  (void)ctx;
  for (int64_t i = 0; i < n; i++) *(T *)(p[0] + i * step[0]) = *(const T *)(p[1] + i * step[1]);
}

/* A result with gaps is computed packed, then copied. */
static th_status K(conv2d)(const th_call *call)
{
  const conv2d_args *a = conv2d_args_of(call);
  th_tensor *y = a->y, packed = { 0 }, bias = { 0 };
  const th_tensor *given = a->bias;
  th_status s = TH_OK;
  if (given && !th_tensor_is_contiguous(given)) {
    s = th_tensor_clone(&bias, given);
    given = &bias;
  }
  if (s == TH_OK && th_tensor_is_contiguous(y)) s = K(conv2d_packed)(call, y, given);
  else if (s == TH_OK) {
    s = th_tensor_resize(&packed, y->dtype, y->ndim, y->size, NULL);
    if (s == TH_OK) s = K(conv2d_packed)(call, &packed, given);
    if (s == TH_OK) s = th_each(2, (th_tensor *const[]){ y, &packed }, K(copy_row), NULL);
  }
  th_tensor_release(&packed);
  th_tensor_release(&bias);
  return s;
}
