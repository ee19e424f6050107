"""
The sandbox of one task, within that of its interpreter (bubblewrap, which leaves the capability to make namespaces): a
process namespace, /proc and temporary folders of its own; for `strict` a network of its own, which has nothing.
"""

import base64
import ctypes
import os
import resource
import signal

NEWNS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
RDONLY, NOSUID, NODEV, NOEXEC, BIND, REC, PRIVATE = 1, 2, 4, 8, 0x1000, 0x4000, 0x40000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION_3 = 0x20080522

HOME = '/tmp'
FILES = '/run/files'
# The folders of all tasks' files; hidden before the code runs.
ALL_FILES = '/run/tasks'

libc = ctypes.CDLL(None, use_errno=True)


def _checked(result, what):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f'{what}: {os.strerror(code)}')


def _mount(source, target, kind, flags, options=''):
    _checked(libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()), f'mount {target}')


def enter(settings):
    """
    `settings`: {level, tmp_mb, memory_mb, processes, call_filter (base64; absent where none is known)}. Returns in the first process of the new namespaces, which all
    others of the task end with; the caller's process waits for it, and ends the way it ended.
    """
    network = NEWNET if settings['level'] == 'strict' else 0
    _checked(libc.unshare(NEWNS | NEWPID | NEWIPC | network), 'unshare')
    pid = os.fork()
    if pid != 0:
        _relay(pid)
    _checked(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), 'prctl')
    _mount('none', '/', 'none', REC | PRIVATE)
    for folder in (HOME, '/dev/shm'):
        _mount('tmpfs', folder, 'tmpfs', NOSUID | NODEV, f"mode=1777,size={settings['tmp_mb']}m")
    _mount('proc', '/proc', 'proc', RDONLY | NOSUID | NODEV | NOEXEC)
    _mount('devpts', '/dev/pts', 'devpts', NOSUID | NOEXEC, 'newinstance,ptmxmode=0666,mode=620')
    os.chdir(HOME)


def seal(settings, files):
    """
    The task has come: its files (the name of their folder, or None) are put in place, then nothing can be mounted any
    more, and no privilege gained.
    """
    if files:
        if files != os.path.basename(files) or files in ('.', '..'):
            raise ValueError('not the name of a folder')
        _mount(f'{ALL_FILES}/{files}', FILES, 'none', BIND)
    _mount('tmpfs', ALL_FILES, 'tmpfs', RDONLY | NOSUID | NODEV | NOEXEC, 'mode=000')
    # Mounts made before belong to another user namespace: they cannot be removed from here on.
    _checked(libc.unshare(NEWUSER), 'unshare')
    drop_capabilities()
    _checked(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 'prctl')
    # What a change of credentials resets.
    _checked(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 'prctl')
    _checked(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), 'prctl')
    memory = settings['memory_mb'] * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_NPROC, (settings['processes'], settings['processes']))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if settings.get('call_filter'):
        _filter_calls(base64.b64decode(settings['call_filter']))


def _filter_calls(instructions):
    """`instructions`: struct sock_filter[], 8 bytes each."""
    class Program(ctypes.Structure):
        _fields_ = [('length', ctypes.c_ushort), ('filter', ctypes.c_char_p)]
    program = Program(len(instructions) // 8, instructions)
    _checked(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0), 'seccomp')


def drop_capabilities():
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    _checked(libc.capset(header, (ctypes.c_uint32 * 6)()), 'capset')


def _relay(pid):
    """Never returns. A signal to the group reaches the task itself; this process must outlive it."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.closerange(0, 64)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))
