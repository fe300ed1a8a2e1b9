// safetensors and HDF5 files: what is written is read, and nothing in a broken one crashes a reader.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>

#include "brio/formats/byte_order.h"
#include "brio/formats/data_error.h"
#include "brio/formats/hdf5.h"
#include "brio/formats/safetensors.h"
#include "brio/formats/seal.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

constexpr DType kDTypes[] = {f64, f32, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, boolean};

Array made(DType dtype, const Shape& shape) {
  Array array = Array::allocate({shape, dtype});
  for (size_t i = 0; i < array.aval.bytes(); ++i) array.as<unsigned char>()[i] = static_cast<unsigned char>(i % 2);
  return array;
}

void expect_same(const Array& a, const Array& b) {
  ASSERT_TRUE(a.aval == b.aval);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.aval.bytes()), 0);
}

TEST(Safetensors, EveryDtypeComesBack) {
  const Scratch scratch;
  std::vector<NamedArray> arrays;
  for (const DType dtype : kDTypes) arrays.emplace_back(cat("a/", dtype), made(dtype, {2, 3}));
  arrays.emplace_back("scalar", made(f32, {}));
  arrays.emplace_back("empty", made(f32, {0, 4}));
  write_safetensors(scratch / "a.safetensors", arrays, {{"format", "brio"}, {"who", "a \"test\""}});
  const SafetensorsFile file(scratch / "a.safetensors");
  ASSERT_EQ(file.entries().size(), arrays.size());
  for (const auto& [name, array] : arrays) expect_same(array, file.read(*file.find(name)));
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "brio"}, {"who", "a \"test\""}}));
  EXPECT_TRUE(check_seal(InputFile(scratch / "a.safetensors"), Seal::safetensors));
  EXPECT_THROW(write_safetensors(scratch / "b.safetensors", {arrays[0], arrays[0]}), InvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(scratch / "b.safetensors"));
}

TEST(Safetensors, BrokenHeadersAreErrors) {
  const Scratch scratch;
  const auto refused = [&](const std::string& header, size_t bytes, const char* why) {
    std::string text;
    append_little(text, uint64_t{header.size()});
    text += header + std::string(bytes, 'x');
    std::ofstream(scratch / "h", std::ios::binary) << text;
    try {
      const SafetensorsFile file(scratch / "h");
      ADD_FAILURE() << "read: " << header;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "does not fit");
  refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "has shape [-1]");
  refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}", 0, "does not fit");
  refused("{\"a\":{\"dtype\":\"Q7\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "not known");
  refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8, "does not follow");
  refused(
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
      4, "does not follow");
  refused(
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
      "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
      8, "twice");
  refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 5, "behind the last tensor");
  refused("{\"a\":[]}", 0, "is not described");
  refused("[]", 0, "no object");
  refused(std::string(5000, '['), 0, "");
  std::ofstream(scratch / "h", std::ios::binary) << "abc";
  EXPECT_THROW(SafetensorsFile(scratch / "h"), DataError);
}

// Files of others have no checksum: every byte is looked at with care.
TEST(Safetensors, RandomBytesNeverCrash) {
  const Scratch scratch;
  const std::string header =
      "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]},\"b\":{\"dtype\":\"U8\",\"shape\":[3],"
      "\"data_offsets\":[16,19]}}";
  std::string whole;
  append_little(whole, uint64_t{header.size()});
  whole += header + std::string(19, 'x');
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string broken = whole;
    for (unsigned i = 0; i <= random() % 3; ++i)
      broken[random() % broken.size()] =
          static_cast<char>(random() % 2 == 0 ? random() : "0123456789[]{},:\""[random() % 17]);
    std::ofstream(scratch / "r", std::ios::binary) << broken;
    try {
      const SafetensorsFile file(scratch / "r");
      for (const auto& entry : file.entries()) file.read(entry);
    } catch (const DataError&) {
    }
  }
}

TEST(Hdf5, GroupsAttributesAndEveryDtypeComeBack) {
  Hdf5Writer writer("made in memory");
  writer.group("", {{"about", {"a text"}}, {"names", {"x", "longer"}, true}});
  writer.group("layers/dense/vars", {{"name", {"dense"}}});
  std::vector<Array> arrays;
  for (const DType dtype : kDTypes) {
    arrays.push_back(made(dtype, {2, 3}));
    writer.dataset(cat("layers/dense/vars/", arrays.size() - 1), arrays.back());
  }
  writer.dataset("scalar", made(f32, {}));
  writer.dataset("empty", made(f32, {0, 2}));
  EXPECT_THROW(writer.dataset("complex", made(c64, {1})), InvalidArgument);
  const Hdf5Reader reader(writer.bytes(), "made in memory");
  for (size_t i = 0; i < arrays.size(); ++i) expect_same(arrays[i], reader.read(cat("layers/dense/vars/", i)));
  EXPECT_EQ(reader.read("scalar").aval.shape, Shape());
  EXPECT_EQ(reader.read("empty").aval.shape, (Shape{0, 2}));
  EXPECT_EQ(reader.texts("", "about"), std::vector<std::string>{"a text"});
  EXPECT_EQ(reader.texts("", "names"), (std::vector<std::string>{"x", "longer"}));
  EXPECT_TRUE(reader.has_attribute("layers/dense/vars", "name"));
  EXPECT_FALSE(reader.has_attribute("layers/dense/vars", "none"));
  const auto names = reader.names("layers");
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(names[0], (std::pair<std::string, bool>{"dense", true}));
  EXPECT_THROW(reader.read("nothing"), DataError);
  EXPECT_THROW(reader.names("scalar"), DataError);
}

TEST(Hdf5, WhatIsNoSuchFileIsAnError) {
  EXPECT_THROW(Hdf5Reader("no bytes of HDF5", "x"), DataError);
  EXPECT_THROW(Hdf5Reader("/nowhere/x.h5"), FileNotFound);
}

}  // namespace
}  // namespace brio::formats
