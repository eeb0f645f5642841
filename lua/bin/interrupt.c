/* interrupt.c - turns SIGINT into a Lua error, also in compiled traces.
 *
 * The handler sets a hook, which the interpreter runs before its next instruction, and notifies
 * libth, whose long loops then end with TH_EINTR. A compiled trace checks neither. So if the signal
 * interrupts a trace, we single-step (trap flag) to the next guard and leave there. A guard's exit
 * restores the interpreter's state from a snapshot, which is valid at the guard whether its
 * condition holds or not. Until the hook has run, a timer repeats this, because the first signal
 * may have interrupted C code that the trace called. 64-bit ARM has no such step: trace_arm64.h.
 *
 * LuaJIT reports where its traces are (jit.attach). Two things follow from that:
 *  - a guard that was patched to jump to a side trace is left through its own exit stub, since the
 *    side trace may rely on the guard's condition;
 *  - a compiled loop without any guard could never be left. It is an endless loop, so not compiling
 *    it costs nothing: jit.off for its function. */
#include "interrupt.h"
#include <dlfcn.h>
#include <lauxlib.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static lua_State *state;
static pid_t main_thread;
static void (*libth_interrupt)(int on);
static const char *(*libth_waits_for)(void);
static timer_t timer;
static int has_timer;
static volatile sig_atomic_t pending;      /* a signal arrived since the hook last ran */

static volatile int64_t last;              /* when the last signal arrived, in ms; 0: none has */
static volatile sig_atomic_t presses;      /* signals without effect, or in quick succession */

/* The second Ctrl-C ends a script, because a pcall in a loop may catch each error, and C code does
 * not notice any. thrun and the terminal may both send the same one. At the prompt each Ctrl-C
 * drops a line, and only those without effect count. */
enum { ENDS = 2, ENDS_PROMPT = 4, SAME = 50, SOON = 1000 };       /* presses; ms */
static volatile sig_atomic_t at_prompt;
#define TICK_SIGNAL (SIGRTMIN + 3)

/* Our handlers share state and change the program counter, so each blocks the others. */
static void handle(int sig, void (*f)(int, siginfo_t *, void *), int flags)
{
  struct sigaction act = { .sa_sigaction = f, .sa_flags = SA_SIGINFO | flags };
  sigaddset(&act.sa_mask, SIGINT);
  sigaddset(&act.sa_mask, TICK_SIGNAL);
  sigaction(sig, &act, NULL);
}

static void set_timer(long ns)
{
  if (!has_timer) return;
  const struct itimerspec every = { { 0, ns }, { 0, ns } };
  timer_settime(timer, 0, &every, NULL);
}

static void close_exits(void);

static void settle(lua_State *L)
{
  lua_sethook(L, NULL, 0, 0);
  pending = 0;
  close_exits();
  set_timer(0);
  if (libth_interrupt) libth_interrupt(0);
}

static void hook(lua_State *L, lua_Debug *ar)
{
  (void)ar;
  settle(L);
  luaL_error(L, "interrupted");
}

/* ---- traces ----------------------------------------------------------------------------------- */

#if defined __x86_64__

typedef uint8_t code;

/* By trace number. A side trace also has the stub of the exit that it was compiled for. */
static struct trace { const code *start, *end, *stub; } traces[65536];
static volatile int ntraces;

/* LuaJIT places exit stubs in groups of 32, 4 bytes each. */
enum { GROUPS = 64, GROUP = 32, STUB = 4 };
static const code *stubs[GROUPS];

static volatile int steps;                 /* steps left; 0: not stepping */
enum { MAXSTEPS = 20000, TRAP_FLAG = 0x100 };

static const struct trace *trace_at(const code *p)
{
  for (int i = 0; i < ntraces; i++) if (p >= traces[i].start && p < traces[i].end) return &traces[i];
  return NULL;
}

/* The stub for a jump to `to`: `to` itself, or the one that a side trace replaces. */
static const code *stub_of(const code *to)
{
  for (int i = 0; i < GROUPS; i++) {
    if (stubs[i] && to >= stubs[i] && to < stubs[i] + GROUP * STUB && (to - stubs[i]) % STUB == 0) return to;
  }
  for (int i = 0; i < ntraces; i++) if (traces[i].start == to) return traces[i].stub;
  return NULL;
}

static const code *target(const code *end_of_insn)     /* of a jump that ends in a rel32 */
{
  int32_t rel;
  memcpy(&rel, end_of_insn - 4, 4);
  return end_of_insn + rel;
}

/* The stub through which the instruction at p may leave the trace; NULL: it is not a guard. */
static const code *guard_at(const code *p, const code *end)
{
  int size;
  const code *to;
  if (p + 6 <= end && p[0] == 0x0f && (p[1] & 0xf0) == 0x80) {        /* jcc rel32 */
    size = 6;
    to = target(p + size);
    const code *stub = stub_of(to);
    if (stub) return stub;
  } else if (p + 2 <= end && (p[0] & 0xf0) == 0x70) {                 /* jcc rel8, in small loops */
    size = 2;
    to = p + size + (int8_t)p[1];
  } else {
    return NULL;
  }
  /* A loop's inverted branch: jumps back to its start, otherwise falls through to `jmp exit`. */
  p += size;
  return to < p && p + 5 <= end && p[0] == 0xe9 ? stub_of(target(p + 5)) : NULL;
}

/* At a guard: leaves the trace. In a trace: makes one more step. Elsewhere: gives up until the next
 * tick. */
static void walk(ucontext_t *uc)
{
  greg_t *reg = uc->uc_mcontext.gregs;
  const code *p = (const code *)reg[REG_RIP];
  const struct trace *t = pending && steps > 0 ? trace_at(p) : NULL;
  const code *stub = t ? guard_at(p, t->end) : NULL;
  if (stub) reg[REG_RIP] = (greg_t)stub;
  if (t && !stub) {
    steps--;
    reg[REG_EFL] |= TRAP_FLAG;
  } else {
    steps = 0;
    reg[REG_EFL] &= ~(greg_t)TRAP_FLAG;
  }
}

static void on_step(int sig, siginfo_t *info, void *uc)
{
  if (info->si_code == TRAP_TRACE) {
    walk(uc);
  } else {                                 /* a breakpoint that is not ours */
    signal(sig, SIG_DFL);
    raise(sig);
  }
}

static void leave_trace(void *uc)
{
  steps = MAXSTEPS;
  walk(uc);
}

static void close_exits(void) {}

/* add(trace, address, size, loop, stub): returns false if the trace is a loop that cannot be left. */
static int add_trace(lua_State *L)
{
  const int number = (int)luaL_checkinteger(L, 1);
  const code *start = (const code *)(uintptr_t)luaL_checknumber(L, 2);
  const code *end = start + luaL_checkinteger(L, 3), *loop = start + luaL_checkinteger(L, 4);
  if (number < 0 || number >= (int)(sizeof traces / sizeof *traces)) return 0;
  traces[number] = (struct trace){ start, end, (const code *)(uintptr_t)luaL_optnumber(L, 5, 0) };
  if (number >= ntraces) ntraces = number + 1;
  int leaves = loop == start;              /* no loop */
  for (const code *p = loop; p < end && !leaves; p++) leaves = guard_at(p, end) != NULL;
  lua_pushboolean(L, leaves);
  return 1;
}

static int add_stubs(lua_State *L)
{
  const lua_Integer group = luaL_checkinteger(L, 1);
  if (group >= 0 && group < GROUPS) stubs[group] = (const code *)(uintptr_t)luaL_checknumber(L, 2);
  return 0;
}

static int forget_traces(lua_State *L)
{
  (void)L;
  ntraces = 0;
  memset(stubs, 0, sizeof stubs);
  return 0;
}

/* It runs while LuaJIT records a trace, so it calls only C functions. A compiled Lua function, such
 * as torch.launch's global `type`, would overwrite the recorder's state. */
static const char watch[] =
  "local add_trace, add_stubs, forget = ...\n"
  "local type, off, util = type, jit.off, require 'jit.util'\n"
  "local exit\n"
  "jit.attach(function(what, trace, func, _, _, from)\n"
  "   if what == 'start' then\n"
  "      exit = type(from) == 'number' and from or nil\n"
  "   elseif what == 'stop' then\n"
  "      for e = 0, util.traceinfo(trace).nexit, 32 do\n"
  "         local stub = util.traceexitstub(e)\n"
  "         if stub then add_stubs(e / 32, stub) end\n"
  "      end\n"
  "      local code, address, loop = util.tracemc(trace)\n"
  "      local stub = exit and util.traceexitstub(exit)\n"
  "      if not add_trace(trace, address, #code, loop, stub) then off(func) end\n"
  "   elseif what == 'flush' then\n"
  "      forget()\n"
  "   end\n"
  "end, 'trace')\n";

static void watch_traces(lua_State *L)
{
  handle(SIGTRAP, on_step, SA_RESTART);
  if (luaL_loadbuffer(L, watch, sizeof watch - 1, "=th")) lua_error(L);
  lua_pushcfunction(L, add_trace);
  lua_pushcfunction(L, add_stubs);
  lua_pushcfunction(L, forget_traces);
  lua_call(L, 3, 0);
}

#elif defined __aarch64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#include "trace_arm64.h"

#else                                      /* elsewhere a compiled loop runs to its end */

static void leave_trace(void *uc) { (void)uc; }
static void close_exits(void) {}
static void watch_traces(lua_State *L) { (void)L; }

#endif

/* ---- signals ---------------------------------------------------------------------------------- */

static void on_tick(int sig, siginfo_t *info, void *uc)
{
  (void)sig, (void)info;
  if (pending) leave_trace(uc);
}

/* Writes that Ctrl-C has to wait for a library, if the main thread is in one. */
static void tell_what_runs(void)
{
  const char *op = libth_waits_for ? libth_waits_for() : NULL;
  if (!op) return;
  char text[160];
  size_t n = 0;
  const char *const part[] = { "\nth: waits for ", op, " of LAPACK, which cannot be stopped; "
                               "Ctrl-C again within a second ends the process\n" };
  for (int i = 0; i < 3; i++) for (const char *p = part[i]; *p && n < sizeof text; p++) text[n++] = *p;
  if (write(STDERR_FILENO, text, n)) {}
}

static int64_t milliseconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000 + 1;
}

static void on_sigint(int sig, siginfo_t *info, void *uc)
{
  (void)info;
  if (gettid() != main_thread) {           /* only that thread runs Lua */
    syscall(SYS_tgkill, getpid(), main_thread, sig);
    return;
  }
  const int64_t now = milliseconds(), since = now - last;
  if (last && since < SAME && !at_prompt) return;
  const int again = pending && since <= SOON && libth_waits_for && libth_waits_for();
  presses = pending || (last && since <= SOON && !at_prompt) ? presses + 1 : 1;
  last = now;
  pending = 1;
  if (again || presses >= (at_prompt ? ENDS_PROMPT : ENDS)) {
    static const char text[] = "\nth: interrupted again: goodbye\n";
    if (write(STDERR_FILENO, text, sizeof text - 1)) {}
    signal(sig, SIG_DFL);
    raise(sig);
    return;
  }
  tell_what_runs();
  if (libth_interrupt) libth_interrupt(1);
  lua_sethook(state, hook, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
  set_timer(200000);
  leave_trace(uc);
}

void th_catch_sigint(lua_State *L)
{
  state = L;
  main_thread = gettid();
  watch_traces(L);
  /* Neither signal restarts system calls, so a blocking read ends, even one that began just after
   * Ctrl-C. */
  handle(TICK_SIGNAL, on_tick, 0);
  struct sigevent to_us = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK_SIGNAL };
  to_us._sigev_un._tid = main_thread;
  has_timer = timer_create(CLOCK_MONOTONIC, &to_us, &timer) == 0;
  struct sigaction old;                    /* SIGINT stays ignored if the parent ignored it */
  sigaction(SIGINT, NULL, &old);
  if (old.sa_handler != SIG_IGN) handle(SIGINT, on_sigint, 0);
}

int th_was_interrupted(void) { return last != 0; }
void th_prompt_begins(void) { at_prompt = 1; }

void th_die_of_sigint(void)
{
  fflush(NULL);
  signal(SIGINT, SIG_DFL);
  raise(SIGINT);
}

void th_tell_libth(void)
{
  void *lib = dlopen("libth.so", RTLD_NOW | RTLD_NOLOAD);
  if (!lib) return;
  libth_interrupt = (void (*)(int))dlsym(lib, "th_interrupt");
  libth_waits_for = (const char *(*)(void))dlsym(lib, "th_waits_for");
}

void th_forget_sigint(void)
{
  signal(SIGINT, SIG_DFL);
  if (pending) settle(state);
  if (has_timer) timer_delete(timer);
  has_timer = 0;
}
