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
enum { TH_FFT_PASSES = 24, TH_FFT_LARGEST = 61, TH_FFT_SUMMED = 127 };

typedef struct th_fft_node th_fft_node;
struct th_fft_node {
  int64_t n;
  int     kind;
  /* DIRECT: the radix of each pass, its roots of unity (cos, sin), and the waves of a radix without a kernel. */
  int     passes, radix[TH_FFT_PASSES];
  const void *roots[TH_FFT_PASSES], *wave[TH_FFT_PASSES];
  /* SPLIT: the transforms of a column and of a row, and the roots between them: for each chunk of columns, for each row,
   * the cosines of the chunk, then its sines. */
  const th_fft_node *column, *row;
  const void *turns;
  /* SUM: the waves, two matrices, one after the other: for each k from 1 to n / 2 the cosines of 2 pi j k / n for j from 0 to
   * n / 2, zeros up to whole chunks, then the same of the sines. */
  const void *waves;
  /* CHIRP, PRIME, WEIGHTED: the transform of the convolution's size, and the spectrum that it multiplies with, which the first
   * call that has the instruction set for it computes. PRIME: of real lines it is of n - 1 real numbers, and `padded` of half
   * as many. chirp: cos and sin of pi k^2 / n; WEIGHTED: of pi k / (2 N), where `padded` is of N. order: PRIME, WEIGHTED: the
   * powers 0 to (n - 1) / 2 of a primitive root, modulo n; each one is followed by n minus it, (n - 1) / 2 powers later. */
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

/* Numbers of a row of the waves of n. */
static inline __attribute__((unused)) int64_t th_fft_waves(int64_t n, int64_t chunk) { return (n / 2 + chunk) / chunk * chunk; }

typedef struct th_fft_plan th_fft_plan;
struct th_fft_plan {
  int64_t n;
  int     dtype;                    /* TH_F32 or TH_F64 */
  bool    real;                     /* for lines of real numbers on one side */
  bool    folded;                   /* these take n real numbers and half a spectrum; other ones are complex lines meanwhile */
  const th_fft_node *node;          /* of n; of n / 2, where a folded line of even size is as many complex numbers */
  const void *roots;                /* folded: cos and sin of 2 pi k / n, or n - 1 of a PRIME, for k to a quarter of it */
  int     blocks;                   /* the memory behind it */
  void   *block[512];
  int64_t bytes, used;              /* used: the call that wanted it last */
  int     users;
  bool    kept;                     /* in the cache */
};

/* Finishes a new plan with kernels of a CPU level. */
typedef th_status th_fft_finish(th_fft_plan *p);

/* The plan of size n >= 1; many calls may share it. Give it back with th_fft_plan_put. */
th_status th_fft_plan_get(th_fft_plan **p, int64_t n, int dtype, bool real, th_fft_finish *finish);
void      th_fft_plan_put(th_fft_plan *p);

/* cos and sin of 2 pi e / n for e from 0 to n - 1, right to the last bit. */
th_status th_fft_roots(int dtype, int64_t n, void *to);

#endif
