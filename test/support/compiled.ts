/** Playbooks compiled for a look at their plans. */
import { type Plan, type StepPlan } from '../../src/language/plan';
import { compile, formatDiagnostics } from '../../src/language/dsl';

export const HEADER =
  'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: example, path: examples/example}\n';

/** @throws Error with the diagnostics where it does not compile. @param text what follows the header, or a whole playbook */
export function plan(text: string): Plan {
  const whole = text.startsWith('apiVersion') ? text : `${HEADER}${text}`;
  const { plan: found, diagnostics } = compile(whole);
  if (found === undefined) throw new Error(formatDiagnostics(diagnostics, whole));
  return found;
}

/** The first step of a workflow. */
export function first(text: string): StepPlan {
  return plan(`workload: {a: 1, items: [1]}\nworkflow:\n${text}`).steps[0]!;
}

/** The codes of what is found in it. */
export function codes(text: string): string[] {
  return compile(`${HEADER}${text}`).diagnostics.map((each) => each.code);
}
