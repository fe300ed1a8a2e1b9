"""tf.experimental."""

from brio._lazy import load as _load
from brio._missing import explain as _explain

_DEFINED_IN = {
    **dict.fromkeys(("async_clear_error", "async_scope"), "_modes"),
    **dict.fromkeys(("ExtensionType", "BatchableExtensionType"), "_extension_type"),
    **dict.fromkeys(
        (
            "dispatch_for_api",
            "dispatch_for_unary_elementwise_apis",
            "dispatch_for_binary_elementwise_apis",
            "unregister_dispatch_for",
        ),
        "_dispatch",
    ),
}


def __getattr__(name):
    if name == "__all__":
        from brio._lazy import public

        return public(__name__)
    if name in ("numpy", "dlpack"):
        return _load(f"brio.experimental.{name}")
    if name == "Optional":
        return _load("brio.data._kept").Optional
    if name in _DEFINED_IN:
        return getattr(_load(f"brio.experimental.{_DEFINED_IN[name]}"), name)
    raise AttributeError(name if name.startswith("__") else _explain(__name__, name))


def __dir__():
    return sorted({"numpy", "dlpack", "Optional", *_DEFINED_IN})
