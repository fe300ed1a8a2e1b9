"""How peers write down the rows of `brio bench ops`: a name, and what makes the inputs and returns the call."""

LARGE, SMALL = (1024, 1024), (32, 32)


def label(*shapes):
    return " ".join("x".join(map(str, s)) for s in shapes)


class Rows(dict):
    """name → makes the inputs and returns the call. `normal(*shape)` makes an input."""

    def __init__(self, normal):
        super().__init__()
        self.normal = normal

    def over(self, name, f, *shape_lists):
        """A row for each list of shapes; equal shapes are named once."""
        for shapes in shape_lists or [[LARGE]]:
            named = shapes if len(set(shapes)) == len(shapes) else shapes[:1]
            self.given(f"{name} {label(*named)}", f, *(lambda shape=shape: self.normal(*shape) for shape in shapes))

    def given(self, name, f, *makers):
        """One row, of f on what the makers make."""

        def make():
            inputs = [m() for m in makers]
            return lambda: f(*inputs)

        self[name] = make
