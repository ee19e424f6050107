/** The network and the system calls that code in a sandbox has. Each refusal is first seen to be one of the sandbox. */
import net from 'node:net';
import os from 'node:os';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { type Absent, present } from '../../../test/support/present';
import { run } from '../../../test/support/tool-call';
import { InterpreterPools } from '../../kinds/python/interpreter/pools';
import { pythonTool } from '../../kinds/python/run';
import { shell } from '../../kinds/shell/run';
import { filtersCalls, whyNot } from './index';

const ANSWER = 'canary-of-a-service';
const python = pythonTool(new InterpreterPools());
const inPython = (code: string, sandbox: string, input: JsonObject): Promise<Outcome> =>
  run(python, { code }, { input, options: { sandbox } });

let service: net.Server;
let port: number;
/** Addresses of this machine, besides those of the loopback. */
const own = Object.values(os.networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter((one) => one.family === 'IPv4' && !one.internal)
  .map((one) => one.address);

/** What the operator of the worker set: the services it talks to, and what else to deny. */
const SETTINGS = {
  NOETL_SANDBOX_DENY: '203.0.113.7:7233, 198.51.100.0/24',
  TEMPORAL_ADDRESS: '203.0.113.8:7233',
  NOETL_STORAGE: 's3://bucket/x?endpoint=http://203.0.113.9:9000',
};

beforeAll(async () => {
  Object.assign(process.env, SETTINGS);
  const why = await whyNot('standard');
  present<object | Absent>(why === undefined ? {} : { skipped: `no sandbox: ${why}`, extra: true });
  service = net.createServer((one) => one.end(ANSWER));
  await new Promise<void>((resolve) => service.listen(0, '0.0.0.0', resolve));
  port = (service.address() as net.AddressInfo).port;
});

afterAll(async () => {
  await python.close!();
  service?.close();
  for (const name of Object.keys(SETTINGS)) delete process.env[name];
});

/** What a service answers at each of `addresses`. */
const ASK = `
import socket
def ask(address):
    try:
        with socket.create_connection(tuple(address), 2) as s:
            return s.recv(100).decode()
    except OSError as error:
        return 'nothing: ' + type(error).__name__
result = [ask(one) for one in addresses]`;

test('services of this machine answer without a sandbox, and to none with one', async () => {
  const addresses = ['127.0.0.1', ...own].map((host) => [host, port]);
  const open = await inPython(ASK, 'none', { addresses });
  expect(open.result).toEqual(addresses.map(() => ANSWER));
  for (const level of ['standard', 'strict']) {
    const closed = await inPython(ASK, level, { addresses });
    expect(closed).toMatchObject({ status: 'ok', meta: { sandbox: level } });
    // Refused at once: what is only not there lets the caller wait.
    for (const answer of closed.result as string[]) expect(answer).toMatch(/^nothing: (?!TimeoutError)/);
  }
});

/** Whether a packet to each of `addresses` leaves: also from a socket bound to the interface, past all routes. */
const SEND = `
import socket
def leaves(address, device):
    with socket.socket(socket.AF_INET6 if ':' in address[0] else socket.AF_INET, socket.SOCK_DGRAM) as s:
        if device: s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device)
        try: s.sendto(b'x', tuple(address)); return True
        except OSError: return False
result = [[leaves(one, device) for device in (None, b'tap0')] for one in addresses]`;

test('standard reaches the network, but not metadata, link-local, the loopback and what the operator denies', async () => {
  const reachable = [
    ['203.0.113.1', 80],
    ['203.0.113.7', 443],
    ['10.0.2.3', 53],
  ];
  const denied = [
    ['169.254.169.254', 80],
    ['169.254.170.2', 80],
    ['fe80::1', 80],
    ['fd00:ec2::254', 80],
    ['168.63.129.16', 80],
    ['127.0.0.1', port],
    ['127.0.0.53', 53],
    // The worker's loopback by way of slirp4netns, and of its resolver.
    ['10.0.2.2', port],
    ['10.0.2.3', 7233],
    ['203.0.113.7', 7233],
    ['203.0.113.8', 7233],
    ['203.0.113.9', 9000],
    ['198.51.100.9', 1],
    ...own.map((host) => [host, 1]),
  ];
  const sent = async (addresses: (string | number)[][]): Promise<unknown> =>
    (await inPython(SEND, 'standard', { addresses })).result;
  expect(await sent(reachable)).toEqual(reachable.map(() => [true, true]));
  expect(await sent(denied)).toEqual(denied.map(() => [false, false]));
});

test('strict has no interface', async () => {
  const { result } = await run(
    shell,
    { cmd: 'tail -n +2 /proc/net/route; grep -c : /proc/net/dev' },
    { options: { sandbox: 'strict' } },
  );
  expect(result).toMatchObject({ stdout: '1\n' });
});

test('code has no power over its network', async () => {
  const code = `
import os, subprocess
os.environ['PATH'] += ':/usr/sbin:/sbin'
def works(*command):
    try: return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError: return False
result = [works('nft', 'delete', 'table', 'inet', 'noetl'), works('ip', 'addr', 'add', '10.9.9.9/8', 'dev', 'tap0'),
          works('nsenter', '--net=/proc/1/ns/net', 'true'), works('true')]`;
  expect((await inPython(code, 'standard', {})).result).toEqual([false, false, false, true]);
});

/** The error of system calls by number, with arguments that are refused for another reason if they are made. */
const CALL = `
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
at = 0 if platform.machine() == 'x86_64' else 1
def error_of(numbers, *arguments):
    ctypes.set_errno(0)
    libc.syscall(numbers[at], *arguments)
    return ctypes.get_errno()
# bpf and mount of nothing, keyctl of no operation, ptrace of nobody, a namespace by clone and unshare, clone3
result = {
    'userfaultfd': error_of([323, 282], 0x7fffffff), 'keyctl': error_of([250, 219], 0x7fff),
    'ptrace': error_of([101, 117], 0x4206, 0x3fffffff), 'unshare': error_of([272, 97], 1),
    'clone': error_of([56, 220], 0x10000000 | 0x200, 0), 'clone3': error_of([435, 435], 0, 0),
    'io_uring': error_of([425, 425], 0, 0), 'perf_event_open': error_of([298, 241], 0, 0, -1, -1, 0x7fff),
    'x32': error_of([0x40000000, 0xffff], 0),
    'getpid': error_of([39, 172]),
}`;

test('system calls that code has no use for are refused', async () => {
  if (!filtersCalls()) present<object | Absent>({ skipped: `no filter for ${process.arch}`, extra: true });
  const [EPERM, ENOSYS] = [1, 38];
  const open = (await inPython(CALL, 'none', {})).result as JsonObject;
  for (const call of ['userfaultfd', 'keyctl', 'ptrace', 'unshare']) expect(open[call]).not.toBe(EPERM);
  for (const level of ['standard', 'strict']) {
    const { x32, clone3, getpid, ...refused } = (await inPython(CALL, level, {})).result as JsonObject;
    expect(new Set(Object.values(refused))).toEqual(new Set([EPERM]));
    expect([clone3, getpid]).toEqual([ENOSYS, 0]);
    expect([EPERM, ENOSYS]).toContain(x32);
  }
  const mounts = await run(
    shell,
    { cmd: 'unshare -Ur true; grep Seccomp: /proc/self/status' },
    { options: { sandbox: 'standard' } },
  );
  expect(mounts.result).toMatchObject({
    stdout: 'Seccomp:\t2\n',
    stderr: expect.stringContaining('not permitted') as string,
  });
});

/** Families of sockets that can be made, by `socket` and `socketpair`, and the protocols of netlink. */
const FAMILIES = `
import socket
EAFNOSUPPORT = 97
def made(make, family, kind, protocol=0):
    try: pair = make(family, kind, protocol)
    except OSError as error: return error.errno != EAFNOSUPPORT
    for one in pair if isinstance(pair, tuple) else [pair]: one.close()
    return True
KINDS = [socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET]
def families(make): return [one for one in range(1, 64) if any(made(make, one, kind) for kind in KINDS)]
result = [families(socket.socket), families(lambda *one: socket.socketpair(*one)),
          [one for one in range(22) if made(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, one)]]`;

test('sockets are of four families, and netlink tells addresses only', async () => {
  if (!filtersCalls()) present<object | Absent>({ skipped: `no filter for ${process.arch}`, extra: true });
  const [open = [], , netlink = []] = (await inPython(FAMILIES, 'none', {})).result as number[][];
  expect(open).toEqual(expect.arrayContaining([1, 2, 16, 17]));
  expect(open.length).toBeGreaterThan(4);
  expect(netlink.length).toBeGreaterThan(1);
  for (const level of ['standard', 'strict']) {
    const [sockets = [], pairs = [], protocols] = (await inPython(FAMILIES, level, {})).result as number[][];
    // IPv6 may be missing here.
    expect([1, 2, 10, 16]).toEqual(expect.arrayContaining(sockets));
    expect([1, 2, 10, 16]).toEqual(expect.arrayContaining(pairs));
    expect(sockets).toEqual(expect.arrayContaining([1, 2, 16]));
    expect(protocols).toEqual([0]);
    const inShell = await run(
      shell,
      { cmd: `${FAMILIES}\nprint(result)`, shell: '/usr/bin/python3' },
      { options: { sandbox: level } },
    );
    expect(inShell.result).toMatchObject({
      stdout: expect.stringContaining(JSON.stringify(sockets).replaceAll(',', ', ')) as string,
    });
  }
});
