/* block.h - aligned memory for elements and the block cache, see block.c. */
#ifndef TH_BLOCK_H
#define TH_BLOCK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether freed memory is cached. Not under the sanitizer, which must see every free. */
#if defined(__SANITIZE_ADDRESS__)
#define TH_KEEPS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TH_KEEPS 0
#endif
#endif
#ifndef TH_KEEPS
#define TH_KEEPS 1
#endif

/* 64-byte aligned; NULL without memory. shortly: for one call of an op. */
void   *th_block_new(int64_t bytes, bool shortly);
/* Caches the block, or frees it where as much is cached as half of `held`, the bytes of all tensors, allows. */
void    th_block_free(void *p, int64_t held);
/* Frees the cached blocks, unless another thread uses the cache. */
void    th_block_trim(void);
/* Returns the pages inside of these bytes to the system. They hold zeros until they are written
 * again. lastingly: the kernel makes them no part of a large page again, as it does with pages near
 * others in use. Each such piece is one of the 65,000 that a process may have. */
void    th_block_discard(void *p, int64_t bytes, bool lastingly);
/* Pages apart from the blocks, from a large page on; NULL without memory. */
void   *th_pages_new(size_t bytes);
void    th_pages_free(void *p, size_t bytes);
int64_t th_block_drop(void);                     /* frees all caches; returns the bytes */
/* f frees memory of other caches without waiting, and returns its bytes. */
void    th_block_spare(int64_t (*f)(void));

#endif
