import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { templateJson } from '../../src/language/template';

/** The Jinja2 that judges. Pinned, so that a failure is ours. */
const version = '3.1.6';

/**
 * A Python with Jinja2: `JINJA2_PYTHON`, or a virtual environment in the temporary folder, made on first use. Answers
 * why there is none where there is none.
 */
export function findPython(): { python: string } | { missing: string } {
  const given = process.env['JINJA2_PYTHON'];
  if (given !== undefined) return { python: given };
  const folder = join(tmpdir(), `noetl-temporal-jinja2-${version}`);
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const works = (): boolean => spawnSync(python, ['-c', 'import jinja2'], { stdio: 'ignore' }).status === 0;
  if (existsSync(python) && works()) return { python };
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'ignore', timeout: 60_000 });
    const install = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', `jinja2==${version}`];
    execFileSync(python, install, { stdio: 'ignore', timeout: 60_000 });
    return works() ? { python } : { missing: 'Jinja2 was installed but cannot be imported' };
  } catch (error) {
    return { missing: `Python 3 with jinja2==${version} cannot be had: ${String(error)}` };
  }
}

/** What Jinja2 says of one case. */
export interface Verdict {
  readonly value?: unknown;
  readonly undefined?: boolean;
  readonly text?: string;
  readonly error?: string;
}

/** Asks Jinja2 about cases, each a line of JSON. */
export function ask(python: string, lines: readonly string[]): Verdict[] {
  const output = execFileSync(python, ['-W', 'ignore', join(__dirname, 'jinja2_oracle.py')], {
    input: lines.join('\n'),
    maxBuffer: 1 << 30,
    encoding: 'utf8',
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => parseVerdict(line));
}

function parseVerdict(line: string): Verdict {
  // Python writes NaN and Infinity, which are not JSON.
  return /\b(NaN|Infinity)\b/.test(line) ? { error: 'not JSON' } : (templateJson(line) as Verdict);
}
