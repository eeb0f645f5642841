/* thrun.c - the launcher: starts the ranks of a job on this host (or calls hosts.c), shows their
 * output, and ends all ranks when one fails. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../lib/core/environment.h"
#include "../../lib/comm/base/job.h"
#include "th_dist.h"
#include "hosts.h"
#include "lines.h"
#include "program.h"
#include "reaper.h"

static const char usage[] =
  "usage: thrun [options] SCRIPT [args]        runs th SCRIPT args as the ranks of one job on this host\n"
  "       thrun [options] -- PROGRAM [args]    runs any program\n"
  "  -n N            ranks, 1 to 64 (default: one for each processor)\n"
  "  --threads N     threads of a rank (default: TH_NUM_THREADS, else processors / ranks, at least 1)\n"
  "  --deadline S    seconds that a collective operation may take (default %d)\n"
  "  --restarts N    after a failure, start all ranks again, at most N times (default 0)\n"
  "  --spare N       continue after at most N ranks have failed; N is less than the number of ranks (default 0)\n"
  "  --no-bind       do not bind ranks to processors (default: each has its share)\n"
  "  --commit DIR    where dist.commit keeps states and dist.restore finds them\n"
  "  --hosts LIST    a:2,b:2 starts two ranks on each of these hosts, by Open MPI's mpirun; -n limits them\n"
  "  --hostfile F    the same with a file of lines such as: a slots=2\n"
  "  --grace S       seconds between asking the others to end and killing them (default 2)\n"
  "  -h, --help      this help\n"
  "Each line of a rank is shown with its number in front. The first rank that fails is shown first; its status is\n"
  "the status of thrun, 128 + N for signal N.\n";
static void show_usage(FILE *f) { fprintf(f, usage, TH_DIST_SECONDS); }

static const double SETTLE = 0.3;       /* seconds in which the other ranks report what they saw of a failure */
static const double HOLD = 0.15;        /* seconds that lines of standard error wait: consequences of an error come later */

typedef struct options {
  int    size, threads, restarts, spare, script, unbound;
  double grace, patience;               /* seconds */
  const char *deadline, *commit, *hosts, *hostfile;
  int    sized;                         /* -n was given */
} options;

typedef struct rank {
  pid_t pid;                            /* 0: it has ended */
  int   status;
  int   order;                          /* of the ranks that failed by themselves: 1 is the first */
  int   stopped;                        /* by a signal */
  double asleep;                        /* seconds that it was stopped while thrun was not */
  lines out, err;
} rank;

typedef struct job {
  const options *o;
  rank *r;
  th_job_head *head;
  char  secret[33];
  int   fd, left, failed, again;
  int   asked, killed;                  /* the others were asked to end, or killed */
  double since;                         /* of the first failure or interruption */
  double looked;                        /* when stopped ranks were last checked */
} job;

static reaper guard;
static volatile sig_atomic_t interrupts, interrupt;      /* how many signals came, and the first one */
static void on_interrupt(int signal)
{
  if (!interrupts++) interrupt = signal;
}
static void on_child(int signal) { (void)signal; }

static int fail(const char *what)
{
  fprintf(stderr, "thrun: %s: %s\n", what, strerror(errno));
  return 1;
}

/* ---- options ---- */

static int cores(void)
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static int wrong(const char *option, const char *wish, const char *got)
{
  fprintf(stderr, "thrun: %s must be %s, got '%s'\n", option, wish, got);
  return 0;
}

static int whole(const char *option, const char *text, int lo, int hi, int *out)
{
  char *end, wish[64];
  errno = 0;
  const long v = strtol(text, &end, 10);
  snprintf(wish, sizeof wish, "a whole number in %d..%d", lo, hi);
  if (errno || end == text || *end || v < lo || v > hi) return wrong(option, wish, text);
  *out = (int)v;
  return 1;
}

static int seconds(const char *option, const char *text, double *out)
{
  char *end;
  const double v = strtod(text, &end);
  if (end == text || *end || !(v > 0 && v < 1e9)) return wrong(option, "a positive number of seconds", text);
  *out = v;
  return 1;
}

static int set_option(options *o, const char *name, const char *value)
{
  if (strcmp(name, "-n") == 0) o->sized = 1;
  if (strcmp(name, "-n") == 0) return whole(name, value, 1, TH_MAXRANK, &o->size);
  if (strcmp(name, "--threads") == 0) return whole(name, value, 1, 256, &o->threads);
  if (strcmp(name, "--restarts") == 0) return whole(name, value, 0, 1000000, &o->restarts);
  if (strcmp(name, "--spare") == 0) return whole(name, value, 0, TH_MAXRANK, &o->spare);
  if (strcmp(name, "--grace") == 0) return seconds(name, value, &o->grace);
  if (strcmp(name, "--deadline") == 0) {
    o->deadline = value;
    return seconds(name, value, &o->patience);
  }
  if (strcmp(name, "--hosts") == 0) {
    o->hosts = value;
    const int right = *value && *value != '-' && !strchr(value, ' ') && !strstr(value, ",-");
    return right ? 1 : wrong(name, "a list such as a:2,b:2", value);
  }
  if (strcmp(name, "--hostfile") == 0) {
    o->hostfile = value;
    return access(value, R_OK) == 0 ? 1 : wrong(name, "the name of a file that can be read", value);
  }
  o->commit = value;
  return *value ? 1 : wrong(name, "the name of a folder", value);
}

/* Returns 0 after it has reported an error. */
static int read_options(int argc, char **argv, options *o)
{
  static const char *const names[] = { "-n", "--threads", "--restarts", "--grace", "--deadline", "--spare", "--commit", "--hosts",
                                       "--hostfile" };
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i += 2) {
    size_t k = 0;
    if (strcmp(argv[i], "--") == 0) break;
    if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
      show_usage(stdout);
      exit(0);
    }
    if (strcmp(argv[i], "--no-bind") == 0) {
      o->unbound = 1;
      i--;
      continue;
    }
    while (k < sizeof names / sizeof *names && strcmp(argv[i], names[k]) != 0) k++;
    const int known = k < sizeof names / sizeof *names;
    if (!known || i + 1 == argc) {
      fprintf(stderr, "thrun: %s: %s\n", argv[i],
              known ? "an argument must follow" : "unknown option");
      show_usage(stderr);
      return 0;
    }
    if (!set_option(o, argv[i], argv[i + 1])) return 0;
  }
  if ((o->hosts && o->hostfile) || ((o->hosts || o->hostfile) && o->spare)) {
    fprintf(stderr, "thrun: --hosts goes neither with --hostfile nor with --spare\n");
    return 0;
  }
  if (o->spare >= o->size) {
    fprintf(stderr, "thrun: --spare must be less than the number of ranks, %d, got %d\n", o->size, o->spare);
    return 0;
  }
  o->script = i;
  if (i + (i < argc && strcmp(argv[i], "--") == 0) < argc) return 1;
  fputs("thrun: no script given\n", stderr);
  show_usage(stderr);
  return 0;
}

/* ---- starting ---- */

/* The path of th, in the folder of this program. */
static void find_th(char th[PATH_MAX])
{
  char *slash = program_path(th) ? strrchr(th, '/') : NULL;
  strcpy(slash ? slash + 1 : th, "th");
}

static void set_number(const char *name, int value)
{
  char text[16];
  snprintf(text, sizeof text, "%d", value);
  setenv(name, text, 1);
}

static void set_environment(const job *j, int number)
{
  set_number("TH_DIST_RANK", number);
  set_number("TH_DIST_LOCAL_RANK", number);
  set_number("TH_DIST_SIZE", j->o->size);
  set_number("TH_DIST_FD", j->fd);
  set_number("TH_DIST_RESTART", j->again);
  setenv("TH_DIST_SECRET", j->secret, 1);
  if (j->o->deadline) setenv("TH_DIST_DEADLINE", j->o->deadline, 1);
  if (j->o->commit) setenv("TH_DIST_COMMIT", j->o->commit, 1);
  const int share = cores() / j->o->size;
  set_number("TH_DIST_CORES", cores());
  if (j->o->threads) set_number("TH_NUM_THREADS", j->o->threads);
  else if (!th_environment("TH_NUM_THREADS")) set_number("TH_NUM_THREADS", share > 1 ? share : 1);
}

/* Binds the rank to its share of the processors. Otherwise the system may run two ranks that wait
 * for each other on one processor. */
static void bind_rank(const options *o, int number)
{
  cpu_set_t all, mine;
  const int share = cores() / o->size;
  if (o->unbound || share < 1 || sched_getaffinity(0, sizeof all, &all) != 0) return;
  CPU_ZERO(&mine);
  for (int cpu = 0, at = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &all)) continue;
    if (at / share == number) CPU_SET(cpu, &mine);
    at++;
  }
  sched_setaffinity(0, sizeof mine, &mine);
}

/* In the child: a separate process group, which dies with thrun. Only thrun reads the terminal. */
static void become(const job *j, int number, pid_t parent, int out, int err, char **argv)
{
  char th[PATH_MAX], *const program = argv[j->o->script];
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  if (number > 0 || isatty(0)) {
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    close(null);
  }
  dup2(out, 1);
  dup2(err, 2);
  set_environment(j, number);
  bind_rank(j->o, number);
  signal(SIGPIPE, SIG_DFL);
  if (strcmp(program, "--") == 0) {
    execvp(argv[j->o->script + 1], argv + j->o->script + 1);
    fprintf(stderr, "thrun: cannot run %s: %s\n", argv[j->o->script + 1], strerror(errno));
  } else {
    find_th(th);
    argv[j->o->script - 1] = th;
    execv(th, argv + j->o->script - 1);
    fprintf(stderr, "thrun: cannot run %s: %s\n", th, strerror(errno));
  }
  _exit(127);
}

static int close_all(const int *fd, int n, const char *why)
{
  const int reason = errno;
  while (n--) if (fd[n] >= 0) close(fd[n]);
  errno = reason;
  return fail(why);
}

static int start(job *j, int number, char **argv)
{
  rank *r = &j->r[number];
  int fd[4] = { -1, -1, -1, -1 }, *const out = fd, *const err = fd + 2;
  const pid_t parent = getpid();
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return close_all(fd, 4, "cannot make a pipe");
  r->pid = fork();
  if (r->pid < 0) {
    r->pid = 0;
    return close_all(fd, 4, "cannot start a process");
  }
  if (r->pid == 0) become(j, number, parent, out[1], err[1], argv);
  guard.group[number] = r->pid;
  setpgid(r->pid, r->pid);              /* parent and child both call it, because either may run first */
  close(out[1]);
  close(err[1]);
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  fcntl(err[0], F_SETFL, O_NONBLOCK);
  r->out = (lines){ .from = out[0], .to = 1, .rank = number };
  r->err = (lines){ .from = err[0], .to = 2, .rank = number, .held = 1 };
  j->left++;
  return 0;
}

static int make_memory(job *j)
{
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return fail("no random numbers");
  for (int i = 0; i < 16; i++) snprintf(j->secret + 2 * i, 3, "%02x", bytes[i]);
  j->fd = memfd_create("cresset-job", 0);
  if (j->fd < 0 || ftruncate(j->fd, sizeof *j->head) != 0) return fail("cannot make shared memory");
  j->head = mmap(NULL, sizeof *j->head, PROT_READ | PROT_WRITE, MAP_SHARED, j->fd, 0);
  return j->head == MAP_FAILED ? fail("cannot map shared memory") : 0;
}

/* ---- watching ---- */

static void signal_all(const job *j, int signal)
{
  for (int i = 0; i < j->o->size; i++) if (j->r[i].pid) kill(-j->r[i].pid, signal);
}

/* Reads all pipes once; waits at most `ms`. */
static void read_all(job *j, int ms)
{
  struct pollfd p[2 * TH_MAXRANK];
  lines *of[2 * TH_MAXRANK];
  nfds_t n = 0;
  for (int i = 0; i < j->o->size; i++) {
    lines *both[2] = { &j->r[i].out, &j->r[i].err };
    for (int k = 0; k < 2; k++) {
      if (both[k]->from < 0) continue;
      p[n] = (struct pollfd){ .fd = both[k]->from, .events = POLLIN };
      of[n++] = both[k];
    }
  }
  if (poll(p, n, ms) <= 0) return;
  for (nfds_t i = 0; i < n; i++) {
    if (!p[i].revents) continue;
    lines_read(of[i]);
    if (!of[i]->held) lines_show(of[i], of[i]->from < 0);
  }
}

static void show_held(job *j)
{
  for (int i = 0; i < j->o->size; i++) {
    lines *l = &j->r[i].err;
    if (l->size && lines_now() - l->since > HOLD) lines_show(l, l->from < 0);
  }
}

static void reap(job *j)
{
  int status;
  for (int i = 0; i < j->o->size; i++) {
    rank *r = &j->r[i];
    if (!r->pid || waitpid(r->pid, &status, WNOHANG | WUNTRACED | WCONTINUED) <= 0) continue;
    r->stopped = WIFSTOPPED(status);
    if (r->stopped || WIFCONTINUED(status)) continue;
    kill(-r->pid, SIGKILL);             /* what the rank has started and left running */
    guard.group[i] = r->pid = 0;
    r->status = status;
    j->left--;
    if (status && !j->asked && !r->order) r->order = ++j->failed;
  }
}

/* A stopped rank is late, and the other ranks report it. If all remaining ranks are stopped, none
 * can, so thrun reports it. */
static void look_after_stopped(job *j)
{
  const double now = lines_now(), passed = j->looked ? now - j->looked : 0;
  int stopped = 0;
  j->looked = now;
  for (int i = 0; i < j->o->size; i++) stopped += j->r[i].pid && j->r[i].stopped;
  if (!stopped || stopped < j->left || j->since) return;
  for (int i = 0; i < j->o->size; i++) {
    rank *r = &j->r[i];
    if (!r->pid) continue;
    r->asleep += passed < 0.1 ? passed : 0.1;          /* thrun may have been stopped too */
    if (r->asleep < j->o->patience) continue;
    fprintf(stderr, "thrun: rank %d has not ended within %g s: its process %d is stopped\n", i, j->o->patience, r->pid);
    r->order = ++j->failed;
    kill(-r->pid, SIGKILL);
  }
}

/* Whether the remaining ranks cannot continue: too many have failed, or the job is broken, where
 * spare ranks do not help. */
static int is_over(const job *j)
{
  return j->failed > j->o->spare || (j->failed && __atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE));
}

/* Ends the others some time after the first failure, or at an interruption. */
static void end_others(job *j)
{
  if ((interrupts || is_over(j)) && !j->since) j->since = lines_now();
  if (!j->since || !j->left) return;
  const double waited = lines_now() - j->since;
  if (!j->asked && (interrupts || waited > SETTLE)) {
    j->asked = 1;
    signal_all(j, interrupts ? SIGINT : SIGTERM);
  }
  if (!j->killed && (waited > SETTLE + j->o->grace || interrupts > 1)) {
    j->killed = 1;
    signal_all(j, SIGKILL);
  }
}

static void watch(job *j)
{
  while (j->left) {
    read_all(j, 20);
    reap(j);
    look_after_stopped(j);
    if (!j->since) show_held(j);
    end_others(j);
  }
  for (int i = 0; i < 50; i++) read_all(j, 0);       /* what is left in the pipes; other processes may hold them open */
}

/* ---- the result ---- */

/* The rank that failed first: the one that the others blame, if it failed by itself. */
static int first_failed(const job *j)
{
  const int blamed = __atomic_load_n(&j->head->broken, __ATOMIC_ACQUIRE) == 2 ? j->head->culprit : -1;
  if (blamed >= 0 && blamed < j->o->size && j->r[blamed].order) return blamed;
  for (int i = 0; i < j->o->size; i++) if (j->r[i].order == 1) return i;
  return -1;
}

static int tell(const job *j, int first)
{
  const int status = j->r[first].status;
  if (WIFSIGNALED(status)) {
    fprintf(stderr, "thrun: rank %d was killed by signal %d (%s)\n", first, WTERMSIG(status), strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
  }
  fprintf(stderr, "thrun: rank %d ended with status %d\n", first, WEXITSTATUS(status));
  return WEXITSTATUS(status);
}

static int finish(job *j)
{
  const int first = first_failed(j);
  int status = 0;
  if (first >= 0) {
    lines_show(&j->r[first].out, 1);
    lines_show(&j->r[first].err, 1);
    status = tell(j, first);
    if (!j->since) {
      fputs("thrun: the other ranks continued without it\n", stderr);
      status = 0;
    }
  }
  for (int i = 0; i < j->o->size; i++) {
    lines_show(&j->r[i].out, 1);
    lines_show(&j->r[i].err, 1);
    lines_free(&j->r[i].out);
    lines_free(&j->r[i].err);
  }
  munmap(j->head, sizeof *j->head);
  close(j->fd);
  if (!interrupts) return status;
  fprintf(stderr, "thrun: interrupted\n");
  return 128 + interrupt;
}

static int run(const options *o, int again, char **argv)
{
  rank r[TH_MAXRANK] = { 0 };
  job j = { .o = o, .r = r, .again = again };
  if (make_memory(&j)) return 1;
  int started = 0;
  for (int i = 0; i < o->size; i++) r[i].out.from = r[i].err.from = -1;
  while (started < o->size && start(&j, started, argv) == 0) started++;
  if (started < o->size) {
    signal_all(&j, SIGKILL);
    j.asked = j.killed = 1;             /* the ranks that run have not failed by themselves */
  }
  watch(&j);
  const int status = finish(&j);
  return started < o->size ? 1 : status;
}

/* The same for several hosts. */
static int run_hosts(const options *o, int again, char **argv)
{
  char th[PATH_MAX];
  const int program = strcmp(argv[o->script], "--") == 0;
  find_th(th);
  if (!program) argv[o->script - 1] = th;
  const hosts_job j = { .list = o->hosts, .file = o->hostfile, .size = o->sized ? o->size : 0, .threads = o->threads,
                        .again = again, .grace = o->grace, .deadline = o->deadline, .commit = o->commit,
                        .command = argv + o->script + (program ? 1 : -1), .interrupts = &interrupts };
  return hosts_run(&j);
}

static void catch(int signal, void (*handler)(int))
{
  struct sigaction a = { .sa_handler = handler };
  sigaction(signal, &a, NULL);
}

/* Opens closed standard streams, so that no pipe gets their descriptors. */
static void open_streams(void)
{
  int fd;
  do fd = open("/dev/null", O_RDWR);
  while (fd >= 0 && fd < 3);
  if (fd >= 0) close(fd);
}

int main(int argc, char **argv)
{
  const int most = cores() < TH_MAXRANK ? cores() : TH_MAXRANK;
  options o = { .size = most, .grace = 2, .patience = TH_DIST_SECONDS };
  open_streams();
  if (!read_options(argc, argv, &o)) return 2;
  if (reaper_start(&guard, o.size) != 0) return fail("cannot start a process");
  catch(SIGINT, on_interrupt);
  catch(SIGTERM, on_interrupt);
  catch(SIGHUP, on_interrupt);
  catch(SIGCHLD, on_child);
  catch(SIGPIPE, SIG_IGN);
  int (*const once)(const options *, int, char **) = o.hosts || o.hostfile ? run_hosts : run;
  int status = once(&o, 0, argv);
  for (int again = 1; status && !interrupts && again <= o.restarts; again++) {
    fprintf(stderr, "thrun: restart %d of %d\n", again, o.restarts);
    status = once(&o, again, argv);
  }
  reaper_stop(&guard);
  return status;
}
