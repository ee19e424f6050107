/** A run on this machine, in a process of its own: its output is not the assistant's. */
import { execFile } from 'node:child_process';
import { CodedError } from '../../../language/errors';
import { type LocalRun } from '../../../service/assistant';
import { type PortFlags } from '../port';

/** Of the document of a run. */
const MOST_BYTES = 64 * 1024 * 1024;
/** For starting and stopping what a run needs. */
const AROUND_SECONDS = 60;

/** @returns what `run --json` prints. @throws CodedError `RUN_FAILED` if nothing could be started */
export function runHere(
  { playbook, payload = {}, only, input, seconds }: LocalRun,
  { data }: PortFlags,
): Promise<object> {
  const single = only === undefined ? [] : ['--only', only, '--input', JSON.stringify(input ?? {})];
  const given = only === undefined ? ['--payload', JSON.stringify(payload)] : [];
  const where = data === undefined ? [] : ['--data', data];
  const args = ['run', '--json', '--timeout', `${seconds}s`, ...given, ...single, ...where, '--', playbook];
  return new Promise((resolve, reject) => {
    const options = {
      maxBuffer: MOST_BYTES,
      timeout: (seconds + AROUND_SECONDS) * 1000,
      env: { ...process.env, NO_COLOR: '1' },
    };
    execFile(process.execPath, [process.argv[1]!, ...args], options, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as object);
      } catch {
        reject(new CodedError('RUN_FAILED', stderr.trim().slice(-2_000) || 'the run did not answer'));
      }
    });
  });
}
