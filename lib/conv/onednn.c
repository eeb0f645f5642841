/* lib/conv/onednn.c - convolutions by oneDNN 2.x: creates, caches and runs its primitives. */
#include <pthread.h>
#include <stdlib.h>
#include "../core/mix.h"
#include "conv.h"
#include "onednn.h"
#include "onednn_library.h"

typedef int64_t dims[12];

enum { F32 = 3, ANY = 1, DIRECT = 1, TRAINING = 64 };
enum { SRC_LAYOUT = 129, DIFF_SRC_LAYOUT, WEIGHTS_LAYOUT, DIFF_WEIGHTS_LAYOUT, DST_LAYOUT,
       DIFF_DST_LAYOUT, SCRATCH_LAYOUT = 136 };
enum { SRC = 1, DST = 17, WEIGHTS = 33, BIAS = 41, SCRATCH = 80, DIFF_SRC = 129, DIFF_DST = 145,
       DIFF_WEIGHTS = 161 };

/* ---- calls of the library ---- */

enum { ARGUMENTS = 5 };

/* The memory objects of a call's arguments, for one thread at a time. */
typedef struct objects { struct objects *next; argument of[ARGUMENTS]; } objects;

/* A primitive, the arguments that it takes and their layouts. The objects are kept from call to
 * call: to create them takes as long as a short primitive runs. */
typedef struct call {
  void   *primitive;
  int     n, what[ARGUMENTS];
  const layout *layout[ARGUMENTS];
  objects *idle;
  pthread_mutex_t lock;             /* of idle */
} call;

static void add_argument(call *c, int what, const layout *l)
{
  c->what[c->n] = what, c->layout[c->n++] = l;
}

static void destroy_objects(objects *o, int n)
{
  for (int i = 0; i < n; i++) th_dnn.memory_destroy(o->of[i].memory);
  free(o);
}

static void destroy_call(call *c)
{
  for (objects *o = c->idle, *next; o; o = next) {
    next = o->next;
    destroy_objects(o, c->n);
  }
  if (c->primitive) th_dnn.primitive_destroy(c->primitive);
  *c = (call){ 0 };
}

static objects *new_objects(const call *c)
{
  objects *o = malloc(sizeof *o);
  for (int i = 0; o && i < c->n; i++) {
    o->of[i].what = c->what[i];
    if (th_dnn.memory_create(&o->of[i].memory, c->layout[i], th_dnn.engine, NULL) == 0) continue;
    destroy_objects(o, i);
    return NULL;
  }
  return o;
}

static objects *borrow_objects(call *c)
{
  pthread_mutex_lock(&c->lock);
  objects *o = c->idle;
  if (o) c->idle = o->next;
  pthread_mutex_unlock(&c->lock);
  return o ? o : new_objects(c);
}

static void return_objects(call *c, objects *o)
{
  pthread_mutex_lock(&c->lock);
  o->next = c->idle, c->idle = o;
  pthread_mutex_unlock(&c->lock);
}

/* Runs a primitive on the data of its arguments. False without memory. */
static bool execute(call *c, void *const *data)
{
  objects *o = borrow_objects(c);
  if (!o) return false;
  bool ok = true;
  for (int i = 0; ok && i < c->n; i++) {
    ok = th_dnn.memory_set_data_handle(o->of[i].memory, data[i]) == 0;
  }
  ok = ok && th_dnn.primitive_execute(c->primitive, th_dnn.stream, c->n, o->of) == 0;
  return_objects(c, o);
  return ok;
}

/* A call that moves numbers from one layout to another. */
static int make_mover(call *c, const layout *from, const layout *to)
{
  void *desc;
  void *const engine = th_dnn.engine;
  if (th_dnn.reorder_primitive_desc_create(&desc, from, engine, to, engine, NULL)) return -1;
  const int failed = th_dnn.primitive_create(&c->primitive, desc);
  th_dnn.primitive_desc_destroy(desc);
  pthread_mutex_init(&c->lock, NULL);
  add_argument(c, SRC, from);
  add_argument(c, DST, to);
  return failed;
}

/* ---- plans ---- */

enum { WAYS = 8, LIMIT = 128 * WAYS };      /* cached plans: each shape has WAYS places */

/* Moves operands into the layout of a plan, and its result out of it. */
typedef struct moves {
  layout plain[3];                  /* as given */
  layout image, plain_image;        /* one image of the operand that is read first */
  call   call[3], of_image;         /* of operands that do not fit */
} moves;

struct th_onednn_plan {
  th_onednn_shape shape;
  call    call;
  const layout *inner[3];           /* its layouts; they belong to the primitive */
  moves   moves;
  bool    fits[3];                  /* whether an operand has the layout of the plan */
  size_t  workspace;
  int64_t users, used;              /* used: clock at the last use; 0 if not in the cache */
};

static struct {
  pthread_mutex_t lock;
  th_onednn_plan *plan[LIMIT];
  int64_t clock;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void destroy(th_onednn_plan *p)
{
  for (int i = 0; i < 3; i++) destroy_call(&p->moves.call[i]);
  destroy_call(&p->moves.of_image);
  destroy_call(&p->call);
  free(p);
}

/* The operand that a pass writes. read_first: the one that it reads first. */
static int result_of(int64_t pass)
{
  static const int result[3] = { TH_ONEDNN_Y, TH_ONEDNN_X, TH_ONEDNN_K };
  return result[pass];
}
static int read_first(int64_t pass)
{
  return pass == TH_CONV_GRAD_INPUT ? TH_ONEDNN_Y : TH_ONEDNN_X;
}

/* The sizes of an operand, of so many images. */
static void sizes_of(dims to, const th_onednn_shape *s, int operand, int64_t images)
{
  const dims sizes[3] = { { images, s->c, s->h, s->w }, { images, s->o, s->oh, s->ow },
                          { s->o, s->c, s->kh, s->kw } };
  memcpy(to, sizes[operand], sizeof(dims));
}

static int plain_layout(layout *l, const th_onednn_shape *s, int operand, int64_t images)
{
  const int64_t *const stride[3] = { s->xs, s->ys, s->ks };
  dims size;
  sizes_of(size, s, operand, images);
  return th_dnn.memory_desc_init_by_strides(l, 4, size, F32, stride[operand]);
}

/* Describes the convolution of this pass to the library. */
static int describe(operation *op, const th_onednn_shape *s, int64_t pass)
{
  const dims planes = { s->o }, stride = { s->sh, s->sw }, gap = { s->dh - 1, s->dw - 1 },
    pad = { s->ph, s->pw };
  layout l[3], bias;
  for (int i = 0; i < 3; i++) {
    dims size;
    sizes_of(size, s, i, s->n);
    if (th_dnn.memory_desc_init_by_tag(&l[i], 4, size, F32, ANY)) return -1;
  }
  if (th_dnn.memory_desc_init_by_strides(&bias, 1, planes, F32, (const dims){ 1 })) return -1;
  const layout *x = &l[TH_ONEDNN_X], *y = &l[TH_ONEDNN_Y], *k = &l[TH_ONEDNN_K];
  if (pass == TH_CONV_FORWARD) {
    const layout *b = s->bias ? &bias : NULL;
    return th_dnn.dilated_convolution_forward_desc_init(op, TRAINING, DIRECT, x, k, b, y, stride,
      gap, pad, pad);
  }
  if (pass == TH_CONV_GRAD_INPUT) {
    return th_dnn.dilated_convolution_backward_data_desc_init(op, DIRECT, x, k, y, stride, gap, pad,
      pad);
  }
  return th_dnn.dilated_convolution_backward_weights_desc_init(op, DIRECT, x, k, NULL, y, stride,
    gap, pad, pad);
}

/* *desc: what the code of a pass is made from. */
static int describe_for(void **desc, const th_onednn_shape *s, int64_t pass, const void *forward)
{
  operation op;
  if (describe(&op, s, pass)) return -1;
  return th_dnn.primitive_desc_create(desc, &op, th_dnn.attr, th_dnn.engine, forward);
}

/* A gradient needs the description of its forward pass. */
static int compile(th_onednn_plan *p)
{
  const th_onednn_shape *s = &p->shape;
  void *forward = NULL, *desc = NULL;
  const bool needs = s->pass != TH_CONV_FORWARD;
  const int failed = (needs && describe_for(&forward, s, TH_CONV_FORWARD, NULL)) ||
    describe_for(&desc, s, s->pass, forward) || th_dnn.primitive_create(&p->call.primitive, desc);
  if (forward) th_dnn.primitive_desc_destroy(forward);
  if (desc) th_dnn.primitive_desc_destroy(desc);
  return failed;
}

/* The layouts of a plan, which its primitive has, and the arguments of its call. */
static int query_layouts(th_onednn_plan *p)
{
  static const int query[3][3] = { { SRC_LAYOUT, DST_LAYOUT, WEIGHTS_LAYOUT },
                                   { DIFF_SRC_LAYOUT, DIFF_DST_LAYOUT, WEIGHTS_LAYOUT },
                                   { SRC_LAYOUT, DIFF_DST_LAYOUT, DIFF_WEIGHTS_LAYOUT } };
  static const int what[3][3] = { { SRC, DST, WEIGHTS }, { DIFF_SRC, DIFF_DST, WEIGHTS },
                                  { SRC, DIFF_DST, DIFF_WEIGHTS } };
  const th_onednn_shape *s = &p->shape;
  call *const c = &p->call;
  const void *desc;
  pthread_mutex_init(&c->lock, NULL);
  if (th_dnn.primitive_get_primitive_desc(c->primitive, &desc)) return -1;
  for (int i = 0; i < 3; i++) {
    layout plain;
    p->inner[i] = th_dnn.primitive_desc_query_md(desc, query[s->pass][i], 0);
    if (!p->inner[i] || plain_layout(&plain, s, i, s->n)) return -1;
    p->fits[i] = th_dnn.memory_desc_equal(&plain, p->inner[i]);
    add_argument(c, what[s->pass][i], p->inner[i]);
  }
  const layout *scratch = th_dnn.primitive_desc_query_md(desc, SCRATCH_LAYOUT, 0);
  const layout *bias = s->bias ? th_dnn.primitive_desc_query_md(desc, WEIGHTS_LAYOUT, 1) : NULL;
  if (!scratch || (s->bias && !bias)) return -1;
  p->workspace = th_dnn.memory_desc_get_size(scratch);
  if (p->workspace) add_argument(c, SCRATCH, scratch);
  if (bias) add_argument(c, BIAS, bias);
  return 0;
}

static int make_moves(th_onednn_plan *p)
{
  const th_onednn_shape *s = &p->shape;
  moves *const m = &p->moves;
  for (int i = 0; i < 3; i++) {
    const layout *const inner = p->inner[i], *const plain = &m->plain[i];
    const bool result = i == result_of(s->pass);
    if (plain_layout(&m->plain[i], s, i, s->n)) return -1;
    if (p->fits[i]) continue;
    if (make_mover(&m->call[i], result ? inner : plain, result ? plain : inner)) return -1;
  }
  const int first = read_first(s->pass);
  if (p->fits[first]) return 0;
  dims one;
  sizes_of(one, s, first, 1);
  return th_dnn.memory_desc_init_submemory(&m->image, p->inner[first], one, (const dims){ 0 }) ||
         plain_layout(&m->plain_image, s, first, 1) ||
         make_mover(&m->of_image, &m->plain_image, &m->image);
}

static th_onednn_plan *make(const th_onednn_shape *s)
{
  th_onednn_plan *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->shape = *s;
  const int before = th_onednn_enter();
  const int failed = compile(p) || query_layouts(p) || make_moves(p);
  th_onednn_leave(before);
  if (!failed) return p;
  destroy(p);
  return NULL;
}

/* Finds a plan, or the place of the least recently used one of the places of its shape. */
static th_onednn_plan *find_plan(const th_onednn_shape *s, int *place)
{
  const int64_t *number = (const int64_t *)(const void *)s;
  uint64_t h = 0;
  for (size_t i = 0; i < sizeof *s / sizeof *number; i++) h = th_mixed(h, (uint64_t)number[i]);
  const int first = (int)(h % (LIMIT / WAYS)) * WAYS;
  *place = first;
  for (int i = first; i < first + WAYS; i++) {
    th_onednn_plan *p = kept.plan[i];
    if (p && memcmp(&p->shape, s, sizeof *s) == 0) return p;
    const th_onednn_plan *oldest = kept.plan[*place];
    if (oldest && (!p || p->used < oldest->used)) *place = i;
  }
  return NULL;
}

static void keep(th_onednn_plan *p, int place)
{
  th_onednn_plan *old = kept.plan[place];
  kept.plan[place] = p;
  if (!old) return;
  old->used = 0;
  if (!old->users) destroy(old);
}

static th_onednn_plan *used(th_onednn_plan *p)
{
  p->users++, p->used = ++kept.clock;
  return p;
}

/* The plan of a shape in the cache, or NULL. */
static th_onednn_plan *take_kept(const th_onednn_shape *s)
{
  int place;
  pthread_mutex_lock(&kept.lock);
  th_onednn_plan *p = find_plan(s, &place);
  if (p) used(p);
  pthread_mutex_unlock(&kept.lock);
  return p;
}

/* Puts a new plan into the cache, unless another thread has put one there meanwhile. */
static th_onednn_plan *take_made(th_onednn_plan *made)
{
  int place;
  pthread_mutex_lock(&kept.lock);
  th_onednn_plan *p = find_plan(&made->shape, &place);
  if (p) destroy(made);
  else keep(p = made, place);
  used(p);
  pthread_mutex_unlock(&kept.lock);
  return p;
}

th_status th_onednn_take(th_onednn_plan **plan, const th_onednn_shape *s)
{
  *plan = take_kept(s);
  if (*plan) return TH_OK;
  th_onednn_plan *const made = make(s);
  if (!made) return th_fail(TH_ENOMEM, "oneDNN has no plan for this convolution");
  *plan = take_made(made);
  return TH_OK;
}

void th_onednn_give(th_onednn_plan *p)
{
  if (!p) return;
  pthread_mutex_lock(&kept.lock);
  if (--p->users == 0 && p->used == 0) destroy(p);
  pthread_mutex_unlock(&kept.lock);
}

size_t th_onednn_bytes(const th_onednn_plan *p, int operand)
{
  return th_dnn.memory_desc_get_size(p->inner[operand]);
}
bool   th_onednn_fits(const th_onednn_plan *p, int operand) { return p->fits[operand]; }
size_t th_onednn_workspace(const th_onednn_plan *p) { return p->workspace; }

/* ---- running ---- */

bool th_onednn_move(th_onednn_plan *p, int operand, void *from, void *to)
{
  return execute(&p->moves.call[operand], (void *[]){ from, to });
}

bool th_onednn_move_image(th_onednn_plan *p, void *from, void *to)
{
  return execute(&p->moves.of_image, (void *[]){ from, to });
}

bool th_onednn_run(th_onednn_plan *p, void *const operand[3], void *bias, void *workspace)
{
  void *data[ARGUMENTS] = { operand[0], operand[1], operand[2] };
  int n = 3;
  if (p->workspace) data[n++] = workspace;
  if (p->shape.bias) data[n++] = bias;
  return execute(&p->call, data);
}
