// Strings: what tensors of them are, tf.strings beside TensorFlow, and what must be refused.
#include <gtest/gtest.h>

#include <brio/brio.h>

#include <filesystem>
#include <limits>
#include <sstream>

#include "brio/base/hashes.h"
#include "brio/tensor/strings.h"
#include "tests/nn/golden_values.h"

namespace brio {
namespace {

using golden::Case;
using golden::invalid;
using List = std::vector<std::string>;

// ---- beside TensorFlow

strings::Unit unit_of(const Case& c) {
  return c.text("unit") == "BYTE" ? strings::Unit::byte : strings::Unit::utf8_char;
}

Tensor input(const Case& c, size_t i) {
  const golden::Array& array = c.input(cat("x_", i));
  if (!c.has(cat("dtype_", i))) return string_tensor(array.texts, golden::shape_of(array));
  // Small numbers, and floats that are float32's.
  return cast(golden::tensor(array), dtype_from_name(c.text(cat("dtype_", i))));
}

std::vector<Tensor> flat(const strings::Ragged& ragged) { return {ragged.values, ragged.row_splits}; }

std::vector<int64_t> list_of(const Case& c, const std::string& name) {
  const auto& data = c.input(name).data;
  return {data.begin(), data.end()};
}

std::vector<Tensor> call(const Case& c) {
  const std::string f = c.text("function");
  const Tensor x = input(c, 0);
  std::vector<Tensor> all;
  for (size_t i = 0; c.inputs.contains(cat("x_", i)); ++i) all.push_back(input(c, i));
  const auto buckets = [&] { return static_cast<int64_t>(c.number("num_buckets")); };
  if (f == "lower") return {strings::lower(x)};
  if (f == "upper") return {strings::upper(x)};
  if (f == "strip") return {strings::strip(x)};
  if (f == "length") return {strings::length(x, unit_of(c))};
  if (f == "substr")
    return {
        strings::substr(x, static_cast<int64_t>(c.number("pos")), static_cast<int64_t>(c.number("len")), unit_of(c))};
  if (f == "substr_each") return {strings::substr(x, all[1], all[2])};
  if (f == "join") return {strings::join(all, c.text("separator"))};
  if (f == "reduce_join") {
    const auto& axes = c.input("x_1").data;
    return {strings::reduce_join(x, {.axis = std::vector<int>(axes.begin(), axes.end()),
                                     .keepdims = c.number("keepdims") != 0,
                                     .separator = c.text("separator")})};
  }
  if (f == "reduce_join_all") return {strings::reduce_join(x, {.separator = c.text("separator")})};
  if (f == "split") return flat(strings::split(x, c.text("sep"), static_cast<int64_t>(c.number("maxsplit"))));
  if (f == "bytes_split") return flat(strings::bytes_split(x));
  if (f == "unicode_split") return flat(strings::unicode_split(x));
  if (f == "ngrams") return flat(strings::ngrams(strings::split(x), list_of(c, "x_1"), c.text("separator")));
  if (f == "regex_replace")
    return {strings::regex_replace(x, c.text("pattern"), c.text("rewrite"), c.number("replace_global") != 0)};
  if (f == "regex_full_match") return {strings::regex_full_match(x, c.text("pattern"))};
  if (f == "to_number") return {strings::to_number(x, dtype_from_name(c.text("dtype")))};
  if (f == "to_number_bits") {  // exactly
    const Tensor y = strings::to_number(x, dtype_from_name(c.text("dtype")));
    const bool wide = y.dtype() == f64;
    return {Tensor::from(static_cast<const int32_t*>(y.array().data()), wide ? Shape{y.size(), 2} : y.shape())};
  }
  if (f == "as_string")
    return {strings::as_string(x, {.precision = static_cast<int>(c.number("precision", -1)),
                                   .scientific = c.number("scientific", 0) != 0,
                                   .shortest = c.number("shortest", 0) != 0,
                                   .width = static_cast<int>(c.number("width", -1)),
                                   .fill = c.has("fill") ? c.text("fill") : ""})};
  if (f == "equal") return {equal(x, all[1])};
  if (f == "not_equal") return {not_equal(x, all[1])};
  if (f == "to_hash_bucket_fast") return {strings::to_hash_bucket_fast(x, buckets())};
  if (f == "to_hash_bucket_strong")
    return {strings::to_hash_bucket_strong(
        x, buckets(), {static_cast<uint64_t>(c.number("key_0")), static_cast<uint64_t>(c.number("key_1"))})};
  if (f == "to_hash_bucket") return {strings::to_hash_bucket(x, buckets())};
  throw std::runtime_error("no function " + f);
}

TEST(Strings, AgreeWithTensorFlow) {
  size_t cases = 0;
  for (const char* part : {"texts", "pieces", "regexes", "numbers", "buckets"})
    for (const Case& c : golden::load(cat("strings_", part, ".json"))) {
      SCOPED_TRACE(c.name);
      ++cases;
      const std::vector<Tensor> results = call(c);
      ASSERT_EQ(results.size(), c.outputs.size());
      for (size_t i = 0; i < results.size(); ++i) {
        const golden::Array& expected = c.output(cat("y_", i));
        if (results[i].dtype() == DType::string) {
          EXPECT_EQ(results[i].shape(), golden::shape_of(expected));
          EXPECT_EQ(to_strings(results[i]), expected.texts);
          continue;
        }
        ASSERT_EQ(results[i].shape(), golden::shape_of(expected));
        EXPECT_EQ(cast(results[i], f64).to_vector<double>(), expected.data);
      }
    }
  EXPECT_GT(cases, 200u);
}

// ---- tensors of strings

TEST(Strings, TensorsHoldAnyBytes) {
  const std::string nul("a\0b", 3), large(1 << 20, 'x');
  const Tensor x = string_tensor(List{"", nul, large, "\xff\xfe", "last"});
  EXPECT_EQ(x.dtype(), DType::string);
  EXPECT_EQ(x.shape(), Shape({5}));
  EXPECT_EQ(to_strings(x), (List{"", nul, large, "\xff\xfe", "last"}));
  EXPECT_EQ(x.array().buffer->bytes(), 5 * 16 + 3 + large.size() + 2 + 4);
  EXPECT_EQ(to_strings(string_tensor("one")), List{"one"});
  EXPECT_EQ(string_tensor("one").rank(), 0);
  EXPECT_EQ(string_tensor({"a", "b", "c", "d"}, {2, 2}).shape(), Shape({2, 2}));
  EXPECT_EQ(string_tensor(List{}).shape(), Shape({0}));
  EXPECT_TRUE(to_strings(string_tensor(List{}, {0, 3})).empty());
}

TEST(Strings, PrintAsTensorFlow) {
  EXPECT_EQ(string_tensor("abc").str(), "tf.Tensor(b'abc', shape=(), dtype=string)");
  EXPECT_EQ(string_tensor({"a", "it's", "bcd"}).str(),
            "tf.Tensor([b'a' b\"it's\" b'bcd'], shape=(3,), dtype=string)");
  EXPECT_EQ(string_tensor({"a", "b\n\t\r\\", "'\"", "\x01\xff"}, {2, 2}).str(),
            "tf.Tensor(\n[[b'a' b'b\\n\\t\\r\\\\']\n [b'\\'\"' b'\\x01\\xff']], shape=(2, 2), dtype=string)");
  std::ostringstream out;
  print({"words:", string_tensor({"a", "b"})}, {.to = &out});
  flush();
  EXPECT_EQ(out.str(), "words: [\"a\" \"b\"]\n");
}

TEST(Strings, AreOnTheLedgerAndGoBack) {
  const auto bytes = [] {
    int64_t total = 0;
    for (const LedgerRow& row : memory_ledger())
      if (row.owner != Owner::cache) total += row.bytes;  // blocks that wait for the next tensor
    return total;
  };
  int64_t before = 0;
  for (int round = 0; round < 3; ++round) {
    flush();
    if (round < 2) before = bytes();  // the first makes a plan
    else EXPECT_EQ(bytes(), before);
    const Tensor x = string_tensor(List(1000, std::string(1000, 'x')));
    EXPECT_GE(bytes() - before, 1000 * 1000);
    const Tensor part = slice(x, {Range{3, 5}});
    EXPECT_EQ(part.array().buffer.get(), x.array().buffer.get());  // a view
  }
}

TEST(Strings, Move) {
  const Tensor x = string_tensor({"a", "b", "c", "d", "e", "f"}, {2, 3});
  EXPECT_EQ(to_strings(reshape(x, {3, 2})), (List{"a", "b", "c", "d", "e", "f"}));
  EXPECT_EQ(expand_dims(x, 1).shape(), Shape({2, 1, 3}));
  EXPECT_EQ(squeeze(expand_dims(x, 1)).shape(), Shape({2, 3}));
  EXPECT_EQ(to_strings(transpose(x)), (List{"a", "d", "b", "e", "c", "f"}));
  EXPECT_EQ(to_strings(slice(x, {Range{1, 2}})), (List{"d", "e", "f"}));
  EXPECT_EQ(to_strings(slice(slice(x, {Range{1, 2}}), {Range{}, Range{1, 3}})),
            (List{"e", "f"}));  // a view of a view
  EXPECT_EQ(to_strings(slice(x, {Range{}, Range{0, 3, 2}})), (List{"a", "c", "d", "f"}));
  EXPECT_EQ(to_strings(reverse(x, {1})), (List{"c", "b", "a", "f", "e", "d"}));
  EXPECT_EQ(to_strings(roll(x, {1}, {1})), (List{"c", "a", "b", "f", "d", "e"}));
  EXPECT_EQ(to_strings(gather(x, Tensor({1, 0, 1}, i32), 1)), (List{"b", "a", "b", "e", "d", "e"}));
  EXPECT_EQ(to_strings(gather_nd(x, Tensor({{1, 2}, {0, 0}}, i32))), (List{"f", "a"}));
  EXPECT_EQ(to_strings(concat({x, string_tensor({"g", "h", "i"}, {1, 3})}, 0)),
            (List{"a", "b", "c", "d", "e", "f", "g", "h", "i"}));
  EXPECT_EQ(to_strings(stack({string_tensor({"a", "b"}), string_tensor({"c", "d"})}, 1)), (List{"a", "c", "b", "d"}));
  EXPECT_EQ(to_strings(unstack(x, 0)[1]), (List{"d", "e", "f"}));
  EXPECT_EQ(to_strings(tile(string_tensor({"a", "b"}), {2})), (List{"a", "b", "a", "b"}));
  EXPECT_EQ(to_strings(broadcast_to(string_tensor("z"), {3})), (List{"z", "z", "z"}));
  EXPECT_EQ(to_strings(boolean_mask(string_tensor({"a", "b", "c"}), Tensor({true, false, true}, boolean))),
            (List{"a", "c"}));
  EXPECT_EQ(to_strings(select(Tensor({true, false}, boolean), string_tensor({"a", "b"}), string_tensor("no"))),
            (List{"a", "no"}));
  EXPECT_EQ(to_strings(identity(x)), to_strings(x));
  EXPECT_TRUE(to_strings(gather(x, Tensor::from(std::vector<int32_t>{}, {0}), 0)).empty());
  const Unique found = unique(string_tensor({"b", "a", "b", ""}));
  EXPECT_EQ(to_strings(found.values), (List{"b", "a", ""}));
  EXPECT_EQ(found.indices.to_vector<int32_t>(), (std::vector<int32_t>{0, 1, 0, 2}));
  EXPECT_EQ(found.counts.to_vector<int32_t>(), (std::vector<int32_t>{2, 1, 1}));
  // A view outlives what it was taken from.
  Tensor part;
  {
    const Tensor whole = string_tensor({"first", "second", "third"});
    part = slice(whole, {Range{1, 3}});
  }
  EXPECT_EQ(to_strings(part), (List{"second", "third"}));
}

TEST(Strings, ListsBecomeTensors) {
  const strings::Ragged words = strings::split(string_tensor({"a b", "", "c d e", "f"}, {2, 2}));
  EXPECT_EQ(words.longest(), 3);
  const Tensor padded = words.to_tensor("-");
  EXPECT_EQ(padded.shape(), Shape({2, 2, 3}));
  EXPECT_EQ(to_strings(padded), (List{"a", "b", "-", "-", "-", "-", "c", "d", "e", "f", "-", "-"}));
  EXPECT_EQ(to_strings(words.to_tensor("", 1)), (List{"a", "", "c", "f"}));
  EXPECT_EQ(words.to_tensor("", 0).shape(), Shape({2, 2, 0}));
  EXPECT_EQ(strings::split(string_tensor(List{})).to_tensor().shape(), Shape({0, 0}));
  EXPECT_SAYS(invalid([&] { words.to_tensor("", -1); }), "the length is -1");
}

// ---- inside functions

TEST(Strings, NumbersOfStringsWorkInFunctions) {
  const auto f = function([](const Tensor& x, const Tensor& y) {
    return strings::to_number(x) * 2.0f + cast(strings::length(y), f32) + cast(equal(x, y), f32);
  });
  EXPECT_EQ(f(string_tensor({"1", "2.5"}), string_tensor({"a", "2.5"})).to_vector<float>(),
            (std::vector<float>{3, 9}));
  EXPECT_EQ(f(string_tensor({"7", "8"}), string_tensor({"", "8"})).to_vector<float>(), (std::vector<float>{14, 18}));
  EXPECT_EQ(f.traces(), 1u);
  // A view, whose elements do not begin where the buffer does.
  const Tensor rows = string_tensor({"1", "2", "30", "40"}, {2, 2});
  const auto g = function([](const Tensor& x) { return strings::to_number(x, i64); });
  EXPECT_EQ(g(unstack(rows, 0)[1]).to_vector<int64_t>(), (std::vector<int64_t>{30, 40}));
  // A captured one, and one that is handed back.
  const Tensor captured = string_tensor({"x", "yy"});
  const auto h = function([&](const Tensor& x) {
    return std::vector<Tensor>{strings::length(captured) + x, captured};
  });
  const std::vector<Tensor> back = h(Tensor({1, 1}, i32));
  EXPECT_EQ(back[0].to_vector<int32_t>(), (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(to_strings(back[1]), (List{"x", "yy"}));
  const auto same = function([](const Tensor& x) { return x; });
  EXPECT_EQ(to_strings(same(captured)), (List{"x", "yy"}));
}

TEST(Strings, MixWithNumbersEagerly) {
  const Tensor n = Tensor({2, 0}, i32);
  const Tensor at = n - 1;  // pending: its value is computed when the strings are
  EXPECT_EQ(to_strings(gather(string_tensor({"a", "b", "c"}), maximum(at, 0))), (List{"b", "a"}));
  EXPECT_EQ(to_strings(strings::as_string(n * 3)), (List{"6", "0"}));
  std::vector<int64_t> numbers;
  for (int i = 1; i < 70; ++i)  // other sizes make other plans
    numbers.push_back(strings::length(string_tensor(List(static_cast<size_t>(i), "ab"))).to_vector<int32_t>().back());
  EXPECT_EQ(numbers, std::vector<int64_t>(69, 2));
}

TEST(Strings, HostFunctionsReadThem) {
  const HostFunction longest([](const std::vector<Array>& in) {
    Array out = Array::allocate({{}, i64});
    *out.as<int64_t>() = 0;
    for (int64_t i = 0; i < in[0].aval.shape.elements(); ++i)
      *out.as<int64_t>() = std::max(*out.as<int64_t>(), static_cast<int64_t>(string_at(in[0], i).size()));
    return std::vector{out};
  });
  EXPECT_EQ(host_call(longest, {string_tensor({"a", "four", "bb"})}, {{{}, i64}})[0].item<int64_t>(), 4);
  EXPECT_SAYS(invalid([&] {
                host_call(longest, {string_tensor("a")}, {{{}, DType::string}});
              }),
              "gives numbers only");
}

TEST(Strings, ThreadsDoNotMatter) {
  List many;
  for (int i = 0; i < 20000; ++i) many.push_back(std::to_string(i * 7919));
  const Tensor x = string_tensor(many);
  const auto numbers = strings::to_number(x, i64).to_vector<int64_t>();
  for (size_t i = 0; i < many.size(); ++i) ASSERT_EQ(numbers[i], static_cast<int64_t>(i) * 7919);
  // Of several that fail, the first is named.
  many[15000] = "bad 15000";
  many[3] = "bad 3";
  EXPECT_SAYS(invalid([&] { strings::to_number(string_tensor(many)).array(); }), "b'bad 3' is no float32");
}

TEST(Strings, NumbersPastTheRange) {
  const auto f = strings::to_number(string_tensor({"inf", "-INF", "Infinity", "1e39", "-1e400", "nan", "-1e-400"}));
  const std::vector<float> values = f.to_vector<float>();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(std::vector<float>(values.begin(), values.begin() + 5),
            (std::vector<float>{kInf, -kInf, kInf, kInf, -kInf}));
  EXPECT_TRUE(std::isnan(values[5]));
  EXPECT_EQ(values[6], 0);
  EXPECT_EQ(
      strings::to_number(string_tensor({"9223372036854775807", "-9223372036854775808"}), i64).to_vector<int64_t>(),
      (std::vector<int64_t>{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()}));
  EXPECT_EQ(to_strings(strings::as_string(Tensor({-kInf, NAN}), {.width = 5, .fill = "0"})),
            (List{" -inf", "  nan"}));
}

TEST(Strings, HashesAreThePublishedOnes) {
  std::string bytes;  // SipHash's own test: key 0 … 15, text 0 … 14
  for (char i = 0; i < 15; ++i) bytes += i;
  EXPECT_EQ(sip_hash(bytes, {0x0706050403020100, 0x0f0e0d0c0b0a0908}), 0xa129ca6149be45e5u);
  EXPECT_EQ(fingerprint64(""), 0x9ae16a3b2f90404fu);
}

// ---- hostile input

TEST(Strings, PatternsTakeTimeInProportion) {
  const Tensor long_text = string_tensor(std::string(1 << 20, 'a') + "!");
  EXPECT_FALSE(strings::regex_full_match(long_text, "(a+)+").item<bool>());
  EXPECT_FALSE(strings::regex_full_match(long_text, "(a|aa)*b").item<bool>());
  EXPECT_EQ(to_strings(strings::regex_replace(long_text, "(a*)*!", "x")), List{"x"});
  EXPECT_SAYS(invalid([&] { strings::regex_replace(long_text, "((a{100}){100}){100}", ""); }), "is invalid");
  EXPECT_EQ(strings::length(long_text, strings::Unit::utf8_char).item<int32_t>(), (1 << 20) + 1);
  EXPECT_EQ(strings::unicode_split(long_text).longest(), (1 << 20) + 1);
  const std::string deep(100000, '(');
  EXPECT_SAYS(invalid([&] { strings::regex_full_match(long_text, deep); }), "is invalid");
}

TEST(Strings, RefuseWhatIsNotText) {
  const Tensor x = string_tensor({"a", "b"}), n({1, 2}, i32);
  const std::vector<std::pair<std::function<void()>, std::string>> calls = {
      {[&] { strings::lower(n); }, "[strings.lower] takes strings, but input 0 is int32"},
      {[&] { strings::lower(Tensor()); }, "[strings.lower] input 0 is none"},
      {[&] { strings::join({}); }, "nothing to join"},
      {[&] {
         strings::join({x, n});
       },
       "input 1 is int32"},
      {[&] {
         strings::join({x, string_tensor({"a", "b", "c"})});
       },
       "shapes must be equal"},
      {[&] { strings::reduce_join(x, {.axis = std::vector{1}}); }, "axis 1 is out of range"},
      {[&] {
         strings::reduce_join(x, {.axis = std::vector{0, -1}});
       },
       "axis 0 is given 2 times"},
      {[&] { strings::substr(x, 2, 1); }, "position 2 lies outside of the string b'a' at index 0"},
      {[&] { strings::substr(x, -2, 1, strings::Unit::utf8_char); }, "position -2 lies outside"},
      {[&] { strings::substr(x, Tensor({1.5f}), n); }, "are integers, but got float32"},
      {[&] {
         strings::substr(x, Tensor({0, 0, 0}, i32), Tensor({0, 0, 0}, i32));
       },
       "do not broadcast"},
      {[&] { strings::substr(x, Tensor(), n); }, "input 1 is none"},
      {[&] { strings::regex_replace(x, "(", ""); }, "the pattern b'(' is invalid: missing )"},
      {[&] { strings::regex_replace(x, "a", "\\1"); }, "the rewrite b'\\\\1' does not go with the pattern"},
      {[&] { strings::regex_full_match(x, "*"); }, "is invalid"},
      {[&] { strings::ngrams(strings::split(x), {}); }, "there are no widths"},
      {[&] { strings::ngrams(strings::split(x), {0}); }, "a width is 0"},
      {[&] { strings::to_number(x, f16); }, "not float16"},
      {[&] { strings::to_hash_bucket_fast(x, 0); }, "num_buckets is 0"},
      {[&] { strings::to_hash_bucket(x, -1); }, "num_buckets is -1"},
      {[&] { strings::to_hash_bucket_strong(x, 5, {1}); }, "the key has 1 numbers"},
      {[&] { strings::as_string(x); }, "takes numbers, but got string"},
      {[&] { strings::as_string(n, {.precision = 2}); }, "are for floats, but the tensor is int32"},
      {[&] { strings::as_string(n, {.width = 100000}); }, "the most is 1000"},
      {[&] { strings::as_string(n, {.fill = "%n"}); }, "fill is '%n'"},
      {[&] { strings::as_string(Tensor({1.0f}), {.scientific = true, .shortest = true}); }, "exclude each other"},
      {[&] {
         strings::equal(x, string_tensor({"a", "b", "c"}));
       },
       "do not broadcast"},
      {[&] { equal(x, n); }, "takes no string tensors"},
      {[&] { equal(x, 1); }, "1 cannot become string: it is a number"},
      {[&] { x + x; }, "[add] takes no string tensors; turn them into numbers first"},
      {[&] { sum(x); }, "takes no string tensors"},
      {[&] { cast(x, f32); }, "[cast] takes no string tensors"},
      {[&] {
         concat({x, cast(n, f32)}, 0);
       },
       "cast one of them"},
      {[&] { Variable v(x); }, "strings cannot be variables"},
      {[&] { to_strings(n); }, "[to_strings] takes strings"},
      {[&] { zeros({2}, DType::string); }, "cannot become string"},
      {[&] { Tensor({1}, DType::string); }, "cannot become string"},
      {[&] { string_tensor({"a"}, {2}); }, "1 values cannot fill shape (2,)"},
      {[&] { gather(x, Tensor({5}, i32)); }, "5"},
      {[&] {
         cond(
             Tensor(true, boolean), [&] { return x; }, [&] { return x; });
       },
       "string"},
      {[&] {
         Tensor::from_bytes("1234567890123456", {{1}, DType::string});
       },
       "make the tensor with string_tensor()"},
  };
  for (size_t i = 0; i < calls.size(); ++i)
    EXPECT_PRED2(golden::contains, invalid(calls[i].first), calls[i].second) << "call " << i;
  for (const char* text : {"", " ", "1e", ".", "+", "-", "--1", "+-1", "1 2", "1_0", "0x", "1f", "- 1"})
    EXPECT_SAYS(invalid([&] { strings::to_number(string_tensor(text)).array(); }), "[strings.to_number]") << text;
  for (const char* text : {"1.0", "2147483648", "-2147483649", "0x10", "+-1"})
    EXPECT_SAYS(invalid([&] { strings::to_number(string_tensor(text), i32).array(); }), "is no int32") << text;
  // Elements that point outside of their buffer make no tensor.
  for (const StringElement bad : {StringElement{16, 1},
                                  {-1, 1},
                                  {0, 17},
                                  {0, ~uint64_t{0}},
                                  {std::numeric_limits<int64_t>::max(), 1},
                                  {std::numeric_limits<int64_t>::min(), 1}}) {
    Array array = Array::allocate({{1}, DType::string});
    *array.as<StringElement>() = bad;
    EXPECT_SAYS(invalid([&] { Tensor t(array); }), "holds no strings");
  }
}

TEST(Strings, WhatGivesStringsRefusesInATrace) {
  const auto refused = [](auto f) {
    const auto traced = function([f](const Tensor& x) { return strings::length(f(x)); });
    return invalid([&] { traced(string_tensor({"a", "b"})); });
  };
  EXPECT_SAYS(refused([](const Tensor& x) { return strings::lower(x); }), "[strings.lower] gives strings");
  EXPECT_SAYS(refused([](const Tensor& x) { return strings::regex_replace(x, "a", ""); }), "call it outside");
  EXPECT_SAYS(refused([](const Tensor& x) { return reshape(x, {2, 1}); }), "[reshape] gives strings");
  EXPECT_SAYS(refused([](const Tensor& x) { return strings::as_string(strings::length(x)); }), "gives strings");
  // What is known when the function is traced is as good as outside.
  const Tensor known = string_tensor({"A", "BB"});
  const auto f = function([&](const Tensor& x) { return x + strings::length(reshape(strings::lower(known), {2})); });
  EXPECT_EQ(f(Tensor({1, 1}, i32)).to_vector<int32_t>(), (std::vector<int32_t>{2, 3}));
  // Nor does the text of a graph make them.
  EXPECT_SAYS(
      invalid([] { Graph::parse("(%0: str[2]) {\n  %1 = reshape %0 {shape=[2,1]} : str[2,1]\n  return %1\n}"); }),
      "gives strings");
}

}  // namespace
}  // namespace brio
