// Turns: first come, first served; who has the turn may take it again; threads that use one model get equal numbers.
#include "brio/train/turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "brio/base/interrupt.h"
#include "brio/brio.h"

namespace brio::train {
namespace {

// A thread that takes its turn, uses it and leaves. It waits for the turn by the time this returns.
std::thread queue_up(Turns& turns, std::function<void()> use) {
  std::atomic<bool> asks = false;
  std::thread thread([&turns, &asks, use = std::move(use)] {
    asks = true;
    asks.notify_one();
    const Turn turn(turns);
    use();
  });
  asks.wait(false);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // from saying so to the queue
  return thread;
}

TEST(Turns, ComeInTheOrderOfAsking) {
  Turns turns;
  std::vector<int> order;  // whoever has the turn writes
  std::vector<std::thread> threads;
  {
    const Turn first(turns);
    for (int i = 0; i < 4; ++i) threads.push_back(queue_up(turns, [&order, i] { order.push_back(i); }));
    EXPECT_TRUE(order.empty());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(Turns, AreForOneThreadAtATime) {
  Turns turns;
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 200; ++turn) {
        const Turn mine(turns);
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::yield();
        --inside;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

TEST(Turns, CanBeTakenAgainByWhoHasThem) {
  Turns turns;
  std::atomic<bool> entered = false;
  std::thread other;
  {
    const Turn outer(turns);
    {
      const Turn inner(turns);
      other = queue_up(turns, [&] { entered = true; });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(entered) << "leaving the inner turn gave the outer one away";
  }
  other.join();
  EXPECT_TRUE(entered);
}

thread_local bool is_to_stop = false;

TEST(Turns, GoToTheNextWhereAWaitIsInterrupted) {
  Turns turns;
  set_interrupt_check([] {
    if (is_to_stop) throw std::runtime_error("stop");
  });
  bool served = false;
  std::thread impatient, patient;
  {
    const Turn first(turns);
    impatient = std::thread([&] {
      is_to_stop = true;
      EXPECT_THROW(turns.take(), Interrupted);
    });
    patient = queue_up(turns, [&] { served = true; });
    impatient.join();
  }
  patient.join();
  set_interrupt_check(nullptr);
  EXPECT_TRUE(served);
}

TEST(Turns, LetThreadsThatEvaluateOneModelGetEqualNumbers) {
  const nn::Sequential model({nn::Dense(8, {.activation = "relu"}), nn::Dense(1)}, {.input_shape = Shape{6}});
  model.compile({.optimizer = nn::SGD(0.1), .loss = "mse", .metrics = {"mae"}});
  const Tensor x = random::normal({100, 6}, {.seed = 1}), y = random::normal({100, 1}, {.seed = 2});
  const auto evaluated = [&] {
    const Logs logs = model.evaluate(x, y, {.batch_size = 16, .verbose = 0});
    return std::vector{logs["loss"], logs["mae"]};
  };
  const std::vector<double> alone = evaluated();
  std::vector<std::vector<double>> together(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = t; i < together.size(); i += 2) together[i] = evaluated();
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& found : together) EXPECT_EQ(found, alone);
}

}  // namespace
}  // namespace brio::train
