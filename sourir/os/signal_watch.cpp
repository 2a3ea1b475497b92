#include "sourir/os/signal_watch.h"

#include <iterator>

namespace sourir {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> g_interrupt{false};
std::atomic<int> g_ending{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  if (signal != SIGINT) g_ending = signal;
  g_interrupt = true;
}

} // namespace

SignalWatch::SignalWatch() {
  static_assert(std::size(kSignals) == std::extent_v<decltype(before_)>);
  g_interrupt = false;
  g_ending = 0;
  struct sigaction action{};
  action.sa_handler = on_signal; // and no SA_RESTART
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i], &action, &before_[i]);
}

SignalWatch::~SignalWatch() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    sigaction(kSignals[i], &before_[i], nullptr);
}

std::atomic<bool>& SignalWatch::interrupt() { return g_interrupt; }
int SignalWatch::ending() { return g_ending; }

} // namespace sourir
