/* collectives.h - the table of kinds of operations. */
#ifndef TH_COMM_COLLECTIVES_H
#define TH_COMM_COLLECTIVES_H
#include "../base/comm.h"

extern const th_operation th_operations[];        /* by number, TH_DIST_BARRIER to TH_DIST_CLOSE */

#endif
