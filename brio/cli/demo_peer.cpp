#include "brio/cli/demo_peer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "brio/brio.h"
#include "brio/cli/demo_pictures.h"
#include "brio/formats/file.h"
#include "brio/formats/npy.h"

namespace brio::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kPeerBatch = 32, kPeerBatches = 8;
constexpr double kRate = 1e-3, kDecay = 0.05;

// Arguments: the model's file, and that of the pictures; picture i shows shape i modulo 4. Prints a name and seconds.
constexpr const char* kScript = R"PY(
import sys, time
try:
    import numpy as np
except ImportError:
    sys.exit(3)
path, x = sys.argv[1], np.load(sys.argv[2])
y, batch = np.arange(len(x)) % 4, 32

def timed(work, most):
    work()
    times = []
    while len(times) < most and sum(times) < 4:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]

def tensorflow():
    import tensorflow as tf
    whole = tf.keras.models.load_model(path, compile=False)
    layers = [layer for layer in whole.layers if not type(layer).__name__.startswith("Random")]
    model = tf.keras.Sequential([tf.keras.Input(x.shape[1:]), *layers])
    model.compile(tf.keras.optimizers.AdamW(1e-3, weight_decay=0.05), "sparse_categorical_crossentropy")
    seconds = timed(lambda: model.fit(x, y, batch_size=batch, verbose=0), 5)
    return "TensorFlow " + tf.__version__, seconds / (len(x) // batch)

class Net:
    """Convolutions with batch normalization, ReLU and pooling; the mean of each channel, dropout, a dense layer."""

    def __init__(self, filters, classes):
        rng, before = np.random.default_rng(0), 3
        self.rng, self.p, self.t, self.filters = rng, [], 0, filters
        for count in filters:
            self.p += [self.draw(9 * before, count), np.ones(count, "f4"), np.zeros(count, "f4")]
            before = count
        self.p += [self.draw(before, classes), np.zeros(classes, "f4")]
        self.m, self.v = [np.zeros_like(p) for p in self.p], [np.zeros_like(p) for p in self.p]
        self.moving = [[np.zeros(count, "f4"), np.ones(count, "f4")] for count in filters]

    def draw(self, rows, columns):
        return self.rng.standard_normal((rows, columns), dtype="f4") * np.float32((2 / rows) ** 0.5)

    def step(self, x, y):
        x, kept = x / np.float32(127.5) - np.float32(1), []
        for i in range(len(self.filters)):
            w, scale, offset = self.p[3 * i:3 * i + 3]
            n, h, k, _ = x.shape
            padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
            columns = np.concatenate([padded[:, a:a + h, b:b + k] for a in range(3) for b in range(3)], -1).reshape(n * h * k, -1)
            z = columns @ w
            mean, variance = z.mean(0), z.var(0)
            for moving, now in zip(self.moving[i], (mean, variance)):
                moving += np.float32(0.1) * (now - moving)
            inverse = 1 / np.sqrt(variance + np.float32(1e-3))
            normal = (z - mean) * inverse
            a = np.maximum(normal * scale + offset, 0).reshape(n, h // 2, 2, k // 2, 2, -1)
            pooled = a.max((2, 4), keepdims=True)
            kept.append((columns, normal, inverse, a, pooled, x.shape))
            x = pooled[:, :, 0, :, 0]
        features = x.mean((1, 2))
        drop = (self.rng.random(features.shape, dtype="f4") > 0.3) / np.float32(0.7)
        logits = (features * drop) @ self.p[-2] + self.p[-1]
        e = np.exp(logits - logits.max(1, keepdims=True))
        g = e / e.sum(1, keepdims=True)
        g[np.arange(len(y)), y] -= 1
        g /= np.float32(len(y))
        gradients = [None] * len(self.p)
        gradients[-2], gradients[-1] = (features * drop).T @ g, g.sum(0)
        g = (g @ self.p[-2].T) * drop
        g = np.broadcast_to(g[:, None, None] / np.float32(x.shape[1] * x.shape[2]), x.shape)
        for i in reversed(range(len(self.filters))):
            columns, normal, inverse, a, pooled, (n, h, k, channels) = kept[i]
            w, scale, _ = self.p[3 * i:3 * i + 3]
            g = (g[:, :, None, :, None] * ((a == pooled) & (a > 0))).reshape(n * h * k, -1)
            gradients[3 * i + 1], gradients[3 * i + 2] = (g * normal).sum(0), g.sum(0)
            g = scale * inverse * (g - g.mean(0) - normal * (g * normal).mean(0))
            gradients[3 * i] = columns.T @ g
            if i == 0:
                break
            parts = (g @ w.T).reshape(n, h, k, 9, channels)
            padded = np.zeros((n, h + 2, k + 2, channels), "f4")
            for a in range(3):
                for b in range(3):
                    padded[:, a:a + h, b:b + k] += parts[:, :, :, 3 * a + b]
            g = padded[:, 1:-1, 1:-1]
        self.t += 1
        rate = np.float32(1e-3 * (1 - 0.999 ** self.t) ** 0.5 / (1 - 0.9 ** self.t))
        for p, m, v, g in zip(self.p, self.m, self.v, gradients):
            p -= p * np.float32(1e-3 * 0.05)
            m += (g - m) * np.float32(0.1)
            v += (g * g - v) * np.float32(0.001)
            p -= rate * m / (np.sqrt(v) + np.float32(1e-7))

def numpy():
    net = Net([32, 64, 128, 192], 4)
    def step():
        rows = net.rng.permutation(len(x))[:batch]
        net.step(x[rows], y[rows])
    return "NumPy " + np.__version__, timed(step, 15)

try:
    name, seconds = tensorflow()
except Exception:  # it is not there, or too old for the file
    name, seconds = numpy()
print(f"{seconds} {name}")
)PY";

Tensor pictures() {
  Array all = Array::allocate({Shape{kPeerBatch * kPeerBatches, kDemoSide, kDemoSide, 3}, f32});
  float* to = all.as<float>();
  for (int64_t i = 0; i < kPeerBatch * kPeerBatches; ++i)
    for (const uint8_t value : demo_picture(static_cast<size_t>(i % 4), static_cast<uint32_t>(10'000 + i)))
      *to++ = static_cast<float>(value);
  return Tensor(std::move(all));
}

// The layers but those that change pictures, which draw; the weights are shared: the model was saved before.
nn::Sequential without_augmentation(const nn::Model& model) {
  std::vector<nn::Layer> layers;
  for (const nn::Layer& layer : model.layers())
    if (!layer.module().kind().starts_with("Random")) layers.push_back(layer);
  return nn::Sequential(std::move(layers));
}

double seconds_of_step(const nn::Model& model, const Tensor& x) {
  Array labels = Array::allocate({Shape{kPeerBatch * kPeerBatches}, i32});
  for (int32_t i = 0; i < kPeerBatch * kPeerBatches; ++i) labels.as<int32_t>()[i] = i % 4;
  const Tensor y(std::move(labels));
  const nn::Sequential plain = without_augmentation(model);
  plain.compile({.optimizer = nn::AdamW(kRate, {.weight_decay = kDecay}), .loss = "sparse_categorical_crossentropy"});
  const auto epoch = [&] {
    const auto start = std::chrono::steady_clock::now();
    plain.fit(x, y, {.epochs = 1, .batch_size = kPeerBatch, .verbose = 0});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  epoch();
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) times.push_back(epoch());
  std::ranges::sort(times);
  return times[2] / kPeerBatches;
}

std::string in_quotes(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::optional<PeerTimes> time_peer(const std::string& python, const std::string& model_file, const nn::Model& model,
                                   const std::string& folder) {
  const fs::path own = fs::path(folder) / "peer";
  fs::create_directories(own);
  const std::string script = (own / "peer.py").string(), data = (own / "x.npy").string();
  const Tensor x = pictures();
  formats::write_file(script, kScript);
  formats::write_npy(data, x.array());
  const std::string command = cat("TF_CPP_MIN_LOG_LEVEL=3 timeout 60 ", in_quotes(python), " -B ", in_quotes(script),
                                  " ", in_quotes(model_file), " ", in_quotes(data), " 2>/dev/null");
  PeerTimes times{.rows = kPeerBatch};
  char name[64] = "";
  std::FILE* pipe = popen(command.c_str(), "r");
  const bool read = pipe && std::fscanf(pipe, "%lf %63[^\n]", &times.step, name) == 2;
  if (pipe) pclose(pipe);
  fs::remove_all(own);
  if (!read) return {};
  times.name = name;
  times.own_step = seconds_of_step(model, x);
  return times;
}

}  // namespace brio::cli
