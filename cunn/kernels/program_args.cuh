// program_args.cuh - what the kernel of a program of pointwise ops is called with. The texts of
// programs include it, too.
#ifndef TH_PROGRAM_ARGS_CUH
#define TH_PROGRAM_ARGS_CUH

struct program_args {
  enum { INPUTS = 12, OUTPUTS = 8, NUMBERS = 64, DIMS = 16, BLOCK = 256 };
  const void *x[INPUTS];
  void *y[OUTPUTS];
  double d[NUMBERS];                 /* the numbers, and what they are as floats */
  float f[NUMBERS];
  uint32_t n, nothing;               /* the number of elements; 0 */
  /* Where element i of an input lies, if one of them is no contiguous tensor of the size of the
   * results. The dimensions are those that the inputs cannot share; i / size is a product and a
   * shift (vector.cuh). */
  int32_t ndim;
  uint32_t size[DIMS], times[DIMS], shift[DIMS];
  int32_t stride[INPUTS][DIMS];
};

#endif
