"""
A warm interpreter: forks one process per task, ahead of it, so that a task waits neither for a fork nor for the
interpreter's start nor for imports, and shares nothing with the tasks before it.

Frames, both ways: length (4 bytes), task id (4 bytes), type (1 byte), payload.
in   T task (JSON, see noetl_task.run)   L the same, and its output is told as it comes   K stop the task
out  H ready {python, pid}   S started {pid?}   R a piece of the answer   X ended {exit, signal, stdout, stderr, …}
     O a piece of stdout   E a piece of stderr

When stdin ends (the worker is gone), every running task is killed. Fork only here, and before any thread exists.
"""

import fcntl
import gc
import json
import os
import select
import signal
import struct
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [HERE, *(entry for entry in sys.path if os.path.abspath(entry or '.') != HERE)]

# Loaded once, for all tasks.
import base64, collections, copy, csv, datetime, decimal, functools, hashlib, io, itertools, logging  # noqa: E401
import math, random, re, statistics, string, textwrap, typing, urllib.parse, urllib.request, uuid  # noqa: E401

sys.dont_write_bytecode = True  # nothing of ours is written beside the sources
import noetl_task  # noqa: E402
sys.dont_write_bytecode = False

HEADER = struct.Struct('>IIc')
LENGTH = struct.Struct('>Q')
CHUNK = 1 << 16
TAIL = int(os.environ.pop('NOETL_PYTHON_OUTPUT_LIMIT', 1 << 16))
# Within a sandbox: the limits of each task, see noetl_sandbox.
SANDBOX = json.loads(os.environ.pop('NOETL_PYTHON_SANDBOX', 'null'))
if SANDBOX:
    import noetl_sandbox
KILL_AFTER = 1.0
END = b'\n'  # of an answer, which has no other
NO_SANDBOX = 121  # the exit code of a process that could not make its sandbox


class Job:
    """A running task: its process and the three pipes it writes to."""

    def __init__(self, number, pid, result, stdout, stderr, told):
        self.number, self.pid = number, pid
        self.told = told  # whether its output is told as it comes
        self.result = result
        self.tails = {stdout: bytearray(), stderr: bytearray()}
        self.totals = {stdout: 0, stderr: 0}
        self.stdout, self.stderr = stdout, stderr
        self.open = {result, stdout, stderr}
        self.kill_at = None
        self.answered = False

    def take(self, fd, data):
        if fd == self.result:
            self.answered = data.endswith(END)
            send(self.number, b'R', data)
            return
        if self.told:
            send(self.number, b'O' if fd == self.stdout else b'E', data)
        tail = self.tails[fd]
        tail += data
        self.totals[fd] += len(data)
        if len(tail) > 2 * TAIL:
            del tail[:-TAIL]

    def text(self, fd):
        return base64.b64encode(bytes(self.tails[fd][-TAIL:])).decode('ascii')


def put(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def send(number, kind, payload):
    put(1, HEADER.pack(len(payload), number, kind) + payload)


def send_json(number, kind, value):
    send(number, kind, json.dumps(value).encode())


def kill_group(pid, signum):
    try:
        os.killpg(pid, signum)
    except (ProcessLookupError, PermissionError):
        pass


class Parent:
    def __init__(self):
        self.by_fd = {}
        self.by_pid = {}
        self.by_number = {}
        # Forked ahead: a task does not wait for its fork. It has run nothing, and will run one task.
        self.spare = None
        self.poll = select.poll()
        self.wake_read, self.wake_write = os.pipe()
        for fd in (0, self.wake_read, self.wake_write):
            fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)
        # A terminal's Ctrl-C goes to the worker, which decides.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.poll.register(0, select.POLLIN)
        self.poll.register(self.wake_read, select.POLLIN)
        self.inbox = bytearray()

    def serve(self):
        while True:
            for fd, _event in self.poll.poll(self.timeout()):
                if fd == 0:
                    if not self.receive():
                        return
                elif fd == self.wake_read:
                    os.read(self.wake_read, 4096)
                elif fd in self.by_fd:
                    job = self.by_fd[fd]
                    self.read(job, fd)
                    if job.answered:  # all that is left to do is to end: nobody waits for its memory to be given back
                        del self.by_pid[job.pid]
                        self.finish(job, 0)
            self.reap()
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
            for job in self.by_pid.values():
                kill_group(job.pid, signal.SIGKILL)
            return False
        self.inbox += data
        while len(self.inbox) >= HEADER.size:
            length, number, kind = HEADER.unpack_from(self.inbox)
            if len(self.inbox) < HEADER.size + length:
                break
            payload = bytes(self.inbox[HEADER.size:HEADER.size + length])
            del self.inbox[:HEADER.size + length]
            if kind in (b'T', b'L'):
                self.start(number, payload, kind == b'L')
            elif kind == b'K':
                self.stop(number)
        return True

    def start(self, number, payload, told):
        pid, give, reads = self.given(LENGTH.pack(len(payload)) + payload)
        os.close(give)
        for read in reads:
            fcntl.fcntl(read, fcntl.F_SETFL, fcntl.fcntl(read, fcntl.F_GETFL) | os.O_NONBLOCK)
            self.poll.register(read, select.POLLIN)
        job = Job(number, pid, *reads, told)
        self.by_pid[pid] = self.by_number[number] = job
        for read in reads:
            self.by_fd[read] = job
        # A sandbox has process numbers of its own, and its processes end with it.
        send_json(number, b'S', {} if SANDBOX else {'pid': pid})
        self.spare = self.fork()

    def given(self, data):
        """The waiting process, with its task; another one if it was killed meanwhile."""
        while True:
            process, self.spare = self.spare or self.fork(), None
            try:
                put(process[1], data)
                return process
            except BrokenPipeError:
                self.forget(process)

    @staticmethod
    def forget(process):
        _pid, give, reads = process
        for fd in (give, *reads):
            os.close(fd)

    def fork(self):
        """A process that waits for its task: its pid, the pipe that takes the task, the pipes for what it writes."""
        take, give = os.pipe()
        pipes = [os.pipe() for _ in range(3)]
        pid = os.fork()
        if pid == 0:
            others = [*self.by_fd, self.wake_read, self.wake_write, give, *(read for read, _write in pipes)]
            child(take, [write for _read, write in pipes], others)
        try:
            os.setpgid(pid, pid)
        except (PermissionError, ProcessLookupError):
            pass
        os.close(take)
        for _read, write in pipes:
            os.close(write)
        return pid, give, [read for read, _write in pipes]

    def stop(self, number):
        job = self.by_number.get(number)
        if job is None or job.kill_at is not None:
            return
        kill_group(job.pid, signal.SIGTERM)
        job.kill_at = time.monotonic() + KILL_AFTER

    def kill_overdue(self):
        now = time.monotonic()
        for job in self.by_pid.values():
            if job.kill_at is not None and job.kill_at <= now:
                kill_group(job.pid, signal.SIGKILL)
                job.kill_at = None

    def read(self, job, fd):
        """One chunk; False when there is nothing (more) to read now."""
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            return False
        if data:
            job.take(fd, data)
            return True
        self.close(job, fd)
        return False

    def close(self, job, fd):
        job.open.discard(fd)
        self.by_fd.pop(fd, None)
        self.poll.unregister(fd)
        os.close(fd)

    def reap(self):
        while self.by_pid:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            job = self.by_pid.pop(pid, None)
            if job is not None:
                self.finish(job, status)
            elif self.spare and self.spare[0] == pid:  # killed from outside
                self.forget(self.spare)
                self.spare = None

    def finish(self, job, status):
        """The task is its process: what it left running is killed, what a descendant still writes is not awaited."""
        kill_group(job.pid, signal.SIGKILL)
        for fd in list(job.open):
            for _ in range(64):  # more than a pipe holds; a descendant in a session of its own may write for ever
                if not self.read(job, fd):
                    break
        for fd in list(job.open):
            self.close(job, fd)
        del self.by_number[job.number]
        send_json(job.number, b'X', {
            'exit': os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            'signal': os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            'stdout': job.text(job.stdout),
            'stdout_total': job.totals[job.stdout],
            'stderr': job.text(job.stderr),
            'stderr_total': job.totals[job.stderr],
        })


def terminated(_signum, _frame):
    raise SystemExit(143)


def task_from(fd):
    """The task that arrives; the process ends if none does any more."""
    data = bytearray()
    while True:
        piece = os.read(fd, 1 << 20)
        if not piece:
            break
        data += piece
    if len(data) < LENGTH.size or len(data) != LENGTH.size + LENGTH.unpack_from(data)[0]:
        os._exit(0)
    return json.loads(bytes(data[LENGTH.size:]))


def warm_up():
    """
    Touches what the first task would touch. A page of memory is copied when a process writes to it first, and a task
    writes to hundreds (every object counts its references): a millisecond, while nobody waits.
    """
    program = noetl_task.prepare('def double(n):\n    return 2 * n\nresult = double(n)')[1]
    names = {'n': json.loads('1')}
    exec(program.code, names)
    json.dumps({'ok': True, 'result': noetl_task.plain(names['result'])}, allow_nan=False).encode('ascii')


def sandboxed(take):
    """The task that arrives, when nothing but its sandbox is left; the process ends if that cannot be made."""
    try:
        noetl_sandbox.enter(SANDBOX)
        task = task_from(take)
        noetl_sandbox.seal(SANDBOX, task.get('files_folder'))
        return task
    except Exception as error:  # noqa: BLE001 - whatever it is, the code must not run
        task_from(take)  # a task that comes must learn of it; one that comes never ends the process
        put(2, str(error).encode())
        os._exit(NO_SANDBOX)


def child(take, writes, inherited):
    """Never returns."""
    try:
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # Lets `finally` run when the task is stopped; SIGKILL follows.
        signal.signal(signal.SIGTERM, terminated)
        result, stdout, stderr = writes
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        for fd in (null, stdout, stderr, *inherited):
            os.close(fd)
        warm_up()
        task = sandboxed(take) if SANDBOX else task_from(take)
        os.close(take)
        me = os.getpid()
        answer = noetl_task.run(task)
        if os.getpid() != me:  # a fork made by the code ran to its end: it is not the task
            os._exit(0)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        put(result, answer + END)
    except BaseException:  # noqa: BLE001 - leaving by any other way would run the parent's loop in the child
        os._exit(120)
    os._exit(0)


def main():
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, encoding='utf-8', errors='backslashreplace')
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format='%(levelname)s %(name)s: %(message)s')
    for name in filter(None, os.environ.pop('NOETL_PYTHON_PRELOAD', '').split(',')):
        __import__(name.strip())
    sys.path[0] = ''  # the code imports from its working folder, not from this one
    sys.argv = ['']
    gc.collect()
    gc.freeze()
    parent = Parent()
    parent.spare = parent.fork()
    send_json(0, b'H', {'python': '.'.join(map(str, sys.version_info[:3])), 'pid': os.getpid()})
    parent.serve()


main()
