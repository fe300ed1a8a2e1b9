#include "brio/data/picture_stages.h"

#include <cmath>

#include "brio/base/error.h"
#include "brio/base/hashes.h"
#include "brio/data/bilinear.h"
#include "brio/data/tensor_call.h"
#include "brio/formats/decode_picture.h"
#include "brio/formats/file.h"
#include "brio/ops/elementwise.h"

namespace brio::data {
namespace {

using formats::PictureSize;
using formats::Window;

struct Files {
  std::vector<std::string> paths;
  std::vector<int32_t> labels;
  LabelMode label_mode = LabelMode::none;
  int64_t classes = 0;
};
using FilesPtr = std::shared_ptr<const Files>;

void pass_labels(const Element& in, Element& out) {
  for (size_t i = 1; i < in.size(); ++i) out.copy(i, in.aval(i), in.data(i));
}

class FileStage final : public IndexedStage {
 public:
  FileStage(Pipeline& pipeline, FilesPtr files) : IndexedStage(pipeline, "read"), files_(std::move(files)) {}

  int64_t indexed() const override { return static_cast<int64_t>(files_->paths.size()); }
  bool has_work() const override { return true; }
  void compute(Ticket& ticket, Element& out, Worker&) override {
    const auto i = static_cast<size_t>(ticket.index);
    const formats::InputFile file(files_->paths[i]);
    out.resize(1);
    auto* to = out.write(0, {{static_cast<int64_t>(file.size())}, u8});
    file.read(0, to, file.size());
    if (files_->labels.empty()) return;
    const int32_t label = files_->labels[i];
    switch (files_->label_mode) {
      case LabelMode::integer: *static_cast<int32_t*>(out.write(1, {{}, i32})) = label; break;
      case LabelMode::binary: *static_cast<float*>(out.write(1, {{1}, f32})) = static_cast<float>(label); break;
      case LabelMode::categorical: {
        auto* hot = static_cast<float*>(out.write(1, {{files_->classes}, f32}));
        std::fill_n(hot, files_->classes, 0.f);
        if (label >= 0 && label < files_->classes) hot[label] = 1;
        break;
      }
      case LabelMode::none: break;
    }
  }

 private:
  FilesPtr files_;
};

class FileNode final : public Node {
 public:
  explicit FileNode(FilesPtr files) : files_(std::move(files)) {
    for (const std::string& path : files_->paths) hash_ = murmur_hash64(path, hash_);
  }
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<FileStage>(pipeline, files_);
  }
  std::string describe() const override { return cat("files(", files_->paths.size(), ", ", hash_, ")"); }
  Structure structure() const override { return files_->labels.empty() ? Structure() : Structure::tuple_of(2); }
  int64_t cardinality() const override { return static_cast<int64_t>(files_->paths.size()); }
  const FilesPtr& files() const { return files_; }

 private:
  FilesPtr files_;
  uint64_t hash_ = 0;
};

// Which part of the picture ends up in the result.
Window window_of(const PictureSize& size, const PictureShape& wanted) {
  if (wanted.fit != Fit::crop) return {0, 0, size.height, size.width};
  auto side = [](int64_t other, int64_t target, int64_t other_target, int64_t most) {
    const auto fitting = static_cast<int64_t>(static_cast<float>(other * target) / static_cast<float>(other_target));
    return std::max<int64_t>(1, std::min(most, fitting));
  };
  const int64_t height = side(size.width, wanted.height, wanted.width, size.height);
  const int64_t width = side(size.height, wanted.width, wanted.height, size.width);
  return {(size.height - height) / 2, (size.width - width) / 2, height, width};
}

class DecodeStage final : public WholeStage {
 public:
  DecodeStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const PictureShape& wanted,
              FilesPtr files)
      : WholeStage(pipeline, "decode", std::move(inputs)), wanted_(wanted), files_(std::move(files)) {}

  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    Element& in = scratch(worker);
    input().make(ticket, in, worker);
    formats::PictureDecoder& decoder = private_of<formats::PictureDecoder>(worker);
    const std::string_view bytes(in.as<char>(0), in.aval(0).bytes());
    formats::Origin origin;
    if (files_) origin.file = files_->paths[static_cast<size_t>(ticket.index)];
    formats::DecodeOptions options{
        .channels = wanted_.channels, .apply_orientation = wanted_.apply_orientation, .limits = wanted_.limits};
    const formats::PictureInfo& info = decoder.open(bytes, origin, options);
    if (wanted_.reduced_decode && wanted_.height > 0) {
      const PictureSize whole = decoder.size();
      const Window window = window_of(whole, wanted_);
      options.ratio = formats::jpeg_ratio_for(window.height, window.width, wanted_.height, wanted_.width);
      if (options.ratio > 1 && info.format == formats::PictureFormat::jpeg) decoder.open(bytes, origin, options);
    }
    const PictureSize size = decoder.size();
    const Window window = window_of(size, wanted_);
    out.resize(in.size());
    const auto stride = static_cast<size_t>(window.width * size.channels);
    void* to = out.write(0, {{window.height, window.width, size.channels}, u8});
    if (window.height == size.height && window.width == size.width) decoder.decode(to, stride);
    else decoder.decode(to, stride, window);
    pass_labels(in, out);
  }

 private:
  PictureShape wanted_;
  FilesPtr files_;
};

// One that changes pictures and nothing else.
class PictureNode : public Transform {
 public:
  PictureNode(NodePtr input, const PictureShape& wanted) : Transform(std::move(input)), wanted_(wanted) {}

 protected:
  PictureShape wanted_;
};

FilesPtr files_below(const Node& node) {
  if (const auto* files = dynamic_cast<const FileNode*>(&node)) return files->files();
  const std::vector<const Node*> inputs = node.inputs();
  return inputs.empty() ? nullptr : files_below(*inputs[0]);
}

class DecodeNode final : public PictureNode {
 public:
  using PictureNode::PictureNode;
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<DecodeStage>(pipeline, open_input(pipeline), wanted_, files_below(input()));
  }
  std::string describe() const override {
    return cat("decode(", wanted_.channels, wanted_.reduced_decode ? ", reduced" : "",
               wanted_.apply_orientation ? ", turned)" : ")");
  }
};

class ResizeStage final : public WholeStage {
 public:
  ResizeStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const PictureShape& wanted)
      : WholeStage(pipeline, "resize", std::move(inputs)), wanted_(wanted) {}

  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    Element& in = scratch(worker);
    input().make(ticket, in, worker);
    out.resize(in.size());
    auto* to = static_cast<float*>(out.write(0, {{wanted_.height, wanted_.width, in.aval(0).shape[2]}, f32}));
    if (wanted_.fit == Fit::pad) padded(in, to, worker);
    else scaled(in, to, wanted_.height, wanted_.width, worker);
    pass_labels(in, out);
  }

 private:
  struct Private {
    Bilinear bilinear;
    Element picture;           // what the recorded function sees
    std::vector<float> inner;  // before it is padded
    std::unique_ptr<TensorCall> call;
    int64_t height = -1, width = -1;  // that the call makes
  };

  void scaled(const Element& in, float* to, int64_t height, int64_t width, Worker& worker) {
    const Shape& shape = in.aval(0).shape;
    Private& mine = private_of<Private>(worker);
    if (wanted_.interpolation == image::Interpolation::bilinear) {
      mine.bilinear(in.as<uint8_t>(0), static_cast<size_t>(shape[1] * shape[2]), shape[0], shape[1], shape[2], to,
                    height, width);
      return;
    }
    if (!mine.call || mine.height != height || mine.width != width) {
      mine.call =
          std::make_unique<TensorCall>(ElementFunction{[this, height, width](const std::vector<Tensor>& picture) {
            return std::vector<Tensor>{
                cast(image::resize(picture[0], height, width, {.interpolation = wanted_.interpolation}), f32)};
          }});
      mine.height = height;
      mine.width = width;
    }
    mine.picture.resize(1);
    mine.picture.copy(0, in.aval(0), in.data(0));
    const Array& result = (*mine.call)(mine.picture)[0].array();
    std::memcpy(to, result.data(), result.aval.bytes());
  }

  // The picture in the middle of zeros, as tf.image.resize_with_pad.
  void padded(const Element& in, float* to, Worker& worker) {
    const Shape& shape = in.aval(0).shape;
    const double ratio = std::max(static_cast<double>(shape[0]) / static_cast<double>(wanted_.height),
                                  static_cast<double>(shape[1]) / static_cast<double>(wanted_.width));
    const auto height = std::max<int64_t>(1, static_cast<int64_t>(std::floor(static_cast<double>(shape[0]) / ratio)));
    const auto width = std::max<int64_t>(1, static_cast<int64_t>(std::floor(static_cast<double>(shape[1]) / ratio)));
    const int64_t top = std::max<int64_t>(0, (wanted_.height - height) / 2), channels = shape[2];
    const int64_t left = std::max<int64_t>(0, (wanted_.width - width) / 2);
    std::vector<float>& inner = private_of<Private>(worker).inner;
    inner.resize(static_cast<size_t>(height * width * channels));
    scaled(in, inner.data(), height, width, worker);
    std::fill_n(to, wanted_.height * wanted_.width * channels, 0.f);
    for (int64_t y = 0; y < height; ++y)
      std::copy_n(inner.data() + y * width * channels, width * channels,
                  to + ((top + y) * wanted_.width + left) * channels);
  }

  PictureShape wanted_;
};

class ResizeNode final : public PictureNode {
 public:
  using PictureNode::PictureNode;
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<ResizeStage>(pipeline, open_input(pipeline), wanted_);
  }
  std::string describe() const override {
    return cat("resize(", wanted_.height, ", ", wanted_.width, ", ", name_of(wanted_.interpolation),
               wanted_.fit == Fit::crop  ? ", crop)"
               : wanted_.fit == Fit::pad ? ", pad)"
                                         : ")");
  }
};

}  // namespace

NodePtr picture_files(const LabelledFiles& files, LabelMode label_mode) {
  auto list = std::make_shared<Files>();
  list->paths = files.paths;
  if (label_mode != LabelMode::none) list->labels = files.labels;
  list->label_mode = label_mode;
  list->classes = static_cast<int64_t>(files.class_names.size());
  return std::make_shared<FileNode>(std::move(list));
}

NodePtr decoded(NodePtr files, const PictureShape& wanted) {
  return std::make_shared<DecodeNode>(std::move(files), wanted);
}

NodePtr resized(NodePtr pictures, const PictureShape& wanted) {
  return std::make_shared<ResizeNode>(std::move(pictures), wanted);
}

}  // namespace brio::data
