#include "brio/formats/decode_raw.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "brio/base/error.h"
#include "brio/tensor/strings.h"

namespace brio::formats {

Array decode_raw(const Array& strings, DType dtype, bool little_endian) {
  if (strings.aval.dtype != DType::string || dtype == DType::string)
    throw InvalidArgument(
        cat("[decode_raw] decodes strings to numbers, but got ", strings.aval.dtype, " and ", dtype));
  if (strings.aval.shape.rank() == kMaxRank)
    throw InvalidArgument(cat("[decode_raw] strings of rank ", kMaxRank, " leave no room for an axis of elements"));
  const int64_t count = strings.aval.shape.elements();
  const size_t size = count > 0 ? string_at(strings, 0).size() : 0;
  if (size % size_of(dtype) != 0)
    throw InvalidArgument(cat("[decode_raw] the strings have ", size, " bytes, which is not a multiple of ",
                              size_of(dtype), ", the size of ", dtype));
  for (int64_t i = 1; i < count; ++i)
    if (const size_t other = string_at(strings, i).size(); other != size)
      throw InvalidArgument(cat("[decode_raw] the strings have to be of the same size, but number ", i, " has ",
                                other, " bytes and the first has ", size));
  std::vector<int64_t> dims(strings.aval.shape.begin(), strings.aval.shape.end());
  dims.push_back(static_cast<int64_t>(size / size_of(dtype)));
  Array result = Array::allocate({Shape(dims), dtype}, Owner::input);
  if (size == 0) return result;
  char* to = result.as<char>();
  for (int64_t i = 0; i < count; ++i, to += size) std::memcpy(to, string_at(strings, i).data(), size);
  const size_t bytes = static_cast<size_t>(count) * size;
  if (dtype == boolean)
    for (char* at = result.as<char>(); at < to; ++at) *at = static_cast<char>(*at != 0);
  const size_t part = is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype);
  if (!little_endian && part > 1)
    for (size_t at = 0; at < bytes; at += part) std::reverse(result.as<char>() + at, result.as<char>() + at + part);
  return result;
}

}  // namespace brio::formats
