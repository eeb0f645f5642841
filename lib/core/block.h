/* block.h - aligned memory for elements, see block.c. */
#ifndef TH_BLOCK_H
#define TH_BLOCK_H
#include <stdint.h>

void   *th_block_new(int64_t bytes);             /* 64-byte aligned; NULL when there is none */
void    th_block_free(void *p);
int64_t th_block_drop(void);                     /* gives the kept blocks back; how many bytes that was */

#endif
