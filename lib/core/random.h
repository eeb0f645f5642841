/* random.h - the generator struct, for kernels that draw many random words per call. The loops here vectorize with the
 * instruction set of the including file: lib/core draws word by word, each level of lib/cpu with its vectors. The words are the
 * same. */
#ifndef TH_RANDOM_H
#define TH_RANDOM_H
#include "core.h"
#include "philox.h"

#define TH_PI 3.14159265358979323846

enum { TH_TWISTER_WORDS = 624, TH_TWISTER_AHEAD = 397 };
/* Words are generated a vector at a time, so a buffer for n words needs room for TH_WORDS_OVER more, which may be overwritten. */
enum { TH_WORDS_OVER = 16 };

/* The Box-Muller method draws normal numbers in pairs. The second number is stored here for the next call. */
typedef struct th_normal_pair { int32_t waiting; double angle, radius; } th_normal_pair;

struct th_generator {
  int32_t        kind;                      /* TH_MT19937 or TH_PHILOX */
  int32_t        seeded;
  uint64_t       seed;                      /* of a Philox generator also the key */
  th_normal_pair pair;
  uint64_t       block, stream;             /* Philox: the 128-bit counter, low and high half */
  /* Index of the next word. Philox: in the four words of `block`; twister: in the state, which is regenerated at 624. */
  int32_t        next;
  uint32_t       word[TH_TWISTER_WORDS + TH_WORDS_OVER];   /* the twister's state; Philox: the current block */
};

/* A uniform number of [0, 1) from 32 random bits. */
static inline double th_unit(uint32_t word) { return word * (1.0 / 4294967296.0); }

/* ---- the Mersenne twister MT19937 (Matsumoto, Nishimura 1998) ---- */

static inline uint32_t th_twisted(uint32_t high, uint32_t low)
{
  const uint32_t y = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (y >> 1) ^ (-(low & 1u) & 0x9908b0dfu);
}

/* The output word for a word of the state. */
static inline uint32_t th_tempered(uint32_t y)
{
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

/* Regenerates the whole state. Each loop reads at least 227 words before or after those that it writes, so the compiler can
 * vectorize it. */
static inline void th_twister_turn(uint32_t *w)
{
  enum { N = TH_TWISTER_WORDS, M = TH_TWISTER_AHEAD };
  for (int i = 0; i < N - M; i++) w[i] = w[i + M] ^ th_twisted(w[i], w[i + 1]);
  for (int i = N - M; i < 2 * (N - M); i++) w[i] = w[i - (N - M)] ^ th_twisted(w[i], w[i + 1]);
  for (int i = 2 * (N - M); i < N - 1; i++) w[i] = w[i - (N - M)] ^ th_twisted(w[i], w[i + 1]);
  w[N - 1] = w[M - 1] ^ th_twisted(w[N - 1], w[0]);
}

/* The next n words of a twister. */
static inline void th_twister_words(th_generator *g, uint32_t *to, int64_t n)
{
  while (n > 0) {
    if (g->next == TH_TWISTER_WORDS) {
      th_twister_turn(g->word);
      g->next = 0;
    }
    const int64_t left = TH_TWISTER_WORDS - g->next, count = n < left ? n : left;
    const uint32_t *from = g->word + g->next;
    for (int64_t i = 0; i < count; i += TH_WORDS_OVER) {
      for (int k = 0; k < TH_WORDS_OVER; k++) to[i + k] = th_tempered(from[i + k]);
    }
    g->next += (int32_t)count;
    to += count;
    n -= count;
  }
}

/* ---- Philox ---- */

/* n words (fewer than 2^31) of a Philox generator, beginning `ahead` words after its position. */
static inline void th_philox_words(const th_generator *g, uint64_t ahead, uint32_t *to, int64_t n)
{
  const uint64_t from = (uint64_t)g->next + ahead;
  uint64_t block = g->block + from / 4;
  uint32_t part[4];
  if (from % 4) {
    th_philox_blocks(g->seed, g->stream, block++, part, 1);
    for (uint64_t i = from % 4; i < 4 && n > 0; i++, n--) *to++ = part[i];
  }
  th_philox_blocks(g->seed, g->stream, block, to, n / 4);
  if (n % 4) {
    th_philox_blocks(g->seed, g->stream, block + (uint64_t)(n / 4), part, 1);
    memcpy(to + n / 4 * 4, part, (size_t)(n % 4) * sizeof *to);
  }
}

/* The next n words of either kind, as n calls of th_generator_random would give. */
static inline void th_generator_words(th_generator *g, uint32_t *to, int64_t n)
{
  if (g->kind == TH_PHILOX) {
    th_philox_words(g, 0, to, n);
    th_philox_skip(g, (uint64_t)n);
  } else {
    th_twister_words(g, to, n);
  }
}

#endif
