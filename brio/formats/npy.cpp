#include "brio/formats/npy.h"

#include <algorithm>
#include <charconv>

#include "brio/formats/byte_order.h"

namespace brio::formats {

namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr size_t kNpyPrefix = 12;         // magic, version, the longest length
constexpr size_t kLongestHeader = 10000;  // NumPy's own limit
constexpr size_t kNpyAlignment = 64;
constexpr int kGrowth = 21;  // NumPy leaves room for this many digits, so that an array can grow in place

struct Code {
  std::string_view text;
  DType dtype;
};
constexpr Code kCodes[] = {{"f2", f16}, {"f4", f32},     {"f8", f64}, {"i1", i8},   {"i2", i16},
                           {"i4", i32}, {"i8", i64},     {"u1", u8},  {"u2", u16},  {"u4", u32},
                           {"u8", u64}, {"b1", boolean}, {"c8", c64}, {"c16", c128}};

// The header: a literal of Python's, a dict of three entries in any order.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const Origin& origin, uint64_t begin)
      : text_(text), origin_(origin), begin_(begin) {}

  struct Entries {
    std::string_view descr;
    bool fortran_order = false;
    std::vector<uint64_t> shape;
  };

  Entries parse() {
    Entries entries;
    unsigned seen = 0;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted_text();
      expect(':');
      const unsigned bit = key == "descr" ? 1U : key == "fortran_order" ? 2U : key == "shape" ? 4U : 0U;
      if (bit == 0 || (seen & bit) != 0) fail(cat("it has a key '", key, "' that no array has, or has it twice"));
      seen |= bit;
      if (bit == 1) entries.descr = descr();
      else if (bit == 2) entries.fortran_order = truth();
      else entries.shape = shape();
      if (!take(',') && !next_is('}')) fail("a comma is missing");
    }
    spaces();
    if (at_ != text_.size()) fail("something follows its end");
    if (seen != 7) fail("it lacks descr, fortran_order or shape");
    return entries;
  }

  [[noreturn]] void fail(std::string_view why) const {
    throw DataError(origin_, begin_ + at_, cat("the npy header cannot be read: ", why));
  }

 private:
  void spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool next_is(char c) {
    spaces();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(cat("'", std::string(1, c), "' is missing"));
  }
  bool take_word(std::string_view word) {
    spaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string_view quoted_text() {
    if (!next_is('\'') && !next_is('"')) fail("a quoted text is missing");
    const char quote = text_[at_++];
    const size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a quoted text does not end");
    const std::string_view text = text_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }
  std::string_view descr() {
    if (next_is('[')) fail("it is of a structured type, whose fields are of no use as an array of numbers");
    return quoted_text();
  }
  bool truth() {
    if (take_word("True")) return true;
    if (!take_word("False")) fail("fortran_order is neither True nor False");
    return false;
  }
  std::vector<uint64_t> shape() {
    std::vector<uint64_t> dims;
    expect('(');
    while (!take(')')) {
      spaces();
      uint64_t dim = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), dim);
      if (error != std::errc()) fail("a dimension is no number");
      at_ += static_cast<size_t>(end - begin);
      take('L');  // a long of Python 2
      dims.push_back(dim);
      if (!take(',') && !next_is(')')) fail("a comma is missing");
    }
    return dims;
  }

  std::string_view text_;
  const Origin& origin_;
  uint64_t begin_;
  size_t at_ = 0;
};

DType dtype_of_descr(std::string_view descr, const HeaderParser& parser, const NpyOptions& options) {
  const std::string_view code = descr.empty() ? descr : descr.substr(1);
  if (descr.find_first_of("<>|=") == 0) {
    for (const Code& known : kCodes)
      if (code == known.text) return known.dtype;
    if (code == "V2") {
      if (options.bfloat16) return bf16;
      parser.fail(
          cat("it is of type '", descr, "', two bytes of any meaning; set NpyOptions::bfloat16 if they are that"));
    }
    if (code.starts_with('O'))
      parser.fail("it holds pickled objects, which could run any program; they are never read");
  }
  parser.fail(cat("it is of type '", descr, "', which is no type of numbers that can be read"));
}

}  // namespace

size_t npy_header_bytes(std::string_view bytes, const Origin& origin) {
  if (!bytes.starts_with(kNpyMagic)) throw DataError(origin, 0, "not an npy file: it does not begin with \\x93NUMPY");
  if (bytes.size() < kNpyPrefix) throw DataError(origin, bytes.size(), "the npy file ends within its header");
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    throw DataError(origin, 6, cat("the npy file has version ", version, "; 1, 2 and 3 can be read"));
  const size_t length = version == 1 ? load_little<uint16_t>(&bytes[8]) : load_little<uint32_t>(&bytes[8]);
  if (length > kLongestHeader)
    throw DataError(origin, 8,
                    cat("the npy header claims ", length, " bytes; NumPy's have ", kLongestHeader, " at most"));
  return (version == 1 ? 10 : 12) + length;
}

ArrayFile::Layout npy_layout(std::string_view bytes, const Origin& origin, const NpyOptions& options) {
  const size_t all = npy_header_bytes(bytes, origin), prefix = bytes[6] == 1 ? 10 : 12;
  if (bytes.size() < all) throw DataError(origin, bytes.size(), "the npy file ends within its header");
  HeaderParser parser(bytes.substr(prefix, all - prefix), origin, prefix);
  const HeaderParser::Entries entries = parser.parse();
  ArrayFile::Layout layout;
  layout.aval.dtype = dtype_of_descr(entries.descr, parser, options);
  layout.aval.shape = shape_in_file(entries.shape, layout.aval.dtype, origin, prefix);
  layout.data_offset = all;
  layout.big_endian = entries.descr[0] == '>';
  layout.fortran_order = entries.fortran_order;
  return layout;
}

ArrayFile open_npy(const ReadAt& bytes, const NpyOptions& options) {
  std::string header(static_cast<size_t>(std::min<uint64_t>(kNpyPrefix, bytes.size())), '\0');
  bytes.read(0, header.data(), header.size());
  const size_t all = npy_header_bytes(header, bytes.origin());
  header.resize(static_cast<size_t>(std::min<uint64_t>(all, bytes.size())));
  bytes.read(0, header.data(), header.size());
  return {bytes, npy_layout(header, bytes.origin(), options), "npy"};
}

Array read_npy(const std::string& path, const NpyOptions& options) { return open_npy(ReadAt(path), options).read(); }

std::string npy_header(const Aval& aval) {
  std::string descr;
  for (const Code& code : kCodes)
    if (code.dtype == aval.dtype) descr = cat(size_of(aval.dtype) == 1 ? "|" : "<", code.text);
  if (aval.dtype == bf16) descr = "<V2";
  if (descr.empty())
    throw InvalidArgument(cat("[npy] an array of ", aval.dtype, " cannot be written; npy holds numbers"));
  const std::string shape = aval.shape.str();
  std::string text = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", shape, ", }");
  if (aval.shape.rank() > 0) text.append(kGrowth - std::to_string(aval.shape[0]).size(), ' ');
  const size_t length = (10 + text.size() + 1 + kNpyAlignment - 1) / kNpyAlignment * kNpyAlignment - 10;
  text.resize(length - 1, ' ');
  std::string header = cat(kNpyMagic, std::string_view("\x01\x00", 2));
  append_little(header, static_cast<uint16_t>(length));
  return header + text + "\n";
}

void write_npy(const std::string& path, const Array& array) {
  OutputFile file(path);
  file.write(npy_header(array.aval));
  file.write({array.as<const char>(), array.aval.bytes()});
  file.commit();
}

}  // namespace brio::formats
