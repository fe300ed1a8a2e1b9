// brio inspect and brio verify, over every kind of file.
#include <fstream>

#include "brio/formats/decode_picture.h"
#include "brio/formats/example.h"
#include "brio/formats/npz.h"
#include "brio/formats/tfrecord.h"
#include "tests/cli/made_pictures.h"
#include "tests/cli/tool.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;
using formats::Feature;
using formats::read_file;
using formats::Scratch;
using formats::write_file;

std::string example(int64_t label, const std::string& image) {
  formats::Example example;
  example.features["label"] = Feature::ints({label});
  if (!image.empty()) example.features["image/encoded"] = Feature::bytes({image});
  return example.serialize();
}

std::string write_records(const std::string& path, const std::vector<std::string>& records) {
  formats::RecordWriter writer(path);
  for (const std::string& record : records) writer.write(record);
  writer.commit();
  formats::write_index(writer.index(), formats::InputFile(path));
  return path;
}

void damage(const std::string& path, uint64_t at) {
  std::string bytes = read_file(path);
  bytes.at(at) = static_cast<char>(bytes[at] ^ 0x10);
  write_file(path, bytes);
}

Array small_array() {
  Array array = Array::allocate({{2, 4, 4}, u8});
  for (int i = 0; i < 32; ++i) array.as<uint8_t>()[i] = static_cast<uint8_t>(8 * i);
  return array;
}

// One file of each kind.
void make_files(const Scratch& scratch) {
  make_folder(scratch / "pictures", 5);
  write_records(scratch / "r.tfrecord", {example(1, read_file(scratch / "pictures/a/0.png")),
                                         example(2, read_file(scratch / "pictures/b/1.jpg"))});
  formats::write_npy(scratch / "x.npy", small_array());
  formats::write_npz(scratch / "z.npz", {{"one", small_array()}, {"two", small_array()}});
  write_file(scratch / "i.idx3", std::string("\0\0\x08\x03\0\0\0\x01\0\0\0\x02\0\0\0\x02"
                                             "abcd",
                                             20));
  write_file(scratch / "t.csv", "name,x\na,1\nb,2.5\n");
  write_file(scratch / "lines.txt", "first\nsecond\n");
  write_file(scratch / "odd.bin", std::string("\1\2\3\0", 4));
}

TEST(Inspect, ShowsWhatFilesHold) {
  Scratch scratch;
  make_files(scratch);
  const nlohmann::json records = brio_json({"inspect", scratch / "r.tfrecord"})[0];
  EXPECT_EQ(records["kind"], "TFRecord");
  EXPECT_EQ(records["records"], 2);
  EXPECT_EQ(records["indexed"], true);
  EXPECT_EQ(records["features"]["label"]["kind"], "int64");
  EXPECT_EQ(records["features"]["label"]["first"], "1");
  const nlohmann::json picture = brio_json({"inspect", scratch / "pictures/b/1.jpg"})[0];
  EXPECT_EQ(picture["format"], "JPEG");
  EXPECT_EQ(picture["height"], 10);
  EXPECT_EQ(brio_json({"inspect", scratch / "x.npy"})[0]["shape"], (std::vector<int>{2, 4, 4}));
  EXPECT_EQ(brio_json({"inspect", scratch / "z.npz"})[0]["arrays"]["two"]["dtype"], "uint8");
  EXPECT_EQ(brio_json({"inspect", scratch / "i.idx3"})[0]["shape"], (std::vector<int>{1, 2, 2}));
  const nlohmann::json table = brio_json({"inspect", scratch / "t.csv"})[0];
  EXPECT_EQ(table["rows"], 2);
  EXPECT_EQ(table["columns"]["x"]["dtype"], "float32");
  EXPECT_EQ(brio_json({"inspect", scratch / "lines.txt"})[0]["lines"], 2);
  EXPECT_EQ(brio_json({"inspect", scratch / "odd.bin"})[0]["kind"], "unknown");
  EXPECT_EQ(brio_json({"inspect", scratch / "r.tfrecord.idx"})[0]["records"], 2);
  const nlohmann::json all = brio_json({"inspect", scratch.path()})[0];
  EXPECT_EQ(all["kinds"]["picture"]["files"], 5);
  EXPECT_EQ(all["first"].size(), 7U);
  EXPECT_EQ(brio_json({"inspect", scratch / "pictures"})[0]["classes"]["a"], 3);
  const Outcome text =
      brio({"inspect", scratch / "pictures", scratch / "*.tfrecord", scratch / "t.csv", scratch / "lines.txt"});
  EXPECT_EQ(text.code, 0);
  expect_in(text.out, "files 5");
  expect_in(text.out, "int64 × 1  1");
}

TEST(Inspect, MakesASheetOfThumbnails) {
  Scratch scratch;
  make_files(scratch);
  for (const char* source : {"pictures", "r.tfrecord", "x.npy", "i.idx3"}) {
    EXPECT_EQ(brio({"inspect", scratch / source, "--sheet", scratch / "sheet.png"}).code, 0) << source;
    const Array sheet = formats::decode_picture(read_file(scratch / "sheet.png"));
    EXPECT_EQ(sheet.aval.shape[0], 104) << source;
    EXPECT_EQ((sheet.aval.shape[1] - 4) % 100, 0) << source;
    // A picture lies in the first place: its middle is not the paper.
    const uint8_t* middle = sheet.as<uint8_t>() + (52 * sheet.aval.shape[1] + 52) * 3;
    EXPECT_FALSE(middle[0] == 255 && middle[1] == 255 && middle[2] == 255) << source;
  }
  const Outcome none = brio({"inspect", scratch / "t.csv", "--sheet", scratch / "none.png"});
  EXPECT_EQ(none.code, 1);
  expect_in(none.err, "there are no pictures for a sheet");
}

TEST(Inspect, SaysWhatIsWrong) {
  Scratch scratch;
  EXPECT_EQ(brio({"inspect"}).code, 2);
  EXPECT_EQ(brio({"verify"}).code, 2);
  EXPECT_EQ(brio({"verify", "--what"}).code, 2);
  for (const char* command : {"inspect", "verify"}) {
    const Outcome none = brio({command, scratch / "none"});
    EXPECT_EQ(none.code, 1);
    expect_in(none.out + none.err, "none");
  }
  make_folder(scratch / "pictures", 2);
  write_file(scratch / "pictures/a/0.png", "no picture");
  const Outcome broken = brio({"inspect", scratch / "pictures"});
  EXPECT_EQ(broken.code, 1);
  expect_in(broken.err, "0.png: at byte 0");
}

TEST(Verify, FindsEveryKindOfDamage) {
  Scratch scratch;
  make_files(scratch);
  nlohmann::json good = brio_json({"verify", scratch.path()}, 3);  // one file is of an unknown kind
  EXPECT_EQ(good["files"], 13);
  EXPECT_EQ(good["records"], 2);
  EXPECT_EQ(good["pictures"], 7);
  EXPECT_EQ(good["rows"], 3);
  EXPECT_EQ(good["unknown"], 1);
  EXPECT_EQ(good["broken"].size(), 0U);

  const std::string shard = scratch / "r.tfrecord";
  damage(shard, 20);  // data of a record
  fs::resize_file(scratch / "x.npy", fs::file_size(scratch / "x.npy") - 1);
  damage(scratch / "z.npz", fs::file_size(scratch / "z.npz") / 2);
  fs::resize_file(scratch / "i.idx3", 18);
  write_file(scratch / "t.csv", "name,x\na,1,2\nb,2.5\n");
  fs::resize_file(scratch / "pictures/b/1.jpg", 300);
  write_file(scratch / "pictures/a/0.png", "");
  const nlohmann::json found = brio_json({"verify", scratch.path()}, 1)["broken"];
  for (const char* name : {"r.tfrecord", "x.npy", "z.npz", "i.idx3", "t.csv", "1.jpg", "0.png"})
    EXPECT_TRUE(std::any_of(
        found.begin(), found.end(),
        [&](const auto& each) { return each["file"].template get<std::string>().find(name) != std::string::npos; }))
        << name << " is not in " << found;
  const Outcome text = brio({"verify", shard});
  EXPECT_EQ(text.code, 1);
  expect_in(text.out, "r.tfrecord: at byte 0: corrupted record: the checksum of its");
  expect_in(text.out, "1 files, 1 records, 1 pictures, 0 rows: 1 broken");
}

TEST(Verify, SaysWhatItCouldNotCheck) {
  Scratch scratch;
  write_file(scratch / "t.csv", "name,x\na,1\n");
  EXPECT_EQ(brio({"verify", scratch.path()}).code, 0);
  write_file(scratch / "w.safetensors", std::string("\x02\0\0\0\0\0\0\0{}", 10));
  write_file(scratch / "w.weights.h5", "\x89HDF\r\n\x1a\n and what another program wrote");
  const Outcome found = brio({"verify", scratch.path()});
  EXPECT_EQ(found.code, 3);
  expect_in(found.out,
            "3 files, 0 records, 0 pictures, 2 rows: 0 broken; 2 files carry no checksum and were not checked");
  const nlohmann::json json = brio_json({"verify", scratch.path()}, 3);
  EXPECT_EQ(json["without_checksum"], 2);
  write_file(scratch / "m.keras", "PK\x03\x04 and no more");
  EXPECT_EQ(brio({"verify", scratch.path()}).code, 1);
}

TEST(Verify, FindsBrokenPicturesInRecords) {
  Scratch scratch;
  make_folder(scratch / "pictures", 2);
  const std::string good = read_file(scratch / "pictures/b/1.jpg");
  const std::vector<std::string> records = {example(1, good), example(2, good.substr(0, 150)), "no example",
                                            example(4, good)};
  const std::string shard = write_records(scratch / "r.tfrecord", records);
  const nlohmann::json found = brio_json({"verify", shard}, 1);
  EXPECT_EQ(found["records"], 4);
  EXPECT_EQ(found["pictures"], 2);
  ASSERT_EQ(found["broken"].size(), 2U);
  EXPECT_GT(found["broken"][0]["offset"], records[0].size() + 16);
  EXPECT_LT(found["broken"][1]["offset"], records[0].size() + records[1].size() + 32 + 12 + 10);
  // An index of another shard, and one whose shard is gone.
  write_records(scratch / "s.tfrecord", {"x", "y"});
  fs::copy_file(scratch / "s.tfrecord.idx", shard + ".idx", fs::copy_options::overwrite_existing);
  EXPECT_EQ(brio_json({"verify", shard}, 1)["broken"].size(), 3U);
  fs::remove(scratch / "s.tfrecord");
  expect_in(brio({"verify", scratch / "s.tfrecord.idx"}).out, "is not there");
}

TEST(Verify, ComparesAPackWithItsManifest) {
  Scratch scratch;
  make_folder(scratch / "src", 4);
  ASSERT_EQ(brio({"pack", scratch / "src", scratch / "out", "--shards", "2"}).code, 0);
  EXPECT_EQ(brio({"verify", scratch / "out"}).code, 0);
  const std::string manifest = read_file(scratch / "out/out.json");
  damage(scratch / "out/out.json", manifest.size() / 2);
  expect_in(brio({"verify", scratch / "out"}).out, "its bytes do not have the checksum");
  write_file(scratch / "out/out.json", manifest);
  fs::remove(scratch / "out/out-00001-of-00002.tfrecord");
  fs::remove(scratch / "out/out-00001-of-00002.tfrecord.idx");
  const Outcome missing = brio({"verify", scratch / "out"});
  EXPECT_EQ(missing.code, 1);
  expect_in(missing.out, "out.json lists it");
  write_file(scratch / "bad.json", "{");
  expect_in(brio({"verify", scratch / "bad.json"}).out, "this is no JSON");
}

}  // namespace
}  // namespace brio::cli
