// gemm.cuh - matrix products with any strides, and the tiles that compute them.
#ifndef TH_GEMM_CUH
#define TH_GEMM_CUH
#include <type_traits>
#include "../libraries/cublas.cuh"

/* The product by cuBLAS where it knows the type and the layout, else by our tiles. */
th_status th_cuda_gemm_run(const th_cuda_gemm &g);

/* The type in which products of elements T are summed; integers wrap. */
template <class T> struct th_summed {
  typedef typename std::conditional<sizeof(T) == 8, uint64_t, uint32_t>::type whole;
  typedef typename std::conditional<element<T>::is_int, whole, typename element<T>::C>::type P;
  static __device__ P load(T v)
  {
    if constexpr (element<T>::is_int) return (P)(int64_t)v;
    else return element<T>::load(v);
  }
};

/* ---- tiles: all products use them ---- */

constexpr int TILE = 64, DEPTH = 16, SIDE = 16, EACH = TILE / SIDE;

/* O defines the operands: P, their type; P left(b, i, q), element q of row i in the b-th product; P right(b, q, j);
 * void put(b, i, j, P sum), which stores a sum; left_deep, right_deep: whether neighbours along the summed dimension are
 * neighbours in memory. One thread computes each sum, in the order of q. */
template <class O>
static __global__ void __launch_bounds__(THREADS) th_tiles(O o, int64_t batch, int64_t m, int64_t n, int64_t k)
{
  typedef typename O::P P;
  __shared__ P a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
  const int t = (int)threadIdx.x, row = t / SIDE, col = t % SIDE;
  const int64_t rows = (m + TILE - 1) / TILE, cols = (n + TILE - 1) / TILE;
  for (int64_t item = blockIdx.x; item < batch * rows * cols; item += gridDim.x) {
    const int64_t p = item / (rows * cols), i0 = item / cols % rows * TILE, j0 = item % cols * TILE;
    P sum[EACH][EACH] = {};
    for (int64_t q0 = 0; q0 < k; q0 += DEPTH) {
      for (int e = 0; e < EACH; e++) {
        const int i = o.left_deep ? t / DEPTH + e * SIDE : t % TILE, q = o.left_deep ? t % DEPTH : t / TILE + e * EACH;
        a[q][i] = i0 + i < m && q0 + q < k ? o.left(p, i0 + i, q0 + q) : (P)0;
      }
      for (int e = 0; e < EACH; e++) {
        const int j = o.right_deep ? t / DEPTH + e * SIDE : t % TILE, q = o.right_deep ? t % DEPTH : t / TILE + e * EACH;
        b[q][j] = j0 + j < n && q0 + q < k ? o.right(p, q0 + q, j0 + j) : (P)0;
      }
      __syncthreads();
      for (int q = 0; q < DEPTH; q++) {
        for (int r = 0; r < EACH; r++) {
          for (int c = 0; c < EACH; c++) sum[r][c] += a[q][row + r * SIDE] * b[q][col + c * SIDE];
        }
      }
      __syncthreads();
    }
    for (int r = 0; r < EACH; r++) {
      for (int c = 0; c < EACH; c++) {
        const int64_t i = i0 + row + r * SIDE, j = j0 + col + c * SIDE;
        if (i < m && j < n) o.put(p, i, j, sum[r][c]);
      }
    }
  }
}

template <class O> static th_status th_multiply(const O &o, int64_t batch, int64_t m, int64_t n, int64_t k)
{
  const double tiles = (double)batch * (double)((m + TILE - 1) / TILE) * (double)((n + TILE - 1) / TILE);
  if (tiles < 1) return TH_OK;
  TH_LAUNCH((th_tiles<O>), (unsigned)(tiles < 1 << 20 ? tiles : 1 << 20), THREADS, 0, o, batch, m, n, k);
  return th_launched();
}

#endif
