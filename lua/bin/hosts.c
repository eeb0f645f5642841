/* hosts.c - starts mpirun, puts ranks' numbers before their lines, and ends the job when a rank
 * fails. By default mpirun would end all ranks at the first failure, and what the others saw of it
 * would be lost. So it runs with --enable-recovery, and the shell that starts each rank reports its
 * exit status. */
#include "hosts.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../lib/comm/base/job.h"
#include "lines.h"

extern char **environ;

enum { KEY = 24 };
static const double SETTLE = 1;         /* seconds in which the other ranks report what they saw of a failure */
static const char before[] =
  "if [ -z \"$TH_NUM_THREADS\" ]; then n=$(($(nproc) / ${OMPI_COMM_WORLD_LOCAL_SIZE:-1})); [ $n -ge 1 ] || n=1; "
  "export TH_NUM_THREADS=$n; fi; ";

/* mpirun's daemon on a host that is cut off does not learn of the end. So the shell of a failed
 * rank watches it, identified by its start time, and kills it if it outlives mpirun. */
static const char watching[] =
  "born() { cut -d' ' -f22 /proc/$PPID/stat; }; b=$(born); "
  "(i=0; while [ $((i += 1)) -le %.0f ]; do sleep 0.5; [ \"$(born)\" = \"$b\" ] || exit; done; kill -9 $PPID) "
  "</dev/null >/dev/null 2>&1 & ";

typedef struct watch {
  char   key[KEY];                  /* marks reports of exit status or blame; random, so that no rank writes it by accident */
  pid_t  pid;
  int    first, blamed;             /* the first rank that failed, and the one that the others blame; -1: none */
  int    status[TH_MAXRANK];        /* of ranks that have failed */
  double since;
  int    asked;                     /* 1: asked to end; 2: killed */
} watch;

/* ---- seconds after a failure ---- */

static double when_asked(const hosts_job *j) { return SETTLE + j->grace; }           /* mpirun is asked to end all */
static double when_killed(const hosts_job *j) { return 2 * when_asked(j) + 3; }      /* mpirun itself */
static double when_left(const hosts_job *j) { return when_killed(j) + 2; }           /* daemons that mpirun cannot reach */

/* ---- the command ---- */

typedef struct words { char **w; int n; bool failed; } words;

static void take(words *c, char *text)
{
  c->failed = c->failed || !text;
  c->w[c->n++] = text;
}

static void add(words *c, const char *text) { take(c, strdup(text)); }
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

static int set_environment(const hosts_job *j, const char *key)
{
  unsigned char bytes[16];
  char secret[33];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return 0;
  for (int i = 0; i < 16; i++) snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
  setenv("TH_DIST_SECRET", secret, 1);
  setenv("TH_DIST_KEY", key, 1);
  set_number("TH_DIST_RESTART", j->again);
  if (j->deadline) setenv("TH_DIST_DEADLINE", j->deadline, 1);
  if (j->commit) setenv("TH_DIST_COMMIT", j->commit, 1);
  if (j->threads) set_number("TH_NUM_THREADS", j->threads);
  return 1;
}

/* The command of each rank's shell. It contains the script's arguments quoted, because mpirun might
 * interpret them as options. It reports the exit status twice, because mpirun may cut one line in
 * two. */
static char *shell_text(const hosts_job *j, const char *key)
{
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  fputs(before, f);
  for (int i = 0; j->command[i]; i++) {
    fputc('\'', f);
    for (const char *p = j->command[i]; *p; p++) *p == '\'' ? fputs("'\\''", f) : fputc(*p, f);
    fputs("' ", f);
  }
  fputs("; s=$?; [ $s = 0 ] && exit 0; ", f);
  fprintf(f, "for i in 1 2; do echo \"%s $OMPI_COMM_WORLD_RANK $s\" >&2; done; ", key);
  fprintf(f, watching, 2 * when_left(j));
  fputs("exit $s", f);
  const int failed = ferror(f);
  return fclose(f) == 0 && !failed ? text : NULL;
}

static bool fill(words *c, const hosts_job *j, const char *key)
{
  char text[64];
  int n = 24;
  for (char **e = environ; *e; e++) n += 2;
  c->w = calloc((size_t)n, sizeof *c->w);
  if (!c->w) return false;
  add(c, "mpirun");
  add(c, "--tag-output");
  add(c, "--enable-recovery");
  add_two(c, "--bind-to", "none");
  if (geteuid() == 0) add(c, "--allow-run-as-root");       /* thrun runs as root by choice of its user */
  if (j->list) add_two(c, "-H", j->list);
  if (j->file) add_two(c, "--hostfile", j->file);
  if (j->size) {
    snprintf(text, sizeof text, "%d", j->size);
    add_two(c, "-n", text);
  }
  for (char **e = environ; *e; e++) {
    if (strncmp(*e, "TH_", 3) != 0) continue;
    add(c, "-x");
    take(c, strndup(*e, strcspn(*e, "=")));
  }
  add_two(c, "sh", "-c");
  take(c, shell_text(j, key));
  return !c->failed;
}

static void become(const hosts_job *j, const char *key, int out, int err)
{
  words c = { 0 };
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  dup2(out, 1);
  dup2(err, 2);
  if (!set_environment(j, key)) _exit(1);
  if (!fill(&c, j, key)) {
    fputs("thrun: no memory left\n", stderr);
    _exit(1);
  }
  execvp(c.w[0], c.w);
  if (errno == E2BIG) {
    fputs("thrun: the script's arguments are too long for a job on several hosts\n", stderr);
    _exit(1);
  }
  fprintf(stderr, "thrun: a job on several hosts needs Open MPI's mpirun: %s\n", strerror(errno));
  _exit(127);
}

/* ---- what it writes ---- */

/* "[1,3]<stdout>:text": rank 3. Lines of mpirun itself have no such prefix. */
static const char *head_of(const char *text, int *rank)
{
  char *end;
  if (text[0] != '[' || text[1] < '0' || text[1] > '9') return NULL;
  strtol(text + 1, &end, 10);
  if (end[0] != ',' || end[1] < '0' || end[1] > '9') return NULL;
  const long of = strtol(end + 1, &end, 10);
  if (strncmp(end, "]<stdout>:", 10) != 0 && strncmp(end, "]<stderr>:", 10) != 0) return NULL;
  *rank = (int)of;
  return end + 10;
}

static bool is_rank(int rank) { return rank >= 0 && rank < TH_MAXRANK; }

/* Returns false if nothing of the text is left. */
static bool take_report(watch *w, char *line)
{
  int of = -1, status = 0, rank;
  char *report = strstr(line, w->key);
  if (!report) return true;
  const char *says = report + strlen(w->key);
  if (sscanf(says, " blames %d", &of) == 1 && is_rank(of)) {
    w->blamed = of;
  } else if (sscanf(says, "%d %d", &of, &status) == 2 && is_rank(of)) {
    w->status[of] = status;
    if (w->first < 0) {
      w->first = of;
      w->since = lines_now();
    }
  }
  *report = 0;
  const char *text = head_of(line, &rank);
  return text ? *text : *line;
}

static void show_text(watch *w, char *line, int to)
{
  int rank = -1;
  if (!take_report(w, line)) return;
  const char *text = head_of(line, &rank);
  if (text) {
    dprintf(to, "[%d] %s\n", rank, text);
  } else if (!strstr(line, "PMIX ERROR: BAD-PARAM in file")) {       /* mpirun cannot deliver a notice of an end */
    dprintf(to, "%s\n", line);
  }
}

/* mpirun puts a prefix before each piece that it receives, so a long line contains several. Output
 * of a rank without a final newline precedes the next rank's prefix. */
static void show(watch *w, char *line, int to)
{
  int rank = -1, of;
  head_of(line, &rank);
  for (char *at = *line ? strchr(line + 1, '[') : NULL; at;) {
    const char *text = head_of(at, &of);
    if (text && of == rank) {
      memmove(at, text, strlen(text) + 1);
      at = strchr(at, '[');
      continue;
    }
    if (text) {
      char *piece = strndup(line, (size_t)(at - line));
      if (piece) show_text(w, piece, to);
      free(piece);
      line = at;
      rank = of;
    }
    at = strchr(at + 1, '[');
  }
  show_text(w, line, to);
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
  if (w->asked == 0 && (*j->interrupts || waited > when_asked(j))) {
    w->asked = 1;
    kill(-w->pid, *j->interrupts ? SIGINT : SIGTERM);
  }
  if (w->asked == 1 && (*j->interrupts > 1 || waited > when_killed(j))) {
    w->asked = 2;
    kill(-w->pid, SIGKILL);
  }
}

/* A rank that learns of a failure may end before the failed rank does. The failed one counts, if it
 * ended by itself. */
static int finish(const watch *w, int status)
{
  const int first = w->blamed >= 0 && w->status[w->blamed] ? w->blamed : w->first;
  if (first < 0) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  const int its = w->status[first];
  if (its > 128) fprintf(stderr, "thrun: rank %d was killed by signal %d (%s)\n", first, its - 128, strsignal(its - 128));
  else fprintf(stderr, "thrun: rank %d ended with status %d\n", first, its);
  return its ? its : 1;
}

static int failed(const char *what)
{
  fprintf(stderr, "thrun: %s: %s\n", what, strerror(errno));
  return 1;
}

int hosts_run(const hosts_job *j)
{
  int out[2], err[2], status = 0;
  uint64_t word;
  watch w = { .first = -1, .blamed = -1 };
  if (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word) return failed("cannot get random bytes");
  snprintf(w.key, sizeof w.key, "thrun:%016llx", (unsigned long long)word);
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return failed("cannot make a pipe");
  w.pid = fork();
  if (w.pid < 0) return failed("cannot start a process");
  if (w.pid == 0) become(j, w.key, out[1], err[1]);
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
        const size_t had = l[i].size;
        if (!lines_read(&l[i]) || l[i].size == had) break;
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
