const IDLE = 0, WORKER = 1, HANDLER_A = 2, HANDLER_B = 3, DEVICE_A = 4, DEVICE_B = 5;

const tasks = [];
let highest = null, queued = 0, held = 0;

class Packet {
  constructor(next, id, isWork) {
    this.next = next;
    this.id = id;
    this.isWork = isWork;
    this.position = 0;
    this.data = [0, 0, 0, 0];
  }
}

function append(queue, p) {
  p.next = null;
  if (queue === null) return p;
  let last = queue;
  while (last.next !== null) last = last.next;
  last.next = p;
  return queue;
}

class Task {
  constructor(id, priority, queue, waits) {
    this.next = highest;
    this.id = id;
    this.priority = priority;
    this.queue = queue;
    this.hasPacket = queue !== null;
    this.waits = waits;
    this.held = false;
    highest = tasks[id] = this;
  }

  wait() {
    this.waits = true;
    return this;
  }

  hold() {
    held++;
    this.held = true;
    return this.next;
  }

  orBefore(other) {
    return other.priority > this.priority ? other : this;
  }

  release(id) {
    tasks[id].held = false;
    return this.orBefore(tasks[id]);
  }

  // Puts the packet into the queue of its task; it comes back to this one.
  send(p) {
    const receiver = tasks[p.id];
    queued++;
    p.id = this.id;
    const hadPacket = receiver.hasPacket;
    receiver.queue = append(receiver.queue, p);
    receiver.hasPacket = true;
    return hadPacket ? this : this.orBefore(receiver);
  }
}

class Idle extends Task {
  constructor(id, priority, count) {
    super(id, priority, null, false);
    this.seed = 1;
    this.count = count;
  }

  does() {
    if (--this.count === 0) return this.hold();
    this.seed = (this.seed * 25173 + 13849) % 65536;
    return this.release(this.seed < 32768 ? DEVICE_A : DEVICE_B);
  }
}

class Worker extends Task {
  constructor(id, priority, queue) {
    super(id, priority, queue, true);
    this.target = HANDLER_A;
    this.letter = 0;
  }

  does(p) {
    if (p === null) return this.wait();
    this.target = HANDLER_A + HANDLER_B - this.target;
    p.id = this.target;
    p.position = 0;
    for (let i = 0; i < 4; i++) {
      if (++this.letter > 26) this.letter = 1;
      p.data[i] = this.letter;
    }
    return this.send(p);
  }
}

class Handler extends Task {
  constructor(id, priority, queue) {
    super(id, priority, queue, true);
    this.jobs = null;
    this.devices = null;
  }

  does(p) {
    if (p !== null) {
      if (p.isWork) this.jobs = append(this.jobs, p);
      else this.devices = append(this.devices, p);
    }
    const job = this.jobs;
    if (job === null) return this.wait();
    if (job.position === 4) {
      this.jobs = job.next;
      return this.send(job);
    }
    const device = this.devices;
    if (device === null) return this.wait();
    this.devices = device.next;
    device.position = job.data[job.position++];
    return this.send(device);
  }
}

class Device extends Task {
  constructor(id, priority) {
    super(id, priority, null, true);
    this.pending = null;
  }

  does(p) {
    if (p !== null) {
      this.pending = p;
      return this.hold();
    }
    const done = this.pending;
    if (done === null) return this.wait();
    this.pending = null;
    return this.send(done);
  }
}

function schedule() {
  let task = highest;
  while (task !== null) {
    if (task.held || (task.waits && !task.hasPacket)) {
      task = task.next;
      continue;
    }
    let received = null;
    if (task.waits) {
      received = task.queue;
      task.queue = received.next;
      task.hasPacket = task.queue !== null;
      task.waits = false;
    }
    task = task.does(received);
  }
}

function packets(count, id, isWork) {
  let queue = null;
  for (let i = 0; i < count; i++) queue = new Packet(queue, id, isWork);
  return queue;
}

function richards(n) {
  new Idle(IDLE, 0, n);
  new Worker(WORKER, 1000, packets(2, WORKER, true));
  new Handler(HANDLER_A, 2000, packets(3, DEVICE_A, false));
  new Handler(HANDLER_B, 3000, packets(3, DEVICE_B, false));
  new Device(DEVICE_A, 4000);
  new Device(DEVICE_B, 5000);
  schedule();
  return queued * 10000000 + held;
}

console.log(String(richards(Number(process.argv[2]))));
