/* lib/tune/tune.c - measured times of work: a table, and a plain text file with its contents.
 *
 * A file is for one CPU, level and version, which its name and first lines identify. Each further line is a key: threads (or
 * the model of a device and its libraries in quotes), kind, dtype, the numbers of th_tune_key, a colon, and each way with its
 * nanoseconds. A process replaces the whole file under a lock, after merging what other processes have added.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../core/mix.h"
#include "tune.h"

enum {
  NUMBERS = TH_TUNE_NUMBERS, WAYS = TH_TUNE_WAYS,
  MOST_BYTES = 16 << 20, MOST_PATH = 4000, MOST_HEAD = 400, MOST_MODELS = 64, MOST_NAME = 256,
  MOST_TITLE = 60, MOST_WAY = 32, MOST_STEM = 20
};

/* Nanoseconds of each way, as th_tune returns them. `machine` is the number of threads of the CPU, and negative for the model
 * of a device; 0 in a free place of the table. */
typedef struct times {
  th_tune_key key;
  int32_t machine;
  int64_t ns[WAYS];
} times;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static times *table;                                /* open addressing */
static size_t count, places;
static char folder[MOST_PATH], file[MOST_PATH + 96], head[MOST_HEAD], trouble[MOST_PATH + 200];
static char models[MOST_MODELS][MOST_NAME];         /* of devices; machine -1 is the first one */
static char ways[WAYS][MOST_WAY];
static const char *(*model_name)(int device);

/* ---- the table ------------------------------------------------------------------------------- */

static size_t place_of(const times *t)
{
  uint64_t h = th_mixed(th_mixed((uint64_t)t->machine, (uint64_t)t->key.kind), (uint64_t)t->key.dtype);
  for (int i = 0; i < NUMBERS; i++) h = th_mixed(h, (uint64_t)t->key.number[i]);
  return (size_t)h & (places - 1);
}

/* The value of `machine` for a device model whose name has n bytes; 0 if there are too many models. */
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

const char *th_tune_model(int device)
{
  const char *(*const name)(int) = __atomic_load_n(&model_name, __ATOMIC_ACQUIRE);
  return device != TH_CPU && name ? name(device) : NULL;
}

void th_tune_set_model(const char *(*model)(int device)) { __atomic_store_n(&model_name, model, __ATOMIC_RELEASE); }

static int32_t machine_of(int device)
{
  const char *model = th_tune_model(device);
  return device == TH_CPU ? th_threads() : model ? model_of(model, strlen(model)) : 0;
}

static bool same(const times *a, const times *b)
{
  return a->machine == b->machine && a->key.kind == b->key.kind && a->key.dtype == b->key.dtype &&
         memcmp(a->key.number, b->key.number, sizeof a->key.number) == 0;
}

/* The place of t's key, or the free place for it. The table always has free places. */
static times *seek(const times *t)
{
  size_t i = place_of(t);
  while (table[i].machine && !same(&table[i], t)) i = (i + 1) & (places - 1);
  return &table[i];
}

static bool grow(void)
{
  times *const old = table;
  const size_t before = places;
  times *const room = calloc(before ? 2 * before : 64, sizeof *room);
  if (!room) return false;
  table = room;
  places = before ? 2 * before : 64;
  for (size_t i = 0; i < before; i++) if (old[i].machine) *seek(&old[i]) = old[i];
  free(old);
  return true;
}

/* Stores t; without memory it is dropped. */
static void put(const times *t)
{
  if (!t->machine || (2 * (count + 1) > places && !grow())) return;
  times *const to = seek(t);
  if (!to->machine) count++;
  *to = *t;
}

/* Whether t has times of exactly these ways. */
static bool complete(const times *t, uint32_t exactly)
{
  for (int i = 0; i < WAYS; i++) if ((t->ns[i] > 0) != (exactly >> i & 1)) return false;
  return true;
}

static bool find(int64_t ns[WAYS], const th_tune_key *key, uint32_t exactly)
{
  const times t = { .key = *key, .machine = machine_of(key->device) };
  if (!places || !t.machine) return false;
  const times *const found = seek(&t);
  if (!found->machine || !complete(found, exactly)) return false;
  memcpy(ns, found->ns, sizeof found->ns);
  return true;
}

/* The number of a way, or -1. */
static int way_of(const char *name, size_t n)
{
  for (int i = 0; i < WAYS; i++) if (strlen(ways[i]) == n && memcmp(ways[i], name, n) == 0) return i;
  return -1;
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
static void set_file(const char *where, const char *stem, const char *title)
{
  char cpu[128];
  uint64_t h = 0;
  read_cpu(cpu, sizeof cpu);
  snprintf(head, sizeof head, "%.*s\ncpu %s\nlevel %s\nversion %s\n", MOST_TITLE, title, cpu, th_cpu_level(),
    th_build(TH_BUILD_VERSION));
  for (const char *c = head; *c; c++) h = th_mixed(h, (uint8_t)*c);
  snprintf(folder, sizeof folder, "%s", where);
  snprintf(file, sizeof file, "%s/%.*s-%016" PRIx64 ".txt", folder, MOST_STEM, stem, h);
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

/* Reads a number of threads, or a model in quotes. */
static bool take_machine(const char **at, int32_t *machine)
{
  int64_t n;
  if (**at != '"') {
    if (!take(at, &n, ' ') || n < 1 || n > INT32_MAX) return false;
    *machine = (int32_t)n;
    return true;
  }
  const char *const name = *at + 1, *const end = strstr(name, "\" ");
  if (!end) return false;
  *machine = model_of(name, (size_t)(end - name));
  *at = end + 2;
  return *machine != 0;
}

/* Reads a line that write_record wrote; skips unknown ways. */
static bool read_record(times *t, const char *at)
{
  int64_t v[2], number;
  *t = (times){ 0 };
  if (!take_machine(&at, &t->machine)) return false;
  for (int i = 0; i < 2; i++) if (!take(&at, &v[i], ' ') || v[i] > INT16_MAX) return false;
  t->key.kind = (int32_t)v[0], t->key.dtype = (int16_t)v[1];
  for (int i = 0; i < NUMBERS; i++) {
    if (!take(&at, &number, ' ')) return false;
    t->key.number[i] = number;
  }
  if (*at++ != ':') return false;
  while (*at == ' ') {
    const char *const name = ++at;
    at += strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789");
    const int i = way_of(name, (size_t)(at - name));
    if (at == name || *at++ != ' ') return false;
    const size_t digits = strspn(at, "0123456789");
    if (digits < 1 || digits > 18) return false;
    if (i >= 0) t->ns[i] = strtoll(at, NULL, 10);
    at += digits;
  }
  return *at == 0;
}

static void write_record(FILE *f, const times *t)
{
  for (int i = 0; i < WAYS; i++) if (t->ns[i] == INT64_MAX) return;     /* another run may have enough */
  if (t->machine < 0) fprintf(f, "\"%s\" ", models[-1 - t->machine]);
  else fprintf(f, "%d ", t->machine);
  fprintf(f, "%d %d ", t->key.kind, t->key.dtype);
  for (int i = 0; i < NUMBERS; i++) fprintf(f, "%" PRId64 " ", t->key.number[i]);
  fputc(':', f);
  for (int i = 0; i < WAYS; i++) if (t->ns[i]) fprintf(f, " %s %" PRId64, ways[i], t->ns[i]);
  fputc('\n', f);
}

/* Reads all lines of a text and modifies it; with `keep`, stores them in the table. */
static bool read_text(char *text, size_t n, bool keep)
{
  const size_t first = strlen(head);
  times t;
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
  for (size_t i = 0; i < places; i++) if (table[i].machine) write_record(f, &table[i]);
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

int th_tune_way(const char *name)
{
  int i = -1;
  const size_t n = strlen(name);
  if (n == 0 || n >= MOST_WAY) return -1;
  pthread_mutex_lock(&lock);
  if ((i = way_of(name, n)) < 0) {
    i = 0;
    while (i < WAYS && ways[i][0]) i++;
    if (i < WAYS) memcpy(ways[i], name, n + 1);
    else i = -1;
  }
  pthread_mutex_unlock(&lock);
  return i;
}

int32_t th_tune_machine(int device)
{
  pthread_mutex_lock(&lock);
  const int32_t machine = machine_of(device);
  pthread_mutex_unlock(&lock);
  return machine;
}

bool th_tune_find(int64_t ns[WAYS], const th_tune_key *key, uint32_t exactly)
{
  pthread_mutex_lock(&lock);
  const bool found = find(ns, key, exactly);
  pthread_mutex_unlock(&lock);
  return found;
}

void th_tune_add(int64_t ns[WAYS], const th_tune_key *key, uint32_t exactly)
{
  pthread_mutex_lock(&lock);
  times t = { .key = *key, .machine = machine_of(key->device) };
  memcpy(t.ns, ns, sizeof t.ns);
  put(&t);
  if (file[0]) write_file();
  find(ns, key, exactly);
  pthread_mutex_unlock(&lock);
}

void th_tune_open(const char *where, const char *stem, const char *title)
{
  pthread_mutex_lock(&lock);
  free(table);
  table = NULL;
  count = places = 0;
  folder[0] = file[0] = trouble[0] = 0;
  if (where && where[0] && strlen(where) < MOST_PATH) {
    set_file(where, stem, title);
    read_file();
  }
  pthread_mutex_unlock(&lock);
}

const char *th_tune_file(void) { return file[0] ? file : NULL; }
const char *th_tune_trouble(void) { return trouble[0] ? trouble : NULL; }
