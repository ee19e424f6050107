/** What the interpreter of this machine says of Python code that is not run yet. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { pythonCandidates, pythonEnvironment } from './interpreter/find';

const LIMIT_MS = 2_000;
const MAX_ANSWER_BYTES = 1 << 20;

/** A text of code, and what to make of a finding about it. */
export interface Code<Problem> {
  readonly text: string;
  problem(line: number, column: number, message: string): Problem;
}

interface Finding {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Findings about code that does not parse; none where there is no Python 3, or it takes longer than two seconds. */
export async function pythonSyntax<Problem>(
  blocks: readonly Code<Problem>[],
  { env = process.env, limitMs = LIMIT_MS }: { env?: NodeJS.ProcessEnv; limitMs?: number } = {},
): Promise<Problem[]> {
  if (blocks.length === 0) return [];
  const texts = JSON.stringify(blocks.map(({ text }) => text));
  const signal = AbortSignal.timeout(limitMs);
  for (const command of pythonCandidates(env)) {
    const findings = await ask(command, texts, pythonEnvironment(env), signal);
    if (findings)
      return blocks.flatMap((block, i) => {
        const found = findings[i];
        return found ? [block.problem(found.line, found.column, found.message)] : [];
      });
  }
  return [];
}

/** Undefined where the command is no Python 3, or does not answer. */
async function ask(
  command: string,
  texts: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<readonly (Finding | null)[] | undefined> {
  return new Promise((resolve) => {
    // Without `site`: half of the start-up, and nothing that is needed to parse.
    const child = spawn(command, ['-S', '-B', path.join(__dirname, 'check.py')], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      signal,
      killSignal: 'SIGKILL',
    });
    const pieces: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= MAX_ANSWER_BYTES) pieces.push(piece);
    });
    child.stdin.on('error', () => undefined); // EPIPE: 'close' follows
    child.on('error', () => resolve(undefined));
    child.on('close', () => resolve(parsed(Buffer.concat(pieces))));
    child.stdin.end(texts);
  });
}

function parsed(answer: Buffer): readonly (Finding | null)[] | undefined {
  try {
    return JSON.parse(answer.toString('utf8')) as (Finding | null)[];
  } catch {
    return undefined;
  }
}
