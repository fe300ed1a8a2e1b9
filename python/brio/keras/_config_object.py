"""keras.utils.Config: settings by name, which can be frozen."""

import json

from brio import _missing


class Config:
    """Settings of an experiment: config.rate = 0.1 and config["rate"] are the same; freeze() keeps them as they are."""

    def __init__(self, **kwargs):
        self.__dict__["_config"], self.__dict__["_frozen"] = dict(kwargs), False

    @property
    def frozen(self):
        """Can nothing be changed?"""
        return self._frozen

    def freeze(self):
        """Changes are errors from now on."""
        self.__dict__["_frozen"] = True

    def unfreeze(self):
        """Changes are possible again."""
        self.__dict__["_frozen"] = False

    def as_dict(self):
        """The settings as a dict."""
        return dict(self._config)

    def to_json(self):
        """The settings as JSON."""
        return json.dumps(self._config)

    def keys(self):
        """The names."""
        return self._config.keys()

    def values(self):
        """The values."""
        return self._config.values()

    def items(self):
        """Names and values."""
        return self._config.items()

    def get(self, keyname, value=None):
        """One setting, or another value where there is none."""
        return self._config.get(keyname, value)

    def pop(self, *args):
        """One setting, which is taken out."""
        return self._open().pop(*args)

    def update(self, *args, **kwargs):
        """Sets several."""
        self._open().update(*args, **kwargs)

    def _open(self):
        if self._frozen:
            raise ValueError("[Config] it is frozen; call unfreeze() before you change it")
        return self._config

    def __getattr__(self, name):
        if name.startswith("__") or "_config" not in self.__dict__:
            raise AttributeError(name)
        if name not in self._config:
            raise AttributeError(f"[Config] there is no '{name}'{_missing.nearest(name, self._config)}")
        return self._config[name]

    def __setattr__(self, name, value):
        self._open()[name] = value

    def __getitem__(self, name):
        return self._config[name]

    def __setitem__(self, name, value):
        self._open()[name] = value

    def __delitem__(self, name):
        del self._open()[name]

    def __contains__(self, name):
        return name in self._config

    def __iter__(self):
        return iter(sorted(self._config))

    def __len__(self):
        return len(self._config)

    def __repr__(self):
        return f"<Config {self._config}>"
