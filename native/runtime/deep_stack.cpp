#include "native/runtime/deep_stack.h"

#include "native/runtime/collector.h"

#include <gc/gc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csetjmp>
#include <csignal>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace sourir::native {

namespace {

constexpr std::size_t kPage = 4096, kGuard = 1 << 20; // frames of native code may be large

// One range: the guard, then the stack, which grows down towards it.
struct Reserved {
  std::byte* start = nullptr;
  std::size_t size = 0;

  explicit Reserved(std::uint64_t bytes)
      : size((bytes + kGuard + kStackReserve + kPage - 1) / kPage * kPage) {
    void* range = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    start = static_cast<std::byte*>(range);
    mprotect(start, kGuard, PROT_NONE);
  }
  ~Reserved() { munmap(start, size); }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
};

struct StackWork {
  StackWork(const DeepStackOptions& options, std::function<void(const StackBounds&)> f)
      : stack(options.bytes), run(std::move(f)), leave(options.leave) {}

  Reserved stack;
  std::function<void(const StackBounds&)> run;
  std::function<void(std::uint64_t)> leave;
  sigjmp_buf entry{};
  std::mutex mutex;
  std::condition_variable ended;
  bool over = false;
  bool used_up = false;
  std::exception_ptr thrown;

  bool in_guard(const void* address) const {
    return address >= stack.start && address < stack.start + kGuard;
  }
};

// The work of this thread, for the signal handler.
thread_local StackWork* current = nullptr;

struct sigaction& previous_handler() {
  static struct sigaction action{};
  return action;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (current != nullptr && current->in_guard(info->si_addr)) siglongjmp(current->entry, 1);
  const struct sigaction& before = previous_handler();
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  // No fault in the guard, no earlier handler: the default action, at the next fault.
  ::signal(signal, SIG_DFL);
}

void watch_faults() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previous_handler());
  });
}

constexpr int kLeave = SIGURG; // ignored by default

void on_leave(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const int kept = errno;
#ifdef __x86_64__
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  if (current != nullptr && current->leave)
    current->leave(static_cast<std::uint64_t>(registers[REG_RIP]));
#endif
  errno = kept;
}

// No other signal is blocked in the handler, which may not return: the collector stops threads by
// one.
void watch_for_leave() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_sigaction = on_leave;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(kLeave, &action, nullptr);
  });
}

// Ctrl-C and such signals go to the thread that waits.
void block_terminal_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGWINCH}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void run_guarded(StackWork& work) {
  const std::byte* low = work.stack.start + kGuard + kStackReserve;
  const std::byte* high = work.stack.start + work.stack.size;
  if (sigsetjmp(work.entry, 1) != 0) {
    work.used_up = true;
    return;
  }
  try {
    work.run({low, high});
  } catch (...) {
    work.thrown = std::current_exception();
  }
}

void* begin(void* given) {
  const std::unique_ptr<std::shared_ptr<StackWork>> held(
      static_cast<std::shared_ptr<StackWork>*>(given));
  StackWork& work = **held;
  block_terminal_signals();
  const auto room = std::make_unique<std::array<std::byte, 64 * 1024>>();
  stack_t alternate{};
  alternate.ss_sp = room->data();
  alternate.ss_size = room->size();
  sigaltstack(&alternate, nullptr);
  current = &work;
  run_guarded(work);
  current = nullptr;
  alternate.ss_flags = SS_DISABLE;
  sigaltstack(&alternate, nullptr);
  const std::scoped_lock lock(work.mutex);
  work.over = true;
  work.ended.notify_all();
  return nullptr;
}

struct StackWait {
  StackWork& work;
  pthread_t thread;
  const DeepStackOptions& options;
  bool over = false;
};

void make_leave(const StackWait& w, std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::milliseconds kAgain{2};
  watch_for_leave();
  const auto over = [&] { return w.work.over; };
  const auto until = std::chrono::steady_clock::now() + w.options.grace;
  while (!over() && std::chrono::steady_clock::now() < until) {
    pthread_kill(w.thread, kLeave);
    w.work.ended.wait_for(lock, kAgain, over);
  }
}

void* wait(void* given) {
  StackWait& w = *static_cast<StackWait*>(given);
  std::unique_lock lock(w.work.mutex);
  const auto over = [&] { return w.work.over; };
  if (w.options.interrupt == nullptr) {
    w.work.ended.wait(lock, over);
  } else {
    constexpr std::chrono::milliseconds kPoll{20}; // a signal handler cannot notify
    while (!w.work.ended.wait_for(lock, kPoll, over) && !w.options.interrupt->load()) {
    }
    if (!over()) w.work.ended.wait_for(lock, w.options.grace, over);
    if (!over() && w.options.leave) make_leave(w, lock);
  }
  w.over = over();
  return nullptr;
}

pthread_t start(const std::shared_ptr<StackWork>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, work->stack.start + kGuard, work->stack.size - kGuard);
  pthread_t thread{};
  auto held = std::make_unique<std::shared_ptr<StackWork>>(work);
  const int problem = kCollects ? GC_pthread_create(&thread, &attributes, begin, held.get())
                                : pthread_create(&thread, &attributes, begin, held.get());
  pthread_attr_destroy(&attributes);
  if (problem != 0) throw std::bad_alloc();
  static_cast<void>(held.release());
  return thread;
}

// The work still runs on its stack, which must stay until the process ends.
void keep_abandoned(const std::shared_ptr<StackWork>& work) {
  static auto* const kept = new std::vector<std::shared_ptr<StackWork>>();
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  kept->push_back(work);
}

} // namespace

WorkEnd on_deep_stack(const DeepStackOptions& options,
                      std::function<void(const StackBounds&)> work) {
  Blocks::begin();
  watch_faults();
  auto shared = std::make_shared<StackWork>(options, std::move(work));
  const pthread_t thread = start(shared);
  StackWait waiter{*shared, thread, options};
  if (kCollects && GC_thread_is_registered())
    GC_do_blocking(wait, &waiter); // the collector need not stop this thread
  else
    wait(&waiter);
  if (!waiter.over) {
    kCollects ? GC_pthread_detach(thread) : pthread_detach(thread);
    keep_abandoned(shared);
    return WorkEnd::Abandoned;
  }
  kCollects ? GC_pthread_join(thread, nullptr) : pthread_join(thread, nullptr);
  if (shared->thrown) std::rethrow_exception(shared->thrown);
  return shared->used_up ? WorkEnd::StackUsedUp : WorkEnd::Done;
}

} // namespace sourir::native
