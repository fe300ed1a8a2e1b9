import brio as tf

# added: pictures
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pictures import some_pictures
# end of added


def create_dataset(image_paths, labels, batch_size, buffer_size=tf.data.AUTOTUNE):
    dataset = tf.data.Dataset.from_tensor_slices((image_paths, labels))

    def load_and_preprocess(image_path, label):
        image = tf.io.read_file(image_path)
        image = tf.io.decode_jpeg(image, channels=3)  # or decode_png, etc.
        image = tf.image.resize(image, [224, 224])
        image = tf.image.convert_image_dtype(image, dtype=tf.float32)  # Normalize if needed
        return image, label

    dataset = dataset.map(load_and_preprocess, num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.shuffle(buffer_size)
    dataset = dataset.batch(batch_size)
    dataset = dataset.prefetch(buffer_size)  # Essential for pipelining

    return dataset


# Example Usage
# added: paths and labels in place of the page's "..."
image_paths, labels = some_pictures()
seen = []
# end of added
batch_size = 32

train_dataset = create_dataset(image_paths, labels, batch_size)

for images, labels in train_dataset:
    # Training logic with images and labels
    pass
    # added: what was seen
    seen.append((tuple(images.shape), images.dtype, labels.shape[0]))
    # end of added
# added: every picture once
assert sum(n for _, _, n in seen) == len(image_paths)
assert all(shape[1:] == (224, 224, 3) and dtype == tf.float32 for shape, dtype, _ in seen), seen
# end of added
