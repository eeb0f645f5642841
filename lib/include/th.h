/* th.h - the public interface of the tensor core.
 *
 * The part between FFI BEGIN and FFI END has no preprocessor lines, because LuaJIT's ffi.cdef reads it, too. Functions that can
 * fail return a th_status and store a message for th_error(); they return results through the first argument.
 */
#ifndef TH_H
#define TH_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
enum { TH_ABI = 2, TH_MAXDIM = 16, TH_MAXARG = 16 };

typedef enum th_status {
  TH_OK, TH_EARG, TH_ESHAPE, TH_EDTYPE, TH_EDEVICE, TH_ENOMEM, TH_EIO, TH_EINTR, TH_EBACKEND,
  TH_ENOTE      /* only while notes are on: the call is right, and its result may surprise */
} th_status;

/* TH_NONE marks a tensor without a shape yet; all its bytes are zero. */
typedef enum th_dtype {
  TH_NONE, TH_U8, TH_I8, TH_I16, TH_I32, TH_I64, TH_F16, TH_BF16, TH_F32, TH_F64, TH_NDTYPE
} th_dtype;

/* Kinds of devices that kernels exist for. The `device` of a storage, a tensor or a call is a number: 0 is the CPU, n from 1 the
 * n-th CUDA device. */
typedef enum th_device { TH_CPU, TH_CUDA, TH_NDEVICE } th_device;
enum { TH_MAXDEVICE = 64 };

/* A reference-counted block of elements. Growing moves `data`, so tensors always read their address from here. The memory is not
 * freed before the last reference, so no view can dangle. */
typedef struct th_storage {
  void   *data;                     /* 64-byte aligned; NULL while size is 0; an address of its device */
  int64_t size;                     /* elements */
  int64_t capacity;                 /* bytes at data */
  int32_t refs;                     /* changed atomically */
  int32_t dtype, device;
  int32_t mapped;                   /* 1: data is a mapped file; 2: shared memory; or TH_HOST_PINNED, TH_HOST_MANAGED */
  int32_t joined;                   /* 1: data is in the same block as this struct */
  int32_t pinned;                   /* nonzero: data must not move. Bit 0: parts are storages; above: in use elsewhere */
  struct th_storage *whole;         /* of such a part: the storage that contains it; else NULL */
} th_storage;

/* A view of a storage. Sizes and strides count elements; a stride may be 0. The empty tensor of
 * Torch7 has one dimension of size 0; ndim 0 is a single number. */
typedef struct th_tensor {
  th_storage *storage;              /* a counted reference; may be NULL without elements */
  int64_t     offset;               /* of the first element, from 0 */
  int32_t     ndim, dtype, device, reserved;
  int64_t     size[16], stride[16];
} th_tensor;

/* The tensors of one Lua state, by number. */
typedef struct th_pool { th_tensor **tensor; int32_t count; } th_pool;

typedef struct th_list  { int64_t n; th_tensor **t; } th_list;       /* a table of tensors */
typedef struct th_sizes { int64_t n; int64_t size[16]; } th_sizes;   /* one size per dimension */
typedef struct th_generator th_generator;

typedef union th_arg {
  th_tensor       *t;
  double           d;
  int64_t          i;
  const th_list   *list;
  const th_sizes  *sizes;
  th_generator    *gen;
  const char      *s;
} th_arg;

typedef struct th_call th_call;

/* An op. Two ops with the same name are two call forms of one Lua function. */
typedef struct th_op {
  const char *name;                 /* torch.<name> and Tensor:<name> */
  const char *args;                 /* "y:out x:tensor dim:dim=1", see th_op.h */
  const char *doc;                  /* sentences; then examples, one per line: call --> result */
  const char *grad;                 /* gradients of the first result: "x: mul(g, y)", or NULL */
  int32_t     flags;                /* TH_INPLACE, see th_op.h */
  th_status (*check)(th_call *c);   /* refuses bad input and states the shapes of the results */
} th_op;

/* Lua holds storages and generators as counted or owned pointers with separate metatypes. */
typedef struct th_storage_ref { th_storage *s; } th_storage_ref;
typedef struct th_generator_ref { th_generator *g; } th_generator_ref;

/* Bytes held by tensors. Lua compares bytes with limit and runs its collector. An allocation beyond
 * `most` is refused; 0 means the available memory of the machine. `spare`: bytes of garbage for
 * which alone the collector does not run. */
typedef struct th_memory { int64_t bytes, peak, limit, storages, most, spare; } th_memory;

int          th_abi(void);
const char  *th_error(void);                     /* message of the last failure on this thread */
void         th_enter(const char *name);         /* the function named in the next message, or NULL */
const char  *th_cpu_level(void);                 /* "base", "avx2" or "avx512" */
const char  *th_blas_name(void);                 /* the BLAS in use, or NULL */
int          th_has_lapack(void);                /* whether that library has LAPACK too */
enum { TH_BUILD_VERSION, TH_BUILD_COMPILER, TH_BUILD_LEVELS };
const char  *th_build(int what);                 /* version, compiler and CPU levels of the build */

/* The registry. */
const th_op *th_op_at(int i);                    /* NULL past the last op */
const th_op *th_op_find(const char *name, int form);             /* form 0, 1 ...: of several call forms; NULL: none */
int          th_op_supports(const th_op *op, int kind, int dtype);      /* kind: TH_CPU or TH_CUDA */
int          th_op_is_by_cpu(const th_op *op);   /* whether the CPU runs it for CUDA tensors, with copies */
th_status    th_run(const th_op *op, th_arg *arg, int narg);     /* `return` arguments are written */

/* Plug-ins: libraries with additional ops, written with th_op.h. Opening one checks it. th_plugin_add adds all its ops to the
 * registry or none. An added plug-in stays, and closing it does nothing. */
typedef struct th_plugin th_plugin;
th_status    th_plugin_open(th_plugin **p, const char *path);
const th_op *th_plugin_op_at(const th_plugin *p, int i);         /* NULL past the last op */
th_status    th_plugin_add(th_plugin *p);
int          th_plugin_added(const th_plugin *p);
void         th_plugin_close(th_plugin *p);

/* Convolution has several engines. A shape: n images of `groups` groups of c planes of h x w, o results of oh x ow per group,
 * kernels of kh x kw; strides, padding, dilation; device (0: the CPU). A cost: predicted seconds (on the CPU, of one thread),
 * the operations and bytes that were counted for them, bytes of workspace, and the size of tiles, 0 without tiles. Each engine
 * name has one number. The CPU and devices share some names, and each has others. */
enum { TH_CONV_FORWARD, TH_CONV_GRAD_INPUT, TH_CONV_GRAD_WEIGHT };
typedef struct th_conv_shape {
  int64_t n, groups, c, o, h, w, kh, kw, oh, ow, sh, sw, ph, pw, dh, dw;
  int32_t pass;
  int16_t dtype, device;
} th_conv_shape;
typedef struct th_conv_cost { double seconds, flops, bytes, workspace; int32_t th, tw; } th_conv_cost;
const char  *th_conv_engine_name(int i);         /* NULL past the last engine */
int          th_conv_predict(th_conv_cost *cost, const th_conv_shape *s, int engine);    /* 0: not supported */
int          th_conv_choose(const th_conv_shape *s);
void         th_conv_force(int engine);          /* -1: none */
int          th_conv_forced(void);

/* Devices other than the CPU, after their backend is loaded (th_backend.h). */
int          th_device_count(void);

/* Storages. A new one has one reference, owned by the caller. */
th_status    th_storage_new(th_storage **s, int device, int dtype, int64_t size, int zeroed);
/* Copies elements between a storage on any device and CPU memory. */
th_status    th_storage_get(const th_storage *s, int64_t first, int64_t n, void *to);
th_status    th_storage_put(th_storage *s, int64_t first, int64_t n, const void *from);
/* Maps `size` elements of a file after the first `offset` ones; size 0: all. A private map never writes to the file; a shared one
 * may create or grow it. Shared memory has a name like "/x", or NULL for memory that only forked processes share. */
enum { TH_MAP_PRIVATE, TH_MAP_SHARED, TH_MAP_MEMORY };
th_status    th_storage_map(th_storage **s, int dtype, const char *path, int64_t offset, int64_t size, int kind);
th_status    th_storage_part(th_storage **s, th_storage *whole, int64_t offset, int64_t size);
/* CPU memory that devices can access: pinned, so that copies can be asynchronous; managed, so that a storage on a device can be
 * the same memory. */
enum { TH_HOST_PINNED = 3, TH_HOST_MANAGED = 4 };
th_status    th_storage_host(th_storage **s, int dtype, int64_t size, int kind);
th_status    th_storage_twin(th_storage **s, th_storage *managed, int device);
th_status    th_storage_resize(th_storage *s, int64_t size);
void         th_storage_retain(th_storage *s);
void         th_storage_release(th_storage *s);

/* Tensors. `to` may be `from`; a refused call leaves `to` unchanged. Dimensions count from 0. New memory is allocated on the
 * tensor's device. */
void         th_tensor_release(th_tensor *t);    /* afterwards all bytes are zero */
void         th_tensor_alias(th_tensor *to, const th_tensor *from);
th_status    th_tensor_clone(th_tensor *to, const th_tensor *from);      /* a contiguous copy */
th_status    th_tensor_set(th_tensor *to, int dtype, th_storage *s, int64_t offset,
                           int ndim, const int64_t *size, const int64_t *stride);
th_status    th_tensor_resize(th_tensor *t, int dtype, int ndim, const int64_t *size,
                              const int64_t *stride);
th_status    th_tensor_narrow(th_tensor *to, const th_tensor *from, int dim, int64_t first, int64_t n);
th_status    th_tensor_select(th_tensor *to, const th_tensor *from, int dim, int64_t index);
th_status    th_tensor_transpose(th_tensor *to, const th_tensor *from, int dim1, int dim2);
th_status    th_tensor_unfold(th_tensor *to, const th_tensor *from, int dim, int64_t size, int64_t step);
th_status    th_tensor_expand(th_tensor *to, const th_tensor *from, int ndim, const int64_t *size);
th_status    th_tensor_squeeze(th_tensor *to, const th_tensor *from, int dim);   /* -1: all */
int64_t      th_tensor_numel(const th_tensor *t);
int          th_tensor_is_contiguous(const th_tensor *t);
size_t       th_dtype_size(int dtype);
const char  *th_dtype_name(int dtype);           /* "Float": the word in torch.FloatTensor */
double       th_half_to_double(uint16_t bits, int dtype);     /* TH_F16 or TH_BF16 */
uint16_t     th_half_from_double(double x, int dtype);

/* Memory, threads, interruption. */
th_memory   *th_memory_of(int device);
th_pool     *th_pool_new(void);                  /* NULL: no memory left */
void         th_pool_free(th_pool *p);           /* its tensors are released */
int          th_pool_take(th_pool *p);           /* the number of an unused tensor; -1: the pool is full */
void         th_pool_give(th_pool *p, int number);
int          th_pool_grow(th_pool *p);           /* 0: no memory left */
void         th_pool_trim(th_pool *p);           /* frees memory that only later tensors use */
th_status    th_set_threads(int n);
int          th_threads(void);
int64_t      th_loops_shared(void);              /* loops so far that ran on several threads */
int          th_cores(void);                     /* processors this process may use */
void         th_interrupt(int on);               /* async-signal-safe; long work ends with TH_EINTR */
int          th_interrupted(void);
/* The op of this thread that runs in a library which cannot be interrupted, or NULL; async-signal-safe. */
const char  *th_waits_for(void);

/* Notes on calls whose result surprises people who know NumPy: a call of a kind that is on is refused with TH_ENOTE. */
enum { TH_NOTE_SHAPES = 1, TH_NOTE_COPY = 2, TH_NOTE_FRACTION = 4, TH_NOTE_DIVISION = 8, TH_NOTE_WRAP = 16, TH_NOTES_ALL = 31 };
void         th_notes_begin(void);               /* all kinds are on, unless a program has set them */
void         th_notes_set(int mask);
int          th_notes_get(void);

/* Random numbers. The Mersenne twister has Torch7's streams; Philox computes its words from a counter, so all threads fill a
 * tensor. */
enum { TH_MT19937, TH_PHILOX, TH_RNG_HEAD = 56 };
th_generator *th_generator_new(int kind);        /* NULL: out of memory */
void         th_generator_free(th_generator *g);
th_generator *th_generator_default(void);
void         th_generator_copy(th_generator *to, const th_generator *from);
void         th_generator_seed(th_generator *g, int kind, uint64_t seed);
uint64_t     th_generator_initial_seed(const th_generator *g);
int          th_generator_kind(const th_generator *g);
uint64_t     th_generator_random(th_generator *g);            /* 32 random bits */
double       th_generator_uniform(th_generator *g, double a, double b);
double       th_generator_normal(th_generator *g, double mean, double std);
int64_t      th_generator_state_size(const th_generator *g);  /* bytes */
int64_t      th_generator_state_bytes(const void *head);      /* the same, from the first TH_RNG_HEAD of them */
void         th_generator_get_state(const th_generator *g, void *bytes);
th_status    th_generator_set_state(th_generator *g, const void *bytes, int64_t n);      /* may change the kind */

/* Files: elements of any dtype, as text or in binary, on disk, in memory or through a pipe. Positions count bytes from 0. Every
 * length is compared with the remaining bytes before memory is allocated. */
typedef struct th_file th_file;
enum { TH_FILE_READ = 1, TH_FILE_WRITE = 2, TH_FILE_ATOMIC = 4, TH_FILE_WHOLE = 8 };
enum { TH_FILE_BINARY, TH_FILE_SPACING, TH_FILE_BIGENDIAN, TH_FILE_LONGSIZE, TH_FILE_BUFFERED, TH_FILE_NOPTION };
th_status    th_file_open(th_file **f, const char *path, int mode);      /* atomic: replaces at close */
th_status    th_file_pipe(th_file **f, const char *command, int mode);
th_status    th_file_memory(th_file **f, th_storage *s, int mode);     /* bytes and, unless whole, a final 0 */
th_status    th_file_view(th_file **f, const void *bytes, int64_t n);  /* read only; the caller owns bytes */
th_status    th_file_close(th_file *f);          /* flushes; afterwards only th_file_free is allowed */
void         th_file_free(th_file *f);           /* without close: drops the data */
void         th_file_set(th_file *f, int option, int value);
int          th_file_get(const th_file *f, int option);
th_status    th_file_read(th_file *f, int dtype, void *to, int64_t n, int64_t *got);
th_status    th_file_write(th_file *f, int dtype, const void *from, int64_t n);
/* A line or its first `room` bytes; *state: 0 the line continues, 1 it ends, 2 the file was at its end. */
th_status    th_file_line(th_file *f, char *to, int64_t room, int64_t *n, int *state);
th_status    th_file_seek(th_file *f, int64_t place);                  /* -1: the end */
th_status    th_file_sync(th_file *f);           /* hands everything to the operating system */
int64_t      th_file_place(const th_file *f);
int64_t      th_file_left(th_file *f);           /* bytes up to the end; -1: unknown (pipes) */

/* Files of other programs. Parsers read a block of memory and compare every length in it with the remaining bytes before they
 * allocate memory. */
typedef struct th_npy {
  int32_t dtype, ndim, fortran, swapped, boolean, reserved;     /* swapped: opposite byte order */
  int64_t size[16], start, bytes;                               /* first byte of the elements, and their bytes */
} th_npy;
/* The header of a .npy file of `total` bytes, of which the first n are given. */
th_status    th_npy_parse(th_npy *h, const void *bytes, int64_t n, int64_t total);
void         th_npy_native(const th_npy *h, void *elements);  /* converts elements: byte order, booleans */

/* The bytes or the file of a zip archive must stay until it is closed. Members count from 0 and are unpacked one at a time:
 * begin, take the bytes in any portions, end (which compares size and checksum). */
typedef struct th_zip th_zip;
typedef struct th_zip_member {
  const char *name;
  int64_t name_size, size, place;   /* bytes; the position of its first, packed or not */
  int32_t stored, reserved;         /* 1: it is not packed */
} th_zip_member;
th_status    th_zip_open(th_zip **z, const void *bytes, int64_t n);
th_status    th_zip_open_file(th_zip **z, th_file *f);        /* moves the position of f, now and by the functions below */
void         th_zip_close(th_zip *z);
int64_t      th_zip_count(const th_zip *z);
int64_t      th_zip_total(const th_zip *z);      /* bytes of all members, unpacked */
void         th_zip_at(const th_zip *z, int64_t i, th_zip_member *m);
th_status    th_zip_begin(th_zip *z, int64_t i);
th_status    th_zip_take(th_zip *z, void *to, int64_t n);
th_status    th_zip_end(th_zip *z);
uint32_t     th_zip_crc(uint32_t crc, const void *bytes, int64_t n);
/* Deflates two pieces of bytes, as if concatenated, into a storage. */
th_status    th_zip_pack(th_storage **out, const void *head, int64_t nhead, const void *body, int64_t nbody);

/* The JSON header of a .safetensors file. `begin` and `end` count bytes after the header. */
typedef struct th_safetensors th_safetensors;
typedef struct th_safetensor {
  const char *name;
  const int64_t *size;
  int64_t name_size, begin, end;
  int32_t dtype, ndim, boolean, reserved;
} th_safetensor;
th_status    th_safetensors_parse(th_safetensors **s, const char *json, int64_t n, int64_t data_bytes);
void         th_safetensors_free(th_safetensors *s);
int64_t      th_safetensors_count(const th_safetensors *s);
void         th_safetensors_at(const th_safetensors *s, int64_t i, th_safetensor *t);
int64_t      th_safetensors_notes(const th_safetensors *s);      /* entries of __metadata__, below: key, then value */
const char  *th_safetensors_note(const th_safetensors *s, int64_t i, int value, int64_t *n);
int          th_is_utf8(const char *s, int64_t n);

/* The file system and the clock, where C structs differ between systems. */
typedef struct th_dir th_dir;
enum { TH_PATH_NONE, TH_PATH_FILE, TH_PATH_DIR, TH_PATH_OTHER };
int          th_path_kind(const char *path, int follow);
th_dir      *th_dir_open(const char *path);      /* NULL: it cannot be read */
const char  *th_dir_next(th_dir *d);             /* NULL past the last name */
void         th_dir_close(th_dir *d);
const char  *th_system_name(int which);          /* of uname: 0 system, 1 host, 2 release, 3 machine */
void         th_clock(double seconds[3]);        /* monotonic; user and system time of the process */
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
