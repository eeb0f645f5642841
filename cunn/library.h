// library.h - libraries that are opened when they are first needed, and said to be missing where they are not there.
#ifndef TH_CUDA_LIBRARY_H
#define TH_CUDA_LIBRARY_H
#include <initializer_list>
#include <mutex>

struct th_symbol { void **f; const char *name; };

/* `variable` of the environment names the file to open; "none" asks to do without. */
class th_library {
public:
  th_library(const char *title, const char *setting) : what(title), variable(setting), found(false), name(""), why_not("") {}
  /* Opens it, once: the first of the usual files that has all symbols. `emulated` gives a symbol of the emulated device. */
  bool open(std::initializer_list<const char *> usual, std::initializer_list<th_symbol> symbols, void *(*emulated)(const char *));
  /* It is there no more, or never was: because of this. */
  bool without(const char *reason);
  const char *file() const { return found ? name : ""; }
  const char *why() const { return found ? "" : why_not; }
private:
  bool take(const char *file, std::initializer_list<th_symbol> symbols, void *(*emulated)(const char *));
  const char *const what, *const variable;
  bool found;
  char name[256], why_not[512];
  std::once_flag once;
};

#endif
