/* random.c - generators: the Mersenne twister with Torch7's streams, and Philox, which computes any word from a counter without
 * the words before it. */
#include <math.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include "random.h"

enum { N = TH_TWISTER_WORDS };

void th_generator_seed(th_generator *g, int kind, uint64_t seed)
{
  *g = (th_generator){ .kind = kind, .seeded = 1, .seed = seed };
  if (kind == TH_PHILOX) return;
  g->word[0] = (uint32_t)seed;
  for (uint32_t i = 1; i < N; i++) {
    g->word[i] = 1812433253u * (g->word[i - 1] ^ (g->word[i - 1] >> 30)) + i;
  }
  g->next = N;
}

/* A random seed of 32 bits: the twister takes no more, and a Lua number holds it exactly. */
static uint64_t chance(void)
{
  uint32_t seed;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed) return seed;
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (uint32_t)(t.tv_nsec * 4096 + t.tv_sec);
}

th_generator *th_generator_new(int kind)
{
  th_generator *g = calloc(1, sizeof *g);
  if (g) th_generator_seed(g, kind, chance());
  return g;
}

void th_generator_free(th_generator *g) { free(g); }

/* Thread-local, because Lua states that run at the same time must not share a stream. */
th_generator *th_generator_default(void)
{
  static TH_QUICK_LOCAL void *slot;
  th_generator *mine = th_thread_memory(&slot, sizeof *mine);
  if (mine && !mine->seeded) th_generator_seed(mine, TH_MT19937, chance());
  return mine;
}

void th_generator_copy(th_generator *to, const th_generator *from) { *to = *from; }
uint64_t th_generator_initial_seed(const th_generator *g) { return g->seed; }
int th_generator_kind(const th_generator *g) { return g->kind; }

/* ---- drawing --------------------------------------------------------------------------------- */

bool th_generator_philox(th_philox *at, const th_generator *g)
{
  *at = (th_philox){ g->seed, g->stream, g->block, g->next, g->pair.waiting };
  return g->kind == TH_PHILOX;
}

void th_philox_skip(th_generator *g, uint64_t n)
{
  const uint64_t at = (uint64_t)g->next + n;
  g->block += at / 4;
  g->next = (int32_t)(at % 4);
  if (g->next) th_philox_blocks(g->seed, g->stream, g->block, g->word, 1);
}

static uint32_t philox_word(th_generator *g)
{
  if (g->next == 0) th_philox_blocks(g->seed, g->stream, g->block, g->word, 1);
  const uint32_t word = g->word[g->next++];
  if (g->next == 4) {
    g->next = 0;
    g->block++;
  }
  return word;
}

uint64_t th_generator_random(th_generator *g)
{
  if (g->kind == TH_PHILOX) return philox_word(g);
  if (g->next == N) {
    th_twister_turn(g->word);
    g->next = 0;
  }
  return th_tempered(g->word[g->next++]);
}

double th_generator_uniform(th_generator *g, double a, double b)
{
  return th_unit((uint32_t)th_generator_random(g)) * (b - a) + a;
}

double th_generator_normal(th_generator *g, double mean, double std)
{
  th_normal_pair *p = &g->pair;
  if (p->waiting) {
    p->waiting = 0;
    return p->radius * sin(2 * TH_PI * p->angle) * std + mean;
  }
  p->angle = th_generator_uniform(g, 0, 1);
  p->radius = sqrt(-2 * log(1 - th_generator_uniform(g, 0, 1)));
  p->waiting = 1;
  return p->radius * cos(2 * TH_PI * p->angle) * std + mean;
}

/* ---- the state as bytes ---------------------------------------------------------------------- */

/* Both layouts begin with the seed and differ after it. This is the layout that torch.getRNGState has always written on x86-64,
 * so that the state of an old checkpoint can be continued here. `left` counts the words up to the next generation of the state,
 * from N down to 1. */
typedef struct twister_state {
  uint64_t seed;
  int32_t  left, seeded;
  uint64_t next, word[N];
  double   angle, unused, radius;
  int32_t  waiting, padding;
} twister_state;

typedef struct philox_state {
  uint64_t seed;
  int32_t  mark, waiting;
  uint64_t block, stream, next;
  double   angle, radius;
} philox_state;

enum { PHILOX_MARK = 0x584c4850 };          /* "PHLX", which `left` cannot be */
_Static_assert(sizeof(philox_state) == TH_RNG_HEAD, "files begin with this many bytes of a state");

int64_t th_generator_state_size(const th_generator *g)
{
  return g->kind == TH_PHILOX ? (int64_t)sizeof(philox_state) : (int64_t)sizeof(twister_state);
}

int64_t th_generator_state_bytes(const void *head)
{
  philox_state s;
  memcpy(&s, head, sizeof s);
  return s.mark == PHILOX_MARK ? (int64_t)sizeof(philox_state) : (int64_t)sizeof(twister_state);
}

void th_generator_get_state(const th_generator *g, void *bytes)
{
  if (g->kind == TH_PHILOX) {
    const philox_state s = { .seed = g->seed, .mark = PHILOX_MARK, .waiting = g->pair.waiting,
                             .block = g->block, .stream = g->stream, .next = (uint64_t)g->next,
                             .angle = g->pair.angle, .radius = g->pair.radius };
    memcpy(bytes, &s, sizeof s);
    return;
  }
  twister_state s = { .seed = g->seed, .left = g->next == N ? 1 : N + 1 - g->next, .seeded = 1,
                      .next = (uint64_t)g->next, .angle = g->pair.angle, .radius = g->pair.radius,
                      .waiting = g->pair.waiting };
  for (int i = 0; i < N; i++) s.word[i] = g->word[i];
  memcpy(bytes, &s, sizeof s);
}

static bool good_pair(const th_normal_pair *p)
{
  if (p->waiting == 0) return true;
  return p->waiting == 1 && p->angle >= 0 && p->angle < 1 && p->radius >= 0 && p->radius < 8;
}

static bool set_philox(th_generator *to, const void *bytes)
{
  philox_state s;
  memcpy(&s, bytes, sizeof s);
  *to = (th_generator){ .kind = TH_PHILOX, .seeded = 1, .seed = s.seed, .block = s.block,
                        .stream = s.stream,
                        .pair = { .waiting = s.waiting, .angle = s.angle, .radius = s.radius } };
  if (s.mark != PHILOX_MARK || s.next > 3) return false;
  th_philox_skip(to, s.next);
  return good_pair(&to->pair);
}

static bool set_twister(th_generator *to, const void *bytes)
{
  twister_state s;
  memcpy(&s, bytes, sizeof s);
  *to = (th_generator){ .kind = TH_MT19937, .seeded = 1, .seed = s.seed,
                        .next = s.left == 1 ? N : N + 1 - s.left,
                        .pair = { .waiting = s.waiting, .angle = s.angle, .radius = s.radius } };
  bool good = s.left >= 1 && s.left <= N && s.seeded == 1;
  for (int i = 0; i < N; i++) {
    good = good && s.word[i] <= UINT32_MAX;
    to->word[i] = (uint32_t)s.word[i];
  }
  return good && good_pair(&to->pair);
}

th_status th_generator_set_state(th_generator *g, const void *bytes, int64_t n)
{
  th_generator read;
  th_enter("setRNGState");
  if (n != (int64_t)sizeof(twister_state) && n != (int64_t)sizeof(philox_state)) {
    return th_fail(TH_EARG, "state must have %d bytes, or %d of a Philox generator, got %lld",
                   (int)sizeof(twister_state), (int)sizeof(philox_state), (long long)n);
  }
  const bool good = n == (int64_t)sizeof(philox_state) ? set_philox(&read, bytes) : set_twister(&read, bytes);
  if (!good) return th_fail(TH_EARG, "state must come from getRNGState, got other bytes");
  *g = read;
  return TH_OK;
}
