/* loop.c - visits the elements of several tensors together, in as few and as long rows as possible, or in tiles where one operand
 * is transposed relative to the others. */
#include "core.h"

enum { TILE_N = 128, TILE_ROWS = 16 };       /* a tile of a transposed operand: whole cache lines of both kinds of operand */
enum { FEW = 256 };                          /* up to so many elements are one tile with any strides */

typedef struct plan {
  int     nop, ndim;                        /* dimension 0 is the innermost */
  int64_t n[TH_MAXDIM];
  int64_t step[TH_MAXDIM][TH_MAXOPND];      /* bytes */
  char   *base[TH_MAXOPND];
  int64_t tile[2], tiles[2];                /* the first two dimensions are cut into tiles */
  th_tile f;
  const void *ctx;
} plan;

/* The stride of operand t along dimension d of the result, right-aligned; 0 where it broadcasts. */
static int64_t stride_in(const th_tensor *t, int ndim, int d)
{
  const int k = d - (ndim - t->ndim);
  return k < 0 || t->size[k] == 1 ? 0 : t->stride[k];
}

/* Whether dimension d (outer) continues the plan's last dimension, so that both become one. */
static bool joins(const plan *p, const int64_t *step)
{
  const int last = p->ndim - 1;
  for (int k = 0; k < p->nop; k++) if (step[k] != p->step[last][k] * p->n[last]) return false;
  return true;
}

static void add_dim(plan *p, int64_t n, const int64_t *step)
{
  if (n == 1) return;
  if (p->ndim > 0 && joins(p, step)) {
    p->n[p->ndim - 1] *= n;
    return;
  }
  p->n[p->ndim] = n;
  memcpy(p->step[p->ndim], step, sizeof *step * (size_t)p->nop);
  p->ndim++;
}

/* Orders the result's dimensions by falling stride, so that a transposed result is visited in memory order. */
static void order_dims(const th_tensor *y, int *order)
{
  for (int d = 0; d < y->ndim; d++) {
    int k = d;
    const int64_t s = y->stride[d] < 0 ? -y->stride[d] : y->stride[d];
    for (; k > 0; k--) {
      const int64_t o = y->stride[order[k - 1]], before = o < 0 ? -o : o;
      if (before >= s) break;
      order[k] = order[k - 1];
    }
    order[k] = d;
  }
}

static inline int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

/* If an operand's elements are closer together along another dimension than along the first, makes that dimension the second
 * one. */
static bool lies_across(plan *p)
{
  for (int k = 1; k < p->nop; k++) {
    int best = 0;
    for (int d = 1; d < p->ndim; d++) {
      const int64_t s = magnitude(p->step[d][k]);
      if (s != 0 && s < magnitude(p->step[best][k]) && p->n[d] >= 4) best = d;
    }
    if (best == 0) continue;
    const int64_t n = p->n[best];
    int64_t step[TH_MAXOPND];
    memcpy(step, p->step[best], sizeof step);
    memmove(&p->n[2], &p->n[1], sizeof p->n[0] * (size_t)(best - 1));
    memmove(&p->step[2], &p->step[1], sizeof p->step[0] * (size_t)(best - 1));
    p->n[1] = n;
    memcpy(p->step[1], step, sizeof step);
    return true;
  }
  return false;
}

/* Cuts long rows to the length of a block and groups short ones. */
static void cut_tiles(plan *p)
{
  if (lies_across(p)) {
    p->tile[0] = th_min(p->n[0], p->n[1] < TILE_ROWS ? TILE_N * TILE_ROWS / p->n[1] : TILE_N);
    p->tile[1] = th_min(p->n[1], TILE_N * TILE_ROWS / p->tile[0]);
  } else {
    p->tile[0] = th_min(p->n[0], TH_GRAIN);
    p->tile[1] = th_min(p->n[1], TH_GRAIN / p->tile[0]);
  }
  for (int d = 0; d < 2; d++) p->tiles[d] = (p->n[d] + p->tile[d] - 1) / p->tile[d];
}

/* Visits tile b. Tiles are numbered along the second dimension first, so that consecutive tiles read a transposed operand
 * sequentially. */
static void walk(const plan *p, int64_t b)
{
  char *at[TH_MAXOPND];
  const int64_t row = b % p->tiles[1] * p->tile[1], first = b / p->tiles[1] % p->tiles[0] * p->tile[0];
  int64_t rest = b / p->tiles[1] / p->tiles[0];
  for (int k = 0; k < p->nop; k++) at[k] = p->base[k] + first * p->step[0][k] + row * p->step[1][k];
  for (int d = 2; d < p->ndim; d++) {
    const int64_t i = rest % p->n[d];
    rest /= p->n[d];
    for (int k = 0; k < p->nop; k++) at[k] += i * p->step[d][k];
  }
  p->f(at, p->step[0], p->step[1], th_min(p->n[0] - first, p->tile[0]), th_min(p->n[1] - row, p->tile[1]), p->ctx);
}

static void block(void *ctx, int64_t first, int64_t last)
{
  for (int64_t b = first; b < last; b++) walk(ctx, b);
}

/* Torch7 accepts operands of equal element count but different shapes, and reads each in row-major order. Views such an operand
 * in the shape of the result, after a contiguous copy where necessary. */
static th_status in_shape_of(th_tensor *packed, const th_tensor *y, const th_tensor *x)
{
  if (th_contiguous(x)) th_tensor_alias(packed, x);     /* the storage of `packed` was NULL */
  else TH_TRY(th_tensor_clone(packed, x));
  int64_t step = 1;
  packed->ndim = y->ndim;
  for (int d = y->ndim - 1; d >= 0; d--) {
    packed->size[d] = y->size[d];
    packed->stride[d] = step;
    step *= y->size[d];
  }
  return TH_OK;
}

static th_status plan_strided(plan *p, th_tensor *const *t, bool same_count, th_tensor *kept)
{
  const th_tensor *y = t[0], *use[TH_MAXOPND];
  int order[TH_MAXDIM];
  for (int k = 0; k < p->nop; k++) {
    use[k] = t[k];
    if (k == 0 || !same_count || th_same_shape(y, t[k])) continue;
    TH_TRY(in_shape_of(&kept[k], y, t[k]));
    use[k] = &kept[k];
    p->base[k] = th_data(use[k], th_element_size(use[k]->dtype));
  }
  order_dims(y, order);
  for (int i = y->ndim - 1; i >= 0; i--) {
    int64_t step[TH_MAXOPND];
    for (int k = 0; k < p->nop; k++) {
      step[k] = stride_in(use[k], y->ndim, order[i]) * (int64_t)th_element_size(use[k]->dtype);
    }
    add_dim(p, y->size[order[i]], step);
  }
  return TH_OK;
}

static void add_single(plan *p, th_tensor *const *t)
{
  for (int k = 0; k < p->nop; k++) p->step[0][k] = (int64_t)th_element_size(t[k]->dtype);
  p->n[0] = p->ndim = 1;
}

static void add_row(plan *p)
{
  p->n[1] = 1;
  memset(p->step[1], 0, sizeof p->step[1]);
  p->ndim = 2;
}

/* The general case: plans the tiles and distributes them over the threads. */
static __attribute__((noinline)) th_status each_planned(int nop, th_tensor *const *t, th_tile f, const void *ctx,
                                                        int64_t total, bool plain, bool same_count)
{
  plan p;                           /* initialized only as far as they are used, because small calls run this too */
  th_tensor kept[TH_MAXOPND];
  th_status s = TH_OK;
  p.nop = nop;
  p.ndim = 0;
  p.f = f;
  p.ctx = ctx;
  for (int k = 0; k < nop; k++) {
    p.base[k] = th_data(t[k], th_element_size(t[k]->dtype));
    kept[k].storage = NULL;
  }
  if (plain && same_count) {
    int64_t step[TH_MAXOPND];
    for (int k = 0; k < nop; k++) step[k] = (int64_t)th_element_size(t[k]->dtype);
    add_dim(&p, total, step);
  } else {
    s = plan_strided(&p, t, same_count, kept);
  }
  if (s == TH_OK) {
    if (p.ndim == 0) add_single(&p, t);
    if (p.ndim == 1) add_row(&p);
  }
  if (s == TH_OK && p.ndim == 2 && total <= FEW) {
    f(p.base, p.step[0], p.step[1], p.n[0], p.n[1], ctx);
  } else if (s == TH_OK) {
    cut_tiles(&p);
    const int64_t tile = p.tile[0] * p.tile[1];
    int64_t tiles = p.tiles[0] * p.tiles[1];
    for (int d = 2; d < p.ndim; d++) tiles *= p.n[d];
    s = th_parallel(tiles, tile < TH_GRAIN ? TH_GRAIN / tile : 1, block, &p);
  }
  for (int k = 0; k < nop; k++) if (kept[k].storage) th_storage_release(kept[k].storage);
  return s;
}

/* Whether t is contiguous; *n is its element count. */
static inline bool packed(const th_tensor *t, int64_t *n)
{
  int64_t step = 1;
  bool yes = true;
  for (int d = t->ndim - 1; d >= 0; d--) {
    yes = yes && (t->stride[d] == step || t->size[d] == 1);
    step *= t->size[d];
  }
  *n = step;
  return yes;
}

th_status th_each_tile(int nop, th_tensor *const *t, th_tile f, const void *ctx)
{
  static const int64_t none[TH_MAXOPND];
  char *base[TH_MAXOPND];
  int64_t step[TH_MAXOPND], total, n;
  bool plain = packed(t[0], &total), same_count = true;
  if (total == 0) return TH_OK;
  for (int k = 0; k < nop; k++) {
    plain = packed(t[k], &n) && plain;
    same_count = same_count && n == total;
    step[k] = (int64_t)th_element_size(t[k]->dtype);
    base[k] = th_data(t[k], (size_t)step[k]);
  }
  if (!plain || !same_count || total > TH_GRAIN) return each_planned(nop, t, f, ctx, total, plain, same_count);
  f(base, step, none, total, 1, ctx);
  return TH_OK;
}

typedef struct by_row { th_row f; const void *ctx; int nop; } by_row;

static void rows_of_tile(char *const *p, const int64_t *step, const int64_t *jump, int64_t n, int64_t rows,
                         const void *ctx)
{
  const by_row *b = ctx;
  char *at[TH_MAXOPND];
  for (int64_t r = 0; r < rows; r++) {
    for (int k = 0; k < b->nop; k++) at[k] = p[k] + r * jump[k];
    b->f(at, step, n, b->ctx);
  }
}

th_status th_each(int nop, th_tensor *const *t, th_row f, const void *ctx)
{
  return th_each_tile(nop, t, rows_of_tile, &(by_row){ f, ctx, nop });
}
