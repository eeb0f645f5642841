/* element.c - reads and writes typed elements of files: binary in either byte order, or text as in Torch7. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include "file.h"

enum {
  LONGEST = 1100,                   /* characters of a number: more than the digits of any double */
  PART = 4096,                      /* elements converted at a time */
  PATIENCE = 1 << 16                /* elements of text between two checks of th_interrupted */
};

/* Numbers are read and written in the C locale, so that files do not depend on the user's locale. */
static locale_t c_locale(void)
{
  static locale_t c;
  locale_t mine = __atomic_load_n(&c, __ATOMIC_ACQUIRE), none = (locale_t)0;
  if (mine) return mine;
  mine = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (mine && !__atomic_compare_exchange_n(&c, &none, mine, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_ACQUIRE)) {
    freelocale(mine);
    mine = none;
  }
  return mine;
}

static th_status too_short(const th_file *f, int dtype, int64_t n, int64_t got)
{
  return th_fail(TH_EIO, "%s ends after %lld of %lld %s elements", f->name, (long long)got,
                 (long long)n, th_dtype_name(dtype));
}

/* ---- binary ---------------------------------------------------------------------------------- */

static void swap_bytes(void *elements, int64_t n, size_t es)
{
  uint8_t *p = elements;
  for (int64_t i = 0; i < n; i++, p += es) {
    for (size_t k = 0; k < es / 2; k++) {
      const uint8_t b = p[k];
      p[k] = p[es - 1 - k];
      p[es - 1 - k] = b;
    }
  }
}

static bool swapped(const th_file *f, size_t es)
{
  const uint16_t one = 1;
  const bool big_cpu = *(const uint8_t *)&one == 0;
  return es > 1 && (f->option[TH_FILE_BIGENDIAN] != 0) != big_cpu;
}

static th_status read_narrow_longs(th_file *f, int64_t *to, int64_t n, int64_t *got)
{
  int32_t part[PART];
  *got = 0;
  while (*got < n) {
    int64_t bytes;
    const int64_t want = n - *got < PART ? n - *got : PART;
    TH_TRY(th_io_take(f, part, want * 4, &bytes));
    const int64_t k = bytes / 4;
    if (swapped(f, 4)) swap_bytes(part, k, 4);
    for (int64_t i = 0; i < k; i++) to[*got + i] = part[i];
    *got += k;
    if (k < want) return too_short(f, TH_I64, n, *got);
  }
  return TH_OK;
}

static th_status read_binary(th_file *f, int dtype, void *to, int64_t n, int64_t *got)
{
  const int64_t es = (int64_t)th_dtype_size(dtype);
  int64_t bytes;
  if (dtype == TH_I64 && f->option[TH_FILE_LONGSIZE] == 4) return read_narrow_longs(f, to, n, got);
  TH_TRY(th_io_take(f, to, n * es, &bytes));
  *got = bytes / es;
  if (swapped(f, (size_t)es)) swap_bytes(to, *got, (size_t)es);
  return *got < n ? too_short(f, dtype, n, *got) : TH_OK;
}

static th_status write_narrow_longs(th_file *f, const int64_t *from, int64_t n)
{
  int32_t part[PART];
  for (int64_t i = 0; i < n; i++) {
    if (from[i] == (int32_t)from[i]) continue;
    return th_fail(TH_EARG, "element %lld must fit 4 bytes (longSize), got %lld",
                   (long long)i + 1, (long long)from[i]);
  }
  for (int64_t done = 0; done < n; done += PART) {
    const int64_t k = n - done < PART ? n - done : PART;
    for (int64_t i = 0; i < k; i++) part[i] = (int32_t)from[done + i];
    if (swapped(f, 4)) swap_bytes(part, k, 4);
    TH_TRY(th_io_put(f, part, k * 4));
  }
  return TH_OK;
}

static th_status write_binary(th_file *f, int dtype, const char *from, int64_t n)
{
  const int64_t es = (int64_t)th_dtype_size(dtype);
  char part[PART];
  if (dtype == TH_I64 && f->option[TH_FILE_LONGSIZE] == 4) {
    return write_narrow_longs(f, (const int64_t *)from, n);
  }
  if (!swapped(f, (size_t)es)) return th_io_put(f, from, n * es);
  for (int64_t done = 0, k; done < n; done += k) {
    k = n - done < PART / es ? n - done : PART / es;
    memcpy(part, from + done * es, (size_t)(k * es));
    swap_bytes(part, k, (size_t)es);
    TH_TRY(th_io_put(f, part, k * es));
  }
  return TH_OK;
}

/* ---- text ------------------------------------------------------------------------------------ */

static th_status skip_blanks(th_file *f)
{
  for (;;) {
    const uint8_t *p;
    int64_t have, k = 0;
    TH_TRY(th_io_peek(f, 1, &p, &have));
    while (k < have && isspace(p[k])) k++;
    th_io_skip(f, k);
    if (k < have || have == 0) return TH_OK;
  }
}

/* With spacing, the end of the line belongs to the element before it. */
static th_status skip_line_end(th_file *f)
{
  const uint8_t *p;
  int64_t have;
  if (!f->option[TH_FILE_SPACING]) return TH_OK;
  TH_TRY(th_io_peek(f, 1, &p, &have));
  if (have > 0 && *p == '\n') th_io_skip(f, 1);
  return TH_OK;
}

static th_status no_number(const th_file *f, const char *text)
{
  char shown[24];
  size_t k = 0;
  for (; k < sizeof shown - 1 && text[k]; k++) {
    shown[k] = isprint((unsigned char)text[k]) ? text[k] : '?';
  }
  shown[k] = '\0';
  return th_fail(TH_EIO, "%s has no number at byte %lld, but '%s'", f->name,
                 (long long)th_file_place(f) + 1, shown);
}

static th_status store_integer(const th_file *f, int dtype, void *to, int64_t i, long long v)
{
  static const struct { int64_t lo, hi; } range[TH_NDTYPE] = {
    [TH_I16] = { INT16_MIN, INT16_MAX }, [TH_I32] = { INT32_MIN, INT32_MAX },
    [TH_I64] = { INT64_MIN, INT64_MAX },
  };
  if (v < range[dtype].lo || v > range[dtype].hi) {
    return th_fail(TH_EIO, "%s: %lld before byte %lld does not fit %s", f->name, v,
                   (long long)th_file_place(f) + 1, th_dtype_name(dtype));
  }
  if (dtype == TH_I16) ((int16_t *)to)[i] = (int16_t)v;
  else if (dtype == TH_I32) ((int32_t *)to)[i] = (int32_t)v;
  else ((int64_t *)to)[i] = v;
  return TH_OK;
}

static void store_real(int dtype, void *to, int64_t i, double v)
{
  if (dtype == TH_F32) ((float *)to)[i] = (float)v;
  else if (dtype == TH_F64) ((double *)to)[i] = v;
  else ((uint16_t *)to)[i] = th_half_from_double(v, dtype);
}

/* Reads the number at the current position; without one fails with TH_EIO and consumes nothing. */
static th_status read_number(th_file *f, int dtype, void *to, int64_t i)
{
  const uint8_t *p;
  int64_t have, want = 1, k;
  char text[LONGEST + 1], *end;
  for (;;) {                         /* never waits for bytes after the number */
    TH_TRY(th_io_peek(f, want, &p, &have));
    for (k = 0; k < have && k < LONGEST && p[k] && !isspace(p[k]); k++) continue;
    if (k < have || have < want || k == LONGEST) break;
    want = have + 1;
  }
  memcpy(text, p, (size_t)k);
  text[k] = '\0';
  errno = 0;
  if (dtype == TH_I16 || dtype == TH_I32 || dtype == TH_I64) {
    const long long v = strtoll(text, &end, 10);
    if (end == text) return no_number(f, text);
    if (errno == ERANGE) {
      return th_fail(TH_EIO, "%s: '%.24s' does not fit %s", f->name, text, th_dtype_name(dtype));
    }
    th_io_skip(f, end - text);
    return store_integer(f, dtype, to, i, v);
  }
  const double v = strtod(text, &end);
  if (end == text) return no_number(f, text);
  th_io_skip(f, end - text);
  store_real(dtype, to, i, v);
  return TH_OK;
}

static th_status at_end(th_file *f, bool *yes)
{
  const uint8_t *p;
  int64_t have;
  TH_TRY(skip_blanks(f));
  TH_TRY(th_io_peek(f, 1, &p, &have));
  *yes = have == 0;
  return TH_OK;
}

static th_status read_numbers(th_file *f, int dtype, void *to, int64_t n, int64_t *got)
{
  for (*got = 0; *got < n; (*got)++) {
    bool end;
    TH_TRY(at_end(f, &end));
    if (end) return too_short(f, dtype, n, *got);
    TH_TRY(read_number(f, dtype, to, *got));
    if (*got % PATIENCE == PATIENCE - 1) TH_TRY(th_io_patience(f));
  }
  return TH_OK;
}

/* Characters are stored in text as they are, not as numbers. */
static th_status read_text(th_file *f, int dtype, void *to, int64_t n, int64_t *got)
{
  if (dtype == TH_U8 || dtype == TH_I8) TH_TRY(read_binary(f, dtype, to, n, got));
  else TH_TRY(read_numbers(f, dtype, to, n, got));
  return n > 0 ? skip_line_end(f) : TH_OK;
}

/* Writes as many digits as are needed to read the same number back. */
static int spell(char *text, size_t room, int dtype, const void *from, int64_t i)
{
  switch (dtype) {
    case TH_I16: return snprintf(text, room, "%d", ((const int16_t *)from)[i]);
    case TH_I32: return snprintf(text, room, "%d", ((const int32_t *)from)[i]);
    case TH_I64: return snprintf(text, room, "%lld", (long long)((const int64_t *)from)[i]);
    case TH_F32: return snprintf(text, room, "%.9g", (double)((const float *)from)[i]);
    case TH_F64: return snprintf(text, room, "%.17g", ((const double *)from)[i]);
  }
  return snprintf(text, room, "%.9g", th_half_to_double(((const uint16_t *)from)[i], dtype));
}

static th_status write_text(th_file *f, int dtype, const char *from, int64_t n)
{
  const bool spacing = f->option[TH_FILE_SPACING] != 0;
  char text[64];
  if (dtype == TH_U8 || dtype == TH_I8) {
    TH_TRY(th_io_put(f, from, n));
  } else {
    for (int64_t i = 0; i < n; i++) {
      int k = spell(text, sizeof text - 1, dtype, from, i);
      if (spacing && i + 1 < n) text[k++] = ' ';
      TH_TRY(th_io_put(f, text, k));
      if (i % PATIENCE == PATIENCE - 1) TH_TRY(th_io_patience(f));
    }
  }
  return spacing && n > 0 ? th_io_put(f, "\n", 1) : TH_OK;
}

/* ---- binary and text ------------------------------------------------------------------------- */

static th_status need_elements(int dtype, int64_t n)
{
  if (!th_dtype_size(dtype)) return th_fail(TH_EDTYPE, "dtype %d does not exist", dtype);
  if (n < 0 || n > INT64_MAX / 16) {
    return th_fail(TH_EARG, "the number of elements must not be %lld", (long long)n);
  }
  return TH_OK;
}

th_status th_file_read(th_file *f, int dtype, void *to, int64_t n, int64_t *got)
{
  th_enter("file");
  *got = 0;
  TH_TRY(th_io_need(f, TH_FILE_READ));
  TH_TRY(need_elements(dtype, n));
  if (f->option[TH_FILE_BINARY]) return read_binary(f, dtype, to, n, got);
  const locale_t c = c_locale(), before = c ? uselocale(c) : (locale_t)0;
  const th_status s = read_text(f, dtype, to, n, got);
  if (c) uselocale(before);
  return s;
}

th_status th_file_write(th_file *f, int dtype, const void *from, int64_t n)
{
  th_enter("file");
  TH_TRY(th_io_need(f, TH_FILE_WRITE));
  TH_TRY(need_elements(dtype, n));
  if (f->option[TH_FILE_BINARY]) return write_binary(f, dtype, from, n);
  const locale_t c = c_locale(), before = c ? uselocale(c) : (locale_t)0;
  const th_status s = write_text(f, dtype, from, n);
  if (c) uselocale(before);
  return s;
}

th_status th_file_line(th_file *f, char *to, int64_t room, int64_t *n, int *state)
{
  th_enter("file");
  const uint8_t *p;
  int64_t have;
  *n = 0;
  *state = 0;
  TH_TRY(th_io_need(f, TH_FILE_READ));
  while (*n < room) {
    TH_TRY(th_io_peek(f, 1, &p, &have));
    if (have == 0) {
      *state = *n > 0 ? 1 : 2;
      return TH_OK;
    }
    if (have > room - *n) have = room - *n;
    const uint8_t *end = memchr(p, '\n', (size_t)have);
    const int64_t k = end ? end - p : have;
    memcpy(to + *n, p, (size_t)k);
    *n += k;
    th_io_skip(f, k + (end != NULL));
    if (end) {
      *state = 1;
      return TH_OK;
    }
  }
  return TH_OK;
}
