// A list of plain values that grows at its end, for data that is written with every op. Room is made once for all
// that an op appends; each append is then a single store.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace brio {

template <typename T>
class Stack {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  size_t size() const { return static_cast<size_t>(end_ - begin()); }
  bool empty() const { return end_ == begin(); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_.get(); }
  T* end() { return end_; }
  const T* begin() const { return data_.get(); }
  const T* end() const { return end_; }

  void make_room(size_t n) {
    if (static_cast<size_t>(limit_ - end_) < n) [[unlikely]]
      grow(n);
  }
  void push(const T& value) { *end_++ = value; }  // the caller has made room
  void push_back(const T& value) {
    make_room(1);
    push(value);
  }
  void clear() { end_ = begin(); }

 private:
  [[gnu::noinline]] void grow(size_t n) {
    const size_t used = size(), capacity = std::max(2 * used + 16, used + n);
    std::unique_ptr<T[]> larger(new T[capacity]);
    std::copy_n(begin(), used, larger.get());
    data_ = std::move(larger);
    end_ = begin() + used;
    limit_ = begin() + capacity;
  }

  std::unique_ptr<T[]> data_;
  T* end_ = nullptr;
  T* limit_ = nullptr;
};

}  // namespace brio
