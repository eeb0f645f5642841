/* micro_real.h - the products of micro.h for float (micro_f32, ...) and double (micro_f64, ...), and turn.h. */
#define TH_REAL "micro.h"
#include "each_real.h"
#define TH_REAL "turn.h"
#include "each_real.h"
