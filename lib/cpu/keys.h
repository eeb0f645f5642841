/* keys.h - stable sorting and selecting of pairs of a key and a place. Read once per kind of pair:
 *   P             the pair                     R(f)     f_<kind>
 *   BEFORE(p, q)  does p come before q?        KEY(p)   the unsigned key of p
 * and RANKS defined where pairs are compared so fast that no two need ever be moved twice.
 * `bytes` is how many bytes of the keys are in use. Long inputs go by radix, least digit first;
 * short ones by insertion and merging. Very long ones are cut into blocks that all threads share. */

static void R(insertion)(P *p, int64_t n)
{
  for (int64_t i = 1; i < n; i++) {
    const P v = p[i];
    int64_t k = i;
    for (; k > 0 && BEFORE(v, p[k - 1]); k--) p[k] = p[k - 1];
    p[k] = v;
  }
}

/* Sorts at most RUN pairs of a; the result is in a or b, which is returned. */
static P *R(short_run)(P *restrict a, P *restrict b, int64_t n)
{
#ifdef RANKS
  for (int64_t i = 0; i < n; i++) { /* compares all with all, which no branch holds up */
    const P v = a[i];
    uint64_t rank = 0;
    for (int64_t k = 0; k < n; k++) rank += BEFORE(a[k], v);
    b[rank] = v;
  }
  return b;
#else
  (void)b;
  R(insertion)(a, n);
  return a;
#endif
}

/* Sorted runs of `run` pairs of a, merged two by two into b. */
static void R(merge_runs)(P *restrict b, const P *restrict a, int64_t n, int64_t run)
{
  for (int64_t from = 0; from < n; from += 2 * run) {
    const int64_t mid = th_min(from + run, n), end = th_min(from + 2 * run, n);
    int64_t i = from, k = mid;
    for (int64_t to = from; to < end; to++) {
      b[to] = i < mid && (k == end || !BEFORE(a[k], a[i])) ? a[i++] : a[k++];
    }
  }
}

static P *R(radix)(P *a, P *b, int64_t n, int bytes)
{
  uint32_t count[8][256];
  memset(count, 0, sizeof count[0] * (size_t)bytes);
  for (int64_t i = 0; i < n; i++) {
    for (int d = 0; d < bytes; d++) count[d][KEY(a[i]) >> 8 * d & 255]++;
  }
  for (int d = 0; d < bytes; d++) {
    uint32_t *to = count[d], sum = 0;
    if (to[KEY(a[0]) >> 8 * d & 255] == n) continue;           /* all have the same digit */
    for (int v = 0; v < 256; v++) {
      const uint32_t some = to[v];
      to[v] = sum;
      sum += some;
    }
    for (int64_t i = 0; i < n; i++) b[to[KEY(a[i]) >> 8 * d & 255]++] = a[i];
    P *t = a;
    a = b;
    b = t;
  }
  return a;
}

/* Sorts the n pairs of a, b being as large; returns which holds the result. */
static P *R(sorted)(P *a, P *b, int64_t n, int bytes)
{
  if (n >= RADIX) return R(radix)(a, b, n, bytes);
  P *first = a;
  for (int64_t from = 0; from < n; from += RUN)
    first = R(short_run)(a + from, b + from, th_min(RUN, n - from)) - from;
  if (first != a) b = a, a = first;
  for (int64_t run = RUN; run < n; run *= 2) {
    R(merge_runs)(b, a, n, run);
    P *t = a;
    a = b;
    b = t;
  }
  return a;
}

/* The k-th pair, k from 0, of the n pairs of a, which lie in the order of their places; a is used
 * up. */
static P R(select)(P *a, int64_t n, int64_t k, int bytes)
{
  for (int shift = 8 * bytes - 8; shift >= 0 && n > SHORT; shift -= 8) {
    int64_t count[256] = { 0 }, kept = 0, digit = 0;
    for (int64_t i = 0; i < n; i++) count[KEY(a[i]) >> shift & 255]++;
    while (k >= count[digit]) k -= count[digit++];
    if (count[digit] == n) continue;
    for (int64_t i = 0; i < n; i++) { /* without a branch: it could not be foretold */
      const P p = a[i];
      a[kept] = p;
      kept += (int64_t)(KEY(p) >> shift & 255) == digit;
    }
    n = kept;
  }
  if (n <= SHORT) R(insertion)(a, n);
  return a[k];
}

/* ---- in blocks: one digit from a to b ---- */

typedef struct R(dealing) {
  P       *a, *b;
  int64_t  n;
  uint32_t (*at)[256];                 /* of each block: counts, then where its next ones go */
  int      shift;
} R(dealing);

static void R(count_blocks)(void *ctx, int64_t first, int64_t last)
{
  const R(dealing) *d = ctx;
  for (int64_t b = first; b < last; b++) {
    const int64_t end = th_min(d->n, (b + 1) * BLOCK);
    uint32_t count[256] = { 0 };
    for (int64_t i = b * BLOCK; i < end; i++) count[KEY(d->a[i]) >> d->shift & 255]++;
    memcpy(d->at[b], count, sizeof count);
  }
}
static void R(deal_blocks)(void *ctx, int64_t first, int64_t last)
{
  const R(dealing) *d = ctx;
  for (int64_t b = first; b < last; b++) {
    const int64_t end = th_min(d->n, (b + 1) * BLOCK);
    P *to[256];
    for (int v = 0; v < 256; v++) to[v] = d->b + d->at[b][v];
    for (int64_t i = b * BLOCK; i < end; i++) {
      const P p = d->a[i];
      *to[KEY(p) >> d->shift & 255]++ = p;
    }
  }
}
/* As `sorted`; `at` has room for every block's counts. */
static th_status R(sort_blocks)(P **result, P *a, P *b, int64_t n, int bytes, void *at)
{
  R(dealing) d = { a, b, n, at, 0 };
  const int64_t blocks = th_parts(n, BLOCK);
  for (; d.shift < 8 * bytes; d.shift += 8) {
    TH_TRY(th_parallel(blocks, 1, R(count_blocks), &d));
    uint32_t sum = 0;
    bool same = false;
    for (int v = 0; v < 256; v++) {
      const uint32_t before = sum;
      for (int64_t k = 0; k < blocks; k++) {
        const uint32_t some = d.at[k][v];
        d.at[k][v] = sum;
        sum += some;
      }
      same = same || sum - before == n;
    }
    if (same) continue;
    TH_TRY(th_parallel(blocks, 1, R(deal_blocks), &d));
    P *t = d.a;
    d.a = d.b;
    d.b = t;
  }
  *result = d.a;
  return TH_OK;
}
#undef P
#undef R
#undef BEFORE
#undef KEY
#undef RANKS
