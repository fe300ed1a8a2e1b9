// Files for the parsers and the pipeline: read by position from any thread; written under another name and renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "brio/base/error.h"

namespace brio::formats {

// The file does not exist.
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
  uint64_t size() const { return size_; }  // its size when it was opened

  // Up to `bytes` bytes from `offset`; fewer only at the end of the file.
  size_t read_some(uint64_t offset, void* to, size_t bytes) const;
  // Exactly that many; throws DataError if the file ends before.
  void read(uint64_t offset, void* to, size_t bytes) const;
  // The system may read these bytes into memory in advance.
  void will_read(uint64_t offset, uint64_t bytes) const;

 private:
  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

// A complete file. Refuses a file larger than `limit` before it allocates.
std::string read_file(const std::string& path, uint64_t limit = uint64_t{1} << 32);

// A file that appears under its name complete or not at all. It is written beside it as NAME.<pid>.<n>.brio-part,
// then synced and renamed by commit(). If it is destroyed before that, it leaves nothing. Errors (such as a full
// disk) are ResourceErrors. In the child of a fork it belongs to the parent: the child can neither write nor remove
// it. Files of killed processes are removed when the next OutputFile is opened in that directory.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  const std::string& path() const { return path_; }
  uint64_t size() const { return flushed_ + buffer_.size(); }  // written so far
  void write(std::string_view bytes);
  // Makes what was written so far available under its name; later writes are added to it. For files that are read
  // while they grow.
  void publish();
  void commit();

 private:
  void flush();

  std::string path_, aside_;
  std::string buffer_;
  uint64_t flushed_ = 0;
  int fd_ = -1;
  int process_ = 0;  // the process that it belongs to
  bool published_ = false;
};

// A name beside `path` for a file that is being written, and that file, locked while it is open. The lock says that
// its process is alive.
struct FileAside {
  std::string path;
  int fd;
};
FileAside make_file_aside(const std::string& path);
// Throws InvalidArgument for a byte 0: the system would use only the part before it as the name.
void check_name(const std::string& path);
// Removes the unfinished files of ended processes in this directory: files with such names that are not locked.
void remove_leftovers(const std::string& directory);

void write_file(const std::string& path, std::string_view bytes);

}  // namespace brio::formats
