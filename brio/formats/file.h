// Files as the parsers and the pipeline use them: read by position from any thread, written aside and renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "brio/base/error.h"

namespace brio::formats {

// There is no such file.
class FileNotFound : public ResourceError {
 public:
  using ResourceError::ResourceError;
};

// A regular file, open for reading. Immutable, so any number of threads may read it at once. Errors are
// ResourceErrors that name the file and the system's reason.
class InputFile {
 public:
  explicit InputFile(std::string path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }  // when it was opened

  // Up to `bytes` bytes from `offset`; fewer only at the file's end.
  size_t read_some(uint64_t offset, void* to, size_t bytes) const;
  // Exactly that many; throws DataError where the file ends before.
  void read(uint64_t offset, void* to, size_t bytes) const;
  // The system may fetch these bytes into memory meanwhile.
  void will_read(uint64_t offset, uint64_t bytes) const;

 private:
  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

// All of a file. Refuses one larger than `limit` before it allocates.
std::string read_file(const std::string& path, uint64_t limit = uint64_t{1} << 32);

// A file that appears under its name whole or not at all: written beside it as NAME.<pid>.<n>.brio-part, synced and
// renamed by commit(). One that is destroyed before leaves nothing. Errors (a full disk, say) are ResourceErrors. In
// the child of a fork it belongs to the parent: the child can neither write nor remove it. What a process that was
// killed left behind goes when the next one begins a file in that directory.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  const std::string& path() const { return path_; }
  uint64_t size() const { return flushed_ + buffer_.size(); }  // written so far
  void write(std::string_view bytes);
  // What was written so far is there under its name from now on, and what follows is added to it: for files that are
  // read while they grow.
  void publish();
  void commit();

 private:
  void flush();

  std::string path_, aside_;
  std::string buffer_;
  uint64_t flushed_ = 0;
  int fd_ = -1;
  int process_ = 0;  // that it belongs to
  bool published_ = false;
};

// A name beside `path` for what is being written, and the file of that name, locked for as long as it is open: the
// lock says that its process lives.
struct FileAside {
  std::string path;
  int fd;
};
FileAside make_file_aside(const std::string& path);
// Throws InvalidArgument for a byte 0: the system would take what stands before it for the name.
void check_name(const std::string& path);
// Removes what processes that are gone were writing in this directory: files of such names that nobody has locked.
void remove_leftovers(const std::string& directory);

void write_file(const std::string& path, std::string_view bytes);

}  // namespace brio::formats
