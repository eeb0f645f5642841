/* mpi.c - Open MPI, opened at run time. Names and constants are those of its ABI, which
 * libmpi.so.40 keeps. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include "mpi.h"

enum { SERIALIZED = 2, MULTIPLE = 3, UNDEFINED = -32766, SUCCESS = 0 };

typedef struct status { int source, tag, error, cancelled; size_t count; } status;

static struct {
  void *library;
  void *world, *comm, *byte, *none, *returns, *before;
  int (*Initialized)(int *), (*Init_thread)(int *, char ***, int, int *), (*Query_thread)(int *), (*Finalize)(void);
  int (*Comm_dup)(void *, void **), (*Comm_rank)(void *, int *), (*Comm_size)(void *, int *);
  int (*Comm_get_errhandler)(void *, void **), (*Comm_set_errhandler)(void *, void *), (*Error_string)(int, char *, int *);
  int (*Isend)(const void *, int, void *, int, int, void *, void **);
  int (*Issend)(const void *, int, void *, int, int, void *, void **);
  int (*Irecv)(void *, int, void *, int, int, void *, void **);
  int (*Testsome)(int, void **, int *, int *, status *);
  bool (*set_yield)(bool);
} mpi;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* ---- the library ---- */

static void *find(const char *name, const char **missing)
{
  void *p = dlsym(mpi.library, name);
  if (!p && !*missing) *missing = name;
  return p;
}

#define FIND(name) *(void **)(void *)&mpi.name = find("MPI_" #name, &missing)

th_status th_mpi_open(void)
{
  const char *missing = NULL;
  if (mpi.comm || mpi.library) return TH_OK;
  void *library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);        /* its plug-ins look for its symbols */
  if (!library) library = dlopen("libmpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return th_fail(TH_EBACKEND, "dist.init: a job on several hosts needs Open MPI on each of them: %s", dlerror());
  mpi.library = library;
  mpi.world = find("ompi_mpi_comm_world", &missing);
  mpi.byte = find("ompi_mpi_byte", &missing);
  mpi.none = find("ompi_request_null", &missing);
  mpi.returns = find("ompi_mpi_errors_return", &missing);
  FIND(Initialized), FIND(Init_thread), FIND(Query_thread), FIND(Finalize), FIND(Comm_dup), FIND(Comm_rank), FIND(Comm_size);
  FIND(Comm_get_errhandler), FIND(Comm_set_errhandler), FIND(Error_string), FIND(Isend), FIND(Issend), FIND(Irecv);
  FIND(Testsome);
  *(void **)(void *)&mpi.set_yield = dlsym(library, "opal_progress_set_yield_when_idle");
  if (!missing) return TH_OK;
  mpi.library = NULL;
  dlclose(library);
  return th_fail(TH_EBACKEND, "dist.init: the MPI library found is not Open MPI: it has no %s", missing);
}

static th_status failed(const char *what, int code)
{
  char text[512] = "";
  int n = 0;
  pthread_mutex_lock(&one_at_a_time);
  mpi.Error_string(code, text, &n);
  pthread_mutex_unlock(&one_at_a_time);
  return th_fail(TH_EBACKEND, "dist: Open MPI, %s: %s", what, text);
}

#define CALL(name, ...) do { \
    pthread_mutex_lock(&one_at_a_time); \
    const int code_ = mpi.name(__VA_ARGS__); \
    pthread_mutex_unlock(&one_at_a_time); \
    if (code_ != SUCCESS) return failed(#name, code_); \
  } while (0)

/* ---- the job ---- */

th_status th_mpi_begin(int *rank, int *size)
{
  int there = 0, threads = 0;
  CALL(Initialized, &there);
  if (there) CALL(Query_thread, &threads);
  else CALL(Init_thread, NULL, NULL, MULTIPLE, &threads);
  if (threads < (there ? MULTIPLE : SERIALIZED)) {
    return th_fail(TH_EBACKEND, there ? "dist.init: the script has begun MPI without MPI_THREAD_MULTIPLE: call dist.init() before"
                   : "dist.init: this Open MPI was built without threads");
  }
  CALL(Comm_get_errhandler, mpi.world, &mpi.before);
  CALL(Comm_set_errhandler, mpi.world, mpi.returns);
  mpi.comm = mpi.world;
  CALL(Comm_rank, mpi.comm, rank);
  CALL(Comm_size, mpi.comm, size);
  if (!there && mpi.set_yield) mpi.set_yield(false);   /* yielding inside a call would delay the process's other threads */
  return TH_OK;
}

th_status th_mpi_separate(void)
{
  void *own;
  CALL(Comm_dup, mpi.world, &own);
  CALL(Comm_set_errhandler, mpi.world, mpi.before);
  CALL(Comm_set_errhandler, own, mpi.returns);
  mpi.comm = own;
  return TH_OK;
}

void th_mpi_end(void)
{
  pthread_mutex_lock(&one_at_a_time);
  if (mpi.set_yield) mpi.set_yield(true);
  mpi.Finalize();
  pthread_mutex_unlock(&one_at_a_time);
}

/* ---- messages ---- */

th_request th_no_request(void) { return mpi.none; }

th_status th_mpi_send(const void *p, int64_t bytes, int to, int tag, bool soon, th_request *r)
{
  if (soon) CALL(Isend, p, (int)bytes, mpi.byte, to, tag, mpi.comm, r);
  else CALL(Issend, p, (int)bytes, mpi.byte, to, tag, mpi.comm, r);
  return TH_OK;
}

th_status th_mpi_recv(void *p, int64_t bytes, int from, int tag, th_request *r)
{
  CALL(Irecv, p, (int)bytes, mpi.byte, from, tag, mpi.comm, r);
  return TH_OK;
}

th_status th_mpi_test(th_request *r, int n, int *done, int *ndone)
{
  CALL(Testsome, n, r, ndone, done, NULL);
  if (*ndone == UNDEFINED) *ndone = 0;          /* no request was active */
  return TH_OK;
}
