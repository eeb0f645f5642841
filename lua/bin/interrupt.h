/* interrupt.h - Ctrl-C for th: Lua code, compiled traces and long C work end with an error. */
#ifndef TH_INTERRUPT_H
#define TH_INTERRUPT_H
#include <lua.h>

void th_catch_sigint(lua_State *L);   /* from now on SIGINT raises "interrupted" in L */
void th_tell_libth(void);             /* libth is loaded: it hears of interrupts too */
int  th_was_interrupted(void);        /* whether a SIGINT has come */
void th_prompt_begins(void);          /* Ctrl-C that are answered never end it */
void th_die_of_sigint(void);          /* so that a loop of the shell ends, too */
void th_forget_sigint(void);          /* before lua_close */

#endif
