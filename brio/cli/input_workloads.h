// The workloads of `brio bench` that read input; bench/README.md defines each.
#pragma once

#include <functional>

namespace brio::cli {

std::function<double()> make_jpeg();
std::function<double()> make_jpeg_train();
std::function<double()> make_packed();
std::function<double()> make_rows();
std::function<double()> make_rows_map();
std::function<double()> make_shuffle();
std::function<double()> make_tfrecord();
std::function<double()> make_example();
// Records that are not in memory, shuffled in full and by blocks.
std::function<double()> make_cold_full();
std::function<double()> make_cold_blocks();
// A step of 5 ms whose input takes 5 ms too; the step sleeps, as for a device, or works.
std::function<double()> make_overlap();
std::function<double()> make_overlap_busy();

}  // namespace brio::cli
