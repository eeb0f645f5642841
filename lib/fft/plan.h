/* plan.h - plans of Fourier transforms: made once per size and type, kept for the next calls. No instruction set. */
#ifndef TH_FFT_PLAN_H
#define TH_FFT_PLAN_H
#include "../core/core.h"

/* How a size is transformed. A line of columns * rows numbers is a matrix: its columns are transformed, multiplied by roots
 * of unity, then its rows. A prime is computed as the sum that defines it, up to TH_FFT_SUMMED. A larger prime n becomes a
 * convolution of n - 1 numbers (Rader), where that takes less time than one of more than 2 n (Bluestein's chirp), which every
 * other size with a large prime factor becomes. Real lines of a large prime size, for which n - 1 has large factors, become a
 * convolution of more than 2 n real numbers, or half as many complex ones turned by weights (Rader with zeros behind it). */
enum { TH_FFT_DIRECT, TH_FFT_SPLIT, TH_FFT_CHIRP, TH_FFT_SUM, TH_FFT_PRIME, TH_FFT_WEIGHTED };
enum { TH_FFT_PASSES = 8, TH_FFT_LARGEST = 61, TH_FFT_SUMMED = 127 };

/* The waves of a prime n without a kernel, in the order of the powers of a primitive root g:
 * they depend on the sum of two powers alone. order: g^e modulo n for e below (n - 1) / 2, whose
 * products with -1 are the other numbers. cosines, sines: of 2 pi g^e / n for e from 0 on,
 * th_fft_waves(n) numbers. */
typedef struct th_fft_wave {
  const int32_t *order;
  const void    *cosines, *sines;
  char           rest[40];            /* what follows begins at a line of the caches */
} th_fft_wave;

typedef struct th_fft_node th_fft_node;
struct th_fft_node {
  int64_t n;
  int     kind;
  /* DIRECT: the radix of each pass, its roots of unity (cos, sin), and the waves of a radix
   * without a kernel. SUM: the first waves. */
  int     passes, radix[TH_FFT_PASSES];
  const void *roots[TH_FFT_PASSES];
  const th_fft_wave *wave[TH_FFT_PASSES];
  /* SPLIT: the transforms of a column and of a row, and the roots between them: for each chunk of columns, for each row,
   * the cosines of the chunk, then its sines. */
  const th_fft_node *column, *row;
  const void *turns;
  /* SPLIT of odd folded lines, instead of turns: for each chunk of pairs of columns l and l +
   * columns / 2, for each row to half of them, the cosines of the first columns, their sines,
   * and those of the second ones. */
  const void *pair_turns;
  /* CHIRP, PRIME, WEIGHTED: the transform of the convolution's size, and the spectrum that it
   * multiplies with, which the first call that has the instruction set for it computes. PRIME:
   * of real lines it is of n - 1 real numbers, and `padded` of half as many. chirp: the cosines
   * of pi k^2 / n in whole chunks, then the sines; WEIGHTED: of pi k / (2 N), where `padded` is
   * of N. order: PRIME, WEIGHTED: the powers 0 to (n - 1) / 2 of a primitive root, modulo n;
   * each one is followed by n minus it, (n - 1) / 2 powers later. */
  const th_fft_node *padded;
  const void *chirp;
  const int32_t *order;
  void   *kernel;
};

/* Columns of a chunk, at every CPU level: the registers of the widest. */
static inline __attribute__((unused)) int64_t th_fft_chunk(int dtype) { return dtype == TH_F64 ? 8 : 16; }

/* Where chunk c of n numbers begins: the last one overlaps the one before it. Of fewer than a chunk there is one. */
static inline __attribute__((unused)) int64_t th_fft_chunk_at(int64_t c, int64_t chunk, int64_t n)
{
  return c * chunk + chunk <= n || c == 0 ? c * chunk : n - chunk;
}

/* Pairs of memory for a convolution's spectrum: rows of its matrix in whole chunks. */
static inline __attribute__((unused)) int64_t th_fft_kernel_room(const th_fft_node *padded, int64_t chunk)
{
  if (padded->kind != TH_FFT_SPLIT) return padded->n;
  return (padded->column->n + chunk - 1) / chunk * chunk * padded->row->n;
}

/* From the cosines of the roots of real lines of n numbers to their sines: a quarter of them, in
 * whole chunks. */
static inline __attribute__((unused)) int64_t th_fft_root_room(int64_t n, int64_t chunk)
{
  return (n / 4 + chunk) / chunk * chunk;
}

/* Cosines of the waves of n: half of them, and as many more as whole chunks of results take. */
static inline __attribute__((unused)) int64_t th_fft_waves(int64_t n, int64_t chunk)
{
  return ((n / 2 + chunk - 1) / chunk * chunk + n / 2 + chunk - 1) / chunk * chunk;
}

typedef struct th_fft_plan th_fft_plan;
typedef struct th_fft_block { struct th_fft_block *before; char rest[56]; } th_fft_block;

/* cos and sin of 2 pi e / n for e from 0 to count - 1, 1 <= count <= n / 2 + 1, right to the
 * last bit. False: no memory. */
typedef bool th_fft_roots(int dtype, int64_t n, int64_t count, void *to);

/* What plans need of a CPU level: roots of unity; `finish` completes a new plan. */
typedef struct th_fft_kernels {
  th_fft_roots *roots;
  th_status   (*finish)(th_fft_plan *p);
} th_fft_kernels;

struct th_fft_plan {
  int64_t n;
  int     dtype;                    /* TH_F32 or TH_F64 */
  bool    real;                     /* for lines of real numbers on one side */
  /* These take n real numbers and half a spectrum; others are complex lines meanwhile. */
  bool    folded;
  const th_fft_node *node;          /* of n; of n / 2, where a folded line of even size is as many complex numbers */
  /* Folded: the cosines of 2 pi k / n, or n - 1 of a PRIME, for k to a quarter of it, then the
   * sines. */
  const void *roots;
  const th_fft_kernels *kernels;
  th_fft_block *last;               /* the memory: blocks, each of which knows the one before it */
  char   *next, *end;               /* what is left of the last one */
  int64_t bytes;
  int     users;
  bool    kept;                     /* in the cache */
};

/* The plan of size n >= 1; many calls may share it. Give it back with th_fft_plan_put. */
th_status th_fft_plan_get(th_fft_plan **p, int64_t n, int dtype, bool real,
                          const th_fft_kernels *kernels);
void      th_fft_plan_put(th_fft_plan *p);

/* cos and sin of 2 pi e / n for e from 0 to n - 1, right to the last bit. */
th_status th_fft_circle(int dtype, int64_t n, void *to, th_fft_roots *roots);

#endif
