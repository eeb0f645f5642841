// sort.cuh - stable sorting of pairs of an unsigned key and a place; for sorts along a dimension, and for ops that write
// where an index says, in the order in which it says so.
#ifndef TH_SORT_CUH
#define TH_SORT_CUH
#include "backend.cuh"

/* Lines of n pairs, one after the other. The caller writes keys and places, calls sort, and finds the sorted lines where
 * key and place point then. K is uint32_t or uint64_t. */
template <class K> class sorting {
public:
  K *key;
  uint32_t *place;
  sorting() : key(nullptr), place(nullptr), spare_key(nullptr), spare_place(nullptr) {}
  th_status take(int64_t count);             /* room for so many pairs */
  th_status sort(int64_t lines, int64_t n);
private:
  th_cuda_scratch room;
  K *spare_key;
  uint32_t *spare_place;
};
extern template class sorting<uint32_t>;
extern template class sorting<uint64_t>;

#endif
