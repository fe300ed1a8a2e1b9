#include "brio/formats/record_index.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "brio/formats/crc32c.h"
#include "brio/formats/tfrecord.h"
#include "tests/formats/message_of.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

void write_shard(const std::string& path, int count, char fill = 'x') {
  RecordWriter writer(path);
  for (int i = 0; i < count; ++i) writer.write(std::string(static_cast<size_t>(i % 37), fill));
  writer.commit();
  write_index(writer.index(), InputFile(path));
}

TEST(RecordIndex, FindsEachRecord) {
  RecordIndex index;
  uint64_t offset = 0;
  std::vector<uint64_t> offsets;
  for (uint64_t i = 0; i < 1000; ++i) {
    offsets.push_back(offset);
    index.add(i * 977 % 5000);
    offset += i * 977 % 5000 + 16;
  }
  ASSERT_EQ(index.size(), 1000U);
  EXPECT_EQ(index.file_bytes(), offset);
  for (uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(index[i].offset, offsets[i]);
    EXPECT_EQ(index[i].length, i * 977 % 5000);
  }
  EXPECT_THROW(index[1000], InternalError);
  EXPECT_EQ(message_of<InvalidArgument>([&] { index.add(uint64_t{1} << 32); }),
            "an index holds records below 4 GiB, but got one of 4294967296 bytes");
}

TEST(RecordIndex, ComesBackFromTheSideFile) {
  const Scratch scratch;
  for (const int count : {0, 1, 2, 15, 16, 17, 1000}) {
    write_shard(scratch / "f", count);
    EXPECT_EQ(std::filesystem::file_size(scratch / "f.idx"), static_cast<size_t>(36 + 4 * count));
    const RecordIndex index = read_index(InputFile(scratch / "f"));
    EXPECT_EQ(index.lengths(), RecordFile(scratch / "f").index().lengths());
  }
  // A copy of both is as good.
  std::filesystem::create_directory(scratch / "copy");
  for (const char* name : {"f", "f.idx"}) write_file(scratch / "copy/" + name, read_file(scratch / name));
  EXPECT_EQ(read_index(InputFile(scratch / "copy/f")).size(), 1000U);
}

TEST(RecordIndex, AStaleOneIsRefused) {
  const Scratch scratch;
  const std::string f = scratch / "f";
  write_shard(f, 100);
  const std::string index = read_file(f + ".idx");
  RecordWriter longer(f);
  for (int i = 0; i < 101; ++i) longer.write("y");
  longer.commit();
  EXPECT_EQ(message_of<DataError>([&] { read_index(InputFile(f)); }),
            cat(f, ".idx: at byte 16: the index is of 3257 bytes, but ", f,
                " has 1717; it is stale: delete it, and index the file again"));
  EXPECT_THROW(write_index(RecordIndex(), InputFile(f)), InvalidArgument);
  write_shard(f, 100, 'z');  // as many records of the same lengths
  write_file(f + ".idx", index);
  EXPECT_EQ(message_of<DataError>([&] { read_index(InputFile(f)); }),
            cat(f, ".idx: at byte 12: the index is of other records than ", f,
                " has now; it is stale: delete it, and index the file again"));
  std::filesystem::remove(f + ".idx");
  EXPECT_THROW(read_index(InputFile(f)), ResourceError);
}

TEST(RecordIndex, ABrokenOneIsRefused) {
  RecordIndex index;
  for (const uint64_t length : {3, 0, 70}) index.add(length);
  const std::string good = serialize_index({index, 99});
  const IndexFile back = parse_index(good);
  EXPECT_EQ(back.fingerprint, 99U);
  EXPECT_EQ(back.index.lengths(), index.lengths());

  const auto error = [](std::string bytes) { return message_of<DataError>([&] { parse_index(bytes, {"x.idx"}); }); };
  const auto sealed = [](std::string bytes) {
    bytes.resize(bytes.size() - 4);
    const uint32_t crc = crc32c(bytes);
    return bytes.append(reinterpret_cast<const char*>(&crc), 4);
  };
  EXPECT_EQ(error(""), "x.idx: at byte 0: an index of records has 36 bytes or more; it is truncated");
  EXPECT_EQ(error(good.substr(0, 35)),
            "x.idx: at byte 35: an index of records has 36 bytes or more; it is truncated");
  EXPECT_EQ(error("?" + good.substr(1)), "x.idx: at byte 0: this is no index of records");
  std::string bad = good;
  bad[8] = 2;
  EXPECT_EQ(error(bad), "x.idx: at byte 8: the index has version 2, but this program reads version 1");
  bad = good;
  bad[31] = '\xff';
  EXPECT_EQ(error(sealed(bad)),
            "x.idx: at byte 24: the index is of 18374686479671623683 records, but the file has room for 3");
  EXPECT_EQ(error(good.substr(0, good.size() - 4)),
            "x.idx: at byte 24: the index is of 3 records, but the file has room for 2");
  EXPECT_EQ(error(good + "x"), "x.idx: at byte 24: the index is of 3 records, but the file has room for 3");
  bad = good;
  bad[33] ^= 1;
  EXPECT_EQ(error(bad),
            "x.idx: at byte 44: the checksum of the index does not match; it is corrupt: delete it, and index the "
            "file again");
  EXPECT_EQ(error(sealed(bad)), "x.idx: at byte 16: the records of the index make 377 bytes, not 121");
}

}  // namespace
}  // namespace brio::formats
