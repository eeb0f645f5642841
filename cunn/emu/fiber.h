// fiber.h - fibers: stacks between which one thread of the host switches.
#ifndef TH_EMU_FIBER_H
#define TH_EMU_FIBER_H

namespace emu {

struct fiber;
/* body(f) never returns; it calls fiber_leave. NULL: no memory. */
fiber *fiber_new(void (*body)(fiber *));
void   fiber_enter(fiber *f);        /* from the host's own stack; returns when f leaves */
void   fiber_leave(fiber *f);        /* from f, back to where it was entered */
void   fiber_free(fiber *f);         /* must not be running; nothing on its stack is destroyed */

}  // namespace emu
#endif
