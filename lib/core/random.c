/* random.c - the Mersenne twister MT19937 (Matsumoto, Nishimura 1998) with Torch7's streams. */
#include <math.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include "random.h"

enum { N = 624, M = 397 };

struct th_generator {
  uint32_t       word[N];                   /* the state; its tempered words are what is drawn */
  int32_t        next;                      /* the word to draw; N: the state must turn first */
  int32_t        seeded;
  uint64_t       initial;
  th_normal_pair pair;
};

/* ---- the twister ----------------------------------------------------------------------------- */

static inline uint32_t twisted(uint32_t high, uint32_t low)
{
  const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (y >> 1) ^ (low & 1u ? 0x9908b0dfu : 0u);
}

static inline uint32_t tempered(uint32_t y)
{
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

/* All words at once. Each loop reads at least N - M words behind or ahead of what it writes, so the
 * compiler may run it in vectors. */
static void turn(th_generator *g)
{
  uint32_t *w = g->word;
  for (int i = 0; i < N - M; i++) w[i] = w[i + M] ^ twisted(w[i], w[i + 1]);
  for (int i = N - M; i < 2 * (N - M); i++) w[i] = w[i - (N - M)] ^ twisted(w[i], w[i + 1]);
  for (int i = 2 * (N - M); i < N - 1; i++) w[i] = w[i - (N - M)] ^ twisted(w[i], w[i + 1]);
  w[N - 1] = w[M - 1] ^ twisted(w[N - 1], w[0]);
  g->next = 0;
}

void th_generator_seed(th_generator *g, uint64_t seed)
{
  g->word[0] = (uint32_t)seed;
  for (uint32_t i = 1; i < N; i++) {
    g->word[i] = 1812433253u * (g->word[i - 1] ^ (g->word[i - 1] >> 30)) + i;
  }
  g->next = N;
  g->seeded = 1;
  g->initial = seed;
  g->pair.waiting = 0;
}

/* A seed nobody chose: 32 bits, for the twister takes no more, and Lua keeps them exactly. */
static uint64_t chance(void)
{
  uint32_t seed;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed) return seed;
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (uint32_t)(t.tv_nsec * 4096 + t.tv_sec);
}

th_generator *th_generator_new(void)
{
  th_generator *g = calloc(1, sizeof *g);
  if (g) th_generator_seed(g, chance());
  return g;
}

void th_generator_free(th_generator *g) { free(g); }

/* Every thread has its own, for a Lua state that runs beside others must not share a stream. */
th_generator *th_generator_default(void)
{
  static TH_QUICK_LOCAL void *slot;
  th_generator *mine = th_thread_memory(&slot, sizeof *mine);
  if (mine && !mine->seeded) th_generator_seed(mine, chance());
  return mine;
}

void th_generator_copy(th_generator *to, const th_generator *from) { *to = *from; }
uint64_t th_generator_initial_seed(const th_generator *g) { return g->initial; }
th_normal_pair *th_generator_pair(th_generator *g) { return &g->pair; }

/* ---- drawing --------------------------------------------------------------------------------- */

uint64_t th_generator_random(th_generator *g)
{
  if (g->next == N) turn(g);
  return tempered(g->word[g->next++]);
}

void th_generator_words(th_generator *g, uint32_t *to, int64_t n)
{
  while (n > 0) {
    if (g->next == N) turn(g);
    const int64_t left = N - g->next, count = n < left ? n : left;
    const uint32_t *from = g->word + g->next;
    for (int64_t i = 0; i < count; i++) to[i] = tempered(from[i]);
    g->next += (int32_t)count;
    to += count;
    n -= count;
  }
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

/* The layout that torch.getRNGState has always written on x86-64, so that a state kept in an old
 * checkpoint goes on here. `left` counts the words up to the next turn, from N down to 1. */
typedef struct state {
  uint64_t initial;
  int32_t  left, seeded;
  uint64_t next, word[N];
  double   angle, unused, radius;
  int32_t  waiting, padding;
} state;

int64_t th_generator_state_size(void) { return (int64_t)sizeof(state); }

void th_generator_get_state(const th_generator *g, void *bytes)
{
  state s = { .initial = g->initial, .left = g->next == N ? 1 : N + 1 - g->next, .seeded = 1,
              .next = (uint64_t)g->next, .angle = g->pair.angle, .radius = g->pair.radius,
              .waiting = g->pair.waiting };
  for (int i = 0; i < N; i++) s.word[i] = g->word[i];
  memcpy(bytes, &s, sizeof s);
}

th_status th_generator_set_state(th_generator *g, const void *bytes, int64_t n)
{
  state s;
  th_enter("setRNGState");
  if (n != (int64_t)sizeof s) {
    return th_fail(TH_EARG, "state must have %lld bytes, got %lld", (long long)sizeof s,
                   (long long)n);
  }
  memcpy(&s, bytes, sizeof s);
  bool good = s.left >= 1 && s.left <= N && s.seeded == 1 && (s.waiting == 0 || s.waiting == 1);
  for (int i = 0; i < N; i++) good = good && s.word[i] <= UINT32_MAX;
  good = good && (!s.waiting || (s.angle >= 0 && s.angle < 1 && s.radius >= 0 && s.radius < 8));
  if (!good) return th_fail(TH_EARG, "state must come from getRNGState, got other bytes");
  for (int i = 0; i < N; i++) g->word[i] = (uint32_t)s.word[i];
  g->next = s.left == 1 ? N : N + 1 - s.left;
  g->seeded = 1;
  g->initial = s.initial;
  g->pair = (th_normal_pair){ .waiting = s.waiting, .angle = s.angle, .radius = s.radius };
  return TH_OK;
}
