// attention.cuh - what all kernels of attention share: the operands, and which keys a query sees.
#ifndef TH_ATTENTION_CUH
#define TH_ATTENTION_CUH
#include "../runtime/backend.cuh"
#include "../../lib/op/attention.args.h"
#define TH_PHILOX_FN TH_DEVICE_FN
#include "../../lib/op/attention_dropout.h"

/* Before a loop: its turns as straight code, whose arrays stay in registers; or one or four turns at a time. */
#ifdef __CUDACC__
#define UNROLL _Pragma("unroll")
#define UNROLL_1 _Pragma("unroll 1")
#define UNROLL_4 _Pragma("unroll 4")
#else
#define UNROLL
#define UNROLL_1
#define UNROLL_4
#endif

/* samples x heads x steps x d; `packed`: 8 features of a step are 16 aligned bytes of neighbours, of elements of 2 bytes. */
template <class T> struct attention_side {
  T *p;
  int64_t sample, head, step, feature;
  bool packed;
};

/* lse has a number of type C for each query, and `rows` two, which the gradients on tensor cores
 * read. */
template <class T> struct attention_of {
  typedef typename element<T>::C C;
  int64_t samples, heads, queries, keys, d;
  int64_t ahead;                             /* query t sees the keys up to t + ahead */
  C scale;
  attention_side<const T> q, k, v, y, g;
  attention_side<T> out, gq, gk, gv;         /* p is nullptr where no result is wanted */
  C *lse;
  int64_t lse_sample, lse_head, lse_step;
  const uint8_t *padding;
  int64_t padding_sample, padding_step;
  C *rows;
  int64_t padded;                            /* rows of a head */
  uint32_t drops;                            /* attention_dropout.h; 0: without dropout */
  C rest;                                    /* the part of weights that remains */
  const int64_t *seed;
  int64_t seed_step;

  __device__ uint64_t random_key() const { return th_drop_key(seed[0], seed[seed_step]); }
  __device__ const uint8_t *padding_of(int64_t matrix) const
  {
    return padding ? padding + matrix / heads * padding_sample : nullptr;
  }
  __device__ C *lse_of(int64_t matrix) const
  {
    return lse + matrix / heads * lse_sample + matrix % heads * lse_head;
  }
  template <class S> __device__ S *first_of(const attention_side<S> &s, int64_t matrix) const
  {
    return s.p + matrix / heads * s.sample + matrix % heads * s.head;
  }
};

/* Whether a weight is dropped: `word` is that of its query, `half` 0 or 1 that of its key. */
TH_DEVICE_FN bool attention_drops(uint32_t word, int half, uint32_t drops)
{
  return half ? word < drops << 16 : (word & 0xffff) < drops;
}

enum { ATTENTION_ROWS = 128 };               /* `padded` is a multiple of this */

/* The kernels on tensor cores, of attention_mma.cu, and whether they take such operands. */
bool th_attention_on_tensor_cores(const attention_of<f16> &j);
bool th_attention_on_tensor_cores(const attention_of<bf16> &j);
th_status th_attention_forward(const attention_of<f16> &j);
th_status th_attention_forward(const attention_of<bf16> &j);
th_status th_attention_backward(const attention_of<f16> &j);
th_status th_attention_backward(const attention_of<bf16> &j);
template <class T> static inline bool th_attention_on_tensor_cores(const attention_of<T> &) { return false; }
template <class T> static inline th_status th_attention_forward(const attention_of<T> &) { return TH_OK; }
template <class T> static inline th_status th_attention_backward(const attention_of<T> &) { return TH_OK; }

#endif
