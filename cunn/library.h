// library.h - libraries that are opened when they are first needed, and said to be missing where they are not there.
#ifndef TH_CUDA_LIBRARY_H
#define TH_CUDA_LIBRARY_H
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

struct th_symbol { void **f; const char *name; };

/* A file is looked for in the folders of TH_CUDA_LIBS (a list with colons), then as the loader looks for it, then in the folders
 * nvidia/?/lib of Pythons. `variable` of the environment names the file to open instead; "none" asks to do without. */
class th_library {
public:
  th_library(const char *title, const char *setting) : what(title), variable(setting), found(false) {}
  /* Opens it, once: the first of the usual files that has all symbols, and works: trial says what has failed, or "" (nullptr:
   * nothing is tried). `emulated` gives a symbol of the emulated device. */
  bool open(std::initializer_list<const char *> usual, std::initializer_list<th_symbol> symbols, void *(*emulated)(const char *),
            std::string (*trial)() = nullptr);
  /* It is not to be opened: because of this. */
  bool without(const char *reason);
  const char *file() const { return found ? name.c_str() : ""; }
  const char *why() const { return found ? "" : why_not.c_str(); }
private:
  bool take(const std::string &file, std::initializer_list<th_symbol> symbols, void *(*emulated)(const char *));
  std::string (*works)() = nullptr;
  bool take_one_of(const std::vector<std::string> &files, std::initializer_list<th_symbol> symbols, bool named);
  const char *const what, *const variable;
  bool found;
  std::string name, why_not;
  std::once_flag once;
};

#endif
