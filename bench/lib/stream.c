/* stream.c - limits of the machine: memcpy, a triad, a sum, and multiplications with additions, each with the given number of
 * threads. */
#include <stddef.h>
#include <string.h>

static size_t cut(size_t n, int part, int parts) { return n / 16 * (size_t)part / (size_t)parts * 16; }

void bench_copy(float *y, const float *x, size_t n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int p = 0; p < threads; p++) {
    const size_t from = cut(n, p, threads), to = p + 1 == threads ? n : cut(n, p + 1, threads);
    memcpy(y + from, x + from, (to - from) * sizeof(float));
  }
}

void bench_triad(float *y, const float *a, const float *b, float s, size_t n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static)
  for (size_t i = 0; i < n; i++) y[i] = a[i] + s * b[i];
}

double bench_sum(const float *x, size_t n, int threads)
{
  double sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : sum)
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

/* Multiplications and additions in registers; returns how many were done. */
typedef float lane __attribute__((vector_size(64)));
static volatile float sink;

double bench_multiply(size_t times, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int p = 0; p < threads; p++) {
    lane a[8] = { { 0 } }, factor = { 0 };
    factor += 0.999f;
    for (size_t i = 0; i < times; i++) {
      for (int k = 0; k < 8; k++) a[k] = a[k] * factor + factor;
    }
    for (int k = 1; k < 8; k++) a[0] += a[k];
    sink = a[0][0];
  }
  return 2.0 * 8 * 16 * (double)times * threads;
}
