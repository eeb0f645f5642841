/* op.h - what an op file of the library reads; th_op.h says it all, core.h adds what plug-ins do not see. */
#ifndef OP_H
#define OP_H
#include "../core/core.h"
#endif
