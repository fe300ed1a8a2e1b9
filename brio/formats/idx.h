// IDX files, in which MNIST and its kin come: an array of numbers behind a header of a few bytes, often in a .gz.
#pragma once

#include "brio/formats/array_file.h"

namespace brio::formats {

ArrayFile open_idx(const ReadAt& bytes);
// A plain file is read by position; the bytes of one that is compressed by gzip are held in memory.
ArrayFile open_idx(const std::string& path);

}  // namespace brio::formats
