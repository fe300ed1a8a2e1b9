// The workloads of `brio bench` that read input; bench/README.md defines each.
#pragma once

#include <functional>

namespace brio::cli {

std::function<double()> make_jpeg();
std::function<double()> make_rows();
std::function<double()> make_shuffle();

}  // namespace brio::cli
