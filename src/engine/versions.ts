/**
 * Behaviour versions of the engine. A plan pins one; a change that would alter a running execution gets the next
 * number here, with a paragraph of why, and recorded histories of both in test/histories (DESIGN.md section 10).
 */
export const ENGINE_VERSIONS = [
  {
    version: 1,
    since: '0.1.0',
    why: 'The first behaviour: tokens, joins, admission, pipelines with five directives, loops, routers.',
  },
  {
    version: 2,
    since: '0.1.0',
    why:
      'Admission rules see the event that brought the token (S3 §4.2): before, `event` was undefined there, so a rule ' +
      'on it decides otherwise now. Tasks allowed to run longer than ten minutes run under a workflow of their own: a ' +
      'run that wants a fresh history started nothing new until the last of them had ended, for hours (D21).',
  },
  {
    version: 3,
    since: '0.1.0',
    why:
      'The keychain is checked by an activity before the first step, and `keychain.<name>` is a handle: before, an ' +
      'entry was a remark, and reading one failed the task (DESIGN.md section 7).',
  },
] as const;

/** The version from which on a behaviour holds; a plan of an earlier one keeps what was before. */
export const SINCE = { eventInAdmission: 2, longTasks: 2, keychain: 3 } as const;

/** True when this build can run a plan pinned to `version`. */
export function knowsEngineVersion(version: number): boolean {
  return ENGINE_VERSIONS.some((known) => known.version === version);
}
