// brio pack: what it writes, what it keeps, and what it refuses.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "brio/data/sources/sources.h"
#include "brio/formats/example.h"
#include "brio/formats/tfrecord.h"
#include "brio/tensor/strings.h"
#include "tests/cli/made_pictures.h"
#include "tests/cli/tool.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;
using formats::Example;
using formats::Feature;
using formats::read_file;
using formats::Scratch;
using formats::write_file;

std::vector<Example> examples_in(const std::string& pattern,
                                 formats::Compression compression = formats::Compression::none) {
  std::vector<Example> examples;
  for (const data::Item& item : data::tfrecord_dataset({pattern}, {.compression = compression}))
    examples.push_back(Example::parse(string_at(item[0].array(), 0)));
  return examples;
}
int64_t int_of(const Example& example, const std::string& key) {
  return std::get<Feature::Ints>(example.features.at(key).values).at(0);
}
std::string text_of(const Example& example, const std::string& key) {
  return std::get<Feature::Bytes>(example.features.at(key).values).at(0);
}

TEST(Pack, FilesOfAFolderStayAsTheyAre) {
  Scratch scratch;
  make_folder(scratch / "src", 7);
  const nlohmann::json summary = brio_json({"pack", scratch / "src", scratch / "out", "--shards", "3"});
  EXPECT_EQ(summary["records"], 7);
  EXPECT_EQ(summary["shards"], 3);
  EXPECT_GT(summary["items_a_second_before"], 0);
  EXPECT_GT(summary["items_a_second_after"], 0);
  const std::vector<Example> examples = examples_in(scratch / "out/out-*-of-00003.tfrecord");
  ASSERT_EQ(examples.size(), 7U);
  EXPECT_EQ(text_of(examples[0], "image/encoded"), read_file(scratch / "src/a/0.png"));
  EXPECT_EQ(text_of(examples[0], "image/format"), "png");
  EXPECT_EQ(text_of(examples[4], "image/encoded"), read_file(scratch / "src/b/1.jpg"));
  EXPECT_EQ(text_of(examples[4], "image/format"), "jpeg");
  EXPECT_EQ(text_of(examples[4], "image/filename"), "1.jpg");
  EXPECT_EQ(text_of(examples[4], "image/class/text"), "b");
  EXPECT_EQ(int_of(examples[4], "image/class/label"), 1);
  EXPECT_EQ(int_of(examples[4], "image/height"), 10);
  EXPECT_EQ(int_of(examples[4], "image/width"), 14);
  const nlohmann::json manifest = nlohmann::json::parse(read_file(scratch / "out/out.json"));
  EXPECT_EQ(manifest["class_names"], (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(manifest["records"], 7);
  EXPECT_EQ(manifest["complete"], true);
  EXPECT_EQ(manifest["features"]["image/class/label"]["kind"], "int64");
  EXPECT_EQ(manifest["files"].size(), 3U);
  for (const auto& file : manifest["files"])
    EXPECT_TRUE(fs::exists(scratch / ("out/" + file["file"].get<std::string>() + ".idx")));
  EXPECT_EQ(brio({"verify", scratch / "out"}).code, 0);
}

TEST(Pack, PixelsGoStraightIntoBatches) {
  Scratch scratch;
  make_folder(scratch / "src", 4);
  const Outcome outcome =
      brio({"pack", scratch / "src", scratch / "out", "--shards=1", "--resize=5x7", "--decode", "--name", "train"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_in(outcome.out, "4 pictures in 1 shards");
  expect_lines_below(outcome.out, 80);
  const data::Dataset batches =
      data::parse_example(
          data::tfrecord_dataset({scratch / "out/train-00000-of-00001.tfrecord"}),
          {{"image", formats::FixedLen{{5, 7, 3}, u8, {}, true}}, {"image/class/label", formats::FixedLen{{}, i64}}})
          .batch(4);
  data::Iterator iterator = batches.iterator();
  data::Item item;
  ASSERT_TRUE(iterator.next(item));
  EXPECT_EQ(item["image"].shape(), (Shape{4, 5, 7, 3}));
  EXPECT_EQ(item["image/class/label"].to_vector<int64_t>(), (std::vector<int64_t>{0, 0, 1, 1}));
  // Half the size with half-pixel centres: each new pixel is the mean of four.
  const std::vector<uint8_t> from = made_pixels(10, 14, 0), to = item["image"].to_vector<uint8_t>();
  for (size_t y = 0; y < 5; ++y)
    for (size_t x = 0; x < 7; ++x)
      for (size_t c = 0; c < 3; ++c) {
        const auto at = [&](size_t i, size_t j) { return from[((2 * y + i) * 14 + 2 * x + j) * 3 + c]; };
        EXPECT_NEAR(to[(y * 7 + x) * 3 + c], (at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1)) / 4., 0.51);
      }
  // The same as floats, with no copy between.
  for (const data::Item& floats : data::parse_example(data::tfrecord_dataset({scratch / "out/train-*.tfrecord"}),
                                                      {{"image", formats::FixedLen{{5, 7, 3}, f32, {}, true, u8}}})
                                      .batch(4))
    EXPECT_EQ(floats["image"].to_vector<float>(), std::vector<float>(to.begin(), to.end()));
  // Resized but not decoded: files again, of the format they had.
  EXPECT_EQ(brio({"pack", scratch / "src", scratch / "small", "--resize", "5x7"}).code, 0);
  const std::vector<Example> small = examples_in(scratch / "small/*.tfrecord");
  EXPECT_EQ(text_of(small[0], "image/format"), "png");
  EXPECT_EQ(text_of(small[3], "image/format"), "jpeg");
  EXPECT_EQ(int_of(small[3], "image/width"), 7);
  EXPECT_EQ(brio({"verify", scratch / "small"}).code, 0);
}

std::vector<uint8_t> pixels_of(const Example& example) {
  const std::string text = text_of(example, "image");
  return {text.begin(), text.end()};
}

TEST(Pack, AugmentAddsChangedCopies) {
  Scratch scratch;
  make_folder(scratch / "src", 6);
  const std::vector<std::string> command = {"pack", scratch / "src", scratch / "out", "--shards", "4", "--augment",
                                            "2"};
  EXPECT_EQ(brio_json(command)["records"], 18);
  const std::vector<Example> examples = examples_in(scratch / "out/*.tfrecord");
  ASSERT_EQ(examples.size(), 18U);
  // All as they are, then a round of copies, then another.
  for (size_t i = 0; i < 18; ++i) {
    const Example &copy = examples[i], &original = examples[i % 6];
    EXPECT_EQ(int_of(copy, "image/copy"), static_cast<int64_t>(i / 6));
    for (const char* key : {"image/filename", "image/class/text", "image/format"})
      EXPECT_EQ(text_of(copy, key), text_of(original, key));
    for (const char* key : {"image/height", "image/width", "image/class/label"})
      EXPECT_EQ(int_of(copy, key), int_of(original, key));
    for (size_t k = 0; k < i; ++k)
      EXPECT_NE(text_of(copy, "image/encoded"), text_of(examples[k], "image/encoded")) << i << " " << k;
  }
  EXPECT_EQ(text_of(examples[0], "image/encoded"), read_file(scratch / "src/a/0.png"));
  EXPECT_EQ(brio({"verify", scratch / "out"}).code, 0);

  // Made again after a kill they are the same, and in another order, and out of records.
  const std::string second = scratch / "out/out-00002-of-00004.tfrecord", before = read_file(second);
  fs::remove(second);
  EXPECT_EQ(brio_json(command)["kept"], 3);
  EXPECT_EQ(read_file(second), before);
  const auto sorted = [](std::vector<Example> all) {
    std::sort(all.begin(), all.end(),
              [](const Example& a, const Example& b) { return a.serialize() < b.serialize(); });
    return all;
  };
  EXPECT_EQ(brio({"pack", scratch / "src", scratch / "mixed", "--augment=2", "--shuffle"}).code, 0);
  const std::vector<Example> mixed = examples_in(scratch / "mixed/*.tfrecord");
  EXPECT_NE(mixed, examples);
  EXPECT_EQ(sorted(mixed), sorted(examples));
  ASSERT_EQ(brio({"pack", scratch / "src", scratch / "files"}).code, 0);
  ASSERT_EQ(brio({"pack", scratch / "files", scratch / "again", "--augment", "2"}).code, 0);
  EXPECT_EQ(examples_in(scratch / "again/*.tfrecord"), examples);
  // Another seed makes others, and another number is another run.
  ASSERT_EQ(brio({"pack", scratch / "src", scratch / "seeded", "--augment", "2", "--seed", "7"}).code, 0);
  const std::vector<Example> seeded = examples_in(scratch / "seeded/*.tfrecord");
  EXPECT_EQ(seeded[0], examples[0]);
  EXPECT_NE(seeded[6], examples[6]);
  const Outcome other = brio({"pack", scratch / "src", scratch / "out", "--shards", "4"});
  EXPECT_EQ(other.code, 1);
  expect_in(other.err, "is of another run: its items is 18, not 6");
}

TEST(Pack, CopiesStayNearThePicture) {
  Scratch scratch;
  fs::create_directories(scratch / "src");
  // One colour, and a ramp from left to right.
  constexpr int64_t kSide = 40;
  std::vector<uint8_t> plain(kSide * kSide * 3, 100), ramp;
  for (int64_t i = 0; i < kSide * kSide * 3; ++i) ramp.push_back(static_cast<uint8_t>(60 + i / 3 % kSide * 3));
  const formats::PictureSize size{kSide, kSide, 3};
  write_file(scratch / "src/0.png", formats::encode_png(plain.data(), kSide * 3, size));
  write_file(scratch / "src/1.png", formats::encode_png(ramp.data(), kSide * 3, size));
  write_file(scratch / "src/2.png", formats::encode_png(plain.data(), 3, {1, 1, 3}));
  ASSERT_EQ(brio({"pack", scratch / "src", scratch / "out", "--augment", "60", "--decode", "--resize", "20x30"}).code,
            0);
  const std::vector<Example> examples = examples_in(scratch / "out/*.tfrecord");
  ASSERT_EQ(examples.size(), 3U * 61);
  int mirrored = 0, darker = 0;
  for (size_t i = 3; i < examples.size(); i += 3) {
    const std::vector<uint8_t> one = pixels_of(examples[i]);
    ASSERT_EQ(one.size(), 20U * 30 * 3);
    EXPECT_EQ(one, std::vector<uint8_t>(one.size(), one[0]));  // of one colour, lighter or darker
    EXPECT_NEAR(one[0], 100, 26);
    darker += one[0] < 100;
    const std::vector<uint8_t> dot = pixels_of(examples[i + 2]);
    EXPECT_EQ(dot, std::vector<uint8_t>(dot.size(), dot[0]));
    // The middle row rises or falls all along, by 85 to 100 % of the range where it is not turned.
    const std::vector<uint8_t> slope = pixels_of(examples[i + 1]);
    const int left = slope[10 * 90], right = slope[10 * 90 + 87];
    mirrored += left > right;
    EXPECT_GE(std::abs(right - left), 80);
    EXPECT_LE(std::abs(right - left), 120);
  }
  EXPECT_GT(mirrored, 15);
  EXPECT_LT(mirrored, 45);
  EXPECT_GT(darker, 15);
  EXPECT_LT(darker, 45);
}

TEST(Pack, KeepsWhatAnEarlierRunFinished) {
  Scratch scratch;
  make_folder(scratch / "src", 9);
  const std::vector<std::string> command = {"pack", scratch / "src", scratch / "out", "--shards",
                                            "4",    "--shuffle",     "--seed",        "3"};
  ASSERT_EQ(brio(command).code, 0);
  const auto shard = [&](int i) { return scratch / cat("out/out-0000", i, "-of-00004.tfrecord"); };
  std::vector<std::string> before;
  for (int i = 0; i < 4; ++i) before.push_back(read_file(shard(i)));
  const auto kept = fs::last_write_time(shard(0));
  fs::remove(shard(1));
  fs::remove(shard(2) + ".idx");
  write_file(shard(3), before[3].substr(0, before[3].size() - 1));
  write_file(shard(1) + ".77.0.brio-part", "half a shard");
  EXPECT_EQ(brio_json(command)["kept"], 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(read_file(shard(i)), before[static_cast<size_t>(i)]) << i;
  EXPECT_EQ(fs::last_write_time(shard(0)), kept);
  // SRC may be written in another way; what only looks like a shard of this name is left alone.
  write_file(scratch / "out/out-of-milk.tfrecord.1.1.part", "");
  std::vector<std::string> slashed = command;
  slashed[1] += "/";
  EXPECT_EQ(brio_json(slashed)["kept"], 4);
  EXPECT_TRUE(fs::exists(scratch / "out/out-of-milk.tfrecord.1.1.part"));
  EXPECT_FALSE(fs::exists(shard(1) + ".77.0.brio-part"));
  // Of another source or with other options, nothing is mixed.
  Outcome other = brio({"pack", scratch / "src", scratch / "out", "--shards", "4"});
  EXPECT_EQ(other.code, 1);
  expect_in(other.err, "out.json is of another run: its shuffle is true, not false");
  write_file(scratch / "src/a/0.png", read_file(scratch / "src/a/2.png") + "x");
  other = brio(command);
  EXPECT_EQ(other.code, 1);
  expect_in(other.err, "its fingerprint is ");
  fs::remove(scratch / "out/out.json");
  other = brio(command);
  EXPECT_EQ(other.code, 1);
  expect_in(other.err, "no out.json that says how they were made");
}

TEST(Pack, AKillLeavesNoHalfShard) {
  Scratch scratch;
  make_folder(scratch / "src", 40, 60, 60);
  const std::string src = scratch / "src", out = scratch / "out";
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    execl(BRIO_TOOL, "brio", "pack", src.c_str(), out.c_str(), "--shards", "20", nullptr);
    _exit(127);
  }
  for (int i = 0; i < 1000 && !fs::exists(scratch / "out/out-00002-of-00020.tfrecord"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  for (const auto& entry : fs::directory_iterator(out))
    if (entry.path().extension() == ".tfrecord") {
      EXPECT_EQ(brio({"verify", entry.path().string()}).code, 0) << entry.path();
    }
  EXPECT_EQ(brio_json({"pack", src, out, "--shards", "20"})["records"], 40);
  EXPECT_EQ(examples_in(scratch / "out/*.tfrecord").size(), 40U);
  EXPECT_EQ(brio({"verify", out}).code, 0);
}

// A limit on the size of files stands for a full disk: the system refuses the write.
TEST(Pack, AFullDiskLeavesNoHalfShard) {
  Scratch scratch;
  make_folder(scratch / "src", 8, 60, 60);
  const std::string command = cat("trap '' XFSZ; ulimit -f 16; ", BRIO_TOOL, " pack ", scratch / "src", " ",
                                  scratch / "out", " --shards 2 --decode 2> ", scratch / "err");
  EXPECT_NE(std::system(command.c_str()), 0);
  expect_in(read_file(scratch / "err"), "out-00000-of-00002.tfrecord");
  for (const auto& entry : fs::directory_iterator(scratch / "out")) EXPECT_EQ(entry.path().filename(), "out.json");
  EXPECT_EQ(brio_json({"pack", scratch / "src", scratch / "out", "--shards", "2", "--decode"})["records"], 8);
}

TEST(Pack, OneRunAtATime) {
  Scratch scratch;
  make_folder(scratch / "src", 2);
  fs::create_directory(scratch / "out");
  const int fd = ::open((scratch / "out").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  const Outcome second = brio({"pack", scratch / "src", scratch / "out"});
  EXPECT_EQ(second.code, 1);
  expect_in(second.err, "another brio pack is writing there");
  EXPECT_TRUE(fs::is_empty(scratch / "out"));
  ::close(fd);
  EXPECT_EQ(brio({"pack", scratch / "src", scratch / "out"}).code, 0);
}

TEST(Pack, NamesNeedBeNoPattern) {
  Scratch scratch;
  make_folder(scratch / "src", 4);
  const std::vector<std::string> command = {"pack", scratch / "src", scratch / "a[1]*", "--shards", "2"};
  ASSERT_EQ(brio(command).code, 0);
  write_file(scratch / "a[1]*/a[1]*-00000-of-00002.tfrecord.5.0.brio-part", "left");
  EXPECT_EQ(brio_json(command)["kept"], 2);
  EXPECT_FALSE(fs::exists(scratch / "a[1]*/a[1]*-00000-of-00002.tfrecord.5.0.brio-part"));
  fs::remove(scratch / "a[1]*/a[1]*.json");
  expect_in(brio(command).err, "holds shards of that name");
}

TEST(Pack, NamesNeedBeNoUtf8) {
  Scratch scratch;
  make_folder(scratch / "src", 4);
  fs::rename(scratch / "src/a", scratch / "src/a\xff");
  fs::create_directory_symlink(scratch.path(), scratch / "src/b/loop");
  EXPECT_EQ(brio_json({"pack", scratch / "src", scratch / "out"})["records"], 4);
  EXPECT_EQ(brio_json({"pack", scratch / "src", scratch / "out"})["kept"], 1);
  EXPECT_EQ(text_of(examples_in(scratch / "out/*.tfrecord")[0], "image/class/text"), "a\xff");
  EXPECT_EQ(brio_json({"verify", scratch.path()})["pictures"], 8);
  EXPECT_EQ(brio_json({"inspect", scratch / "src"})[0]["files"], 4);
  write_file(scratch / "src/a\xff/0.png", "x");
  EXPECT_EQ(brio_json({"verify", scratch / "src"}, 1)["broken"].size(), 1U);
}

TEST(Pack, BrokenPicturesFailOrAreListed) {
  Scratch scratch;
  make_folder(scratch / "src", 6);
  write_file(scratch / "src/b/1.jpg", read_file(scratch / "src/b/1.jpg").substr(0, 100));
  write_file(scratch / "src/a/0.png", "");
  const std::vector<std::string> command = {"pack", scratch / "src", scratch / "out", "--shards", "2", "--decode"};
  const Outcome failed = brio(command);
  EXPECT_EQ(failed.code, 1);
  expect_in(failed.err, "src/a/0.png: at byte 0");
  std::vector<std::string> skipping = command;
  skipping.insert(skipping.end(), {"--on-error", "skip"});
  const nlohmann::json summary = brio_json(skipping);
  EXPECT_EQ(summary["records"], 4);
  EXPECT_EQ(summary["skipped"], 2);
  ASSERT_EQ(summary["errors"].size(), 2U);
  expect_in(summary["errors"][1], "src/b/1.jpg: at byte ");
  EXPECT_EQ(nlohmann::json::parse(read_file(scratch / "out/out.json"))["skipped"], 2);
  // A later run that keeps the shards lists what they lack, too; one that makes a shard again lists it once.
  EXPECT_EQ(brio_json(skipping)["errors"], summary["errors"]);
  fs::remove(scratch / "out/out-00000-of-00002.tfrecord");
  EXPECT_EQ(brio_json(skipping)["errors"], summary["errors"]);
  const Outcome shown = brio(skipping);
  expect_in(shown.out, "skipped: " + std::string(summary["errors"][0]));
  expect_in(shown.out, "4 pictures in 2 shards, 2 of them from an earlier run, 2 skipped");
  skipping.push_back("--quiet");
  expect_in(brio(skipping).err, "skipped: " + std::string(summary["errors"][1]));
  // A link that leads nowhere has its place, too.
  fs::create_symlink("nowhere", scratch / "src/a/link.png");
  skipping[2] = scratch / "linked";
  expect_in(brio(skipping).err, "a/link.png: it cannot be opened");
  fs::remove(scratch / "src/a/link.png");
  const Outcome verified = brio({"verify", scratch / "src"});
  EXPECT_EQ(verified.code, 1);
  expect_in(verified.out, "6 files, 0 records, 4 pictures, 0 rows: 2 broken");
}

TEST(Pack, TablesAndRecords) {
  Scratch scratch;
  write_file(scratch / "t.csv", "name,x,n\na,1.5,3\nb,2,4\nc,3,5\n");
  EXPECT_EQ(brio_json({"pack", scratch / "t.csv", scratch / "t", "--shards", "2"})["records"], 3);
  const std::vector<Example> rows = examples_in(scratch / "t/t-*.tfrecord");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(text_of(rows[1], "name"), "b");
  EXPECT_EQ(int_of(rows[2], "n"), 5);
  EXPECT_EQ(std::get<Feature::Floats>(rows[0].features.at("x").values), (Feature::Floats{1.5f}));
  // Records again, into one compressed shard, and back.
  EXPECT_EQ(brio_json({"pack", scratch / "t/t-*.tfrecord", scratch / "z", "--compression", "GZIP"})["records"], 3);
  EXPECT_EQ(examples_in(scratch / "z/z-*.tfrecord", formats::Compression::gzip), rows);
  EXPECT_EQ(brio_json({"pack", scratch / "t/t-*.tfrecord", scratch / "z", "--compression", "GZIP"})["kept"], 1);
  EXPECT_EQ(brio_json({"pack", scratch / "z", scratch / "back", "--shard-size", "1"})["records"], 3);
  EXPECT_EQ(examples_in(scratch / "back/*.tfrecord"), rows);
  EXPECT_EQ(brio({"verify", scratch.path()}).code, 0);
  // Pictures in records may be decoded later.
  make_folder(scratch / "src", 4);
  ASSERT_EQ(brio({"pack", scratch / "src", scratch / "files"}).code, 0);
  EXPECT_EQ(brio_json({"pack", scratch / "files", scratch / "raw", "--decode", "--resize", "6x6"})["records"], 4);
  const std::vector<Example> raw = examples_in(scratch / "raw/*.tfrecord");
  EXPECT_EQ(text_of(raw[0], "image").size(), 6U * 6 * 3);
  EXPECT_FALSE(raw[0].features.contains("image/encoded"));
  EXPECT_EQ(int_of(raw[3], "image/class/label"), 1);
  const Outcome none = brio({"pack", scratch / "t", scratch / "no", "--decode"});
  EXPECT_EQ(none.code, 1);
  expect_in(none.err, "need a feature image/encoded");
}

TEST(Pack, Misuse) {
  Scratch scratch;
  make_folder(scratch / "src", 2);
  write_file(scratch / "t.csv", "x\n1\n");
  fs::create_directory(scratch / "empty");
  const auto says = [&](const std::vector<std::string>& words, int code, const std::string& part) {
    const Outcome outcome = brio(words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    expect_in(outcome.err, part);
  };
  const std::string src = scratch / "src", out = scratch / "out";
  says({"pack", src}, 2, "takes SRC and OUT");
  says({"pack", src, out, "--nothing"}, 2, "there is no option --nothing");
  says({"pack", src, out, "--shards"}, 2, "--shards needs a value");
  says({"pack", src, out, "--shards", "many"}, 2, "--shards is many; it is a whole number from 1");
  says({"pack", src, out, "--shards", "2", "--shard-size", "2"}, 2, "exclude each other");
  says({"pack", src, out, "--resize", "0x4"}, 2, "--resize is 0x4");
  says({"pack", src, out, "--on-error", "cry"}, 2, "--on-error is cry");
  says({"pack", src, out, "--name", "a/b"}, 2, "is no name for shards");
  says({"pack", scratch / "t.csv", out, "--decode"}, 2, "SRC holds CSV");
  says({"pack", scratch / "t.csv", out, "--augment", "1"}, 2, "SRC holds CSV");
  says({"pack", src, out, "--augment", "0"}, 2, "--augment is 0; it is a whole number from 1 to 100");
  says({"pack", src, src + "/a/../out"}, 2, "which is packed into it");
  says({"pack", src, src}, 2, "which is packed into it");
  says({"pack", scratch / "t.csv", out, "--shuffle"}, 2, "--shuffle needs items");
  says({"pack", src, out, "--compression", "LZ"}, 1, "LZ");
  says({"pack", scratch / "empty", out}, 1, "holds no pictures");
  says({"pack", scratch / "none", out}, 1, "none");
  const Outcome quiet = brio({"pack", src, out, "--quiet"});
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out, "");
  EXPECT_EQ(brio({"pack", "--help"}).code, 0);
  expect_lines_below(brio({"pack", "--help"}).out, 80);
}

}  // namespace
}  // namespace brio::cli
