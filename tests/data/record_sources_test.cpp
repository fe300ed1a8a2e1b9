// TFRecord files as datasets: by place and in order, what becomes of broken ones, and Examples parsed into batches.
#include <filesystem>
#include <fstream>
#include <set>

#include "brio/data/sources/sources.h"
#include "brio/formats/data_error.h"
#include "brio/formats/example.h"
#include "brio/formats/tfrecord.h"
#include "brio/tensor/strings.h"
#include "tests/data/battery.h"
#include "tests/data/says.h"
#include "tests/formats/scratch.h"

namespace brio::data {
namespace {

using formats::Compression;
using formats::Example;
using formats::Feature;
using formats::FixedLen;
using formats::FixedLenSequence;
using formats::RecordWriter;
using formats::Scratch;
using formats::VarLen;
using Texts = std::vector<std::string>;

std::string write_records(const std::string& path, const Texts& records,
                          Compression compression = Compression::none) {
  RecordWriter writer(path, {.compression = compression});
  for (const std::string& record : records) writer.write(record);
  writer.commit();
  return path;
}

Texts numbered(int first, int count, size_t padding = 0) {
  Texts records;
  for (int i = first; i < first + count; ++i) records.push_back(cat("record ", i, std::string(padding, '.')));
  return records;
}

// The first part of each element, as text; what an error says stands for an element that could not be made.
Texts texts(const Dataset& dataset, uint64_t epoch = 0) {
  Texts list;
  Iterator iterator = dataset.iterator(epoch);
  Item item;
  for (;;) {
    try {
      if (!iterator.next(item)) return list;
      for (int64_t i = 0; i < item[0].size(); ++i) list.emplace_back(string_at(item[0].array(), i));
    } catch (const Error& error) {
      list.push_back(cat("! ", error.what()));
    }
  }
}

// Overwrites a byte of a file.
void damage(const std::string& path, uint64_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(byte ^ 0x40));
}

TEST(TfrecordDataset, ReadsFilesByPlaceAndInOrder) {
  Scratch scratch;
  Texts all = numbered(0, 9);
  all.push_back("");
  write_records(scratch / "a-0", all);
  write_records(scratch / "a-1", {});
  write_records(scratch / "a-2", numbered(9, 5, 20'000));
  for (const std::string& record : numbered(9, 5, 20'000)) all.push_back(record);
  const Dataset by_place = tfrecord_dataset({scratch / "a-*"});
  const Dataset in_order = tfrecord_dataset({scratch / "a-*"}, {.by_place = ByPlace::never});
  EXPECT_EQ(texts(by_place), all);
  EXPECT_EQ(texts(in_order), all);
  EXPECT_EQ(by_place.cardinality(), 15);
  EXPECT_EQ(in_order.cardinality(), kUnknown);
  EXPECT_EQ(by_place.describe(), "tfrecord(3 files, 15 records by place)\n");
  EXPECT_EQ(in_order.describe(), "tfrecord(3 files in order: as asked for)\n");
  check_pipeline(by_place);
  check_pipeline(in_order);
  check_pipeline(by_place.shuffle(kAutotune, {.seed = 1}).batch(4).repeat(2));
  check_pipeline(in_order.shuffle(4, {.seed = 1}).batch(4).repeat(2));
  Texts shuffled = texts(by_place.shuffle(kAutotune, {.seed = 1}));
  EXPECT_NE(shuffled, all);
  std::sort(shuffled.begin(), shuffled.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(shuffled, all);
}

TEST(TfrecordDataset, ReadsCompressedFilesInOrder) {
  Scratch scratch;
  for (const Compression compression : {Compression::gzip, Compression::zlib}) {
    write_records(scratch / "a", numbered(0, 12), compression);
    write_records(scratch / "b", {std::string(3 << 20, 'x')}, compression);
    const Dataset records = tfrecord_dataset({scratch / "a", scratch / "b"}, {.compression = compression});
    EXPECT_EQ(texts(records).size(), 13U);
    EXPECT_EQ(texts(records)[11], "record 11");
    EXPECT_EQ(texts(records)[12].size(), size_t{3} << 20);
    check_pipeline(records);
    EXPECT_MESSAGE(tfrecord_dataset({scratch / "a"}, {.compression = compression, .by_place = ByPlace::always}),
                   "cannot be found by their place");
  }
}

TEST(TfrecordDataset, TakesTheSideIndexWhereItFits) {
  Scratch scratch;
  const std::string shard = write_records(scratch / "a", numbered(0, 100));
  {
    const formats::RecordFile file(shard);
    formats::write_index(file.index(), file.file());
  }
  EXPECT_EQ(tfrecord_dataset({shard}).cardinality(), 100);
  write_records(shard, numbered(0, 50));  // the index is now of another file
  EXPECT_EQ(texts(tfrecord_dataset({shard})), numbered(0, 50));
  damage(shard + ".idx", 3);
  EXPECT_EQ(texts(tfrecord_dataset({shard})), numbered(0, 50));
}

TEST(TfrecordDataset, SmallRecordsInALongRow) {
  Scratch scratch;
  Texts records;
  for (int i = 0; i < 3000; ++i)
    records.push_back(std::string(static_cast<size_t>(i * 37 % 400), static_cast<char>('a' + i % 26)));
  records[1500] = std::string(70'000, 'L');
  write_records(scratch / "a", records);
  EXPECT_EQ(texts(tfrecord_dataset({scratch / "a"}).batch(64)), records);
  EXPECT_EQ(texts(tfrecord_dataset({scratch / "a"}, {.by_place = ByPlace::never}).batch(64)), records);
}

TEST(TfrecordDataset, MoreFilesThanAreKeptOpen) {
  Scratch scratch;
  const Texts two = {write_records(scratch / "even", {"even"}), write_records(scratch / "odd", {"odd"})};
  Texts files, all;
  for (size_t i = 0; i < 300; ++i) {
    files.push_back(scratch / cat("copy", i));
    std::filesystem::copy_file(two[i % 2], files.back());
    all.push_back(i % 2 == 0 ? "even" : "odd");
  }
  EXPECT_EQ(texts(tfrecord_dataset(files).repeat(2).skip(300)), all);
}

TEST(TfrecordDataset, ABrokenRecordIsAnErrorAtItsPlace) {
  Scratch scratch;
  const std::string shard = write_records(scratch / "a", numbered(0, 6));  // 8 + 16 bytes each
  write_records(scratch / "b", numbered(6, 2));
  damage(shard, 2 * 24 + 13);
  for (const ByPlace by_place : {ByPlace::cheap, ByPlace::never}) {
    const Texts read = texts(tfrecord_dataset({shard, scratch / "b"}, {.by_place = by_place}));
    ASSERT_EQ(read.size(), 8U);
    EXPECT_EQ(read[2],
              cat("! ", shard, ": at byte 48: corrupted record: the checksum of its 8 bytes of data does not match"));
    EXPECT_EQ(read[3], "record 3");
    EXPECT_EQ(read[7], "record 7");
    EXPECT_EQ(texts(tfrecord_dataset({shard}, {.verify = false, .by_place = by_place}))[2], "r%cord 2");
  }
  // Where a length is broken, what follows in the file is lost; the next file is not.
  damage(shard, 4 * 24);
  const Dataset records = tfrecord_dataset({shard, scratch / "b"});
  EXPECT_NE(records.describe().find("in order: "), std::string::npos) << records.describe();
  const Texts read = texts(records);
  ASSERT_EQ(read.size(), 7U);
  EXPECT_EQ(read[3], "record 3");
  EXPECT_NE(read[4].find(": at byte 96: corrupted record: the checksum of its length"), std::string::npos) << read[4];
  EXPECT_EQ(read[5], "record 6");
  EXPECT_MESSAGE(tfrecord_dataset({shard}, {.by_place = ByPlace::always}), "at byte 96: corrupted record");
  std::filesystem::resize_file(scratch / "b", 30);
  EXPECT_EQ(texts(tfrecord_dataset({scratch / "b"}))[0], "record 6");
  EXPECT_NE(texts(tfrecord_dataset({scratch / "b"}))[1].find("at byte 24: truncated record"), std::string::npos);
}

TEST(TfrecordDataset, WhatIsBrokenCanBeLeftOutAndIsReported) {
  Scratch scratch;
  const std::string shard = write_records(scratch / "a", numbered(0, 6));
  damage(shard, 2 * 24 + 13);
  damage(shard, 4 * 24 + 13);
  for (const ByPlace by_place : {ByPlace::cheap, ByPlace::never}) {
    const Dataset records = tfrecord_dataset({shard}, {.by_place = by_place, .on_error = OnError::skip});
    EXPECT_EQ(texts(records), (Texts{"record 0", "record 1", "record 3", "record 5"}));
    Iterator iterator = records.batch(4).iterator();
    Item item;
    while (iterator.next(item)) {
    }
    EXPECT_EQ(iterator.report().skipped.count, 2);
    expect_in(iterator.report().skipped.first.at(1).why, cat(shard, ": at byte 96: corrupted record"));
    check_pipeline(records.batch(3));
  }
}

TEST(TfrecordDataset, FilesThatAreNotThere) {
  Scratch scratch;
  EXPECT_MESSAGE(tfrecord_dataset({scratch / "none"}), "none");
  EXPECT_MESSAGE(tfrecord_dataset({scratch / "none"}, {.by_place = ByPlace::never}), "none");
  EXPECT_MESSAGE(tfrecord_dataset({scratch / "none*"}), "[tfrecord_dataset] no files match the pattern");
  EXPECT_MESSAGE(tfrecord_dataset({}), "there are no files");
  // Gone between epochs: an error at its place, and the rest follows.
  write_records(scratch / "a", numbered(0, 2));
  write_records(scratch / "b", numbered(2, 2));
  const Dataset in_order = tfrecord_dataset({scratch / "a", scratch / "b"}, {.by_place = ByPlace::never});
  const Dataset by_place = tfrecord_dataset({scratch / "a", scratch / "b"});
  EXPECT_EQ(texts(in_order).size(), 4U);
  std::filesystem::remove(scratch / "a");
  const Texts read = texts(in_order);
  ASSERT_EQ(read.size(), 3U);
  EXPECT_NE(read[0].find("No such file"), std::string::npos) << read[0];
  EXPECT_EQ(read[1], "record 2");
  EXPECT_NE(texts(by_place)[1].find("No such file"), std::string::npos);
  EXPECT_EQ(texts(by_place)[3], "record 3");
  // Cut short while it is open.
  const Dataset open = tfrecord_dataset({scratch / "b"});
  EXPECT_EQ(texts(open).size(), 2U);
  std::filesystem::resize_file(scratch / "b", 30);
  EXPECT_EQ(texts(open)[0], "record 2");
  EXPECT_NE(texts(open)[1].find("truncated"), std::string::npos) << texts(open)[1];
}

std::string example(int i) {
  Example example;
  example.features["image"] = Feature::bytes({std::string(12, static_cast<char>(i))});
  example.features["label"] = Feature::ints({i});
  example.features["scores"] = Feature::floats({static_cast<float>(i), 0.5f});
  example.features["words"] = Feature::bytes(Texts(static_cast<size_t>(i % 3), cat("w", i)));
  return example.serialize();
}

Texts examples(int n) {
  Texts list;
  for (int i = 0; i < n; ++i) list.push_back(example(i));
  return list;
}

TEST(ParseExample, WritesRowsWhereABatchWantsThem) {
  Scratch scratch;
  write_records(scratch / "a", examples(23));
  const Dataset parsed = parse_example(tfrecord_dataset({scratch / "a"}),
                                       {{"image", FixedLen{{2, 2, 3}, u8, {}, true}}, {"label", FixedLen{{}, i64}}});
  EXPECT_EQ(parsed.structure().str(), "{image: ·, label: ·}");
  EXPECT_EQ(parsed.describe(), "tfrecord(1 file, 23 records by place)\nparse_example(image, label)\n");
  EXPECT_EQ(parsed.cardinality(), 23);
  Iterator iterator = parsed.shuffle(kAutotune, {.seed = 2}).batch(8).iterator();
  Item item;
  std::set<int64_t> seen;
  while (iterator.next(item)) {
    const std::vector<uint8_t> image = item["image"].to_vector<uint8_t>();
    const std::vector<int64_t> labels = item["label"].to_vector<int64_t>();
    EXPECT_EQ(item["image"].shape(), (Shape{static_cast<int64_t>(labels.size()), 2, 2, 3}));
    for (size_t i = 0; i < labels.size(); ++i) {
      seen.insert(labels[i]);
      for (size_t k = 0; k < 12; ++k) EXPECT_EQ(image[i * 12 + k], labels[i]);
    }
  }
  EXPECT_EQ(seen.size(), 23U);
  check_pipeline(parsed);
  check_pipeline(parsed.shuffle(kAutotune, {.seed = 2}).batch(8));
}

TEST(ParseExample, ParsesBatchesAndFeaturesOfAnyLength) {
  Scratch scratch;
  write_records(scratch / "a", examples(10));
  const std::vector<formats::NamedSpec> specs = {{"label", FixedLen{{}, i64}},
                                                 {"words", VarLen{DType::string}},
                                                 {"scores", FixedLenSequence{{}, f32, {}, true}}};
  const Dataset records = tfrecord_dataset({scratch / "a"});
  const Dataset single = parse_example(records, specs), batched = parse_example(records.batch(4), specs);
  EXPECT_EQ(single.structure().str(), "{label: ·, words: {values: ·, row_lengths: ·}, scores: ·}");
  Item item;
  Iterator one = single.skip(5).iterator();
  ASSERT_TRUE(one.next(item));
  EXPECT_EQ(item[0].item<int64_t>(), 5);
  EXPECT_EQ(item[1].shape(), (Shape{2}));
  EXPECT_EQ(item[2].item<int64_t>(), 2);
  EXPECT_EQ(item[3].to_vector<float>(), (std::vector<float>{5, 0.5f}));
  Iterator all = batched.iterator();
  ASSERT_TRUE(all.next(item));
  EXPECT_EQ(item[0].to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(item[1].shape(), (Shape{3}));
  EXPECT_EQ(item[2].to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 0}));
  EXPECT_EQ(item[3].shape(), (Shape{4, 2}));
  check_pipeline(single);
  check_pipeline(batched);
}

TEST(ParseExample, NamesTheRecordThatDoesNotFit) {
  Scratch scratch;
  Texts records = examples(4);
  records[2] = "no example";
  write_records(scratch / "a", records);
  const std::vector<formats::NamedSpec> specs = {{"label", FixedLen{{}, i64}}};
  const size_t at = 16 * 2 + records[0].size() + records[1].size() + 12 + 1;  // its second byte
  for (const ByPlace by_place : {ByPlace::cheap, ByPlace::never}) {
    Iterator iterator = parse_example(tfrecord_dataset({scratch / "a"}, {.by_place = by_place}), specs).iterator();
    Item item;
    for (int i = 0; i < 4; ++i) {
      if (i != 2) EXPECT_TRUE(iterator.next(item));
      else if (by_place == ByPlace::cheap) EXPECT_MESSAGE(iterator.next(item), cat(scratch / "a", ": at byte ", at));
      else EXPECT_MESSAGE(iterator.next(item), "element 2: at byte ");
    }
    EXPECT_FALSE(iterator.next(item));
  }
  EXPECT_MESSAGE(all_of(parse_example(range(3), specs)), "an element is i64[]; it must be one string");
  EXPECT_MESSAGE(parse_example(from_tensors({Tensor({1.f}), Tensor({1.f})}), specs), "an element has 2 parts");
}

}  // namespace
}  // namespace brio::data
