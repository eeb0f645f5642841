/* api.h - what the files that Lua calls share: operations, and tensors on devices. */
#ifndef TH_COMM_API_H
#define TH_COMM_API_H
#include "../collectives/collectives.h"
#include "../net/net.h"

void      th_dist_forget(th_dist *g);               /* frees a group that no operation uses any more */
/* Two operations of a group with a step between them, as one. Blocking if w is NULL. more: tensors
 * that the step needs. */
th_status th_dist_two(th_dist_work **w, th_dist *g, const th_dist_call call[2], th_step step, const th_list *more);

/* ---- tensors on devices (device.c) ---- */

th_status th_check_device_setting(void);            /* checks the environment */
th_status th_device_prepare(th_dist_work *w);       /* in the script's thread */
void      th_device_unprepare(th_dist_work *w);
/* Calls `by` with copies of the tensors on the CPU. */
th_status th_by_copies(th_dist_work *w, th_status (*by)(th_dist_work *));
th_status th_by_device(th_dist_work *w, th_status (*by_cpu)(th_dist_work *));      /* after all ranks have announced it */
void      th_device_close(th_dist *g);

#endif
