"""keras.applications: networks of the literature, with the layers, names and weights of Keras' own.
Each loads when it is first used."""

import importlib as _importlib

# The modules, and the networks that each defines.
_NETWORKS = {
    "convnext": ("ConvNeXtTiny", "ConvNeXtSmall", "ConvNeXtBase", "ConvNeXtLarge", "ConvNeXtXLarge"),
    "densenet": ("DenseNet121", "DenseNet169", "DenseNet201"),
    "efficientnet": tuple(f"EfficientNetB{i}" for i in range(8)),
    "efficientnet_v2": tuple(f"EfficientNetV2{i}" for i in ("B0", "B1", "B2", "B3", "S", "M", "L")),
    "imagenet_utils": (),
    "inception_resnet_v2": ("InceptionResNetV2",),
    "inception_v3": ("InceptionV3",),
    "mobilenet": ("MobileNet",),
    "mobilenet_v2": ("MobileNetV2",),
    "mobilenet_v3": (),
    "_mobilenet_v3": ("MobileNetV3Small", "MobileNetV3Large"),
    "nasnet": ("NASNetLarge", "NASNetMobile"),
    "resnet": ("ResNet50", "ResNet101", "ResNet152"),
    "resnet50": (),
    "resnet_v2": ("ResNet50V2", "ResNet101V2", "ResNet152V2"),
    "vgg16": ("VGG16",),
    "vgg19": ("VGG19",),
    "xception": ("Xception",),
}
_HOMES = {name: module for module, names in _NETWORKS.items() for name in names}


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in _NETWORKS:
        return _importlib.import_module(f"brio.keras.applications.{name}")
    if name in _HOMES:
        return getattr(_importlib.import_module(f"brio.keras.applications.{_HOMES[name]}"), name)
    if name.startswith("__"):
        raise AttributeError(name)
    from brio._missing import explain

    raise AttributeError(explain(__name__, name))


def __dir__():
    return sorted({name for name in _NETWORKS if not name.startswith("_")} | set(_HOMES))
