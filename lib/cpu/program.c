/* program.c - programs of pointwise ops: all ops of a block of elements before the next block, so
 * that values between ops stay in the cache. The ops' own kernels compute, so the bits are
 * theirs. */
#include "../core/entry.h"
#include "move.h"
#include "th_program.h"

/* 16 KiB of each value: 0.9 of the time of 8 KiB, and no more than that of 32 KiB (Zen 4). */
enum { BLOCK_BYTES = 16384, VALUES = TH_PROGRAM_INPUTS + TH_PROGRAM_STEPS };

/* Where a value lies. */
typedef enum place { DIRECT, SLOT, FILLED } place;

typedef struct job {
  const th_program *p;
  th_tensor *const *y;
  th_tensor x[TH_PROGRAM_INPUTS];           /* in the size of the results */
  th_seq   seq[TH_PROGRAM_INPUTS];
  place where[VALUES]; /* DIRECT: of an input or a result; FILLED: one element throughout */
  int      slot[VALUES], dtype[VALUES], nslot;
  int64_t  n, block;                        /* elements of the results, and of a block */
  bool     streams;                         /* results go past the caches */
  bool     failed;                          /* there was no scratch memory */
} job;

static int narg_tensors(const th_step *s)
{
  int n = 0;
  while (n < 3 && s->value[n] >= 0) n++;
  return n;
}

/* ---- the plan ---- */

/* A result takes the slot of an operand that no later step needs, if the op may work in place,
 * else a free one. */
static void assign_slots(job *j)
{
  const th_program *p = j->p;
  int last[VALUES] = { 0 }, user[VALUES];
  for (int k = 0; k < p->nstep; k++) {
    for (int i = 0; i < narg_tensors(&p->step[k]); i++) last[p->step[k].value[i]] = k;
  }
  for (int k = 0; k < p->noutput; k++) last[p->output[k]] = p->nstep;
  for (int v = 0; v < p->ninput; v++)
    if (j->where[v] != DIRECT) j->slot[v] = j->nslot, user[j->nslot++] = -1;
  for (int k = 0; k < p->nstep; k++) {
    const int v = p->ninput + k;
    const th_step *s = &p->step[k];
    int take = -1;
    for (int i = 0; i < narg_tensors(s) && (s->op->flags & TH_INPLACE) && j->where[v] == SLOT;
         i++) {
      const int o = s->value[i];
      if (o >= p->ninput && j->where[o] == SLOT && last[o] == k && j->dtype[o] == j->dtype[v])
        take = j->slot[o];
    }
    for (int i = 0; i < j->nslot && take < 0 && j->where[v] == SLOT; i++) {
      if (user[i] >= 0 && last[user[i]] < k) take = i;
    }
    if (j->where[v] != SLOT) continue;
    if (take < 0) take = j->nslot++;
    j->slot[v] = take;
    user[take] = v;
  }
}

/* Inputs in the size of the results. One whose elements do not follow each other within rows is
 * copied first. */
static th_status take_inputs(job *j, th_tensor *const *x)
{
  const th_tensor *y = j->y[0];
  for (int k = 0; k < j->p->ninput; k++) {
    th_tensor *t = &j->x[k];
    const bool whole = th_same_shape(x[k], y);
    th_tensor_alias(t, x[k]);
    if (t->ndim > 0 && t->size[t->ndim - 1] > 1 && t->stride[t->ndim - 1] != 1 &&
        t->stride[t->ndim - 1] != 0) {
      TH_TRY(th_tensor_clone(t, x[k]));
    }
    if (!whole) TH_TRY(th_tensor_expand(t, t, y->ndim, y->size));
    th_seq_of(&j->seq[k], t, false);
    j->where[k] = th_numel(x[k]) == 1 ? FILLED : th_contiguous(t) ? DIRECT : SLOT;
  }
  return TH_OK;
}

/* ---- a piece, of a few blocks ---- */

/* Tensors of one dimension for the values, and their storages. */
typedef struct vectors { th_tensor t[VALUES]; th_storage s[VALUES]; } vectors;

static void bring(char *to, const job *j, int k, int64_t first, int64_t n)
{
  const int64_t es = (int64_t)th_element_size(j->x[k].dtype);
  th_spot s;
  th_spot_at(&s, &j->seq[k], first);
  while (n > 0) {
    const int64_t m = th_min(n, th_spot_left(&s));
    char *from = (char *)th_data(&j->x[k], (size_t)es) + s.off * es;
    TH_AT(th_move)
    (es, (th_rect){ to, es, m * es }, (th_rect){ from, th_spot_step(&s) * es, 0 }, m, 1);
    th_spot_skip(&s, m);
    to += m * es;
    n -= m;
  }
}

static void run_step(const job *j, int k, th_tensor *t)
{
  const th_step *s = &j->p->step[k];
  const th_entry *e = th_entry_of(s->op);
  int tensors = 0, numbers = 0;
  th_call c;
  c.op = s->op;
  c.kind = e->kind;
  c.narg = e->narg;
  c.dtype = s->dtype;
  c.device = TH_CPU;
  c.nwant = 0;
  for (int i = 0; i < e->narg; i++) {
    if (e->kind[i] == TH_K_NUMBER) c.arg[i].d = j->p->number[s->number[numbers++]];
    else if (e->kind[i] == TH_K_TENSOR) c.arg[i].t = &t[s->value[tensors++]];
    else c.arg[i].t = &t[j->p->ninput + k];
  }
  e->kernel[TH_CPU][s->dtype](&c);           /* kernels of these types refuse nothing */
}

static void run_block(const job *j, vectors *v, int64_t first, int64_t n)
{
  const th_program *p = j->p;
  const int nvalue = p->ninput + p->nstep;
  for (int i = 0; i < nvalue; i++) v->t[i].size[0] = n;
  for (int i = 0; i < p->ninput; i++) {
    if (j->where[i] == DIRECT) v->t[i].offset = j->x[i].offset + first;
    else if (j->where[i] == SLOT) bring(v->s[i].data, j, i, first, n);
  }
  for (int k = 0; k < p->noutput; k++)
    if (j->where[p->output[k]] == DIRECT) v->t[p->output[k]].offset = j->y[k]->offset + first;
  for (int k = 0; k < p->nstep; k++) run_step(j, k, v->t);
  for (int k = 0; k < p->noutput && j->streams; k++) {
    const int64_t es = (int64_t)th_element_size(j->y[k]->dtype);
    TH_AT(th_stream)
    ((char *)th_data(j->y[k], (size_t)es) + first * es, v->s[p->output[k]].data, n * es);
  }
}

static int64_t scratch_of(const job *j)
{
  return j->nslot * BLOCK_BYTES + (int64_t)sizeof(vectors);
}

static void run_piece(void *ctx, int64_t first, int64_t last)
{
  job *j = ctx;
  const th_program *p = j->p;
  const int nvalue = p->ninput + p->nstep;
  char *const memory = th_scratch((size_t)scratch_of(j));
  vectors *const v = (vectors *)(void *)(memory + j->nslot * BLOCK_BYTES);
  if (!memory) {
    __atomic_store_n(&j->failed, true, __ATOMIC_RELAXED);
    return;
  }
  for (int i = 0; i < nvalue; i++) {
    v->t[i] = (th_tensor){ .storage = &v->s[i], .ndim = 1, .dtype = j->dtype[i], .stride = { 1 } };
    v->s[i] = (th_storage){ .size = j->block, .dtype = j->dtype[i], .refs = 1 };
    if (j->where[i] != DIRECT) v->s[i].data = memory + j->slot[i] * BLOCK_BYTES;
    else if (i < p->ninput) v->t[i].storage = j->x[i].storage;
    if (j->where[i] == FILLED) bring(v->s[i].data, j, i, 0, th_min(j->block, j->n));
  }
  for (int k = 0; k < p->noutput; k++) {
    if (j->where[p->output[k]] == DIRECT) v->t[p->output[k]].storage = j->y[k]->storage;
  }
  for (int64_t i = first; i < last; i += j->block) run_block(j, v, i, th_min(j->block, last - i));
  th_scratch_free(memory);
}

th_status TH_AT(th_run_program)(const th_program *p, th_tensor *const *y, th_tensor *const *x)
{
  job j = { .p = p, .y = y, .n = th_numel(y[0]) };
  int64_t widest = 1, bytes = 0;
  for (int v = 0; v < p->ninput + p->nstep; v++) {
    j.dtype[v] = th_program_dtype(p, v);
    j.where[v] = SLOT;
    widest = th_max(widest, (int64_t)th_element_size(j.dtype[v]));
  }
  j.block = BLOCK_BYTES / widest;
  for (int k = 0; k < p->noutput; k++)
    bytes = th_max(bytes, j.n * (int64_t)th_element_size(y[k]->dtype));
  j.streams = TH_AT(th_streams)(bytes);
  for (int k = 0; k < p->noutput && !j.streams; k++) j.where[p->output[k]] = DIRECT;
  th_status s = take_inputs(&j, x);
  if (s == TH_OK) {
    assign_slots(&j);
    s = th_parallel(j.n, TH_GRAIN, run_piece, &j);
    if (s == TH_OK && j.failed) s = th_no_scratch(scratch_of(&j));
  }
  for (int k = 0; k < p->ninput; k++) th_tensor_release(&j.x[k]);
  return s;
}
