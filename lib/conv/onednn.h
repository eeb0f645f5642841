/* lib/conv/onednn.h - convolutions by oneDNN, which is opened at run time where it is installed. Each call runs in the
 * calling thread only; the library starts no threads. */
#ifndef TH_ONEDNN_H
#define TH_ONEDNN_H
#include "../core/core.h"

/* Images and kernels of float without groups, as in th_conv_shape, with their strides. */
typedef struct th_onednn_shape {
  int64_t n, c, o, h, w, kh, kw, oh, ow, sh, sw, ph, pw, dh, dw;
  int64_t xs[4], ys[4], ks[4];      /* strides of images, results, kernels */
  int64_t pass, bias;               /* bias: 1 if the result has one */
} th_onednn_shape;

enum { TH_ONEDNN_X, TH_ONEDNN_Y, TH_ONEDNN_K };

/* A convolution ready to run: code, and the layouts that it requires. Any number of threads may use one at the same time. */
typedef struct th_onednn_plan th_onednn_plan;

/* The plan of a shape, from the cache or new, which takes about 0.25 ms. Release it with
 * th_onednn_give, which ignores NULL. */
th_status th_onednn_take(th_onednn_plan **plan, const th_onednn_shape *s);
void      th_onednn_give(th_onednn_plan *plan);

/* The bytes of an operand in the layout of the plan, and whether the operand has that layout already. */
size_t th_onednn_bytes(const th_onednn_plan *plan, int operand);
bool   th_onednn_fits(const th_onednn_plan *plan, int operand);
size_t th_onednn_workspace(const th_onednn_plan *plan);
/* Converts an operand into the layout of the plan, or the result of the pass out of it. Of the operand that is read first (x, or
 * gradOutput in the pass of gradInput) it converts one image. */
bool th_onednn_move(th_onednn_plan *plan, int operand, void *from, void *to);
bool th_onednn_move_image(th_onednn_plan *plan, void *from, void *to);
/* Runs the convolution on operands in the layouts of the plan. False without memory. */
bool th_onednn_run(th_onednn_plan *plan, void *const operand[3], void *bias, void *workspace);

#endif
