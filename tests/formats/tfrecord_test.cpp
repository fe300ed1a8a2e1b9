#include "brio/formats/tfrecord.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <thread>

#include "brio/formats/crc32c.h"
#include "brio/formats/data_error.h"
#include "tests/formats/hex.h"
#include "tests/formats/message_of.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

constexpr Compression kCompressions[] = {Compression::none, Compression::gzip, Compression::zlib};

std::string record(int i) { return std::string(static_cast<size_t>(i * i * 7 % 5000), static_cast<char>(i)); }

void write_records(const std::string& path, int count, Compression compression = Compression::none) {
  RecordWriter writer(path, {compression});
  for (int i = 0; i < count; ++i) writer.write(record(i));
  writer.commit();
}

// A header with a right checksum, whatever the length.
std::string header(uint64_t length) {
  std::string bytes(reinterpret_cast<const char*>(&length), 8);
  const uint32_t crc = masked_crc32c(bytes);
  return bytes.append(reinterpret_cast<const char*>(&crc), 4);
}

TEST(TFRecord, HasTheBytesOfTheFormat) {
  const Scratch scratch;
  RecordWriter writer(scratch / "f");
  writer.write("");
  writer.write("abc");
  EXPECT_EQ(writer.bytes_written(), 35U);
  EXPECT_EQ(writer.path(), scratch / "f");
  writer.commit();
  EXPECT_EQ(to_hex(read_file(scratch / "f")),
            "000000000000000029039807d8ea82a20300000000000000b099490e6162636e57f121");
}

TEST(TFRecord, AWriterThatDoesNotCommitLeavesNothing) {
  const Scratch scratch;
  { RecordWriter(scratch / "f", {Compression::gzip}).write("abc"); }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(TFRecord, IsReadInOrderInEveryWay) {
  const Scratch scratch;
  const int count = 600;
  const std::string large(700000, 'L');  // more than the reader's buffer
  for (const Compression one : kCompressions)
    for (const bool verify : {true, false}) {
      SCOPED_TRACE(name_of(one));
      RecordWriter writer(scratch / "f", {one});
      for (int i = 0; i < count; ++i) writer.write(i % 200 == 100 ? large : record(i));
      writer.commit();
      RecordReader reader(scratch / "f", {.compression = one, .verify = verify});
      std::string_view view;
      std::string copy;
      for (int i = 0; i < count; ++i) {
        const std::string expected = i % 200 == 100 ? large : record(i);
        EXPECT_EQ(reader.position(), writer.index()[static_cast<uint64_t>(i)].offset);
        uint64_t length = 0;
        if (i % 3 == 0) {
          ASSERT_TRUE(reader.next_length(length));
          ASSERT_EQ(length, expected.size());
          copy.assign(length, '?');
          reader.read_into(copy.data());
          ASSERT_EQ(copy, expected);
        } else if (i % 3 == 1) {
          ASSERT_TRUE(i % 2 != 0 || reader.next_length(length));
          ASSERT_TRUE(reader.next(view));
          ASSERT_EQ(view, expected);
        } else {
          ASSERT_TRUE(i % 2 != 0 || reader.next_length(length));
          ASSERT_TRUE(reader.skip());
        }
      }
      uint64_t length = 0;
      EXPECT_FALSE(reader.next(view));
      EXPECT_FALSE(reader.skip());
      EXPECT_FALSE(reader.next_length(length));
    }
}

TEST(TFRecord, AReaderGoesOnWhereItIsSentAndMayMove) {
  const Scratch scratch;
  write_records(scratch / "f", 50);
  RecordReader first(scratch / "f");
  std::string_view view;
  ASSERT_TRUE(first.next(view));
  const RecordIndex index = RecordFile(scratch / "f").index();
  first.seek(index[40].offset);
  RecordReader reader = std::move(first);
  for (int i = 40; i < 50; ++i) {
    ASSERT_TRUE(reader.next(view));
    EXPECT_EQ(view, record(i));
  }
  EXPECT_FALSE(reader.next(view));
  EXPECT_EQ(reader.file().path(), scratch / "f");
  write_records(scratch / "z", 3, Compression::zlib);
  RecordReader compressed(scratch / "z", {Compression::zlib});
  EXPECT_THROW(compressed.seek(0), InvalidArgument);
}

TEST(TFRecord, IsReadByPlaceFromManyThreads) {
  const Scratch scratch;
  const int count = 300;
  RecordWriter writer(scratch / "f");
  for (int i = 0; i < count; ++i) writer.write(record(i));
  const std::string large(100000, 'L');
  writer.write(large);
  writer.commit();
  const RecordFile file(scratch / "f");
  const RecordIndex index = file.index();
  ASSERT_EQ(index.size(), static_cast<uint64_t>(count) + 1);
  EXPECT_EQ(index.file_bytes(), file.file().size());
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::string buffer;
      for (int k = 0; k < count; ++k) {
        const int i = k * 7 * (t + 1) % count;
        const RecordPlace place = index[static_cast<uint64_t>(i)];
        if (file.read(place, buffer) != record(i)) ++wrong[static_cast<size_t>(t)];
        std::string direct(place.length, '?');
        file.read_into(place, direct.data());
        if (direct != record(i)) ++wrong[static_cast<size_t>(t)];
        if (file.place_at(place.offset).length != place.length) ++wrong[static_cast<size_t>(t)];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
  std::string direct(large.size(), '?'), buffer;
  file.read_into(index[count], direct.data());
  EXPECT_EQ(direct, large);
  EXPECT_EQ(file.read(index[count], buffer), large);
  EXPECT_THROW(file.read_into({index[count].offset, 99999}, direct.data()), DataError);
  EXPECT_THROW(file.read_into({index[count].offset + 1, 100000}, direct.data()), DataError);
  EXPECT_THROW(file.read_into({UINT64_MAX, 100000}, direct.data()), DataError);
  std::string bytes = read_file(scratch / "f");
  bytes[bytes.size() - 50] = '?';
  write_file(scratch / "g", bytes);
  const RecordFile broken(scratch / "g");
  EXPECT_THROW(broken.read_into(index[count], direct.data()), DataError);
}

TEST(TFRecord, IsIndexedFromHeadersAlone) {
  const Scratch scratch;
  RecordWriter writer(scratch / "f");
  for (const size_t size : {10UL, 100000UL, 20UL, 30000UL, 70000UL, 0UL, 5UL, 8000UL, 9000UL})
    writer.write(std::string(size, 'x'));
  writer.commit();
  std::string bytes = read_file(scratch / "f");
  bytes[50000] = '?';  // data is not looked at
  write_file(scratch / "f", bytes);
  const RecordIndex index = RecordFile(scratch / "f").index();
  EXPECT_EQ(index.lengths(), writer.index().lengths());
  write_file(scratch / "none", "");
  EXPECT_EQ(RecordFile(scratch / "none").index().size(), 0U);
  write_file(scratch / "cut", bytes.substr(0, 30));
  EXPECT_EQ(message_of<DataError>([&] { RecordFile(scratch / "cut").index(); }),
            scratch / "cut" + ": at byte 26: truncated record: the file ends after 4 of the 12 bytes of its header");
}

// Every way of reading a file that holds `bytes`.
void expect_errors(const std::string& path, const std::string& bytes, const std::string& expected,
                   const RecordOptions& options = {}) {
  write_file(path, bytes);
  const auto sequential = [&](auto read) {
    EXPECT_EQ(message_of<DataError>([&] {
                RecordReader reader(path, options);
                while (read(reader)) {
                }
              }),
              path + expected);
  };
  sequential([](RecordReader& reader) {
    std::string_view view;
    return reader.next(view);
  });
  sequential([](RecordReader& reader) {
    uint64_t length = 0;
    if (!reader.next_length(length)) return false;
    std::string to(length, '\0');
    reader.read_into(to.data());
    return true;
  });
  const auto by_place = [&](auto read) {
    EXPECT_EQ(message_of<DataError>([&] {
                const RecordFile file(path, options);
                for (uint64_t at = 0; at < file.file().size();) {
                  const RecordPlace place = file.place_at(at);
                  read(file, place);
                  at += place.length + 16;
                }
              }),
              path + expected);
  };
  by_place([](const RecordFile& file, const RecordPlace& place) {
    std::string buffer;
    file.read(place, buffer);
  });
  by_place([](const RecordFile& file, const RecordPlace& place) {
    std::string to(place.length, '\0');
    file.read_into(place, to.data());
  });
}

TEST(TFRecord, BrokenPlainFilesAreErrors) {
  const Scratch scratch;
  const std::string f = scratch / "f";
  write_records(f, 3);  // 0, 7 and 28 bytes
  const std::string good = read_file(f);
  expect_errors(f, good.substr(0, 16 + 5),
                ": at byte 16: truncated record: the file ends after 5 of the 12 bytes of its header");
  expect_errors(
      f, good.substr(0, 16 + 12),
      ": at byte 16: truncated record: it has 7 bytes of data, but the file ends 12 bytes behind the record's begin");
  expect_errors(
      f, good.substr(0, 16 + 22),
      ": at byte 16: truncated record: it has 7 bytes of data, but the file ends 22 bytes behind the record's begin");
  std::string bad = good;
  bad[16] = 8;
  expect_errors(f, bad, ": at byte 16: corrupted record: the checksum of its length does not match");
  bad = good;
  bad[16 + 13] = 'x';
  expect_errors(f, bad, ": at byte 16: corrupted record: the checksum of its 7 bytes of data does not match");
  expect_errors(
      f, "this is a text, not a record file",
      ": at byte 0: corrupted record: the checksum of its length does not match (is this a TFRecord file?)");
  expect_errors(f, header(UINT64_MAX) + "abc",
                ": at byte 0: corrupted record: it has 18446744073709551615 bytes, more than max_record, 1073741824");
  expect_errors(f, header(1 << 30) + "abcdefgh",
                ": at byte 0: truncated record: it has 1073741824 bytes of data, but the file ends 20 bytes behind "
                "the record's begin");
  expect_errors(f, header(UINT64_MAX - 3) + "abc",
                ": at byte 0: truncated record: it has 18446744073709551612 bytes of data, but the file ends 15 "
                "bytes behind the record's begin",
                {.max_record = UINT64_MAX});
  expect_errors(f, good, ": at byte 39: corrupted record: it has 28 bytes, more than max_record, 20",
                {.max_record = 20});
  // Without the checksums a wrong length still cannot ask for more than is there.
  bad = good;
  bad[16 + 3] = 1;
  expect_errors(f, bad,
                ": at byte 16: truncated record: it has 16777223 bytes of data, but the file ends 67 bytes behind "
                "the record's begin",
                {.verify = false});
  for (const Compression one : {Compression::gzip, Compression::zlib}) {
    write_records(scratch / "z", 3, one);
    expect_errors(f, read_file(scratch / "z"),
                  cat(": at byte 0: corrupted record: the checksum of its length does not match (is this a TFRecord "
                      "file? It begins as ",
                      name_of(one), " does: try that compression)"));
  }
}

TEST(TFRecord, BrokenCompressedFilesAreErrors) {
  const Scratch scratch;
  const std::string f = scratch / "f";
  const auto error = [&](std::string_view inflated, auto read) {
    OutputFile file(f);
    OutputStream stream(file, Compression::gzip);
    stream.write(inflated);
    stream.finish();
    file.commit();
    return message_of<DataError>([&] {
             RecordReader reader(f, {Compression::gzip});
             while (read(reader)) {
             }
           })
        .substr(f.size());
  };
  const auto next = [](RecordReader& reader) {
    std::string_view view;
    return reader.next(view);
  };
  const auto into = [](RecordReader& reader) {
    uint64_t length = 0;
    if (!reader.next_length(length)) return false;
    std::string to(std::min<uint64_t>(length, 1000), '\0');
    if (length <= 1000) reader.read_into(to.data());
    else reader.skip();
    return true;
  };
  // The length is right by its checksum, and the size of the data is not known before it has come.
  const std::string lie = header(900000000) + "abc";
  EXPECT_EQ(
      error(lie, next),
      ": at byte 0: truncated record: the file ends after 3 of the 900000000 + 4 bytes of its data and checksum");
  EXPECT_EQ(error(lie, into), ": at byte 0: truncated record: the file ends 900000001 bytes before its end");
  const std::string short_lie = header(5) + "abc";
  EXPECT_EQ(error(short_lie, into),
            ": at byte 0: truncated record: the file ends after 3 of the 5 + 4 bytes of its data and checksum");
  EXPECT_EQ(error(header(3) + "abc12", into),
            ": at byte 0: truncated record: the file ends after 5 of the 3 + 4 bytes of its data and checksum");
  EXPECT_EQ(error("abc", next), ": at byte 0: truncated record: the file ends after 3 of the 12 bytes of its header");
  EXPECT_EQ(error("this is a text, not a record", next),
            ": at byte 0: corrupted record: the checksum of its length does not match (is this a TFRecord file?)");
  EXPECT_EQ(error(header(3) + "abc1234", next),
            ": at byte 0: corrupted record: the checksum of its 3 bytes of data does not match");
  EXPECT_THROW(RecordFile(f, {Compression::gzip}), InvalidArgument);
}

TEST(TFRecord, AReaderGoesOnBehindCorruptedDataOnly) {
  const Scratch scratch;
  const std::string f = scratch / "f";
  write_records(f, 4);  // 0, 7, 28 and 63 bytes
  std::string bytes = read_file(f);
  bytes[16 + 13] ^= 1;
  write_file(f, bytes);
  for (const bool direct : {false, true}) {
    RecordReader reader(f);
    std::vector<size_t> sizes;
    int errors = 0;
    for (bool more = true; more;) try {
        uint64_t length = 0;
        std::string_view view;
        std::string to(100, '\0');
        if (direct) {
          more = reader.next_length(length);
          if (more) reader.read_into(to.data());
        } else {
          more = reader.next(view);
          length = view.size();
        }
        if (more) sizes.push_back(length);
      } catch (const DataError&) {
        ++errors;
        ASSERT_FALSE(reader.lost());
        EXPECT_EQ(reader.position(), 39U);
      }
    EXPECT_EQ(errors, 1);
    EXPECT_EQ(sizes, (std::vector<size_t>{0, 28, 63}));
  }
  bytes[39] ^= 1;
  write_file(f, bytes);
  RecordReader reader(f);
  reader.seek(39);
  std::string_view view;
  EXPECT_THROW(reader.next(view), DataError);
  EXPECT_TRUE(reader.lost());
  write_file(f, bytes.substr(0, bytes.size() - 1));
  RecordReader cut(f);
  cut.seek(83);
  EXPECT_THROW(cut.next(view), DataError);
  EXPECT_TRUE(cut.lost());
}

TEST(TFRecord, AForgedLengthAllocatesLittle) {
  const Scratch scratch;
  const std::string lie = header(900000000) + std::string(100000, 'x');
  for (const Compression one : kCompressions) {
    OutputFile file(scratch / "f");
    OutputStream stream(file, one);
    stream.write(lie);
    stream.finish();
    file.commit();
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    RecordReader reader(scratch / "f", {one});
    std::string_view view;
    EXPECT_THROW(reader.next(view), DataError);
    getrusage(RUSAGE_SELF, &after);
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024) << "kB";
  }
}

TEST(TFRecord, PlacesThatAreNotThereAreErrors) {
  const Scratch scratch;
  write_records(scratch / "f", 5);
  const RecordFile file(scratch / "f", {.max_record = 200});
  const RecordPlace good = file.place_at(39);
  std::string buffer;
  EXPECT_EQ(file.read(good, buffer), record(2));
  for (const RecordPlace& place :
       {RecordPlace{39, 27}, RecordPlace{40, 28}, RecordPlace{39, 2000}, RecordPlace{100000, 1},
        RecordPlace{UINT64_MAX, 5}, RecordPlace{39, UINT64_MAX}, RecordPlace{39, 150}}) {
    EXPECT_THROW(file.read(place, buffer), DataError) << place.offset << ' ' << place.length;
    std::string to(200, '\0');
    EXPECT_THROW(file.read_into(place, to.data()), DataError) << place.offset << ' ' << place.length;
  }
  EXPECT_THROW(file.place_at(UINT64_MAX), DataError);
  EXPECT_EQ(message_of<DataError>([&] {
              file.read({39, 27}, buffer);
            }),
            scratch / "f" + ": at byte 39: corrupted record: it has 28 bytes, but the index says 27");
}

}  // namespace
}  // namespace brio::formats
