"""
A warm interpreter: two processes, of which one forks a process for each task (noetl_zygote.py), ahead of it, so that a task
waits neither for a fork nor for the interpreter's start nor for imports; the other one holds the data (noetl_relay.py).
"""

import gc
import json
import logging
import os
import signal
import socket
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [HERE, *(entry for entry in sys.path if os.path.abspath(entry or '.') != HERE)]

sys.dont_write_bytecode = True  # nothing of ours is written beside the sources
import noetl_process  # noqa: E402
import noetl_relay  # noqa: E402
import noetl_sandbox  # noqa: E402
import noetl_zygote  # noqa: E402
sys.dont_write_bytecode = False


def main():
    noetl_process.close_inherited()
    noetl_process.without_cores()
    tail = int(os.environ.pop('NOETL_PYTHON_OUTPUT_LIMIT', 1 << 16))
    sandbox = json.loads(os.environ.pop('NOETL_PYTHON_SANDBOX', 'null'))
    mark = noetl_process.Mark.found()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, encoding='utf-8', errors='backslashreplace')
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format='%(levelname)s %(name)s: %(message)s')
    for name in filter(None, os.environ.pop('NOETL_PYTHON_PRELOAD', '').split(',')):
        __import__(name.strip())
    sys.path[0] = ''  # the code imports from its working folder, not from this one
    sys.argv = ['']
    # A terminal's Ctrl-C goes to the worker, which decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    ours, its = socket.socketpair()
    # Before any task, and before any thread.
    if os.fork() == 0:
        ours.close()
        serve(noetl_zygote.Zygote(its, sandbox, mark))
    its.close()
    noetl_process.hide()
    if sandbox:
        noetl_sandbox.drop_capabilities()
    noetl_relay.Relay(ours, tail, not sandbox).serve()


def serve(zygote):
    """Never returns. It has the worker's pipes no more: what it writes to them would be the relay's."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    try:
        zygote.serve()
    except BaseException:  # noqa: BLE001 - leaving by any other way would run the relay's loop
        logging.exception('the zygote failed')
    os._exit(0)


main()
