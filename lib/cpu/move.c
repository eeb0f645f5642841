/* move.c - rectangles of elements from one layout to another: rows, columns, and blocks that are turned. */
#ifndef U
#include <unistd.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include "move.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define M(f) JOIN(f##_, U)

/* The halves of two vectors, element by element in turn. */
#ifdef __clang__
#define LOW_HALVES(a, b) __builtin_shufflevector(a, b, LOW)
#define HIGH_HALVES(a, b) __builtin_shufflevector(a, b, HIGH)
#else
#define LOW_HALVES(a, b) __builtin_shuffle(a, b, (M(lanes)){ LOW })
#define HIGH_HALVES(a, b) __builtin_shuffle(a, b, (M(lanes)){ HIGH })
#endif

#define U uint8_t
#define LOG2 4
#define LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#include "move.c"
#undef U
#undef LOG2
#undef LOW
#undef HIGH
#define U uint16_t
#define LOG2 3
#define LOW 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#include "move.c"
#undef U
#undef LOG2
#undef LOW
#undef HIGH
#define U uint32_t
#define LOG2 2
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#include "move.c"
#undef U
#undef LOG2
#undef LOW
#undef HIGH
#define U uint64_t
#define LOG2 1
#define LOW 0, 2
#define HIGH 1, 3
#include "move.c"
#undef U

void TH_AT(th_move)(int64_t size, th_rect to, th_rect from, int64_t n, int64_t rows)
{
  switch (size) {
    case 1:  move_uint8_t(to, from, n, rows); break;
    case 2:  move_uint16_t(to, from, n, rows); break;
    case 4:  move_uint32_t(to, from, n, rows); break;
    default: move_uint64_t(to, from, n, rows); break;
  }
}

bool TH_AT(th_streams)(int64_t bytes)
{
  static int64_t limit;
  if (!limit) {
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    limit = cache > 0 ? cache / 2 : 16 << 20;
  }
  return bytes > limit;
}

void TH_AT(th_stream)(char *to, const char *from, int64_t bytes)
{
#ifdef __x86_64__
  const int64_t head = th_min(bytes, -(intptr_t)to & 63);
  memcpy(to, from, (size_t)head);
  int64_t i = head;
  for (; i + 64 <= bytes; i += 64) {
    for (int k = 0; k < 64; k += 16) {
      _mm_stream_si128((__m128i *)(to + i + k), _mm_loadu_si128((const __m128i *)(from + i + k)));
    }
  }
  memcpy(to + i, from + i, (size_t)(bytes - i));
  _mm_sfence();
#else
  memcpy(to, from, (size_t)bytes);
#endif
}

typedef struct copying { int64_t size; bool streams; } copying;

static void copy_tile(char *const *p, const int64_t *step, const int64_t *jump, int64_t n,
                      int64_t rows, const void *ctx)
{
  const copying *c = ctx;
  const bool flat = step[0] == c->size && step[1] == c->size && rows == 1;
  if (c->streams && flat) {
    TH_AT(th_stream)(p[0], p[1], n * c->size);
    return;
  }
  TH_AT(th_move)(c->size, (th_rect){ p[0], step[0], jump[0] }, (th_rect){ p[1], step[1], jump[1] },
                 n, rows);
}

th_status TH_AT(th_copy_elements)(th_tensor *y, th_tensor *x)
{
  copying c = { .size = (int64_t)th_element_size(y->dtype) };
  const int64_t n = th_numel(y);
  th_rect to, from;
  if (n <= TH_FEW && th_rect_of(&to, y, y) && th_rect_of(&from, x, y)) {
    if (n > 0) TH_AT(th_move)(c.size, to, from, th_rect_cols(y), th_rect_rows(y));
    return TH_OK;
  }
  c.streams = TH_AT(th_streams)(n * c.size);
  return th_each_tile(2, (th_tensor *const[]){ y, x }, copy_tile, &c);
}

#else

enum { M(LANES) = 1 << LOG2 };
typedef U M(lanes) __attribute__((vector_size(16)));

/* y[r][i] = x[i][r] for a block of LANES x LANES elements. */
TH_INLINE void M(turn_block)(char *y, int64_t ydown, const char *x, int64_t xdown)
{
  M(lanes) a[LOG2 + 1][M(LANES)];
#pragma GCC unroll 16
  for (int i = 0; i < M(LANES); i++) memcpy(&a[0][i], x + i * xdown, 16);
#pragma GCC unroll 16
  for (int s = 0; s < LOG2; s++) {
#pragma GCC unroll 16
    for (int i = 0; i < M(LANES) / 2; i++) {
      a[s + 1][2 * i] = LOW_HALVES(a[s][i], a[s][i + M(LANES) / 2]);
      a[s + 1][2 * i + 1] = HIGH_HALVES(a[s][i], a[s][i + M(LANES) / 2]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < M(LANES); r++) memcpy(y + r * ydown, &a[LOG2][r], 16);
}

/* Rows of y, which are columns of x. */
static void M(turn)(char *y, int64_t ydown, const char *x, int64_t xdown, int64_t n, int64_t rows)
{
  const int64_t es = sizeof(U);
  int64_t r = 0;
  for (; r + M(LANES) <= rows; r += M(LANES)) {
    int64_t i = 0;
    for (; i + M(LANES) <= n; i += M(LANES)) {
      M(turn_block)(y + r * ydown + i * es, ydown, x + i * xdown + r * es, xdown);
    }
    for (; i < n; i++) {
      for (int k = 0; k < M(LANES); k++) {
        memcpy(y + (r + k) * ydown + i * es, x + i * xdown + (r + k) * es, sizeof(U));
      }
    }
  }
  for (; r < rows; r++) {
    for (int64_t i = 0; i < n; i++) memcpy(y + r * ydown + i * es, x + i * xdown + r * es, sizeof(U));
  }
}

static void M(move_row)(char *y, int64_t ystep, const char *x, int64_t xstep, int64_t n)
{
  const int64_t es = sizeof(U);
  if (ystep == es && xstep == es) {
    memmove(y, x, sizeof(U) * (size_t)n);
  } else if (ystep == es && xstep == 0) {
    const U v = *(const U *)x;
    for (int64_t i = 0; i < n; i++) ((U *)y)[i] = v;
  } else if (ystep == es) {
    for (int64_t i = 0; i < n; i++) ((U *)y)[i] = *(const U *)(x + i * xstep);
  } else {
    for (int64_t i = 0; i < n; i++) *(U *)(y + i * ystep) = *(const U *)(x + i * xstep);
  }
}

static void M(move)(th_rect y, th_rect x, int64_t n, int64_t rows)
{
  const int64_t es = sizeof(U);
  if (rows == 1) {
    M(move_row)(y.p, y.step, x.p, x.step, n);
  } else if (y.step == es && x.jump == es && x.step != 0 && x.step != es) {
    M(turn)(y.p, y.jump, x.p, x.step, n, rows);
  } else if (x.step == es && y.jump == es && y.step != 0 && y.step != es) {
    M(turn)(y.p, y.step, x.p, x.jump, rows, n);
  } else if (y.step == es && x.step == es && y.jump == n * es && x.jump == n * es) {
    memmove(y.p, x.p, sizeof(U) * (size_t)(n * rows));
  } else {
    for (int64_t r = 0; r < rows; r++) M(move_row)(y.p + r * y.jump, y.step, x.p + r * x.jump, x.step, n);
  }
}
#endif
