/* hosts.c - starts mpirun, puts ranks' numbers before their lines, and ends the job when a rank fails. mpirun would end all at
 * the first failure, and nobody would hear what the others saw of it: so it is told to go on, and the shell that starts each
 * rank says how that has ended. */
#include "hosts.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lines.h"

extern char **environ;

enum { MOST = 4096 };
static const double SETTLE = 1;         /* seconds in which the other ranks say what they saw of a failure */
static const char each[] =
  "if [ -z \"$TH_NUM_THREADS\" ]; then n=$(($(nproc) / ${OMPI_COMM_WORLD_LOCAL_SIZE:-1})); [ $n -ge 1 ] || n=1; "
  "export TH_NUM_THREADS=$n; fi; \"$@\"; s=$?; [ $s = 0 ] || echo \"thrun: rank ended: $OMPI_COMM_WORLD_RANK $s\" >&2; exit $s";

typedef struct watch {
  pid_t  pid;
  int    first, status;             /* the rank that failed first, -1: none; its status */
  double since;
  int    asked;                     /* to end: 1; killed: 2 */
} watch;

/* ---- the command ---- */

typedef struct words { char *w[MOST]; int n; } words;

static void add(words *c, const char *text) { if (c->n < MOST - 1) c->w[c->n++] = strdup(text); }
static void add_two(words *c, const char *a, const char *b)
{
  add(c, a);
  add(c, b);
}

static void set_number(const char *name, int value)
{
  char text[16];
  snprintf(text, sizeof text, "%d", value);
  setenv(name, text, 1);
}

static int set_environment(const hosts_job *j)
{
  unsigned char bytes[16];
  char secret[33];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return 0;
  for (int i = 0; i < 16; i++) snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
  setenv("TH_DIST_SECRET", secret, 1);
  set_number("TH_DIST_RESTART", j->again);
  if (j->deadline) setenv("TH_DIST_DEADLINE", j->deadline, 1);
  if (j->commit) setenv("TH_DIST_COMMIT", j->commit, 1);
  if (j->threads) set_number("TH_NUM_THREADS", j->threads);
  return 1;
}

static void fill(words *c, const hosts_job *j)
{
  char text[64];
  add(c, "mpirun");
  add(c, "--tag-output");
  add(c, "--enable-recovery");
  add_two(c, "--bind-to", "none");
  if (geteuid() == 0) add(c, "--allow-run-as-root");       /* who starts thrun as root has said so */
  if (j->list) add_two(c, "-H", j->list);
  if (j->file) add_two(c, "--hostfile", j->file);
  if (j->size) {
    snprintf(text, sizeof text, "%d", j->size);
    add_two(c, "-n", text);
  }
  for (char **e = environ; *e; e++) {
    char name[128];
    const size_t n = strcspn(*e, "=");
    if (strncmp(*e, "TH_", 3) != 0 || n >= sizeof name) continue;
    memcpy(name, *e, n);
    name[n] = 0;
    add_two(c, "-x", name);
  }
  add_two(c, "sh", "-c");
  add_two(c, each, "sh");
  for (int i = 0; j->command[i]; i++) add(c, j->command[i]);
  c->w[c->n] = NULL;
}

static void become(const hosts_job *j, int out, int err)
{
  static words c;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  dup2(out, 1);
  dup2(err, 2);
  if (!set_environment(j)) _exit(1);
  fill(&c, j);
  execvp(c.w[0], c.w);
  fprintf(stderr, "thrun: a job on several hosts needs Open MPI's mpirun: %s\n", strerror(errno));
  _exit(127);
}

/* ---- what it writes ---- */

/* "[1,3]<stdout>:text": rank 3. What mpirun itself writes has no such head. */
static const char *head_of(const char *line, int *rank)
{
  int at = 0;
  if (sscanf(line, "[%*[^,],%d]<std%*[a-z]>:%n", rank, &at) == 1 && at) return line + at;
  return NULL;
}

static void show(watch *w, const char *line, int to)
{
  int rank = -1, of, status;
  const char *text = head_of(line, &rank);
  if (text && sscanf(text, " thrun: rank ended: %d %d", &of, &status) == 2) {
    if (w->first < 0) {
      w->first = of;
      w->status = status;
      w->since = lines_now();
    }
  } else if (text) {
    dprintf(to, "[%d] %s\n", rank, text);
  } else if (!strstr(line, "PMIX ERROR: BAD-PARAM in file")) {       /* mpirun finds nobody to tell of an end */
    dprintf(to, "%s\n", line);
  }
}

static void show_lines(watch *w, lines *l)
{
  size_t at = 0;
  while (at < l->size) {
    char *end = memchr(l->text + at, '\n', l->size - at);
    if (!end && l->from >= 0) break;
    char *line = strndup(l->text + at, end ? (size_t)(end - l->text) - at : l->size - at);
    if (line) show(w, line, l->to);
    free(line);
    at = end ? (size_t)(end - l->text) + 1 : l->size;
  }
  memmove(l->text, l->text + at, l->size - at);
  l->size -= at;
}

/* ---- watching ---- */

static void end_job(const hosts_job *j, watch *w)
{
  if (*j->interrupts && !w->since) w->since = lines_now();
  if (!w->since) return;
  const double waited = lines_now() - w->since;
  if (w->asked == 0 && (*j->interrupts || waited > SETTLE + j->grace)) {
    w->asked = 1;
    kill(-w->pid, *j->interrupts ? SIGINT : SIGTERM);
  }
  if (w->asked == 1 && (*j->interrupts > 1 || waited > 2 * (SETTLE + j->grace) + 3)) {
    w->asked = 2;
    kill(-w->pid, SIGKILL);
  }
}

static int finish(const watch *w, int status)
{
  if (w->first >= 0 && w->status > 128) {
    fprintf(stderr, "thrun: rank %d was killed by signal %d (%s)\n", w->first, w->status - 128, strsignal(w->status - 128));
  } else if (w->first >= 0) {
    fprintf(stderr, "thrun: rank %d ended with status %d\n", w->first, w->status);
  }
  if (w->first >= 0) return w->status;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int failed(const char *what)
{
  fprintf(stderr, "thrun: %s: %s\n", what, strerror(errno));
  return 1;
}

int hosts_run(const hosts_job *j)
{
  int out[2], err[2], status = 0;
  watch w = { .first = -1 };
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return failed("cannot make a pipe");
  w.pid = fork();
  if (w.pid < 0) return failed("cannot start a process");
  if (w.pid == 0) become(j, out[1], err[1]);
  setpgid(w.pid, w.pid);
  close(out[1]);
  close(err[1]);
  fcntl(out[0], F_SETFL, O_NONBLOCK);
  fcntl(err[0], F_SETFL, O_NONBLOCK);
  lines l[2] = { { .from = out[0], .to = 1 }, { .from = err[0], .to = 2 } };
  for (int ended = 0; !ended;) {
    struct pollfd p[2] = { { .fd = l[0].from, .events = POLLIN }, { .fd = l[1].from, .events = POLLIN } };
    ended = waitpid(w.pid, &status, WNOHANG) == w.pid;
    poll(p, 2, ended ? 0 : 50);
    for (int i = 0; i < 2; i++) {
      while (l[i].from >= 0 && p[i].revents) {
        const size_t before = l[i].size;
        if (!lines_read(&l[i]) || l[i].size == before) break;
        show_lines(&w, &l[i]);
      }
    }
    end_job(j, &w);
  }
  for (int i = 0; i < 2; i++) {
    if (l[i].from >= 0) close(l[i].from);
    l[i].from = -1;
    show_lines(&w, &l[i]);
    lines_free(&l[i]);
  }
  if (*j->interrupts) {
    fprintf(stderr, "thrun: interrupted\n");
    return 130;
  }
  return finish(&w, status);
}
