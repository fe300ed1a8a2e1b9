#include "brio/backends/cuda/box_copy.h"

#include <algorithm>

#include "brio/backends/cuda/kernel_text.h"

namespace brio::cuda {

Box Box::of(const Shape& shape) {
  Box box;
  for (int64_t size : shape) box.size.push_back(size);
  return box;
}
std::vector<int64_t> strides_of(const Shape& shape) {
  const Strides s = row_major(shape);
  return {s.s, s.s + shape.rank()};
}

int64_t Box::elements() const {
  int64_t n = 1;
  for (int64_t s : size) n *= s;
  return n;
}

void Box::merge() {
  Box merged;
  for (size_t d = 0; d < size.size(); ++d) {
    if (size[d] == 1) continue;
    if (!merged.size.empty() && merged.to.back() == to[d] * size[d] && merged.from.back() == from[d] * size[d]) {
      merged.size.back() *= size[d];
      merged.to.back() = to[d];
      merged.from.back() = from[d];
    } else {
      merged.size.push_back(size[d]);
      merged.to.push_back(to[d]);
      merged.from.push_back(from[d]);
    }
  }
  if (merged.size.empty()) merged.size = merged.to = merged.from = {1};
  size = merged.size, to = merged.to, from = merged.from;
}

BoxCopy::BoxCopy(CudaDevice& device, Box box, size_t element) : device_(device), plain_{std::move(box), element} {
  plain_.box.merge();
  tiles_ = transposes();
  if (tiles_) {
    const std::string_view word = word_name(element);
    plain_.code = device.compiler().code(
        "transpose",
        cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(", word, "* to, const ", word,
            "* from, u32 rows, u32 columns) { transpose_tiles(to, from, rows, columns); }\n"),
        {"movement"});
    return;
  }
  Form wider = plain_;
  if (widened(wider)) wider_.push_back(std::move(wider));
  const auto prepare = [&](Form& form) {
    int64_t reach = form.box.elements();
    for (size_t d = 0; d < form.box.size.size(); ++d)
      reach = std::max(
          {reach, std::abs(form.box.to[d]) * form.box.size[d], std::abs(form.box.from[d]) * form.box.size[d]});
    form.wide = reach >= int64_t{1} << 31;
    form.code = device.compiler().code(
        "copy",
        cat("extern \"C\" __global__ void __launch_bounds__(256) NAME(const __grid_constant__ Move<",
            form.wide ? "i64, i64, " : "u32, Divider, ", form.box.size.size(), "> p) { strided_copy<",
            word_name(form.element), ">(p); }\n"),
        {"movement"});
  };
  prepare(plain_);
  for (Form& form : wider_) prepare(form);
}

void BoxCopy::enqueue(void* to, const void* from, CudaStream& stream) const {
  const auto element = static_cast<int64_t>(plain_.element);
  char* const target = static_cast<char*>(to) + plain_.box.to_start * element;
  const char* const source = static_cast<const char*>(from) + plain_.box.from_start * element;
  if (plain_.box.elements() == 0) return;
  if (tiles_) {
    const size_t r = plain_.box.size.size();
    // The result is [batches, columns, rows]: its last dim steps through rows of the source.
    const auto columns = static_cast<unsigned>(plain_.box.size[r - 2]),
               rows = static_cast<unsigned>(plain_.box.size[r - 1]);
    const auto batches = static_cast<unsigned>(r == 3 ? plain_.box.size[0] : 1);
    stream.start(*plain_.code, {(columns + 31) / 32, (rows + 31) / 32, batches}, {32, 8}, target, source, rows,
                 columns);
    return;
  }
  const auto begins_at_words = [&](size_t bytes) {
    return (reinterpret_cast<uintptr_t>(target) | reinterpret_cast<uintptr_t>(source)) % bytes == 0;
  };
  const Form& form = !wider_.empty() && begins_at_words(wider_[0].element) ? wider_[0] : plain_;
  Parameters p(form.wide);
  p.pointer(target);
  p.pointer(source);
  p.number(form.box.elements());
  for (int64_t size : form.box.size) p.divider(size);
  for (int64_t stride : form.box.to) p.number(stride);
  for (int64_t stride : form.box.from) p.number(stride);
  const int64_t most = int64_t{32} * device_.multiprocessors();
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(blocks_for(form.box.elements(), 256).x, most));
  stream.start_packed(*form.code, {blocks}, {256}, p.bytes());
}

// A whole tensor with its last two (merged) dims exchanged?
bool BoxCopy::transposes() const {
  const Box& box = plain_.box;
  const size_t r = box.size.size();
  if ((r != 2 && r != 3) || box.to_start != 0 || box.from_start != 0) return false;
  const int64_t columns = box.size[r - 2], rows = box.size[r - 1];
  if (box.to[r - 1] != 1 || box.to[r - 2] != rows || box.from[r - 2] != 1 || box.from[r - 1] != columns) return false;
  if (r == 3 && (box.to[0] != rows * columns || box.from[0] != rows * columns || box.size[0] > 65535)) return false;
  return rows >= 16 && columns >= 16 && (rows + 31) / 32 <= 65535 && columns < int64_t{1} << 31;
}

bool BoxCopy::widened(Form& form) const {
  Box& box = form.box;
  if (box.to.back() != 1 || box.from.back() != 1) return false;
  for (int64_t factor : {16, 8, 4, 2}) {
    if (form.element * static_cast<size_t>(factor) > 16 || box.size.back() % factor != 0) continue;
    bool fits = true;
    for (size_t d = 0; d + 1 < box.size.size(); ++d) fits &= box.to[d] % factor == 0 && box.from[d] % factor == 0;
    if (!fits) continue;
    for (size_t d = 0; d + 1 < box.size.size(); ++d) {
      box.to[d] /= factor;
      box.from[d] /= factor;
    }
    box.size.back() /= factor;
    form.element *= static_cast<size_t>(factor);
    return true;
  }
  return false;
}

}  // namespace brio::cuda
