import brio as tf

# added: the page's second listing uses np without importing it
import numpy as np
# end of added


def gradient_descent_tf(X, y, learning_rate=0.01, iterations=1000):
    X = tf.constant(X, dtype=tf.float32)
    y = tf.constant(y, dtype=tf.float32)
    theta = tf.Variable(tf.zeros([X.shape[1]], dtype=tf.float32))

    optimizer = tf.optimizers.SGD(learning_rate)

    for _ in range(iterations):
        with tf.GradientTape() as tape:
            predictions = tf.matmul(X, theta)
            loss = tf.reduce_mean(tf.square(predictions - y))
        gradients = tape.gradient(loss, theta)
        optimizer.apply_gradients([(gradients, theta)])
    return theta.numpy()


# Sample data (replace with your own)
X = np.array([[1, 2], [3, 4], [5, 6]])
y = np.array([7, 8, 9])

theta = gradient_descent_tf(X, y)
print(theta)
# added: the same steps in NumPy; the loss here has a gradient twice as long as the loop of the first listing
expected = np.zeros(2)
for _ in range(1000):
    expected -= 0.01 * 2 * X.T @ (X @ expected - y) / 3
assert np.allclose(theta, expected, rtol=1e-3), (theta, expected)
# end of added
