/* unicode.h - facts about characters, for the files of lib/text. */
#ifndef TEXT_UNICODE_H
#define TEXT_UNICODE_H
#include <stdbool.h>
#include <stdint.h>

enum { UNICODE_LONGEST = 18 };      /* code points of the longest full decomposition */

int      unicode_category(uint32_t code);        /* as two letters: 256 x the first + the second */
int      unicode_class(uint32_t code);           /* canonical combining class */
/* The full decomposition of a character, which may be itself: its length. */
int      unicode_decompose(uint32_t code, bool compatible, uint32_t to[UNICODE_LONGEST]);
bool     unicode_is_plain(uint32_t code);        /* no form changes it, and nothing composes with it before it */
uint32_t unicode_compose(uint32_t a, uint32_t b);              /* 0: these two do not compose */
bool     unicode_is_space(uint32_t code);
bool     unicode_is_word(uint32_t code);         /* letters, marks, numbers, connectors */

#endif
