/**
 * The filter of system calls: a seccomp program that refuses what authors' code has no use for and the kernel's past
 * holes were reached through. Everything else is allowed, so that no library breaks.
 */

/** Numbers on x64 and on arm64. */
const REFUSED: Readonly<Record<string, readonly [number, number]>> = {
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  // Mounts and namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  open_by_handle_at: [304, 265],
  // Large, privileged or rarely used parts of the kernel.
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  perf_event_open: [298, 241],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  syslog: [103, 116],
};

interface Machine {
  readonly at: 0 | 1;
  readonly audit: number;
  readonly clone: number;
  /** `socket` and `socketpair`. */
  readonly sockets: readonly number[];
}

const MACHINES: Partial<Record<NodeJS.Architecture, Machine>> = {
  x64: { at: 0, audit: 0xc000003e, clone: 56, sockets: [41, 53] },
  arm64: { at: 1, audit: 0xc00000b7, clone: 220, sockets: [198, 199] },
};

/**
 * The families of sockets: Unix, IPv4, IPv6. A network namespace does not hold back every other one (vsock reaches the
 * host of a virtual machine).
 */
const FAMILIES = [1, 2, 10];
/** Of netlink, protocol 0: how C libraries learn which addresses there are. */
const NETLINK = 16;

/** Numbers of another convention of x64 (x32), which would pass by the list. */
const X32 = 0x40000000;
/** The same number everywhere. Its flags lie in memory, where a filter cannot look. */
const CLONE3 = 435;
/** Flags of `clone` that make a namespace: mount, cgroup, uts, ipc, user, pid, network. */
const NAMESPACES = 0x7e020000;

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;
/** Offsets in the kernel's `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const errno = (code: number): number => 0x00050000 | code;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Whether system calls can be filtered on this machine. */
export function filtersCalls(machine = process.arch): boolean {
  return machine in MACHINES;
}

/**
 * The program, as the kernel and bubblewrap read it (`struct sock_filter[]`).
 *
 * A refused call fails with EPERM, a socket of another family with EAFNOSUPPORT. `clone3` does not exist (ENOSYS): libraries then use `clone`, whose flags can be
 * examined. Programs of another architecture are killed.
 *
 * @returns undefined for a machine whose numbers are not known
 */
export function callFilter(machine = process.arch): Buffer | undefined {
  const architecture = MACHINES[machine];
  if (!architecture) return undefined;
  const numbers = Object.values(REFUSED).map((pair) => pair[architecture.at]);
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE],
    [IF_EQUAL, 1, 0, architecture.audit],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    [IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, errno(EPERM)],
    ...numbers.flatMap((number): Instruction[] => [
      [IF_EQUAL, 0, 1, number],
      [RETURN, 0, 0, errno(EPERM)],
    ]),
    [IF_EQUAL, 0, 1, CLONE3],
    [RETURN, 0, 0, errno(ENOSYS)],
    ...architecture.sockets.flatMap(socketsOf),
    [IF_EQUAL, 0, 3, architecture.clone],
    [LOAD, 0, 0, argument(0)],
    [IF_ANY_BIT, 0, 1, NAMESPACES],
    [RETURN, 0, 0, errno(EPERM)],
    [RETURN, 0, 0, ALLOW],
  ];
  return bytesOf(program);
}

/** Where the call is this one, all paths end. */
function socketsOf(number: number): Instruction[] {
  const families = FAMILIES.flatMap((family): Instruction[] => [
    [IF_EQUAL, 0, 1, family],
    [RETURN, 0, 0, ALLOW],
  ]);
  const rest: Instruction[] = [
    [LOAD, 0, 0, argument(0)],
    ...families,
    [IF_EQUAL, 0, 3, NETLINK],
    [LOAD, 0, 0, argument(2)],
    [IF_EQUAL, 0, 1, 0],
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, errno(EAFNOSUPPORT)],
  ];
  return [[IF_EQUAL, 0, rest.length, number], ...rest];
}

function bytesOf(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
