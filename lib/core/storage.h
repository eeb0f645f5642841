/* storage.h - shared by the files that create storages. */
#ifndef TH_STORAGE_H
#define TH_STORAGE_H
#include "core.h"

bool      th_too_much(int64_t bytes);       /* more than is available or allowed */
/* Memory as th_scratch gives it, for longer than a call of an op. th_scratch_free frees it. */
void     *th_lasting(size_t bytes);
th_status th_out_of_memory(int64_t bytes);  /* fails; the message has the bytes wanted, held and available */
void      th_account(int64_t bytes, int storages);
void      th_storage_drop(th_storage_ref *ref);      /* for Lua's finalizers */

#endif
