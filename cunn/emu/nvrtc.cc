// nvrtc.cc - NVRTC and the driver's functions for libraries, for the emulated device: the
// compiler of the host makes a shared object of a kernel's text, which threads of blocks run like
// other kernels.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <string>
#include "machine.h"

extern char **environ;

namespace {

enum { SUCCESS = 0, COMPILATION = 6, NOT_FOUND = 500 };

struct compilation { std::string text, log, binary; };
/* A kernel of a text, and what the text says of its argument: its bytes, and those of the addresses
 * that it begins with. */
struct function {
  void (*start)(const emu::place *now, const void *argument);
  const char *name;
  unsigned bytes, addresses;
};

std::string contents_of(const std::string &name)
{
  std::string text;
  char some[4096];
  FILE *f = fopen(name.c_str(), "rb");
  for (size_t n; f && (n = fread(some, 1, sizeof some, f)) > 0;) text.append(some, n);
  if (f) fclose(f);
  return text;
}
bool store(const std::string &name, const std::string &text)
{
  FILE *f = fopen(name.c_str(), "wb");
  if (!f) return false;
  const bool whole = fwrite(text.data(), 1, text.size(), f) == text.size();
  return fclose(f) == 0 && whole;
}

/* A new folder for the files of one compilation, which are removed with it. */
class workplace {
public:
  workplace()
  {
    const char *given = getenv("TMPDIR");
    path = std::string(given && *given ? given : "/tmp") + "/cresset-XXXXXX";
    if (!mkdtemp(&path[0])) path.clear();
  }
  ~workplace()
  {
    for (const char *name : { "/text.cc", "/log", "/code.so" }) unlink((path + name).c_str());
    rmdir(path.c_str());
  }
  std::string path;
};

/* Runs a compiler; its exit status, or -1 if it is not in PATH. */
int run(const char *compiler, const std::string &path)
{
  const std::string text = path + "/text.cc", code = path + "/code.so", log = path + "/log";
  const char *const arguments[] = { compiler,
                                    "-std=c++17",
                                    "-O1",
                                    "-w",
                                    "-shared",
                                    "-fPIC",
                                    "-fwrapv",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-ffp-contract=off",
                                    "-D__grid_constant__=",
                                    "-o",
                                    code.c_str(),
                                    text.c_str(),
                                    nullptr };
  posix_spawn_file_actions_t files;
  pid_t child = 0;
  int status = 0;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int e =
    posix_spawnp(&child, compiler, &files, nullptr, const_cast<char *const *>(arguments), environ);
  posix_spawn_file_actions_destroy(&files);
  if (e != 0) return -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status) : 1;
}

/* The first compiler in PATH; nullptr: there is none. */
const char *compiler()
{
  static const char *const found = [] () -> const char * {
    const char *path = getenv("PATH");
    const std::string list = path ? path : "";
    for (const char *name : { "c++", "g++", "clang++" }) {
      for (size_t at = 0, end; at <= list.size(); at = end + 1) {
        end = std::min(list.find(':', at), list.size());
        if (end > at && access((list.substr(at, end - at) + "/" + name).c_str(), X_OK) == 0)
          return name;
      }
    }
    return nullptr;
  }();
  return found;
}

int version(int *major, int *minor)
{
  *major = *minor = 0;
  return compiler() ? SUCCESS : COMPILATION;
}
int create(void **p, const char *text, const char *, int, const void *, const void *)
{
  *p = new compilation{ text, "", "" };
  return SUCCESS;
}
int destroy(void **p)
{
  delete static_cast<compilation *>(*p);
  *p = nullptr;
  return SUCCESS;
}
int compile(void *p, int, const void *)
{
  compilation *c = static_cast<compilation *>(p);
  const workplace w;
  if (w.path.empty() || !store(w.path + "/text.cc", c->text)) return COMPILATION;
  const int status = run(compiler(), w.path);
  c->log = contents_of(w.path + "/log");
  if (status == 0) c->binary = contents_of(w.path + "/code.so");
  return c->binary.empty() ? COMPILATION : SUCCESS;
}
int binary_size(void *p, size_t *n)
{
  *n = static_cast<compilation *>(p)->binary.size();
  return SUCCESS;
}
int binary(void *p, char *to)
{
  const std::string &b = static_cast<compilation *>(p)->binary;
  memcpy(to, b.data(), b.size());
  return SUCCESS;
}
int log_size(void *p, size_t *n)
{
  *n = static_cast<compilation *>(p)->log.size() + 1;
  return SUCCESS;
}
int log(void *p, char *to)
{
  const std::string &l = static_cast<compilation *>(p)->log;
  memcpy(to, l.c_str(), l.size() + 1);
  return SUCCESS;
}

/* The size is in the code: an ELF file ends with its table of sections. */
size_t size_of(const void *code)
{
  const unsigned char *p = static_cast<const unsigned char *>(code);
  uint64_t sections;
  uint16_t each, count;
  memcpy(&sections, p + 40, sizeof sections);
  memcpy(&each, p + 58, sizeof each);
  memcpy(&count, p + 60, sizeof count);
  return (size_t)(sections + (uint64_t)each * count);
}

int load(void **library, const void *code, void *, void *, unsigned, void *, void *, unsigned)
{
  const workplace w;
  const std::string name = w.path + "/code.so";
  if (w.path.empty() || !store(name, std::string(static_cast<const char *>(code), size_of(code))))
    return NOT_FOUND;
  *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  return *library ? SUCCESS : NOT_FOUND;
}
int kernel_of(void **kernel, void *library, const char *name)
{
  void *const start = dlsym(library, (std::string("emu_") + name).c_str());
  const auto *const bytes = static_cast<const unsigned *>(dlsym(library, "emu_argument"));
  if (!start || !bytes) return NOT_FOUND;
  function *f = new function{ nullptr, strdup(name), bytes[0], bytes[1] };
  memcpy(&f->start, &start, sizeof start);
  *kernel = f;
  return SUCCESS;
}
int start(void *kernel, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
          unsigned shared, void *stream, void **arguments, void **)
{
  const function f = *static_cast<function *>(kernel);
  const auto copy =
    std::make_shared<const std::string>(static_cast<const char *>(arguments[0]), f.bytes);
  emu::launch(dim3(x, y, z), dim3(bx, by, bz), shared, static_cast<CUstream_st *>(stream),
              [=] { f.start(&emu::now, copy->data()); }, f.name, copy->data(), f.addresses);
  return cudaGetLastError();
}

const struct { const char *name; void *f;
} table[] = {
  { "nvrtcVersion", (void *)version },
  { "nvrtcCreateProgram", (void *)create },
  { "nvrtcDestroyProgram", (void *)destroy },
  { "nvrtcCompileProgram", (void *)compile },
  { "nvrtcGetCUBINSize", (void *)binary_size },
  { "nvrtcGetCUBIN", (void *)binary },
  { "nvrtcGetProgramLogSize", (void *)log_size },
  { "nvrtcGetProgramLog", (void *)log },
  { "cuLibraryLoadData", (void *)load },
  { "cuLibraryGetKernel", (void *)kernel_of },
  { "cuLaunchKernel", (void *)start },
};

}  // namespace

void *emu::nvrtc(const char *symbol)
{
  for (const auto &t : table) if (strcmp(t.name, symbol) == 0) return t.f;
  return nullptr;
}
