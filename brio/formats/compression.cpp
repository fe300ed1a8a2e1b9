#include "brio/formats/compression.h"

#include <zlib.h>

#include <algorithm>

#include "brio/formats/data_error.h"

namespace brio::formats {

namespace {

constexpr size_t kChunk = size_t{1} << 17;
constexpr int kGzipWindow = 15 + 16, kZlibWindow = 15;  // zlib's way to say which wrapping

int window_of(Compression compression) { return compression == Compression::gzip ? kGzipWindow : kZlibWindow; }

}  // namespace

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::none: break;
    case Compression::gzip: return "GZIP";
    case Compression::zlib: return "ZLIB";
  }
  return "";
}

Compression compression_from_name(std::string_view name) {
  for (const Compression one : {Compression::none, Compression::gzip, Compression::zlib})
    if (name == name_of(one)) return one;
  throw InvalidArgument(cat("no compression is called '", name, "'; use '' (none), 'GZIP' or 'ZLIB'"));
}

Compression guess_compression(std::string_view first_bytes) {
  if (first_bytes.size() < 2) return Compression::none;
  const auto first = static_cast<unsigned char>(first_bytes[0]), second = static_cast<unsigned char>(first_bytes[1]);
  if (first == 0x1f && second == 0x8b) return Compression::gzip;
  const bool zlib_header = (first & 0x0f) == 8 && first >> 4 <= 7 && (first * 256 + second) % 31 == 0;
  return zlib_header ? Compression::zlib : Compression::none;
}

struct InputStream::Inflater {
  Inflater(Compression how, const InflateLimits& given, uint64_t file_bytes)
      : compression(how), limits(given), input(static_cast<size_t>(std::min<uint64_t>(kChunk, file_bytes)), '\0') {
    if (limits.max_ratio == 0)
      throw InvalidArgument("max_ratio is 1 or more: inflated bytes for each compressed one");
    if (inflateInit2(&z, window_of(how)) != Z_OK) throw ResourceError("zlib found no memory to inflate with");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&z); }

  uint64_t consumed() const { return next - z.avail_in; }
  [[noreturn]] void fail(const InputFile& file, std::string_view reason) const {
    throw DataError({file.path()}, consumed(), cat("the ", name_of(compression), " data is broken: ", reason));
  }

  Compression compression;
  InflateLimits limits;
  z_stream z{};
  std::string input;
  uint64_t next = 0;       // of the file, behind what `input` holds
  bool in_member = false;  // between the header of a member and its end
};

InputStream::InputStream(const InputFile& file, Compression compression, const InflateLimits& limits)
    : file_(&file),
      inflater_(compression == Compression::none ? nullptr
                                                 : std::make_unique<Inflater>(compression, limits, file.size())) {}
InputStream::InputStream(InputStream&&) noexcept = default;
InputStream::~InputStream() = default;

size_t InputStream::read_some(void* to, size_t bytes) {
  const size_t got = inflater_ ? inflate_some(static_cast<char*>(to), bytes) : file_->read_some(position_, to, bytes);
  position_ += got;
  return got;
}

size_t InputStream::inflate_some(char* to, size_t bytes) {
  Inflater& state = *inflater_;
  size_t done = 0;
  while (done < bytes) {
    if (state.z.avail_in == 0) {
      const size_t got = file_->read_some(state.next, state.input.data(), state.input.size());
      state.next += got;
      state.z.next_in = reinterpret_cast<Bytef*>(state.input.data());
      state.z.avail_in = static_cast<uInt>(got);
      if (got == 0) {
        if (state.in_member) state.fail(*file_, "it is truncated");
        break;
      }
    }
    if (!state.in_member) {
      if (state.consumed() > 0 && state.compression == Compression::zlib) state.fail(*file_, "bytes follow its end");
      inflateReset(&state.z);
      state.in_member = true;
    }
    const auto room = static_cast<uInt>(std::min<size_t>(bytes - done, kChunk));
    state.z.next_out = reinterpret_cast<Bytef*>(to + done);
    state.z.avail_out = room;
    const int result = ::inflate(&state.z, Z_NO_FLUSH);
    done += room - state.z.avail_out;
    if (result == Z_STREAM_END) state.in_member = false;
    else if (result == Z_MEM_ERROR) throw ResourceError("zlib found no memory to inflate with");
    else if (result != Z_OK && result != Z_BUF_ERROR)
      state.fail(*file_, state.z.msg ? state.z.msg : "it needs a dictionary");
    const uint64_t inflated = position_ + done;
    if (inflated > state.limits.free_bytes && inflated / state.limits.max_ratio > state.consumed())
      state.fail(*file_, cat("it inflates to more than ", state.limits.max_ratio,
                             " times its size, as a decompression bomb does; raise max_ratio if it is none"));
  }
  return done;
}

std::string InputStream::read_all(uint64_t limit) {
  std::string all;
  limit = std::min(limit, UINT64_MAX - 1);
  const uint64_t expected = inflater_ ? kChunk : file_->size() - std::min(file_->size(), position_);
  for (size_t step = std::min(limit, expected) + 1;; step = all.size()) {  // grows with what has come
    const size_t before = all.size();
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(step, limit + 1 - before));
    all.resize(before + wanted);
    const size_t got = read_some(all.data() + before, wanted);
    all.resize(before + got);
    if (all.size() > limit)
      throw DataError({file_->path()}, inflater_ ? inflater_->consumed() : position_,
                      cat("the file holds more than the limit of ", limit, " bytes"));
    if (got < wanted) return all;
  }
}

void InputStream::seek(uint64_t position) {
  if (inflater_) throw InvalidArgument(cat(file_->path(), ": a compressed file cannot be read from any position"));
  position_ = position;
}

struct OutputStream::Deflater {
  Deflater(Compression compression, int level) {
    constexpr int kMemoryLevel = 9;
    if (deflateInit2(&z, level, Z_DEFLATED, window_of(compression), kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
      throw ResourceError("zlib found no memory to deflate with");
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&z); }

  z_stream z{};
  std::string output = std::string(kChunk, '\0');
};

OutputStream::OutputStream(OutputFile& file, Compression compression, int level) : file_(&file) {
  if (level < -1 || level > 9)
    throw InvalidArgument(
        cat(file.path(), ": a compression level is 0 to 9, or -1 for the usual one, but got ", level));
  if (compression != Compression::none) deflater_ = std::make_unique<Deflater>(compression, level);
}
OutputStream::~OutputStream() = default;

void OutputStream::write(std::string_view bytes) {
  if (!deflater_) return file_->write(bytes);
  constexpr size_t kMost = size_t{1} << 30;  // zlib counts in 32 bits
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kMost, bytes.size())))
    deflate(bytes.substr(0, kMost), Z_NO_FLUSH);
}

void OutputStream::flush() {
  if (deflater_) deflate({}, Z_SYNC_FLUSH);
}

void OutputStream::finish() {
  if (deflater_) deflate({}, Z_FINISH);
}

void OutputStream::deflate(std::string_view bytes, int how) {
  z_stream& z = deflater_->z;
  std::string& output = deflater_->output;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  do {
    z.next_out = reinterpret_cast<Bytef*>(output.data());
    z.avail_out = static_cast<uInt>(output.size());
    ::deflate(&z, how);
    file_->write(std::string_view(output).substr(0, output.size() - z.avail_out));
  } while (z.avail_out == 0);
}

}  // namespace brio::formats
