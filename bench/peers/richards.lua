local IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = 0, 1, 2, 3, 4, 5

local tasks, highest = {}, nil
local queued, held = 0, 0

local function packet(next, id, is_work)
  return {next = next, id = id, is_work = is_work, position = 0, data = {0, 0, 0, 0}}
end

local Task = {}
Task.__index = Task

local function add_task(id, priority, queue, waits, does, first, second)
  local task = setmetatable({
    next = highest, id = id, priority = priority, queue = queue, has_packet = queue ~= nil,
    waits = waits, held = false, does = does, first = first, second = second,
  }, Task)
  highest, tasks[id] = task, task
end

local function schedule()
  local task = highest
  while task do
    if task.held or (task.waits and not task.has_packet) then
      task = task.next
    else
      local received
      if task.waits then
        received = task.queue
        task.queue = received.next
        task.has_packet = task.queue ~= nil
        task.waits = false
      end
      task = task:does(received)
    end
  end
end

function Task:wait()
  self.waits = true
  return self
end

function Task:hold()
  held = held + 1
  self.held = true
  return self.next
end

function Task:or_before(other)
  if other.priority > self.priority then return other end
  return self
end

function Task:release(id)
  tasks[id].held = false
  return self:or_before(tasks[id])
end

local function append(queue, p)
  p.next = nil
  if not queue then return p end
  local last = queue
  while last.next do
    last = last.next
  end
  last.next = p
  return queue
end

-- Puts the packet into the queue of its task; it comes back to this one.
function Task:send(p)
  local receiver = tasks[p.id]
  queued = queued + 1
  p.id = self.id
  local had_packet = receiver.has_packet
  receiver.queue = append(receiver.queue, p)
  receiver.has_packet = true
  if had_packet then return self end
  return self:or_before(receiver)
end

local function idle(task)
  task.second = task.second - 1
  if task.second == 0 then return task:hold() end
  task.first = (task.first * 25173 + 13849) % 65536
  return task:release(task.first < 32768 and DEVICE_A or DEVICE_B)
end

local function work(task, p)
  if not p then return task:wait() end
  task.first = HANDLER_A + HANDLER_B - task.first
  p.id = task.first
  p.position = 0
  for i = 1, 4 do
    task.second = task.second + 1
    if task.second > 26 then task.second = 1 end
    p.data[i] = task.second
  end
  return task:send(p)
end

-- A handler has jobs first and devices second.
local function handle(task, p)
  if p then
    if p.is_work then
      task.first = append(task.first, p)
    else
      task.second = append(task.second, p)
    end
  end
  local job = task.first
  if not job then return task:wait() end
  if job.position == 4 then
    task.first = job.next
    return task:send(job)
  end
  local device = task.second
  if not device then return task:wait() end
  task.second = device.next
  job.position = job.position + 1
  device.position = job.data[job.position]
  return task:send(device)
end

local function drive(task, p)
  if p then
    task.first = p
    return task:hold()
  end
  local done = task.first
  if not done then return task:wait() end
  task.first = nil
  return task:send(done)
end

local function device_packets(id)
  return packet(packet(packet(nil, id, false), id, false), id, false)
end

local function richards(n)
  add_task(IDLE, 0, nil, false, idle, 1, n)
  local jobs = packet(packet(nil, WORKER, true), WORKER, true)
  add_task(WORKER, 1000, jobs, true, work, HANDLER_A, 0)
  add_task(HANDLER_A, 2000, device_packets(DEVICE_A), true, handle)
  add_task(HANDLER_B, 3000, device_packets(DEVICE_B), true, handle)
  add_task(DEVICE_A, 4000, nil, true, drive)
  add_task(DEVICE_B, 5000, nil, true, drive)
  schedule()
  return queued * 10000000 + held
end

print(string.format("%d", richards(tonumber(arg[1]))))
