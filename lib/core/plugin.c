/* plugin.c - plug-ins: libraries with ops. Opens a library, checks it, and only then adds its ops to the registry. */
#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include "entry.h"

struct th_plugin {
  void *handle;
  const th_plugin_face *face;
  bool added;
  struct th_plugin *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static th_plugin *added;                     /* never closed, because the registry points into them */

/* Makes the symbols of this library global, because a plug-in calls th_fail and other functions by name. */
static void show_own_names(void)
{
  Dl_info self;
  if (dladdr((void *)&lock, &self) && self.dli_fname) dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

static bool is_name(const char *s)
{
  if (!s || !(isalpha((unsigned char)*s) || *s == '_')) return false;
  while (isalnum((unsigned char)*s) || *s == '_') s++;
  return !*s;
}

static th_status check_op(const th_plugin_face *face, int i)
{
  const th_plugin_op *p = &face->ops[i];
  if (!p->op || !is_name(p->op->name)) return th_fail(TH_EARG, "op %d must have a name made of letters, digits and _", i + 1);
  const char *name = p->op->name;
  if (!p->op->args) return th_fail(TH_EARG, "op %s must have a signature, args", name);
  if (!p->op->doc || !*p->op->doc) return th_fail(TH_EARG, "op %s must say what it does, doc", name);
  if (!p->op->check) return th_fail(TH_EARG, "op %s must have a check", name);
  if (!p->kernel == !p->kernels) return th_fail(TH_EARG, "op %s must have either a kernel or a table of kernels", name);
  bool any = p->kernel != NULL;
  for (int d = TH_NONE + 1; d < TH_NDTYPE && p->kernels; d++) any = any || p->kernels[d];
  if (!any) return th_fail(TH_EARG, "op %s must have a kernel for at least one dtype", name);
  TH_TRY(th_signature_check(p->op));
  for (int k = 0; th_op_at(k); k++) {
    if (strcmp(th_op_at(k)->name, name) == 0) return th_fail(TH_EARG, "there is already an op named %s", name);
  }
  for (int k = 0; k < i; k++) {
    const th_op *other = face->ops[k].op;
    if (strcmp(other->name, name) == 0 && strcmp(other->args, p->op->args) == 0) {
      return th_fail(TH_EARG, "op %s is defined twice with the signature %s", name, p->op->args);
    }
  }
  return TH_OK;
}

static th_status check_face(const th_plugin_face *face, const char *path)
{
  if (!face) return th_fail(TH_EARG, "%s has no ops: a plug-in ends with TH_PLUGIN(...)", path);
  if (face->abi != TH_ABI) {
    return th_fail(TH_EARG, "%s was compiled for version %d of th_op.h, this Cresset has the %s version %d: %s", path,
                   face->abi, face->abi < TH_ABI ? "newer" : "older", TH_ABI,
                   face->abi < TH_ABI ? "compile it again" : "use a newer Cresset or compile it again");
  }
  if (face->nop < 1 || !face->ops) return th_fail(TH_EARG, "%s has no ops", path);
  if (face->nop > MAXOP || th_op_at(MAXOP - face->nop)) return th_fail(TH_ENOMEM, "more than %d ops", MAXOP);
  for (int i = 0; i < face->nop; i++) TH_TRY(check_op(face, i));
  return TH_OK;
}

static th_status open_locked(th_plugin **to, const char *path)
{
  show_own_names();
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return th_fail(TH_EIO, "%s", dlerror());
  const th_plugin_face *face = dlsym(handle, "th_plugin_entry");
  for (th_plugin *p = added; p; p = p->next) {
    if (p->face != face) continue;
    dlclose(handle);
    *to = p;
    return TH_OK;
  }
  th_status s = check_face(face, path);
  th_plugin *p = s == TH_OK ? calloc(1, sizeof *p) : NULL;
  if (s == TH_OK && !p) s = th_fail(TH_ENOMEM, "no memory for a plug-in");
  if (s != TH_OK) { dlclose(handle); return s; }
  p->handle = handle;
  p->face = face;
  *to = p;
  return TH_OK;
}

th_status th_plugin_open(th_plugin **p, const char *path)
{
  pthread_mutex_lock(&lock);
  const th_status s = open_locked(p, path);
  pthread_mutex_unlock(&lock);
  return s;
}

const th_op *th_plugin_op_at(const th_plugin *p, int i) { return i >= 0 && i < p->face->nop ? p->face->ops[i].op : NULL; }

int th_plugin_added(const th_plugin *p) { return p->added; }

/* Repeats all checks, because names that were free when the plug-in was opened may have been taken since. */
static th_status add_locked(th_plugin *p)
{
  TH_TRY(check_face(p->face, "a plug-in"));
  for (int i = 0; i < p->face->nop; i++) {
    const th_plugin_op *o = &p->face->ops[i];
    th_kernel table[TH_NDTYPE] = { NULL };
    for (int d = TH_NONE + 1; d < TH_NDTYPE; d++) table[d] = o->kernels ? o->kernels[d] : o->kernel;
    TH_TRY(th_register(o->op, TH_CPU, table));
  }
  p->added = true;
  p->next = added;
  added = p;
  return TH_OK;
}

th_status th_plugin_add(th_plugin *p)
{
  if (p->added) return TH_OK;
  pthread_mutex_lock(&lock);
  const th_status s = add_locked(p);
  pthread_mutex_unlock(&lock);
  return s;
}

void th_plugin_close(th_plugin *p)
{
  if (!p || p->added) return;
  dlclose(p->handle);
  free(p);
}
