"""What a process of the warm interpreter asks of the system. Where this is not Linux, nothing is asked."""

import ctypes
import os
import resource
import signal
import sys
import time

PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
LINUX = sys.platform == 'linux'
MARK = 'NOETL_TASK_MARK'
# How long processes are looked for that fork again and again.
LIMIT = 5.0

libc = ctypes.CDLL(None, use_errno=True) if LINUX else None


def without_cores():
    """Nor have processes that are forked from this one: a dump of memory is a file with a task's data."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def hide():
    """Makes the memory of this process unreadable for others of its user."""
    if LINUX:
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def adopt():
    """Makes this process the parent of what its descendants leave behind."""
    if LINUX:
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def close_inherited():
    for fd in map(int, os.listdir('/dev/fd')):
        if fd > 2:
            try:
                os.close(fd)
            except OSError:  # that of the listing
                pass


class Mark:
    """
    The place of the mark in the environment that this process was started with. A fork of it has that environment, as
    others see it, until it starts a program: os.environ is a copy.
    """

    def __init__(self):
        self.address, self.length = 0, len(os.environ.pop(MARK, ''))

    @classmethod
    def found(cls):
        entry = f'{MARK}='.encode()
        variables = ctypes.POINTER(ctypes.c_void_p).in_dll(libc, 'environ') if LINUX else ()
        address = 0
        for variable in variables:
            if not variable:
                break
            if ctypes.string_at(variable, len(entry)) == entry:
                address = variable + len(entry)
        mark = cls()
        mark.address = address
        return mark

    def write(self, value):
        """`value`: bytes, of the length of the one that was there."""
        os.environ[MARK] = value.decode('ascii')
        if self.address and len(value) == self.length:
            ctypes.memmove(self.address, value, self.length)


def children(pid):
    try:
        with open(f'/proc/{pid}/task/{pid}/children', encoding='ascii') as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def end_children(pid, but, mark=None):
    """
    Kills children of a process, and those that become its children by it, until there are none: those with this mark
    (bytes), or without one all. `but`: numbers of those that stay.
    """
    until = time.monotonic() + LIMIT
    quiet = 0
    # Linux may leave out children while others end: none are left when there are none twice.
    while quiet < 2 and time.monotonic() < until:
        meant = [child for child in children(pid) if child not in but and _is_meant(child, mark)]
        quiet = 0 if meant else quiet + 1
        for child in meant:
            kill(os.kill, child, signal.SIGKILL)
        time.sleep(0.001)


def _is_meant(pid, mark):
    try:
        if mark is None:
            with open(f'/proc/{pid}/stat', 'rb') as file:
                return file.read().rpartition(b')')[2].split()[0] != b'Z'
        with open(f'/proc/{pid}/environ', 'rb') as file:  # of one that has ended it is empty
            return b'%s=%s' % (MARK.encode(), mark) in file.read()
    except OSError:
        return False


def kill(how, pid, signum):
    """`how`: os.kill, os.killpg."""
    try:
        how(pid, signum)
    except (ProcessLookupError, PermissionError):
        pass
