/* interrupt.h - Ctrl-C for th: Lua code, compiled traces and long C loops end with an error. */
#ifndef TH_INTERRUPT_H
#define TH_INTERRUPT_H
#include <lua.h>

void th_catch_sigint(lua_State *L);   /* from now on SIGINT raises "interrupted" in L */
void th_tell_libth(void);             /* libth is loaded: notify it of interrupts too */
int  th_was_interrupted(void);        /* whether a SIGINT has arrived */
void th_prompt_begins(void);          /* from now on handled Ctrl-C never end the program */
void th_die_of_sigint(void);          /* by the signal, so that a shell's loop ends, too */
void th_forget_sigint(void);          /* before lua_close */

#endif
