/**
 * A canary in the input, output and result of one task is looked for by a later one of the same worker: in every memory
 * that it can read, and wherever else a process leaves data.
 */
import { randomBytes } from 'node:crypto';
import { type JsonObject, type Outcome, type TaskCall } from '../../../src/language/plan';
import { enforced, LEVELS } from '../../../test/support/sandboxed';
import { someOf } from '../../../test/support/sampled';
import { context, run } from '../../../test/support/tool-call';
import { until } from '../../../test/support/until';
import { InterpreterPools } from '../../kinds/python/interpreter/pools';
import { pythonTool } from '../../kinds/python/run';

const python = pythonTool(new InterpreterPools());
afterAll(() => python.close!());

const inPython = (
  code: string,
  sandbox: string,
  input: JsonObject = {},
  more: Partial<TaskCall> = {},
): Promise<Outcome> => run(python, { code }, { input, options: { sandbox }, ...more });

/** Ways of a task to handle a canary, its input `canary`, and to end; for each commit each at one level. */
const VICTIMS: Record<string, { code: string; more?: Partial<TaskCall> }> = {
  'returns and prints it': {
    code: 'import sys\nprint(canary)\nprint(canary, file=sys.stderr)\nresult = {"row": canary, "upper": [canary] * 10}',
  },
  'returns much': { code: 'result = [canary + str(n) for n in range(50000)]' },
  'prints much': { code: 'for n in range(50000): print(canary, n)' },
  fails: { code: 'raise ValueError(canary)' },
  'ends its process': { code: 'import os\nprint(canary, flush=True)\nos._exit(3)' },
  'is killed': {
    code: 'import os\nprint(canary, flush=True)\nos.kill(os.getpid(), 11)\nos.kill(os.getpid(), 9)\nresult = canary',
  },
  'is stopped by its timeout': {
    code: 'import time\nprint(canary, flush=True)\ntime.sleep(60)',
    more: { timeout: { total: 0.4 } },
  },
  'leaves files, a daemon and an environment': {
    code: `import os, subprocess
open('/tmp/left-by-a-task', 'w').write(canary)
if os.path.isdir('/dev/shm'): open('/dev/shm/left-by-a-task', 'w').write(canary)
subprocess.Popen(['sleep', '60'], env={'CANARY': canary}, start_new_session=True)
os.unlink('/tmp/left-by-a-task') if os.getpid() > 100 else None
os.unlink('/dev/shm/left-by-a-task') if os.getpid() > 100 else None`,
  },
};

/**
 * Where both halves of the canary lie side by side. They are never joined here, so that the search does not find itself.
 * `who`: numbers of processes, or all that are seen.
 */
const SEARCH = `
import glob, os
hits = []
def look(where, data):
    at = -1
    while (at := data.find(first, at + 1)) >= 0:
        if data[at + len(first):at + len(first) + len(second)] == second: hits.append(where)
def memory(pid):
    for line in open(f'/proc/{pid}/maps'):
        span, rights = line.split()[:2]
        if 'r' not in rights or '[v' in line: continue
        low, high = [int(x, 16) for x in span.split('-')]
        with open(f'/proc/{pid}/mem', 'rb', 0) as file:
            while low < high:
                file.seek(low)
                try: piece = file.read(min(high - low, 1 << 22))
                except OSError: break
                if not piece: break
                look(f'memory of {pid}: {line.strip()}', piece)
                low += len(piece) if low + len(piece) >= high else max(1, len(piece) - 64)
def tried(what, *args):
    try: what(*args); return True
    except OSError: return False
first, second = first.encode(), second.encode()
everyone = [name for name in os.listdir('/proc') if name.isdigit()]
read = [pid for pid in (who or everyone) if tried(memory, pid)]
if not who:
    places = [f'/proc/{pid}/{name}' for pid in everyone for name in ('environ', 'cmdline', 'comm')]
    places += [name for top in ('/dev/shm', '/tmp', '/run', '/var/tmp') for name in glob.glob(top + '/**', recursive=True) if os.path.isfile(name)]
    places += glob.glob('/proc/[0-9]*/fd/*')
    for name in places:
        try:
            if name.startswith('/proc/') and '/fd/' in name and not os.path.isfile(os.path.realpath(name)): continue
            look(name, open(name, 'rb').read(1 << 26))
        except OSError: pass
result = {'hits': sorted(set(hits)), 'read': [str(one) for one in read]}`;

interface Found {
  readonly hits: string[];
  /** Processes whose memory was read. */
  readonly read: string[];
}

const newCanary = (): [string, string] => [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];

/** At level `none`: the process itself, and the one that it was forked from. */
async function search(level: string, [first, second]: [string, string], before = ''): Promise<Found> {
  const who = level === 'none' ? 'who = [str(os.getpid()), str(os.getppid())]' : 'who = None';
  const code = `import os\n${who}\n${before}\n${SEARCH}`;
  const outcome = await inPython(code, level, { first, second });
  expect(outcome.error).toBeNull();
  return outcome.result as unknown as Found;
}

beforeAll(() => enforced('none'));

describe.each(LEVELS)('%s', (level) => {
  beforeAll(() => enforced(level));

  test('a canary in the process itself is found', async () => {
    const { hits, read } = await search(level, newCanary(), 'kept = "".join([first, second])');
    expect(hits.length).toBeGreaterThan(0);
    expect(read.length).toBeGreaterThan(level === 'none' ? 1 : 0);
  });

  const from = LEVELS.indexOf(level);
  test.each(someOf(Object.entries(VICTIMS), LEVELS.length, from))(
    'a task that %s leaves nothing for later ones',
    async (_what, { code, more }) => {
      const halves = newCanary();
      for (const between of [0, 3]) {
        await inPython(code, level, { canary: halves.join('') }, more);
        for (let task = 0; task < between; task++) await inPython('result = 1', level);
        expect((await search(level, halves)).hits).toEqual([]);
      }
    },
  );

  test('a cancelled task leaves nothing, nor does one that runs at the same time', async () => {
    const halves = newCanary();
    const { controller, ...rest } = context();
    const lines: string[] = [];
    const running = run(
      python,
      { code: 'import time\nprint(canary, flush=True)\ntime.sleep(60)' },
      { input: { canary: halves.join('') }, options: { sandbox: level } },
      { ...rest, print: (_stream, chunk) => void lines.push(chunk.toString()) },
    );
    await until(async () => lines.length > 0);
    expect((await search(level, halves)).hits).toEqual([]);
    controller.abort();
    expect((await running).error).toMatchObject({ kind: 'cancelled' });
    expect((await search(level, halves)).hits).toEqual([]);
  });
});
