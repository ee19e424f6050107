/** Playbooks, rehearsals and faults as assistants name them: as a text, or where they lie. */
import { compile, type Diagnostic } from '../../language/dsl';
import { CodedError } from '../../language/errors';
import { compact, type Plan } from '../../language/plan';
import { type AssistantReach, type SourceText } from './reach';

/** A text of YAML has lines; names have none. */
export function isText(given: string): boolean {
  return given.includes('\n');
}

export function playbookText(given: string, reach: AssistantReach): Promise<SourceText> {
  return isText(given) ? Promise.resolve({ text: given }) : reach.playbook(given);
}

export function fileText(given: string, reach: AssistantReach): Promise<SourceText> {
  return isText(given) ? Promise.resolve({ text: given }) : reach.file(given);
}

/** A playbook that compiles. @throws CodedError `PLAYBOOK_INVALID` with what is wrong with it */
export async function planOf(
  given: string,
  reach: AssistantReach,
): Promise<SourceText & { readonly plan: Plan }> {
  const named = await playbookText(given, reach);
  const { plan, diagnostics } = compile(named.text, { kinds: reach.kinds, ...compact({ file: named.file }) });
  if (plan) return { ...named, plan };
  throw invalid('the playbook', diagnostics);
}

/** @throws CodedError what `plan` of it says */
export function invalid(what: string, diagnostics: readonly Diagnostic[]): CodedError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const lines = errors.map(
    ({ code, line, column, message, hint }) =>
      `${line}:${column} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
  return new CodedError('PLAYBOOK_INVALID', `${what} has ${count}:\n${lines.join('\n')}`, {
    hint: ['`validate` shows them with their fixes.'],
  });
}
