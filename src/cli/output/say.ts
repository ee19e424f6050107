/** Prints errors of commands, without a stack trace unless NOETL_DEBUG is set. */
import { CodedError, type EnvironmentError, messageOf } from '../../language/errors';
import { exitCodeOf, UsageError } from '../errors';
import { paint, printable, wantsColor } from './paint';

/** One line for an invalid command or playbook; message and hints for environment errors. */
export function errorText(error: unknown, color: boolean, debug = false): string {
  const { red, dim, explained } = paint(color);
  const stack = debug && error instanceof Error && error.stack ? `\n${error.stack}` : '';
  const [first, ...more] = printable(messageOf(error)).split('\n');
  if (error instanceof UsageError) return `${red('error:')} ${[first, ...more].join(' ')}${stack}`;
  if (error instanceof CodedError) {
    const hint = error.hint.map((line) => `  ${dim('→')} ${line}`);
    return (
      [`${red('error:')} ${first} ${explained(dim(`[${error.code}]`), error.code)}`, ...more, ...hint].join(
        '\n',
      ) + stack
    );
  }
  const hint = debug ? '' : dim(' (NOETL_DEBUG=1 shows where)');
  return `${red('error:')} ${[first, ...more].join('\n')}${hint}${stack}`;
}

/** Prints the error to standard error and returns its exit code. */
export function reportError(error: unknown): number {
  const text = errorText(error, wantsColor(process.stderr), Boolean(process.env.NOETL_DEBUG));
  process.stderr.write(`${text}\n`);
  return exitCodeOf(error);
}

/** Prints a problem of the environment and its fix, if the command continues nevertheless. */
export function warn(what: EnvironmentError): void {
  const { yellow, dim, explained } = paint(wantsColor(process.stderr));
  const hint = what.hint.map((line) => `  ${dim('→')} ${line}`);
  process.stderr.write(
    `${[`${yellow('warning:')} ${printable(what.message)} ${explained(dim(`[${what.code}]`), what.code)}`, ...hint].join('\n')}\n`,
  );
}

/** Writes to standard output and waits until it is flushed, so that exiting afterwards loses nothing. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) =>
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, () => resolve()),
  );
}

/** Prints the result of a command: a line for people, a document for scripts. */
export function printAnswer(json: boolean | undefined, document: object, line: string): Promise<void> {
  return print(json ? JSON.stringify(document, null, 2) : printable(line));
}
