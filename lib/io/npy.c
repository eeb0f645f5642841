/* npy.c - parses the header of NumPy's .npy files, a Python dictionary of three entries. */
#include "../core/core.h"

enum { MOST_HEADER = 10000 };       /* NumPy's limit for untrusted files */

typedef struct text { const uint8_t *p, *end; } text;

static void skip_blanks(text *t)
{
  while (t->p < t->end && (*t->p == ' ' || *t->p == '\t' || *t->p == '\n' || *t->p == '\r')) t->p++;
}

static bool accept(text *t, char c)
{
  skip_blanks(t);
  if (t->p >= t->end || *t->p != (uint8_t)c) return false;
  t->p++;
  return true;
}

static bool accept_word(text *t, const char *word)
{
  const size_t n = strlen(word);
  skip_blanks(t);
  if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0) return false;
  t->p += n;
  return true;
}

/* Parses a string in either kind of quotes, without escapes, of fewer than `room` bytes. */
static bool take_string(text *t, char *to, size_t room)
{
  skip_blanks(t);
  if (t->p >= t->end || (*t->p != '\'' && *t->p != '"')) return false;
  const uint8_t quote = *t->p++;
  size_t n = 0;
  for (; t->p < t->end && *t->p != quote; t->p++) {
    if (n + 1 >= room || *t->p < ' ' || *t->p > '~' || *t->p == '\\') return false;
    to[n++] = (char)*t->p;
  }
  to[n] = '\0';
  return t->p++ < t->end;
}

static bool take_size(text *t, int64_t *size)
{
  skip_blanks(t);
  const uint8_t *first = t->p;
  int64_t v = 0;
  for (; t->p < t->end && *t->p >= '0' && *t->p <= '9'; t->p++) {
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *t->p - '0', &v)) return false;
  }
  if (t->p == first) return false;
  if (t->p < t->end && *t->p == 'L') t->p++;     /* Python 2's long integers */
  *size = v;
  return true;
}

static th_status take_shape(th_npy *h, text *t)
{
  if (!accept(t, '(')) return th_fail(TH_EIO, "the shape in the header must be a tuple");
  while (!accept(t, ')')) {
    int64_t size;
    if (!take_size(t, &size)) return th_fail(TH_EIO, "the shape in the header is no list of sizes");
    if (h->ndim == TH_MAXDIM) {
      return th_fail(TH_EIO, "a tensor has at most %d dimensions, the file has more", TH_MAXDIM);
    }
    h->size[h->ndim++] = size;
    if (!accept(t, ',')) {
      if (!accept(t, ')')) return th_fail(TH_EIO, "the shape in the header has no end");
      break;
    }
  }
  return TH_OK;
}

static th_status take_dtype(th_npy *h, text *t)
{
  static const struct { char name[3]; int dtype; } types[] = {
    { "u1", TH_U8 }, { "i1", TH_I8 }, { "i2", TH_I16 }, { "i4", TH_I32 }, { "i8", TH_I64 },
    { "f2", TH_F16 }, { "f4", TH_F32 }, { "f8", TH_F64 }, { "b1", TH_U8 },
  };
  char descr[32];
  if (!take_string(t, descr, sizeof descr)) {
    return th_fail(TH_EIO, "the type in the header is no type of numbers");
  }
  const char order = descr[0];
  if (order == '<' || order == '>' || order == '|' || order == '=') {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
      if (strcmp(descr + 1, types[i].name) != 0) continue;
      h->dtype = types[i].dtype;
      h->boolean = descr[1] == 'b';
      if (order == '|' && descr[2] != '1') break;
      h->swapped = order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<') && descr[2] != '1';
      return TH_OK;
    }
  }
  return th_fail(TH_EDTYPE, "elements of NumPy's type '%s' have no type here: u1 i1 i2 i4 i8 f2 f4 f8 b1 have", descr);
}

static th_status take_order(th_npy *h, text *t)
{
  if (accept_word(t, "True")) h->fortran = 1;
  else if (!accept_word(t, "False")) return th_fail(TH_EIO, "fortran_order in the header must be True or False");
  return TH_OK;
}

static th_status take_header(th_npy *h, text *t)
{
  static const char *const keys[] = { "descr", "fortran_order", "shape" };
  static th_status (*const take[])(th_npy *, text *) = { take_dtype, take_order, take_shape };
  bool seen[3] = { false, false, false };
  if (!accept(t, '{')) return th_fail(TH_EIO, "the header is no dictionary");
  while (!accept(t, '}')) {
    char key[32];
    int k = 0;
    if (!take_string(t, key, sizeof key)) return th_fail(TH_EIO, "the header has something that is no key");
    while (k < 3 && strcmp(key, keys[k]) != 0) k++;
    if (k == 3 || seen[k]) return th_fail(TH_EIO, "the header has the key '%s'%s", key, k < 3 ? " twice" : "");
    seen[k] = true;
    if (!accept(t, ':')) return th_fail(TH_EIO, "the header has no value for '%s'", key);
    TH_TRY(take[k](h, t));
    if (!accept(t, ',')) {
      if (!accept(t, '}')) return th_fail(TH_EIO, "the header has no end");
      break;
    }
  }
  for (int k = 0; k < 3; k++) {
    if (!seen[k]) return th_fail(TH_EIO, "the header lacks '%s'", keys[k]);
  }
  skip_blanks(t);
  if (t->p != t->end) return th_fail(TH_EIO, "the header has bytes after its end");
  return TH_OK;
}

th_status th_npy_parse(th_npy *h, const void *bytes, int64_t n, int64_t total)
{
  const uint8_t *p = bytes;
  memset(h, 0, sizeof *h);
  th_enter(NULL);
  if (n < 10 || memcmp(p, "\x93NUMPY", 6) != 0) return th_fail(TH_EIO, "this is no .npy file");
  const int version = p[6];
  if (version < 1 || version > 3 || p[7] != 0) {
    return th_fail(TH_EIO, "version %d.%d of the .npy format is not known", version, p[7]);
  }
  const int64_t first = version == 1 ? 10 : 12;
  if (n < first) return th_fail(TH_EIO, "the file ends within its header");
  int64_t size = p[8] | p[9] << 8;
  if (version > 1) size |= (int64_t)p[10] << 16 | (int64_t)p[11] << 24;
  if (size > MOST_HEADER) {
    return th_fail(TH_EIO, "a header has at most %d bytes, the file says %lld", MOST_HEADER, (long long)size);
  }
  if (size > n - first) return th_fail(TH_EIO, "the file ends within its header of %lld bytes", (long long)size);
  text t = { p + first, p + first + size };
  TH_TRY(take_header(h, &t));
  const int64_t count = th_numel_checked(h->ndim, h->size, th_element_size(h->dtype));
  if (count < 0) return th_fail(TH_EIO, "the size %s is more than can be counted", TH_SHAPE(h));
  h->start = first + size;
  h->bytes = count * (int64_t)th_element_size(h->dtype);
  if (h->bytes > total - h->start) {
    return th_fail(TH_EIO, "%s elements of %d bytes are %lld bytes, but %lld are left", TH_SHAPE(h),
                   (int)th_element_size(h->dtype), (long long)h->bytes, (long long)(total - h->start));
  }
  return TH_OK;
}

static void swap2(uint16_t *p, int64_t n)
{
  for (int64_t i = 0; i < n; i++) p[i] = __builtin_bswap16(p[i]);
}

static void swap4(uint32_t *p, int64_t n)
{
  for (int64_t i = 0; i < n; i++) p[i] = __builtin_bswap32(p[i]);
}

static void swap8(uint64_t *p, int64_t n)
{
  for (int64_t i = 0; i < n; i++) p[i] = __builtin_bswap64(p[i]);
}

void th_npy_native(const th_npy *h, void *elements)
{
  const int64_t es = (int64_t)th_element_size(h->dtype), n = h->bytes / es;
  uint8_t *p = elements;
  if (h->boolean) {
    for (int64_t i = 0; i < n; i++) p[i] = p[i] != 0;
  } else if (h->swapped) {
    if (es == 2) swap2(elements, n);
    else if (es == 4) swap4(elements, n);
    else if (es == 8) swap8(elements, n);
  }
}
