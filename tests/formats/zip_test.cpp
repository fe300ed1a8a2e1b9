// ZIP files, and the .npz files that are made of them.
#include "brio/formats/zip.h"

#include <gtest/gtest.h>

#include "brio/formats/byte_order.h"
#include "brio/formats/npz.h"
#include "tests/formats/picture_golden.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

std::string golden_npz(const std::string& name) {
  for (const golden::Case& c : golden::load("files_npz.json"))
    if (c.name == name) return from_hex(c.text("file"));
  return {};
}

TEST(Npz, ReadsWhatNumPyWrites) {
  for (const golden::Case& c : golden::load("files_npz.json")) {
    SCOPED_TRACE(c.name);
    const std::string file = from_hex(c.text("file"));
    const NpzReader npz(ReadAt(file, {"a.npz"}));
    EXPECT_EQ(npz.names(), (std::vector<std::string>{"x", "y", "f", "truth", "none"}));
    for (const std::string& name : npz.names()) {
      const Array array = npz.read(name);
      std::vector<double> values;
      visit(array.aval.dtype, [&](auto one) {
        for (int64_t i = 0; i < array.aval.shape.elements(); ++i)
          values.push_back(static_cast<double>(array.as<decltype(one)>()[i]));
      });
      EXPECT_EQ(values, c.output(name).data) << name;
      EXPECT_EQ(array.aval.shape, Shape(std::span<const int64_t>(c.output(name).shape)));
      if (c.name == "npz/stored") {
        const Array again = npz.open(name).read();
        EXPECT_EQ(again.aval, array.aval);
        if (array.aval.bytes() > 0) {
          EXPECT_EQ(0, std::memcmp(again.data(), array.data(), array.aval.bytes()));
        }
      } else {
        EXPECT_THROW(npz.open(name), InvalidArgument);
      }
    }
    try {
      npz.read("z");
      FAIL();
    } catch (const InvalidArgument& error) {
      EXPECT_STREQ(error.what(), "a.npz: it holds no array 'z'; it holds 'x', 'y', 'f', 'truth', 'none'");
    }
  }
}

TEST(Npz, WritesWhatItReads) {
  const Scratch scratch;
  const std::string file = golden_npz("npz/stored");
  const NpzReader npz(ReadAt(file, {}));
  write_npz(scratch / "w.npz", {{"a", npz.read("x")}, {"b", npz.read("truth")}});
  const NpzReader again{ReadAt(scratch / "w.npz")};
  EXPECT_EQ(again.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(0, std::memcmp(again.read("a").data(), npz.read("x").data(), 48));
  EXPECT_THROW(write_npz(scratch / "v.npz", {{"a", npz.read("x")}, {"a", npz.read("x")}}), InvalidArgument);
  EXPECT_THROW(ZipWriter(scratch / "u.zip").add("", {}), InvalidArgument);
  write_npz(scratch / "none.npz", {});
  try {
    NpzReader(ReadAt(scratch / "none.npz")).read("a");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("it holds none"), std::string::npos);
  }
}

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members, bool zip64 = false) {
  const Scratch scratch;
  ZipWriter writer(scratch / "z", zip64);
  for (const auto& [name, bytes] : members) writer.add(name, {bytes});
  writer.commit();
  return read_file(scratch / "z");
}

std::string zip_refusal(const std::string& bytes, const ZipLimits& limits = {}) {
  try {
    const ZipReader zip(ReadAt(bytes, {"a.zip"}), limits);
    for (const ZipMember& member : zip.members()) zip.read(member);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Zip, WritesTheSameBytesAgain) {
  const std::string zip = zip_of({{"one", "hello"}, {"two/three", std::string(100000, 'x')}, {"none", ""}});
  EXPECT_EQ(zip, zip_of({{"one", "hello"}, {"two/three", std::string(100000, 'x')}, {"none", ""}}));
  const ZipReader reader(ReadAt(zip, {}));
  ASSERT_EQ(reader.members().size(), 3U);
  EXPECT_EQ(reader.read(*reader.find("one")), "hello");
  EXPECT_EQ(reader.read(*reader.find("two/three")), std::string(100000, 'x'));
  EXPECT_EQ(reader.read(*reader.find("none")), "");
  EXPECT_EQ(reader.find("four"), nullptr);
  EXPECT_EQ(zip_refusal(zip), "no error");
  EXPECT_EQ(zip_refusal(zip_of({})), "no error");
}

TEST(Zip, FieldsOf64BitsReadTheSame) {
  const std::string zip = zip_of({{"one", "hello"}, {"two", ""}}, true);
  EXPECT_EQ(zip_refusal(zip), "no error");
  const ZipReader reader(ReadAt(zip, {}));
  ASSERT_EQ(reader.members().size(), 2U);
  EXPECT_EQ(reader.read(reader.members()[0]), "hello");
  EXPECT_EQ(reader.read(reader.members()[1]), "");
}

TEST(Zip, MoreMembersThan16BitsCount) {
  std::vector<std::pair<std::string, std::string>> members;
  for (int i = 0; i < 70000; ++i) members.emplace_back(std::to_string(i), "");
  members[69999].second = "last";
  const std::string zip = zip_of(members);
  const ZipReader reader(ReadAt(zip, {}));
  ASSERT_EQ(reader.members().size(), 70000U);
  EXPECT_EQ(reader.read(*reader.find("69999")), "last");
}

constexpr size_t kEnd = 22;

template <typename T>
std::string changed(std::string bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

TEST(Zip, SaysWhatIsBroken) {
  const std::string zip = zip_of({{"one", "hello"}});
  const size_t end = zip.size() - kEnd, directory = end - 46 - 3;
  const std::string none = "not a ZIP file, or a truncated one: it has no directory at its end";
  EXPECT_EQ(zip_refusal(""), "a.zip: at byte 0: " + none);
  EXPECT_EQ(zip_refusal("some text that is long enough to hold an end"), "a.zip: at byte 44: " + none);
  EXPECT_EQ(zip_refusal(zip.substr(0, zip.size() - 1)), cat("a.zip: at byte ", zip.size() - 1, ": ", none));
  // A comment may follow.
  EXPECT_EQ(zip_refusal(changed(zip, zip.size() - 2, uint16_t{4}) + "text"), "no error");
  EXPECT_EQ(zip_refusal(changed(zip, end + 4, uint16_t{1})),
            cat("a.zip: at byte ", end, ": the ZIP file is one part of several"));
  EXPECT_EQ(zip_refusal(changed(zip, end + 16, uint32_t{1000})),
            cat("a.zip: at byte ", end, ": the ZIP file's directory does not lie in the file"));
  EXPECT_EQ(zip_refusal(changed(zip, end + 10, uint16_t{9})),
            cat("a.zip: at byte ", end, ": the ZIP file's directory claims 9 members in 49 bytes"));
  EXPECT_EQ(zip_refusal(changed(zip, directory, uint32_t{0})),
            cat("a.zip: at byte ", directory, ": the ZIP file's directory is corrupt"));
  EXPECT_EQ(zip_refusal(changed(zip, directory + 28, uint16_t{400})),
            cat("a.zip: at byte ", directory, ": the ZIP file's directory is corrupt"));
  EXPECT_EQ(zip_refusal(changed(zip, directory + 42, uint32_t{1000})),
            cat("a.zip: at byte ", directory, ": the ZIP member 'one' does not lie in the file"));
  EXPECT_EQ(zip_refusal(changed(zip, 0, uint32_t{0})),
            "a.zip: at byte 0: the ZIP member 'one' does not begin where the directory says");
  EXPECT_EQ(zip_refusal(changed(zip, directory + 8, uint16_t{1})),
            "a.zip: at byte 0: the ZIP member 'one' is encrypted");
  EXPECT_EQ(zip_refusal(changed(zip, directory + 10, uint16_t{12})),
            "a.zip: at byte 0: the ZIP member 'one' is packed by method 12; stored and deflated ones can be read");
  EXPECT_EQ(zip_refusal(changed(zip, directory + 24, uint32_t{6})),
            "a.zip: at byte 0: the ZIP member 'one' is stored, but claims 6 bytes in 5");
  EXPECT_EQ(zip_refusal(changed(zip, directory + 20, uint32_t{500})),
            "a.zip: at byte 0: the ZIP member 'one' does not lie in the file; it is truncated");
  EXPECT_EQ(zip_refusal(changed(zip, 33, 'j')),
            "a.zip: at byte 38: the ZIP member 'one' is corrupt: its checksum differs");
  // Stored bytes that are taken for deflated ones.
  EXPECT_NE(zip_refusal(changed(zip, directory + 10, uint16_t{8})).find("the ZIP member 'one' is corrupt: "),
            std::string::npos);
}

TEST(Zip, RefusesTwoOfAName) {
  std::string zip = zip_of({{"one", "a"}, {"two", "b"}});
  for (size_t at = zip.find("two"); at != std::string::npos; at = zip.find("two")) zip.replace(at, 3, "one");
  EXPECT_NE(zip_refusal(zip).find("the ZIP file has two members 'one'"), std::string::npos);
}

TEST(Zip, DeflatedMembers) {
  const std::string npz = golden_npz("npz/deflated");
  EXPECT_EQ(zip_refusal(npz), "no error");
  const ZipReader zip(ReadAt(npz, {}));
  const ZipMember member = *zip.find("x.npy");
  // It claims one byte more, or is a bomb.
  const size_t entry = npz.find("x.npy", npz.find("PK\x01\x02")) - 46;
  const std::string longer = changed(npz, entry + 24, static_cast<uint32_t>(member.size + 1));
  EXPECT_NE(zip_refusal(longer).find("it inflates to 1 bytes fewer than it claims"), std::string::npos)
      << zip_refusal(longer);
  const std::string shorter = changed(npz, entry + 24, static_cast<uint32_t>(member.size - 1));
  EXPECT_NE(zip_refusal(shorter).find("its checksum differs"), std::string::npos) << zip_refusal(shorter);
  EXPECT_NE(zip_refusal(npz, {.always = 0, .max_ratio = 1}).find("as a decompression bomb does"), std::string::npos);
  const std::string bomb = changed(npz, entry + 24, uint32_t{0xfffffff0});
  EXPECT_NE(zip_refusal(bomb).find("to 4294967280 bytes, as a decompression bomb does"), std::string::npos)
      << zip_refusal(bomb);
  ZipStream stream(zip, member);
  ZipStream moved = std::move(stream);
  EXPECT_EQ(moved.left(), member.size);
  std::string all(member.size + 1, '\0');
  EXPECT_THROW(moved.read(all.data(), all.size()), DataError);
  for (size_t i = 0; i < member.size; ++i) moved.read(&all[i], 1);  // byte by byte
  EXPECT_EQ(all.substr(0, member.size), zip.read(member));
}

// Sizes that stand in fields of 64 bits, as large files have them.
TEST(Zip, Fields64) {
  const std::string data = "hello";
  std::string local = "PK\x03\x04" + std::string(26, '\0') + "a";
  local = changed(local, 26, uint16_t{1});
  std::string extra;
  append_little(extra, uint16_t{7});  // some other field first
  append_little(extra, uint16_t{1});
  extra += 'z';
  append_little(extra, uint16_t{1});
  append_little(extra, uint16_t{24});
  for (const uint64_t value : {5, 5, 0}) append_little(extra, value);
  std::string central = "PK\x01\x02" + std::string(42, '\0') + "a" + extra;
  for (const size_t at : {20, 24, 42}) central = changed(central, at, uint32_t{0xffffffff});
  central = changed(central, 16, crc_of(data.data(), 5));
  central = changed(central, 28, uint16_t{1});
  central = changed(central, 30, static_cast<uint16_t>(extra.size()));
  std::string end64 = "PK\x06\x06" + std::string(52, '\0');
  end64 = changed(end64, 32, uint64_t{1});
  end64 = changed(end64, 40, uint64_t{central.size()});
  end64 = changed(end64, 48, uint64_t{local.size() + 5});
  const uint64_t end_at = local.size() + 5 + central.size();
  std::string locator = changed("PK\x06\x07" + std::string(16, '\0'), 8, end_at);
  std::string end = "PK\x05\x06" + std::string(4, '\0') + std::string(12, '\xff') + std::string(2, '\0');
  const std::string zip = local + data + central + end64 + locator + end;
  const ZipReader reader(ReadAt(zip, {"a.zip"}));
  EXPECT_EQ(reader.read(*reader.find("a")), "hello");
  EXPECT_NE(zip_refusal(changed(zip, end_at, uint32_t{0})).find("directory of large files is corrupt"),
            std::string::npos);
  EXPECT_NE(zip_refusal(changed(zip, local.size() + 5 + 47 + 7, uint16_t{8})).find("directory is corrupt"),
            std::string::npos);
  EXPECT_NE(zip_refusal(changed(zip, local.size() + 5 + 47 + 2, uint16_t{800})).find("directory is corrupt"),
            std::string::npos);
  EXPECT_NE(zip_refusal(changed(zip, end_at + 56 + 8, uint64_t{1} << 40)).find("bytes too early"), std::string::npos);
}

TEST(Npz, SaysWhatIsBroken) {
  const auto refused = [](const std::string& member) -> std::string {
    try {
      const std::string zip = zip_of({{"a.npy", member}});
      NpzReader(ReadAt(zip, {"a.npz"})).read("a");
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string header = npy_header({{2}, u8});
  EXPECT_EQ(refused(header + "ab"), "no error");
  EXPECT_EQ(refused("short"), "a.npz: a.npy: at byte 0: not an npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(refused(header.substr(0, 50)), "a.npz: a.npy: at byte 50: the npy file ends within its header");
  EXPECT_EQ(refused(header + "abc"),
            "a.npz: a.npy: at byte 128: the npy array uint8(2,) has 2 bytes, but 3 follow its header");
}

}  // namespace
}  // namespace brio::formats
