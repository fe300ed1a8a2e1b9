"""Golden values of optimizers, schedules and the loss scale; make_golden.py calls optimizer_files()."""

import inspect

import keras
import numpy as np
import tensorflow as tf

O = keras.optimizers  # noqa: E741  short for many rows
S = keras.optimizers.schedules
STEPS = 5

# What every optimizer is tried with, beside its own options below.
SHARED = [
    ("defaults", {}),
    ("clipnorm", {"clipnorm": 1.25}),
    ("clipvalue", {"clipvalue": 0.5}),
    ("global_clipnorm", {"global_clipnorm": 1.5}),
    ("weight_decay", {"weight_decay": 0.25}),
    ("weight_decay_not_b", {"weight_decay": 0.25, "exclude": "names"}),
    ("weight_decay_not_w", {"weight_decay": 0.25, "exclude": "variables"}),
    ("ema", {"use_ema": True, "ema_momentum": 0.75}),
    ("ema_overwrite", {"use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 2}),
    ("ema_finalized", {"use_ema": True, "finalize": True}),
    ("loss_scale_factor", {"loss_scale_factor": 4.0}),
    ("accumulate_2", {"gradient_accumulation_steps": 2}),
    (
        "accumulate_everything",
        {
            "gradient_accumulation_steps": 2,
            "clipnorm": 1.0,
            "weight_decay": 0.25,
            "loss_scale_factor": 2.0,
            "use_ema": True,
            "ema_momentum": 0.5,
            "ema_overwrite_frequency": 2,
            "schedule": True,
        },
    ),
    ("schedule", {"schedule": True}),
    ("missing_gradient", {"without_b_at": 3}),
    ("float64", {"dtype": "float64"}),
    ("bfloat16", {"dtype": "bfloat16"}),
    ("float16", {"dtype": "float16"}),
]

OWN = {
    "SGD": [
        ("momentum", {"momentum": 0.9}),
        ("nesterov", {"momentum": 0.9, "nesterov": True}),
        ("momentum_accumulate_3", {"momentum": 0.9, "gradient_accumulation_steps": 3}),
        (
            "missing_accumulate_ema",
            {
                "momentum": 0.9,
                "gradient_accumulation_steps": 2,
                "use_ema": True,
                "ema_momentum": 0.5,
                "without_b_at": 3,
            },
        ),
    ],
    "RMSprop": [
        ("momentum", {"momentum": 0.9}),
        ("centered", {"centered": True}),
        ("options", {"rho": 0.7, "epsilon": 1e-3}),
        ("centered_momentum", {"centered": True, "momentum": 0.5, "weight_decay": 0.25}),
    ],
    "Adam": [
        ("amsgrad", {"amsgrad": True}),
        ("options", {"beta_1": 0.8, "beta_2": 0.95, "epsilon": 1e-3}),
        ("amsgrad_ema_accumulate", {"amsgrad": True, "use_ema": True, "gradient_accumulation_steps": 2}),
    ],
    "AdamW": [("amsgrad", {"amsgrad": True}), ("options", {"beta_1": 0.8, "beta_2": 0.95, "epsilon": 1e-3})],
    "Adamax": [("options", {"beta_1": 0.8, "beta_2": 0.6, "epsilon": 1e-2})],
    "Nadam": [("options", {"beta_1": 0.8, "beta_2": 0.6, "epsilon": 1e-2})],
    "Adagrad": [
        ("options", {"initial_accumulator_value": 0.5, "epsilon": 1e-2}),
        ("from_zero", {"initial_accumulator_value": 0.0}),
    ],
    "Adadelta": [("options", {"rho": 0.5, "epsilon": 1e-2})],
    "Adafactor": [
        ("options", {"beta_2_decay": -0.5, "epsilon_1": 1e-4, "epsilon_2": 1e-1, "clip_threshold": 0.5}),
        ("absolute_step", {"relative_step": False}),
        ("rank_4", {"rank_4": True}),
        ("rank_4_accumulate", {"rank_4": True, "gradient_accumulation_steps": 2}),
    ],
    "Ftrl": [
        ("power", {"learning_rate_power": -0.75}),
        ("start", {"initial_accumulator_value": 0.5}),
        ("l1", {"l1_regularization_strength": 0.25}),
        ("l2", {"l2_regularization_strength": 0.25}),
        ("shrinkage", {"l2_shrinkage_regularization_strength": 0.25}),
        ("beta", {"beta": 0.5}),
        (
            "all",
            {
                "learning_rate_power": -0.25,
                "l1_regularization_strength": 0.1,
                "l2_regularization_strength": 0.2,
                "l2_shrinkage_regularization_strength": 0.3,
                "beta": 0.5,
            },
        ),
    ],
    "Lion": [("options", {"beta_1": 0.5, "beta_2": 0.8})],
    "Lamb": [("options", {"beta_1": 0.8, "beta_2": 0.6, "epsilon": 1e-2})],
    "Muon": [
        ("rank_4", {"rank_4": True}),
        ("plain_momentum", {"nesterov": False}),
        ("steps", {"ns_steps": 2, "muon_a": 3.0, "muon_b": -4.0, "muon_c": 2.0, "momentum": 0.8}),
        ("no_rms_rate", {"rms_rate": None}),
        ("wide", {"transposed": True}),
        (
            "adam",
            {
                "exclude_layers": "w",
                "adam_beta_1": 0.8,
                "adam_beta_2": 0.95,
                "epsilon": 1e-3,
                "adam_weight_decay": 0.5,
                "adam_lr_ratio": 0.5,
            },
        ),
    ],
}


def numbers(value):
    return np.asarray(tf.cast(value, tf.float32) if value.dtype in ("bfloat16", "float16", "float64") else value)


def follow(case, rng, name, kind, options):
    """Five steps; the outputs are the weights and, in order, everything the optimizer keeps."""
    options = dict(options)
    params = {"optimizer": kind.lower(), "learning_rate": 0.125}
    if "dtype" in options:  # 0.999 is 1 in bfloat16, and 1 - 1 a divisor; for float64 Keras rounds it to float32 first
        known = inspect.signature(getattr(O, kind)).parameters
        options.update(
            {k: v for k, v in (("beta_2", 0.875), ("adam_beta_2", 0.875), ("epsilon", 2.0**-7)) if k in known}
        )
    own = {
        k: options.pop(k)
        for k in ("exclude", "finalize", "schedule", "without_b_at", "dtype", "rank_4", "transposed")
        if k in options
    }
    params.update({k: ("none" if v is None else v) for k, v in options.items()})
    params.update({k: v for k, v in own.items() if k not in ("rank_4", "transposed")})
    shapes = {"w": (2, 3) if own.get("transposed") else (3, 2), "b": (2,)}
    if own.get("rank_4"):
        shapes["k"] = (2, 1, 2, 3)
    first = {k: np.round(rng.standard_normal(s), 3).astype(np.float32) for k, s in shapes.items()}
    gradients = {k: np.round(rng.standard_normal((STEPS, *s)), 3).astype(np.float32) for k, s in shapes.items()}
    gradients["w"][2, 0, 0] = 0
    dtype = own.get("dtype", "float32")
    rate = S.ExponentialDecay(0.125, 2, 0.5) if own.get("schedule") else 0.125
    if "exclude_layers" in options:
        options["exclude_layers"] = [options["exclude_layers"]]
    optimizer = getattr(O, kind)(rate, **options)
    variables = {k: keras.Variable(v, dtype=dtype, name=k) for k, v in first.items()}
    if own.get("exclude") == "names":
        optimizer.exclude_from_weight_decay(var_names=["^b"])
    elif own.get("exclude") == "variables":
        optimizer.exclude_from_weight_decay(var_list=[variables["w"]])
    for step in range(STEPS):
        pairs = [(tf.constant(gradients[k][step], dtype=dtype), v) for k, v in variables.items()]
        if step == own.get("without_b_at"):
            pairs[1] = (None, pairs[1][1])
        optimizer.apply_gradients(pairs)
    if own.get("finalize"):
        optimizer.finalize_variable_values(list(variables.values()))
    params["variables"] = ",".join(v.path.split("/")[-1] for v in optimizer.variables)
    outputs = {k: numbers(v.value) for k, v in variables.items()}
    outputs.update({f"state_{i}": numbers(v.value) for i, v in enumerate(optimizer.variables)})
    inputs = {**first, **{f"{k}_gradients": v for k, v in gradients.items()}}
    return case(f"{kind.lower()}/{name}", inputs, params, outputs)


def schedules(case):
    """The rate at ten steps."""
    table = [
        ("ExponentialDecay", {"decay_steps": 10, "decay_rate": 0.5}),
        ("ExponentialDecay", {"decay_steps": 10, "decay_rate": 0.5, "staircase": True}),
        ("InverseTimeDecay", {"decay_steps": 10, "decay_rate": 0.5}),
        ("InverseTimeDecay", {"decay_steps": 10, "decay_rate": 0.5, "staircase": True}),
        ("PolynomialDecay", {"decay_steps": 20}),
        ("PolynomialDecay", {"decay_steps": 20, "power": 2.0, "end_learning_rate": 0.01}),
        ("PolynomialDecay", {"decay_steps": 7, "cycle": True}),
        ("PolynomialDecay", {"decay_steps": 7, "cycle": True, "power": 0.5, "end_learning_rate": 0.01}),
        ("CosineDecay", {"decay_steps": 30}),
        ("CosineDecay", {"decay_steps": 30, "alpha": 0.25}),
        ("CosineDecay", {"decay_steps": 30, "warmup_target": 0.75, "warmup_steps": 10}),
        ("CosineDecay", {"decay_steps": 30, "warmup_target": 0.75, "warmup_steps": 10, "alpha": 0.1}),
        ("CosineDecay", {"decay_steps": 30, "warmup_target": 0.75, "warmup_steps": 0}),
        ("CosineDecayRestarts", {"first_decay_steps": 10}),
        ("CosineDecayRestarts", {"first_decay_steps": 10, "t_mul": 1.0}),
        ("CosineDecayRestarts", {"first_decay_steps": 10, "t_mul": 1.5, "m_mul": 0.5}),
        ("CosineDecayRestarts", {"first_decay_steps": 10, "t_mul": 1.0, "m_mul": 0.5, "alpha": 0.1}),
        ("CosineDecayRestarts", {"first_decay_steps": 5, "t_mul": 2.0, "m_mul": 0.9, "alpha": 0.1}),
    ]
    steps = np.array([0, 1, 5, 7, 10, 13, 20, 29, 45, 1000])
    cases = []
    for kind, options in table:
        schedule = getattr(S, kind)(0.5, **options)
        name = "/".join([kind, *(f"{k}_{v}" for k, v in options.items())])
        rates = np.array([float(schedule(tf.constant(s, tf.int64))) for s in steps], np.float32)
        cases.append(case(name, {"steps": steps}, {"schedule": kind, "initial": 0.5, **options}, {"rate": rates}))
    for boundaries, values in ([[7], [0.5, 0.25]], [[1, 10, 29], [1.0, 0.5, 0.25, 0.125]]):
        schedule = S.PiecewiseConstantDecay(boundaries, values)
        rates = np.array([float(schedule(tf.constant(s, tf.int64))) for s in steps], np.float32)
        cases.append(
            case(
                f"PiecewiseConstantDecay/{len(boundaries)}",
                {"steps": steps, "boundaries": np.array(boundaries), "values": np.float32(values)},
                {"schedule": "PiecewiseConstantDecay"},
                {"rate": rates},
            )
        )
    return cases


def loss_scale(case, rng):
    """Eight steps, some of them with a gradient that is not finite (JSON has no name for that: see "inf_at")."""
    table = [
        ("sgd", O.SGD, {}, "2,5"),
        ("sgd_momentum", O.SGD, {"momentum": 0.9}, "0,1,6"),
        ("sgd_none", O.SGD, {}, ""),
        ("adam", O.Adam, {}, "3,4"),
        ("adamw_clipnorm", O.AdamW, {"clipnorm": 1.0}, "1,7"),
        ("adam_global_clipnorm", O.Adam, {"global_clipnorm": 1.0}, "1"),
        ("adagrad_ema", O.Adagrad, {"use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 2}, "0,3"),
        ("nadam", O.Nadam, {}, "2,5"),
        ("rmsprop_accumulate", O.RMSprop, {"gradient_accumulation_steps": 2}, "1,4"),
        ("muon_accumulate", O.Muon, {"gradient_accumulation_steps": 2, "use_ema": True, "clipvalue": 0.5}, "1,4"),
        (
            "lion_all",
            O.Lion,
            {
                "gradient_accumulation_steps": 2,
                "clipnorm": 1.0,
                "weight_decay": 0.25,
                "use_ema": True,
                "ema_momentum": 0.5,
                "ema_overwrite_frequency": 2,
                "schedule": True,
            },
            "2,3",
        ),
    ]
    steps, cases = 8, []
    for name, make, options, inf_at in table:
        options = dict(options)
        params = {"optimizer": make.__name__.lower(), "learning_rate": 0.125, **options}
        rate = S.ExponentialDecay(0.125, 2, 0.5) if options.pop("schedule", False) else 0.125
        optimizer = O.LossScaleOptimizer(make(rate, **options), initial_scale=64.0, dynamic_growth_steps=2)
        first = {k: np.round(rng.standard_normal(s), 3).astype(np.float32) for k, s in (("w", (3, 2)), ("b", (2,)))}
        gradients = {
            k: np.round(rng.standard_normal((steps, *v.shape)) * 64, 2).astype(np.float32) for k, v in first.items()
        }
        variables = {k: keras.Variable(v, name=k) for k, v in first.items()}
        scales = []
        for step in range(steps):
            now = {k: g[step].copy() for k, g in gradients.items()}
            if str(step) in inf_at.split(","):
                now["w"][1, 1] = (np.inf, np.nan, -np.inf)[step % 3]
            optimizer.apply_gradients([(tf.constant(now[k]), v) for k, v in variables.items()])
            scales.append(float(optimizer.dynamic_scale))
        params["inf_at"] = inf_at
        params["variables"] = ",".join(v.path.split("/")[-1] for v in optimizer.variables)
        outputs = {k: numbers(v.value) for k, v in variables.items()}
        outputs["scales"] = np.float32(scales)
        outputs.update({f"state_{i}": numbers(v.value) for i, v in enumerate(optimizer.variables)})
        inputs = {**first, **{f"{k}_gradients": v for k, v in gradients.items()}}
        cases.append(case(name, inputs, params, outputs))
    return cases


def optimizer_files(case):
    """(file, cases) of each."""
    for kind, own in OWN.items():
        rng = np.random.default_rng(20)
        # Keras' Muon refuses anything but float32.
        cases = [
            follow(case, rng, name, kind, options)
            for name, options in SHARED + own
            if kind != "Muon" or "dtype" not in options
        ]
        yield f"optimizers_{kind.lower()}.json", cases
    yield "schedules.json", schedules(case)
    yield "loss_scale.json", loss_scale(case, np.random.default_rng(20))
