/* stream.c - what the memory gives: memcpy, a triad and a sum, each over the given number of threads. */
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
