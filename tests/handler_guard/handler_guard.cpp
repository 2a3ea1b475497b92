// To be preloaded: signal handlers that call malloc, free or a lock end the process. The handlers
// that a program installs are called by one of ours, which says that one is at work.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

namespace {

thread_local bool in_handler = false;
struct sigaction theirs[65];

[[noreturn]] void refuse(const char* what) {
  in_handler = false;
  constexpr char kText[] = "handler_guard: a signal handler called ";
  static_cast<void>(!write(2, kText, sizeof kText - 1));
  static_cast<void>(!write(2, what, std::strlen(what)));
  static_cast<void>(!write(2, "\n", 1));
  std::abort();
}

void check(const char* what) {
  if (in_handler) refuse(what);
}

// Asked for, to see that it is noticed.
bool misbehaves() {
  static const bool does = [] {
    for (char** at = environ; *at != nullptr; ++at)
      if (std::strcmp(*at, "HANDLER_GUARD_MISBEHAVE=1") == 0) return true;
    return false;
  }();
  return does;
}

// Faults are not ours: their handlers may never return.
void ours(int signal, siginfo_t* info, void* context) {
  in_handler = true;
  if (misbehaves()) free(malloc(1));
  theirs[signal].sa_sigaction(signal, info, context);
  in_handler = false;
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" {
int sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  static const auto real =
      next<int (*)(int, const struct sigaction*, struct sigaction*)>("sigaction");
  misbehaves();
  if (signal != SIGPROF || action == nullptr || (action->sa_flags & SA_SIGINFO) == 0)
    return real(signal, action, before);
  theirs[signal] = *action;
  struct sigaction mine = *action;
  mine.sa_sigaction = ours;
  return real(signal, &mine, before);
}

void* malloc(std::size_t n) {
  check("malloc");
  static const auto real = next<void* (*)(std::size_t)>("malloc");
  return real(n);
}
void* calloc(std::size_t n, std::size_t of) {
  check("calloc");
  static const auto real = next<void* (*)(std::size_t, std::size_t)>("calloc");
  return real(n, of);
}
void* realloc(void* p, std::size_t n) {
  check("realloc");
  static const auto real = next<void* (*)(void*, std::size_t)>("realloc");
  return real(p, n);
}
void free(void* p) {
  check("free");
  static const auto real = next<void (*)(void*)>("free");
  real(p);
}
// operator new and delete, which an allocator may bring along (jemalloc does).
void* _Znwm(std::size_t n) {
  check("operator new");
  static const auto real = next<void* (*)(std::size_t)>("_Znwm");
  return real(n);
}
void _ZdlPv(void* p) {
  check("operator delete");
  static const auto real = next<void (*)(void*)>("_ZdlPv");
  real(p);
}
void _ZdlPvm(void* p, std::size_t n) {
  check("operator delete");
  static const auto real = next<void (*)(void*, std::size_t)>("_ZdlPvm");
  real(p, n);
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  check("pthread_mutex_lock");
  static const auto real = next<int (*)(pthread_mutex_t*)>("pthread_mutex_lock");
  return real(mutex);
}
int pthread_cond_wait(pthread_cond_t* changed, pthread_mutex_t* mutex) {
  check("pthread_cond_wait");
  static const auto real = next<int (*)(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait");
  return real(changed, mutex);
}
}
