// Decoded pictures of any sizes to a batch (…, height, width, 3): what brio/data/pictures does on the host (bilinear.cpp,
// picture_finish.cpp), number by number, from the pixels that libjpeg would make of the same samples.
struct Picture {
  const u8* luma;  // or pixels of three bytes, where `across` is negative
  const u8 *blue, *red;
  i32 pitch, chroma_pitch, chroma_height, chroma_width;
  i32 across, down;                // how often chroma is halved
  i32 top, left, height, width;    // the window that is resized
  i32 mirrored, upside_down;
  i64 place;  // in the batch
};
struct PictureStep {
  i32 normalizes;  // (x - a) / b, otherwise x * a + b
  f32 a[3], b[3];
};
struct WantedPictures {
  i32 height, width;
  i32 rounded, scaled;  // to whole numbers from 0 to 255; then by 1/255
  i32 steps;
  PictureStep step[4];
};

DEVICE i32 limited(i32 x, i32 low, i32 high) { return x < low ? low : x > high ? high : x; }

// Chroma where luma is, as libjpeg smooths it: three quarters of the nearest sample and one of the next, in each
// direction. Beyond the edge lies the edge's own sample.
DEVICE i32 smooth_chroma(const u8* plane, const Picture& p, i32 y, i32 x) {
  const i32 cy = y >> p.down, cx = x >> p.across;
  const u8* const near_row = plane + (i64)cy * p.chroma_pitch;
  const i32 beside = limited(x & 1 ? cx + 1 : cx - 1, 0, p.chroma_width - 1);
  if (!p.down) {
    if (!p.across) return near_row[cx];
    return (3 * near_row[cx] + near_row[beside] + (x & 1 ? 2 : 1)) >> 2;
  }
  const i32 over = limited(y & 1 ? cy + 1 : cy - 1, 0, p.chroma_height - 1);
  const u8* const far_row = plane + (i64)over * p.chroma_pitch;
  const i32 here = 3 * near_row[cx] + far_row[cx];
  if (!p.across) return (here + (y & 1 ? 2 : 1)) >> 2;
  const i32 there = 3 * near_row[beside] + far_row[beside];
  return (3 * here + there + (x & 1 ? 7 : 8)) >> 4;
}

struct Pixel {
  f32 c[3];
};
DEVICE f32 as_byte(i32 x) { return (f32)limited(x, 0, 255); }
DEVICE Pixel pixel_at(const Picture& p, i32 y, i32 x) {
  y += p.top;
  x += p.left;
  if (p.across < 0) {
    const u8* const at = p.luma + (i64)y * p.pitch + 3 * x;
    return {{(f32)at[0], (f32)at[1], (f32)at[2]}};
  }
  const i32 luma = p.luma[(i64)y * p.pitch + x];
  const i32 blue = smooth_chroma(p.blue, p, y, x) - 128, red = smooth_chroma(p.red, p, y, x) - 128;
  // JPEG's own matrix in 16 bits behind the point.
  return {{as_byte(luma + ((91881 * red + 32768) >> 16)), as_byte(luma + ((-22554 * blue - 46802 * red + 32768) >> 16)),
           as_byte(luma + ((116130 * blue + 32768) >> 16))}};
}

// Where pixel i of `to` lies among `from`.
struct Between {
  i32 low, high;
  f32 share;
};
DEVICE Between between(i32 i, i32 from, i32 to) {
  const f32 scale = (f32)from / (f32)to;
  const f32 at = ((f32)i + 0.5f) * scale - 0.5f, whole = floorf(at);
  return {limited((i32)whole, 0, from - 1), limited((i32)ceilf(at), 0, from - 1), at - whole};
}

DEVICE f32 finished(f32 x, int channel, const WantedPictures& w) {
  if (w.rounded) {
    x = x > 0.0f ? x < 255.0f ? x : 255.0f : 0.0f;
    const f32 whole = (f32)(i32)x;
    x = whole + (x - whole >= 0.5f ? 1.0f : 0.0f);
  }
  if (w.scaled) x = x * (1.0f / 255);
  for (int i = 0; i < w.steps; ++i) {
    const PictureStep& step = w.step[i];
    x = step.normalizes ? (x - step.a[channel]) / step.b[channel] : x * step.a[channel] + step.b[channel];
  }
  return x;
}
template <typename T> DEVICE T stored(f32 x) { return narrow<T>(x); }
template <> DEVICE u8 stored<u8>(f32 x) { return (u8)x; }

// A picture for each y of the grid, a thread for each pixel of the result.
template <typename T> DEVICE void make_pictures(T* batch, const Picture* pictures, const WantedPictures& w) {
  const i32 i = (i32)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= w.height * w.width) return;
  const Picture p = pictures[blockIdx.y];
  const i32 y = i / w.width, x = i - y * w.width;
  const Between row = between(p.upside_down ? w.height - 1 - y : y, p.height, w.height);
  const Between column = between(p.mirrored ? w.width - 1 - x : x, p.width, w.width);
  const Pixel corners[4] = {pixel_at(p, row.low, column.low), pixel_at(p, row.high, column.low),
                            pixel_at(p, row.low, column.high), pixel_at(p, row.high, column.high)};
  T* const to = batch + (p.place * w.height * w.width + i) * 3;
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const f32 left = corners[0].c[c] + (corners[1].c[c] - corners[0].c[c]) * row.share;
    const f32 right = corners[2].c[c] + (corners[3].c[c] - corners[2].c[c]) * row.share;
    to[c] = stored<T>(finished(left + (right - left) * column.share, c, w));
  }
}
