/* micro_real.h - the products of micro.h for float (micro_f32, ...) and double (micro_f64, ...),
 * and transpose.h. */
#define TH_REAL "micro.h"
#include "each_real.h"
#define TH_REAL "transpose.h"
#include "each_real.h"
