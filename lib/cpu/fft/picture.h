/* picture.h - the rows and columns of a matrix, in two steps that take whole rows. Read once per computing type after lines.h.
 *
 * A column of n numbers is itself a matrix: its columns, then its rows are transformed. The numbers l, l + C, l + 2 C ... of
 * all columns are whole rows of the picture: the first step transforms these rows and then, still in the cache, the parts of
 * the columns that they hold. The second step does the other part. So memory is read and written twice and in order, and
 * each row is written by one thread. The results have the bits that one pass after the other gives. */
typedef struct M(picture) {
  const pass *rows;                 /* the pass over rows, which leaves its results in `middle` */
  pass   *columns;
  P      *middle;                   /* row l + C k begins at l step + k block */
  int64_t step, block;              /* odd numbers of cache lines: rows do not share sets of the cache */
  int64_t width, groups;            /* complex numbers of a row; vectors of pairs that hold them */
  P      *to;
  int64_t to_step;
} M(picture);

static int64_t M(picture_step)(int64_t width)
{
  return (th_parts(width, M(V)) * M(PAIR) + M(CHUNK) - 1) / M(CHUNK) * M(CHUNK) | M(CHUNK);
}
static int64_t M(picture_block)(const th_fft_node *d, int64_t width) { return d->row->n * M(picture_step)(width) | M(CHUNK); }

/* May the transform of columns by d, `width` of them, be done in two steps? A first step's rows must lie in the second-level
 * cache, and fill vectors that have a row in each lane. A complex matrix takes less time in place where it is a large one. */
static bool M(is_picture)(const pass *rows, const th_fft_node *d, int64_t width)
{
  if (d->kind != TH_FFT_SPLIT || width < M(V) || (M(side_by_side)(rows) && d->column->n < M(V))) return false;
  if (rows->kind < TH_FFT_HALF && d->n * width > (int64_t)ALL_NEAR / 2 / (int64_t)sizeof(P)) return false;
  return d->column->n * width <= (int64_t)NEAR / (int64_t)sizeof(P);
}

static int64_t M(picture_room)(const th_fft_node *d, int64_t width)
{
  return d->column->n * M(picture_block)(d, width) * (int64_t)sizeof(P);
}

/* Rows first, first + apart, ... */
static void M(some_rows)(const pass *p, P *memory, int64_t first, int64_t apart, int64_t count)
{
  const bool beside = M(side_by_side)(p);
  P *middle = memory + p->lines * p->line;
  M(line) j = { .middle = middle, .work = middle + M(middle_room)(p->plan->node) };
  for (int64_t i = 0; i < count;) {
    const bool group = beside && (count - i >= M(V) || p->plan->node->kind == TH_FFT_DIRECT);
    const int64_t most = group ? M(V) : p->from.packed ? 1 : p->lines;
    const int lines = (int)th_min(most, count - i);
    int64_t off[M(CHUNK)][TH_WALKOPS];
    char *buffer[M(CHUNK)];
    for (int l = 0; l < lines; l++) {
      th_walk_at(&p->w, p->w.ndim, first + (i + l) * apart, off[l]);
      buffer[l] = (char *)(memory + l * p->line);
    }
    M(look_ahead)(p, &j, i + lines < count ? first + (i + lines) * apart : first + 1);
    if (group) M(group)(p, memory, lines, (const int64_t(*)[TH_WALKOPS])off);
    else M(one_at)(p, &j, buffer, lines, (const int64_t(*)[TH_WALKOPS])off);
    i += lines;
  }
}

static void M(picture_rows)(void *ctx, int64_t first, int64_t last)
{
  const M(picture) *j = ctx;
  pass *p = (pass *)(uintptr_t)j->rows;
  const th_fft_node *d = j->columns->plan->node;
  const int64_t columns = d->row->n, rows = d->column->n;
  P *memory = th_slot_take(&p->slots), *work = th_slot_take(&j->columns->slots);
  for (int64_t l = first; l < last && !th_interrupted(); l++) {
    P *at = j->middle + l * j->step;
    M(some_rows)(p, memory, l, columns, rows);
    for (int64_t k = 0; k < rows; k++) {
      memset(at + k * j->block + 2 * j->width, 0, sizeof(P) * (size_t)(j->groups * M(PAIR) - 2 * j->width));
    }
    const int64_t c = l / M(CHUNK);
    const M(rows) from = { at, j->block, 0, inverse(j->columns) ? SWAPPED : PAIRS }, to = { at, j->block, M(V), SPLIT };
    const M(many) all = { j->groups, M(PAIR), M(PAIR) };
    const M(after) turn = { .how = TURN_ALL, .step = 2 * M(CHUNK), .turns = (const P *)d->turns + c * rows * 2 * M(CHUNK) + l -
                            th_fft_chunk_at(c, M(CHUNK), columns) };
    M(each_across)(d->column, &from, &to, &all, work, &turn);
  }
  th_slot_give(&j->columns->slots, work);
  th_slot_give(&p->slots, memory);
}

static void M(picture_columns)(void *ctx, int64_t first, int64_t last)
{
  const M(picture) *j = ctx;
  const th_fft_node *d = j->columns->plan->node;
  const int64_t columns = d->row->n, rows = d->column->n, whole = j->width / M(V), rest = j->width % M(V);
  const int form = inverse(j->columns) ? SWAPPED : PAIRS;
  const P scale = (P)j->columns->scale;
  const M(after) end = { scale == 1 ? NOTHING : SCALE, scale, NULL, 0, 0 };
  P *aside = th_slot_take(&j->columns->slots), *work = aside + columns * M(PAIR);
  for (int64_t k = first; k < last && !th_interrupted(); k++) {
    P *at = j->middle + k * j->block, *to = j->to + k * j->to_step;
    const M(rows) from = { at, j->step, M(V), SPLIT }, y = { to, rows * j->to_step, 0, form };
    const M(many) all = { whole, M(PAIR), M(PAIR) }, one = { 1, 0, 0 };
    M(each_across)(d->row, &from, &y, &all, work, &end);
    if (rest == 0) continue;
    const M(rows) behind = { at + whole * M(PAIR), j->step, M(V), SPLIT }, few = { aside, M(PAIR), 0, form };
    M(each_across)(d->row, &behind, &few, &one, work, &end);
    for (int64_t i = 0; i < columns; i++) {
      memcpy(to + i * y.step + whole * M(PAIR), aside + i * M(PAIR), sizeof(P) * 2 * (size_t)rest);
    }
  }
  th_slot_give(&j->columns->slots, aside);
}

/* y: the result, whose rows are in one piece. */
static th_status M(run_picture)(const pass *rows, pass *columns, void *middle, P *y, int64_t y_step, int64_t width)
{
  const th_fft_node *d = columns->plan->node;
  M(picture) j = { rows, columns, middle, M(picture_step)(width), M(picture_block)(d, width), width, th_parts(width, M(V)), y,
                   y_step };
  TH_TRY(th_parallel(d->row->n, share(d->row->n, d->column->n * width), M(picture_rows), &j));
  return th_parallel(d->column->n, share(d->column->n, d->row->n * width), M(picture_columns), &j);
}
