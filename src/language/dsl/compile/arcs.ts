import { type TemplateReference, references } from '../../template';
import { compact, type ArcPlan, type RouterPlan } from '../../plan';
import { type Template } from '../../template/ir';
import { type TemplatePlace } from '../check/place';
import { type CaseRuleDoc, type StepDoc } from '../document/document';
import { eventsIn } from '../document/moments';
import { type Values } from './values';
import { compileWrites } from './writes';

/** The router of a step. A target `end` without a step of that name ends the token. */
export function compileRouter(
  step: StepDoc,
  stepNames: ReadonlySet<string>,
  values: Values,
): RouterPlan | undefined {
  const { router } = step;
  if (router === undefined) return undefined;
  const onFailure = failureKeys(step);
  return {
    mode: router.mode,
    arcs: router.arcs.map((arc): ArcPlan => {
      const place: TemplatePlace = { kind: arc.rule === undefined ? 'arc' : 'route', step };
      const when = arc.when === undefined ? undefined : values.condition(arc.when, place);
      const handlesFailure =
        arc.rule === undefined
          ? when !== undefined && looksAtFailure(when, step.name, onFailure)
          : answersFailure(step.case?.rules[arc.rule]);
      const hidesResponse =
        arc.rule === undefined && handlesFailure && !readsFailure(when!, eventsIn(arc.when));
      return {
        step: stepNames.has(arc.target) ? arc.target : null,
        ...compact({ when }),
        ...(arc.inputs.length === 0 ? {} : { args: values.map(arc.inputs, place) }),
        set: compileWrites(arc.writes, place, values),
        ...compact({ rule: arc.rule }),
        handlesFailure,
        ...(when !== undefined && seesError(when) ? { seesError: true as const } : {}),
        ...(hidesResponse ? { hidesResponse: true as const } : {}),
        at: values.at(arc.at),
      };
    }),
  };
}

const OUTCOMES = new Set(['output', 'outcome', 'response', 'this']);
const ENVELOPE = new Set(['status', 'error', 'http', 'pg', 'py']);

/** Whether a guard handles failures, so that its arc may be followed after `step.failed`. */
export function looksAtFailure(guard: Template, step: string, onFailure: ReadonlySet<string>): boolean {
  return references(guard).some((reference) => {
    const { root, path } = reference;
    if (!isName(reference)) return false;
    if (root === 'event' || root === 'error') return true;
    const key = String(path[0]);
    if (OUTCOMES.has(root)) return ENVELOPE.has(key);
    if (root === step) return key === 'status' || key === 'error';
    if (root === 'ctx' || root === 'vars') return onFailure.has(key);
    return onFailure.has(root);
  });
}

/**
 * Whether the guard refers to the failure beyond the event's name: then `call.done` and `step.exit` also match it after
 * a failure.
 */
export function seesError(guard: Template): boolean {
  return references(guard).some((reference) => {
    const { root, path } = reference;
    if (!isName(reference)) return false;
    if (root === 'error' || (root === 'response' && path.length === 0)) return true;
    return OUTCOMES.has(root) && (ENVELOPE.has(String(path[0])) || path[0] === 'status_code');
  });
}

/** Whether a rule of `case` handles failures, judging by its condition. */
function answersFailure(rule: CaseRuleDoc | undefined): boolean {
  const named = eventsIn(rule?.when);
  if (named.length > 0 && !named.some((name) => ON_FAILURE.has(name) || name === 'call.done')) return false;
  return (
    named.some((name) => ON_FAILURE.has(name)) || /(?<![.\w])error\b/.test(String(rule?.when?.value ?? ''))
  );
}

/** Events that occur only on failure. */
const ON_FAILURE: ReadonlySet<string> = new Set(['call.error', 'step.failed']);

/** Whether `response` is the envelope of the error when the condition is evaluated. */
export function readsFailure(guard: Template, events: readonly string[]): boolean {
  if (events.some((name) => ON_FAILURE.has(name))) return true;
  return references(guard).some((reference) => {
    const [key, below] = reference.path.map(String);
    if (!isName(reference) || !OUTCOMES.has(reference.root)) return false;
    return (
      key === 'status_code' || ENVELOPE.has(key ?? '') || (key === 'metadata' && below === 'status_code')
    );
  });
}

function isName(reference: TemplateReference): boolean {
  return reference.kind === 'name' || reference.kind === 'call';
}

/** Keys of `ctx` that a rule with `do: fail` of this step writes. */
export function failureKeys(step: StepDoc): Set<string> {
  const failing = step.tasks.flatMap((task) => (task.rules ?? []).filter((rule) => rule.do === 'fail'));
  return new Set(
    failing.flatMap((rule) =>
      rule.writes.filter((write) => write.scope === 'ctx').map((write) => write.path[0]!),
    ),
  );
}
