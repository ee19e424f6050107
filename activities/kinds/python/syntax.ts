/** Checks the syntax of Python code with this machine's interpreter, without running it. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { pythonCandidates, pythonEnvironment } from './interpreter/find';

const LIMIT_MS = 2_000;
const MAX_ANSWER_BYTES = 1 << 20;

/** A code text, and a function that makes a problem of a finding. */
export interface PythonCode<Problem> {
  readonly text: string;
  problem(line: number, column: number, message: string): Problem;
}

interface Finding {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Syntax errors; none if there is no Python 3, or it takes longer than two seconds. */
export async function pythonSyntax<Problem>(
  blocks: readonly PythonCode<Problem>[],
  { env = process.env, limitMs = LIMIT_MS }: { env?: NodeJS.ProcessEnv; limitMs?: number } = {},
): Promise<Problem[]> {
  if (blocks.length === 0) return [];
  const texts = JSON.stringify(blocks.map(({ text }) => text));
  const signal = AbortSignal.timeout(limitMs);
  for (const command of pythonCandidates(env)) {
    const findings = await ask(command, texts, pythonEnvironment(env), signal);
    if (findings)
      return blocks.flatMap((block, i) => {
        const finding = findings[i];
        return finding ? [block.problem(finding.line, finding.column, finding.message)] : [];
      });
  }
  return [];
}

/** Undefined if the command is not Python 3, or does not respond. */
async function ask(
  command: string,
  texts: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<readonly (Finding | null)[] | undefined> {
  return new Promise((resolve) => {
    // Without `site`: it takes half of the startup time and is not needed for parsing.
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
