// The fixed parts of a ZIP file.
#pragma once

#include <cstdint>

namespace brio::formats::zip {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr uint64_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocator64Bytes = 20;
constexpr uint16_t kStored = 0, kDeflated = 8, kEncrypted = 1, kExtra64 = 1;
// Sizes and offsets that do not fit their field stand in an extra one, which this says.
constexpr uint32_t kSee64 = 0xffffffff;

}  // namespace brio::formats::zip
