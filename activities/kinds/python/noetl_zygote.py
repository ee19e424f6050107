"""
The zygote: forks one process per task, ahead of it. It never sees a task: the ends of the pipes that tasks come and go by
are passed on to the relay (noetl_relay.py) and closed, so no task finds another one's data in the memory it was forked from.

Messages, both ways, on one socket: type (1 byte), pid, number.
in   F fork    M the task's mark comes (its bytes follow)   K signal to the group   E the task is over
out  F forked, with the descriptors (task, answer, stdout, stderr)   X ended (number: the status of wait)
"""

import base64, collections, copy, csv, datetime, decimal, functools, hashlib, io, itertools, logging  # noqa: E401
import math, random, re, statistics, string, textwrap, typing, urllib.parse, urllib.request, uuid  # noqa: E401
import json
import os
import select
import signal
import socket
import struct
import sys

import noetl_process
import noetl_task

MESSAGE = struct.Struct('>cIi')
LENGTH = struct.Struct('>Q')
MARK_LENGTH = 80
END = b'\n'  # of an answer, which has no other
NO_SANDBOX = 121  # the exit code of a process that could not make its sandbox


class Zygote:
    """`sandbox`: the limits of each task (noetl_sandbox.py); None without one."""

    def __init__(self, control, sandbox, mark):
        self.control, self.sandbox, self.mark = control, sandbox, mark
        # Processes of this one, and their marks; b'' for one that waits for its task.
        self.tasks = {}
        self.wake_read, self.wake_write = os.pipe()
        for fd in (self.wake_read, self.wake_write):
            os.set_blocking(fd, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wake_write, warn_on_full_buffer=False)
        noetl_process.adopt()

    def serve(self):
        """Until the relay is gone; all tasks end then."""
        poll = select.poll()
        poll.register(self.control, select.POLLIN)
        poll.register(self.wake_read, select.POLLIN)
        while True:
            for fd, _event in poll.poll():
                if fd == self.wake_read:
                    os.read(fd, 4096)
                elif not self.receive():
                    return self.end_all()
            self.reap()

    def receive(self):
        data = self.control.recv(MESSAGE.size, socket.MSG_WAITALL)
        if len(data) < MESSAGE.size:
            return False
        kind, pid, number = MESSAGE.unpack(data)
        if kind == b'F':
            self.fork()
        elif kind == b'M':
            mark = self.control.recv(MARK_LENGTH, socket.MSG_WAITALL)
            if pid in self.tasks:
                self.tasks[pid] = mark
        elif pid in self.tasks:  # not waited for: the number is still its own
            noetl_process.kill(os.killpg, pid, signal.SIGKILL if kind == b'E' else number)
        return True

    def fork(self):
        take, give = os.pipe()
        pipes = [os.pipe() for _ in range(3)]
        pid = os.fork()
        if pid == 0:
            ours = [self.control.fileno(), self.wake_read, self.wake_write, give, *(read for read, _write in pipes)]
            child(self, take, [write for _read, write in pipes], ours)
        noetl_process.kill(os.setpgid, pid, pid)
        self.tasks[pid] = b''
        passed = [give, *(read for read, _write in pipes)]
        try:
            socket.send_fds(self.control, [MESSAGE.pack(b'F', pid, 0)], passed)
        except OSError:  # the relay is gone: the next message is its end
            pass
        for fd in (take, *passed, *(write for _read, write in pipes)):
            os.close(fd)

    def reap(self):
        while True:
            pid, status = ended(self.tasks)
            if pid == 0:
                return
            if pid not in self.tasks:  # an orphan that ended by itself
                continue
            mark = self.tasks.pop(pid)
            if not self.sandbox:
                self.end_orphans(mark)
            try:
                self.control.sendall(MESSAGE.pack(b'X', pid, status))
            except OSError:
                return

    def end_orphans(self, mark):
        """
        Ends what a task left in sessions of their own, in a process that is gone after it: it reads environments, which
        hold data. Those without any mark can be another task's, if one runs.
        """
        me = os.getpid()
        if not set(noetl_process.children(me)).difference(self.tasks):
            return
        pid = os.fork()
        if pid == 0:
            try:
                but = {*self.tasks, os.getpid()}
                if mark:
                    noetl_process.end_children(me, but, mark)
                if not any(self.tasks.values()):
                    noetl_process.end_children(me, but)
            finally:
                os._exit(0)
        os.waitpid(pid, 0)

    def end_all(self):
        for pid in self.tasks:
            noetl_process.kill(os.killpg, pid, signal.SIGKILL)
        noetl_process.end_children(os.getpid(), ())


def ended(tasks):
    """A child that has ended, with its status; (0, 0) if there is none. The group of a task is killed."""
    try:
        if not hasattr(os, 'waitid'):
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid in tasks:
                noetl_process.kill(os.killpg, pid, signal.SIGKILL)
            return pid, status
        # Until it is waited for, no other group has its number.
        info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if info is None:
            return 0, 0
        if info.si_pid in tasks:
            noetl_process.kill(os.killpg, info.si_pid, signal.SIGKILL)
        return os.waitpid(info.si_pid, 0)
    except ChildProcessError:
        return 0, 0


def terminated(_signum, _frame):
    raise SystemExit(143)


def task_from(fd):
    """The task that arrives and its mark; the process ends if none does any more."""
    data = bytearray()
    while True:
        piece = os.read(fd, 1 << 20)
        if not piece:
            break
        data += piece
    start = LENGTH.size + MARK_LENGTH
    if len(data) < start or len(data) != start + LENGTH.unpack_from(data)[0]:
        os._exit(0)
    return json.loads(bytes(data[start:])), bytes(data[LENGTH.size:start])


def warm_up():
    """
    Touches what the first task would touch. A page of memory is copied when a process writes to it first, and a task
    writes to hundreds (every object counts its references): a millisecond, while nobody waits.
    """
    program = noetl_task.prepare('def double(n):\n    return 2 * n\nresult = double(n)')[1]
    names = {'n': json.loads('1')}
    exec(program.code, names)
    json.dumps({'ok': True, 'result': noetl_task.plain(names['result'])}, allow_nan=False).encode('ascii')


def sandboxed(settings, take):
    """The task that arrives, when nothing but its sandbox is left; the process ends if that cannot be made."""
    import noetl_sandbox
    try:
        noetl_sandbox.enter(settings)
        task, _mark = task_from(take)
        noetl_sandbox.seal(settings, task.get('files_folder'))
        return task
    except Exception as error:  # noqa: BLE001 - whatever it is, the code must not run
        task_from(take)  # a task that comes must learn of it; one that comes never ends the process
        put(2, str(error).encode())
        os._exit(NO_SANDBOX)


def child(zygote, take, writes, inherited):
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
        if zygote.sandbox:
            task = sandboxed(zygote.sandbox, take)
        else:
            task, mark = task_from(take)
            zygote.mark.write(mark)
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
    except BaseException:  # noqa: BLE001 - leaving by any other way would run the zygote's loop in the child
        os._exit(120)
    os._exit(0)


def put(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]
