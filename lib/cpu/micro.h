/* micro.h - the heart of every product: up to MR rows of broadcast numbers times a packed panel.
 *
 * Read once per computing type, with P the type, M(f) f_<type>, M_FMA(a, b, c) a * b + c of vectors.
 * A panel is k rows of M(NR) numbers, 64-byte aligned. Row i of the left operand lies anywhere:
 * its k-th number is p[i][off[k]], so images are read in place and im2col never happens.
 */
typedef P M(vec) __attribute__((vector_size(TH_VB), may_alias));
enum { M(NR) = 2 * TH_VB / (int)sizeof(P) };

/* out (mr x NR) = [out +] the product; mr is a constant wherever this is inlined. */
TH_INLINE void M(rows)(const int mr, int64_t n, const P *const *p, const int64_t *off, const P *b,
                       P *out, bool add)
{
  M(vec) acc[TH_MR][2];
  const P *q[TH_MR];
  M(vec) *const o = (M(vec) *)out;
#pragma GCC unroll 8
  for (int i = 0; i < mr; i++) {
    q[i] = p[i];
    acc[i][0] = add ? o[2 * i] : (M(vec)){ 0 };
    acc[i][1] = add ? o[2 * i + 1] : (M(vec)){ 0 };
  }
  for (int64_t k = 0; k < n; k++, b += M(NR)) {
    const M(vec) b0 = ((const M(vec) *)b)[0], b1 = ((const M(vec) *)b)[1];
    const int64_t at = off[k];
#pragma GCC unroll 8
    for (int i = 0; i < mr; i++) {
      const M(vec) a = q[i][at] - (M(vec)){ 0 };
      acc[i][0] = M_FMA(a, b0, acc[i][0]);
      acc[i][1] = M_FMA(a, b1, acc[i][1]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < mr; i++) {
    o[2 * i] = acc[i][0];
    o[2 * i + 1] = acc[i][1];
  }
}

#define ROWS(mr) static __attribute__((noinline)) void M(rows##mr)(int64_t n, const P *const *p, \
    const int64_t *off, const P *b, P *out, bool add) { M(rows)(mr, n, p, off, b, out, add); }
ROWS(1)
ROWS(2) ROWS(3) ROWS(4)
#if TH_MR > 4
  ROWS(5) ROWS(6)
#endif
#if TH_MR > 6
    ROWS(7) ROWS(8)
#endif
#undef ROWS

      static inline void M(micro)(int mr, int64_t n, const P *const *p, const int64_t *off,
                                  const P *b, P *out, bool add)
{
  switch (mr) {
#if TH_MR > 6
  case 8: M(rows8)(n, p, off, b, out, add); break;
  case 7: M(rows7)(n, p, off, b, out, add); break;
#endif
#if TH_MR > 4
  case 6: M(rows6)(n, p, off, b, out, add); break;
  case 5: M(rows5)(n, p, off, b, out, add); break;
#endif
  case 4: M(rows4)(n, p, off, b, out, add); break;
  case 3: M(rows3)(n, p, off, b, out, add); break;
  case 2: M(rows2)(n, p, off, b, out, add); break;
  case 1: M(rows1)(n, p, off, b, out, add); break;
  }
}
