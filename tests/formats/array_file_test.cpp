// .npy and IDX files: arrays that lie in a file, read whole and by rows.
#include "brio/formats/array_file.h"

#include <gtest/gtest.h>

#include "brio/formats/idx.h"
#include "brio/formats/npy.h"
#include "tests/formats/picture_golden.h"
#include "tests/formats/scratch.h"

namespace brio::formats {
namespace {

std::vector<double> numbers(const Array& array) {
  const auto count = static_cast<size_t>(array.aval.shape.elements());
  std::vector<double> values;
  const auto add = [&](auto one, size_t n) {
    for (size_t i = 0; i < n; ++i) values.push_back(static_cast<double>(array.as<decltype(one)>()[i]));
  };
  if (array.aval.dtype == c64) add(float{}, 2 * count);
  else if (array.aval.dtype == c128) add(double{}, 2 * count);
  else visit(array.aval.dtype, [&](auto one) { add(one, count); });
  return values;
}

TEST(Npy, ReadsWhatNumPyWrites) {
  const Scratch scratch;
  size_t written = 0;
  for (const golden::Case& c : golden::load("files_npy.json")) {
    SCOPED_TRACE(c.name);
    const std::string file = from_hex(c.text("file"));
    const ArrayFile npy = open_npy(ReadAt(file, {"a.npy"}));
    const Array array = npy.read();
    EXPECT_EQ(info(array.aval.dtype).name, c.text("dtype"));
    std::vector<int64_t> shape = c.output("value").shape;
    if (is_complex(array.aval.dtype)) shape.pop_back();
    EXPECT_EQ(array.aval.shape, Shape(std::span<const int64_t>(shape)));
    EXPECT_EQ(numbers(array), c.output("value").data);
    // Rows by position are those of the whole.
    for (int64_t first = 0; first < npy.rows(); ++first) {
      const auto count = std::min<int64_t>(2, npy.rows() - first);
      std::vector<char> rows(static_cast<size_t>(count) * npy.row_bytes());
      npy.read_rows(first, count, rows.data());
      if (!rows.empty()) {
        EXPECT_EQ(0, std::memcmp(rows.data(), array.as<char>() + static_cast<size_t>(first) * npy.row_bytes(),
                                 rows.size()));
      }
    }
    if (c.number("as_written") == 0) continue;
    write_npy(scratch / "w.npy", array);
    EXPECT_EQ(read_file(scratch / "w.npy"), file);
    EXPECT_EQ(npy.as_in_memory(), array.aval.dtype != boolean);
    EXPECT_EQ(read_npy(scratch / "w.npy").aval, array.aval);
    ++written;
  }
  EXPECT_GT(written, 30U);
}

std::string npy(const std::string& header, const std::string& data = "", char version = 1) {
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  const auto length = static_cast<uint32_t>(header.size());
  bytes.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return bytes + header + data;
}

std::string npy_refusal(const std::string& bytes, const NpyOptions& options = {}) {
  try {
    open_npy(ReadAt(bytes, {"a.npy"}), options).read();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Npy, SaysWhatItCannotRead) {
  const std::string begin = "{'descr': '<f4', 'fortran_order': False, 'shape': (", end = "), }\n";
  EXPECT_EQ(npy_refusal(npy(begin + "1," + end, "1234")), "no error");
  EXPECT_EQ(npy_refusal(npy("{\"shape\":(1L,),\"fortran_order\":True,\"descr\":\"<f4\"}", "1234")), "no error");
  EXPECT_EQ(npy_refusal("PK"), "a.npy: at byte 0: not an npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(npy_refusal(std::string("\x93NUMPY\x01", 7)), "a.npy: at byte 7: the npy file ends within its header");
  EXPECT_EQ(npy_refusal(npy(begin, "", 4)), "a.npy: at byte 6: the npy file has version 4; 1, 2 and 3 can be read");
  EXPECT_EQ(npy_refusal(npy(begin).substr(0, 30)), "a.npy: at byte 30: the npy file ends within its header");
  EXPECT_EQ(npy_refusal(npy(std::string(20000, ' '))),
            "a.npy: at byte 8: the npy header claims 20000 bytes; NumPy's have 10000 at most");
  const auto header = [](const std::string& text) {
    const std::string why = npy_refusal(npy(text));
    const std::string start = "the npy header cannot be read: ";
    return why.substr(std::min(why.find(start) + start.size(), why.size()));
  };
  EXPECT_EQ(header("1234567"), "'{' is missing");
  EXPECT_EQ(header("{descr}"), "a quoted text is missing");
  EXPECT_EQ(header("{'descr}"), "a quoted text does not end");
  EXPECT_EQ(header("{'descr' '<f4'}"), "':' is missing");
  EXPECT_EQ(header("{'x': 1}"), "it has a key 'x' that no array has, or has it twice");
  EXPECT_EQ(header("{'descr': '<f4', 'descr': '<f4'}"), "it has a key 'descr' that no array has, or has it twice");
  EXPECT_EQ(header("{'descr': '<f4' 'shape': ()}"), "a comma is missing");
  EXPECT_EQ(header("{'descr': '<f4', 'shape': ()}"), "it lacks descr, fortran_order or shape");
  EXPECT_EQ(header(begin + end + "x"), "something follows its end");
  EXPECT_EQ(header(begin + "1 2" + end), "a comma is missing");
  EXPECT_EQ(header(begin + "-1," + end), "a dimension is no number");
  EXPECT_EQ(header(begin + "99999999999999999999," + end), "a dimension is no number");
  EXPECT_EQ(header("{'fortran_order': 1}"), "fortran_order is neither True nor False");
  EXPECT_EQ(header("{'descr': [('x', '<f4')]}"),
            "it is of a structured type, whose fields are of no use as an array of numbers");
  const auto type = [&](const std::string& descr) {
    return header("{'descr': '" + descr + "', 'fortran_order': False, 'shape': ()}");
  };
  EXPECT_EQ(type("|O"), "it holds pickled objects, which could run any program; they are never read");
  EXPECT_EQ(type("<U5"), "it is of type '<U5', which is no type of numbers that can be read");
  EXPECT_EQ(type("f4"), "it is of type 'f4', which is no type of numbers that can be read");
  EXPECT_EQ(type(""), "it is of type '', which is no type of numbers that can be read");
  EXPECT_EQ(type("|V2"), "it is of type '|V2', two bytes of any meaning; set NpyOptions::bfloat16 if they are that");
  EXPECT_EQ(npy_refusal(npy("{'descr': '|V2', 'fortran_order': False, 'shape': ()}", "ab"), {.bfloat16 = true}),
            "no error");
  EXPECT_EQ(npy_refusal(npy(begin + "1,1,1,1,1,1,1,1,1" + end)),
            "a.npy: at byte 10: the array has 9 dimensions; there can be 8 at most");
  for (const char* shape : {"9223372036854775807,", "4294967296,4294967296,0", "18446744073709551615,"})
    EXPECT_EQ(npy_refusal(npy(begin + shape + end)),
              "a.npy: at byte 10: the array's dimensions claim more elements than can be counted");
  EXPECT_NE(npy_refusal(npy(begin + "1000000000," + end, "1234"))
                .find("has 4000000000 bytes, but 4 follow its header; the file is "
                      "truncated"),
            std::string::npos);
  EXPECT_NE(npy_refusal(npy(begin + "1," + end, "12345")).find("what follows belongs to no array"),
            std::string::npos);
}

TEST(Npy, RowsAndTypesThatAreNotThere) {
  const std::string file =
      npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", std::string("\x00\x02\xff", 3));
  const ArrayFile array = open_npy(ReadAt(file, {"a.npy"}));
  EXPECT_EQ(numbers(array.read()), (std::vector<double>{0, 1, 1}));
  char to[8];
  for (const auto& [first, count] : {std::pair{-1, 1}, {0, 4}, {4, 0}, {1, -1}})
    EXPECT_THROW(array.read_rows(first, count, to), InvalidArgument);
  EXPECT_THROW(npy_header({{1}, DType::string}), InvalidArgument);
  EXPECT_EQ(npy_header({{1}, bf16}).find("'<V2'"), 20U);
  const std::string b = npy("{'descr': '<V2', 'fortran_order': False, 'shape': ()}", std::string("\xc0\x3f", 2));
  EXPECT_EQ(numbers(open_npy(ReadAt(b, {}), {.bfloat16 = true}).read()), std::vector<double>{1.5});
}

std::string idx(unsigned char type, const std::vector<uint32_t>& dims, const std::string& data) {
  std::string bytes = {0, 0, static_cast<char>(type), static_cast<char>(dims.size())};
  for (const uint32_t d : dims)
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(d >> shift);
  return bytes + data;
}

TEST(Idx, EveryType) {
  const auto read = [](const std::string& bytes) { return numbers(open_idx(ReadAt(bytes, {})).read()); };
  EXPECT_EQ(read(idx(0x08, {2}, "\x01\xff")), (std::vector<double>{1, 255}));
  EXPECT_EQ(read(idx(0x09, {2}, "\x01\xff")), (std::vector<double>{1, -1}));
  EXPECT_EQ(read(idx(0x0b, {1}, "\x01\x02")), (std::vector<double>{258}));
  EXPECT_EQ(read(idx(0x0c, {1, 1}, std::string("\x00\x01\x02\x03", 4))), (std::vector<double>{66051}));
  EXPECT_EQ(read(idx(0x0d, {1}, std::string("\x3f\x80\x00\x00", 4))), (std::vector<double>{1}));
  EXPECT_EQ(read(idx(0x0e, {1}, std::string("\x3f\xf0\0\0\0\0\0\0", 8))), (std::vector<double>{1}));
  EXPECT_EQ(read(idx(0x08, {}, "\x07")), (std::vector<double>{7}));
  EXPECT_TRUE(open_idx(ReadAt(std::string_view("\0\0\x08\x01\0\0\0\0", 8), {})).as_in_memory());
}

TEST(Idx, SaysWhatIsBroken) {
  const auto refused = [](const std::string& bytes) -> std::string {
    try {
      open_idx(ReadAt(bytes, {"a.idx"}));
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(refused(""), "a.idx: at byte 0: the IDX file ends within its header");
  EXPECT_EQ(refused("abcd"), "a.idx: at byte 0: not an IDX file: it does not begin with two bytes of 0");
  EXPECT_EQ(refused(idx(0x08, {3, 4}, "").substr(0, 9)), "a.idx: at byte 9: the IDX file ends within its header");
  EXPECT_EQ(refused(idx(0x07, {1}, "a")), "a.idx: at byte 2: the IDX file has elements of type 7, which is none");
  EXPECT_EQ(refused(idx(0x08, {3}, "ab")),
            "a.idx: at byte 8: the IDX array uint8(3,) has 3 bytes, but 2 follow its header; the file is truncated");
  EXPECT_NE(refused(idx(0x0e, {~0U, ~0U, ~0U}, "")).find("more elements than can be counted"), std::string::npos);
  EXPECT_NE(refused(idx(0x08, std::vector<uint32_t>(9, 1), "a")).find("9 dimensions"), std::string::npos);
}

TEST(Idx, ReadsMnist) {
  if (!std::filesystem::exists(data_path("mnist"))) GTEST_SKIP() << data_path("mnist") << " is not there";
  const ArrayFile images = open_idx(data_path("mnist/t10k-images-idx3-ubyte.gz"));
  const ArrayFile labels = open_idx(data_path("mnist/t10k-labels-idx1-ubyte.gz"));
  EXPECT_EQ(images.aval(), (Aval{{10000, 28, 28}, u8}));
  const Array all = labels.read();
  const std::vector<double> known = {7, 2, 1, 0, 4, 1, 4, 9, 5, 9};  // the first ones of the test set
  for (size_t i = 0; i < known.size(); ++i) EXPECT_EQ(all.as<uint8_t>()[i], known[i]);
  // The same from a plain file.
  const Scratch scratch;
  const Array pixels = images.read();
  write_file(scratch / "plain", idx(0x08, {10000, 28, 28}, {pixels.as<const char>(), pixels.aval.bytes()}));
  const ArrayFile plain = open_idx(scratch / "plain");
  uint8_t one[784];
  plain.read_rows(1234, 1, one);
  EXPECT_EQ(0, std::memcmp(one, pixels.as<uint8_t>() + 1234 * 784, 784));
}

}  // namespace
}  // namespace brio::formats
