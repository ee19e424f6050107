/** Prints the outcome of a run: the result on standard output, the rest on standard error. */
import { failureText } from './failure';
import { duration, paint, printable } from './paint';
import { type ResultDocument } from './result-document';
import { print } from './say';
import { way } from './way';

export interface Presented {
  /** The playbook, as errors name it, and its text if available. */
  readonly file: string;
  readonly text?: string | undefined;
  /** Prints only one JSON document on standard output. */
  readonly json?: boolean | undefined;
  readonly color: boolean;
  /** Milliseconds. */
  readonly elapsed: number;
}

export async function presentResult(
  document: ResultDocument,
  { file, text, json, color, elapsed }: Presented,
): Promise<void> {
  if (json) await print(JSON.stringify(document, null, 2));
  const { green, yellow, dim } = paint(color);
  const note = dim(`in ${duration(elapsed)} · ${way(document.steps_executed)}`);
  if (document.status === 'completed') {
    const isSkipped = document.notes.some(({ code }) => code === 'SKIPPED');
    process.stderr.write(`${isSkipped ? yellow('– Skipped') : green('✓ Completed')} ${note}\n`);
    for (const { code, step, message, at } of document.notes) {
      const where = dim(`${file}:${at.join(':')}`);
      process.stderr.write(
        `${yellow('note')} ${code} ${printable(step === undefined ? message : `${step}: ${message}`)} ${where}\n`,
      );
    }
    if (!json) await print(JSON.stringify(document.result, null, 2));
  } else if (document.status === 'cancelled') {
    const message = document.error?.message ?? 'cancelled';
    const reason = message === 'cancelled' ? '' : `: ${printable(message)}`;
    process.stderr.write(`${yellow('■ Cancelled')}${reason} ${note}\n`);
  } else if (document.error) {
    process.stderr.write(`${failureText(document.error, text, color)}\n\n  ${note}\n`);
  }
}
