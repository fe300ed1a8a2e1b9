// Gradients that were recorded before. A step that is taken again and again under a tape records the same ops each
// time. The nodes of its gradient are then copied from the last time instead of being made by the rules. Only for
// small recordings, where the rules take as long as the step itself.
#pragma once

#include <span>
#include <vector>

#include "brio/ir/recording.h"

namespace brio {

// The cotangents of `sources`, if those of `targets` are ones.
struct GradientQuestion {
  std::span<const ValueId> targets, sources;
  uint8_t tape_bit;
};

class GradientMemo {
 public:
  // Where a gradient begins: it depends on what is before the mark, and its nodes are behind it.
  struct Mark {
    explicit Mark(const Recording& recording);
    bool operator==(const Mark&) const = default;
    size_t nodes, inputs, attrs, values, leaves;
    uint8_t tapes_active;
  };

  // Appends the nodes that answered this question for an equal recording; false if there are none.
  bool recall(Recording& recording, const GradientQuestion& question, std::vector<Tensor>& gradients);
  // Keeps what was recorded since the mark, if that follows from the recording alone.
  void remember(const Recording& recording, const Mark& mark, const GradientQuestion& question,
                std::span<const Tensor> gradients);

 private:
  struct Leaf {
    ValueId value;
    Aval aval;
    uint64_t bits;  // of a number that a rule made
  };
  struct Entry {
    Mark mark;
    std::vector<ValueId> targets, sources;
    uint8_t tape_bit;
    // Of the complete recording, including the gradient.
    std::vector<RecordedNode> nodes;
    std::vector<ValueId> inputs;
    std::vector<int64_t> attrs;
    std::vector<uint8_t> tracked;
    std::vector<Leaf> leaves;
    std::vector<Aval> appended;      // values
    std::vector<ValueId> gradients;  // kNone: none
  };
  static bool same(const Entry& entry, const Mark& mark, const Recording& recording,
                   const GradientQuestion& question);
  static void append(const Entry& entry, Recording& recording);

  std::vector<Entry> entries_;
  size_t next_ = 0;  // the entry to be replaced next
};

}  // namespace brio
