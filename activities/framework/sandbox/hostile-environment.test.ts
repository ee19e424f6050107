/**
 * Every variable that a loader, a C library, a shell or an interpreter reads, set by an author to traps outside of the
 * sandbox: programs, libraries, modules and start-up files that leave a mark when they run, and whose times tell that
 * they were read. Without a sandbox, the traps work.
 */
import fs from 'node:fs';
import path from 'node:path';
import { type JsonObject, type Outcome } from '../../../src/language/plan';
import { VARIABLES } from '../../../test/support/hostile-variables';
import { isNightly } from '../../../test/support/sampled';
import { enforced } from '../../../test/support/sandboxed';
import { run } from '../../../test/support/tool-call';
import { InterpreterPools } from '../../kinds/python/interpreter/pools';
import { pythonTool } from '../../kinds/python/run';
import { script } from '../../kinds/script/run';
import { shell } from '../../kinds/shell/run';

const python = pythonTool(new InterpreterPools());
/** Not below /tmp, which a sandbox has too. */
let root: string;

beforeAll(async () => {
  await enforced('standard');
  root = fs.mkdtempSync('/var/tmp/noetl-traps-');
});
afterAll(async () => {
  await python.close!();
  if (root) fs.rmSync(root, { recursive: true });
});

const PROGRAMS =
  'sh bash dash bwrap nsenter unshare env cat cd read kill ulimit exec true id python3 python node perl ruby';

/** Files that leave `ran` in their folder when they are run, whichever way. All were last read long ago. */
function trapsIn(folder: string): void {
  fs.mkdirSync(path.join(folder, 'locale'), { recursive: true });
  const ran = path.join(folder, 'ran');
  const write = (name: string, text: string): void =>
    fs.writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  for (const name of PROGRAMS.split(' ')) write(name, `#!/bin/sh\necho ${name} > ${ran}\n`);
  for (const name of ['sitecustomize.py', 'usercustomize.py', 'trap.py', 'encodings.py'])
    write(name, `open(${JSON.stringify(ran)}, 'w').write('python')\n`);
  write('trap.sh', `echo sh > ${ran}\n`);
  write('trap.js', `require('fs').writeFileSync(${JSON.stringify(ran)}, 'node')\n`);
  write('trap.pm', `open(my $f, '>', '${ran}'); print $f 'perl'; 1;\n`);
  write('trap.rb', `File.write(${JSON.stringify(ran)}, 'ruby')\n`);
  for (const name of ['trap', 'trap.so', 'libc.so.6', 'libtinfo.so.6', 'gconv-modules', 'locale/LC_CTYPE'])
    write(name, 'trap\n');
  for (const name of filesIn(folder)) fs.utimesSync(path.join(folder, name), 1, 1);
}

const filesIn = (folder: string): string[] =>
  fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

/** What happened to the traps of a folder: files that are new, and old ones that were read. */
function seen(folder: string, before: readonly string[]): string[] {
  return filesIn(folder).filter((name) => {
    const stats = fs.statSync(path.join(folder, name));
    return !before.includes(name) || (stats.isFile() && stats.atimeMs !== 1000);
  });
}

type Runs = (env: JsonObject, sandbox: string) => Promise<Outcome>;

const KINDS: Record<string, Runs> = {
  python: (env, sandbox) =>
    run(
      python,
      { code: 'import subprocess\nresult = subprocess.run(["/bin/sh", "-c", "true"]).returncode', env },
      { options: { sandbox } },
    ),
  shell: (env, sandbox) => run(shell, { cmd: 'true; id', env }, { options: { sandbox } }),
  'shell: bash': (env, sandbox) =>
    run(shell, { cmd: 'true; id', shell: '/bin/bash', env }, { options: { sandbox } }),
  script: (env, sandbox) => run(script, { code: '#!/bin/sh\ntrue; id', env }, { options: { sandbox } }),
  'script of perl': (env, sandbox) =>
    run(script, { code: 'print 1', interpreter: '/usr/bin/perl', env }, { options: { sandbox } }),
};

const HELPERS: Record<string, JsonObject> = { LD_DEBUG_OUTPUT: { LD_DEBUG: 'libs' } };

/** Those that show that traps work, and each tenth of the others: nightly, all. */
const LOUD = new Set('LD_PRELOAD LD_DEBUG_OUTPUT LD_LIBRARY_PATH PATH BASH_ENV PERL5OPT'.split(' '));

/** The traps that each variable of `VARIABLES` sprang. */
async function sprung(runs: Runs, sandbox: string): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  const work = Object.entries(VARIABLES).filter(([name], n) => isNightly || LOUD.has(name) || n % 10 === 0);
  const next = async (): Promise<void> => {
    for (let one = work.shift(); one; one = work.shift()) {
      const [name, named] = one;
      const folder = fs.mkdtempSync(path.join(root, `${name}-`));
      trapsIn(folder);
      const before = filesIn(folder);
      const value = named === 'folder' ? folder : named === 'file' ? `${folder}/trap` : named(folder);
      // Some need another one to do anything.
      const helped: JsonObject = { ...HELPERS[name], ...(name === 'PERL5OPT' && { PERL5LIB: folder }) };
      await runs({ ...helped, [name]: value }, sandbox);
      const found = seen(folder, before);
      if (found.length > 0) all[name] = found;
    }
  };
  await Promise.all([1, 2, 3, 4].map(next));
  return all;
}

/** What shows that the traps of a kind work. */
const WORK: Record<string, string[]> = {
  python: ['LD_PRELOAD', 'LD_DEBUG_OUTPUT', 'LD_LIBRARY_PATH'],
  shell: ['LD_PRELOAD', 'LD_DEBUG_OUTPUT', 'LD_LIBRARY_PATH', 'PATH'],
  'shell: bash': ['LD_PRELOAD', 'PATH', 'BASH_ENV'],
  script: ['LD_PRELOAD', 'PATH'],
  'script of perl': ['LD_PRELOAD', 'PERL5OPT'],
};

describe.each(Object.entries(KINDS))('%s', (kind, runs) => {
  test('without a sandbox, traps work', async () => {
    const found = Object.keys(await sprung(runs, 'none'));
    expect(found).toEqual(expect.arrayContaining(WORK[kind]!));
  });

  test.each(['standard', 'strict'])(
    '%s: no variable reads, writes or runs anything outside',
    async (level) => {
      expect(await sprung(runs, level)).toEqual({});
    },
  );
});
