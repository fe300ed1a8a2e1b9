import numpy as np


def gradient_descent(X, y, learning_rate=0.01, iterations=1000):
    m, n = X.shape
    theta = np.zeros(n)
    for _ in range(iterations):
        predictions = X @ theta
        error = predictions - y
        gradient = (X.T @ error) / m
        theta -= learning_rate * gradient
    return theta


# Sample data (replace with your own)
X = np.array([[1, 2], [3, 4], [5, 6]])
y = np.array([7, 8, 9])

theta = gradient_descent(X, y)
print(theta)
# added: the plain loop, which the next two are measured against
assert np.allclose(X @ theta, y, atol=2), theta
# end of added
