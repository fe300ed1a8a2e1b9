#include "brio/formats/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
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

void check_name(const std::string& path) {
  if (const size_t at = path.find('\0'); at != std::string::npos)
    throw InvalidArgument(
        cat("a path has a byte 0 at place ", at, ", which no name has: '", path.substr(0, at), "'…"));
}

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  check_name(path_);
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

namespace {

constexpr std::string_view kAside = ".brio-part";

// NAME.<digits>.<digits>.brio-part
bool is_aside(std::string_view name) {
  if (!name.ends_with(kAside)) return false;
  name.remove_suffix(kAside.size());
  for (int part = 0; part < 2; ++part) {
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return false;
    if (name.find_first_not_of("0123456789", dot + 1) != std::string_view::npos) return false;
    name = name.substr(0, dot);
  }
  return true;
}

std::string directory_of(const std::string& path) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  return directory.empty() ? "." : directory.string();
}

// A directory is looked through once by each process: it may be large.
void remove_leftovers_once(const std::string& directory) {
  static std::mutex mutex;
  static auto* const seen = new std::map<std::string, int>();
  {
    const std::lock_guard lock(mutex);
    if (int& process = (*seen)[directory]; std::exchange(process, ::getpid()) == ::getpid()) return;
  }
  remove_leftovers(directory);
}

}  // namespace

void remove_leftovers(const std::string& directory) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string path = at->path().string();
    if (!is_aside(at->path().filename().string())) continue;
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    ::close(fd);
  }
}

FileAside make_file_aside(const std::string& path) {
  check_name(path);
  static std::atomic<uint64_t> serial{0};
  remove_leftovers_once(directory_of(path));
  for (;;) {
    FileAside file{cat(path, ".", ::getpid(), ".", serial.fetch_add(1), kAside), -1};
    file.fd = ::open(file.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file.fd < 0 && errno == EEXIST) continue;  // of another process of this number
    if (file.fd < 0) fail(file.path, "it cannot be created");
    // Who looks for leftovers may have been faster. A file system without locks keeps its leftovers.
    struct stat status {};
    if (::flock(file.fd, LOCK_EX) != 0 || ::fstat(file.fd, &status) != 0 || status.st_nlink > 0) return file;
    ::close(file.fd);
  }
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  process_ = ::getpid();
  FileAside file = make_file_aside(path_);
  aside_ = std::move(file.path);
  fd_ = file.fd;
}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (process_ == ::getpid() && !published_) ::unlink(aside_.c_str());
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

void OutputFile::publish() {
  BRIO_CHECK(fd_ >= 0, "a file is published before it is committed");
  flush();
  if (published_) return;
  if (::rename(aside_.c_str(), path_.c_str()) != 0) fail(path_, "the file cannot get its name");
  aside_ = path_;
  published_ = true;
}

void OutputFile::commit() {
  BRIO_CHECK(fd_ >= 0, "a file is committed once");
  flush();
  if (::fsync(fd_) != 0) fail(aside_, "it cannot be synced");
  if (!published_ && ::rename(aside_.c_str(), path_.c_str()) != 0)
    fail(path_, "the finished file cannot get its name");
  ::close(std::exchange(fd_, -1));
  // The name is on disk once its directory is.
  if (const int fd = ::open(directory_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
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
