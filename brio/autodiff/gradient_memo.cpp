#include "brio/autodiff/gradient_memo.h"

#include <algorithm>
#include <cstring>

namespace brio {
namespace {

constexpr size_t kMostNodes = 64, kMostAppended = 256, kMostEntries = 16;

// Rules see ops, attributes, shapes and dtypes, and no values: these say it all, but for bodies and the user's rules.
bool is_plain(const Recording& recording) {
  return recording.kind == Recording::Kind::eager && recording.graphs.empty() && recording.custom_gradients.empty();
}

template <typename T, typename U>
bool begins_with(const T& list, const U& beginning, size_t n) {
  static_assert(std::has_unique_object_representations_v<std::remove_cvref_t<decltype(*list.begin())>>);
  return n == 0 || std::memcmp(&*list.begin(), &*beginning.begin(), n * sizeof(*list.begin())) == 0;
}

Tensor handle_or_none(const Recording& recording, ValueId value) {
  if (value == kNone) return {};
  TensorImpl* impl = recording.values[value];
  impl->refs.increment();
  return Tensor::adopt(impl);
}

}  // namespace

GradientMemo::Mark::Mark(const Recording& recording)
    : nodes(recording.nodes.size()),
      inputs(recording.inputs.size()),
      attrs(recording.attrs.size()),
      values(recording.values.size()),
      leaves(recording.leaves.size()),
      tapes_active(recording.tapes_active) {}

bool GradientMemo::same(const Entry& entry, const Mark& mark, const Recording& recording,
                        const GradientQuestion& question) {
  if (!(entry.mark == mark) || entry.tape_bit != question.tape_bit ||
      !std::ranges::equal(entry.targets, question.targets) || !std::ranges::equal(entry.sources, question.sources) ||
      !begins_with(entry.nodes, recording.nodes, mark.nodes) ||
      !begins_with(entry.inputs, recording.inputs, mark.inputs) ||
      !begins_with(entry.attrs, recording.attrs, mark.attrs) ||
      !begins_with(entry.tracked, recording.tracked, mark.values))
    return false;
  for (size_t i = 0; i < mark.leaves; ++i)
    if (entry.leaves[i].value != recording.leaves[i].second ||
        !(entry.leaves[i].aval == recording.leaves[i].first->aval()))
      return false;
  return true;
}

bool GradientMemo::recall(Recording& recording, const GradientQuestion& question, std::vector<Tensor>& gradients) {
  if (recording.nodes.size() > kMostNodes || !is_plain(recording)) return false;
  const Mark mark(recording);
  const auto entry =
      std::ranges::find_if(entries_, [&](const Entry& e) { return same(e, mark, recording, question); });
  if (entry == entries_.end()) return false;
  append(*entry, recording);
  for (ValueId value : entry->gradients) gradients.push_back(handle_or_none(recording, value));
  return true;
}

void GradientMemo::append(const Entry& entry, Recording& recording) {
  const Mark& mark = entry.mark;
  std::lock_guard lock(recording.mutex);
  recording.inputs.make_room(entry.inputs.size() - mark.inputs);
  for (size_t i = mark.inputs; i < entry.inputs.size(); ++i) recording.inputs.push(entry.inputs[i]);
  recording.attrs.make_room(entry.attrs.size() - mark.attrs);
  for (size_t i = mark.attrs; i < entry.attrs.size(); ++i) recording.attrs.push(entry.attrs[i]);
  size_t leaf = mark.leaves;
  auto add_leaves = [&](ValueId before) {
    for (; leaf < entry.leaves.size() && entry.leaves[leaf].value < before; ++leaf)
      recording.leaf(host_scalar(entry.leaves[leaf].bits, entry.leaves[leaf].aval.dtype).impl());
  };
  for (size_t n = mark.nodes; n < entry.nodes.size(); ++n) {
    const RecordedNode& node = entry.nodes[n];
    add_leaves(node.value);
    append_again(recording, node, std::span(entry.appended).subspan(node.value - mark.values, node.n_values),
                 entry.tracked[node.value]);
  }
  add_leaves(kNone);
}

void GradientMemo::remember(const Recording& recording, const Mark& mark, const GradientQuestion& question,
                            std::span<const Tensor> gradients) {
  if (mark.nodes > kMostNodes || recording.values.size() - mark.values > kMostAppended || !is_plain(recording))
    return;
  Entry entry{.mark = mark,
              .targets = {question.targets.begin(), question.targets.end()},
              .sources = {question.sources.begin(), question.sources.end()},
              .tape_bit = question.tape_bit,
              .nodes = {recording.nodes.begin(), recording.nodes.end()},
              .inputs = {recording.inputs.begin(), recording.inputs.end()},
              .attrs = {recording.attrs.begin(), recording.attrs.end()},
              .tracked = {recording.tracked.begin(), recording.tracked.end()},
              .leaves = {},
              .appended = {},
              .gradients = {}};
  for (const auto& [impl, value] : recording.leaves) {
    if (value >= mark.values && !impl->is_scalar)
      return;  // an array that a rule made: kept, it would keep its memory
    entry.leaves.push_back({value, impl->aval(), value >= mark.values ? impl->scalar : 0});
  }
  for (size_t v = mark.values; v < recording.values.size(); ++v)
    entry.appended.push_back(recording.values[v]->aval());
  for (const Tensor& gradient : gradients) {
    const TensorImpl* impl = gradient.impl();
    const bool here = impl && impl->recording.load(std::memory_order_acquire) == &recording;
    entry.gradients.push_back(!impl ? kNone : here ? impl->value : recording.find_leaf(impl));
    if (impl && entry.gradients.back() == kNone) return;  // from somewhere else
  }
  if (entries_.size() < kMostEntries) entries_.push_back(std::move(entry));
  else entries_[next_++ % kMostEntries] = std::move(entry);
}

}  // namespace brio
