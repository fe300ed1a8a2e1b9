"""What a call may set for all that follow: put back after each, so that a call is its own reproducer."""

import brio as tf

v1 = tf.compat.v1


def restore():
    while session := v1.get_default_session():
        session.close()
    v1.enable_v2_behavior()
    v1.reset_default_graph()
    tf.config.run_functions_eagerly(False)
    tf.config.set_visible_devices(tf.config.list_physical_devices())
    tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], [])
    tf.config.set_soft_device_placement(True)
    tf.debugging.set_log_device_placement(False)
    tf.keras.mixed_precision.set_global_policy("float32")
    tf.random.set_global_generator(None)
    tf.random.set_seed(1)
