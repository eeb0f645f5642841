/* trace_arm64.h - leaves compiled traces on 64-bit ARM: a part of interrupt.c.
 *
 * A program cannot single-step itself there. So the handler makes each guard of the interrupted
 * trace a branch to the guard's exit stub, whatever its condition. settle() restores the
 * instructions in the hook, thus before LuaJIT compiles or frees a trace again.
 *
 * The stubs of a trace lie behind its code: three instructions, then for each exit a call of the
 * first of them. When an exit gets a side trace, LuaJIT lets the guard or the stub jump there. */
#include <stdbool.h>
#include <sys/mman.h>

typedef uint32_t code;

/* By trace number. A side trace also has the stub of the exit that it was compiled for. */
static struct trace { code *start, *end, *stubs, *stub; int exits; bool is_open; } traces[65536];
static volatile int ntraces;

static struct { code *at, was; } changes[16384];
static int nchanges;

enum { MOST = sizeof changes / sizeof *changes };
static const code BRANCH = 0x14000000, CALL = 0x94000000, NOP = 0xd503201f;

static code jump(code how, const code *from, const code *to)
{
  return how | ((code)(to - from) & 0x3ffffff);
}

/* The target of a conditional branch; NULL: p is none. */
static code *conditional(code *p)
{
  const code w = *p;
  if ((w & 0xff000010) == 0x54000000 || (w & 0x7e000000) == 0x34000000) {  /* b.cond, cbz, cbnz */
    return p + ((int32_t)(w << 8) >> 13);
  }
  const bool tests_bit = (w & 0x7e000000) == 0x36000000;                   /* tbz, tbnz */
  return tests_bit ? p + ((int32_t)(w << 13) >> 18) : NULL;
}

/* The target of an unconditional branch; NULL: p is none. */
static code *always(code *p)
{
  return (*p & 0xfc000000) == BRANCH ? p + ((int32_t)(*p << 6) >> 6) : NULL;
}

/* The stub of exit k as LuaJIT makes it. */
static code call(const struct trace *t, int k) { return jump(CALL, t->stubs + k, t->stubs - 3); }

static bool is_stub(const struct trace *t, const code *p)
{
  return p >= t->stubs && p < t->stubs + t->exits;
}

/* The stub for a branch of t: its target, or the stub that a side trace replaces. */
static code *stub_of(const struct trace *t, code *to)
{
  if (!to || is_stub(t, to)) return to;
  for (int i = 0; i < ntraces; i++) {
    if (traces[i].start == to && is_stub(t, traces[i].stub)) return traces[i].stub;
  }
  return NULL;
}

/* The stub of a loop with an inverted guard, which branches back, and else to the stub. */
static code *loop_stub(const struct trace *t)
{
  code *const p = t->end - 2, *const back = p >= t->start ? conditional(p) : NULL;
  return back && back >= t->start && back <= p ? stub_of(t, always(p + 1)) : NULL;
}

static bool protect(code *from, code *to, int how)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  char *const first = (char *)((uintptr_t)from / page * page);
  return mprotect(first, (size_t)((char *)to - first), PROT_READ | how) == 0;
}

static void change(code *p, code w)
{
  if (*p == w || nchanges == MOST) return;
  changes[nchanges].at = p;
  changes[nchanges++].was = *p;
  *p = w;
}

static void open_exits(struct trace *t)
{
  code *const end = t->stubs + t->exits;
  if (t->exits == 0 || t->is_open || !protect(t->start, end, PROT_WRITE)) return;
  t->is_open = true;
  for (code *p = t->start; p < t->end; p++) {
    code *const to = stub_of(t, conditional(p));
    if (to) change(p, jump(BRANCH, p, to));
  }
  code *const back = t->end - 2, *const to = loop_stub(t);
  if (to) {
    change(back, NOP);
    change(back + 1, jump(BRANCH, back + 1, to));
  }
  for (int k = 0; k < t->exits; k++) change(t->stubs + k, call(t, k));
  __builtin___clear_cache((char *)t->start, (char *)end);
  protect(t->start, end, PROT_EXEC);
}

static void close_exits(void)
{
  if (nchanges == 0) return;
  while (nchanges > 0) {
    code *const p = changes[--nchanges].at;
    if (!protect(p, p + 1, PROT_WRITE)) continue;
    *p = changes[nchanges].was;
    __builtin___clear_cache((char *)p, (char *)(p + 1));
    protect(p, p + 1, PROT_EXEC);
  }
  for (int i = 0; i < ntraces; i++) traces[i].is_open = false;
}

static void leave_trace(void *uc)
{
  code *const p = (code *)(uintptr_t)((ucontext_t *)uc)->uc_mcontext.pc;
  for (int i = 0; pending && i < ntraces; i++) {
    if (p >= traces[i].start && p < traces[i].end) open_exits(&traces[i]);
  }
}

/* add(trace, address, size, loop, exits, stubs, stub): returns false if the trace is a loop that
 * cannot be left. `loop` is -1 where there is none. A trace whose stubs look otherwise is never
 * changed. */
static int add_trace(lua_State *L)
{
  const int number = (int)luaL_checkinteger(L, 1);
  char *const start = (char *)(uintptr_t)luaL_checknumber(L, 2);
  struct trace t = { .start = (code *)start, .end = (code *)(start + luaL_checkinteger(L, 3)),
    .exits = (int)luaL_checkinteger(L, 5), .stubs = (code *)(uintptr_t)luaL_optnumber(L, 6, 0),
    .stub = (code *)(uintptr_t)luaL_optnumber(L, 7, 0) };
  const lua_Integer loop = luaL_checkinteger(L, 4);
  if (number < 0 || number >= (int)(sizeof traces / sizeof *traces)) return 0;
  if (!t.stubs) t.exits = 0;
  for (int k = 0; k < t.exits; k++) if (t.stubs[k] != call(&t, k)) t.exits = 0;
  traces[number] = t;
  if (number >= ntraces) ntraces = number + 1;
  bool leaves = loop < 0 || t.exits == 0 || loop_stub(&t);
  for (code *p = (code *)(start + loop); !leaves && p < t.end; p++) {
    leaves = stub_of(&t, conditional(p)) != NULL;
  }
  lua_pushboolean(L, leaves);
  return 1;
}

static int forget_traces(lua_State *L)
{
  (void)L;
  ntraces = nchanges = 0;
  return 0;
}

/* It runs while LuaJIT records a trace, so it calls only C functions, as on x86-64. */
static const char watch[] =
  "local add_trace, forget = ...\n"
  "local type, off, util = type, jit.off, require 'jit.util'\n"
  "local parent, exit\n"
  "jit.attach(function(what, trace, func, _, other, number)\n"
  "   if what == 'start' then\n"
  "      parent, exit = other, type(number) == 'number' and number or nil\n"
  "   elseif what == 'stop' then\n"
  "      local code, address, loop = util.tracemc(trace)\n"
  "      local stub = exit and util.traceexitstub(parent, exit)\n"
  "      local info = util.traceinfo(trace)\n"
  "      if info.link ~= trace then loop = -1 end\n"
  "      local stubs = util.traceexitstub(trace, 0)\n"
  "      local ends = add_trace(trace, address, #code, loop, info.nexit, stubs, stub)\n"
  "      if not ends then off(func) end\n"
  "   elseif what == 'flush' then\n"
  "      forget()\n"
  "   end\n"
  "end, 'trace')\n";

static void watch_traces(lua_State *L)
{
  if (luaL_loadbuffer(L, watch, sizeof watch - 1, "=th")) lua_error(L);
  lua_pushcfunction(L, add_trace);
  lua_pushcfunction(L, forget_traces);
  lua_call(L, 2, 0);
}
