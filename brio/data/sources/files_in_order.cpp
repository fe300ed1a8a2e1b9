#include "brio/data/sources/files_in_order.h"

#include "brio/base/error.h"
#include "brio/data/engine/restore_time.h"

namespace brio::data {

void FilesInOrder::to_file(size_t file) {
  reader_.reset();
  file_ = file;
  in_file_ = 0;
}

bool FilesInOrder::advance(Ticket& ticket, bool (ElementReader::*step)(Element&)) {
  ticket.error = nullptr;
  ticket.element.resize(0);
  for (;;) {
    if (file_ == files_.size()) return false;
    try {
      if (!reader_) reader_ = open_(files_[file_]);
      if (!((*reader_).*step)(ticket.element)) {
        to_file(file_ + 1);
        continue;
      }
      ++in_file_;
    } catch (...) {
      ticket.error = std::current_exception();
      if (!reader_ || reader_->lost()) to_file(file_ + 1);
      else ++in_file_;
    }
    place_.take(ticket);
    return true;
  }
}

int64_t FilesInOrder::skip(int64_t n) {
  Ticket passed;
  for (int64_t i = 0; i < n; ++i) {
    if (i % 64 == 0) pipeline_.replay->check();
    if (!advance(passed, &ElementReader::skip)) return i;
  }
  return n;
}

void FilesInOrder::compute(Ticket& ticket, Element& out, Worker&) {
  if (ticket.error) std::rethrow_exception(ticket.error);
  out.resize(ticket.element.size());
  for (size_t i = 0; i < ticket.element.size(); ++i) out.take(i, ticket.element, i);
}

void FilesInOrder::reset(uint64_t epoch) {
  to_file(0);
  place_.begin(epoch);
}

void FilesInOrder::save(StateWriter& state) const {
  place_.save(state);
  state.number(file_);
  state.number(static_cast<uint64_t>(in_file_));
  state.number(reader_ ? reader_->position() : 0);
}

void FilesInOrder::restore(StateReader& state) {
  reset(state.number());
  const int64_t at = state.count();
  to_file(static_cast<size_t>(state.count(static_cast<int64_t>(files_.size()))));
  const int64_t in_file = state.count();
  const uint64_t position = state.number();
  place_.at = at;
  if (in_file == 0) return;
  if (file_ == files_.size()) StateReader::refuse("it lies behind the last file");
  reader_ = open_(files_[file_]);
  if (reader_->seeks()) {
    reader_->seek(position);
    in_file_ = in_file;
    return;
  }
  const size_t file = file_;
  place_.at -= in_file;
  if (skip(in_file) != in_file || file_ != file)
    StateReader::refuse(cat(files_[file], " now has fewer elements than were read of it"));
}

namespace {

class FilesNode final : public Node {
 public:
  FilesNode(std::string name, std::string text, std::vector<std::string> files, Structure structure, OpenReader open)
      : name_(std::move(name)),
        text_(std::move(text)),
        files_(std::move(files)),
        structure_(std::move(structure)),
        open_(std::move(open)) {}
  std::unique_ptr<Stage> open(Pipeline& pipeline) const override {
    return std::make_unique<FilesInOrder>(pipeline, name_, files_, open_);
  }
  std::string describe() const override { return text_; }
  Structure structure() const override { return structure_; }
  int64_t cardinality() const override { return kUnknown; }

 private:
  std::string name_, text_;
  std::vector<std::string> files_;
  Structure structure_;
  OpenReader open_;
};

}  // namespace

Dataset files_in_order(std::string name, std::string text, std::vector<std::string> files, Structure structure,
                       OpenReader open) {
  return Dataset(std::make_shared<FilesNode>(std::move(name), std::move(text), std::move(files), std::move(structure),
                                             std::move(open)));
}

formats::ReadSome FileStream::read_some() {
  return [this](void* to, size_t bytes) {
    failed_ = true;
    const size_t got = stream_.read_some(to, bytes);
    failed_ = false;
    return got;
  };
}

}  // namespace brio::data
