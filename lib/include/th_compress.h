/* th_compress.h - gradient compression between ranks. lua/distributed/compress.lua reads the text between FFI BEGIN and
 * FFI END. */
#ifndef TH_COMPRESS_PUBLIC_H
#define TH_COMPRESS_PUBLIC_H
#include "th_dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
/* How to send a list of tensors of one floating type. The concatenated elements are cut into rows, which are packed separately. A
 * row lies in one tensor, and within one line of it if lines are long enough. Shards consist of whole rows, one shard for each
 * rank. The error of a row is kept as floats, or as doubles where the tensors hold doubles. A part is a packed shard; all parts
 * have the same number of bytes. */
typedef struct th_compress th_compress;
enum { TH_COMPRESS_HALF, TH_COMPRESS_BFLOAT16, TH_COMPRESS_INT8, TH_COMPRESS_ONEBIT, TH_COMPRESS_TOPK };
enum { TH_COMPRESS_ROW = 4096, TH_COMPRESS_LINE = 64 };  /* longest row; lines of fewer elements share rows */
typedef struct th_compress_form {
  int32_t kind, dtype, ranks, row;               /* row: the largest number of elements of a row */
  int64_t tensors;
  const int64_t *numel, *line;                   /* of each tensor: its elements, and those of a line, or 0 */
  double ratio;                                  /* of topk: the fraction of a row that is sent, rounded up */
  double seed;                                   /* of int8 */
} th_compress_form;
th_status    th_compress_new(th_compress **c, const th_compress_form *form);
void         th_compress_free(th_compress *c);
int64_t      th_compress_part(const th_compress *c);             /* bytes */
int64_t      th_compress_payload(const th_compress *c);          /* bytes of all shards without padding */
int64_t      th_compress_shard(const th_compress *c, int rank, int64_t *n);      /* its first element; *n: their number */
/* Packs x + error into parts for all ranks and writes the rounding error to `lost`. `error` may be NULL. `step` and `rank` select
 * random numbers. Each part records whether all its elements were finite. */
th_status    th_compress_encode(const th_compress *c, int rank, double step, const th_list *x, const th_tensor *error,
                                th_tensor *lost, th_tensor *parts);
/* The same for the sum of the parts of all ranks, in rank order, for the shard of `rank`. */
th_status    th_compress_fold(const th_compress *c, int rank, double step, const th_tensor *parts, const th_tensor *error,
                              th_tensor *lost, th_tensor *part);
/* Exchanges the parts from th_compress_encode: sends them to their ranks (into `back`, of the same size), runs th_compress_fold,
 * and gathers the parts of all shards into `parts`. Without w it waits for the end. If a part was not finite, all ranks fail. */
th_status    th_compress_allreduce(th_dist_work **w, th_dist *g, th_compress *c, double step, th_tensor *parts, th_tensor *back,
                                th_tensor *error, th_tensor *lost, th_tensor *part, double seconds);
/* Unpacks the parts of all shards, times `scale`. */
th_status    th_compress_decode(const th_compress *c, const th_tensor *parts, double scale, const th_list *x);
int          th_compress_bad(const th_compress *c, const th_tensor *parts);      /* the first part that was not finite, or -1 */
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
