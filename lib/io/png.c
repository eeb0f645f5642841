/* png.c - reads and writes PNG images in memory with libpng 1.6, which is opened for the first image. libpng reports errors by
 * longjmp, which must not cross Lua frames, so this file catches them. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include "../core/environment.h"
#include "../include/th_png.h"
#include "../core/core.h"

enum {
  GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGBA = 6,           /* color types of a file */
  ALPHA = 4, COLOUR = 2,                                              /* their bits */
  TRNS = 0x10,                                                        /* flag: libpng has read a tRNS chunk */
  MOST_RATIO = 1032,                                                  /* Deflate's highest compression ratio */
  SIGNATURE = 8, CHUNK = 12,                                          /* bytes of the signature, and of an empty chunk */
  MOST_NOTES = 16,                                                    /* text chunks and similar ones that libpng stores */
  LARGEST = 0x7fffffff,                                               /* width and height, by the format */
  PORTION = 1 << 16,                                                  /* bytes by which a written file grows */
};

/* ---- the part of libpng that we need ---- */

typedef struct png_struct png_struct;
typedef struct png_info png_info;
typedef void on_message(png_struct *png, const char *text);
typedef void on_bytes(png_struct *png, uint8_t *bytes, size_t n);

static struct {
  png_struct *(*create_read_struct)(const char *version, void *owner, on_message *error, on_message *warning);
  png_struct *(*create_write_struct)(const char *version, void *owner, on_message *error, on_message *warning);
  png_info *(*create_info_struct)(png_struct *png);
  void (*destroy_read_struct)(png_struct **png, png_info **info, png_info **end);
  void (*destroy_write_struct)(png_struct **png, png_info **info);
  void *(*get_error_ptr)(const png_struct *png);
  void *(*get_io_ptr)(const png_struct *png);
  void (*set_read_fn)(png_struct *png, void *owner, on_bytes *read);
  void (*set_write_fn)(png_struct *png, void *owner, on_bytes *write, void (*flush)(png_struct *));
  void (*set_user_limits)(png_struct *png, uint32_t width, uint32_t height);
  void (*set_chunk_malloc_max)(png_struct *png, size_t bytes);
  void (*set_chunk_cache_max)(png_struct *png, uint32_t chunks);
  void (*read_info)(png_struct *png, png_info *info);
  uint32_t (*get_image_width)(const png_struct *png, const png_info *info);
  uint32_t (*get_image_height)(const png_struct *png, const png_info *info);
  uint8_t (*get_bit_depth)(const png_struct *png, const png_info *info);
  uint8_t (*get_color_type)(const png_struct *png, const png_info *info);
  uint8_t (*get_channels)(const png_struct *png, const png_info *info);
  uint32_t (*get_valid)(const png_struct *png, const png_info *info, uint32_t chunk);
  void (*set_expand)(png_struct *png);
  void (*set_swap)(png_struct *png);
  int (*set_interlace_handling)(png_struct *png);
  void (*read_update_info)(png_struct *png, png_info *info);
  size_t (*get_rowbytes)(const png_struct *png, const png_info *info);
  void (*read_row)(png_struct *png, uint8_t *row, uint8_t *display);
  void (*set_IHDR)(png_struct *png, png_info *info, uint32_t width, uint32_t height, int depth, int kind, int interlace,
                   int compression, int filter);
  void (*write_info)(png_struct *png, png_info *info);
  void (*write_row)(png_struct *png, const uint8_t *row);
  void (*write_end)(png_struct *png, png_info *info);
} libpng;
static bool have_libpng;
static pthread_once_t libpng_once = PTHREAD_ONCE_INIT;

static void open_libpng(void)
{
  const char *named = th_environment("TH_PNG");
  void *handle = dlopen(named ? named : "libpng16.so.16", RTLD_NOW | RTLD_LOCAL);
  if (!handle) handle = dlopen("libpng16.so", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  bool all = true;
#define FIND(name) all = (*(void **)&libpng.name = dlsym(handle, "png_" #name)) != NULL && all
  FIND(create_read_struct); FIND(create_write_struct); FIND(create_info_struct);
  FIND(destroy_read_struct); FIND(destroy_write_struct);
  FIND(get_error_ptr); FIND(get_io_ptr); FIND(set_read_fn); FIND(set_write_fn); FIND(set_user_limits);
  FIND(set_chunk_malloc_max); FIND(set_chunk_cache_max);
  FIND(read_info); FIND(get_image_width); FIND(get_image_height); FIND(get_bit_depth); FIND(get_color_type);
  FIND(get_channels); FIND(get_valid); FIND(set_expand); FIND(set_swap); FIND(set_interlace_handling);
  FIND(read_update_info); FIND(get_rowbytes); FIND(read_row);
  FIND(set_IHDR); FIND(write_info); FIND(write_row); FIND(write_end);
#undef FIND
  have_libpng = all;
}

static th_status need_libpng(void)
{
  pthread_once(&libpng_once, open_libpng);
  if (have_libpng) return TH_OK;
  return th_fail(TH_EBACKEND, "libpng 1.6 is not installed (Debian: libpng16-16); TH_PNG may name it");
}

/* ---- callbacks of libpng ---- */

struct th_png {
  jmp_buf back;                     /* target of longjmp after a libpng error */
  png_struct *png;
  png_info *info;
  const uint8_t *bytes;             /* the unread bytes */
  int64_t left;
  int64_t height;
  int64_t elements;                 /* height x width x channels */
  int depth;
  th_storage *to;                   /* the written bytes */
  int64_t have;
  th_status status;                 /* of an error outside of libpng */
  char text[128];                   /* of a libpng error */
};

static void on_error(png_struct *png, const char *text)
{
  th_png *p = libpng.get_error_ptr(png);
  snprintf(p->text, sizeof p->text, "%s", text);
  longjmp(p->back, 1);
}

static void on_warning(png_struct *png, const char *text) { (void)png, (void)text; }

static void take(png_struct *png, uint8_t *to, size_t n)
{
  th_png *p = libpng.get_io_ptr(png);
  if ((uint64_t)p->left < n) on_error(png, "it ends too early");
  memcpy(to, p->bytes, n);
  p->bytes += n;
  p->left -= (int64_t)n;
}

static void put(png_struct *png, uint8_t *from, size_t n)
{
  th_png *p = libpng.get_io_ptr(png);
  const int64_t wanted = p->have + (int64_t)n;
  if (wanted > p->to->size) {
    p->status = th_storage_resize(p->to, wanted + wanted / 2 + PORTION);
    if (p->status != TH_OK) longjmp(p->back, 1);
  }
  memcpy((uint8_t *)p->to->data + p->have, from, n);
  p->have = wanted;
}

static void flush(png_struct *png) { (void)png; }

static th_status failed(const th_png *p)
{
  return p->status != TH_OK ? p->status : th_fail(TH_EIO, "libpng: %s", p->text);
}

static void check_interrupt(th_png *p)
{
  if (!th_interrupted()) return;
  p->status = th_fail(TH_EINTR, "interrupted");
  longjmp(p->back, 1);
}

/* ---- reading ---- */

static int64_t be32(const uint8_t *b) { return (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3]; }

/* libpng allocates the size that a chunk states before it reads the chunk, so check it. IHDR has a fixed length, and IDAT is read
 * in portions. */
static th_status check_chunks(const uint8_t *bytes, int64_t n)
{
  for (int64_t at = SIGNATURE; at + 8 <= n; at += CHUNK + be32(bytes + at)) {
    const char *const name = (const char *)bytes + at + 4;
    if (memcmp(name, "IEND", 4) == 0) break;
    if (be32(bytes + at) <= n - at - CHUNK || memcmp(name, "IHDR", 4) == 0 || memcmp(name, "IDAT", 4) == 0) continue;
    return th_fail(TH_EIO, "a chunk of it is longer than the file");
  }
  return TH_OK;
}

/* Refuses a file whose header promises more pixels than deflate can pack into its bytes. */
static th_status check_size(th_png *p, int64_t n, th_png_size *size)
{
  size->width = libpng.get_image_width(p->png, p->info);
  size->height = libpng.get_image_height(p->png, p->info);
  const int bits = libpng.get_bit_depth(p->png, p->info) * libpng.get_channels(p->png, p->info);
  const int64_t row = 1 + (size->width * bits + 7) / 8;
  if (row > MOST_RATIO * n / size->height) {
    return th_fail(TH_EIO, "%lld x %lld pixels do not fit into %lld bytes", (long long)size->width, (long long)size->height,
                   (long long)n);
  }
  return TH_OK;
}

/* Converts palettes to RGB, transparent colors to alpha, and depths below 8 to 8. */
static void set_form(th_png *p, th_png_size *size)
{
  const int kind = libpng.get_color_type(p->png, p->info);
  const bool alpha = kind & ALPHA || libpng.get_valid(p->png, p->info, TRNS);
  size->channels = (kind & COLOUR ? 3 : 1) + (alpha ? 1 : 0);
  size->depth = libpng.get_bit_depth(p->png, p->info) == 16 ? 16 : 8;
  libpng.set_expand(p->png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (size->depth == 16) libpng.set_swap(p->png);
#endif
  p->height = size->height;
  p->depth = size->depth;
  p->elements = size->height * size->width * size->channels;
}

static th_status read_header(th_png *p, int64_t n, th_png_size *size)
{
  if (setjmp(p->back)) return failed(p);
  p->info = libpng.create_info_struct(p->png);
  if (!p->info) return th_fail(TH_ENOMEM, "there is no memory for libpng");
  libpng.set_user_limits(p->png, LARGEST, LARGEST);
  TH_TRY(check_chunks(p->bytes, n));
  libpng.set_chunk_malloc_max(p->png, (size_t)n);
  libpng.set_chunk_cache_max(p->png, MOST_NOTES);
  libpng.set_read_fn(p->png, p, take);
  libpng.read_info(p->png, p->info);
  TH_TRY(check_size(p, n, size));
  set_form(p, size);
  return TH_OK;
}

th_status th_png_open(th_png **out, const void *bytes, int64_t n, th_png_size *size)
{
  th_enter(NULL);
  TH_TRY(need_libpng());
  th_png *p = calloc(1, sizeof *p);
  if (!p) return th_fail(TH_ENOMEM, "there is no memory for libpng");
  p->bytes = bytes;
  p->left = n;
  p->png = libpng.create_read_struct("1.6.0", p, on_error, on_warning);
  const th_status status = p->png ? read_header(p, n, size) : th_fail(TH_EBACKEND, "libpng cannot be used");
  if (status != TH_OK) th_png_close(p);
  else *out = p;
  return status;
}

/* The 16-bit elements lie in the second half of `to`; widens them to 32 bits from the front. */
static void widen(int32_t *to, const uint16_t *from, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    const uint16_t v = from[i];
    memcpy(to + i, &(int32_t){ v }, sizeof(int32_t));
  }
}

th_status th_png_read(th_png *p, void *to)
{
  th_enter(NULL);
  uint8_t *const first = p->depth == 16 ? (uint8_t *)to + 2 * p->elements : to;
  if (setjmp(p->back)) return failed(p);
  const int passes = libpng.set_interlace_handling(p->png);
  libpng.read_update_info(p->png, p->info);
  const int64_t row = (int64_t)libpng.get_rowbytes(p->png, p->info);
  if (row * p->height != p->elements * (p->depth / 8)) return th_fail(TH_EIO, "libpng: its rows have an unknown form");
  for (int pass = 0; pass < passes; pass++) {
    for (int64_t y = 0; y < p->height; y++) {
      check_interrupt(p);
      libpng.read_row(p->png, first + y * row, NULL);
    }
  }
  if (p->depth == 16) widen(to, (const uint16_t *)(const void *)first, p->elements);
  return TH_OK;
}

void th_png_close(th_png *p)
{
  if (p->png) libpng.destroy_read_struct(&p->png, &p->info, NULL);
  free(p);
}

/* ---- writing ---- */

static th_status write_all(th_png *p, const uint8_t *pixels, int64_t width, int64_t height, int channels)
{
  static const int kinds[] = { GREY, GREY, GREY_ALPHA, RGB, RGBA };
  if (setjmp(p->back)) return failed(p);
  p->info = libpng.create_info_struct(p->png);
  if (!p->info) return th_fail(TH_ENOMEM, "there is no memory for libpng");
  libpng.set_user_limits(p->png, LARGEST, LARGEST);
  libpng.set_write_fn(p->png, p, put, flush);
  libpng.set_IHDR(p->png, p->info, (uint32_t)width, (uint32_t)height, 8, kinds[channels], 0, 0, 0);
  libpng.write_info(p->png, p->info);
  for (int64_t y = 0; y < height; y++) {
    check_interrupt(p);
    libpng.write_row(p->png, pixels + y * width * channels);
  }
  libpng.write_end(p->png, p->info);
  return th_storage_resize(p->to, p->have);
}

th_status th_png_write(th_storage **out, const uint8_t *pixels, int64_t width, int64_t height, int channels)
{
  th_enter(NULL);
  TH_TRY(need_libpng());
  th_png *p = calloc(1, sizeof *p);
  if (!p) return th_fail(TH_ENOMEM, "there is no memory for libpng");
  th_status status = th_storage_new(&p->to, TH_CPU, TH_U8, PORTION, 0);
  if (status == TH_OK) {
    p->png = libpng.create_write_struct("1.6.0", p, on_error, on_warning);
    status = p->png ? write_all(p, pixels, width, height, channels) : th_fail(TH_EBACKEND, "libpng cannot be used");
    if (p->png) libpng.destroy_write_struct(&p->png, &p->info);
    if (status == TH_OK) *out = p->to;
    else th_storage_release(p->to);
  }
  free(p);
  return status;
}
