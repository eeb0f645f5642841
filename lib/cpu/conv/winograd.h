/* winograd.h - tiles for kernels of 3 x 3 by Winograd's minimal filtering (Lavin and Gray, 2016): F(4,3) and F(2,3).
 * Read once per computing type after lanes.h and before spectrum.h.
 *
 * result = Results ((Kernels k) * (Inputs x)), along both dimensions; the gradient of the kernels is the transpose:
 * Kernels' ((Inputs x) * (Results' g)). Two of the n x n products of a tile lie side by side as a spectrum's
 * frequency, as if one were the real and the other the imaginary part. */
static const P M(inputs6)[6 * 6] = {
  4, 0, -5, 0, 1, 0,  0, -4, -4, 1, 1, 0,  0, 4, -4, -1, 1, 0,
  0, -2, -1, 2, 1, 0,  0, 2, -1, -2, 1, 0,  0, 4, 0, -5, 0, 1
};
static const P M(kernels6)[6 * 3] = {
  (P)1 / 4, 0, 0,  -(P)1 / 6, -(P)1 / 6, -(P)1 / 6,  -(P)1 / 6, (P)1 / 6, -(P)1 / 6,
  (P)1 / 24, (P)1 / 12, (P)1 / 6,  (P)1 / 24, -(P)1 / 12, (P)1 / 6,  0, 0, 1
};
static const P M(results6)[4 * 6] = {
  1, 1, 1, 1, 1, 0,  0, 1, -1, 2, -2, 0,  0, 1, 1, 4, 4, 0,  0, 1, -1, 8, -8, 1
};
static const P M(inputs4)[4 * 4] = { 1, 0, -1, 0,  0, 1, 1, 0,  0, -1, 1, 0,  0, 1, 0, -1 };
static const P M(kernels4)[4 * 3] = {
  1, 0, 0,  (P)0.5, (P)0.5, (P)0.5,  (P)0.5, -(P)0.5, (P)0.5,  0, 0, 1
};
static const P M(results4)[2 * 4] = { 1, 1, 1, 0,  0, 1, -1, -1 };

/* to (rows x rows of vectors) = m x m', x being cols x cols; element (i, j) of m is at[i * down + j * across]. All but
 * x is known where this is inlined, so zeros cost nothing. */
TH_INLINE void M(both_sides)(M(vec) *to, const M(vec) *x, const P *at, const int rows, const int cols, const int down,
                             const int across)
{
  M(vec) t[6 * 6];
  for (int j = 0; j < cols; j++) {
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) {
      M(vec) sum = { 0 };
#pragma GCC unroll 6
      for (int k = 0; k < cols; k++) {
        const P c = at[i * down + k * across];
        if (c != 0) sum = M_FMA(c - (M(vec)){ 0 }, x[k * cols + j], sum);
      }
      t[i * cols + j] = sum;
    }
  }
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 6
    for (int j = 0; j < rows; j++) {
      M(vec) sum = { 0 };
#pragma GCC unroll 6
      for (int k = 0; k < cols; k++) {
        const P c = at[j * down + k * across];
        if (c != 0) sum = M_FMA(c - (M(vec)){ 0 }, t[i * cols + k], sum);
      }
      to[i * rows + j] = sum;
    }
  }
}

/* Sides of a tile before and after this transform. */
static int M(side_before)(const job *j)
{
  const int n = (int)j->tw;
  return j->side == KERNELS ? 3 : j->side == FROM_RESULTS ? n - 2 : n;
}
static int M(side_after)(const job *j)
{
  const int n = (int)j->tw;
  return j->side == TO_KERNELS ? 3 : j->side == RESULTS ? n - 2 : n;
}

static __attribute__((noinline)) void M(winograd)(const job *j, M(vec) *to, const M(vec) *x)
{
  if (j->tw == 6) {
    switch (j->side) {
      case INPUTS:       M(both_sides)(to, x, M(inputs6), 6, 6, 6, 1); return;
      case KERNELS:      M(both_sides)(to, x, M(kernels6), 6, 3, 3, 1); return;
      case RESULTS:      M(both_sides)(to, x, M(results6), 4, 6, 6, 1); return;
      case FROM_RESULTS: M(both_sides)(to, x, M(results6), 6, 4, 1, 6); return;
      default:           M(both_sides)(to, x, M(kernels6), 3, 6, 1, 3); return;
    }
  }
  switch (j->side) {
    case INPUTS:       M(both_sides)(to, x, M(inputs4), 4, 4, 4, 1); return;
    case KERNELS:      M(both_sides)(to, x, M(kernels4), 4, 3, 3, 1); return;
    case RESULTS:      M(both_sides)(to, x, M(results4), 2, 4, 4, 1); return;
    case FROM_RESULTS: M(both_sides)(to, x, M(results4), 4, 2, 1, 4); return;
    default:           M(both_sides)(to, x, M(kernels4), 3, 4, 1, 3); return;
  }
}
