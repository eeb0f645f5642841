/* lib/conv/onednn_library.h - the part of oneDNN's interface, version 2, that lib/conv/onednn.c
 * uses. onednn_library.c finds its functions at run time. */
#ifndef TH_ONEDNN_LIBRARY_H
#define TH_ONEDNN_LIBRARY_H
#include "../core/core.h"

typedef struct argument { int what; void *memory; } argument;
/* Descriptors are plain memory of 696 and 5976 bytes; only the library reads them. */
enum { LAYOUT_BYTES = 696 };
typedef struct layout { _Alignas(8) char bytes[LAYOUT_BYTES]; } layout;
typedef struct operation { _Alignas(16) char bytes[8192]; } operation;

#define TH_ONEDNN_FUNCTIONS(F) \
  F(int, engine_create, void **engine, int kind, size_t index) \
  F(int, stream_create, void **stream, void *engine, unsigned flags) \
  F(int, set_max_cpu_isa, int isa) \
  F(int, get_effective_cpu_isa, void) \
  F(int, set_primitive_cache_capacity, int n) \
  F(int, primitive_attr_create, void **attr) \
  F(int, primitive_attr_set_scratchpad_mode, void *attr, int mode) \
  F(int, memory_desc_init_by_strides, layout *l, int n, const int64_t *size, int type, \
    const int64_t *stride) \
  F(int, memory_desc_init_by_tag, layout *l, int n, const int64_t *size, int type, int tag) \
  F(int, memory_desc_init_submemory, layout *l, const layout *of, const int64_t *size, \
    const int64_t *offset) \
  F(int, memory_desc_equal, const layout *a, const layout *b) \
  F(size_t, memory_desc_get_size, const layout *l) \
  F(int, memory_create, void **memory, const layout *l, void *engine, void *data) \
  F(int, memory_set_data_handle, void *memory, void *data) \
  F(int, memory_destroy, void *memory) \
  F(int, dilated_convolution_forward_desc_init, operation *op, int kind, int how, \
    const layout *src, const layout *weights, const layout *bias, const layout *dst, \
    const int64_t *stride, const int64_t *gap, const int64_t *before, const int64_t *after) \
  F(int, dilated_convolution_backward_data_desc_init, operation *op, int how, \
    const layout *src, const layout *weights, const layout *dst, const int64_t *stride, \
    const int64_t *gap, const int64_t *before, const int64_t *after) \
  F(int, dilated_convolution_backward_weights_desc_init, operation *op, int how, \
    const layout *src, const layout *weights, const layout *bias, const layout *dst, \
    const int64_t *stride, const int64_t *gap, const int64_t *before, const int64_t *after) \
  F(int, primitive_desc_create, void **desc, const operation *op, void *attr, void *engine, \
    const void *forward) \
  F(int, reorder_primitive_desc_create, void **desc, const layout *from, void *engine, \
    const layout *to, void *same, void *attr) \
  F(int, primitive_desc_destroy, void *desc) \
  F(const layout *, primitive_desc_query_md, const void *desc, int what, int index) \
  F(int, primitive_create, void **primitive, const void *desc) \
  F(int, primitive_get_primitive_desc, const void *primitive, const void **desc) \
  F(int, primitive_execute, const void *primitive, void *stream, int n, const argument *args) \
  F(int, primitive_destroy, void *primitive)

/* Why oneDNN is not used, or NULL if it is. Opens the library at the first call. */
const char *th_onednn_missing(void);

/* Call these around calls of th_dnn, and of plans: they limit OpenMP to this thread, then restore
 * its thread count. */
int  th_onednn_enter(void);
void th_onednn_leave(int before);

/* Valid once th_onednn_missing has returned NULL. */
extern struct th_dnn {
#define DECLARE(type, name, ...) type (*name)(__VA_ARGS__);
  TH_ONEDNN_FUNCTIONS(DECLARE)
#undef DECLARE
  void *engine, *stream, *attr;
} th_dnn;

#endif
