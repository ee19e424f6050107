/** Rehearsals of an open document: their problems and their results. */
import { compile, type Diagnostic, type ToolKinds } from '../../language/dsl';
import { diffText, readRehearsals, runRehearsal } from '../../offline/rehearsal';

/** Finds a playbook by the name that a rehearsal file gives. */
export type PlaybookReader = (name: string) => { readonly uri: string; readonly text: string } | undefined;

export interface RehearsedText {
  /** Of the rehearsal file; with an error, nothing was run. */
  readonly diagnostics: readonly Diagnostic[];
  readonly results: readonly RehearsedCase[];
}

export interface RehearsedCase {
  readonly name: string;
  readonly ok: boolean;
  /** The line of the rehearsal, from 1. */
  readonly line: number;
  /** What differs from what was expected, as text. */
  readonly difference: string;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

function read(
  uri: string,
  text: string,
  reader: PlaybookReader,
  kinds?: ToolKinds,
): ReturnType<typeof readRehearsals> {
  return readRehearsals(text, {
    file: uri,
    ...(kinds && { kinds }),
    load: (name) => {
      const file = reader(name);
      if (file === undefined)
        return { file: name, problem: 'cannot be found', hint: 'the path is relative to this file' };
      const { plan } = compile(file.text, { file: name, ...(kinds && { kinds }) });
      return plan
        ? { file: name, plan }
        : { file: name, problem: 'has errors', hint: `\`noetl-temporal validate\` lists them` };
    },
  });
}

export function rehearsalProblems(
  uri: string,
  text: string,
  reader: PlaybookReader,
  kinds?: ToolKinds,
): readonly Diagnostic[] {
  return read(uri, text, reader, kinds).diagnostics;
}

/** Runs the rehearsals of a text. */
export function rehearsed(
  uri: string,
  text: string,
  reader: PlaybookReader,
  kinds?: ToolKinds,
): RehearsedText {
  const { diagnostics, rehearsed: file } = read(uri, text, reader, kinds);
  if (file === undefined) return { diagnostics, results: [] };
  const results = file.rehearsals.map((rehearsal) => {
    const result = runRehearsal(rehearsal, file);
    const problems = result.problems.map(({ at, part, message }) => ({
      line: at[0],
      message: `${part}: ${message}`,
    }));
    const difference = result.ok ? '' : diffText(result, { rehearsal: uri, playbook: file.playbook.file });
    return { name: result.name, ok: result.ok, line: result.at[0], difference, problems };
  });
  return { diagnostics, results };
}
