"""
The relay: what passes tasks and answers on, between the worker and the processes that the zygote (noetl_zygote.py) forks.
It holds data of many tasks: no process is forked from it, and none of its user can read its memory.

Frames, both ways: length (4 bytes), task id (4 bytes), type (1 byte), payload.
in   M the mark of the task that follows   T task (JSON, see noetl_task.run)   L the same, and its output is told as it comes
     K stop the task
out  H ready {python, pid}   S started {pid?}   R a piece of the answer   X ended {exit, signal, stdout, stderr, …}
     O a piece of stdout   E a piece of stderr

When stdin ends (the worker is gone), so does this process, with it the zygote, and with that every task.
"""

import base64
import collections
import json
import os
import select
import socket
import struct
import sys
import time

from noetl_zygote import END, LENGTH, MARK_LENGTH, MESSAGE, put

HEADER = struct.Struct('>IIc')
CHUNK = 1 << 16
KILL_AFTER = 1.0
SIGTERM, SIGKILL = 15, 9
NO_MARK = b'.' * MARK_LENGTH


class Process:
    """A forked process, and this end of its pipes."""

    def __init__(self, pid, give, *reads):
        self.pid, self.give, self.reads = pid, give, reads

    def forget(self):
        for fd in (self.give, *self.reads):
            os.close(fd)


class Job:
    """A running task: its process and the three pipes it writes to."""

    def __init__(self, number, process, told):
        self.number, self.pid = number, process.pid
        self.told = told  # whether its output is told as it comes
        self.result, self.stdout, self.stderr = process.reads
        self.tails = {self.stdout: bytearray(), self.stderr: bytearray()}
        self.totals = {self.stdout: 0, self.stderr: 0}
        self.open = set(process.reads)
        self.kill_at = None
        self.answered = False

    def text(self, fd, limit):
        return base64.b64encode(bytes(self.tails[fd][-limit:])).decode('ascii')


class Task:
    def __init__(self, number, payload, told, mark):
        self.number, self.told, self.mark = number, told, mark
        self.data = LENGTH.pack(len(payload)) + mark + payload


def send(number, kind, payload):
    put(1, HEADER.pack(len(payload), number, kind) + payload)


def send_json(number, kind, value):
    send(number, kind, json.dumps(value).encode())


class Relay:
    """`tail`: bytes kept of an output. `tells_pids`: whether the worker can do something with the numbers of processes."""

    def __init__(self, control, tail, tells_pids):
        self.control, self.tail, self.tells_pids = control, tail, tells_pids
        self.by_fd = {}
        self.by_pid = {}
        self.by_number = {}
        # Forked ahead: a task does not wait for its fork. It has run nothing, and will run one task.
        self.spare = None
        self.forking = 0
        self.waiting = collections.deque()  # tasks that came while there was none
        self.mark = NO_MARK
        self.poll = select.poll()
        self.poll.register(0, select.POLLIN)
        self.poll.register(control, select.POLLIN)
        os.set_blocking(0, False)
        self.inbox = bytearray()

    def serve(self):
        self.fork()
        self.hear()
        send_json(0, b'H', {'python': '.'.join(map(str, sys.version_info[:3])), 'pid': os.getpid()})
        while True:
            for fd, _event in self.poll.poll(self.timeout()):
                if fd == 0:
                    if not self.receive():
                        return
                elif fd == self.control.fileno():
                    self.hear()
                elif fd in self.by_fd:
                    job = self.by_fd[fd]
                    self.read(job, fd)
                    if job.answered:  # all that is left to do is to end: nobody waits for its memory to be given back
                        self.tell(b'E', job.pid)
                        self.finish(job, 0)
            self.kill_overdue()

    def timeout(self):
        due = [job.kill_at for job in self.by_pid.values() if job.kill_at is not None]
        return max(0, (min(due) - time.monotonic()) * 1000) if due else None

    def receive(self):
        try:
            data = os.read(0, 1 << 20)
        except BlockingIOError:
            return True
        if not data:
            return False
        self.inbox += data
        while len(self.inbox) >= HEADER.size:
            length, number, kind = HEADER.unpack_from(self.inbox)
            if len(self.inbox) < HEADER.size + length:
                break
            payload = bytes(self.inbox[HEADER.size:HEADER.size + length])
            del self.inbox[:HEADER.size + length]
            if kind == b'M':
                self.mark = payload
            elif kind in (b'T', b'L'):
                self.waiting.append(Task(number, payload, kind == b'L', self.mark))
                self.mark = NO_MARK
                self.start()
            elif kind == b'K':
                self.stop(number)
        return True

    def tell(self, kind, pid=0, number=0, more=b''):
        """A message to the zygote."""
        self.control.sendall(MESSAGE.pack(kind, pid, number) + more)

    def hear(self):
        """One of the zygote's."""
        data, fds, _flags, _address = socket.recv_fds(self.control, MESSAGE.size, 4)
        if len(data) < MESSAGE.size:
            raise SystemExit(1)  # it is gone, and this process with it: the worker ends what may still run
        kind, pid, number = MESSAGE.unpack(data)
        if kind == b'F':
            self.forking -= 1
            self.spare = Process(pid, *fds)
            self.start()
        elif pid in self.by_pid:
            self.finish(self.by_pid[pid], number)
        elif self.spare and self.spare.pid == pid:  # killed from outside
            self.spare.forget()
            self.spare = None
            self.start()

    def fork(self):
        self.forking += 1
        self.tell(b'F')

    def start(self):
        """Gives the first task that waits to the process that waits, and has the next one forked."""
        if self.waiting and self.spare:
            process, self.spare = self.spare, None
            if self.give(process, self.waiting[0]):
                self.waiting.popleft()
        if not self.spare and not self.forking and (self.waiting or self.by_pid):
            self.fork()

    def give(self, process, task):
        """False if the process was killed meanwhile."""
        try:
            if self.tells_pids:
                self.tell(b'M', process.pid, 0, task.mark)
            put(process.give, task.data)
        except BrokenPipeError:
            process.forget()
            return False
        os.close(process.give)
        job = Job(task.number, process, task.told)
        for read in process.reads:
            os.set_blocking(read, False)
            self.poll.register(read, select.POLLIN)
            self.by_fd[read] = job
        self.by_pid[process.pid] = self.by_number[task.number] = job
        send_json(task.number, b'S', {'pid': process.pid} if self.tells_pids else {})
        return True

    def stop(self, number):
        job = self.by_number.get(number)
        if job is None:
            self.drop(number)
        elif job.kill_at is None:
            self.tell(b'K', job.pid, SIGTERM)
            job.kill_at = time.monotonic() + KILL_AFTER

    def drop(self, number):
        """A task that no process has yet ends as if killed."""
        for task in [task for task in self.waiting if task.number == number]:
            self.waiting.remove(task)
            none = {'exit': None, 'signal': SIGKILL, 'stdout': '', 'stdout_total': 0, 'stderr': '', 'stderr_total': 0}
            send_json(number, b'X', none)

    def kill_overdue(self):
        now = time.monotonic()
        for job in self.by_pid.values():
            if job.kill_at is not None and job.kill_at <= now:
                self.tell(b'K', job.pid, SIGKILL)
                job.kill_at = None

    def read(self, job, fd):
        """One chunk; False when there is nothing (more) to read now."""
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            return False
        if data:
            self.take(job, fd, data)
            return True
        self.close(job, fd)
        return False

    def take(self, job, fd, data):
        if fd == job.result:
            job.answered = data.endswith(END)
            send(job.number, b'R', data)
            return
        if job.told:
            send(job.number, b'O' if fd == job.stdout else b'E', data)
        tail = job.tails[fd]
        tail += data
        job.totals[fd] += len(data)
        if len(tail) > 2 * self.tail:
            del tail[:-self.tail]

    def close(self, job, fd):
        job.open.discard(fd)
        self.by_fd.pop(fd, None)
        self.poll.unregister(fd)
        os.close(fd)

    def finish(self, job, status):
        """The task is its process: what a descendant still writes is not awaited."""
        for fd in list(job.open):
            for _ in range(64):  # more than a pipe holds; a descendant in a session of its own may write for ever
                if not self.read(job, fd):
                    break
        for fd in list(job.open):
            self.close(job, fd)
        del self.by_number[job.number], self.by_pid[job.pid]
        send_json(job.number, b'X', {
            'exit': os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            'signal': os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            'stdout': job.text(job.stdout, self.tail),
            'stdout_total': job.totals[job.stdout],
            'stderr': job.text(job.stderr, self.tail),
            'stderr_total': job.totals[job.stderr],
        })
