// same.cuh - compares our declarations of a library's interface with its header at compile time, if the header is installed.
#ifndef TH_SAME_CUH
#define TH_SAME_CUH
#include <type_traits>

namespace same {
/* Enums are passed as int, and all pointers as void pointers. */
template <class T> struct passed { typedef typename std::conditional<std::is_enum<T>::value, int, T>::type as; };
template <class T> struct passed<T *> { typedef const void *as; };
template <class... A> struct list {};
template <class R, class... A> constexpr list<typename passed<A>::as...> arguments_of(R (*)(A...)) { return {}; }
}

#define TH_SAME_NUMBER(ours, theirs) static_assert((int)(ours) == (int)(theirs), #theirs " is another number");
#define TH_SAME_ARGUMENTS(ours, theirs) \
  static_assert(std::is_same<decltype(same::arguments_of(ours)), decltype(same::arguments_of(&theirs))>::value, \
                #theirs " takes other arguments");

#endif
