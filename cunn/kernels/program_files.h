// program_files.h - files with compiled code, one for each program: atomically written, and
// checked when they are read.
#ifndef TH_PROGRAM_FILES_H
#define TH_PROGRAM_FILES_H
#include <string>

/* 16 digits that stand for a text. */
std::string program_hash(const std::string &text);
/* The code that was stored for exactly this key. false: there is none, or the file is damaged. */
bool program_file_read(std::string *code, const std::string &folder, const std::string &key);
/* Creates the folder. A failure has no effect: the code is compiled again next time. The folder
 * keeps the 1000 files that were used last. */
void program_file_write(const std::string &folder, const std::string &key, const std::string &code);

#endif
