"""keras.visualization: pictures with boxes, labels and masks drawn on them, and galleries of them."""

import math

import numpy as np

from brio import _core, _missing
from brio.keras import _boxes, backend

__all__ = [
    "draw_bounding_boxes",
    "draw_segmentation_masks",
    "plot_bounding_box_gallery",
    "plot_image_gallery",
    "plot_segmentation_mask_gallery",
]
__getattr__ = _missing.attribute_error_of(__name__)


def _batch(function, images, data_format):
    """Pictures as an array (batch, rows, columns, channels)."""
    images = np.asarray(images)
    if images.ndim != 4:
        raise ValueError(f"[{function}] takes a batch of pictures, but got shape {images.shape}")
    return images.transpose(0, 2, 3, 1) if (data_format or backend.image_data_format()) == "channels_first" else images


def _bytes(images):
    if images.dtype.kind == "f":
        images = np.clip(images, 0, 1) * 255 if images.size and images.max() <= 1.0 else np.clip(images, 0, 255)
    return np.array(images, "uint8")


def draw_bounding_boxes(images, bounding_boxes, bounding_box_format, class_mapping=None, color=(128, 128, 128),
                        line_thickness=2, text_thickness=1, font_scale=1.0, data_format=None):  # fmt: skip
    """Pictures, as bytes, with the frames of {"boxes": ..., "labels":
    ...} and the names that class_mapping has for their labels; -1 is no box.

    >>> boxes = {"boxes": np.float32([[[2, 2, 9, 9]]]), "labels": np.array([[1]])}
    >>> keras.visualization.draw_bounding_boxes(
    ...     np.zeros((1, 12, 12, 3)), boxes, "xyxy", color=(255, 0, 0)
    ... )[0, 2, 5].tolist()
    [255, 0, 0]
    """
    if not isinstance(bounding_boxes, dict) or not {"boxes", "labels"} <= set(bounding_boxes):
        wrong = ValueError if isinstance(bounding_boxes, dict) else TypeError
        raise wrong('[draw_bounding_boxes] bounding_boxes is a dict with "boxes" and "labels"')
    images = _bytes(_batch("draw_bounding_boxes", images, data_format))
    corners = np.asarray(
        _boxes.convert_format(bounding_boxes["boxes"], bounding_box_format, "xyxy", *images.shape[1:3])
    ).astype(int)
    labels, sure = np.asarray(bounding_boxes["labels"]).astype(int), bounding_boxes.get("confidences")
    names = class_mapping or {}
    for i, picture in enumerate(images):
        for j, (label, box) in enumerate(zip(labels[i], corners[i])):
            if label == -1:
                continue
            _frame(picture, *box.tolist(), color, line_thickness)
            if int(label) in names:
                text = str(names[int(label)]) + ("" if sure is None else f" | {float(np.asarray(sure)[i][j]):.2f}")
                _write(picture, text, box[0], box[1], color, font_scale, text_thickness or line_thickness)
    return images


def _frame(picture, left, top, right, bottom, color, thickness):
    """A frame whose lines have the box's sides in their middles."""
    before, behind = thickness // 2, (thickness - 1) // 2 + 1
    span = lambda low, high: slice(max(low - before, 0), max(high + behind, 0))
    for y in (top, bottom):
        picture[span(y, y), span(left, right)] = color
    for x in (left, right):
        picture[span(top, bottom), span(x, x)] = color


def _write(picture, text, left, top, color, scale, thickness):
    """A text above a box, or inside of it where there is no room above."""
    high = int(scale * 12)
    at = (int(left), int(top) - 8) if top - 8 - 2 * high > 0 else (int(left) + 3, int(top) + 2 * high + thickness + 3)
    try:
        import cv2
    except ImportError:
        cv2 = None
    if cv2 is not None:
        cv2.putText(
            img=picture,
            text=text,
            org=at,
            fontFace=cv2.FONT_HERSHEY_SIMPLEX,
            fontScale=scale,
            color=color,
            thickness=thickness,
        )
        return
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        text = (
            "names of classes are written with the package opencv-python or Pillow; install one, or leave "
            "class_mapping out"
        )
        raise ImportError(f"[draw_bounding_boxes] {text}") from None
    canvas = Image.fromarray(picture)
    font, place = ImageFont.load_default(2 * high), (at[0], at[1] - 2 * high)
    ImageDraw.Draw(canvas).text(place, text, fill=tuple(color), font=font, stroke_width=(thickness - 1) // 2)
    picture[:] = np.asarray(canvas)


def draw_segmentation_masks(images, segmentation_masks, num_classes=None, color_mapping=None, alpha=0.8, blend=True,
                            ignore_index=-1, data_format=None):  # fmt: skip
    """Pictures with the pixels of each class in its colour, mixed with what is there where `blend` is set.

    >>> masks = np.int32([[[[0], [1]]]])
    >>> keras.visualization.draw_segmentation_masks(
    ...     np.full((1, 1, 2, 3), 100.0), masks, 2, {0: (0, 0, 0), 1: (200, 0, 0)}, alpha=0.5
    ... ).tolist()
    [[[[50, 50, 50], [150, 50, 50]]]]
    """
    images = _batch("draw_segmentation_masks", images, data_format).astype("float32")
    masks = np.asarray(segmentation_masks)
    if masks.dtype.kind not in "iu":
        raise TypeError(f"[draw_segmentation_masks] segmentation_masks are whole numbers, but got {masks.dtype}")
    masks = _batch("draw_segmentation_masks", masks, data_format)[..., 0]
    num_classes = int(masks.max()) if num_classes is None else num_classes
    colors = _palette(num_classes) if color_mapping is None else [color_mapping[i] for i in range(num_classes)]
    drawn = images.copy()
    known = (masks >= 0) & (masks < num_classes)
    drawn[known] = np.asarray(colors, "float32").reshape(-1, 3)[masks[known]]
    if not blend:
        return _core.convert_to_tensor(drawn)
    mixed = images * (1 - alpha) + drawn * alpha
    return np.where((masks != ignore_index)[..., None], mixed, images).astype("uint8")


def _palette(count):
    """As many colours as different as it goes: Keras'."""
    return [(i * np.array([2**25 - 1, 2**15 - 1, 2**21 - 1]) % 255).tolist() for i in range(count)]


def _pyplot(function):
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError(
            f"[{function}] draws with the package matplotlib; install it: pip install matplotlib"
        ) from None
    return matplotlib.pyplot


def plot_image_gallery(images, y_true=None, y_pred=None, label_map=None, rows=None, cols=None, value_range=(0, 255),
                       scale=2, path=None, show=None, transparent=True, dpi=60, legend_handles=None,
                       data_format=None):  # fmt: skip
    """Shows pictures in rows and columns, with their labels and predictions where they are given,
    or writes them to a file."""
    pyplot = _pyplot("plot_image_gallery")
    if path is not None and show:
        raise ValueError("[plot_image_gallery] got a path and show=True; give one of them")
    if (y_true is not None or y_pred is not None) and label_map is None:
        raise ValueError("[plot_image_gallery] y_true and y_pred take a label_map, a dict of names")
    images = _batch("plot_image_gallery", images, data_format)
    rows = rows or math.ceil(math.sqrt(len(images)))
    cols = cols or math.ceil(len(images) / rows)
    low, high = value_range
    if (low, high) != (0, 255):
        images = (images.astype("float32") - low) / (high - low) * 255
    how = {"frameon": False, "layout": "tight", "squeeze": False, "sharex": "row", "sharey": "col"}
    figure, axes = pyplot.subplots(nrows=rows, ncols=cols, figsize=(cols * scale, rows * scale), **how)
    if legend_handles is not None:
        figure.legend(handles=legend_handles, loc="lower center")
    for i, axis in enumerate(axes.reshape(-1)):
        axis.axis("off")
        if i >= len(images):
            continue
        axis.imshow(images[i].astype("uint8"))
        axis.margins(x=0, y=0)
        known = [(what, y) for what, y in (("Label", y_true), ("Pred", y_pred)) if y is not None and i < len(y)]
        said = [f"{what}: {label_map.get(np.asarray(y)[i].item(), 'Unknown')}" for what, y in known]
        if said:
            axis.set_title("  ".join(said), fontsize=8)
    if path is not None:
        pyplot.savefig(fname=path, pad_inches=0, bbox_inches="tight", transparent=transparent, dpi=dpi)
        pyplot.close(figure)
    elif show is None or show:
        pyplot.show()
        pyplot.close(figure)


def plot_bounding_box_gallery(images, bounding_box_format, y_true=None, y_pred=None, value_range=(0, 255),
                              true_color=(0, 188, 212), pred_color=(255, 235, 59), line_thickness=2, font_scale=1.0,
                              text_thickness=None, class_mapping=None, ground_truth_mapping=None,
                              prediction_mapping=None, legend=False, legend_handles=None, rows=None, cols=None,
                              data_format=None, **kwargs):  # fmt: skip
    """Shows pictures with the boxes that are true and those that are predicted."""
    _pyplot("plot_bounding_box_gallery")
    if legend and legend_handles:
        raise ValueError("[plot_bounding_box_gallery] got legend=True and legend_handles; give one of them")
    images = _batch("plot_bounding_box_gallery", images, data_format)
    drawn = (
        (y_true, true_color, ground_truth_mapping or class_mapping, "Ground Truth"),
        (y_pred, pred_color, prediction_mapping or class_mapping, "Prediction"),
    )
    lines = (line_thickness, text_thickness, font_scale, "channels_last")
    for boxes, color, names, _ in drawn:
        if boxes is not None:
            images = draw_bounding_boxes(images, boxes, bounding_box_format, names, color, *lines)
    if legend:
        from matplotlib import patches

        legend_handles = [patches.Patch(color=np.array(color) / 255.0, label=label) for _, color, _, label in drawn]
    plot_image_gallery(
        images,
        value_range=value_range,
        legend_handles=legend_handles,
        rows=rows,
        cols=cols,
        data_format="channels_last",
        **kwargs,
    )


def plot_segmentation_mask_gallery(images, num_classes, value_range=(0, 255), y_true=None, y_pred=None,
                                   color_mapping=None, blend=True, alpha=0.8, ignore_index=-1, data_format=None,
                                   **kwargs):  # fmt: skip
    """Shows pictures beside themselves with the masks that are true and those that are predicted."""
    images = _batch("plot_segmentation_mask_gallery", images, data_format)
    shown = [images]
    for masks in (y_true, y_pred):
        if masks is not None:
            masks = _batch("plot_segmentation_mask_gallery", masks, data_format).astype("int32")
            shown.append(
                draw_segmentation_masks(
                    images, masks, num_classes, color_mapping, alpha, blend, ignore_index, "channels_last"
                )
            )
    together = np.stack(shown, axis=1).reshape(-1, *images.shape[1:])
    plot_image_gallery(
        together, value_range=value_range, rows=len(images), cols=len(shown), data_format="channels_last", **kwargs
    )
