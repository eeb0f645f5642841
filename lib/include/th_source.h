/* th_source.h - positional reads of files, and checksums; used by lua/feed. ffi.cdef reads the text between FFI BEGIN and FFI
 * END. */
#ifndef TH_SOURCE_H
#define TH_SOURCE_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
typedef struct th_source th_source;
th_status th_source_open(th_source **out, const char *path);
/* Opens a plain file below a folder. Refuses absolute names, parts like .., symbolic links, and files with several names. */
th_status th_source_open_below(th_source **out, const char *folder, const char *name);
int64_t   th_source_size(const th_source *s);                 /* bytes when it was opened */
/* Identifies a file and its version: device, inode, modification time (s, ns), size. */
enum { TH_SOURCE_STAMP = 5 };
void      th_source_stamp(const th_source *s, int64_t *stamp);
th_status th_source_same(const th_source *s, const int64_t *stamp);   /* fails for another file or version */
th_status th_source_read(const th_source *s, void *to, int64_t n, int64_t place);   /* all n bytes, or fails */

/* Records of one kind: each has the same `head` and a body of body_size bytes. Record i, from 1, begins at place[i - 1] and ends
 * where the next one begins; sum[i - 1] is its checksum. */
enum { TH_RECORD_HEAD = 256 };
typedef struct th_records {
  const int64_t *place;
  const uint32_t *sum;
  const void *head;
  int64_t head_size, body_size;                               /* head_size is TH_RECORD_HEAD at most */
} th_records;
/* Reads the bodies of these records, one after the other. *same is 0 if one is of another kind; then `to` is undefined. */
th_status th_source_records(const th_source *s, const th_records *r, const int64_t *numbers, int64_t count, void *to, int *same);
void      th_source_free(th_source *s);

/* An LMDB database: `count` values in the order of their keys. Value i, from 0, has value[2 * i + 1] bytes. They begin at byte
 * value[2 * i] of the file or, if that is negative, in overflow page -value[2 * i]. Key k is in `key` from key_place[k] to
 * key_place[k + 1]. Value i belongs to key i, or, in a database with duplicates, to key owner[i] - 1. */
typedef struct th_lmdb {
  int64_t  page_size, count, keys, key_bytes;
  char    *key;
  int64_t *key_place, *value, *owner;                         /* owner is NULL in a database without duplicates */
} th_lmdb;
th_status th_lmdb_open(th_lmdb *d, const th_source *s);       /* reads all keys; a failure leaves *d empty */
void      th_lmdb_free(th_lmdb *d);
/* Reads a value of `size` bytes at `place` as above; *value points to it, in `room`, which has TH_LMDB_HEAD bytes more. */
enum { TH_LMDB_HEAD = 16 };
th_status th_lmdb_value(const th_source *s, int64_t page_size, int64_t place, int64_t size, char *room, const char **value);
uint32_t  th_crc32c(uint32_t crc, const void *bytes, int64_t n);                    /* Castagnoli's; crc is 0 at first */
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
