/* block.h - aligned memory for elements, see block.c. */
#ifndef TH_BLOCK_H
#define TH_BLOCK_H
#include <stdint.h>

/* Does freed memory wait for its next use? Not where the sanitizer shall see every end of use. */
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

void   *th_block_new(int64_t bytes);             /* 64-byte aligned; NULL when there is none */
void    th_block_free(void *p);
int64_t th_block_drop(void);                     /* gives the kept blocks back; how many bytes that was */
/* f gives back what is kept for other reasons and can be spared, without waiting for anything; how many bytes that was. */
void    th_block_spare(int64_t (*f)(void));

#endif
