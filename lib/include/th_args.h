/* th_args.h - declares the arguments of an op once, and gives them names in C and C++.
 *
 *   TH_ARGS(decay, (y, self), (x, tensor, "y"), (by, number, "0.9"))
 *
 * lists name, kind and, where there is one, default of each argument, in order. th_op.h describes the kinds. It declares
 *   decay_signature    the text "y:self x:tensor=y by:number=0.9", which is the `.args` of the op
 *   decay_x            the place of x, 1, for functions that take a place: th_need_ndim(c, decay_x, 2, 2)
 *   decay_args         a struct with a member for each argument, of the type that its kind has
 *   decay_args_of(c)   the arguments of the running call c: decay_args_of(c)->by is a double, decay_args_of(c)->x a tensor
 *   decay_args_at(c, place)   the same for a call that has these arguments from another place on
 * A name that the op does not have, and a tensor that is read as a number, do not compile.
 *
 * To insert an argument, insert it into the list: the text, the places and the members follow. Ops that have the same
 * arguments share a list. A file includes this list before it defines macros with short names, as kernels do.
 */
#ifndef TH_ARGS_H
#define TH_ARGS_H
#include "th_op.h"

#define TH_ARGS(op, ...) \
  __attribute__((unused)) static const char op##_signature[] = \
    TH_EACH_ARG_(TH_TEXT_FIRST_, TH_TEXT_NEXT_, op, __VA_ARGS__); \
  enum op##_place { TH_EACH_ARG_(TH_PLACE_, TH_PLACE_, op, __VA_ARGS__) }; \
  typedef struct __attribute__((may_alias)) op##_args { TH_EACH_ARG_(TH_MEMBER_, TH_MEMBER_, op, __VA_ARGS__) } op##_args; \
  TH_CHECKED_(sizeof(op##_args) == sizeof(th_arg) * TH_COUNT_(__VA_ARGS__), "a member is as large as a th_arg"); \
  __attribute__((unused)) static inline const op##_args *op##_args_at(const th_call *c, int place) \
  { \
    return (const op##_args *)(const void *)&c->arg[place]; \
  } \
  __attribute__((unused)) static inline const op##_args *op##_args_of(const th_call *c) { return op##_args_at(c, 0); }

#ifdef __cplusplus
#define TH_CHECKED_ static_assert
#else
#define TH_CHECKED_ _Static_assert
#endif

/* The C type of each kind: the member of th_arg that holds it. `bool` is a macro in C. */
#define TH_TYPE_out     th_tensor *
#define TH_TYPE_self    th_tensor *
#define TH_TYPE_inout   th_tensor *
#define TH_TYPE_tensor  th_tensor *
#define TH_TYPE_number  double
#define TH_TYPE_return  double
#define TH_TYPE_int     int64_t
#define TH_TYPE_dim     int64_t
#define TH_TYPE_bool    int64_t
#define TH_TYPE__Bool   int64_t
#define TH_TYPE_list    const th_list *
#define TH_TYPE_sizes   const th_sizes *
#define TH_TYPE_gen     th_generator *
#define TH_TYPE_string  const char *

/* Its word in a signature. */
#define TH_WORD_out     "out"
#define TH_WORD_self    "self"
#define TH_WORD_inout   "inout"
#define TH_WORD_tensor  "tensor"
#define TH_WORD_number  "number"
#define TH_WORD_return  "return"
#define TH_WORD_int     "int"
#define TH_WORD_dim     "dim"
#define TH_WORD_bool    "bool"
#define TH_WORD__Bool   "bool"
#define TH_WORD_list    "list"
#define TH_WORD_sizes   "sizes"
#define TH_WORD_gen     "gen"
#define TH_WORD_string  "string"

/* What an argument (name, kind), (name, kind, default) or (member, kind, default, name) becomes. The last form is for names
 * that C reserves: (float_, bool, "false", "float"). */
#define TH_TEXT_FIRST_(op, arg)                     TH_CALL_(TH_JOIN_(TH_TEXT_, TH_COUNT_ arg), TH_OPEN_ arg)
#define TH_TEXT_NEXT_(op, arg)                      " " TH_TEXT_FIRST_(op, arg)
#define TH_TEXT_2(member, kind)                     #member ":" TH_WORD_##kind
#define TH_TEXT_3(member, kind, value)              #member ":" TH_WORD_##kind "=" value
#define TH_TEXT_4(member, kind, value, name)        name ":" TH_WORD_##kind "=" value
#define TH_PLACE_(op, arg)                          TH_CALL_(TH_PLACE_OF_, op, TH_OPEN_ arg)
#define TH_PLACE_OF_(op, member, ...)               op##_##member,
#define TH_MEMBER_(op, arg)                         TH_CALL_(TH_MEMBER_OF_, TH_OPEN_ arg, )
#define TH_MEMBER_OF_(member, kind, ...)            TH_TYPE_##kind member;

/* The preprocessor's loop: first(op, a) next(op, b) next(op, c) ..., for up to TH_MAXARG arguments. */
#define TH_OPEN_(...)     __VA_ARGS__
#define TH_CALL_(f, ...)  f(__VA_ARGS__)
#define TH_JOIN_(a, b)    TH_JOIN_2_(a, b)
#define TH_JOIN_2_(a, b)  a##b
#define TH_COUNT_(...)    TH_COUNT_2_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, )
#define TH_COUNT_2_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count
#define TH_EACH_ARG_(first, next, op, ...) TH_JOIN_(TH_EACH_, TH_COUNT_(__VA_ARGS__))(first, next, op, __VA_ARGS__)
#define TH_EACH_1(f, g, op, a)        f(op, a)
#define TH_EACH_2(f, g, op, a, ...)   f(op, a) TH_EACH_1(g, g, op, __VA_ARGS__)
#define TH_EACH_3(f, g, op, a, ...)   f(op, a) TH_EACH_2(g, g, op, __VA_ARGS__)
#define TH_EACH_4(f, g, op, a, ...)   f(op, a) TH_EACH_3(g, g, op, __VA_ARGS__)
#define TH_EACH_5(f, g, op, a, ...)   f(op, a) TH_EACH_4(g, g, op, __VA_ARGS__)
#define TH_EACH_6(f, g, op, a, ...)   f(op, a) TH_EACH_5(g, g, op, __VA_ARGS__)
#define TH_EACH_7(f, g, op, a, ...)   f(op, a) TH_EACH_6(g, g, op, __VA_ARGS__)
#define TH_EACH_8(f, g, op, a, ...)   f(op, a) TH_EACH_7(g, g, op, __VA_ARGS__)
#define TH_EACH_9(f, g, op, a, ...)   f(op, a) TH_EACH_8(g, g, op, __VA_ARGS__)
#define TH_EACH_10(f, g, op, a, ...)  f(op, a) TH_EACH_9(g, g, op, __VA_ARGS__)
#define TH_EACH_11(f, g, op, a, ...)  f(op, a) TH_EACH_10(g, g, op, __VA_ARGS__)
#define TH_EACH_12(f, g, op, a, ...)  f(op, a) TH_EACH_11(g, g, op, __VA_ARGS__)
#define TH_EACH_13(f, g, op, a, ...)  f(op, a) TH_EACH_12(g, g, op, __VA_ARGS__)
#define TH_EACH_14(f, g, op, a, ...)  f(op, a) TH_EACH_13(g, g, op, __VA_ARGS__)
#define TH_EACH_15(f, g, op, a, ...)  f(op, a) TH_EACH_14(g, g, op, __VA_ARGS__)
#define TH_EACH_16(f, g, op, a, ...)  f(op, a) TH_EACH_15(g, g, op, __VA_ARGS__)

#endif
