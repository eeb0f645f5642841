/* utf8.h - reads and writes characters in UTF-8. */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H
#include <stdbool.h>
#include <stdint.h>

enum { REPLACEMENT = 0xFFFD, MAX_CODE = 0x10FFFF };

static inline bool is_tail(uint8_t b) { return (b & 0xC0) == 0x80; }

/* The character at p, where `left` >= 1 bytes remain, and its length. A byte that begins no valid character reads as
 * REPLACEMENT of length 1. */
static inline uint32_t utf8_read(const uint8_t *p, int64_t left, int *length)
{
  const uint32_t a = p[0];
  *length = 1;
  if (a < 0x80) return a;
  if (a < 0xC2 || a > 0xF4 || left < 2 || !is_tail(p[1])) return REPLACEMENT;
  if (a < 0xE0) {
    *length = 2;
    return (a & 31) << 6 | (p[1] & 63);
  }
  if (left < 3 || !is_tail(p[2])) return REPLACEMENT;
  if (a < 0xF0) {
    const uint32_t code = (a & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
    if (code < 0x800 || (code >= 0xD800 && code < 0xE000)) return REPLACEMENT;
    *length = 3;
    return code;
  }
  if (left < 4 || !is_tail(p[3])) return REPLACEMENT;
  const uint32_t code = (a & 7) << 18 | (uint32_t)(p[1] & 63) << 12 | (uint32_t)(p[2] & 63) << 6 | (p[3] & 63);
  if (code < 0x10000 || code > MAX_CODE) return REPLACEMENT;
  *length = 4;
  return code;
}

/* The length of the character that ends before p, where `left` >= 1 bytes precede it. */
static inline int utf8_back(const uint8_t *p, int64_t left)
{
  for (int n = 2; n <= 4 && n <= left; n++) {
    int length;
    utf8_read(p - n, n, &length);
    if (length == n) return n;
  }
  return 1;
}

/* Writes a code point to room for 4 bytes; returns its length. */
static inline int utf8_write(uint8_t *p, uint32_t code)
{
  if (code < 0x80) {
    p[0] = (uint8_t)code;
    return 1;
  }
  if (code < 0x800) {
    p[0] = (uint8_t)(0xC0 | code >> 6);
    p[1] = (uint8_t)(0x80 | (code & 63));
    return 2;
  }
  if (code < 0x10000) {
    p[0] = (uint8_t)(0xE0 | code >> 12);
    p[1] = (uint8_t)(0x80 | (code >> 6 & 63));
    p[2] = (uint8_t)(0x80 | (code & 63));
    return 3;
  }
  p[0] = (uint8_t)(0xF0 | code >> 18);
  p[1] = (uint8_t)(0x80 | (code >> 12 & 63));
  p[2] = (uint8_t)(0x80 | (code >> 6 & 63));
  p[3] = (uint8_t)(0x80 | (code & 63));
  return 4;
}

#endif
