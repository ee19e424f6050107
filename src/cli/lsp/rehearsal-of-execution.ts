/** A former execution as a rehearsal of the playbook in a document: what `whatif --to-rehearsal` writes. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

interface CommandLine {
  /** Of noetl-temporal. */
  readonly command: readonly string[];
  readonly server: string | undefined;
}

/** @returns the file, as a URI, and why it could not be written */
export async function rehearsalOfExecution(
  uri: string,
  execution: string,
  { command: [program = '', ...args], server }: CommandLine,
): Promise<{ readonly file: string; readonly problem?: string | undefined }> {
  const playbook = fileURLToPath(uri);
  const file = playbook.replace(/(\.ya?ml)?$/i, `.${execution}.rehearsal.yaml`);
  const where = server === undefined ? [] : ['--server', server];
  const given = ['whatif', execution, '--playbook', playbook, '--to-rehearsal', file, ...where];
  // It may write a rehearsal and end with 1: where it cannot know how the run ends.
  const { stderr } = await promisify(execFile)(program, [...args, ...given], {
    cwd: path.dirname(playbook),
  }).catch((error: unknown) => error as { stderr?: string });
  return {
    file: pathToFileURL(file).href,
    ...(!fs.existsSync(file) && { problem: stderr ?? 'it cannot be run' }),
  };
}
