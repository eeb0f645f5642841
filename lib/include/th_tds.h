/* th_tds.h - hash tables and vectors in C memory that the threads of a process share. lua/tds reads the text between FFI BEGIN
 * and FFI END. */
#ifndef TH_TDS_H
#define TH_TDS_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
/* The kinds of values. TH_TDS_NIL is an empty element of a vector, and the value of a missing key. */
enum {
  TH_TDS_NIL, TH_TDS_FALSE, TH_TDS_TRUE, TH_TDS_NUMBER, TH_TDS_TEXT, TH_TDS_TENSOR, TH_TDS_STORAGE, TH_TDS_OBJECT
};
enum { TH_TDS_HASH = 1, TH_TDS_VEC, TH_TDS_COUNTER };

/* A container or counter. `refs` is atomic; a lock protects the rest. Containers in a reference cycle are never freed. */
typedef struct th_tds { int32_t refs, type; } th_tds;
/* Lua's references: one type for each class. The field is constant and has a name that no key is likely to have. */
typedef struct th_tds_hash { th_tds *const th_tds_object; } th_tds_hash;
typedef struct th_tds_vec { th_tds *const th_tds_object; } th_tds_vec;
typedef struct th_tds_counter { th_tds *const th_tds_object; } th_tds_counter;

/* An input or output value. For output the caller provides room: `room` bytes at `buffer` for a text, a tensor without shape at
 * `tensor`. If they do not suffice, nothing is copied, `kind` and `size` say what is needed, and the caller calls again. A
 * storage or object comes with a reference, owned by the caller. */
typedef struct th_tds_value {
  int32_t kind;
  int32_t complete;                 /* out: whether the value was copied */
  int64_t size;                     /* bytes of a text */
  double number;
  const char *text;                 /* in */
  char *buffer;                     /* out */
  int64_t room;
  th_tensor *tensor;
  th_storage *storage;
  th_tds *object;
} th_tds_value;

/* Creates an object with one reference, owned by the caller. NULL: no memory left. */
th_tds      *th_tds_new(int type);
void         th_tds_retain(th_tds *o);
void         th_tds_release(th_tds *o);

int64_t      th_tds_size(th_tds *o);
/* A hash: a value of kind TH_TDS_NIL removes the key. */
th_status    th_tds_hash_get(th_tds *o, const th_tds_value *key, th_tds_value *value);
th_status    th_tds_hash_set(th_tds *o, const th_tds_value *key, const th_tds_value *value);
/* The first entry at or after *place, in insertion order; *place becomes the next position. 0: no more entries. */
int          th_tds_hash_next(th_tds *o, int64_t *place, th_tds_value *key, th_tds_value *value);
/* A vector: positions count from 1. Setting a position beyond the end fills the gap with nil. */
th_status    th_tds_vec_get(th_tds *o, int64_t place, th_tds_value *value);
th_status    th_tds_vec_set(th_tds *o, int64_t place, const th_tds_value *value);
th_status    th_tds_vec_insert(th_tds *o, int64_t place, const th_tds_value *value);      /* place 0: at the end */
th_status    th_tds_vec_remove(th_tds *o, int64_t place);                                 /* place 0: the last one */
th_status    th_tds_vec_resize(th_tds *o, int64_t size);
/* Moves the element at position order[k - 1] to k, for all k; order is a permutation of 1..n, n the size. */
th_status    th_tds_vec_permute(th_tds *o, const int64_t *order, int64_t n);
/* Adds to a counter and returns its previous value. */
int64_t      th_tds_counter_add(th_tds *o, int64_t n);
int64_t      th_tds_counter_set(th_tds *o, int64_t n);
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
