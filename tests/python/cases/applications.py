"""keras.applications: the layers, their names and their weights are Keras' own, and so is what they compute."""

# Weights that depend on nothing but their shapes, small enough for a deep network to stay finite.
_COMPUTED = """
        def small(model):
            for i, w in enumerate(model.weights):
                if 'int' in str(w.dtype):
                    continue
                n = int(np.prod(w.shape))
                v = np.sin(np.arange(n, dtype='float32') * 0.7 + i).reshape(w.shape)
                fan = max(1, int(np.prod(w.shape[:-1])))
                w.assign(1 + 0.1 * v if 'variance' in w.name or 'gamma' in w.name else v * (2.0 / fan) ** 0.5)
            return model
"""


def structure(name, options=""):
    return f"""
        keras.utils.clear_session()  # layers without a name are numbered
        model = keras.applications.{name}(weights=None{options})
        model.name, model.count_params(), ' '.join(f'{{layer.name}}:{{layer.count_params()}}' for layer in model.layers if 'input' not in layer.name), model.output_shape
    """


def numbers(name, options):
    return (
        _COMPUTED
        + f"""
        model = small(keras.applications.{name}(weights=None, {options}))
        x = np.cos(np.arange(np.prod((1, *model.input_shape[1:])), dtype='float32')).reshape(1, *model.input_shape[1:]) * 60 + 120
        y = model(x)
        result = [tf.reduce_mean(y), tf.math.reduce_std(y), y.shape]
    """
    )


CASES = [
    *((name, structure(name)) for name in ("MobileNet", "MobileNetV2", "ResNet50", "ResNet50V2", "DenseNet121", "EfficientNetB0", "InceptionV3", "Xception", "EfficientNetV2B0", "EfficientNetV2S", "InceptionResNetV2", "NASNetMobile",
                                                 "MobileNetV3Small", "MobileNetV3Large")),
    ("convnext", structure("ConvNeXtTiny", ", include_top=False, input_shape=(64, 64, 3)")),
    ("minimal_mobilenet", structure("MobileNetV3Small", ", minimalistic=True, include_top=False")),
    ("vgg_without_a_top", structure("VGG16", ", include_top=False, input_shape=(64, 64, 3), pooling='avg'")),
    ("vgg19_without_a_top", structure("VGG19", ", include_top=False")),
    ("narrow_mobilenet", structure("MobileNetV2", ", include_top=False, input_shape=(160, 160, 3), alpha=0.5, pooling='max'")),
    ("deeper_efficientnet", structure("EfficientNetB3", ", include_top=False")),
    ("deeper_resnet", structure("ResNet101V2", ", include_top=False, pooling='avg'")),
    ("ten_classes", structure("MobileNet", ", input_shape=(96, 96, 1), classes=10, classifier_activation=None")),
    *((f"{name}_computes", numbers(name, "include_top=False, input_shape=(96, 96, 3)"), {"rtol": 2e-3, "atol": 2e-3})
      for name in ("MobileNet", "MobileNetV2", "ResNet50", "ResNet50V2", "DenseNet121", "EfficientNetB0", "InceptionV3", "Xception", "VGG16", "EfficientNetV2B0",
                   "MobileNetV3Small", "ConvNeXtTiny", "InceptionResNetV2", "NASNetMobile")),
    ("large_nasnet_without_a_top", structure("NASNetLarge", ", include_top=False, input_shape=(96, 96, 3), pooling='avg'")),
    ("an_input_of_ones_own", """
        inputs = keras.Input((128, 128, 3), name='pictures')
        base = keras.applications.MobileNetV2(input_tensor=inputs, include_top=False, weights=None)
        [base.name, base.input_shape, base.output_shape]
    """),
    ("preprocessing", """
        x = np.arange(101 * 3, dtype='float32').reshape(1, 1, 101, 3) % 255
        a = keras.applications
        [m.preprocess_input(x.copy()) for m in (a.mobilenet_v2, a.resnet50, a.densenet, a.efficientnet, a.vgg19)] + [a.resnet.preprocess_input(tf.constant(x))]
    """, {"rtol": 1e-4, "atol": 1e-4}),
    ("preprocessing_of_integers", "keras.applications.inception_v3.preprocess_input(np.arange(300, dtype='uint8').reshape(10, 10, 3))"),
    ("too_small", "keras.applications.InceptionV3(weights=None, include_top=False, input_shape=(32, 32, 3))"),
    ("too_many_classes", "keras.applications.VGG16(classes=10)"),
    ("no_such_file", "keras.applications.VGG16(weights='no_such_file.h5')"),
    ("predictions_of_another_shape", "keras.applications.vgg16.decode_predictions(np.zeros((1, 10)))"),
]  # fmt: skip
