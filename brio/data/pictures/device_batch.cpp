#include "brio/data/pictures/device_batch.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "brio/base/error.h"
#include "brio/data/pictures/picture_stages.h"
#include "brio/data/transforms/batch.h"
#include "brio/formats/plain_jpeg.h"
#include "brio/runtime/backend.h"
#include "brio/runtime/device_pictures.h"

namespace brio::data {
namespace {

DevicePictures::Wanted wanted_of(const PictureShape& shape, const PictureFinish& finish) {
  DevicePictures::Wanted wanted{.height = shape.height,
                                .width = shape.width,
                                .dtype = finish.result(shape.dtype),
                                .rounded = shape.dtype == u8,
                                .scaled = false,
                                .steps = {}};
  for (const PictureFinish::Arithmetic& step : finish.arithmetic) {
    // As PictureFinisher: bytes are scaled before they are normalised.
    if (wanted.steps.empty()) wanted.scaled = step.normalizes && shape.dtype == u8;
    DevicePictures::Step& made = wanted.steps.emplace_back();
    made.normalizes = step.normalizes;
    for (size_t c = 0; c < 3; ++c) {
      made.a[c] = step.a[c % step.a.size()];
      made.b[c] = step.b[c % step.b.size()];
    }
  }
  return wanted;
}

// What the parts of a batch leave for its end.
struct DeviceBatch {
  struct Row {
    Element file;                            // its bytes, then labels
    std::optional<formats::PlainJpeg> jpeg;  // none: the host makes it
    BufferRef made;                          // by the host, in staging memory
  };
  std::vector<Row> rows;
};

class DeviceBatchStage final : public FollowingStage {
 public:
  DeviceBatchStage(Pipeline& pipeline, std::unique_ptr<Stage> batch, PictureRowsStage& pictures, Device& device,
                   std::string about)
      : FollowingStage(pipeline, cat("batch on ", device.name()), list_of(std::move(batch))),
        pictures_(pictures),
        files_(*pictures.inputs()[0]->inputs()[0]),
        device_(device),
        about_(std::move(about)),
        wanted_(wanted_of(pictures.wanted(), pictures.finished_as())),
        row_{{wanted_.height, wanted_.width, 3}, wanted_.dtype} {}

  bool has_work() const override { return true; }
  void describe(profile::StageFacts& facts) const override {
    facts.kind = profile::StageKind::decode;
    facts.pure = true;
  }
  std::string choice() const override {
    const std::lock_guard lock(mutex_);
    return cat(about_, "; ", by_device_.load(), " pictures so far, and ", by_host_.load(), " by the host",
               refused_.empty() ? "" : ", after a batch was refused: ", refused_);
  }

  int64_t parts(const Ticket& ticket) const override {
    return (static_cast<int64_t>(ticket.count) + kRowsAPart - 1) / kRowsAPart;
  }
  void start(Ticket& ticket, Element&, Worker&) override {
    auto batch = std::make_shared<DeviceBatch>();
    batch->rows.resize(ticket.count);
    ticket.shared = std::move(batch);
  }
  void compute_part(Ticket& ticket, int64_t part, Element&, Worker& worker) override {
    const auto first = static_cast<size_t>(part * kRowsAPart);
    for (size_t row = first; row < std::min(ticket.count, first + kRowsAPart); ++row) read(ticket, row, worker);
  }
  void finish(Ticket& ticket, Element& out, Worker& worker) override {
    const std::shared_ptr<DeviceBatch> batch = batch_of(ticket);
    ticket.shared.reset();
    make(ticket, batch, out, worker);
  }
  void compute(Ticket& ticket, Element& out, Worker& worker) override {
    start(ticket, out, worker);
    for (int64_t part = 0; part < parts(ticket); ++part) compute_part(ticket, part, out, worker);
    finish(ticket, out, worker);
  }

 private:
  static constexpr int64_t kRowsAPart = 8;
  static std::vector<std::unique_ptr<Stage>> list_of(std::unique_ptr<Stage> only) {
    std::vector<std::unique_ptr<Stage>> list;
    list.push_back(std::move(only));
    return list;
  }
  static std::shared_ptr<DeviceBatch> batch_of(const Ticket& ticket) {
    return std::static_pointer_cast<DeviceBatch>(ticket.shared);
  }

  void read(Ticket& ticket, size_t place, Worker& worker) {
    DeviceBatch::Row& row = batch_of(ticket)->rows[place];
    files_.make(ticket.inner[place], row.file, worker);
    const std::string_view bytes(row.file.as<char>(0), row.file.aval(0).bytes());
    row.jpeg = formats::plain_jpeg(bytes);
    if (row.jpeg && (!within_limits(bytes, *row.jpeg) || !device_.pictures()->takes(bytes))) row.jpeg.reset();
    if (!row.jpeg) make_on_host(ticket, place, row, worker);
  }
  // Otherwise the host says what is wrong with it.
  bool within_limits(std::string_view bytes, const formats::PlainJpeg& jpeg) const {
    formats::PictureInfo info;
    info.height = jpeg.height;
    info.width = jpeg.width;
    info.channels = 3;
    try {
      formats::check_limits(info, bytes.size(), 3, pictures_.wanted().limits, {});
      return true;
    } catch (const formats::DataError&) {
      return false;
    }
  }
  // The picture as the stages below make it, from its file on.
  void make_on_host(Ticket& ticket, size_t place, DeviceBatch::Row& row, Worker& worker) const {
    row.made = BufferRef::allocate(row_.bytes(), Owner::input, device_.staging());
    Element& made = scratch(worker);
    const struct Offers {
      Element& element;
      ~Offers() { element.withdraw_offers(); }
    } offers{made};
    made.offer(0, &row_, row.made->data());
    pictures_.make(ticket.inner[place], made, worker);
    BRIO_CHECK(made.in_place(0), "a picture of the host is not what a device's batch expects");
  }

  void make(Ticket& ticket, const std::shared_ptr<DeviceBatch>& batch, Element& out, Worker& worker) {
    const Aval all = stacked(name(), row_, ticket.count);
    const BufferRef whole = BufferRef::allocate(all.bytes(), Owner::input, device_.memory());
    Stream& stream = device_.stream();
    BufferUses uses(stream);
    uses.add(whole.get());
    make_by_device(ticket, batch, whole->data(), stream, worker);
    int64_t by_host = 0;
    for (size_t place = 0; place < ticket.count; ++place) {
      const BufferRef& made = batch->rows[place].made;
      if (!made) continue;
      stream.copy_from_staging(static_cast<char*>(whole->data()) + place * row_.bytes(), made->data(), row_.bytes());
      device_.traffic.count_in(row_.bytes());
      ++by_host;
    }
    stream.keep(batch);  // with the rows that it still has to read
    uses.publish();
    by_host_.fetch_add(by_host, std::memory_order_relaxed);
    by_device_.fetch_add(static_cast<int64_t>(ticket.count) - by_host, std::memory_order_relaxed);
    pass_labels(ticket, *batch, out);
    out.share(0, {all, whole, 0});
  }
  void make_by_device(Ticket& ticket, const std::shared_ptr<DeviceBatch>& batch, void* whole, Stream& stream,
                      Worker& worker) {
    std::vector<DevicePictures::Picture> pictures;
    for (size_t place = 0; place < ticket.count; ++place)
      if (batch->rows[place].jpeg) pictures.push_back(picture_of(ticket, place, batch->rows[place]));
    if (pictures.empty()) return;
    const std::string refused = device_.pictures()->make(pictures, wanted_, whole, stream, batch);
    if (refused.empty()) return;
    note(refused);
    for (const DevicePictures::Picture& picture : pictures) {
      const auto place = static_cast<size_t>(picture.place);
      make_on_host(ticket, place, batch->rows[place], worker);
    }
  }
  DevicePictures::Picture picture_of(const Ticket& ticket, size_t place, const DeviceBatch::Row& row) const {
    const formats::Window window = window_of({row.jpeg->height, row.jpeg->width, 3}, pictures_.wanted());
    const PictureFinish::Turn turn = pictures_.finished_as().turn_of(ticket.inner[place]);
    return {.file = {row.file.as<char>(0), row.file.aval(0).bytes()},
            .height = row.jpeg->height,
            .width = row.jpeg->width,
            .across = row.jpeg->across,
            .down = row.jpeg->down,
            .top = window.top,
            .left = window.left,
            .rows = window.height,
            .columns = window.width,
            .mirrored = turn.horizontal,
            .upside_down = turn.vertical,
            .place = static_cast<int64_t>(place)};
  }
  void note(const std::string& refused) {
    const std::lock_guard lock(mutex_);
    if (refused_.empty()) refused_ = refused;
  }
  // Of one kind in all files of a folder.
  void pass_labels(const Ticket& ticket, const DeviceBatch& batch, Element& out) const {
    const Element& first = batch.rows[0].file;
    out.resize(first.size());
    for (size_t k = 1; k < first.size(); ++k) {
      auto* const to = static_cast<char*>(out.write(k, stacked(name(), first.aval(k), ticket.count)));
      const size_t bytes = first.aval(k).bytes();
      for (size_t place = 0; place < ticket.count; ++place)
        std::memcpy(to + place * bytes, batch.rows[place].file.data(k), bytes);
    }
  }

  PictureRowsStage& pictures_;  // that makes a row on the host
  Stage& files_;                // below it
  Device& device_;
  const std::string about_;
  const DevicePictures::Wanted wanted_;
  const Aval row_;
  std::atomic<int64_t> by_device_{0}, by_host_{0};
  mutable std::mutex mutex_;
  std::string refused_;  // why the first batch was that the device did not make after all
};

}  // namespace

const Node* batch_for_device(const Node& root, std::string& why) {
  const Node* node = &root;
  while (node->keeps() != Keeps::nothing) node = node->inputs()[0];
  const auto* const batch = dynamic_cast<const BatchNode*>(node);
  const auto* const pictures = batch ? dynamic_cast<const PictureRowsNode*>(batch->inputs()[0]) : nullptr;
  if (!pictures || !batch->is_plain()) {
    why = "no batch() of pictures is the last step that looks at them";
    return nullptr;
  }
  why = pictures->obstacle_for_devices();
  return why.empty() ? batch : nullptr;
}

std::unique_ptr<Stage> batch_on_device(Pipeline& pipeline, std::unique_ptr<Stage> batch, Device& device,
                                       std::string about) {
  auto* const pictures = dynamic_cast<PictureRowsStage*>(batch->inputs()[0].get());
  BRIO_CHECK(pictures, "a batch for a device is not one of pictures");
  return std::make_unique<DeviceBatchStage>(pipeline, std::move(batch), *pictures, device, std::move(about));
}

}  // namespace brio::data
