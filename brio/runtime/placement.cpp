#include "brio/runtime/placement.h"

#include <algorithm>
#include <cstring>

#include "brio/base/error.h"
#include "brio/ops/control/control.h"
#include "brio/ops/indexing/sliced_axis.h"
#include "brio/ops/shapes/shape_ops.h"

namespace brio {
namespace {

constexpr uint32_t kNever = ~uint32_t{0};

// Elements before the first one of a slice that is one contiguous run; -1 when it is not.
int64_t contiguous_start(const Aval& x, const Node& node) {
  const Attrs attrs(node.attrs);
  const Strides strides = row_major(x.shape);
  int64_t start = 0;
  bool whole_below = true;  // are all axes to the right taken whole?
  int first_cut = x.shape.rank();
  for (int i = 0; i < x.shape.rank(); ++i) {
    const SlicedAxis axis = sliced_axis(attrs, static_cast<size_t>(i));
    start += axis.begin * strides[i];
    if (axis.stride != 1) return -1;
    if (axis.size != 1 && first_cut == x.shape.rank()) first_cut = i;
  }
  for (int i = first_cut + 1; i < x.shape.rank(); ++i)
    whole_below &= sliced_axis(attrs, static_cast<size_t>(i)).size == x.shape[i];
  return whole_below ? start : -1;
}

// The bytes behind a value: a root value and an offset into it.
struct Root {
  ValueId value;
  size_t offset;
};

class Placer {
 public:
  Placer(const Graph& graph, const std::vector<const Kernel*>& kernels)
      : graph_(graph),
        kernels_(kernels),
        roots_(graph.values.size()),
        last_use_(graph.values.size(), 0),
        defined_(graph.values.size(), kNever),
        input_of_(graph.values.size(), kNever),
        is_output_(graph.values.size(), false),
        used_(graph.values.size(), false) {
    result_.locations.resize(graph.values.size());
  }

  Placement run() {
    find_roots();
    find_lifetimes();
    place_inputs_and_constants();
    place_outputs();
    place_arena();
    follow_aliases();
    return std::move(result_);
  }

 private:
  void find_roots() {
    for (ValueId v = 0; v < graph_.values.size(); ++v) roots_[v] = {v, 0};
    for (uint32_t i = 0; i < graph_.inputs.size(); ++i) input_of_[graph_.inputs[i].value] = i;
    for (const Node& node : graph_.nodes) {
      if (is_constant(node) || !is_alias(graph_, node)) continue;
      const ValueId source = node.op == &op::custom_gradient ? node.in.back() : node.in[0];
      size_t offset = roots_[source].offset;
      if (node.op == &op::slice && graph_.values[node.out[0]].bytes() != 0)
        offset +=
            static_cast<size_t>(contiguous_start(graph_.values[source], node)) * size_of(graph_.values[source].dtype);
      roots_[node.out[0]] = {roots_[source].value, offset};
    }
  }

  void find_lifetimes() {
    last_may_fail_ = 0;
    for (uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      for (ValueId v : node.in) {
        last_use_[roots_[v].value] = n + 1;
        used_[roots_[v].value] = true;
      }
      for (ValueId v : node.out)
        if (roots_[v].value == v) defined_[v] = n + 1;
      // A loop may fail in a late round, when it has written results of earlier ones.
      // Any loop may be interrupted.
      const bool loops = node.op == &op::while_loop || node.op == &op::while_grad || node.op == &op::scan;
      if (loops || may_fail(node)) last_may_fail_ = node.op->kind == OpKind::control ? n + 2 : n + 1;
    }
    for (ValueId v : graph_.outputs) {
      last_use_[roots_[v].value] = kNever;
      is_output_[roots_[v].value] = true;
      used_[roots_[v].value] = true;
    }
  }

  void place_inputs_and_constants() {
    for (uint32_t i = 0; i < graph_.inputs.size(); ++i)
      result_.locations[graph_.inputs[i].value] = {Location::Kind::input, i, 0};
    for (const Node& node : graph_.nodes) {
      if (!is_constant(node)) continue;
      const ValueId v = node.out[0];
      const auto bits = static_cast<uint64_t>(node.attrs[1]);
      if (is_output_[v]) continue;  // an output is memory of its own: see place_outputs
      result_.locations[v] = {Location::Kind::constant, static_cast<uint32_t>(result_.constants.size()), 0};
      result_.constants.push_back(bits);
    }
  }

  // Outputs that are not inputs: in the memory of a donated input, or in a fresh buffer.
  void place_outputs() {
    std::vector<bool> taken(graph_.inputs.size(), false);
    for (ValueId v : graph_.outputs) {
      const ValueId root = roots_[v].value;
      if (input_of_[root] != kNever) taken[input_of_[root]] = true;  // the input itself goes out: hands off
    }
    // A value with a successor passes its memory on to it: a program that keeps such pairs finds each at its place
    // again.
    for (uint32_t i = 0; i < graph_.inputs.size(); ++i) {
      if (graph_.inputs[i].becomes == Graph::kNoOutput) continue;
      const ValueId v = graph_.outputs[graph_.inputs[i].becomes];
      if (roots_[v].value != v || placed(v) || !may_take(i, v, taken, false)) continue;
      taken[i] = true;
      result_.locations[v] = {Location::Kind::input, i, 0};
    }
    // First the kernels that work in place (the optimizer's update over its own parameters), so that a passer-by of
    // the same size does not take that memory away from them.
    for (const bool in_place_only : {true, false})
      for (ValueId v = 0; v < graph_.values.size(); ++v) {
        if (!is_output_[v] || placed(v)) continue;
        const uint32_t input = donor(v, taken, in_place_only);
        if (input == kNever) continue;
        taken[input] = true;
        result_.locations[v] = {Location::Kind::input, input, 0};
      }
    for (ValueId v = 0; v < graph_.values.size(); ++v) {
      if (!is_output_[v] || placed(v)) continue;
      result_.locations[v] = {Location::Kind::fresh, static_cast<uint32_t>(result_.fresh_bytes.size()), 0};
      result_.fresh_bytes.push_back(graph_.values[v].bytes());
    }
  }

  bool placed(ValueId v) const { return result_.locations[v].kind != Location::Kind::none; }

  uint32_t donor(ValueId out, const std::vector<bool>& taken, bool in_place_only) const {
    for (uint32_t i = 0; i < graph_.inputs.size(); ++i)
      if (may_take(i, out, taken, in_place_only)) return i;
    return kNever;
  }

  // May `out` be written over input i? In place: by the kernel that reads it last.
  bool may_take(uint32_t i, ValueId out, const std::vector<bool>& taken, bool in_place_only) const {
    const uint32_t at = defined_[out];
    if (at == kNever || last_may_fail_ > at || !kernels_[at - 1]) return false;
    const ValueId input = graph_.inputs[i].value;
    const size_t bytes = graph_.values[out].bytes();
    if (!graph_.inputs[i].donated || taken[i] || bytes == 0 || graph_.values[input].bytes() != bytes) return false;
    if (last_use_[input] < at) return !in_place_only;
    const Node& node = graph_.nodes[at - 1];
    const auto out_index = static_cast<size_t>(std::ranges::find(node.out, out) - node.out.begin());
    return last_use_[input] == at && reads_in_place(node, *kernels_[at - 1], input, out_index);
  }

  // May the kernel write output `out_index` over `root`, wherever it reads it? What it reads may be a part of that.
  bool reads_in_place(const Node& node, const Kernel& kernel, ValueId root, size_t out_index) const {
    const size_t bytes = graph_.values[node.out[out_index]].bytes();
    for (size_t k = 0; k < node.in.size(); ++k) {
      if (roots_[node.in[k]].value != root) continue;
      if (graph_.values[node.in[k]].bytes() != bytes) return false;
      if (roots_[node.in[k]].offset != 0 || !kernel.allows_in_place(k, out_index)) return false;
    }
    return true;
  }

  // First fit by size, largest first: a simple rule that stays within a few percent of the bound on training graphs.
  void place_arena() {
    struct Block {
      ValueId value;
      size_t bytes, offset;
      uint32_t from, to;
    };
    std::vector<Block> blocks;
    size_t scratch = 0;
    for (uint32_t n = 0; n < graph_.nodes.size(); ++n)
      if (kernels_[n]) scratch = std::max(scratch, kernels_[n]->scratch_bytes());
    for (ValueId v = 0; v < graph_.values.size(); ++v) {
      if (roots_[v].value != v || placed(v) || defined_[v] == kNever) continue;
      // A value that nothing reads still has a kernel that writes it: it lives for that step.
      const uint32_t to = used_[v] ? last_use_[v] : defined_[v];
      blocks.push_back({v, align(graph_.values[v].bytes()), 0, defined_[v], std::max(to, defined_[v])});
    }
    reuse_in_place(blocks);
    std::ranges::stable_sort(blocks, std::greater<>(), &Block::bytes);
    std::vector<Block*> done;
    size_t top = 0;
    for (Block& block : blocks) {
      result_.report.sum_of_buffers += block.bytes;
      std::vector<std::pair<size_t, size_t>> busy;
      for (const Block* other : done)
        if (other->from <= block.to && block.from <= other->to)
          busy.emplace_back(other->offset, other->offset + other->bytes);
      std::ranges::sort(busy);
      size_t at = 0;
      for (const auto& [begin, end] : busy) {
        if (at + block.bytes <= begin) break;
        at = std::max(at, end);
      }
      block.offset = at;
      top = std::max(top, at + block.bytes);
      done.push_back(&block);
      result_.locations[block.value] = {Location::Kind::arena, 0, at};
    }
    std::vector<int64_t> change(graph_.nodes.size() + 2, 0);
    for (const Block& block : blocks) {
      change[block.from] += static_cast<int64_t>(block.bytes);
      change[block.to + 1] -= static_cast<int64_t>(block.bytes);
    }
    int64_t alive = 0;
    for (int64_t bytes : change) {
      alive += bytes;
      result_.report.lower_bound = std::max(result_.report.lower_bound, static_cast<size_t>(alive));
    }
    for (const auto& [value, host] : hosted_) result_.locations[value] = result_.locations[host];
    result_.scratch_offset = align(top);
    result_.report.arena_bytes = result_.scratch_offset + align(scratch);
  }

  // A kernel that works in place writes over an operand that dies there: one block for both.
  template <typename Block>
  void reuse_in_place(std::vector<Block>& blocks) {
    std::vector<size_t> block_of(graph_.values.size(), blocks.size());
    for (size_t b = 0; b < blocks.size(); ++b) block_of[blocks[b].value] = b;
    std::vector<ValueId> host(graph_.values.size());
    for (ValueId v = 0; v < host.size(); ++v) host[v] = v;
    for (uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (!kernels_[n]) continue;
      std::vector<ValueId> taken;  // by outputs of this node: an unread output ends here, and so does what it took
      for (size_t k = 0; k < node.out.size(); ++k) {
        const ValueId out = node.out[k];
        if (block_of[out] == blocks.size()) continue;
        for (ValueId in : node.in) {
          const ValueId root = roots_[in].value;
          const ValueId home = host[root];
          if (block_of[home] == blocks.size() || last_use_[root] != n + 1 || root == out) continue;
          if (std::ranges::find(taken, home) != taken.end()) continue;
          Block& into = blocks[block_of[home]];
          // Equal to the byte: an element must not be written over one that is still to be read.
          if (into.to != n + 1 || graph_.values[root].bytes() != graph_.values[out].bytes()) continue;
          if (!reads_in_place(node, *kernels_[n], root, k)) continue;
          into.to = blocks[block_of[out]].to;
          host[out] = home;
          taken.push_back(home);
          hosted_.emplace_back(out, home);
          blocks[block_of[out]].bytes = 0;  // dropped below
          break;
        }
      }
    }
    std::vector<bool> dropped(graph_.values.size(), false);
    for (const auto& [value, home] : hosted_) {
      (void)home;
      dropped[value] = true;
    }
    std::erase_if(blocks, [&](const Block& block) { return dropped[block.value]; });
  }

  void follow_aliases() {
    for (ValueId v = 0; v < graph_.values.size(); ++v) {
      if (roots_[v].value == v) continue;
      result_.locations[v] = result_.locations[roots_[v].value];
      result_.locations[v].offset += roots_[v].offset;
    }
  }

  const Graph& graph_;
  const std::vector<const Kernel*>& kernels_;
  std::vector<Root> roots_;
  std::vector<uint32_t> last_use_, defined_, input_of_;
  std::vector<bool> is_output_, used_;
  std::vector<std::pair<ValueId, ValueId>> hosted_;
  uint32_t last_may_fail_ = 0;
  Placement result_;
};

}  // namespace

bool is_alias(const Graph& graph, const Node& node) {
  if (node.op->kind == OpKind::view) return true;
  return node.op == &op::slice && contiguous_start(graph.values[node.in[0]], node) >= 0;
}

Placement place(const Graph& graph, const std::vector<const Kernel*>& kernels) {
  return Placer(graph, kernels).run();
}

}  // namespace brio
