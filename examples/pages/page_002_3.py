import brio as tf

# added: data
import numpy as np

X_data = np.array([[1, 2], [3, 4], [5, 6]])
y_data = np.array([7, 8, 9])
# end of added
# Define the computational graph
X = tf.placeholder(tf.float32, shape=[None, 2])
y = tf.placeholder(tf.float32, shape=[None])
theta = tf.Variable(tf.zeros([2], dtype=tf.float32))
predictions = tf.matmul(X, theta)
loss = tf.reduce_mean(tf.square(predictions - y))
optimizer = tf.optimizers.SGD(0.01)
train_op = optimizer.minimize(loss, var_list=[theta])

# Session execution
with tf.compat.v1.Session() as sess:
    sess.run(tf.compat.v1.global_variables_initializer())
    for _ in range(1000):
        sess.run(train_op, feed_dict={X: X_data, y: y_data})  # Replace X_data and y_data with your numpy arrays
    theta_final = sess.run(theta)
    print(theta_final)
# added: the same steps in NumPy
expected = np.zeros(2)
for _ in range(1000):
    expected -= 0.01 * 2 * X_data.T @ (X_data @ expected - y_data) / 3
assert np.allclose(theta_final, expected, rtol=1e-3), (theta_final, expected)
# end of added
