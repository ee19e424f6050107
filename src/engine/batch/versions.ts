/**
 * Behaviour versions of the engine. A plan pins one; a change that would alter a running execution gets the next number
 * here, with a paragraph of why, and recorded histories of both in test/histories.
 */
export const ENGINE_VERSIONS = [{ version: 1, since: '0.1.0', why: 'The first behaviour.' }] as const;

/** True when this build can run a plan pinned to `version`. */
export function knowsEngineVersion(version: number): boolean {
  return ENGINE_VERSIONS.some((each) => each.version === version);
}
