/** Pages of docs whose commands are run by tests, as written: a shell block, and after it the lines it is to say. */
import fs from 'node:fs';
import path from 'node:path';
import { runProgram } from '../../src/temporal/client';
import { ROOT } from './process';

export interface Fence {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page of `docs/`. */
export function fencesOf(page: string): Fence[] {
  const text = fs.readFileSync(path.join(ROOT, 'docs', page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```/gm)].map(([, language, body]) => ({
    language: language!,
    text: body!,
  }));
}

/** Runs every shell block in order, and expects what the text block behind it says. @returns how many there were */
export async function runPage(
  fences: readonly Fence[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  let ran = 0;
  for (const [index, { language, text: script }] of fences.entries()) {
    if (language !== 'sh') continue;
    ran += 1;
    const next = fences[index + 1];
    const says = next?.language === 'text' ? next.text.trim().split('\n') : [];
    const { code, stdout, stderr } = await runProgram('bash', ['-euo', 'pipefail', '-c', script], {
      timeoutMs: 120_000,
      cwd,
      env: { ...process.env, ...env, NO_COLOR: '1' },
    });
    expect({ script, code, stderr: code === 0 ? '' : stderr }).toEqual({ script, code: 0, stderr: '' });
    // JSON is printed with or without spaces.
    const said = compact(stdout);
    for (const line of says)
      expect({ script, said }).toEqual({ script, said: expect.stringContaining(compact(line)) as string });
  }
  return ran;
}

function compact(text: string): string {
  return text.replaceAll(/(?<=[:,])\s+/g, '');
}
