/* th_worker.h - threads that serve another one: lua/torch/worker.lua runs Lua states in them. The text between FFI BEGIN and
 * FFI END is what ffi.cdef reads. */
#ifndef TH_WORKER_H
#define TH_WORKER_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
/* A thread that is asked by another one: requests, and an answer to each, in the same order. It calls run(state, 0, 0, 0), and
 * lua_pcall is such a function. Up to TH_WORKER_DEPTH requests may wait for their answers. A request is copied; the bytes of an
 * answer stay the thread's, which says how long. Requests and answers are counted from 1. */
enum { TH_WORKER_DEPTH = 16 };
typedef struct th_worker th_worker;
typedef int (*th_worker_run)(void *state, int, int, int);
th_status    th_worker_new(th_worker **w);
th_status    th_worker_start(th_worker *w, th_worker_run run, void *state);
th_status    th_worker_ask(th_worker *w, const void *bytes, int64_t n);
/* 1: answer `number` is there, 0: not yet, -1: the thread has ended */
int          th_worker_wait(th_worker *w, int64_t number, double seconds);
const void  *th_worker_answer(const th_worker *w, int64_t number, int64_t *n);
int          th_worker_result(const th_worker *w);            /* of run; -1: the thread has not returned from it */
void         th_worker_leave(th_worker *w);                   /* no request that waits is begun any more */
/* 0: it is still at work. Else it has ended, and w is free; -1: in the middle of run. */
int          th_worker_end(th_worker *w, double seconds);
const void  *th_worker_next(th_worker *w, int64_t *n);        /* in the thread: waits; NULL: no request will come */
/* The storage of a tensor that a thread is given, counted: it cannot grow until it is let go. NULL: there is none. */
th_storage  *th_worker_hold(const th_tensor *t);
void         th_worker_let_go(th_storage *s);
void         th_worker_reply(th_worker *w, const void *bytes, int64_t n);
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
