/* transpose.h - 4x4 transposes. Read once per computing type: P and M(f) as in micro.h. */
typedef P M(quad) __attribute__((vector_size(4 * sizeof(P)), aligned(sizeof(P)), may_alias));

/* Four rows of four numbers, each plus the four at `extra`, become four columns. */
TH_INLINE void M(turn4)(P *to, int64_t to_row, const P *from, int64_t from_row, const P *extra)
{
  const M(quad) more = *(const M(quad) *)extra;
  const M(quad) a = *(const M(quad) *)from + more, b = *(const M(quad) *)(from + from_row) + more;
  const M(quad) c = *(const M(quad) *)(from + 2 * from_row) + more,
                d = *(const M(quad) *)(from + 3 * from_row) + more;
  const M(quad) ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const M(quad) cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *(M(quad) *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
  *(M(quad) *)(to + to_row) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  *(M(quad) *)(to + 2 * to_row) = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
  *(M(quad) *)(to + 3 * to_row) = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
}
