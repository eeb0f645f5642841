/* onednn.h - convolutions of oneDNN, which is opened at run time where it is installed: each call runs in the thread that
 * makes it, whatever threads the library would like to start. */
#ifndef TH_ONEDNN_H
#define TH_ONEDNN_H
#include "core.h"

/* Why oneDNN is not used; NULL: it is. Opened when first asked for. */
const char *th_onednn_missing(void);

/* Images and kernels of float without groups, as in th_conv_shape, and where their numbers lie. */
typedef struct th_onednn_shape {
  int64_t n, c, o, h, w, kh, kw, oh, ow, sh, sw, ph, pw, dh, dw;
  int64_t xs[4], ys[4], ks[4];      /* strides of images, results, kernels */
  int64_t pass, bias;               /* bias: 1 if the result has one */
} th_onednn_shape;

enum { TH_ONEDNN_X, TH_ONEDNN_Y, TH_ONEDNN_K };

/* A convolution ready to run: code, and the layouts that it wants. Any number of threads may use one at a time. */
typedef struct th_onednn_plan th_onednn_plan;

/* The plan of a shape, made or found among those made last; given back by th_onednn_give. */
th_status th_onednn_take(th_onednn_plan **plan, const th_onednn_shape *s);
void      th_onednn_give(th_onednn_plan *plan);

/* Bytes of an operand as the convolution wants it; whether it lies so already. */
size_t th_onednn_bytes(const th_onednn_plan *plan, int operand);
bool   th_onednn_fits(const th_onednn_plan *plan, int operand);
size_t th_onednn_workspace(const th_onednn_plan *plan);

/* Moves an operand into the wanted layout, or the result of the pass out of it; one image of those that are read first: of
 * x, or of gradOutput where that is what gradInput is made of. */
bool th_onednn_move(const th_onednn_plan *plan, int operand, void *from, void *to);
bool th_onednn_move_image(const th_onednn_plan *plan, void *from, void *to);
/* The convolution of operands in the wanted layouts. False: no memory. */
bool th_onednn_run(const th_onednn_plan *plan, void *const operand[3], void *bias, void *workspace);

/* Around calls of the last three: keeps OpenMP to this thread, then gives it back what it had. */
int  th_onednn_enter(void);
void th_onednn_leave(int before);

#endif
