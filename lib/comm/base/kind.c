/* kind.c - the kinds of operations. */
#include "comm.h"

static const char *const words[] = { "barrier", "allreduce", "reduce", "broadcast", "allgather", "reducescatter", "alltoall",
                                     "send", "recv", "group", "init", "shared", "group:close" };

const char *th_dist_word(int kind) { return words[kind]; }
