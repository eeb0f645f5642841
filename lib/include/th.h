/* th.h - the public face of the tensor core.
 *
 * The part between FFI BEGIN and FFI END holds no preprocessor line: the C compiler and LuaJIT's
 * ffi.cdef read the very same text. Functions that can fail return a th_status and keep a message
 * for th_error(); results travel through the first argument.
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
  TH_OK, TH_EARG, TH_ESHAPE, TH_EDTYPE, TH_EDEVICE, TH_ENOMEM, TH_EIO, TH_EINTR, TH_EBACKEND
} th_status;

/* TH_NONE marks a tensor that no op has shaped yet: all bytes zero. */
typedef enum th_dtype {
  TH_NONE, TH_U8, TH_I8, TH_I16, TH_I32, TH_I64, TH_F16, TH_BF16, TH_F32, TH_F64, TH_NDTYPE
} th_dtype;

/* Kinds of devices, which kernels are made for. The `device` of a storage, a tensor, a call is a number: 0 is the CPU,
 * n from 1 the n-th CUDA device. */
typedef enum th_device { TH_CPU, TH_CUDA, TH_NDEVICE } th_device;
enum { TH_MAXDEVICE = 64 };

/* A counted block of elements. It may grow, and then `data` moves: tensors reach their elements
 * through it. It never gives memory back before the last reference goes, so no view can dangle. */
typedef struct th_storage {
  void   *data;                     /* 64-byte aligned; NULL while size is 0; an address of its device */
  int64_t size;                     /* elements */
  int64_t capacity;                 /* bytes behind data */
  int32_t refs;                     /* changed atomically */
  int32_t dtype, device;
  int32_t mapped;                   /* 1: data is a mapped file; 2: shared memory; or TH_HOST_PINNED, TH_HOST_MANAGED */
  int32_t joined;                   /* 1: data lies in the same block as this struct */
  int32_t pinned;                   /* bit 0: parts of it are storages; above: at work elsewhere. data must not move */
  struct th_storage *whole;         /* of such a part: what it is a part of; NULL otherwise */
} th_storage;

/* A view of a storage. Sizes and strides count elements; a stride may be 0. The empty tensor of
 * Torch7 has one dimension of size 0; ndim 0 is a single number. */
typedef struct th_tensor {
  th_storage *storage;              /* a counted reference; may be NULL when there is no element */
  int64_t     offset;               /* of the first element, from 0 */
  int32_t     ndim, dtype, device, reserved;
  int64_t     size[16], stride[16];
} th_tensor;

/* Tensors by their numbers, of one Lua state. */
typedef struct th_pool { th_tensor **tensor; int32_t count; } th_pool;

typedef struct th_list  { int64_t n; th_tensor **t; } th_list;       /* a table of tensors */
typedef struct th_sizes { int64_t n; int64_t size[16]; } th_sizes;   /* sizes, one a dimension */
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

/* What an op is. Two ops of the same name are two call forms of one Lua function. */
typedef struct th_op {
  const char *name;                 /* torch.<name> and Tensor:<name> */
  const char *args;                 /* "y:out x:tensor dim:dim=1", see th_op.h */
  const char *doc;                  /* sentences; then examples, one a line: call --> result */
  const char *grad;                 /* gradients of the first result: "x: mul(g, y)", or NULL */
  int32_t     flags;                /* TH_INPLACE, see th_op.h */
  th_status (*check)(th_call *c);   /* refuses bad input, says what shape the results have */
} th_op;

/* How storages and generators are held in Lua: counted or owned pointers with metatypes of their own. */
typedef struct th_storage_ref { th_storage *s; } th_storage_ref;
typedef struct th_generator_ref { th_generator *g; } th_generator_ref;

/* Bytes held by tensors. The Lua side compares bytes with limit and runs its collector. An allocation that
 * would lead beyond `most` is refused; 0 means what the machine has available. */
typedef struct th_memory { int64_t bytes, peak, limit, storages, most; } th_memory;

int          th_abi(void);
const char  *th_error(void);                     /* message of the last failure on this thread */
void         th_enter(const char *name);         /* who speaks in the next message; NULL: nobody */
const char  *th_cpu_level(void);                 /* "base", "avx2" or "avx512" */
const char  *th_blas_name(void);                 /* which BLAS was opened; NULL: none found */
int          th_has_lapack(void);                /* whether that library has LAPACK too */
enum { TH_BUILD_VERSION, TH_BUILD_COMPILER, TH_BUILD_LEVELS };
const char  *th_build(int what);                 /* what the library was built from, with, and for */

/* The registry. */
const th_op *th_op_at(int i);                    /* NULL past the last op */
int          th_op_supports(const th_op *op, int kind, int dtype);      /* kind: TH_CPU or TH_CUDA */
int          th_op_is_by_cpu(const th_op *op);   /* whether the CPU does its work for CUDA tensors, with copies */
th_status    th_run(const th_op *op, th_arg *arg, int narg);     /* `return` arguments are written */

/* Plug-ins: libraries with ops of their own, written with th_op.h. What is wrong with one is said when it is opened;
 * th_plugin_add puts all its ops into the registry or none. One that was added stays, and closing it does nothing. */
typedef struct th_plugin th_plugin;
th_status    th_plugin_open(th_plugin **p, const char *path);
const th_op *th_plugin_op_at(const th_plugin *p, int i);         /* NULL past the last op */
th_status    th_plugin_add(th_plugin *p);
int          th_plugin_added(const th_plugin *p);
void         th_plugin_close(th_plugin *p);

/* Convolution has several engines. A shape: n images of `groups` groups of c planes of h x w, o results of oh x ow a
 * group, kernels of kh x kw; strides, padding, dilation; device: 0 is the CPU. A cost: predicted seconds, of one thread on
 * the CPU, what was counted for them, bytes of workspace, and the size of tiles, 0 where there are none. Numbers of engines are
 * those of their names: the CPU and devices have engines of the same name, and each some that the other has not. */
enum { TH_CONV_FORWARD, TH_CONV_GRAD_INPUT, TH_CONV_GRAD_WEIGHT };
typedef struct th_conv_shape {
  int64_t n, groups, c, o, h, w, kh, kw, oh, ow, sh, sw, ph, pw, dh, dw;
  int32_t pass;
  int16_t dtype, device;
} th_conv_shape;
typedef struct th_conv_cost { double seconds, flops, bytes, workspace; int32_t th, tw; } th_conv_cost;
const char  *th_conv_engine_name(int i);         /* NULL past the last engine */
int          th_conv_predict(th_conv_cost *cost, const th_conv_shape *s, int engine);    /* 0: it does not do that */
int          th_conv_choose(const th_conv_shape *s);
void         th_conv_force(int engine);          /* -1: none */
int          th_conv_forced(void);

/* Devices other than the CPU, once a library that knows them was loaded (th_backend.h). */
int          th_device_count(void);

/* Storages. A new one has one reference, which belongs to the caller. */
th_status    th_storage_new(th_storage **s, int device, int dtype, int64_t size, int zeroed);
/* Elements between a storage on any device and memory of the CPU. */
th_status    th_storage_get(const th_storage *s, int64_t first, int64_t n, void *to);
th_status    th_storage_put(th_storage *s, int64_t first, int64_t n, const void *from);
/* `size` elements behind the first `offset` ones of a file; 0: all there are. A private map never writes to the
 * file, a shared one may make or grow it; memory is a name like "/x", or NULL: seen by forked processes only. */
enum { TH_MAP_PRIVATE, TH_MAP_SHARED, TH_MAP_MEMORY };
th_status    th_storage_map(th_storage **s, int dtype, const char *path, int64_t offset, int64_t size, int kind);
th_status    th_storage_part(th_storage **s, th_storage *whole, int64_t offset, int64_t size);
/* Memory of the CPU that devices reach: pinned, so that copies need not wait; managed, so that a storage on a device may be
 * the same memory. */
enum { TH_HOST_PINNED = 3, TH_HOST_MANAGED = 4 };
th_status    th_storage_host(th_storage **s, int dtype, int64_t size, int kind);
th_status    th_storage_twin(th_storage **s, th_storage *managed, int device);
th_status    th_storage_resize(th_storage *s, int64_t size);
void         th_storage_retain(th_storage *s);
void         th_storage_release(th_storage *s);

/* Tensors. `to` may be `from`; a refused call leaves `to` as it was. Dimensions count from 0. New memory comes from the
 * tensor's device. */
void         th_tensor_release(th_tensor *t);    /* afterwards all bytes are zero */
void         th_tensor_alias(th_tensor *to, const th_tensor *from);
th_status    th_tensor_clone(th_tensor *to, const th_tensor *from);      /* a packed copy */
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
int          th_pool_take(th_pool *p);           /* the number of a tensor without shape; -1: all are taken */
void         th_pool_give(th_pool *p, int number);
int          th_pool_grow(th_pool *p);           /* 0: no memory left */
th_status    th_set_threads(int n);
int          th_threads(void);
int64_t      th_loops_shared(void);              /* loops so far that were cut and shared out to threads */
int          th_cores(void);                     /* processors this process may use */
void         th_interrupt(int on);               /* async-signal-safe; long work ends with TH_EINTR */
int          th_interrupted(void);

/* Random numbers. The Mersenne twister has Torch7's streams; the words of Philox come from a counter,
 * so tensors are filled by all threads. */
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

/* Files: elements of any dtype, as text or in binary, on disk, in memory or through a pipe. Places
 * count bytes from 0. Every length is compared with what is left before memory is taken. */
typedef struct th_file th_file;
enum { TH_FILE_READ = 1, TH_FILE_WRITE = 2, TH_FILE_ATOMIC = 4, TH_FILE_WHOLE = 8 };
enum { TH_FILE_BINARY, TH_FILE_SPACING, TH_FILE_BIGENDIAN, TH_FILE_LONGSIZE, TH_FILE_BUFFERED, TH_FILE_NOPTION };
th_status    th_file_open(th_file **f, const char *path, int mode);      /* atomic: replaces when it is closed */
th_status    th_file_pipe(th_file **f, const char *command, int mode);
th_status    th_file_memory(th_file **f, th_storage *s, int mode);     /* bytes and, unless whole, a final 0 */
th_status    th_file_view(th_file **f, const void *bytes, int64_t n);  /* read only; bytes stay the caller's */
th_status    th_file_close(th_file *f);          /* flushes; afterwards only th_file_free is allowed */
void         th_file_free(th_file *f);           /* what was not closed is dropped */
void         th_file_set(th_file *f, int option, int value);
int          th_file_get(const th_file *f, int option);
th_status    th_file_read(th_file *f, int dtype, void *to, int64_t n, int64_t *got);
th_status    th_file_write(th_file *f, int dtype, const void *from, int64_t n);
/* A line or the first `room` bytes of it; *state: 0 more of it follows, 1 its end, 2 the file was at its end. */
th_status    th_file_line(th_file *f, char *to, int64_t room, int64_t *n, int *state);
th_status    th_file_seek(th_file *f, int64_t place);                  /* -1: the end */
th_status    th_file_sync(th_file *f);           /* hands everything to the operating system */
int64_t      th_file_place(const th_file *f);
int64_t      th_file_left(th_file *f);           /* bytes up to the end; -1: unknown (pipes) */

/* Files of other programs. Parsers look at a block of memory and compare every length in it with what is there
 * before memory is taken. */
typedef struct th_npy {
  int32_t dtype, ndim, fortran, swapped, boolean, reserved;     /* swapped: bytes of an element are the wrong way round */
  int64_t size[16], start, bytes;                               /* where the elements begin, and how many bytes they are */
} th_npy;
/* The header of a .npy file of `total` bytes, of which the first n are there. */
th_status    th_npy_parse(th_npy *h, const void *bytes, int64_t n, int64_t total);
void         th_npy_native(const th_npy *h, void *elements);  /* read elements become ours: byte order, 0 and 1 */

/* The bytes of a zip archive must stay where they are until it is closed. Members count from 0 and are unpacked one
 * at a time: begin, take its bytes in any portions, end (which compares size and checksum). */
typedef struct th_zip th_zip;
typedef struct th_zip_member { const char *name; int64_t name_size, size; } th_zip_member;
th_status    th_zip_open(th_zip **z, const void *bytes, int64_t n);
void         th_zip_close(th_zip *z);
int64_t      th_zip_count(const th_zip *z);
int64_t      th_zip_total(const th_zip *z);      /* bytes of all members, unpacked */
void         th_zip_at(const th_zip *z, int64_t i, th_zip_member *m);
th_status    th_zip_begin(th_zip *z, int64_t i);
th_status    th_zip_take(th_zip *z, void *to, int64_t n);
th_status    th_zip_end(th_zip *z);
uint32_t     th_zip_crc(uint32_t crc, const void *bytes, int64_t n);
/* Deflates two pieces, one after the other, into a storage of bytes. */
th_status    th_zip_pack(th_storage **out, const void *head, int64_t nhead, const void *body, int64_t nbody);

/* The JSON header of a .safetensors file. `begin` and `end` count bytes behind the header. */
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
void         th_clock(double seconds[3]);        /* since some moment; user and system time of the process */
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
