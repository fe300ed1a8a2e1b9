"""PyTorch: eager; variant "compile" runs the step through torch.compile."""

import os

import torch
from torch import nn

import timing
from timing import measure, time_epochs


def maybe_compile(step, variant):
    return torch.compile(step) if variant == "compile" else step


def time_steps(step, unit, **options):
    def run(n):
        for _ in range(n):
            step()

    return measure(run, unit, **options)


def gd():
    x, y = torch.tensor(timing.GD_X, dtype=torch.float32), torch.tensor(timing.GD_Y, dtype=torch.float32)
    theta = torch.zeros(2, requires_grad=True)
    optimizer = torch.optim.SGD([theta], lr=timing.GD_RATE)

    def step():
        optimizer.zero_grad()
        loss = torch.mean(torch.square(x @ theta - y))
        loss.backward()
        optimizer.step()

    return time_steps(step, "us")


def mlp_model():
    model = nn.Sequential(nn.Linear(timing.MLP_IN, timing.MLP_HIDDEN), nn.ReLU(), nn.Linear(timing.MLP_HIDDEN, 1))
    return model, torch.optim.Adam(model.parameters()), nn.BCEWithLogitsLoss()


def train_step(model, optimizer, loss_function):
    def step(x, y):
        optimizer.zero_grad()
        out = model(x)
        loss = loss_function(out, y)
        loss.backward()
        optimizer.step()
        return out, loss

    return step


def mlp_data(rows=timing.MLP_BATCH):
    return torch.rand(rows, timing.MLP_IN), (torch.rand(rows, 1) > 0.5).float()


def mlp(variant=""):
    x, y = mlp_data()
    step = maybe_compile(train_step(*mlp_model()), variant)
    return time_steps(lambda: step(x, y), "us")


def start():
    return {"loss": train_step(*mlp_model())(*mlp_data())[1].item()}


def fit():
    step = train_step(*mlp_model())
    data = torch.utils.data.TensorDataset(*mlp_data(timing.FIT_ROWS))
    loader = torch.utils.data.DataLoader(data, batch_size=timing.MLP_BATCH, shuffle=True)

    def epoch():
        correct = torch.zeros((), dtype=torch.int64)
        for x, y in loader:
            out, _ = step(x, y)
            correct += ((out > 0) == (y > 0.5)).sum()  # a logit above 0 is a probability above ½
        return correct.item() / len(data)

    return time_steps(epoch, "ms")


def wide(variant=""):
    first, *hidden, last = timing.WIDE_LAYERS
    layers, size = [], first
    for width in hidden:
        layers += [nn.Linear(size, width), nn.ReLU()]
        size = width
    model = nn.Sequential(*layers, nn.Linear(size, last))
    optimizer = torch.optim.SGD(model.parameters(), lr=timing.WIDE_RATE)
    x = torch.randn(timing.WIDE_BATCH, first)
    y = torch.randint(last, (timing.WIDE_BATCH,))
    step = maybe_compile(train_step(model, optimizer, nn.CrossEntropyLoss()), variant)
    return time_steps(lambda: step(x, y), "ms")


def lstm_layer():
    layer = nn.LSTM(timing.LSTM_FEATURES, timing.LSTM_UNITS, batch_first=True)
    x = torch.randn(timing.LSTM_BATCH, timing.LSTM_TIME, timing.LSTM_FEATURES)
    return time_steps(lambda: torch.autograd.grad(torch.mean(torch.square(layer(x)[0])), layer.parameters()), "ms")


def network(name, variant=""):
    import torch_networks

    return time_steps(torch_networks.training_step(name, variant == "compile"), "ms")


def embedding_step(sparse, make_optimizer, unit):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(timing.EMBEDDING_ROWS, timing.EMBEDDING_WIDTH, sparse=sparse)
            self.dense = nn.Linear(timing.EMBEDDING_WIDTH, 1)

        def forward(self, words):
            return self.dense(self.embedding(words).mean(1))

    model = Model()
    step = train_step(model, make_optimizer(model.parameters()), nn.BCEWithLogitsLoss())
    x = torch.randint(timing.EMBEDDING_ROWS, timing.EMBEDDING_BATCH)
    y = (torch.rand(timing.EMBEDDING_BATCH[0], 1) > 0.5).float()
    return time_steps(lambda: step(x, y), unit)


def embedding():
    return embedding_step(True, lambda weights: torch.optim.SGD(weights, lr=timing.EMBEDDING_RATE), "us")


def embedding_adam():  # dense: SparseAdam leaves the rows that were not looked up as they are, which is not Adam
    return embedding_step(False, lambda weights: torch.optim.Adam(weights, fused=True), "ms")


def chain(variant=""):
    x = torch.randn(timing.CHAIN_ELEMENTS)

    def step(x):
        a = x * 1.5 + 0.5
        b = torch.relu(a)
        c = torch.sqrt(b + 1)
        d = c * x
        e = d - a
        f = torch.abs(e)
        g = torch.clamp_max(f, 10)
        return torch.mean(g * g)

    step = maybe_compile(step, variant)
    return time_steps(lambda: step(x).item(), "ms")


def xent(variant=""):
    logits = torch.randn(timing.XENT_ROWS, timing.XENT_CLASSES, requires_grad=True)
    labels = torch.randint(timing.XENT_CLASSES, (timing.XENT_ROWS,))

    def step(logits, labels):
        loss = nn.functional.cross_entropy(logits, labels)
        return loss, torch.autograd.grad(loss, logits)[0]

    if variant == "compile":  # torch.compile wants the backward pass outside: compile the loss, and so its gradient
        loss_function = torch.compile(nn.functional.cross_entropy)

        def step(logits, labels):
            loss = loss_function(logits, labels)
            return loss, torch.autograd.grad(loss, logits)[0]

    return time_steps(lambda: step(logits, labels), "ms", budget=4)


def attention(variant="", shape=timing.ATTENTION_LONG):
    batch, length, heads, depth = shape
    q, k, v = (torch.randn(batch, heads, length, depth, requires_grad=True) for _ in range(3))
    cotangent = torch.randn(batch, heads, length, depth)
    attend = maybe_compile(nn.functional.scaled_dot_product_attention, variant)

    def step():
        return torch.autograd.grad(attend(q, k, v, is_causal=True), (q, k, v), cotangent)

    return time_steps(step, "ms")


def attention_short(variant=""):
    return attention(variant, timing.ATTENTION_SHORT)


def adam(variant=""):
    tensors = range(timing.ADAM_TENSORS)
    parameters = [nn.Parameter(torch.randn(timing.ADAM_SIZE)) for _ in tensors]
    for p in parameters:
        p.grad = torch.randn(timing.ADAM_SIZE)
    optimizer = torch.optim.Adam(parameters, fused=variant != "compile")
    step = maybe_compile(lambda: optimizer.step(), variant)
    return time_steps(step, "ms")


class Photos(torch.utils.data.Dataset):
    """Photos of a folder as float pictures, by Pillow: what torchvision's folder does."""

    def __init__(self, folder):
        self.paths = sorted(folder.glob("*/*.jpg"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        import numpy
        import PIL.Image

        with PIL.Image.open(self.paths[i]) as photo:
            resized = photo.convert("RGB").resize(timing.PHOTO_SIZE, PIL.Image.Resampling.BILINEAR)
        return torch.from_numpy(numpy.array(resized)).float()


class TrainingPhotos(Photos):
    mean, deviation = torch.tensor(timing.PHOTO_MEAN), torch.tensor(timing.PHOTO_DEVIATION)

    def __getitem__(self, i):
        photo = super().__getitem__(i)
        if torch.rand(()) < 0.5:
            photo = photo.flip(1)
        return (photo - self.mean) / self.deviation


def jpeg(photos=Photos):
    loader = torch.utils.data.DataLoader(
        photos(timing.DATA / "clothing" / "train"),
        batch_size=timing.PHOTO_BATCH,
        shuffle=True,
        num_workers=len(os.sched_getaffinity(0)),
        persistent_workers=True,
    )
    return time_epochs(loader, "ms")


def jpeg_train():
    return jpeg(TrainingPhotos)


def rows():
    data = torch.utils.data.TensorDataset(torch.randn(timing.ROWS, timing.ROW_WIDTH))
    loader = torch.utils.data.DataLoader(data, batch_size=timing.ROW_BATCH, shuffle=True)
    return time_epochs(loader, "us", len(loader))


def rows_map():
    mean, deviation = torch.randn(timing.ROW_WIDTH), torch.randn(timing.ROW_WIDTH).exp()

    class Normalised(torch.utils.data.Dataset):
        x = torch.randn(timing.ROWS, timing.ROW_WIDTH)

        def __len__(self):
            return timing.ROWS

        def __getitem__(self, i):
            return torch.relu((self.x[i] - mean) / deviation)

    loader = torch.utils.data.DataLoader(Normalised(), batch_size=timing.ROW_BATCH, shuffle=True)
    return time_epochs(loader, "us", len(loader))


def shuffle():
    class Numbers(torch.utils.data.Dataset):
        def __len__(self):
            return timing.SHUFFLED

        def __getitem__(self, i):
            return i

    def first():
        next(iter(torch.utils.data.DataLoader(Numbers(), batch_size=timing.ROW_BATCH, shuffle=True)))

    return time_steps(first, "ms")


if __name__ == "__main__":
    names = (
        gd,
        mlp,
        fit,
        wide,
        lstm_layer,
        embedding,
        embedding_adam,
        chain,
        xent,
        attention,
        attention_short,
        adam,
        jpeg,
        rows,
        jpeg_train,
        rows_map,
        shuffle,
        start,
    )
    timing.main(
        torch.__version__,
        {"gd_function": gd, "packed": jpeg, **timing.networks(network), **{f.__name__: f for f in names}},
    )
