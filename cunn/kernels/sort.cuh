// sort.cuh - stable sorting of pairs of an unsigned key and a position; for sorts along a dimension, and for ops that write
// where an index says, in the order of the index.
#ifndef TH_SORT_CUH
#define TH_SORT_CUH
#include "../runtime/backend.cuh"

/* Contiguous lines of n pairs. The caller writes keys and positions and calls sort; afterwards key and place point to the sorted
 * lines. K is uint32_t or uint64_t; keys below 2 to the power of `bits` need fewer passes. */
template <class K> class sorting {
public:
  K *key;
  uint32_t *place;
  sorting() : key(nullptr), place(nullptr), spare_key(nullptr), spare_place(nullptr) {}
  th_status take(int64_t count);             /* room for `count` pairs */
  th_status sort(int64_t lines, int64_t n, int bits = 8 * (int)sizeof(K));
private:
  void swap();
  th_status sort_by_digits(int64_t lines, int64_t n, int bits);
  th_cuda_scratch room;
  K *spare_key;
  uint32_t *spare_place;
};
extern template class sorting<uint32_t>;
extern template class sorting<uint64_t>;

#endif
