#include "brio/formats/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "brio/formats/data_error.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

TEST(File, AppearsWholeOrNotAtAll) {
  const Scratch scratch;
  const std::string path = scratch / "out.bin";
  {
    OutputFile file(path);
    file.write("half");
    EXPECT_EQ(file.size(), 4U);
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  const std::string large(3 << 20, 'x');
  write_file(path, "old");
  OutputFile file(path);
  file.write("ab");
  file.write(large);
  EXPECT_EQ(read_file(path), "old");
  file.commit();
  EXPECT_EQ(read_file(path), "ab" + large);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
}

TEST(File, IsReadWhileItGrows) {
  const Scratch scratch;
  const std::string path = scratch / "out.bin";
  {
    OutputFile file(path);
    file.write("ab");
    EXPECT_FALSE(std::filesystem::exists(path));
    file.publish();
    EXPECT_EQ(read_file(path), "ab");
    file.write("cd");
    file.publish();
    EXPECT_EQ(read_file(path), "abcd");
    file.write("lost");
  }
  EXPECT_EQ(read_file(path), "abcd");
  OutputFile file(path);
  file.publish();
  file.write("x");
  file.commit();
  EXPECT_EQ(read_file(path), "x");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
}

TEST(File, LeftoversOfTheDeadGo) {
  const Scratch scratch;
  const OutputFile alive(scratch / "alive");
  for (const char* name : {"dead.12.0.brio-part", "film.2020.1.part", "a.b.1.brio-part", "1.2.brio-part"})
    std::filesystem::copy_file("/proc/self/cmdline", scratch / name);
  remove_leftovers(scratch.path());
  EXPECT_FALSE(std::filesystem::exists(scratch / "dead.12.0.brio-part"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 4);
}

TEST(File, ReadsByPosition) {
  const Scratch scratch;
  write_file(scratch / "f", "0123456789");
  const InputFile file(scratch / "f");
  EXPECT_EQ(file.size(), 10U);
  char to[8] = {};
  EXPECT_EQ(file.read_some(7, to, 8), 3U);
  EXPECT_EQ(std::string(to, 3), "789");
  EXPECT_EQ(file.read_some(11, to, 8), 0U);
  EXPECT_EQ(file.read_some(UINT64_MAX, to, 8), 0U);
  try {
    file.read(7, to, 8);
    FAIL() << "it read past the end";
  } catch (const DataError& error) {
    EXPECT_EQ(error.what(), scratch / "f" + ": at byte 7: the file ends 5 bytes too early; it is truncated");
    EXPECT_EQ(error.offset(), 7U);
  }
}

TEST(File, SaysWhatCannotBeRead) {
  const Scratch scratch;
  auto message = [](const std::string& path) -> std::string {
    try {
      const InputFile file(path);
    } catch (const ResourceError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(scratch / "none"), scratch / "none" + ": it cannot be opened: No such file or directory");
  EXPECT_EQ(message(scratch.path()), scratch.path() + ": it is not a regular file");
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(message(scratch / "pipe"), scratch / "pipe" + ": it is not a regular file");
  write_file(scratch / "f", "0123456789");
  EXPECT_THROW(read_file(scratch / "f", 9), DataError);
  EXPECT_THROW(OutputFile(scratch / "no/such/place"), ResourceError);
}

TEST(File, AFullDiskIsAnError) {
  const Scratch scratch;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  // A limit of this process stands in for the disk; the signal that comes with it is not part of a full one.
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write_file(scratch / "f", std::string(5000, 'x')), ResourceError);
  setrlimit(RLIMIT_FSIZE, &before);
  (void)std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

}  // namespace
}  // namespace brio::formats
