// fiber.cc - switches stacks: a few instructions on x86-64, ucontext elsewhere; informs AddressSanitizer.
#include "fiber.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <new>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#ifdef __SANITIZE_ADDRESS__
#define TH_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define TH_ASAN 1
#endif
#endif
#ifdef TH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emu {

#ifdef TH_ASAN
enum { STACK = 256 << 10 };
#else
enum { STACK = 64 << 10 };
#endif

struct fiber {
  void (*body)(fiber *);
  char *memory;                      /* a guard page, then the stack */
  size_t size;
#ifdef __x86_64__
  void *sp, *back;                   /* of the fiber while it waits, and of its caller */
#else
  ucontext_t here, back;
#endif
  void *fake, *back_fake;            /* AddressSanitizer's other stacks */
  const void *back_stack;
  size_t back_size;
};

#ifdef TH_ASAN
static void will_enter(fiber *f) { __sanitizer_start_switch_fiber(&f->back_fake, f->memory, f->size); }
static void has_come_back(fiber *f) { __sanitizer_finish_switch_fiber(f->back_fake, nullptr, nullptr); }
static void will_leave(fiber *f) { __sanitizer_start_switch_fiber(&f->fake, f->back_stack, f->back_size); }
static void has_entered(fiber *f) { __sanitizer_finish_switch_fiber(f->fake, &f->back_stack, &f->back_size); }
static void forget_stack(fiber *f) { __asan_unpoison_memory_region(f->memory, f->size); }
#else
static void will_enter(fiber *) {}
static void has_come_back(fiber *) {}
static void will_leave(fiber *) {}
static void has_entered(fiber *) {}
static void forget_stack(fiber *) {}
#endif

static void begin(fiber *f)
{
  has_entered(f);
  f->body(f);
  __builtin_trap();                  /* the body never returns */
}

#ifdef __x86_64__

/* Saves the callee-saved registers on the stack and switches to another stack. */
extern "C" void th_emu_switch(void **from, void *to);
asm(R"(
.text
.hidden th_emu_switch
.globl th_emu_switch
.type th_emu_switch, @function
th_emu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size th_emu_switch, . - th_emu_switch
)");

static fiber *beginner;              /* the fiber that starts next */
static void first_step() { begin(beginner); }

static void prepare(fiber *f)
{
  void **top = (void **)(f->memory + f->size);
  *--top = nullptr;                  /* the return address of first_step; also aligns the stack */
  *--top = (void *)first_step;
  for (int i = 0; i < 6; i++) *--top = nullptr;
  f->sp = top;
}
static void go(fiber *f)
{
  beginner = f;
  th_emu_switch(&f->back, f->sp);
}
static void come_back(fiber *f) { th_emu_switch(&f->sp, f->back); }

#else

static fiber *beginner;
static void first_step() { begin(beginner); }

static void prepare(fiber *f)
{
  getcontext(&f->here);
  f->here.uc_stack.ss_sp = f->memory;
  f->here.uc_stack.ss_size = f->size;
  f->here.uc_link = nullptr;
  makecontext(&f->here, first_step, 0);
}
static void go(fiber *f)
{
  beginner = f;
  swapcontext(&f->back, &f->here);
}
static void come_back(fiber *f) { swapcontext(&f->here, &f->back); }

#endif

fiber *fiber_new(void (*body)(fiber *))
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *p = mmap(nullptr, page + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  fiber *f = new (std::nothrow) fiber();
  if (!f || mprotect(p, page, PROT_NONE) != 0) {
    munmap(p, page + STACK);
    delete f;
    return nullptr;
  }
  f->body = body;
  f->memory = (char *)p + page;
  f->size = STACK;
  prepare(f);
  return f;
}

void fiber_enter(fiber *f)
{
  will_enter(f);
  go(f);
  has_come_back(f);
}

void fiber_leave(fiber *f)
{
  will_leave(f);
  come_back(f);
  has_entered(f);
}

void fiber_free(fiber *f)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  forget_stack(f);
  munmap(f->memory - page, page + f->size);
  delete f;
}

}  // namespace emu
