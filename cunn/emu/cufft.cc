// cufft.cc - the transforms of cuFFT on the emulated device, with cuFFT's names and semantics, computed by plain loops in
// double. An inverse transform overwrites the spectra that it has read, as cuFFT may do.
#include <complex>
#include <map>
#include <mutex>
#include <vector>
#include "../runtime/backend.cuh"

namespace {

enum { SUCCESS = 0, INVALID_PLAN = 1, INVALID_TYPE = 3, INVALID_VALUE = 4, EXECUTION_FAILED = 6, INVALID_SIZE = 8 };
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { WORK = 512 };                 /* bytes of workspace that a plan requests and never needs */
typedef long long whole;
typedef std::complex<double> complex;

struct plan {
  int rank, type;
  whole n[2], in[2], out[2], istride, idist, ostride, odist, batch;
  cudaStream_t stream;
  void *work;
  bool made;
};
std::map<int, plan> plans;
std::mutex lock;
int last;

/* exp(2 pi i k / n), exact at multiples of a quarter turn. */
complex root(whole k, whole n)
{
  static const complex quarters[] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
  k = (k % n + n) % n;
  return 4 * k % n == 0 ? quarters[4 * k / n] : std::polar(1.0, 2 * M_PI * (double)k / (double)n);
}

/* y = the transform of n numbers of x, `step` apart: first of each of p parts, p the least factor of n. */
void transform(const complex *x, whole step, complex *y, whole n, int sign)
{
  whole p = 2;
  if (n == 1) {
    y[0] = x[0];
    return;
  }
  while (p * p <= n && n % p) p++;
  if (n % p) p = n;
  const whole m = n / p;
  std::vector<complex> t((size_t)p);
  for (whole r = 0; r < p; r++) transform(x + r * step, step * p, y + r * m, m, sign);
  for (whole k = 0; k < m; k++) {
    for (whole r = 0; r < p; r++) t[(size_t)r] = y[r * m + k] * root(sign * r * k, n);
    for (whole q = 0; q < p; q++) {
      complex sum = 0;
      for (whole r = 0; r < p; r++) sum += t[(size_t)r] * root(sign * r * q, p);
      y[k + q * m] = sum;
    }
  }
}

/* Rows and columns of a rectangle. */
void transform_all(std::vector<complex> &a, whole h, whole w, int sign)
{
  std::vector<complex> b(a.size()), line((size_t)h);
  for (whole y = 0; y < h; y++) transform(&a[(size_t)(y * w)], 1, &b[(size_t)(y * w)], w, sign);
  for (whole x = 0; x < w; x++) {
    transform(&b[(size_t)x], w, line.data(), h, sign);
    for (whole y = 0; y < h; y++) a[(size_t)(y * w + x)] = line[(size_t)y];
  }
}

/* A line is a rectangle of one row. embed[1] is the length of a row of a tile in memory. */
template <class T> void there(const plan &p, const T *from, T *to)
{
  const whole h = p.rank == 1 ? 1 : p.n[0], w = p.n[p.rank - 1], in = p.in[p.rank - 1], out = p.out[p.rank - 1];
  std::vector<complex> a((size_t)(h * w));
  for (whole e = 0; e < p.batch; e++) {
    for (whole y = 0; y < h; y++) {
      for (whole x = 0; x < w; x++) a[(size_t)(y * w + x)] = from[e * p.idist + (y * in + x) * p.istride];
    }
    transform_all(a, h, w, -1);
    for (whole y = 0; y < h; y++) {
      for (whole x = 0; x <= w / 2; x++) {
        T *z = to + 2 * (e * p.odist + (y * out + x) * p.ostride);
        z[0] = (T)a[(size_t)(y * w + x)].real(), z[1] = (T)a[(size_t)(y * w + x)].imag();
      }
    }
  }
}
template <class T> void back(const plan &p, T *from, T *to)
{
  const whole h = p.rank == 1 ? 1 : p.n[0], w = p.n[p.rank - 1], in = p.in[p.rank - 1], out = p.out[p.rank - 1];
  std::vector<complex> a((size_t)(h * w));
  for (whole e = 0; e < p.batch; e++) {
    for (whole y = 0; y < h; y++) {
      for (whole x = 0; x <= w / 2; x++) {
        T *z = from + 2 * (e * p.idist + (y * in + x) * p.istride);
        const complex v(z[0], z[1]);
        a[(size_t)(y * w + x)] = v;
        if (x && 2 * x < w) a[(size_t)((h - y) % h * w + w - x)] = std::conj(v);
      }
    }
    for (whole y = 0; y < h; y++) {
      for (whole x = 0; x <= w / 2; x++) from[2 * (e * p.idist + (y * in + x) * p.istride)] = -77;
    }
    transform_all(a, h, w, 1);
    for (whole y = 0; y < h; y++) {
      for (whole x = 0; x < w; x++) to[e * p.odist + (y * out + x) * p.ostride] = (T)a[(size_t)(y * w + x)].real();
    }
  }
}

/* Transforms complex lines or tiles, also in place. */
template <class T> void complex_numbers(const plan &p, T *from, T *to, int sign)
{
  const whole h = p.rank == 1 ? 1 : p.n[0], w = p.n[p.rank - 1], in = p.in[p.rank - 1], out = p.out[p.rank - 1];
  std::vector<complex> a((size_t)(h * w));
  for (whole e = 0; e < p.batch; e++) {
    for (whole k = 0; k < h * w; k++) {
      const T *z = from + 2 * (e * p.idist + (k / w * in + k % w) * p.istride);
      a[(size_t)k] = complex(z[0], z[1]);
    }
    transform_all(a, h, w, sign);
    for (whole k = 0; k < h * w; k++) {
      T *z = to + 2 * (e * p.odist + (k / w * out + k % w) * p.ostride);
      z[0] = (T)a[(size_t)k].real(), z[1] = (T)a[(size_t)k].imag();
    }
  }
}

plan *find(int handle)
{
  auto at = plans.find(handle);
  return at == plans.end() ? nullptr : &at->second;
}

typedef std::lock_guard<std::mutex> guard;

int version(int *v)
{
  *v = 0;
  return SUCCESS;
}
int create(int *handle)
{
  guard g(lock);
  plans[*handle = ++last] = plan();
  return SUCCESS;
}
int destroy(int handle)
{
  guard g(lock);
  return plans.erase(handle) ? SUCCESS : INVALID_PLAN;
}
int set_allocation(int handle, int on)
{
  guard g(lock);
  return find(handle) ? on ? INVALID_VALUE : SUCCESS : INVALID_PLAN;         /* the caller provides memory */
}
int make(int handle, int rank, whole *n, whole *inembed, whole istride, whole idist, whole *onembed, whole ostride, whole odist,
         int type, whole batch, size_t *work)
{
  guard g(lock);
  plan *p = find(handle);
  if (!p || p->made) return INVALID_PLAN;
  if (type != R2C && type != C2R && type != D2Z && type != Z2D && type != C2C && type != Z2Z) return INVALID_TYPE;
  if (rank < 1 || rank > 2 || batch < 1) return INVALID_VALUE;
  p->rank = rank, p->type = type, p->batch = batch;
  p->istride = istride, p->idist = idist, p->ostride = ostride, p->odist = odist;
  for (int d = 0; d < rank; d++) {
    if (n[d] < 1) return INVALID_SIZE;
    p->n[d] = n[d], p->in[d] = inembed[d], p->out[d] = onembed[d];
  }
  p->made = true;
  *work = WORK;
  return SUCCESS;
}
int set_work(int handle, void *work)
{
  guard g(lock);
  plan *p = find(handle);
  if (!p || !p->made) return INVALID_PLAN;
  p->work = work;
  return work ? SUCCESS : INVALID_VALUE;
}
int set_stream(int handle, cudaStream_t s)
{
  guard g(lock);
  plan *p = find(handle);
  if (p) p->stream = s;
  return p ? SUCCESS : INVALID_PLAN;
}

/* The workspace belongs to the plan until the work is done, so the work overwrites it. */
int begin(int handle, int type, void *from, void *to, std::function<void(const plan &)> work)
{
  guard g(lock);
  plan *p = find(handle);
  if (!p || !p->made || p->type != type) return INVALID_PLAN;
  if (!p->work || !from || !to) return INVALID_VALUE;
  const plan now = *p;
  emu::launch(1, 1, 0, now.stream, [=] {
      memset(now.work, 0, WORK);
      work(now);
  }, "transforms of cuFFT");
  return cudaGetLastError() == cudaSuccess ? SUCCESS : EXECUTION_FAILED;
}
template <class T, int TYPE, void (*DO)(const plan &, T *, T *)> int execute(int handle, void *from, void *to)
{
  return begin(handle, TYPE, from, to, [=](const plan &p) { DO(p, static_cast<T *>(from), static_cast<T *>(to)); });
}
template <class T, int TYPE> int execute_complex(int handle, void *from, void *to, int direction)
{
  if (direction != -1 && direction != 1) return INVALID_VALUE;
  return begin(handle, TYPE, from, to, [=](const plan &p) {
    complex_numbers(p, static_cast<T *>(from), static_cast<T *>(to), direction);
  });
}
template <class T> void there_of(const plan &p, T *from, T *to) { there<T>(p, from, to); }

}  // namespace

void *emu::cufft(const char *symbol)
{
  static const struct { const char *name; void *f; } all[] = {
    { "cufftGetVersion", (void *)version }, { "cufftCreate", (void *)create }, { "cufftDestroy", (void *)destroy },
    { "cufftSetAutoAllocation", (void *)set_allocation },
    { "cufftMakePlanMany64", (void *)make }, { "cufftSetWorkArea", (void *)set_work }, { "cufftSetStream", (void *)set_stream },
    { "cufftExecR2C", (void *)execute<float, R2C, there_of<float>> },
    { "cufftExecC2R", (void *)execute<float, C2R, back<float>> },
    { "cufftExecD2Z", (void *)execute<double, D2Z, there_of<double>> },
    { "cufftExecZ2D", (void *)execute<double, Z2D, back<double>> },
    { "cufftExecC2C", (void *)execute_complex<float, C2C> }, { "cufftExecZ2Z", (void *)execute_complex<double, Z2Z> },
  };
  for (const auto &f : all) if (strcmp(f.name, symbol) == 0) return f.f;
  return nullptr;
}
