/* keys.h - stable sorting and selecting of pairs of a key and a place. Read once per width, with
 *   U     the unsigned key        R(f)  f_<width>
 * Long inputs go by radix, least digit first; short ones by insertion and merging. */

typedef struct R(pair) { U key; uint32_t place; } R(pair);

static void R(insertion)(R(pair) *p, int64_t n)
{
  for (int64_t i = 1; i < n; i++) {
    const R(pair) v = p[i];
    int64_t k = i;
    for (; k > 0 && p[k - 1].key > v.key; k--) p[k] = p[k - 1];
    p[k] = v;
  }
}

/* Sorted runs of `run` pairs of a, merged two by two into b. */
static void R(merge_runs)(R(pair) *restrict b, const R(pair) *restrict a, int64_t n, int64_t run)
{
  for (int64_t from = 0; from < n; from += 2 * run) {
    const int64_t mid = th_min(from + run, n), end = th_min(from + 2 * run, n);
    int64_t i = from, k = mid;
    for (int64_t to = from; to < end; to++) {
      b[to] = i < mid && (k == end || a[i].key <= a[k].key) ? a[i++] : a[k++];
    }
  }
}

/* One digit: from a to b. False after Ctrl-C. */
static bool R(deal)(R(pair) *restrict b, const R(pair) *restrict a, int64_t n, int shift,
                    int64_t *to)
{
  for (int64_t from = 0; from < n; from += PATIENCE) {
    if (th_interrupted()) return false;
    const int64_t end = th_min(n, from + PATIENCE);
    for (int64_t i = from; i < end; i++) b[to[a[i].key >> shift & 255]++] = a[i];
  }
  return true;
}

static R(pair) *R(radix)(R(pair) *a, R(pair) *b, int64_t n)
{
  enum { DIGITS = sizeof(U) };
  int64_t count[DIGITS][256] = { { 0 } };
  for (int64_t i = 0; i < n; i++) {
    if ((i & (PATIENCE - 1)) == 0 && th_interrupted()) return NULL;
    for (int d = 0; d < DIGITS; d++) count[d][a[i].key >> 8 * d & 255]++;
  }
  for (int d = 0; d < DIGITS; d++) {
    if (count[d][a[0].key >> 8 * d & 255] == n) continue;      /* all have the same digit */
    int64_t sum = 0;
    for (int v = 0; v < 256; v++) {
      const int64_t some = count[d][v];
      count[d][v] = sum;
      sum += some;
    }
    if (!R(deal)(b, a, n, 8 * d, count[d])) return NULL;
    R(pair) *t = a;
    a = b;
    b = t;
  }
  return a;
}

/* Sorts the n pairs of a, b being as large; returns which holds the result, NULL after Ctrl-C. */
static R(pair) *R(sorted)(R(pair) *a, R(pair) *b, int64_t n)
{
  if (n >= RADIX) return R(radix)(a, b, n);
  for (int64_t from = 0; from < n; from += SHORT) R(insertion)(a + from, th_min(SHORT, n - from));
  for (int64_t run = SHORT; run < n; run *= 2) {
    R(merge_runs)(b, a, n, run);
    R(pair) *t = a;
    a = b;
    b = t;
  }
  return a;
}

/* The k-th pair, k from 0, of the stable order of a, which stays as it is; b is as large. */
static R(pair) R(select)(const R(pair) *a, R(pair) *b, int64_t n, int64_t k)
{
  if (n <= SHORT) {
    memcpy(b, a, sizeof *a * (size_t)n);
    R(insertion)(b, n);
    return b[k];
  }
  const R(pair) *from = a;
  for (int shift = 8 * (int)sizeof(U) - 8; shift >= 0; shift -= 8) {
    int64_t count[256] = { 0 }, kept = 0;
    for (int64_t i = 0; i < n; i++) count[from[i].key >> shift & 255]++;
    unsigned digit = 0;
    while (k >= count[digit]) k -= count[digit++];
    if (count[digit] == n) continue;
    for (int64_t i = 0; i < n; i++) if ((from[i].key >> shift & 255) == digit) b[kept++] = from[i];
    from = b;
    n = kept;
  }
  return from[k];
}
#undef U
#undef R
