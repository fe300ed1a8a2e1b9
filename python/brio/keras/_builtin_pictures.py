"""Layers of C++'s that prepare pictures: how they take dictionaries of pictures and what goes with them."""

from brio.keras._builtin import Builtin


class Colored(Builtin):
    """Of a dictionary, {"images": ..., "labels": ...}, the pictures change."""

    def __call__(self, *args, **kwargs):
        if not args or not isinstance(args[0], dict):
            return super().__call__(*args, **kwargs)
        data = args[0]
        self._check(data)
        return {**data, "images": super().__call__(data["images"], *args[1:], **kwargs)}

    def _check(self, data):
        if "images" not in data:
            raise ValueError(
                f'[{self.name}] takes pictures, or a dictionary with "images", but got one with '
                f"{', '.join(map(str, data))}"
            )


class Moved(Colored):
    """What goes with the pictures would have to be moved too, but labels."""

    def _check(self, data):
        super()._check(data)
        beside = [k for k in ("bounding_boxes", "segmentation_masks") if k in data]
        if beside:
            raise ValueError(f"[{self.name}] moves pictures but not their {' and '.join(beside)}; leave those out")


class Resized(Moved):
    """Takes one picture as well as a batch of them."""

    _of_one_picture = True
