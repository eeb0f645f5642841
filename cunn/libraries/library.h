// library.h - libraries that are opened on first use, with a message that says why one is missing.
#ifndef TH_CUDA_LIBRARY_H
#define TH_CUDA_LIBRARY_H
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

struct th_symbol { void **f; const char *name; };

/* Searches for a file in the folders of TH_CUDA_LIBS (a list with colons), then like the loader, then in the folders
 * nvidia/?/lib of Python installations. The environment variable `variable` names another file to open; "none" disables the
 * library. */
class th_library {
public:
  th_library(const char *title, const char *setting) : what(title), variable(setting), found(false) {}
  /* Opens it once: the first of the usual files that has all symbols and works. `trial` returns
   * what has failed, or ""; nullptr: no trial. `emulated` returns a symbol of the emulated
   * device. */
  bool open(std::initializer_list<const char *> usual, std::initializer_list<th_symbol> symbols, void *(*emulated)(const char *),
            std::string (*trial)() = nullptr);
  /* The library must not be opened, for this reason. */
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
