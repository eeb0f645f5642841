/* leave.c - how a rank leaves a job on several hosts. */
#include <stdio.h>
#include <stdlib.h>
#include "../../core/environment.h"
#include "control_channel.h"

static const double LAST_WORDS = 1;     /* seconds for the last control messages of a rank that leaves */

/* thrun learns in any order how ranks ended; this line tells it which rank broke the job. */
static void report_to_thrun(const th_job *j)
{
  const char *key = th_environment("TH_DIST_KEY");
  if (key && __atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE) == 2) dprintf(2, "%s blames %d\n", key, j->head->culprit);
}

/* MPI ends on all ranks together. A rank that leaves early waits here, and still answers control
 * messages; an error of another rank ends that wait. A broken job cannot end MPI, so its processes
 * just exit. A rank whose script failed also just exits, because thrun waits for its exit status. */
void th_net_leave(th_job *j, bool failed)
{
  th_control *x = j->control;
  control_message l = { .kind = RANK_LEFT };
  if (th_forked() || __atomic_load_n(&x->stop, __ATOMIC_ACQUIRE)) return;
  if (!__atomic_load_n(&x->started, __ATOMIC_ACQUIRE)) return;           /* never began */
  th_control_progress(x, &l);
  if (!__atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE)) th_control_send_all(x, &l);
  if (!failed) th_await_others(x);
  report_to_thrun(j);
  x->finalize = !failed && th_all_left(x) && !__atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE);
  double until = th_now() + LAST_WORDS;
  while (!x->finalize && th_now() < until && !(__atomic_load_n(&x->reported, __ATOMIC_ACQUIRE) && !x->out)) th_pause(1000);
  __atomic_store_n(&x->stop, 1, __ATOMIC_RELEASE);
  until = th_now() + (x->finalize ? j->deadline : LAST_WORDS);
  while (!__atomic_load_n(&x->ended, __ATOMIC_ACQUIRE) && th_now() < until && !th_interrupted()) th_pause(1000);
}
