#include <brio/brio.h>

#include <iostream>

int main() { std::cout << brio::Tensor({1, 2, 3}) << "\n"; }
