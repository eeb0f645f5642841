/* thcuda.h - the interface of libthcuda for Lua beyond ops: devices, streams, events. ffi.cdef reads the text between FFI BEGIN
 * and FFI END. Devices count from 1; streams count from 0, the default stream. */
#ifndef TH_CUDA_H
#define TH_CUDA_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
typedef struct th_cuda_properties {
  char    name[256];
  int64_t totalGlobalMem, freeGlobalMem, sharedMemPerBlock;
  int32_t major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor, regsPerBlock;
  int32_t memoryBusWidth, l2CacheSize, integrated, pciBusID, pciDeviceID, pciDomainID, emulated;
} th_cuda_properties;
typedef struct th_cuda_event th_cuda_event;
typedef struct th_cuda_graph th_cuda_graph;

th_status      th_cuda_load(void);               /* adds devices and kernels to libth, once */
int            th_cuda_is_emulated(void);
int            th_cuda_count(void);
const char    *th_cuda_why(void);                /* why there is no device */
int            th_cuda_runtime_version(void);
int            th_cuda_driver_version(void);
int            th_cuda_device(void);             /* of this thread */
th_status      th_cuda_set_device(int device);
th_status      th_cuda_properties_of(th_cuda_properties *p, int device);
th_status      th_cuda_synchronize(int device);
int            th_cuda_synchronous(void);        /* whether the host waits after every kernel, and checks elements before it */
void           th_cuda_set_synchronous(int on);  /* for all devices and threads; TH_CUDA_SYNC=1 sets it from the start */
th_status      th_cuda_trim(int device);         /* returns unused memory to the driver */
th_status      th_cuda_sleep(double cycles);     /* cycles of the device's clock; in the thread's stream */
int            th_cuda_host_kind(const void *p); /* TH_HOST_PINNED, TH_HOST_MANAGED; 0: other memory */
/* The op copy, but asynchronous if the host memory is pinned. */
th_status      th_cuda_copy_async(th_tensor *to, th_tensor *from);
int            th_cuda_can_access(int device, int peer);
th_status      th_cuda_set_access(int device, int peer, int on);        /* of device to the memory of peer */
int            th_cuda_streams(void);            /* without the default one, on every device */
th_status      th_cuda_reserve_streams(int n);
int            th_cuda_stream_number(void);      /* of this thread */
th_status      th_cuda_set_stream(int stream);
th_status      th_cuda_stream_synchronize(int device, int stream);
/* Later work of the stream runs after all work that another stream has been given so far. */
th_status      th_cuda_stream_wait(int device, int stream, int other_device, int other);
th_generator  *th_cuda_generator(int device);    /* of this thread for the device; NULL: no such device, or no memory */
th_status      th_cuda_event_new(th_cuda_event **e);             /* recorded in the thread's stream */
th_status      th_cuda_event_wait(th_cuda_event *e);             /* the thread's stream waits */
th_status      th_cuda_event_synchronize(th_cuda_event *e);
th_status      th_cuda_event_seconds(double *s, th_cuda_event *from, th_cuda_event *to);
void           th_cuda_event_free(th_cuda_event *e);
/* A graph: work of this thread for its device from begin to end is recorded and not run; launch runs all of it. */
/* late: the graph checks all indices; otherwise `look` checks those that it only reads. */
th_status      th_cuda_graph_begin(th_cuda_graph **g, int late);
/* Right after begin: t gets new contents before each launch, and the work may not change it. */
void           th_cuda_graph_input(th_cuda_graph *g, const th_tensor *t, const char *name);
th_status      th_cuda_graph_end(th_cuda_graph *g);              /* fails if something could not be recorded */
th_status      th_cuda_graph_prepare(th_cuda_graph *g);          /* the stream waits for the last launch; reports errors */
th_status      th_cuda_graph_look(th_cuda_graph *g);             /* checks elements of inputs against their bounds */
th_status      th_cuda_graph_launch(th_cuda_graph *g);
th_status      th_cuda_graph_wait(th_cuda_graph *g);             /* for the last launch, and reports its errors */
double         th_cuda_graph_nodes(const th_cuda_graph *g);      /* number of nodes */
double         th_cuda_graph_bytes(const th_cuda_graph *g);      /* of memory that it owns */
int            th_cuda_graph_full(const th_cuda_graph *g);       /* whether memory ran short while recording */
const char    *th_cuda_graph_why(const th_cuda_graph *g);        /* why it cannot be recorded; "" if it can */
void           th_cuda_graph_free(th_cuda_graph *g);             /* at any time; ends recording */
const char    *th_cuda_blas(void);               /* the cuBLAS in use; "": none */
const char    *th_cuda_blas_why(void);           /* why there is none */
int            th_cuda_tf32(void);               /* whether products of floats may round them to 10 bits */
void           th_cuda_set_tf32(int on);
const char    *th_cuda_nccl(void);               /* the NCCL in use; "": none */
const char    *th_cuda_nccl_why(void);           /* why there is none */
/* Contiguous tensors of one size and type, each on another device: sums them into all or into the first; copies the first to
 * all. */
th_status      th_cuda_nccl_sum(int n, th_tensor *const *t, int all);
th_status      th_cuda_nccl_broadcast(int n, th_tensor *const *t);

/* Whole recurrent layers by cuDNN, for lua/cutorch/rnn.lua. cell: 0 relu, 1 tanh, 2 lstm, 3 gru; x is steps x samples x input, or
 * samples x steps x input. _why: why cuDNN does not compute these sequences, or NULL. _backward spoils the reserve for another
 * one; _weight reads what it leaves there, and adds to gw. */
typedef struct th_cuda_rnn { int32_t cell, both_ways, input, hidden, layers, steps, samples, by_samples; } th_cuda_rnn;
const char    *th_cuda_rnn_why(const th_cuda_rnn *r, const th_tensor *x);
th_status      th_cuda_rnn_forward(const th_cuda_rnn *r, const th_tensor *x, const th_tensor *weight, const th_tensor *hx,
                                   const th_tensor *cx, const th_tensor *y, const th_tensor *hy, const th_tensor *cy,
                                   th_tensor *reserve);
th_status      th_cuda_rnn_backward(const th_cuda_rnn *r, const th_tensor *y, const th_tensor *gy, const th_tensor *weight,
                                    const th_tensor *hx, const th_tensor *cx, const th_tensor *ghy, const th_tensor *gcy,
                                    const th_tensor *gx, const th_tensor *ghx, const th_tensor *gcx, const th_tensor *reserve);
th_status      th_cuda_rnn_weight(const th_cuda_rnn *r, const th_tensor *x, const th_tensor *y, const th_tensor *hx,
                                  const th_tensor *gw, const th_tensor *reserve);

/* Programs of pointwise ops (th_program.h): the text that NVRTC compiles, valid until the next
 * call; why it compiles none, or ""; how many it has compiled so far; and the folder for what it
 * has made, NULL: none. */
const char    *th_cuda_program_text(const struct th_program *p);
const char    *th_cuda_program_why(void);
int64_t        th_cuda_programs_compiled(void);
void           th_cuda_program_folder(const char *name);
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
