/* lib/tune/tune.c - measured times of the convolution engines: a table, and a plain text file with its contents.
 *
 * A file is for one CPU, level and version, which its name and first lines identify. Each further line is a shape: threads (or
 * the model of a device and its libraries in quotes), pass, dtype, the numbers of th_conv_shape, a colon, and each engine with
 * its nanoseconds. For passes of other ops, gemm stands for our own kernels. A process replaces the whole file under a lock,
 * after merging what other processes have added.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "tune.h"

enum {
  NUMBERS = offsetof(th_conv_shape, pass) / sizeof(int64_t),        /* the number of numbers in a shape */
  MOST_BYTES = 16 << 20, MOST_PATH = 4000, MOST_HEAD = 400, MOST_MODELS = 64, MOST_NAME = 256
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static th_conv_times *table;                        /* open addressing; threads is 0 in a free place */
static size_t count, places;
static char folder[MOST_PATH], file[MOST_PATH + 64], head[MOST_HEAD], trouble[MOST_PATH + 200];
static char models[MOST_MODELS][MOST_NAME];         /* of devices; threads -1 is the first one */
static int on;

/* ---- the table ------------------------------------------------------------------------------- */

static const int64_t *numbers(const th_conv_shape *s) { return (const int64_t *)(const void *)s; }

uint64_t th_conv_hash(const th_conv_shape *s, uint64_t start)
{
  uint64_t h = th_conv_mixed(th_conv_mixed(start, (uint64_t)s->pass), (uint64_t)s->dtype);
  for (int i = 0; i < NUMBERS; i++) h = th_conv_mixed(h, (uint64_t)numbers(s)[i]);
  return h;
}

static size_t place_of(const th_conv_times *t) { return (size_t)th_conv_hash(&t->s, (uint64_t)t->threads) & (places - 1); }

/* The value of `threads` for a device model whose name has n bytes; 0 if there are too many models. */
static int32_t model_of(const char *name, size_t n)
{
  char clean[MOST_NAME] = { 0 };
  for (size_t i = 0; i < n && i < MOST_NAME - 1; i++) clean[i] = name[i] == '"' || (uint8_t)name[i] < ' ' ? '_' : name[i];
  for (int i = 0; i < MOST_MODELS && clean[0]; i++) {
    if (!models[i][0]) memcpy(models[i], clean, MOST_NAME);
    if (strcmp(models[i], clean) == 0) return -1 - i;
  }
  return 0;
}

static int32_t threads_of(const th_conv_shape *s)
{
  const char *model = th_conv_model(s->device);
  return s->device == TH_CPU ? th_threads() : model ? model_of(model, strlen(model)) : 0;
}

static bool same(const th_conv_times *a, const th_conv_times *b)
{
  return a->threads == b->threads && a->s.pass == b->s.pass && a->s.dtype == b->s.dtype &&
         memcmp(&a->s, &b->s, NUMBERS * sizeof(int64_t)) == 0;
}

/* The place of t's shape, or the free place for it. The table always has free places. */
static th_conv_times *seek(const th_conv_times *t)
{
  size_t i = place_of(t);
  while (table[i].threads && !same(&table[i], t)) i = (i + 1) & (places - 1);
  return &table[i];
}

static bool grow(void)
{
  th_conv_times *const old = table;
  const size_t before = places;
  th_conv_times *const room = calloc(before ? 2 * before : 64, sizeof *room);
  if (!room) return false;
  table = room;
  places = before ? 2 * before : 64;
  for (size_t i = 0; i < before; i++) if (old[i].threads) *seek(&old[i]) = old[i];
  free(old);
  return true;
}

/* Stores t; without memory it is dropped. */
static void put(const th_conv_times *t)
{
  if (!t->threads || (2 * (count + 1) > places && !grow())) return;
  th_conv_times *const to = seek(t);
  if (!to->threads) count++;
  *to = *t;
}

/* Whether t has times of exactly those engines that support the shape. */
static bool complete(const th_conv_times *t, const th_conv_shape *s)
{
  for (int i = 0; i < TH_CONV_MOST; i++) if ((t->ns[i] > 0) != th_conv_does(s, i)) return false;
  return true;
}

static bool find(th_conv_times *t, const th_conv_shape *s)
{
  *t = (th_conv_times){ .s = *s, .threads = threads_of(s) };
  if (!places || !t->threads) return false;
  const th_conv_times *const found = seek(t);
  if (!found->threads || !complete(found, s)) return false;
  *t = *found;
  t->s.device = s->device;
  return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void say(const char *what, const char *why) { snprintf(trouble, sizeof trouble, "%s %s: %s", file, what, why); }

static void read_cpu(char *name, size_t size)
{
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  snprintf(name, size, "unknown");
  while (f && fgets(line, sizeof line, f)) {
    if (strncmp(line, "model name", 10) != 0 || !strstr(line, ": ")) continue;
    snprintf(name, size, "%.100s", strstr(line, ": ") + 2);
    name[strcspn(name, "\n")] = 0;
    break;
  }
  if (f) fclose(f);
}

/* Sets the first lines of the file, and its name, which is a hash of them. */
static void set_file(const char *where)
{
  char cpu[128];
  uint64_t h = 0;
  read_cpu(cpu, sizeof cpu);
  snprintf(head, sizeof head, "times of convolution, in nanoseconds: 1\ncpu %s\nlevel %s\nversion %s\n", cpu, th_cpu_level(),
    th_build(TH_BUILD_VERSION));
  for (const char *c = head; *c; c++) h = th_conv_mixed(h, (uint8_t)*c);
  snprintf(folder, sizeof folder, "%s", where);
  snprintf(file, sizeof file, "%s/conv-%016" PRIx64 ".txt", folder, h);
}

/* Reads a non-negative integer and the byte after it. */
static bool take(const char **at, int64_t *to, char end)
{
  char *next;
  if (**at < '0' || **at > '9') return false;
  errno = 0;
  *to = strtoll(*at, &next, 10);
  if (errno || *next != end) return false;
  *at = next + 1;
  return true;
}

static int engine_of(const char *name, size_t n)
{
  for (int i = 0; th_conv_engine_known(i); i++) {
    if (strlen(th_conv_engine_known(i)) == n && memcmp(th_conv_engine_known(i), name, n) == 0) return i;
  }
  return -1;
}

/* Reads a number of threads, or a model in quotes. */
static bool take_threads(const char **at, int32_t *threads)
{
  int64_t n;
  if (**at != '"') {
    if (!take(at, &n, ' ') || n < 1 || n > INT32_MAX) return false;
    *threads = (int32_t)n;
    return true;
  }
  const char *const name = *at + 1, *const end = strstr(name, "\" ");
  if (!end) return false;
  *threads = model_of(name, (size_t)(end - name));
  *at = end + 2;
  return *threads != 0;
}

/* Reads a line that write_record wrote; skips unknown engines. */
static bool read_record(th_conv_times *t, const char *at)
{
  int64_t v[2], number;
  *t = (th_conv_times){ 0 };
  if (!take_threads(&at, &t->threads)) return false;
  for (int i = 0; i < 2; i++) if (!take(&at, &v[i], ' ') || v[i] > INT16_MAX) return false;
  t->s.pass = (int32_t)v[0], t->s.dtype = (int16_t)v[1];
  for (int i = 0; i < NUMBERS; i++) {
    if (!take(&at, &number, ' ')) return false;
    memcpy((char *)&t->s + (size_t)i * sizeof number, &number, sizeof number);
  }
  if (*at++ != ':') return false;
  while (*at == ' ') {
    const char *const name = ++at;
    at += strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");
    const int i = engine_of(name, (size_t)(at - name));
    if (at == name || *at++ != ' ') return false;
    const size_t digits = strspn(at, "0123456789");
    if (digits < 1 || digits > 18) return false;
    if (i >= 0) t->ns[i] = strtoll(at, NULL, 10);
    at += digits;
  }
  return *at == 0;
}

static void write_record(FILE *f, const th_conv_times *t)
{
  for (int i = 0; i < TH_CONV_MOST; i++) if (t->ns[i] == INT64_MAX) return;     /* another run may have enough */
  if (t->threads < 0) fprintf(f, "\"%s\" ", models[-1 - t->threads]);
  else fprintf(f, "%d ", t->threads);
  fprintf(f, "%d %d ", t->s.pass, t->s.dtype);
  for (int i = 0; i < NUMBERS; i++) fprintf(f, "%" PRId64 " ", numbers(&t->s)[i]);
  fputc(':', f);
  for (int i = 0; i < TH_CONV_MOST; i++) if (t->ns[i]) fprintf(f, " %s %" PRId64, th_conv_engine_known(i), t->ns[i]);
  fputc('\n', f);
}

/* Reads all lines of a text and modifies it; with `keep`, stores them in the table. */
static bool read_text(char *text, size_t n, bool keep)
{
  const size_t first = strlen(head);
  th_conv_times t;
  if (memchr(text, 0, n) || n < first || memcmp(text, head, first) != 0 || text[n - 1] != '\n') return false;
  for (char *line = text + first, *end; line < text + n; line = end + 1) {
    end = strchr(line, '\n');
    *end = 0;
    const bool good = read_record(&t, line);
    *end = '\n';
    if (!good) return false;
    if (keep) put(&t);
  }
  return true;
}

static void read_file(void)
{
  struct stat st;
  const int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    if (errno != ENOENT && errno != ENOTDIR) say("cannot be read", strerror(errno));
    return;
  }
  char *text = NULL;
  size_t n = 0;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES && (text = malloc((size_t)st.st_size + 1))) {
    for (ssize_t got; n < (size_t)st.st_size && (got = read(fd, text + n, (size_t)st.st_size - n)) > 0;) n += (size_t)got;
    text[n] = 0;
    if (read_text(text, n, false)) read_text(text, n, true);
    else say("is passed over", "it is damaged");
  } else {
    say("is passed over", "it is no file of times");
  }
  free(text);
  close(fd);
}

static void make_folder(void)
{
  char path[MOST_PATH + 2];
  snprintf(path, sizeof path, "%s/", folder);
  for (char *c = path + 1; (c = strchr(c, '/')); c++) {
    *c = 0;
    mkdir(path, 0700);
    *c = '/';
  }
}

/* Another process holds the lock only briefly; after half a second we write without it. */
static int lock_file(void)
{
  char path[sizeof file + 8];
  snprintf(path, sizeof path, "%s.lock", file);
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  for (int i = 0; fd >= 0 && i < 50 && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
    nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
  }
  return fd;
}

static bool write_table(const char *path)
{
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  FILE *const f = fd < 0 ? NULL : fdopen(fd, "w");
  if (!f) return false;
  fputs(head, f);
  for (size_t i = 0; i < places; i++) if (table[i].threads) write_record(f, &table[i]);
  const bool good = fflush(f) == 0 && !ferror(f) && fsync(fd) == 0;
  return fclose(f) == 0 && good;
}

static void write_file(void)
{
  char path[sizeof file + 32];
  make_folder();
  const int fd = lock_file();
  read_file();                                      /* times that another process has stored win */
  trouble[0] = 0;
  snprintf(path, sizeof path, "%s.%ld", file, (long)getpid());
  unlink(path);
  if (!write_table(path) || rename(path, file) != 0) {
    say("cannot be written", strerror(errno));
    unlink(path);
  }
  if (fd >= 0) close(fd);
}

/* ---- the interface --------------------------------------------------------------------------- */

int32_t th_conv_threads(const th_conv_shape *s)
{
  pthread_mutex_lock(&lock);
  const int32_t threads = threads_of(s);
  pthread_mutex_unlock(&lock);
  return threads;
}

bool th_conv_times_find(th_conv_times *t, const th_conv_shape *s)
{
  pthread_mutex_lock(&lock);
  const bool found = find(t, s);
  pthread_mutex_unlock(&lock);
  return found;
}

void th_conv_times_add(th_conv_times *t)
{
  pthread_mutex_lock(&lock);
  put(t);
  if (file[0]) write_file();
  th_conv_times now;
  if (find(&now, &t->s)) *t = now;
  pthread_mutex_unlock(&lock);
}

void th_conv_benchmark(int enable, const char *where)
{
  pthread_mutex_lock(&lock);
  free(table);
  table = NULL;
  count = places = 0;
  folder[0] = file[0] = trouble[0] = 0;
  if (enable && where && where[0] && strlen(where) < MOST_PATH) {
    set_file(where);
    read_file();
  }
  __atomic_store_n(&on, enable != 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}

int th_conv_benchmarks(void) { return __atomic_load_n(&on, __ATOMIC_RELAXED); }

const char *th_conv_times_file(void) { return file[0] ? file : NULL; }
const char *th_conv_times_trouble(void) { return trouble[0] ? trouble : NULL; }

double th_conv_measured(const th_conv_shape *s, int engine)
{
  th_conv_times t;
  if (!th_conv_benchmarks() || engine < 0 || engine >= TH_CONV_MOST || !th_conv_times_find(&t, s)) return 0;
  return t.ns[engine] == INT64_MAX ? 0 : (double)t.ns[engine] / 1e9;
}
