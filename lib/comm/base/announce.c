/* announce.c - what ranks announce of an operation: whether two announcements are the same, and how
 * they differ. */
#include "comm.h"

static const char *const operators[] = { "sum", "mean", "min", "max", "prod" };

/* How two announcements differ, in words. All ranks produce the same words. */
th_status th_differ(const th_dist_work *w, const th_notice *a, const th_notice *b, int r)
{
  const int ra = w->g->world[0], rb = w->g->world[r];
  const th_operation *kinds = w->g->job->kinds;
  if (a->kind != b->kind) {
    return th_fail_of(w, "the ranks call different operations: rank %d %s, rank %d %s", ra, kinds[a->kind].name, rb,
                      kinds[b->kind].name);
  }
  if (a->dtype != b->dtype) {
    return th_fail_of(w, "the types differ: rank %d has %s, rank %d %s", ra, th_dtype_name(a->dtype), rb,
                      th_dtype_name(b->dtype));
  }
  if (a->count != b->count) {
    return th_fail_of(w, "the numbers of elements differ: rank %d has %lld, rank %d %lld", ra, (long long)a->count, rb,
                      (long long)b->count);
  }
  if (a->op != b->op && a->kind != TH_DIST_GROUP) {
    return th_fail_of(w, "the operators differ: rank %d says %s, rank %d %s", ra, operators[a->op], rb, operators[b->op]);
  }
  if (a->root != b->root) return th_fail_of(w, "the roots differ: rank %d says %d, rank %d %d", ra, a->root, rb, b->root);
  if (a->kind != TH_DIST_GROUP) {
    return th_fail_of(w, "the algorithms differ: rank %d takes %s, rank %d %s", ra, th_algorithm_name(th_note(a)),
                      rb, th_algorithm_name(th_note(b)));
  }
  return th_fail_of(w, "the ranks name different members of the group: ranks %d and %d differ", ra, rb);
}

bool th_same(const th_notice *a, const th_notice *b)
{
  return a->kind == b->kind && a->dtype == b->dtype && a->count == b->count && (a->op == b->op || a->kind == TH_DIST_GROUP)
         && a->root == b->root && th_note(a) == th_note(b);
}

void th_note_groups(th_job *j, const th_notice *n, bool first) { j->used = (first ? 0 : j->used) | (uint32_t)n->op; }
