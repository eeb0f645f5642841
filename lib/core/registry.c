/* registry.c - the ops, their signatures, and the kernels of the CPU level that is chosen at load time. */
#include <stdlib.h>
#include "environment.h"
#include "levels.h"
#include "entry.h"

#define TH_OP(id) extern const th_op th_op_##id;
#include "../ops.def"
#undef TH_OP

static const th_op *const built_in[] = {
#define TH_OP(id) &th_op_##id,
#include "../ops.def"
#undef TH_OP
  NULL
};
enum {
#define TH_OP(id) AT_##id,
#include "../ops.def"
#undef TH_OP
};
enum { NBUILT_IN = sizeof built_in / sizeof *built_in - 1 };

static th_entry *entries[MAXOP];
static int nentries;

/* ---- levels: one table of kernels each, in the order of ops.def ---- */

#define DECLARE(level) extern const th_kernel *const th_cpu_##level[];
TH_EACH_LEVEL(DECLARE)

#ifdef __x86_64__
__attribute__((unused)) static bool can_base(void) { return __builtin_cpu_supports("sse4.2"); }
__attribute__((unused)) static bool can_avx2(void)
{
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
__attribute__((unused)) static bool can_avx512(void)
{
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}
#else                                       /* the only level is what the compiler assumes of every machine */
static bool can_base(void) { return true; }
#endif

typedef struct level { const char *name; bool (*can)(void); const th_kernel *const *kernels; } level;
#define LEVEL(level) { #level, can_##level, th_cpu_##level },
static const level levels[] = { TH_EACH_LEVEL(LEVEL) { "none", NULL, NULL } };
static const level *chosen = &levels[sizeof levels / sizeof *levels - 1];

const char *th_cpu_level(void) { return chosen->name; }
int th_cpu_level_index(void) { return (int)(chosen - levels); }

/* TH_CPU selects a level; a level that the machine lacks, or that does not exist, is ignored. */
static void choose_level(void)
{
  const char *wanted = th_environment("TH_CPU");
#ifdef __x86_64__
  __builtin_cpu_init();
#endif
  for (int pass = wanted ? 0 : 1; pass < 2; pass++) {
    for (const level *l = levels; l->can; l++) {
      if (!l->can() || (pass == 0 && strcmp(l->name, wanted) != 0)) continue;
      chosen = l;
      return;
    }
  }
}

/* ---- signatures ---- */

static const struct { const char *word; th_kind kind; } words[] = {
  { "out", TH_K_OUT }, { "self", TH_K_SELF }, { "inout", TH_K_INOUT }, { "tensor", TH_K_TENSOR },
  { "number", TH_K_NUMBER }, { "int", TH_K_INT }, { "dim", TH_K_DIM }, { "bool", TH_K_BOOL },
  { "return", TH_K_RETURN }, { "list", TH_K_LIST }, { "sizes", TH_K_SIZES }, { "gen", TH_K_GEN },
  { "string", TH_K_STRING },
};

static th_kind kind_of_word(const char *s, size_t n)
{
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i].word) == n && memcmp(words[i].word, s, n) == 0) return words[i].kind;
  }
  return TH_K_END;
}

/* Reads "y:out x:tensor dim:dim=1" into kinds and names. */
static th_status parse(th_entry *e)
{
  char *to = e->text;
  const char *s = e->op.args;
  if (strlen(s) >= sizeof e->text) return th_fail(TH_EARG, "the signature of %s is too long", e->op.name);
  while (*s) {
    while (*s == ' ') s++;
    if (!*s) break;
    const size_t word = strcspn(s, " "), name = strcspn(s, ":");
    if (name >= word || e->narg == TH_MAXARG) {
      return th_fail(TH_EARG, "the signature of %s cannot be read: %s", e->op.name, s);
    }
    const size_t rest = word - name - 1, kind = strcspn(s + name + 1, "= ");
    e->kind[e->narg] = kind_of_word(s + name + 1, kind < rest ? kind : rest);
    if (e->kind[e->narg] == TH_K_END) {
      return th_fail(TH_EARG, "the signature of %s has an unknown kind: %s", e->op.name, s);
    }
    const th_kind k = e->kind[e->narg];
    const uint32_t bit = (uint32_t)1 << e->narg;
    if (k == TH_K_OUT || k == TH_K_SELF || k == TH_K_INOUT) e->results |= bit;
    if (k == TH_K_TENSOR || k == TH_K_LIST) e->inputs |= bit;
    if (k == TH_K_RETURN) e->returns |= bit;
    const bool may_lack = rest >= 4 && strncmp(s + word - 4, "=nil", 4) == 0;
    if ((k == TH_K_OUT || k == TH_K_SELF || k == TH_K_INOUT || k == TH_K_TENSOR) && !may_lack) {
      e->needed |= bit;
    }
    memcpy(to, s, name);
    to[name] = '\0';
    if (k == TH_K_TENSOR && strcmp(to, "index") == 0) e->indices |= bit;
    if (k == TH_K_TENSOR && strcmp(to, "mask") == 0) e->masks |= bit;
    e->name[e->narg++] = to;
    to += name + 1;
    s += word;
  }
  return TH_OK;
}

th_status th_signature_check(const th_op *op)
{
  th_entry e = { .op = *op };
  return parse(&e);
}

static void put(th_entry *e, int kind, const th_kernel *kernels)
{
  memcpy(e->kernel[kind], kernels, sizeof e->kernel[kind]);
  e->has[kind] = true;
}

static th_status add(const th_op *op, int device, const th_kernel *kernels)
{
  if (nentries == MAXOP) return th_fail(TH_ENOMEM, "more than %d ops", MAXOP);
  th_entry *e = calloc(1, sizeof *e);
  if (!e) return th_fail(TH_ENOMEM, "no memory for op %s", op->name);
  e->op = *op;
  const th_status s = parse(e);
  if (s != TH_OK) { free(e); return s; }
  put(e, device, kernels);
  entries[nentries] = e;
  __atomic_store_n(&nentries, nentries + 1, __ATOMIC_RELEASE);      /* other threads may be reading */
  return TH_OK;
}

static const th_detours detours = { th_tensor_clone, th_run_by_cpu, th_run_in_order, th_has_strange_picks, th_run_strange_picks };

__attribute__((constructor)) static void load(void)
{
  choose_level();
  for (int i = 0; i < NBUILT_IN && chosen->kernels; i++) add(built_in[i], TH_CPU, chosen->kernels[i]);
  th_set_copy(entries[AT_copy], entries[AT_ne]);
  th_set_detours(&detours);
}

th_status th_register(const th_op *op, int kind, const th_kernel *kernels)
{
  if (kind < 0 || kind >= TH_NDEVICE) return th_fail(TH_EDEVICE, "there are no devices of kind %d", kind);
  for (int i = 0; i < nentries; i++) {       /* a backend adds its kernels to an existing op */
    if (strcmp(entries[i]->op.name, op->name) != 0 || strcmp(entries[i]->op.args, op->args) != 0) continue;
    put(entries[i], kind, kernels);
    return TH_OK;
  }
  return add(op, kind, kernels);
}

/* ---- queries ---- */

const th_op *th_op_at(int i)
{
  return i >= 0 && i < __atomic_load_n(&nentries, __ATOMIC_ACQUIRE) ? &entries[i]->op : NULL;
}

const th_op *th_op_find(const char *name, int form)
{
  const th_op *op = NULL;
  for (int i = 0; name && form >= 0 && (op = th_op_at(i)); i++) {
    if (strcmp(op->name, name) == 0 && form-- == 0) return op;
  }
  return NULL;
}

int th_op_supports(const th_op *op, int kind, int dtype)
{
  if (kind < 0 || kind >= TH_NDEVICE || dtype <= TH_NONE || dtype >= TH_NDTYPE) return 0;
  const th_entry *e = th_entry_of(op);
  return e->kernel[th_device_count() && th_is_by_cpu(e) ? TH_CPU : kind][dtype] != NULL;
}

th_kind th_kind_of(const th_op *op, int arg)
{
  return arg < 0 || arg >= TH_MAXARG ? TH_K_END : th_entry_of(op)->kind[arg];
}

const char *const *th_op_arg_names(const th_op *op) { return th_entry_of(op)->name; }

int th_abi(void) { return TH_ABI; }
