#include "brio/formats/compression.h"

#include <gtest/gtest.h>

#include "brio/formats/data_error.h"
#include "tests/formats/message_of.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

constexpr Compression kAll[] = {Compression::none, Compression::gzip, Compression::zlib};

std::string text_of(size_t size) {
  std::string text;
  for (int64_t i = 0; text.size() < size; ++i) text += cat("line ", i * i, "\n");
  text.resize(size);
  return text;
}

void write_compressed(const std::string& path, Compression compression, std::string_view bytes, int level = -1) {
  OutputFile file(path);
  OutputStream stream(file, compression, level);
  for (size_t at = 0; at < bytes.size(); at += 70000) stream.write(bytes.substr(at, 70000));
  stream.finish();
  file.commit();
}

TEST(Compression, HasTensorFlowsNames) {
  for (const Compression one : kAll) EXPECT_EQ(compression_from_name(name_of(one)), one);
  EXPECT_EQ(message_of<InvalidArgument>([] { compression_from_name("gzip"); }),
            "no compression is called 'gzip'; use '' (none), 'GZIP' or 'ZLIB'");
}

TEST(Compression, IsGuessedFromTheFirstBytes) {
  const Scratch scratch;
  for (const Compression one : {Compression::gzip, Compression::zlib})
    for (const int level : {-1, 0, 1, 9}) {
      write_compressed(scratch / "f", one, "abc", level);
      EXPECT_EQ(guess_compression(read_file(scratch / "f")), one);
    }
  for (const char* plain : {"", "x", "plain text", "\x78", "\x79\x9c"})
    EXPECT_EQ(guess_compression(plain), Compression::none);
}

TEST(Compression, ComesBack) {
  const Scratch scratch;
  const std::string text = text_of(1000000);
  for (const Compression one : kAll)
    for (const int level : {-1, 0, 9})
      for (const size_t size : {size_t{0}, size_t{1}, text.size()}) {
        SCOPED_TRACE(cat(name_of(one), " ", level, " ", size));
        const std::string_view part = std::string_view(text).substr(0, size);
        write_compressed(scratch / "f", one, part, level);
        const InputFile file(scratch / "f");
        EXPECT_EQ(InputStream(file, one).read_all(), part);
        InputStream stream(file, one);
        std::string pieces;
        for (size_t wanted = 1;; wanted = wanted * 3 % 100003) {
          std::string piece(wanted, '\0');
          const size_t got = stream.read_some(piece.data(), wanted);
          pieces.append(piece, 0, got);
          EXPECT_EQ(stream.position(), pieces.size());
          if (got < wanted) break;
        }
        EXPECT_EQ(pieces, part);
        char more;
        EXPECT_EQ(stream.read_some(&more, 1), 0U);
      }
}

TEST(Compression, AFileMayHaveSeveralGzipMembers) {
  const Scratch scratch;
  write_compressed(scratch / "a", Compression::gzip, "one ");
  write_compressed(scratch / "b", Compression::gzip, "");
  write_compressed(scratch / "c", Compression::gzip, "two");
  write_file(scratch / "f", read_file(scratch / "a") + read_file(scratch / "b") + read_file(scratch / "c"));
  const InputFile file(scratch / "f");
  EXPECT_EQ(InputStream(file, Compression::gzip).read_all(), "one two");
}

TEST(Compression, PlainFilesAreReadFromAnyPosition) {
  const Scratch scratch;
  write_file(scratch / "f", "0123456789");
  const InputFile file(scratch / "f");
  InputStream stream(file);
  stream.seek(7);
  EXPECT_EQ(stream.read_all(), "789");
  write_compressed(scratch / "z", Compression::zlib, "abc");
  const InputFile compressed(scratch / "z");
  InputStream inflating(compressed, Compression::zlib);
  EXPECT_EQ(message_of<InvalidArgument>([&] { inflating.seek(1); }),
            scratch / "z" + ": a compressed file cannot be read from any position");
}

TEST(Compression, BrokenDataIsAnErrorWithItsPosition) {
  const Scratch scratch;
  const auto error = [&](Compression compression, const std::string& bytes) {
    write_file(scratch / "f", bytes);
    const InputFile file(scratch / "f");
    InputStream stream(file, compression);
    return message_of<DataError>([&] { stream.read_all(); }).substr((scratch / "f").size());
  };
  for (const Compression one : {Compression::gzip, Compression::zlib}) {
    SCOPED_TRACE(name_of(one));
    const std::string name(name_of(one));
    write_compressed(scratch / "good", one, text_of(5000));
    const std::string good = read_file(scratch / "good");
    EXPECT_EQ(error(one, good.substr(0, 100)), ": at byte 100: the " + name + " data is broken: it is truncated");
    EXPECT_EQ(error(one, good.substr(0, good.size() - 1)),
              cat(": at byte ", good.size() - 1, ": the ", name, " data is broken: it is truncated"));
    EXPECT_EQ(error(one, "plain text, no compression"),
              ": at byte 2: the " + name + " data is broken: incorrect header check");
    std::string corrupt = good;
    corrupt[corrupt.size() - 5 - (one == Compression::gzip ? 3 : 0)] ^= 1;
    EXPECT_NE(error(one, corrupt).find(" data is broken: "), std::string::npos);
  }
  write_compressed(scratch / "good", Compression::zlib, "abc");
  EXPECT_EQ(error(Compression::zlib, read_file(scratch / "good") + "more"),
            ": at byte 11: the ZLIB data is broken: bytes follow its end");
  // A header that asks for a dictionary.
  EXPECT_EQ(error(Compression::zlib, std::string("\x78\xbb\0\0\0\1", 6)),
            ": at byte 6: the ZLIB data is broken: it needs a dictionary");
  write_compressed(scratch / "good", Compression::gzip, "abc");
  EXPECT_NE(error(Compression::gzip, read_file(scratch / "good") + "more").find("broken"), std::string::npos);
}

TEST(Compression, BombsAreStopped) {
  const Scratch scratch;
  write_compressed(scratch / "f", Compression::gzip, std::string(3000000, '\0'));
  const InputFile file(scratch / "f");
  EXPECT_LT(file.size(), 4000U);
  EXPECT_EQ(InputStream(file, Compression::gzip).read_all().size(), 3000000U);  // it is small
  const auto error = message_of<DataError>(
      [&] { InputStream(file, Compression::gzip, {.max_ratio = 200, .free_bytes = 1000000}).read_all(); });
  EXPECT_NE(error.find("it inflates to more than 200 times its size, as a decompression bomb does"),
            std::string::npos)
      << error;
  EXPECT_EQ(InputStream(file, Compression::gzip, {.max_ratio = 2000, .free_bytes = 1000000}).read_all().size(),
            3000000U);
  EXPECT_EQ(message_of<InvalidArgument>([&] { InputStream(file, Compression::gzip, {.max_ratio = 0}); }),
            "max_ratio is 1 or more: inflated bytes for each compressed one");
}

TEST(Compression, ReadAllHasALimit) {
  const Scratch scratch;
  const std::string text = text_of(300000);
  for (const Compression one : kAll) {
    write_compressed(scratch / "f", one, text);
    const InputFile file(scratch / "f");
    EXPECT_EQ(InputStream(file, one).read_all(text.size()), text);
    EXPECT_EQ(InputStream(file, one).read_all(UINT64_MAX), text);
    const auto error = message_of<DataError>([&] { InputStream(file, one).read_all(text.size() - 1); });
    EXPECT_NE(error.find("more than the limit of 299999 bytes"), std::string::npos) << error;
  }
}

TEST(Compression, LevelsAreChecked) {
  const Scratch scratch;
  OutputFile file(scratch / "f");
  for (const int level : {-2, 10})
    EXPECT_EQ(message_of<InvalidArgument>([&] { OutputStream(file, Compression::gzip, level); }),
              cat(scratch / "f", ": a compression level is 0 to 9, or -1 for the usual one, but got ", level));
}

}  // namespace
}  // namespace brio::formats
