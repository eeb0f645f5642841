// program_files.cc - files with compiled code. Each has a line with sizes and a checksum, the
// key, and the code.
#include "kernels/program_files.h"
#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

const char HEAD[] = "Cresset kernel 1 %zu %zu %016" PRIx64 "\n";
const char PREFIX[] = "kernel-";
enum { MOST_BYTES = 64 << 20, MOST_FILES = 1000 };

/* FNV-1a. */
uint64_t hash_of(const std::string &s)
{
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : s) h = (h ^ (unsigned char)c) * 0x100000001b3u;
  return h;
}

std::string head_of(const std::string &key, const std::string &code)
{
  char line[96];
  snprintf(line, sizeof line, HEAD, key.size(), code.size(), hash_of(code));
  return line;
}

std::string name_of(const std::string &folder, const std::string &key)
{
  return folder + "/" + PREFIX + program_hash(key);
}

/* All bytes of a file; "" for none. */
std::string contents_of(const std::string &name)
{
  struct stat st;
  std::string text;
  const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES) {
    text.resize((size_t)st.st_size);
    size_t n = 0;
    for (ssize_t got; n < text.size() && (got = read(fd, &text[n], text.size() - n)) > 0;)
      n += (size_t)got;
    text.resize(n);
  }
  close(fd);
  return text;
}

/* Keeps the MOST_FILES files that were written or read last. */
void remove_oldest(const std::string &folder)
{
  std::vector<std::pair<int64_t, std::string>> files;
  DIR *d = opendir(folder.c_str());
  if (!d) return;
  while (const dirent *e = readdir(d)) {
    struct stat st;
    if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) == 0 &&
        fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
      files.emplace_back(st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec, e->d_name);
  }
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i + MOST_FILES < files.size(); i++)
    unlinkat(dirfd(d), files[i].second.c_str(), 0);
  closedir(d);
}

void make_folder(const std::string &folder)
{
  for (size_t at = 1; (at = folder.find('/', at)) != std::string::npos; at++)
    mkdir(folder.substr(0, at).c_str(), 0700);
  mkdir(folder.c_str(), 0700);
}

}  // namespace

std::string program_hash(const std::string &text)
{
  char digits[20];
  snprintf(digits, sizeof digits, "%016" PRIx64, hash_of(text));
  return digits;
}

bool program_file_read(std::string *code, const std::string &folder, const std::string &key)
{
  const std::string name = name_of(folder, key), text = contents_of(name);
  const size_t end = text.find('\n');
  if (end == std::string::npos || text.size() <= end + 1 + key.size() ||
      text.compare(end + 1, key.size(), key) != 0)
    return false;
  *code = text.substr(end + 1 + key.size());
  if (text.compare(0, end + 1, head_of(key, *code)) != 0) return false;
  utimensat(AT_FDCWD, name.c_str(), nullptr, 0); /* for remove_oldest */
  return true;
}

void program_file_write(const std::string &folder, const std::string &key, const std::string &code)
{
  const std::string name = name_of(folder, key),
                    other = name + "." + std::to_string((long)getpid());
  const std::string text = head_of(key, code) + key + code;
  make_folder(folder);
  unlink(other.c_str());
  const int fd = open(other.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return;
  size_t n = 0;
  for (ssize_t done; n < text.size() && (done = write(fd, &text[n], text.size() - n)) > 0;)
    n += (size_t)done;
  const bool whole = n == text.size() && fsync(fd) == 0;
  if (close(fd) != 0 || !whole || rename(other.c_str(), name.c_str()) != 0) unlink(other.c_str());
  remove_oldest(folder);
}
