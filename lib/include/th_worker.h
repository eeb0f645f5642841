/* th_worker.h - threads that serve another thread; lua/torch/worker.lua runs Lua states in them. ffi.cdef reads the text between
 * FFI BEGIN and FFI END. */
#ifndef TH_WORKER_H
#define TH_WORKER_H
#include "th.h"

#ifdef __cplusplus
extern "C" {
#endif

/* FFI BEGIN */
/* A thread that receives requests and replies to each, in the same order. It calls run(state, 0, 0, 0), for example lua_pcall. Up
 * to TH_WORKER_DEPTH requests may wait for replies. A request is copied. The thread owns the bytes of a reply and decides how
 * long they are valid. Requests and replies are counted from 1. */
enum { TH_WORKER_DEPTH = 16 };
typedef struct th_worker th_worker;
typedef struct th_sync th_sync;
typedef int (*th_worker_run)(void *state, int, int, int);
/* The worker owns `state`: it calls `close` after its thread has returned from run. */
th_status    th_worker_new(th_worker **w, void *state, void (*close)(void *state));
th_status    th_worker_start(th_worker *w, th_worker_run run);
th_status    th_worker_ask(th_worker *w, const void *bytes, int64_t n);
/* 1: reply `number` has arrived, 0: not yet, -1: the thread has ended */
int          th_worker_wait(th_worker *w, int64_t number, double seconds);
const void  *th_worker_answer(const th_worker *w, int64_t number, int64_t *n);
int          th_worker_result(const th_worker *w);            /* of run; -1: it has not returned */
void         th_worker_leave(th_worker *w);                   /* waiting requests are not begun */
/* A queue at which the thread may wait: the end of the worker closes it. */
void         th_worker_wake(th_worker *w, th_sync *queue);
/* Ends the thread and frees the worker. 0: the thread has not ended in time, and th_worker_reap will free the worker. */
int          th_worker_finish(th_worker *w, double seconds);
void         th_worker_forget(th_worker **box);               /* the same for a finalizer: sets *box to NULL */
int          th_worker_reap(void);                            /* frees late workers; returns how many are left */
/* Keeps a tensor for request `number`; -1: until the worker ends. Returns the tensor that the thread reads. The storage cannot
 * grow until the request is dropped. NULL: no memory. */
const th_tensor *th_worker_keep(th_worker *w, int64_t number, const th_tensor *t);
void         th_worker_drop(th_worker *w, int64_t number);
const void  *th_worker_next(th_worker *w, int64_t *n);        /* in the thread: waits; NULL at the end */
/* Retains the storage of a tensor for a thread; it cannot grow until th_worker_let_go. NULL if the tensor has none. */
th_storage  *th_worker_hold(const th_tensor *t);
void         th_worker_let_go(th_storage *s);
/* A reference for a tensor sent between threads, which outlives the Lua object. Unwrapping moves it to `to`. NULL: no memory. */
th_tensor   *th_worker_wrap(const th_tensor *t);
void         th_worker_unwrap(th_tensor *to, th_tensor *wrapped);
void         th_worker_move(th_tensor *t, th_storage *s);     /* t then views s, with the same offset */
void         th_worker_reply(th_worker *w, const void *bytes, int64_t n);
/* Objects that the threads of a process share: reference-counted, and identified by a number until the last reference is
 * released. */
enum { TH_SYNC_QUEUE, TH_SYNC_MUTEX, TH_SYNC_CONDITION, TH_SYNC_COUNTER };
th_sync     *th_sync_new(int kind);                           /* NULL: no memory */
th_sync     *th_sync_find(int kind, double id);               /* a new reference, or NULL */
double       th_sync_id(const th_sync *o);
void         th_sync_retain(th_sync *o);
void         th_sync_release(th_sync *o);                     /* frees the remaining messages of a queue */
/* A queue: any thread may put and take. Any taker may take a message for receiver 0; other messages are for the taker of that
 * number, and taker 0 may take all. The oldest message is taken first. The sender chooses `tag`. A sender waits up to `seconds`
 * until fewer than `room` messages wait for the receiver; 0: no limit. */
typedef struct th_message {
  int64_t size, tag;
  struct th_message *next;
  int32_t to;
  char bytes[];
} th_message;
enum { TH_SYNC_DONE, TH_SYNC_LATE, TH_SYNC_CLOSED, TH_SYNC_FULL_MEMORY };
int          th_sync_put(th_sync *queue, int to, int64_t tag, const void *bytes, int64_t n, int64_t room, double seconds);
th_message  *th_sync_take(th_sync *queue, int taker, double seconds);   /* NULL: timeout or closed. The caller frees it */
void         th_sync_free(th_message *m);
/* Replies to a taken message, with its tag, and frees it. Without memory for the bytes the reply has the size -1. */
int          th_sync_reply(th_sync *queue, int from, th_message *m, const void *bytes, int64_t n);
th_message  *th_sync_shrink(th_message *m);                   /* frees the bytes of a long message before its reply */
void         th_sync_close(th_sync *queue);                   /* put and take then fail; messages stay */
th_message  *th_sync_rest(th_sync *queue, int to);            /* takes a message for a receiver (0: any), even if closed */
int          th_sync_closed(const th_sync *queue);
int64_t      th_sync_size(th_sync *queue, int to);            /* messages for a receiver, 0: all */
int64_t      th_sync_count(th_sync *queue, int taken);        /* messages ever put, or taken by th_sync_take */
/* A mutex belongs to the thread that has locked it. */
enum { TH_SYNC_LOCKED = 0, TH_SYNC_BUSY = 1, TH_SYNC_MINE = 2, TH_SYNC_ORPHAN = 3 };
int          th_sync_lock(th_sync *mutex, double seconds);    /* TH_SYNC_ORPHAN: locked, but the last owner has ended */
int          th_sync_unlock(th_sync *mutex);                  /* 0, or 1: it is not locked by this thread */
/* A condition: take a ticket with the mutex locked, unlock, and wait with the ticket for a signal. */
int64_t      th_sync_ticket(th_sync *condition);
int          th_sync_await(th_sync *condition, int64_t ticket, double seconds);   /* whether it has been signalled */
void         th_sync_signal(th_sync *condition, int all);
int64_t      th_sync_add(th_sync *counter, int64_t n);        /* returns the previous value */
void         th_sync_set(th_sync *counter, int64_t n);
/* FFI END */

#ifdef __cplusplus
}
#endif
#endif
