/* What signals cost that do nothing: the processor time of a loop that is interrupted by the clock of
   perf_event_open each NANOSECONDS, divided by that of the same loop alone, in turns.

   usage: empty_signals NANOSECONDS; prints the ratio and the signals of a second */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kRounds = 7 };

static volatile sig_atomic_t signals;
static void on_signal(int number) {
  (void)number;
  signals = signals + 1;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double loop(void) {
  const double begin = now();
  unsigned long x = 88172645463325252UL;
  for (unsigned long i = 0; i < 100000000UL; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
  }
  if (x == 0) puts("");
  return now() - begin;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  struct perf_event_attr what;
  memset(&what, 0, sizeof what);
  what.size = sizeof what;
  what.type = PERF_TYPE_SOFTWARE;
  what.config = PERF_COUNT_SW_TASK_CLOCK;
  what.sample_type = PERF_SAMPLE_IP;
  what.sample_period = strtoull(argv[1], NULL, 10);
  what.disabled = 1;
  what.exclude_kernel = 1;
  what.exclude_hv = 1;
  what.wakeup_events = 1;
  const int fd = (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0);
  if (fd < 0) return perror("perf_event_open"), 2;
  signal(SIGPROF, on_signal);
  const struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
  fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC);
  fcntl(fd, F_SETSIG, SIGPROF);
  fcntl(fd, F_SETOWN_EX, &owner);
  double ratios[kRounds], seconds = 0;
  for (int i = 0; i < kRounds; ++i) {
    const double alone = loop();
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    const double interrupted = loop();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    ratios[i] = interrupted / alone;
    seconds += interrupted;
  }
  qsort(ratios, kRounds, sizeof *ratios, compare);
  printf("%.4f %.0f\n", ratios[kRounds / 2], (double)signals / seconds);
  return 0;
}
