// Strings on the host: tensors of DType::string, and tf.strings (docs/decisions/strings.md).
//
//   Tensor words = string_tensor({"Brio", "says hello"});
//   strings::lower(words).str();                   // tf.Tensor([b'brio' b'says hello'], shape=(2,), dtype=string)
//   strings::split(words).to_tensor();             // [["Brio", ""], ["says", "hello"]]
//   strings::to_hash_bucket_fast(words, 10);       // int64 numbers: works inside function() and models too
//
// What gives strings is computed when it is called, and refuses while a function is traced, where nothing is known.
// What gives numbers is recorded, as other ops are. Moving (reshape, transpose, slice, gather, concat, stack, select,
// …), equal, not_equal and unique are those of other tensors.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brio/ir/tensor.h"

namespace brio {

Tensor string_tensor(std::string_view value);  // a scalar
Tensor string_tensor(std::initializer_list<std::string_view> values);
Tensor string_tensor(std::initializer_list<std::string_view> values, const Shape& shape);
Tensor string_tensor(const std::vector<std::string>& values);
Tensor string_tensor(const std::vector<std::string>& values, const Shape& shape);
std::vector<std::string> to_strings(const Tensor& tensor);

namespace strings {

enum class Unit : uint8_t { byte, utf8_char };

// Lists of different lengths, one for each string of a tensor: list i is values[row_splits[i]] … [row_splits[i + 1] -
// 1].
struct Ragged {
  Tensor values;      // strings, in a row
  Tensor row_splits;  // int64, one more than there are lists
  Shape rows;         // the shape of the tensor that the lists stand for

  int64_t longest() const;
  // As a tensor of shape [rows…, longest list, or `length`]: cut off, or filled up.
  Tensor to_tensor(std::string_view default_value = {}, std::optional<int64_t> length = {}) const;
};

// ---- strings → strings

// Element by element; scalars go with every shape.
Tensor join(const std::vector<Tensor>& inputs, std::string_view separator = {});

struct ReduceJoinOptions {
  std::optional<std::vector<int>> axis = {};  // all of them; the first in the list runs fastest
  bool keepdims = false;
  std::string separator = {};
};
Tensor reduce_join(const Tensor& x, const ReduceJoinOptions& options = {});

// At each `sep`, or for an empty one at runs of white space, which then is dropped at either end.
Ragged split(const Tensor& x, std::string_view sep = {}, int64_t maxsplit = -1);
Ragged bytes_split(const Tensor& x);
Ragged unicode_split(const Tensor& x);  // UTF-8; what is none becomes U+FFFD
// Runs of so many strings of a list, joined.
Ragged ngrams(const Ragged& x, const std::vector<int64_t>& widths, std::string_view separator = " ");

Tensor lower(const Tensor& x);  // of ASCII letters
Tensor upper(const Tensor& x);
Tensor strip(const Tensor& x);  // of white space at either end
// `len` units from `pos`, which counts from the end where it is negative; numbers, or integer tensors that broadcast.
Tensor substr(const Tensor& x, int64_t pos, int64_t len, Unit unit = Unit::byte);
Tensor substr(const Tensor& x, const Tensor& pos, const Tensor& len, Unit unit = Unit::byte);

// RE2's syntax: it takes time in proportion to the text, whatever the pattern. \1 … \9 in the rewrite are groups.
Tensor regex_replace(const Tensor& x, std::string_view pattern, std::string_view rewrite, bool replace_global = true);

struct AsStringOptions {
  int precision = -1;  // of floats: digits behind the point; -1: six
  bool scientific = false;
  bool shortest = false;  // scientific where that is shorter
  int width = -1;         // at least so many characters
  std::string fill = {};  // " ", "0", "+" or "-", as printf's flags
};
Tensor as_string(const Tensor& x, const AsStringOptions& options = {});

// ---- strings → numbers

Tensor length(const Tensor& x, Unit unit = Unit::byte);              // int32
Tensor to_number(const Tensor& x, DType dtype = f32);                // float32, float64, int32 or int64
Tensor regex_full_match(const Tensor& x, std::string_view pattern);  // bool
Tensor equal(const Tensor& x, const Tensor& y);                      // bool; what brio::equal calls

// Numbers below num_buckets (int64): FarmHash's fingerprint, SipHash under a secret key, or TensorFlow's old hash.
Tensor to_hash_bucket_fast(const Tensor& x, int64_t num_buckets);
Tensor to_hash_bucket_strong(const Tensor& x, int64_t num_buckets, const std::vector<uint64_t>& key);
Tensor to_hash_bucket(const Tensor& x, int64_t num_buckets);

}  // namespace strings
}  // namespace brio
