// mma.cuh - products of matrices of halves on tensor cores, as PTX of compute capability 8.0, and the same for the emulated
// device. A warp multiplies A (16 x 16) by B (16 x 8) into C (16 x 8). Lane l has of a matrix with rows of 8 numbers the numbers
// 2 (l % 4) and the next one of row l / 4: A is four such matrices (top left, bottom left, top right, bottom right), C two (top,
// bottom), and the transpose of B two (its left and its right part).
//
// A device adds the products of a step in an order and with a rounding that are not documented, so the last bits of sums differ
// from those of the emulated device.
#ifndef TH_MMA_CUH
#define TH_MMA_CUH
#include "../runtime/vector.cuh"

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
#define TH_HAS_MMA 1
#else
#define TH_HAS_MMA 0                         /* the emulated device, or code that an older GPU never runs */
#endif

namespace mma {

#define MMA_FN static __device__ __forceinline__

/* 8 halves, the unit of copies and of rows in shared memory. */
struct alignas(16) chunk { uint16_t half[8]; };

MMA_FN int lane() { return (int)(threadIdx.x % 32); }

#if TH_HAS_MMA
MMA_FN uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
#endif

/* 2^x; a result too small for a normal number is 0. */
MMA_FN float exp2_of(float x)
{
#if TH_HAS_MMA
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return x < -126 ? 0 : ::exp2f(x);
#endif
}

#ifndef __CUDACC__
/* Two words of each lane of the warp. */
struct words { uint32_t of[2][32]; };
static inline void gather(words &w, uint32_t a, uint32_t b)
{
  const uint64_t *all = emu::meet(0xffffffffu, (uint64_t)b << 32 | a);
  for (int l = 0; l < 32; l++) w.of[0][l] = (uint32_t)all[l], w.of[1][l] = (uint32_t)(all[l] >> 32);
}
template <class T> static inline float half_at(uint32_t pair, int i) { return load_half(T{ (uint16_t)(pair >> 16 * i) }); }

template <class T> static inline void emulated_product(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
  words side[2], y;                          /* A's left and right half; B */
  gather(side[0], a[0], a[1]);
  gather(side[1], a[2], a[3]);
  gather(y, b0, b1);
  for (int i = 0; i < 4; i++) {
    const int row = lane() / 4 * 4, col = (lane() % 4 * 2 + i % 2) * 4;
    for (int k = 0; k < 16; k++) {
      const uint32_t left = side[k / 8].of[i / 2][row + k % 8 / 2], right = y.of[k / 8][col + k % 8 / 2];
      c[i] += half_at<T>(left, k % 2) * half_at<T>(right, k % 2);
    }
  }
}
#endif

/* c += a b, summed in float. */
MMA_FN void product(f16, float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
#if TH_HAS_MMA
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#elif !defined __CUDACC__
  emulated_product<f16>(c, a, b0, b1);
#endif
}
MMA_FN void product(bf16, float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
#if TH_HAS_MMA
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#elif !defined __CUDACC__
  emulated_product<bf16>(c, a, b0, b1);
#endif
}

/* Four 8 x 8 matrices from shared memory; lane l gives the address of row l % 8 of matrix l / 8. */
MMA_FN void load(uint32_t (&r)[4], const chunk *row)
{
#if TH_HAS_MMA
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
#elif !defined __CUDACC__
  const uint64_t *all = emu::meet(0xffffffffu, (uint64_t)(uintptr_t)row);
  for (int m = 0; m < 4; m++) memcpy(&r[m], (const uint32_t *)(uintptr_t)all[8 * m + lane() / 4] + lane() % 4, 4);
#endif
}
/* The same, each matrix transposed. */
MMA_FN void load_transposed(uint32_t (&r)[4], const chunk *row)
{
#if TH_HAS_MMA
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(row)) : "memory");
#elif !defined __CUDACC__
  const uint64_t *all = emu::meet(0xffffffffu, (uint64_t)(uintptr_t)row);
  for (int m = 0; m < 4; m++) {
    uint16_t part[2];
    for (int i = 0; i < 2; i++) {
      memcpy(&part[i], (const uint16_t *)(uintptr_t)all[8 * m + lane() % 4 * 2 + i] + lane() / 4, 2);
    }
    r[m] = (uint32_t)part[1] << 16 | part[0];
  }
#endif
}

/* Copies 16 bytes to shared memory, or zeros. They are there after `wait` and a barrier. */
MMA_FN void copy(chunk *to, const void *from, bool some)
{
#if TH_HAS_MMA
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :: "r"(shared_address(to)), "l"(__cvta_generic_to_global(from)), "r"(some ? 16 : 0) : "memory");
#elif !defined __CUDACC__
  memset(to, 0, 16);
  if (some) memcpy(to, from, 16);
#endif
}
MMA_FN void wait()
{
#if TH_HAS_MMA
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace mma
#endif
