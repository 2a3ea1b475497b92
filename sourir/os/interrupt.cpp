#include "sourir/os/interrupt.h"

#include <poll.h>

#include <cerrno>
#include <csignal>
#include <iterator>

namespace sourir {

namespace {

std::atomic<bool> g_stop{false}, g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_interrupt(int) {
  g_interrupted = true;
  g_stop = true;
}

} // namespace

void watch_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND); // and no SA_RESTART
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool wait_readable(int fd) {
  sigset_t interrupt, before; // Ctrl-C must not come between the test of the flag and the wait
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, &before);
  pollfd waiting{fd, POLLIN, 0};
  const timespec a_moment{0, 50'000'000}; // the signal may be delivered to another thread
  for (int ready = 0; !g_interrupted && (ready == 0 || (ready < 0 && errno == EINTR));)
    ready = ppoll(&waiting, 1, &a_moment, &before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !g_interrupted;
}

const std::atomic<bool>& stop_requested() { return g_stop; }
void request_stop() { g_stop = true; }
bool interrupted() { return g_interrupted; }

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
