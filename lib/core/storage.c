/* storage.c - storages: reference-counted, aligned memory with a count of all bytes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "storage.h"
#include "block.h"
#include "th_memory.h"

enum { ALIGN = 64, SMALL = 1024, LARGE = 64 << 20, UNTOLD = 1 << 16 };
enum { TINY = 128, TINY_BLOCK = 272, TINY_KEPT = 1 << 16 };      /* blocks of few elements, and the most that a thread caches */

enum { LEAST_LIMIT = 128 << 20 };
static th_memory memory[1 + TH_MAXDEVICE] = { { .limit = LEAST_LIMIT } };     /* the CPU's, then those of the devices */

/* Bytes that this thread has not yet added to the global count, because an atomic add per storage costs more than a small op. */
static TH_QUICK_LOCAL int64_t untold_bytes;
static TH_QUICK_LOCAL int64_t untold_storages;

void th_memory_trim(void) { th_block_trim(); }

void th_memory_discard(th_tensor *t)
{
  const th_storage *s = t->storage;
  if (!s || s->device != TH_CPU || s->mapped || s->whole || s->pinned || !s->data) return;
  if (t->offset != 0 || th_numel(t) != s->size || !th_contiguous(t)) return;
  th_block_discard(s->data, s->size * (int64_t)th_bytes_of(s->dtype), true);
}

/* Lua code reads these counters from memory. LuaJIT is not compiled with ThreadSanitizer, which would report its plain reads as
 * races with the atomic operations here. */
#define READ_BY_LUA __attribute__((no_sanitize_thread))

static READ_BY_LUA void raise_peak(th_memory *m, int64_t now)
{
  int64_t peak = __atomic_load_n(&m->peak, __ATOMIC_RELAXED);
  while (now > peak && !__atomic_compare_exchange_n(&m->peak, &peak, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

static READ_BY_LUA void tell(void)
{
  const int64_t now = __atomic_add_fetch(&memory[TH_CPU].bytes, untold_bytes, __ATOMIC_RELAXED);
  __atomic_add_fetch(&memory[TH_CPU].storages, untold_storages, __ATOMIC_RELAXED);
  raise_peak(&memory[TH_CPU], now);
  untold_bytes = untold_storages = 0;
}

/* A thread that ends adds its uncounted bytes to the totals and frees its cached blocks. */
static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;
static TH_QUICK_LOCAL bool end_is_watched;
static void at_end_of_thread(void *unused)
{
  (void)unused;
  end_is_watched = false;
  th_storage_end_of_state();
}
static void make_end_key(void) { pthread_key_create(&end_key, at_end_of_thread); }
static void watch_end(void)
{
  pthread_once(&end_once, make_end_key);
  end_is_watched = pthread_setspecific(end_key, &end_is_watched) == 0;
}

void th_account(int64_t bytes, int storages)
{
  if (__builtin_expect(!end_is_watched, 0)) watch_end();
  untold_bytes += bytes;
  untold_storages += storages;
  if (untold_bytes >= UNTOLD || untold_bytes <= -UNTOLD) tell();
}

th_memory *th_memory_of(int device)
{
  if (device < 0 || device > TH_MAXDEVICE) return NULL;
  tell();
  return &memory[device];
}

/* Lua compares only the CPU's counter with the CPU's limit. So when a device passes its limit, the CPU's limit becomes -1; the
 * collector then sets all limits again. */
static READ_BY_LUA void account_on(int device, int64_t bytes, int storages)
{
  th_memory *m = &memory[device];
  const int64_t now = __atomic_add_fetch(&m->bytes, bytes, __ATOMIC_RELAXED);
  __atomic_add_fetch(&m->storages, storages, __ATOMIC_RELAXED);
  raise_peak(m, now);
  const int64_t limit = __atomic_load_n(&m->limit, __ATOMIC_RELAXED);
  if (bytes > 0 && now > (limit ? limit : LEAST_LIMIT)) __atomic_store_n(&memory[TH_CPU].limit, -1, __ATOMIC_RELAXED);
}

/* A number of bytes from a file of the kernel; -1 without one ("max", or no such file). */
static int64_t read_bytes(const char *path, const char *key)
{
  char line[128];
  long long value = -1;
  FILE *f = fopen(path, "re");
  if (!f) return -1;
  while (fgets(line, sizeof line, f)) {
    if (strncmp(line, key, strlen(key)) != 0) continue;
    if (sscanf(line + strlen(key), "%lld", &value) == 1 && *key) value *= 1024;      /* meminfo counts kB */
    break;
  }
  fclose(f);
  return value;
}

/* The free memory of the machine, or of the control group (container) if that has less. */
static int64_t available_bytes(void)
{
  int64_t free = read_bytes("/proc/meminfo", "MemAvailable:");
  const int64_t most = read_bytes("/sys/fs/cgroup/memory.max", ""), now = read_bytes("/sys/fs/cgroup/memory.current", "");
  if (free < 0) free = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  return most >= 0 && now >= 0 && most - now < free ? most - now : free;
}

/* Refuses too large allocations here, because the kernel grants more memory than exists and kills the process on first use. */
bool th_too_much(int64_t bytes)
{
  const int64_t most = memory[TH_CPU].most;
  if (most) tell();
  if (most && bytes > most - memory[TH_CPU].bytes) return true;
  if (bytes < LARGE || bytes <= available_bytes()) return false;
  return th_block_drop() == 0 || bytes > available_bytes();
}

th_status th_out_of_memory(int64_t bytes)
{
  return th_fail(TH_ENOMEM, "out of memory: %lld bytes wanted, %lld held by tensors, %lld available",
                 (long long)bytes, (long long)memory[TH_CPU].bytes, (long long)available_bytes());
}

static void *block(int64_t bytes, bool zeroed)
{
  void *p = th_block_new(bytes, false);
  if (p && zeroed) memset(p, 0, (size_t)bytes);
  return p;
}

/* What this thread has not yet added to the count does not matter here. */
static void free_block(void *p)
{
  if (p) th_block_free(p, __atomic_load_n(&memory[TH_CPU].bytes, __ATOMIC_RELAXED));
}

/* Few elements are stored in the block of their th_storage: one allocation instead of two. */
static void *beside(th_storage *s)
{
  return (void *)(((uintptr_t)(s + 1) + ALIGN - 1) / ALIGN * ALIGN);
}

/* The thread's cache of blocks with up to TINY bytes of elements. */
static TH_QUICK_LOCAL th_storage *waiting;      /* a list, linked by `whole` */
static TH_QUICK_LOCAL int64_t nwaiting;

static th_storage *tiny_block(void)
{
  th_storage *s = waiting;
  if (!s) return malloc(TINY_BLOCK);
  waiting = s->whole;
  nwaiting--;
  if (waiting) __builtin_prefetch(waiting, 1);
  return s;
}

static void give_tiny(th_storage *s)
{
  if (!TH_KEEPS || nwaiting == TINY_KEPT) {
    free(s);
    return;
  }
  s->whole = waiting;
  waiting = s;
  nwaiting++;
}

void th_storage_end_of_state(void)
{
  for (th_storage *s; (s = waiting); free(s)) waiting = s->whole;
  nwaiting = 0;
  tell();
}

static th_status device_block(void **p, int device, int64_t bytes, bool zeroed)
{
  const int64_t most = memory[device].most;
  *p = NULL;
  if (bytes == 0) return TH_OK;
  if (most && bytes > most - memory[device].bytes) {
    return th_fail(TH_ENOMEM, "out of memory on %s: %lld bytes wanted, %lld held by tensors, %lld allowed", TH_DEVICE(device),
                   (long long)bytes, (long long)memory[device].bytes, (long long)most);
  }
  return th_backend_get()->allocate(p, device, bytes, zeroed);
}

static th_status new_on_device(th_storage **out, int device, int dtype, int64_t size, int64_t bytes, bool zeroed)
{
  if (device < 0 || device > th_device_count()) {
    return th_fail(TH_EDEVICE, "there is no CUDA device %d: the devices are 1..%d", device, th_device_count());
  }
  th_storage *s = calloc(1, sizeof *s);
  if (!s) return th_out_of_memory((int64_t)sizeof *s);
  const th_status status = device_block(&s->data, device, bytes, zeroed);
  if (status != TH_OK) {
    free(s);
    return status;
  }
  s->size = size;
  s->capacity = bytes;
  s->refs = 1;
  s->dtype = dtype;
  s->device = device;
  account_on(device, bytes, 1);
  *out = s;
  return TH_OK;
}

th_status th_storage_new(th_storage **out, int device, int dtype, int64_t size, int zeroed)
{
  const int64_t es = (int64_t)th_bytes_of(dtype);
  int64_t bytes;
  if (!es) return th_fail(TH_EDTYPE, "dtype %d does not exist", dtype);
  if (size < 0) return th_fail(TH_EARG, "a storage must not have a negative size, got %lld", (long long)size);
  if (__builtin_mul_overflow(size, es, &bytes)) return th_out_of_memory(INT64_MAX);
  if (device != TH_CPU) return new_on_device(out, device, dtype, size, bytes, zeroed);
  if (th_too_much(bytes)) return th_out_of_memory(bytes);
  const bool small = bytes <= SMALL;
  th_storage *s = bytes <= TINY ? tiny_block() : malloc(sizeof *s + (small ? (size_t)bytes + ALIGN : 0));
  if (!s) return th_out_of_memory(bytes);
  memset(s, 0, sizeof *s);
  void *data = small ? beside(s) : block(bytes, zeroed);
  if (!data) {
    free(s);
    return th_out_of_memory(bytes);
  }
  if (small && zeroed) memset(data, 0, (size_t)bytes);
  if (!size) data = NULL;
  s->data = data;
  s->joined = small;
  s->size = size;
  s->capacity = bytes;
  s->refs = 1;
  s->dtype = dtype;
  s->device = TH_CPU;
  th_account(bytes, 1);
  *out = s;
  return TH_OK;
}

/* A storage for elements of another one. Afterwards the memory of both is pinned. */
static th_status part(th_storage **out, th_storage *whole, int64_t offset, int64_t size, int device)
{
  if (offset < 0 || size < 0 || size > whole->size || offset > whole->size - size) {
    return th_fail(TH_EARG, "places %lld to %lld are outside of 1..%lld", (long long)offset + 1,
                   (long long)(offset + size), (long long)whole->size);
  }
  th_storage *s = calloc(1, sizeof *s);
  if (!s) return th_out_of_memory((int64_t)sizeof *s);
  const int64_t es = (int64_t)th_bytes_of(whole->dtype);
  s->data = size ? (char *)whole->data + offset * es : NULL;
  s->size = size;
  s->capacity = size * es;
  s->refs = 1;
  s->dtype = whole->dtype;
  s->device = device;
  s->whole = whole;
  __atomic_or_fetch(&whole->pinned, 1, __ATOMIC_RELAXED);  /* other threads may pin and release it */
  th_storage_retain(whole);
  if (s->device == TH_CPU) th_account(0, 1);
  else account_on(s->device, 0, 1);
  *out = s;
  return TH_OK;
}

th_status th_storage_part(th_storage **out, th_storage *whole, int64_t offset, int64_t size)
{
  return part(out, whole, offset, size, whole->device);
}

/* ---- CPU memory that devices can access ---- */

static bool is_host(const th_storage *s) { return s->mapped >= TH_HOST_PINNED; }

static th_status host_block(void **p, int64_t bytes, int kind)
{
  *p = NULL;
  if (th_device_count() == 0) return th_fail(TH_EDEVICE, "there is no CUDA device to make memory for");
  if (th_too_much(bytes)) return th_out_of_memory(bytes);
  return bytes ? th_backend_get()->host_allocate(p, bytes, kind) : TH_OK;
}

th_status th_storage_host(th_storage **out, int dtype, int64_t size, int kind)
{
  const int64_t es = (int64_t)th_bytes_of(dtype);
  int64_t bytes;
  if (!es) return th_fail(TH_EDTYPE, "dtype %d does not exist", dtype);
  if (kind != TH_HOST_PINNED && kind != TH_HOST_MANAGED) return th_fail(TH_EARG, "memory of kind %d does not exist", kind);
  if (size < 0) return th_fail(TH_EARG, "a storage must not have a negative size, got %lld", (long long)size);
  if (__builtin_mul_overflow(size, es, &bytes)) return th_out_of_memory(INT64_MAX);
  th_storage *s = calloc(1, sizeof *s);
  if (!s) return th_out_of_memory((int64_t)sizeof *s);
  const th_status status = host_block(&s->data, bytes, kind);
  if (status != TH_OK) {
    free(s);
    return status;
  }
  if (bytes) memset(s->data, 0, (size_t)bytes);
  s->size = size;
  s->capacity = bytes;
  s->refs = 1;
  s->dtype = dtype;
  s->mapped = kind;
  th_account(bytes, 1);
  *out = s;
  return TH_OK;
}

th_status th_storage_twin(th_storage **out, th_storage *managed, int device)
{
  const th_storage *whole = managed;
  while (whole->whole) whole = whole->whole;
  if (whole->mapped != TH_HOST_MANAGED) return th_fail(TH_EARG, "the memory must be managed: that of a UVA tensor");
  if (device < 0 || device > th_device_count()) {
    return th_fail(TH_EDEVICE, "there is no CUDA device %d: the devices are 1..%d", device, th_device_count());
  }
  return part(out, managed, 0, managed->size, device);
}

/* Frees the CPU memory that a storage owns. */
/* Of th_storage_map: a map begins at a page. */
static void unmap(th_storage *s)
{
  if (!s->data) return;
  const int64_t before = (int64_t)((uintptr_t)s->data % (uintptr_t)sysconf(_SC_PAGESIZE));
  munmap((char *)s->data - before, (size_t)(s->capacity + before));
}

static void give_up(th_storage *s)
{
  if (is_host(s)) {
    if (s->data) th_backend_get()->host_release(s->data);
  } else if (s->mapped) {
    unmap(s);
  } else if (!s->joined) {
    free_block(s->data);
  }
}

static th_status grow_on_device(th_storage *s, int64_t bytes)
{
  const int64_t used = s->size * (int64_t)th_bytes_of(s->dtype);
  void *data;
  TH_TRY(device_block(&data, s->device, bytes, false));
  const th_status status = used ? th_backend_get()->copy(data, s->device, s->data, s->device, used) : TH_OK;
  if (status != TH_OK) {
    th_backend_get()->release(data, s->device);
    return status;
  }
  if (s->data) th_backend_get()->release(s->data, s->device);
  s->data = data;
  account_on(s->device, bytes - s->capacity, 0);
  s->capacity = bytes;
  return TH_OK;
}

/* Shrinking keeps the memory, because views of it must stay valid. Growing allocates exactly the new size, because sizes are
 * known. */
th_status th_storage_resize(th_storage *s, int64_t size)
{
  int64_t bytes;
  const int64_t es = (int64_t)th_bytes_of(s->dtype);
  if (size < 0) return th_fail(TH_EARG, "a storage must not have a negative size, got %lld", (long long)size);
  if (__builtin_mul_overflow(size, es, &bytes)) return th_out_of_memory(INT64_MAX);
  if (bytes > s->capacity) {
    if (s->device == TH_CPU && th_too_much(bytes)) return th_out_of_memory(bytes);
    if (s->mapped && !is_host(s)) {
      return th_fail(TH_EARG, "a storage that is a mapped file or shared memory cannot grow");
    }
    const int32_t pinned = __atomic_load_n(&s->pinned, __ATOMIC_ACQUIRE);      /* acquire: readers are done */
    if (pinned > 1) {
      return th_fail(TH_EARG, "a storage whose elements a collective or another thread uses cannot grow");
    }
    if (s->whole || pinned) return th_fail(TH_EARG, "a storage that shares its memory with another cannot grow");
    if (s->device != TH_CPU) {
      TH_TRY(grow_on_device(s, bytes));
      s->size = size;
      return TH_OK;
    }
    void *data;
    if (is_host(s)) TH_TRY(host_block(&data, bytes, s->mapped));
    else data = block(bytes, false);
    if (!data) return th_out_of_memory(bytes);
    if (s->size && is_host(s)) {                      /* waits for the devices */
      const th_status status = th_backend_get()->copy(data, TH_CPU, s->data, TH_CPU, s->size * es);
      if (status != TH_OK) {
        th_backend_get()->host_release(data);
        return status;
      }
    } else if (s->size) {
      memcpy(data, s->data, (size_t)(s->size * es));
    }
    give_up(s);
    s->data = data;
    s->joined = 0;
    th_account(bytes - s->capacity, 0);
    s->capacity = bytes;
  }
  s->size = size;
  return TH_OK;
}

static th_status need_places(const th_storage *s, int64_t first, int64_t n)
{
  if (first >= 0 && n >= 0 && first <= s->size && n <= s->size - first) return TH_OK;
  return th_fail(TH_EARG, "places %lld to %lld are outside of 1..%lld", (long long)first + 1, (long long)(first + n),
                 (long long)s->size);
}

th_status th_storage_get(const th_storage *s, int64_t first, int64_t n, void *to)
{
  const int64_t es = (int64_t)th_bytes_of(s->dtype);
  TH_TRY(need_places(s, first, n));
  if (n == 0) return TH_OK;
  const char *from = (const char *)s->data + first * es;
  if (s->device != TH_CPU) return th_backend_get()->copy(to, TH_CPU, from, s->device, n * es);
  memcpy(to, from, (size_t)(n * es));
  return TH_OK;
}

th_status th_storage_put(th_storage *s, int64_t first, int64_t n, const void *from)
{
  const int64_t es = (int64_t)th_bytes_of(s->dtype);
  TH_TRY(need_places(s, first, n));
  if (n == 0) return TH_OK;
  char *to = (char *)s->data + first * es;
  if (s->device != TH_CPU) return th_backend_get()->copy(to, s->device, from, TH_CPU, n * es);
  memcpy(to, from, (size_t)(n * es));
  return TH_OK;
}

void th_storage_retain(th_storage *s) { __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED); }

void th_storage_release(th_storage *s)
{
  if (!s) return;
  if (__atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) != 1 && __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (s->joined && s->capacity <= TINY) {
    th_account(-s->capacity, -1);
    give_tiny(s);
    return;
  }
  if (s->device != TH_CPU) {
    account_on(s->device, s->whole ? 0 : -s->capacity, -1);
    if (s->whole) th_storage_release(s->whole);
    else if (s->data) th_backend_get()->release(s->data, s->device);
    free(s);
    return;
  }
  if (s->whole) th_storage_release(s->whole);
  else give_up(s);
  th_account(s->mapped == 1 || s->whole ? 0 : -s->capacity, -1);
  free(s);
}

/* Releases the storage and redirects the reference to an empty storage that cannot grow, because finalizers of a program may
 * still use it. */
void th_storage_drop(th_storage_ref *ref)
{
#define EMPTY(d) [d] = { .refs = 1 << 30, .dtype = d, .pinned = 1 }
  static th_storage empty[TH_NDTYPE] = { EMPTY(TH_U8), EMPTY(TH_I8), EMPTY(TH_I16), EMPTY(TH_I32), EMPTY(TH_I64),
                                         EMPTY(TH_F16), EMPTY(TH_BF16), EMPTY(TH_F32), EMPTY(TH_F64) };
#undef EMPTY
  th_storage *s = ref->s;
  if (!s) return;
  ref->s = &empty[s->dtype];
  th_storage_release(s);
}

/* Memory that a caller lends to the workspaces of this thread, or without memory a record of how
 * much they need: each lies behind those that are in use. Small ones, and more than these, lie
 * elsewhere. */
enum { LENT_LEAST = 64 << 10, LENT_MOST = 8, LENT_ALIGN = 128 };
typedef struct lent_place { void *p; int64_t end; } lent_place;
static TH_QUICK_LOCAL struct {
  char      *memory;
  int64_t    bytes, most;
  int        count;
  bool       on;
  lent_place place[LENT_MOST];
} lent;

void th_scratch_lend(void *p, int64_t bytes)
{
  lent.memory = p, lent.bytes = p ? bytes : 0;
  lent.most = lent.count = 0;
  lent.on = true;
}
int64_t th_scratch_lent(void)
{
  lent.memory = NULL;
  lent.on = false;
  return lent.most;
}

/* Where a workspace of so many bytes begins in the lent memory, *end: where it ends; -1: it lies
 * elsewhere. */
static int64_t lent_room(int64_t bytes, int64_t *end)
{
  int64_t at = 0;
  if (!lent.on || bytes < LENT_LEAST || lent.count == LENT_MOST) return -1;
  for (int i = 0; i < lent.count; i++) at = th_max(at, lent.place[i].end);
  *end = at + (bytes + LENT_ALIGN - 1) / LENT_ALIGN * LENT_ALIGN;
  lent.most = th_max(lent.most, *end);
  return lent.memory && *end > lent.bytes ? -1 : at;
}

/* Whether p was lent: then it is free again. */
static bool give_lent(const void *p)
{
  for (int i = 0; i < lent.count; i++) {
    if (lent.place[i].p != p) continue;
    lent.place[i] = lent.place[--lent.count];
    return lent.memory != NULL;
  }
  return false;
}

/* Scratch of such sizes, in bytes, is a power of two, so that one cached block serves similar
 * sizes. Pages that are not used take no memory. */
enum { ROUNDED_LEAST = 3 << 20, ROUNDED_MOST = 8 << 20 };

static void *scratch_block(int64_t bytes)
{
  if (th_too_much(bytes)) return NULL;
  if (bytes > ROUNDED_LEAST && bytes < ROUNDED_MOST) {
    void *p = th_block_new((int64_t)2 << (63 - __builtin_clzll((uint64_t)bytes - 1)), true);
    if (p) return p;
  }
  return th_block_new(bytes, true);
}

void *th_scratch(size_t bytes)
{
  if (bytes > INT64_MAX / 2) return NULL;
  int64_t end = 0;
  const int64_t at = lent_room((int64_t)bytes, &end);
  void *p = at >= 0 && lent.memory ? lent.memory + at : scratch_block((int64_t)bytes);
  if (p && at >= 0) lent.place[lent.count++] = (lent_place){ p, end };
  return p;
}

void *th_lasting(size_t bytes)
{
  return bytes > INT64_MAX / 2 || th_too_much((int64_t)bytes) ? NULL : block((int64_t)bytes, false);
}

void th_scratch_free(void *p)
{
  if (!lent.on || !give_lent(p)) free_block(p);
}
