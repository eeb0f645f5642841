/* move.h - rectangles of elements from one layout to another, as they are stored. */
#ifndef TH_MOVE_H
#define TH_MOVE_H
#include "walk.h"

/* A rectangle as th_each_tile sees it: elements `step` bytes apart, rows `jump` bytes apart. */
typedef struct th_rect { char *p; int64_t step, jump; } th_rect;

/* Moves `rows` rows of n elements of `size` bytes (1, 2, 4 or 8). */
void TH_AT(th_move)(int64_t size, th_rect to, th_rect from, int64_t n, int64_t rows);

/* Moves bytes past the caches, for what will not be read soon. `to` should lie as memory lines do. */
void TH_AT(th_stream)(char *to, const char *from, int64_t bytes);

/* Is a result of so many bytes better written past the caches? */
bool TH_AT(th_streams)(int64_t bytes);

/* Copies x to y, of the same size and element size; x may broadcast. */
th_status TH_AT(th_copy_elements)(th_tensor *y, th_tensor *x);

#endif
