/* notes.c - notes about calls whose result surprises people who know NumPy. They are off until Lua asks for them.
 *
 * A check that finds such a call fails with TH_ENOTE while its kind is on. Nothing is written then. Lua shows the message once,
 * turns the kind off and calls again. So a call without a surprise pays nothing. */
#include <stdarg.h>
#include <stdio.h>
#include "core.h"
#include "th_op.h"

static int kinds;                          /* a bit for each kind that is on */
static int begun;

void th_notes_set(int mask)
{
  __atomic_store_n(&begun, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&kinds, mask, __ATOMIC_RELAXED);
}

int th_notes_get(void) { return __atomic_load_n(&kinds, __ATOMIC_RELAXED); }

/* Further Lua states of the process do not turn kinds on again that were shown. */
void th_notes_begin(void)
{
  if (!__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED)) __atomic_store_n(&kinds, TH_NOTES_ALL, __ATOMIC_RELAXED);
}

bool th_notes_want(int kind) { return (__atomic_load_n(&kinds, __ATOMIC_RELAXED) & kind) != 0; }

/* NumPy pairs the same elements where the sizes differ only in leading ones. */
static bool without_leading_ones(const th_tensor *a, const th_tensor *b)
{
  int i = 0, j = 0;
  while (i < a->ndim && a->size[i] == 1) i++;
  while (j < b->ndim && b->size[j] == 1) j++;
  if (a->ndim - i != b->ndim - j) return false;
  for (; i < a->ndim; i++, j++) if (a->size[i] != b->size[j]) return false;
  return true;
}

th_status th_note_shapes(const th_tensor *a, const th_tensor *b)
{
  if (!th_notes_want(TH_NOTE_SHAPES) || without_leading_ones(a, b)) return TH_OK;
  return th_fail(TH_ENOTE, "sizes %s and %s differ: the elements pair in row-major order, because their number is equal",
                 TH_SHAPE(a), TH_SHAPE(b));
}
