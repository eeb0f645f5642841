/* product.h - the product of spectra: at every frequency one product of complex matrices, left * conj(right). Read once
 * per computing type after lanes.h: P, M(f), M_FMA as there.
 *
 * A spectrum lies in panels of TH_WIDE complex vectors, so that the right operand is read, and the product written, where
 * it lies. */

/* Where a row lies: its first frequencies, and where frequency f lies from there. */
static M(row) M(spectrum_row)(const spectrum *s, int64_t row, int64_t group)
{
  M(vec) *re = (M(vec) *)s->data + group / TH_WIDE * s->panel + row * s->row + 2 * (group % TH_WIDE);
  return (M(row)){ .re = re, .im = 1, .step = s->step, .past = s->past };
}
TH_INLINE int64_t M(offset)(const spectrum *s, int64_t f) { return f / s->together * s->block + f % s->together * s->step; }

/* Rows of one frequency as three matrices: real parts, imaginary parts, their sums. */
static void M(pack_left)(const spectrum *s, int64_t f, int64_t row, int64_t rows, P *to, int64_t part, bool waves)
{
  const int64_t ld = s->groups * M(LV);
  for (int64_t g = 0; g < s->groups; g++) {
    const M(vec) *from = M(spectrum_row)(s, row, g).re + M(offset)(s, f);
    P *t = to + g * M(LV);
    for (int64_t r = 0; r < rows; r++, from += s->row, t += ld) {
      const M(vec) re = from[0], im = from[1];
      *(M(vec) *)t = re;
      *(M(vec) *)(t + part) = im;
      if (waves) *(M(vec) *)(t + 2 * part) = re + im;
    }
  }
}

/* Block: frequencies. The left operand of products without waves becomes two matrices where it
 * lies, for products with several right operands. */
static void M(pack_all)(void *ctx, int64_t first, int64_t last)
{
  const product *p = ctx;
  P *room = th_slot_take((th_slots *)(uintptr_t)&p->slots);
  const int64_t part = p->left.rows * p->left.groups * M(LV);
  for (int64_t f = first; f < last && !th_interrupted(); f++) {
    M(pack_left)(&p->left, f, 0, p->left.rows, room, part, false);
    memcpy((M(vec) *)p->left.data + f * p->left.block, room, (size_t)(2 * part) * sizeof(P));
  }
  th_slot_give((th_slots *)(uintptr_t)&p->slots, room);
}

/* mr rows of a panel of the product, nv vectors wide. Number k of row i lies at left[i rs + k ks], the imaginary part
 * `part` further on, the sum of both as far again. Three real products make a complex one:
 * left * conj(right) = p + q + i (t - p + q); without waves, the two that there are. What lies `ahead` is fetched. */
TH_INLINE void M(complex_rows)(const int mr, const int nv, const bool waves, int64_t n, const P *left, int64_t rs, int64_t ks,
                               int64_t part, const M(vec) *right, const char *ahead, M(vec) *out, int64_t os, int how)
{
  M(vec) p[4][2], q[4][2], t[4][2];
#pragma GCC unroll 4
  for (int i = 0; i < mr; i++) {
#pragma GCC unroll 2
    for (int v = 0; v < nv; v++) p[i][v] = q[i][v] = t[i][v] = (M(vec)){ 0 };
  }
  const P *l0 = left, *l1 = left + part, *l2 = l1 + part;
  for (int64_t k = 0; k < n; k++, l0 += ks, l1 += ks, l2 += ks, right += 2 * TH_WIDE) {
    __builtin_prefetch(ahead + 64 * k);
    M(vec) re[2], im[2], less[2];
#pragma GCC unroll 2
    for (int v = 0; v < nv; v++) re[v] = right[2 * v], im[v] = right[2 * v + 1], less[v] = re[v] - im[v];
#pragma GCC unroll 4
    for (int i = 0; i < mr; i++) {
      const M(vec) a = l0[i * rs] - (M(vec)){ 0 }, b = l1[i * rs] - (M(vec)){ 0 };
#pragma GCC unroll 2
      for (int v = 0; v < nv; v++) p[i][v] = M_FMA(a, re[v], p[i][v]), q[i][v] = M_FMA(b, im[v], q[i][v]);
      if (!waves) continue;
      const M(vec) c = l2[i * rs] - (M(vec)){ 0 };
#pragma GCC unroll 2
      for (int v = 0; v < nv; v++) t[i][v] = M_FMA(c, less[v], t[i][v]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < mr; i++, out += os) {
#pragma GCC unroll 2
    for (int v = 0; v < nv; v++) {
      M(vec) re = p[i][v], im = q[i][v];
      if (waves) re = p[i][v] + q[i][v], im = t[i][v] - p[i][v] + q[i][v];
      if (how == ADD) re += out[2 * v], im += out[2 * v + 1];
      if (how == PASS) TH_STREAM(out + 2 * v, re), TH_STREAM(out + 2 * v + 1, im);
      else out[2 * v] = re, out[2 * v + 1] = im;
    }
  }
}

#define ROWS(mr, nv, waves) static __attribute__((noinline)) void M(complex##mr##nv##waves)(int64_t n, const P *left, \
    int64_t rs, int64_t ks, int64_t part, const M(vec) *right, const char *ahead, M(vec) *out, int64_t os, int how) \
  { M(complex_rows)(mr, nv, waves, n, left, rs, ks, part, right, ahead, out, os, how); }
#define EACH_ROWS(nv, waves) ROWS(1, nv, waves) ROWS(2, nv, waves) ROWS(3, nv, waves) ROWS(4, nv, waves)
EACH_ROWS(1, 0) EACH_ROWS(1, 1)
#if TH_WIDE > 1
EACH_ROWS(2, 0) EACH_ROWS(2, 1)
#endif
#undef ROWS
#undef EACH_ROWS

typedef void M(complex_f)(int64_t n, const P *left, int64_t rs, int64_t ks, int64_t part, const M(vec) *right,
                          const char *ahead, M(vec) *out, int64_t os, int how);
#define EACH_ROWS(nv, waves) { M(complex1##nv##waves), M(complex2##nv##waves), M(complex3##nv##waves), M(complex4##nv##waves) }
static M(complex_f) *const M(complex_f_of)[TH_WIDE][2][4] = {
  { EACH_ROWS(1, 0), EACH_ROWS(1, 1) },
#if TH_WIDE > 1
  { EACH_ROWS(2, 0), EACH_ROWS(2, 1) },
#endif
};
#undef EACH_ROWS

/* Block: frequencies. */
static void M(multiply)(void *ctx, int64_t first, int64_t last)
{
  const product *p = ctx;
  P *const room = th_slot_take((th_slots *)(uintptr_t)&p->slots);
  const int64_t ld = p->left.groups * M(LV);
  const int64_t cut = p->across || p->packed ? p->left.rows : ROWS, part = cut * ld;
  const int64_t depth = p->right.rows, rs = p->across ? 1 : ld, ks = p->across ? ld : 1;
  const int how = p->add ? ADD : p->to.past ? PASS : KEEP;
  for (int64_t f = first; f < last && !th_interrupted(); f++) {
    for (int64_t row = 0; row < p->left.rows; row += cut) {
      const int64_t rows = th_min(cut, p->left.rows - row), m = p->across ? p->m : rows;
      const P *const left = p->packed ? (const P *)p->left.data + f * p->left.block * M(LV) : room;
      if (!p->packed) M(pack_left)(&p->left, f, row, rows, room, part, p->waves);
      for (int64_t g = 0; g < p->right.groups; g += TH_WIDE) {
        M(complex_f) *const *const rows_of = M(complex_f_of)[th_min(TH_WIDE, p->right.groups - g) - 1][p->waves];
        const M(vec) *right = M(spectrum_row)(&p->right, 0, g).re + M(offset)(&p->right, f);
        M(vec) *out = M(spectrum_row)(&p->to, row, g).re + M(offset)(&p->to, f);
        /* Every four rows fetch some of the next panel, until it is there. */
        const char *const next = (const char *)(right + p->right.panel), *ahead = next;
        for (int64_t i = 0; i < m; i += 4) {
          rows_of[th_min(4, m - i) - 1](depth, left + i * rs, rs, ks, part, right, ahead, out + i * p->to.row, p->to.row, how);
          ahead = ahead + 64 * depth < next + p->right.panel * TH_VB ? ahead + 64 * depth : (const char *)right;
        }
      }
    }
  }
  TH_STREAMED();
  th_slot_give((th_slots *)(uintptr_t)&p->slots, room);
}
