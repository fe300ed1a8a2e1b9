#include "brio/formats/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "brio/formats/data_error.h"

namespace brio::formats {

namespace {

constexpr size_t kBuffer = size_t{1} << 20;

[[noreturn]] void fail(const std::string& path, std::string_view what) {
  const int error = errno;
  const std::string message = cat(path, ": ", what, ": ", std::strerror(error));
  if (error == ENOENT) throw FileNotFound(message);
  throw ResourceError(message);
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would wait for ever.
  fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) fail(path_, "it cannot be opened");
  struct stat status {};
  const bool known = ::fstat(fd_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    const int error = known ? 0 : errno;
    ::close(fd_);
    fd_ = -1;
    throw ResourceError(cat(path_, ": ", known ? "it is not a regular file" : std::strerror(error)));
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

size_t InputFile::read_some(uint64_t offset, void* to, size_t bytes) const {
  if (offset > static_cast<uint64_t>(INT64_MAX)) return 0;
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(fd_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) fail(path_, cat("reading at byte ", offset + done, " failed"));
    if (got > 0) done += static_cast<size_t>(got);
  }
  return done;
}

void InputFile::read(uint64_t offset, void* to, size_t bytes) const {
  if (const size_t got = read_some(offset, to, bytes); got != bytes)
    throw DataError({path_}, offset, cat("the file ends ", bytes - got, " bytes too early; it is truncated"));
}

void InputFile::will_read(uint64_t offset, uint64_t bytes) const {
  if (offset >= size_) return;
  // Advice: where a file system has no use for it, nothing is lost.
  (void)::posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(std::min(bytes, size_ - offset)),
                        POSIX_FADV_WILLNEED);
}

std::string read_file(const std::string& path, uint64_t limit) {
  const InputFile file(path);
  if (file.size() > limit)
    throw DataError({path}, 0, cat("the file has ", file.size(), " bytes, more than the limit of ", limit));
  std::string bytes(file.size(), '\0');
  file.read(0, bytes.data(), bytes.size());
  return bytes;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  static std::atomic<uint64_t> serial{0};
  process_ = ::getpid();
  aside_ = cat(path_, ".", process_, ".", serial.fetch_add(1), ".part");
  fd_ = ::open(aside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) fail(aside_, "it cannot be created");
}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (process_ == ::getpid()) ::unlink(aside_.c_str());
}

void OutputFile::flush() {
  if (process_ != ::getpid())
    throw ResourceError(cat(path_, ": it was begun before a fork, and only the parent can finish it"));
  for (size_t done = 0; done < buffer_.size();) {
    const ssize_t wrote = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (wrote < 0 && errno != EINTR) fail(aside_, cat("writing at byte ", flushed_ + done, " failed"));
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
  flushed_ += buffer_.size();
  buffer_.clear();
}

void OutputFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) flush();
}

void OutputFile::commit() {
  BRIO_CHECK(fd_ >= 0, "a file is committed once");
  flush();
  if (::fsync(fd_) != 0) fail(aside_, "it cannot be synced");
  if (::rename(aside_.c_str(), path_.c_str()) != 0) fail(path_, "the finished file cannot get its name");
  ::close(std::exchange(fd_, -1));
  // The name is on disk once its directory is.
  std::filesystem::path directory = std::filesystem::path(path_).parent_path();
  if (directory.empty()) directory = ".";
  if (const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
    ::fsync(fd);
    ::close(fd);
  }
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace brio::formats
