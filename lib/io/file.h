/* file.h - the struct th_file, shared by the files of lib/io. */
#ifndef TH_IO_FILE_H
#define TH_IO_FILE_H
#include <stdio.h>
#include "../core/core.h"

enum { TH_IO_BUFFER = 1 << 16 };

typedef enum th_file_kind { TH_ON_DISK, TH_IN_MEMORY, TH_IN_PIPE } th_file_kind;

/* On disk and in pipes, `buf` holds bytes from position `base` on: [at, end) are read but not yet consumed, or, while `writing`,
 * [0, end) are not yet written. In memory, `base` alone is the position. */
struct th_file {
  th_file_kind kind;
  int   mode, option[TH_FILE_NOPTION];
  char *name;                       /* path or command, for messages */
  int   fd;
  bool  seekable, writing, closed, failed;
  FILE *pipe;
  char *temp, *target;              /* atomic: the file being written, and the file that it will replace */
  bool  unnamed;                    /* the file being written has no name yet; the kernel frees it with the process */
  uint8_t *buf;
  int64_t  base, at, end;
  th_storage    *storage;           /* memory; its last element is a 0 that does not belong to the file */
  const uint8_t *view;              /* memory of the caller, `view_size` bytes */
  int64_t        view_size;
};

/* Points *p at `want` (at most TH_IO_BUFFER) or more unread bytes, or at all that are left. */
th_status th_io_peek(th_file *f, int64_t want, const uint8_t **p, int64_t *have);
/* Consumes n of the bytes from th_io_peek. */
void      th_io_skip(th_file *f, int64_t n);
/* Reads up to n bytes; fewer only at the end of the file. */
th_status th_io_take(th_file *f, void *to, int64_t n, int64_t *got);
th_status th_io_put(th_file *f, const void *from, int64_t n);

/* For Lua: frees the file in a box and empties the box, in one step that no interrupt can split. */
void      th_file_drop(th_file **box);

/* TH_EINTR after Ctrl-C. */
th_status th_io_patience(const th_file *f);
/* Refuses a file that is closed or not open for reading (writing). */
th_status th_io_need(const th_file *f, int mode);

#endif
