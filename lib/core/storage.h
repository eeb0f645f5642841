/* storage.h - what the files that make storages share. */
#ifndef TH_STORAGE_H
#define TH_STORAGE_H
#include "core.h"

bool      th_too_much(int64_t bytes);       /* more than there is, or than is allowed */
th_status th_out_of_memory(int64_t bytes);  /* fails with what was wanted, is held, and is left */
void      th_account(int64_t bytes, int storages);
void      th_storage_drop(th_storage_ref *ref);      /* for finalizers of Lua */
void      th_unmap(th_storage *s);          /* what th_storage_map has mapped */

#endif
