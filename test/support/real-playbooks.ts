/** Real playbooks for the tests of the compiler: the examples of this repository, and the conformance ones. */
import fs from 'node:fs';
import path from 'node:path';
import { EXTRAS, noExtra, present } from './present';

const EXAMPLES = path.resolve(__dirname, '../../playbooks');
const CONFORMANCE = path.join(EXTRAS, 'conformance/playbooks');

/** The generations of the language, oldest first; `examples` are ours. */
export const GENERATIONS = ['early', 'v10', 'current'] as const;
export type Source = (typeof GENERATIONS)[number] | 'examples';

export interface RealPlaybook {
  /** Its source and its path there, `/` between the parts. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** The name of a playbook that has to be refused: the folder or the file says so. */
export function isBroken(name: string): boolean {
  return /(^|\/)broken_playbooks\/|(^|\/)should_error_/.test(name);
}

/**
 * The playbooks of a source, by name. The conformance ones are read where they are; on a machine without them there
 * are none.
 */
export function realPlaybooks(source: Source): RealPlaybook[] {
  const folder = source === 'examples' ? EXAMPLES : path.join(CONFORMANCE, source);
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('.rehearsal.yaml'))
    .sort()
    .filter((name) => !/^kind:\s*Subscription\b/m.test(fs.readFileSync(path.join(folder, name), 'utf8')))
    .map((name) => ({
      name: path.posix.join(source, ...name.split(path.sep)),
      file: path.join(folder, name),
      text: fs.readFileSync(path.join(folder, name), 'utf8'),
    }));
}

/** A test that is skipped, with the reason, where a file reads the examples alone: the conformance ones are not there. */
export function testWithRealPlaybooks(): void {
  test('real playbooks of three generations are among them', () => {
    expect(present(fs.existsSync(CONFORMANCE) ? CONFORMANCE : noExtra('conformance/playbooks'))).toBeTruthy();
    for (const generation of GENERATIONS) expect(realPlaybooks(generation)).not.toEqual([]);
  });
}
