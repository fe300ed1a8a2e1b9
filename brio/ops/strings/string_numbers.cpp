// Numbers from strings, which are recorded as code of the host, and back.
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>

#include "brio/base/hashes.h"
#include "brio/base/utf8.h"
#include "brio/ops/shapes/shape_ops.h"
#include "brio/ops/strings/string_parts.h"
#include "brio/ops/strings/strings.h"

namespace brio::strings {
namespace {

// f(text) for every string; `name` says all that f depends on.
template <typename T, typename F>
Tensor numbers(std::string_view function, std::string name, const Tensor& x, F f) {
  text(function, x);
  auto run = [f](const HostRun& r) {
    T* out = static_cast<T*>(r.out[0]);
    for_each_element(r.out_avals[0].shape.elements(), [&](int64_t i) { out[i] = f(string_at(r.in[0], i)); });
  };
  return host_compute(std::make_shared<const HostCode>(HostCode{std::move(name), std::move(run), true}), {x},
                      {x.shape(), dtype_of<T>});
}

// ---- numbers in text

bool read(std::string_view s, int64_t& value) {
  if (s.starts_with('+')) {
    s.remove_prefix(1);
    if (s.starts_with('-')) return false;
  }
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  return error == std::errc() && end == s.data() + s.size() && !s.empty();
}
bool read(std::string_view s, int32_t& value) {
  int64_t wide = 0;
  if (!read(s, wide) || !std::in_range<int32_t>(wide)) return false;
  value = static_cast<int32_t>(wide);
  return true;
}

// Past the range: infinity or 0, which from_chars does not tell apart.
template <typename T>
T out_of_range(std::string_view s) {
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::string copy(s);
  if constexpr (sizeof(T) == 4) return strtof_l(copy.c_str(), nullptr, c_locale);
  else return strtod_l(copy.c_str(), nullptr, c_locale);
}

template <std::floating_point T>
bool read(std::string_view s, T& value) {
  const std::string_view whole = s;
  const bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  const bool hex = s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
  if (hex) s.remove_prefix(2);
  if (s.empty() || s[0] == '-' || s[0] == '+') return false;
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, format);
  if (end != s.data() + s.size() || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) value = out_of_range<T>(whole);
  else if (negative) value = -value;
  return true;
}

template <typename T>
Tensor numbers_in(const Tensor& x) {
  return numbers<T>("strings.to_number", cat("strings.to_number ", dtype_of<T>), x, [](std::string_view s) {
    T value{};
    if (!read(stripped(s), value))
      throw_invalid("strings.to_number", cat(quoted(s), " is no ", dtype_of<T>, "; clean the text first"));
    return value;
  });
}

// ---- numbers as text

// printf's rules for a number that is written.
void pad_to_width(std::string& number, const AsStringOptions& o, bool finite) {
  if (o.fill == "+" && !number.starts_with('-')) number.insert(number.begin(), '+');
  if (o.fill == " " && !number.starts_with('-')) number.insert(number.begin(), ' ');
  const auto width = static_cast<size_t>(std::max(o.width, 0));
  if (number.size() >= width) return;
  const size_t missing = width - number.size();
  if (o.fill == "-") number.append(missing, ' ');
  else if (o.fill == "0" && finite) number.insert(number.starts_with('-') ? 1 : 0, missing, '0');
  else number.insert(0, missing, ' ');
}

template <typename T>
std::string number_text(T value, const AsStringOptions& o) {
  char digits[1500];  // the longest float has 309 before the point; precision is limited
  std::to_chars_result end{};
  bool finite = true;
  if constexpr (std::is_integral_v<T>) {
    end = std::to_chars(digits, digits + sizeof digits, value);
  } else {
    const auto wide = static_cast<double>(value);
    finite = std::isfinite(wide);
    const auto format = o.shortest     ? std::chars_format::general
                        : o.scientific ? std::chars_format::scientific
                                       : std::chars_format::fixed;
    end = std::to_chars(digits, digits + sizeof digits, wide, format, o.precision < 0 ? 6 : o.precision);
  }
  std::string number(digits, end.ptr);
  pad_to_width(number, o, finite);
  return number;
}

// ---- buckets

template <typename Hash>
Tensor buckets(std::string_view function, std::string_view name, const Tensor& x, int64_t n, Hash hash) {
  if (n < 1) throw_invalid(function, cat("num_buckets is ", n, "; give 1 or more"));
  return numbers<int64_t>(function, cat(name, " ", n), x, [n, hash](std::string_view s) {
    return static_cast<int64_t>(hash(s) % static_cast<uint64_t>(n));
  });
}

}  // namespace

Tensor length(const Tensor& x, Unit unit) {
  if (unit == Unit::byte)
    return numbers<int32_t>("strings.length", "strings.length", x,
                            [](std::string_view s) { return static_cast<int32_t>(s.size()); });
  return numbers<int32_t>("strings.length", "strings.length utf8", x, [](std::string_view s) {
    int32_t n = 0;
    for (const char c : s) n += !continues_character(c);
    return n;
  });
}

Tensor to_number(const Tensor& x, DType dtype) {
  switch (dtype) {
    case f32: return numbers_in<float>(x);
    case f64: return numbers_in<double>(x);
    case i32: return numbers_in<int32_t>(x);
    case i64: return numbers_in<int64_t>(x);
    default:
      throw_invalid("strings.to_number", cat("gives float32, float64, int32 or int64, not ", dtype, "; cast it"));
  }
}

Tensor as_string(const Tensor& x, const AsStringOptions& o) {
  const std::string_view self = "strings.as_string";
  constexpr int kMost = 1000;
  const DType dtype = required(self, x).dtype();
  if (!is_real(dtype)) throw_invalid(self, cat("takes numbers, but got ", dtype));
  if (o.scientific && o.shortest) throw_invalid(self, "scientific and shortest exclude each other; choose one");
  if (!is_floating(dtype) && (o.scientific || o.shortest || o.precision >= 0))
    throw_invalid(self, cat("precision, scientific and shortest are for floats, but the tensor is ", dtype));
  if (o.width > kMost || o.precision > kMost)
    throw_invalid(self, cat("width ", o.width, " and precision ", o.precision, ": the most is ", kMost));
  if (!o.fill.empty() && o.fill != " " && o.fill != "0" && o.fill != "+" && o.fill != "-")
    throw_invalid(self, cat("fill is '", o.fill, "'; it is empty, ' ', '0', '+' or '-'"));
  if (ShapesOnly::lacks_data(x)) return unknown_text(x.shape());
  const Array& array = known(self, x);
  StringWriter writer;
  visit(dtype, [&](auto t) {
    using T = decltype(t);
    for (int64_t i = 0; i < x.size(); ++i) {
      if constexpr (std::is_same_v<T, bool>) writer.add(array.as<T>()[i] ? "true" : "false");
      else writer.add(number_text(array.as<T>()[i], o));
    }
  });
  return Tensor(writer.finish(x.shape()));
}

Tensor equal(const Tensor& x, const Tensor& y) {
  const std::string_view self = "strings.equal";
  Shape shape;
  if (!broadcast(text(self, x).shape(), text(self, y, 1).shape(), shape))
    throw_invalid(self, cat("shapes ", x.shape(), " and ", y.shape(),
                            " do not broadcast: sizes must be equal or 1 from the right"));
  auto run = [](const HostRun& r) {
    bool* out = static_cast<bool*>(r.out[0]);
    const Shape& result = r.out_avals[0].shape;
    int64_t strides[2][kMaxRank] = {};  // 0 along what is broadcast
    for (size_t k = 0; k < 2; ++k) {
      const Shape& own = r.in_avals[k].shape;
      int64_t stride = 1;
      for (int axis = own.rank() - 1; axis >= 0; stride *= own[axis--])
        if (own[axis] != 1) strides[k][result.rank() - own.rank() + axis] = stride;
    }
    for_each_element(result.elements(), [&](int64_t i) {
      int64_t at[2] = {0, 0}, rest = i;
      for (int axis = result.rank() - 1; axis >= 0; --axis) {
        const int64_t place = rest % result[axis];
        rest /= result[axis];
        for (size_t k = 0; k < 2; ++k) at[k] += place * strides[k][axis];
      }
      out[i] = string_at(r.in[0], at[0]) == string_at(r.in[1], at[1]);
    });
  };
  return host_compute(std::make_shared<const HostCode>(HostCode{"strings.equal", run, true}), {x, y},
                      {shape, boolean});
}

Tensor to_hash_bucket_fast(const Tensor& x, int64_t num_buckets) {
  return buckets("strings.to_hash_bucket_fast", "strings.to_hash_bucket_fast", x, num_buckets, fingerprint64);
}
Tensor to_hash_bucket_strong(const Tensor& x, int64_t num_buckets, const std::vector<uint64_t>& key) {
  const std::string_view self = "strings.to_hash_bucket_strong";
  if (key.size() != 2) throw_invalid(self, cat("the key has ", key.size(), " numbers; give two"));
  const std::array<uint64_t, 2> secret{key[0], key[1]};
  return buckets(self, cat(self, " ", key[0], " ", key[1]), x, num_buckets,
                 [secret](std::string_view s) { return sip_hash(s, secret); });
}
Tensor to_hash_bucket(const Tensor& x, int64_t num_buckets) {
  constexpr uint64_t kSeed = 0xdecafcaffe;
  return buckets("strings.to_hash_bucket", "strings.to_hash_bucket", x, num_buckets,
                 [](std::string_view s) { return murmur_hash64(s, kSeed); });
}

// ---- in files: the name of the code is the function's, with its numbers behind it

namespace {

std::vector<uint64_t> numbers_in_name(std::string_view said) {
  std::vector<uint64_t> all;
  for (const char *at = said.data(), *end = at + said.size(); at != end;) {
    uint64_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (after != end && *after != ' '))
      throw_invalid("strings", cat(quoted(said), " is no list of numbers"));
    all.push_back(number);
    at = after == end ? end : after + 1;
  }
  return all;
}

// The number of buckets comes last.
std::vector<uint64_t> bucket_numbers(std::string_view said, size_t count) {
  std::vector<uint64_t> all = numbers_in_name(said);
  if (all.size() != count || !std::in_range<int64_t>(all.back()))
    throw_invalid("strings", cat(quoted(said), " are not the numbers of a hash"));
  return all;
}

const Tensor& only(std::span<const Tensor> inputs) {
  if (inputs.size() != 1) throw_invalid("strings", cat("takes one input, but got ", inputs.size()));
  return inputs[0];
}

[[maybe_unused]] const bool numbers_registered = [] {
  register_host_call("strings.length", [](std::string_view said, std::span<const Tensor> in) -> Tensor {
    return length(only(in), said == "utf8" ? Unit::utf8_char : Unit::byte);
  });
  register_host_call("strings.to_number", [](std::string_view said, std::span<const Tensor> in) -> Tensor {
    return to_number(only(in), dtype_from_name(said));
  });
  register_host_call("strings.equal", [](std::string_view, std::span<const Tensor> in) -> Tensor {
    if (in.size() != 2) throw_invalid("strings.equal", cat("takes two inputs, but got ", in.size()));
    return strings::equal(in[0], in[1]);
  });
  register_host_call("strings.to_hash_bucket", [](std::string_view said, std::span<const Tensor> in) -> Tensor {
    return to_hash_bucket(only(in), static_cast<int64_t>(bucket_numbers(said, 1)[0]));
  });
  register_host_call("strings.to_hash_bucket_fast", [](std::string_view said, std::span<const Tensor> in) -> Tensor {
    return to_hash_bucket_fast(only(in), static_cast<int64_t>(bucket_numbers(said, 1)[0]));
  });
  register_host_call("strings.to_hash_bucket_strong",
                     [](std::string_view said, std::span<const Tensor> in) -> Tensor {
                       const auto all = bucket_numbers(said, 3);
                       return to_hash_bucket_strong(only(in), static_cast<int64_t>(all[2]), {all[0], all[1]});
                     });
  return true;
}();

}  // namespace

}  // namespace brio::strings
