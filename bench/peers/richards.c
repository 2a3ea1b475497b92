#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B, TASKS };

struct packet {
  struct packet *next;
  int64_t id;
  bool is_work;
  int64_t position;
  int64_t data[4];
};

struct task {
  struct task *next;
  int64_t id, priority;
  struct packet *queue;
  bool has_packet, waits, held;
  struct task *(*does)(struct task *, struct packet *);
  int64_t first, second;          /* of the idle task and the worker */
  struct packet *jobs, *devices;  /* of handlers; a device has its packet in jobs */
};

static struct task *tasks[TASKS], *highest;
static int64_t queued, held;

static struct packet *packet(struct packet *next, int64_t id, bool is_work) {
  struct packet *p = calloc(1, sizeof *p);
  p->next = next;
  p->id = id;
  p->is_work = is_work;
  return p;
}

static struct task *add_task(int64_t id, int64_t priority, struct packet *queue, bool waits,
                             struct task *(*does)(struct task *, struct packet *)) {
  struct task *task = calloc(1, sizeof *task);
  task->next = highest;
  task->id = id;
  task->priority = priority;
  task->queue = queue;
  task->has_packet = queue != NULL;
  task->waits = waits;
  task->does = does;
  highest = tasks[id] = task;
  return task;
}

static void schedule(void) {
  struct task *task = highest;
  while (task != NULL) {
    if (task->held || (task->waits && !task->has_packet)) {
      task = task->next;
      continue;
    }
    struct packet *received = NULL;
    if (task->waits) {
      received = task->queue;
      task->queue = received->next;
      task->has_packet = task->queue != NULL;
      task->waits = false;
    }
    task = task->does(task, received);
  }
}

static struct task *wait(struct task *task) {
  task->waits = true;
  return task;
}

static struct task *hold(struct task *task) {
  held++;
  task->held = true;
  return task->next;
}

static struct task *first_of(struct task *other, struct task *task) {
  return other->priority > task->priority ? other : task;
}

static struct task *release(struct task *task, int64_t id) {
  tasks[id]->held = false;
  return first_of(tasks[id], task);
}

static struct packet *append(struct packet *queue, struct packet *p) {
  p->next = NULL;
  if (queue == NULL) return p;
  struct packet *last = queue;
  while (last->next != NULL)
    last = last->next;
  last->next = p;
  return queue;
}

/* Puts the packet into the queue of its task; it comes back to this one. */
static struct task *send_packet(struct task *task, struct packet *p) {
  struct task *receiver = tasks[p->id];
  queued++;
  p->id = task->id;
  bool had_packet = receiver->has_packet;
  receiver->queue = append(receiver->queue, p);
  receiver->has_packet = true;
  return had_packet ? task : first_of(receiver, task);
}

static struct task *idle(struct task *task, struct packet *p) {
  (void)p;
  if (--task->second == 0) return hold(task);
  task->first = (task->first * 25173 + 13849) % 65536;
  return release(task, task->first < 32768 ? DEVICE_A : DEVICE_B);
}

static struct task *work(struct task *task, struct packet *p) {
  if (p == NULL) return wait(task);
  task->first = HANDLER_A + HANDLER_B - task->first;
  p->id = task->first;
  p->position = 0;
  for (int i = 0; i < 4; i++) {
    if (++task->second > 26) task->second = 1;
    p->data[i] = task->second;
  }
  return send_packet(task, p);
}

static struct task *handle(struct task *task, struct packet *p) {
  if (p != NULL) {
    if (p->is_work)
      task->jobs = append(task->jobs, p);
    else
      task->devices = append(task->devices, p);
  }
  struct packet *job = task->jobs;
  if (job == NULL) return wait(task);
  if (job->position == 4) {
    task->jobs = job->next;
    return send_packet(task, job);
  }
  struct packet *device = task->devices;
  if (device == NULL) return wait(task);
  task->devices = device->next;
  device->position = job->data[job->position++];
  return send_packet(task, device);
}

static struct task *drive(struct task *task, struct packet *p) {
  if (p != NULL) {
    task->jobs = p;
    return hold(task);
  }
  struct packet *done = task->jobs;
  if (done == NULL) return wait(task);
  task->jobs = NULL;
  return send_packet(task, done);
}

static struct packet *device_packets(int64_t id) {
  return packet(packet(packet(NULL, id, false), id, false), id, false);
}

static int64_t richards(int64_t n) {
  struct task *task = add_task(IDLE, 0, NULL, false, idle);
  task->first = 1;
  task->second = n;
  task = add_task(WORKER, 1000, packet(packet(NULL, WORKER, true), WORKER, true), true, work);
  task->first = HANDLER_A;
  add_task(HANDLER_A, 2000, device_packets(DEVICE_A), true, handle);
  add_task(HANDLER_B, 3000, device_packets(DEVICE_B), true, handle);
  add_task(DEVICE_A, 4000, NULL, true, drive);
  add_task(DEVICE_B, 5000, NULL, true, drive);
  schedule();
  return queued * 10000000 + held;
}

int main(int argc, char **argv) {
  printf("%lld\n", (long long)richards(argc > 1 ? atoll(argv[1]) : 0));
  return 0;
}
