// Functions whose result is rounded to 16 bits at once: as exact as that asks for, some 2^-17 of the result, and a few
// instructions long, where those of the device's library are exact to the last bit of 32. quick_exp2 and
// quick_reciprocal (prelude.cuh) are instructions of the GPU. A test on the host takes all 16-bit numbers through them.
DEVICE f32 short_exp(f32 x) { return quick_exp2(x * 1.44269504f); }
DEVICE f32 short_sigmoid(f32 x) { return quick_reciprocal(1.0f + quick_exp2(x * -1.44269504f)); }
// Below 0 it is exp(-x² / 2) times a ratio that falls from 1/2 towards 0: a polynomial of 1 / (1 + a |x|), fitted so
// that its largest error is as small as can be, 2^-18. Above 0 it is the rest to 1.
DEVICE f32 short_ndtr(f32 x) {
  const f32 t = quick_reciprocal(fmaf(fabsf(x), 0.308f, 1.0f));
  f32 ratio = -0.0755323991f;
  ratio = fmaf(ratio, t, 0.189909741f);
  ratio = fmaf(ratio, t, 0.00695699267f);
  ratio = fmaf(ratio, t, 0.136695102f);
  ratio = fmaf(ratio, t, 0.118842497f);
  ratio = fmaf(ratio, t, 0.123126164f);
  const f32 below = quick_exp2(x * x * -0.721347520f) * (ratio * t);
  return x > 0.0f ? 1.0f - below : below;
}
