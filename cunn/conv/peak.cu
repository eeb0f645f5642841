// peak.cu - the peak rates of a device, from its properties, and the name under which times of engines are kept.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include "engine.cuh"
#include "../libraries/cudnn.cuh"
#include "../libraries/cufft.cuh"

/* tf32_name names the device where floats are rounded to TF32: engines take other times then. */
static struct { std::once_flag once; th_cuda_peak peak; char name[256], tf32_name[264]; } known[TH_MAXDEVICE];

/* `usual` where the driver does not tell. */
static double attribute(cudaDeviceAttr what, int device, double usual = 1)
{
  int v = 0;
  if (cudaDeviceGetAttribute(&v, what, device - 1) != cudaSuccess) cudaGetLastError();
  return v > 0 ? v : usual;
}

/* Results a clock of one multiprocessor, as CUDA's programming guide lists them by compute capability. */
static int floats_of(int major, int minor) { return major < 8 || (major == 8 && minor == 0) ? 64 : 128; }
static int doubles_of(int major, int minor)
{
  if (minor == 0 && (major == 7 || major == 8)) return 32;
  return minor == 0 && (major == 9 || major == 10) ? 64 : 2;
}

static void add_version(char *to, size_t size, const char *what, const char *version)
{
  const size_t n = strlen(to);
  if (*version) snprintf(to + n, size - n, ", %s %s", what, version);
}

static void ask(int device)
{
  auto &k = known[device - 1];
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, device - 1) == cudaSuccess) {
    /* Another version of a library takes other times. */
    snprintf(k.name, sizeof k.name, "%s", p.name);
    add_version(k.name, sizeof k.name, "cuBLAS", th_cuda_blas_version());
    add_version(k.name, sizeof k.name, "cuFFT", th_cuda_fft_version());
    add_version(k.name, sizeof k.name, "cuDNN", dnn::version());
    snprintf(k.tf32_name, sizeof k.tf32_name, "%s", (std::string(k.name) + ", TF32").c_str());
  } else {
    cudaGetLastError();
  }
  const int major = (int)attribute(cudaDevAttrComputeCapabilityMajor, device);
  int minor = 0;
  if (cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device - 1) != cudaSuccess) cudaGetLastError();
  const double n = attribute(cudaDevAttrMultiProcessorCount, device), hz = 1e3 * attribute(cudaDevAttrClockRate, device, 1.5e6);
  k.peak.floats = 2 * n * floats_of(major, minor) * hz;
  k.peak.doubles = 2 * n * doubles_of(major, minor) * hz;
  /* Tensor cores reach about these multiples in convolutions: measured on an H200 (bench/results/nvidia-h200.md). */
  k.peak.halves = (major < 8 ? 4 : 8) * k.peak.floats;
  k.peak.tf32 = (major < 8 ? 1 : 4) * k.peak.floats;
  /* Memory gives two words a clock. */
  k.peak.bytes = 2 * 1e3 * attribute(cudaDevAttrMemoryClockRate, device, 2e6) *
                 attribute(cudaDevAttrGlobalMemoryBusWidth, device, 1024) / 8;
  k.peak.multiprocessors = (int)n;
}

const char *th_cuda_model(int device)
{
  if (device < 1 || device > TH_MAXDEVICE) return nullptr;
  std::call_once(known[device - 1].once, ask, device);
  const auto &k = known[device - 1];
  return !k.name[0] ? nullptr : th_cuda_tf32() ? k.tf32_name : k.name;
}

const th_cuda_peak &th_cuda_peak_of(int device)
{
  th_cuda_model(device);
  return known[device - 1].peak;
}

double th_cuda_share(const th_cuda_peak &p, double blocks)
{
  const double places = 2.0 * p.multiprocessors;
  return blocks / (places * std::ceil(std::max(blocks, 1.0) / places));
}
