// device.cuh - devices, their streams and memory, for other files of the runtime.
#ifndef TH_DEVICE_CUH
#define TH_DEVICE_CUH
#include "recording.cuh"
#include "thcuda.h"

/* ---- device.cu ---- */

/* Counts the devices, once. */
int th_cuda_find_devices();
/* Fails if there is no device of this number, counted from 1. */
th_status th_cuda_need_device(int device);
/* Makes the thread's device CUDA's current one. */
th_status th_cuda_set_own_device();
/* Notes that this thread calls something, for an error that a device reports late; forgets what was noted. */
void th_cuda_note_call();
void th_cuda_forget_calls();

/* ---- stream.cu ---- */

/* A stream by its number: 0 is the default one. */
cudaStream_t th_cuda_stream_at(int device, int stream);
th_status th_cuda_need_stream(int stream);
/* Later work of `s` waits for all that the streams of the current device were given. */
th_status th_cuda_wait_for_all(cudaStream_t s);
/* The stream of the current device that allocates and frees memory of graphs. */
th_status th_cuda_stream_aside(cudaStream_t *s);
/* Adds to the number of threads that record on a device, counted from 0. */
void th_cuda_count_recording(int device, int more);
/* Waits for a device, counted from 0, even while threads record on it. */
th_status th_cuda_wait_device(int device);
/* Whether the streams of a device, counted from 0, finish their work within some seconds. */
bool th_cuda_finishes(int device, double seconds);

/* ---- host.cu: memory of the host that devices reach ---- */

th_status th_cuda_host_allocate(void **p, int64_t bytes, int kind);
void th_cuda_host_release(void *p);
/* Waits for what devices were given to do with the memory that holds p, if they reach it. */
void th_cuda_host_wait(const void *p);
/* A copy between memory of the host and the current device was begun: waits for it where it must be over. */
th_status th_cuda_copy_begun(const void *host, int device, bool to_host);
/* With on, the caller waits for the copies of this thread. */
void th_cuda_hurry(bool on);

/* ---- memory.cu ---- */

th_status th_cuda_allocate(void **p, int device, int64_t bytes, int zeroed);
void th_cuda_release(void *p, int device);
/* The thread's stream is about to use this memory of a device, counted from 1, other than by a call of an op. */
void th_cuda_uses(const void *p, int device);
/* The same for the tensors of a call. */
void th_cuda_call_uses(const th_call *c);

#endif
