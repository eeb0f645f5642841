/* pattern.h - matching of patterns, for the files of lib/text. */
#ifndef TEXT_PATTERN_H
#define TEXT_PATTERN_H
#include "th_text.h"

/* Allows the steps that searches in n bytes may take, all together. */
void      pattern_allow(th_pattern *p, int64_t n);
/* Begins a search in n bytes, which must not change before the last call of pattern_next. */
void      pattern_begin(th_pattern *p, const uint8_t *bytes, int64_t n);
/* The next match at or after *from that is not empty; *from is -1 without one. Fails after too many steps. */
th_status pattern_next(th_pattern *p, int64_t *from, int64_t *to);

#endif
