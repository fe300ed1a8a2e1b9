#include "brio/data/pictures/picture_stages.h"

#include "brio/base/error.h"
#include "brio/base/hashes.h"
#include "brio/formats/decode_picture.h"
#include "brio/formats/file.h"

namespace brio::data {

void pass_labels(const Element& in, Element& out) {
  for (size_t i = 1; i < in.size(); ++i) out.copy(i, in.aval(i), in.data(i));
}

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

class FileStage final : public IndexedStage {
 public:
  FileStage(Pipeline& pipeline, FilesPtr files) : IndexedStage(pipeline, "read"), files_(std::move(files)) {}

  int64_t indexed() const override { return static_cast<int64_t>(files_->paths.size()); }
  bool has_work() const override { return true; }
  void describe(profile::StageFacts& facts) const override {
    facts.kind = profile::StageKind::read;
    facts.pure = true;
    facts.files = indexed();
  }
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

}  // namespace

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

namespace {

class DecodeStage final : public WholeStage {
 public:
  DecodeStage(Pipeline& pipeline, std::vector<std::unique_ptr<Stage>> inputs, const PictureShape& wanted,
              FilesPtr files)
      : WholeStage(pipeline, "decode", std::move(inputs)), wanted_(wanted), files_(std::move(files)) {}
  void describe(profile::StageFacts& facts) const override {
    facts.kind = profile::StageKind::decode;
    facts.pure = true;
  }

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

FilesPtr files_below(const Node& node) {
  if (const auto* files = dynamic_cast<const FileNode*>(&node)) return files->files();
  const std::vector<const Node*> inputs = node.inputs();
  return inputs.empty() ? nullptr : files_below(*inputs[0]);
}

class DecodeNode final : public Transform {
 public:
  DecodeNode(NodePtr input, const PictureShape& wanted) : Transform(std::move(input)), wanted_(wanted) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<DecodeStage>(pipeline, open_input(pipeline), wanted_, files_below(input()));
  }
  std::string describe() const override {
    return cat("decode(", wanted_.channels, wanted_.reduced_decode ? ", reduced" : "",
               wanted_.apply_orientation ? ", turned)" : ")");
  }

 private:
  PictureShape wanted_;
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

bool decodes_files(const Node& node) {
  if (!dynamic_cast<const DecodeNode*>(&node)) return false;
  const Node* below = node.inputs()[0];
  while (below->keeps() == Keeps::tickets) below = below->inputs()[0];
  return dynamic_cast<const FileNode*>(below) != nullptr;
}

NodePtr decoded(NodePtr files, const PictureShape& wanted) {
  return std::make_shared<DecodeNode>(std::move(files), wanted);
}

}  // namespace brio::data
