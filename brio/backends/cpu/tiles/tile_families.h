// The families that find_tile_fn (tile_ops.h) asks in turn. Private to this room; each is in the .cpp named here and
// returns nullptr for an op that it lacks.
#pragma once

#include <string_view>

#include "brio/backends/cpu/tiles/tile_ops.h"

namespace brio::cpu {

TileFn find_float_arithmetic(std::string_view op, DType dtype);    // tile_float.cpp
TileFn find_float_function(std::string_view op, DType dtype);      // tile_functions.cpp
TileFn find_integer(std::string_view op, DType dtype);             // tile_integer.cpp, with bool
TileFn find_comparison(std::string_view op, DType in, DType out);  // tile_compare.cpp
TileFn find_selection(DType dtype);                                // tile_compare.cpp
TileFn find_cast(DType in, DType out);                             // tile_cast.cpp

}  // namespace brio::cpu
