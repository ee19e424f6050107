import { compile } from '../../src/language/dsl';
import { formatDiagnostics } from '../../src/language/dsl/diagnostics/format';
import { upgrade } from '../../src/language/dsl/upgrade';
import { meaningOf } from '../../src/language/dsl/upgrade/same';

/** What a playbook begins with. */
export const HEAD = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t, path: t }
`;
/** What a workflow begins with. */
export const STEPS = `${HEAD}workload: { x: 1, list: [1, 2] }
workflow:
`;
/** Steps to go to. */
export const ENDS = `  - step: a
    next: { arcs: [{ step: end }] }
  - step: b
    next: { arcs: [{ step: end }] }
  - step: end
`;

/** The errors of a playbook, as its author sees them. */
export function errorsOf(text: string): string {
  const errors = compile(text).diagnostics.filter(({ severity }) => severity === 'error');
  return formatDiagnostics(errors, text);
}

/** Every comment of a playbook. */
export function remarksOf(text: string): string[] {
  return (text.match(/(?<=^|\s)# .*$/gm) ?? []).sort();
}

/** The rewrite is this one, whole, and final; it compiles, and to the same Plan if there was one. */
export function expectRewritten(before: string, after: string): void {
  const { text, notes } = upgrade(before);
  expect(text).toBe(after);
  expect(notes).toEqual([]);
  expect(upgrade(text)).toMatchObject({ text, rewrites: 0 });
  expect(errorsOf(text)).toBe('');
  expect(remarksOf(text)).toEqual(remarksOf(before));
  const { plan } = compile(before);
  if (plan !== undefined) expect(meaningOf(compile(text).plan!)).toBe(meaningOf(plan));
}
