// library.cc - opens libraries of CUDA: the file that the environment names, or the first usual one that is there.
#include "../../lib/core/environment.h"
#include "library.h"
#include <dlfcn.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- where to look ---- */

static std::string setting(const char *name)
{
  const char *value = th_environment(name);
  return value ? value : "";
}

/* The parts of a list with colons that are not empty. */
static std::vector<std::string> parts_of(const std::string &list)
{
  std::vector<std::string> parts;
  for (size_t at = 0, end; at < list.size(); at = end + 1) {
    end = list.find(':', at);
    if (end == std::string::npos) end = list.size();
    if (end > at) parts.push_back(list.substr(at, end - at));
  }
  return parts;
}

static void add_matches(std::vector<std::string> *to, const std::string &pattern)
{
  glob_t g;
  if (glob(pattern.c_str(), 0, nullptr, &g) != 0) return;
  for (size_t i = 0; i < g.gl_pathc; i++) {
    bool known = false;
    for (const std::string &have : *to) known = known || have == g.gl_pathv[i];
    if (!known) to->push_back(g.gl_pathv[i]);
  }
  globfree(&g);
}

/* Where the programs of a folder of PATH lie, and where its python3 lies really: links lead elsewhere. */
static void add_roots(std::vector<std::string> *roots, const std::string &path)
{
  roots->push_back(path + "/..");
  char *real = realpath((path + "/python3").c_str(), nullptr);
  if (!real) return;
  const std::string folder = std::string(real).substr(0, std::string(real).rfind('/'));
  if (folder != path) roots->push_back(folder + "/..");
  free(real);
}

/* Packages of CUDA's libraries for Python lie in nvidia/<package>/lib of an environment: of the one that is active, of those
 * whose programs PATH finds, of pyenv's, and of the user. Those of conda lie in its own lib. */
static std::vector<std::string> folders_of_pythons()
{
  std::vector<std::string> folders, roots;
  for (const std::string &path : parts_of(setting("PYTHONPATH"))) add_matches(&folders, path + "/nvidia/*/lib");
  for (const char *variable : { "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONUSERBASE" }) {
    if (!setting(variable).empty()) roots.push_back(setting(variable));
  }
  for (const std::string &path : parts_of(setting("PATH"))) add_roots(&roots, path);
  const std::string pyenv = setting("PYENV_ROOT").empty() ? setting("HOME") + "/.pyenv" : setting("PYENV_ROOT");
  add_matches(&roots, pyenv + "/versions/*");
  if (!setting("HOME").empty()) roots.push_back(setting("HOME") + "/.local");
  for (const std::string &root : roots) {
    add_matches(&folders, root + "/lib/python3*/site-packages/nvidia/*/lib");
    add_matches(&folders, root + "/lib/python3*/dist-packages/nvidia/*/lib");
    if (root == setting("CONDA_PREFIX")) folders.push_back(root + "/lib");
  }
  return folders;
}

/* ---- a file ---- */

bool th_library::take(const std::string &file, std::initializer_list<th_symbol> symbols, void *(*emulated)(const char *))
{
  void *library = emulated ? nullptr : dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!emulated && !library) {
    const char *e = dlerror();
    const bool there = file.find('/') != std::string::npos && access(file.c_str(), F_OK) == 0;
    if (there) why_not = std::string("the ") + what + " in " + file + " cannot be opened: " + (e ? e : "it says not why");
    return false;
  }
  for (const th_symbol &s : symbols) {
    *s.f = emulated ? emulated(s.name) : dlsym(library, s.name);
    if (*s.f) continue;
    why_not = std::string("the ") + what + " in " + file + " has no " + s.name;
    return false;
  }
  const std::string failed = works ? works() : "";
  if (!failed.empty()) {
    why_not = std::string("the ") + what + " in " + file + " does not work (" + failed + ")";
    return false;
  }
  name = file;
  return found = true;
}

bool th_library::without(const char *reason)
{
  why_not = reason;
  return found = false;
}

/* The first of the files in each place, before the next place. What was found and is of no use says why; else where
 * was looked. */
bool th_library::take_one_of(const std::vector<std::string> &files, std::initializer_list<th_symbol> symbols, bool named)
{
  const std::vector<std::string> given = parts_of(setting("TH_CUDA_LIBS"));
  why_not.clear();
  for (const std::string &folder : given) {
    for (const std::string &file : files) if (take(folder + "/" + file, symbols, nullptr)) return true;
  }
  for (const std::string &file : files) if (take(file, symbols, nullptr)) return true;
  const std::vector<std::string> pythons = folders_of_pythons();
  for (const std::string &folder : pythons) {
    for (const std::string &file : files) if (take(folder + "/" + file, symbols, nullptr)) return true;
  }
  if (!why_not.empty()) return false;
  why_not = named ? std::string(variable) + "=" + files[0] + ": it was not found " : files[0] + " was not found ";
  why_not += given.empty() ? "by the loader" : "in TH_CUDA_LIBS (" + setting("TH_CUDA_LIBS") + "), by the loader";
  why_not += ", or in nvidia/*/lib of a Python";
  if (given.empty()) why_not += "; TH_CUDA_LIBS names folders to look in";
  if (!named) why_not += std::string(given.empty() ? ", " : "; ") + variable + " a file";
  return false;
}

bool th_library::open(std::initializer_list<const char *> usual, std::initializer_list<th_symbol> symbols,
                      void *(*emulated)(const char *), std::string (*trial)())
{
  std::call_once(once, [&] {
    works = trial;
    const std::string wanted = setting(variable);
    why_not = std::string(variable) + "=" + wanted;
    if (wanted == "none") return;
    if (emulated) take(wanted.empty() ? *usual.begin() : wanted, symbols, emulated);
    else if (wanted.find('/') != std::string::npos) {
      why_not += ": there is no such file";
      take(wanted, symbols, nullptr);
    }
    else if (!wanted.empty()) take_one_of({ wanted }, symbols, true);
    else take_one_of(std::vector<std::string>(usual.begin(), usual.end()), symbols, false);
  });
  return found;
}
