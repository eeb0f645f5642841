/* th_compress.h - gradients in fewer bytes for their way between ranks; the part between FFI BEGIN and FFI END is read by
 * lua/dist/compress.lua as it stands. */
#ifndef TH_COMPRESS_PUBLIC_H
#define TH_COMPRESS_PUBLIC_H
#include "th_dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
/* How a list of tensors of one floating type travels. Its elements, one after the other, are cut into rows that are packed one
 * by one; a row lies in one tensor, and in a line of it where lines are long enough. Whole rows make the shards, one for each
 * rank. What a row loses is kept as floats, or as doubles where the tensors hold doubles. A part is a shard in packed form;
 * all parts have as many bytes. */
typedef struct th_compress th_compress;
enum { TH_COMPRESS_HALF, TH_COMPRESS_BFLOAT16, TH_COMPRESS_INT8, TH_COMPRESS_ONEBIT, TH_COMPRESS_TOPK };
enum { TH_COMPRESS_ROW = 4096, TH_COMPRESS_LINE = 64 };  /* longest row; lines of fewer elements share rows */
typedef struct th_compress_form {
  int32_t kind, dtype, ranks, row;               /* row: how many elements a row may have */
  int64_t tensors;
  const int64_t *numel, *line;                   /* of each tensor: its elements, and those of a line or 0 */
  double ratio;                                  /* of topk: the part of a row that travels, rounded up */
  double seed;                                   /* of int8 */
} th_compress_form;
th_status    th_compress_new(th_compress **c, const th_compress_form *form);
void         th_compress_free(th_compress *c);
int64_t      th_compress_part(const th_compress *c);             /* bytes */
int64_t      th_compress_payload(const th_compress *c);          /* bytes of all shards without what makes them equal */
int64_t      th_compress_shard(const th_compress *c, int rank, int64_t *n);      /* its first element, and how many */
/* x + error in parts for all ranks; what they lose goes to `lost`. No error: NULL. `step` and `rank` choose random numbers. A
 * part says of itself whether all elements were finite. */
th_status    th_compress_encode(const th_compress *c, int rank, double step, const th_list *x, const th_tensor *error,
                                th_tensor *lost, th_tensor *parts);
/* The same with the sum of the parts that came from all ranks, in their order, for the shard of `rank`. */
th_status    th_compress_fold(const th_compress *c, int rank, double step, const th_tensor *parts, const th_tensor *error,
                              th_tensor *lost, th_tensor *part);
/* The way of what th_compress_encode has made: parts become those of all shards, by way of `back` (as many bytes) and of this
 * rank's th_compress_fold. Without w it returns when that is done. Where parts of a rank were not finite all ranks fail. */
th_status    th_compress_travel(th_dist_work **w, th_dist *g, th_compress *c, double step, th_tensor *parts, th_tensor *back,
                                th_tensor *error, th_tensor *lost, th_tensor *part, double seconds);
/* `scale` times what the parts of all shards hold. */
th_status    th_compress_decode(const th_compress *c, const th_tensor *parts, double scale, const th_list *x);
int          th_compress_bad(const th_compress *c, const th_tensor *parts);      /* the first part that was not finite, or -1 */
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
