/* dtype.c - the types of elements: their sizes and names. */
#include "core.h"

size_t th_dtype_size(int dtype) { return th_bytes_of(dtype); }

const char *th_dtype_name(int dtype)
{
  static const char *const name[TH_NDTYPE] = { "Undefined", "Byte", "Char", "Short", "Int", "Long",
                                               "Half", "BFloat16", "Float", "Double" };
  return dtype >= 0 && dtype < TH_NDTYPE ? name[dtype] : "Unknown";
}
