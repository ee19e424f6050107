/** Steps and tasks that were only renamed in another version: their ids in terms of the recorded plan. */
import { everyTask, isMapping, onlyToolOf, type Plan } from '../../../language/plan';
import { canonicalText, type RecordedDecision, valueOf } from '../decisions';
import { renamedSteps } from './step-pairs';

/** A step, and those of its tasks that were renamed: new name → recorded name. */
interface Renaming {
  readonly was: string;
  readonly tasks: ReadonlyMap<string, string>;
}

/** What follows the step in the id of a step run or task run. */
const REST_OF_ID = String.raw`#\d+(?:\[[^\]"]*\]|\{\d+\}|(?:\.[^.~[\]@{}"]+)?~\d+(?:@\d+)?)*`;

export class Renamed {
  /** By the new name; only steps of which anything is renamed. */
  private readonly steps = new Map<string, Renaming>();

  /** A task counts as renamed if the step has the same number of tasks, of the same kinds, in the same order. */
  constructor(recorded: Plan, now: Plan) {
    const others = renamedSteps(recorded, now);
    const before = new Map(recorded.steps.map((step) => [step.name, everyTask(step)]));
    for (const step of now.steps) {
      const was = others.get(step.name) ?? step.name;
      const tasks = tasksOf(before.get(was) ?? [], everyTask(step));
      if (was !== step.name || tasks.size > 0) this.steps.set(step.name, { was, tasks });
    }
  }

  get isEmpty(): boolean {
    return this.steps.size === 0;
  }

  /** An id of a step run or task run, or a key that contains one. */
  id(id: string): string {
    if (this.steps.size === 0) return id;
    const [, before = '', step, after = ''] = /^((?:[a-z]+[: ])?)(.*?)(#\d[^]*)$/.exec(id) ?? [];
    const renaming = step === undefined ? undefined : this.steps.get(step);
    if (!renaming) return id;
    const { was, tasks } = renaming;
    // A mark of a visit stands behind each task; the only tool of a step has no name there.
    const rest = after.replace(/(?:\.([^.~[\]@]+))?~/g, (_, name: string = onlyToolOf(step!)) => {
      const old = tasks.get(name) ?? name;
      return old === onlyToolOf(was) ? '~' : `.${old}~`;
    });
    return `${before}${was}${rest}`;
  }

  /** The request of a call, which may contain ids of task runs (idempotency keys do). */
  request(text: string): string {
    let request = text;
    for (const step of this.steps.keys()) {
      if (!text.includes(`${step}#`)) continue;
      const ids = new RegExp(`(?<![\\w.-])${escaped(step)}${REST_OF_ID}`, 'g');
      request = request.replace(ids, (id) => this.id(id));
    }
    return request;
  }

  /** A decision of the new version, with the recorded names. */
  decision(decision: RecordedDecision): RecordedDecision {
    if (this.steps.size === 0) return decision;
    const key = this.key(decision.key);
    const { kind, value } = decision;
    if (kind === 'call' || kind === 'write') return { ...decision, key, value: this.request(value) };
    if (kind === 'route') return { ...decision, key, value: this.route(value) };
    if (kind === 'event' || kind === 'end' || kind === 'failure' || kind === 'directive')
      return { ...decision, key, value: this.text(value, decision.step) };
    return { ...decision, key };
  }

  private key(key: string): string {
    const by = key.indexOf(' by ');
    if (by >= 0) return `${key.slice(0, by)} by ${this.id(key.slice(by + 4))}`;
    const [id = '', to, ...more] = key.split(' → ');
    if (to === undefined || more.length > 0) return this.id(key);
    const [, step = to, count = ''] = /^(.*?)( \(\d+\))?$/.exec(to) ?? [];
    return `${this.id(id)} → ${this.step(step)}${count}`;
  }

  private step(name: string): string {
    return this.steps.get(name)?.was ?? name;
  }

  private route(value: string): string {
    const steps = valueOf(value);
    if (!Array.isArray(steps)) return value;
    return canonicalText(steps.map((one) => (typeof one === 'string' ? this.step(one) : one)).sort());
  }

  /** Errors name a step and a task in fields and in words. */
  private text(value: string, of: string | undefined): string {
    const decided = valueOf(value);
    const error = isMapping(decided) ? (decided['error'] ?? decided) : undefined;
    const failed = isMapping(error) && typeof error['step'] === 'string' ? error['step'] : undefined;
    const renaming = this.steps.get(of ?? failed ?? '');
    let text = value.replace(/"taken_by":"([^"]*)"/, (_, id: string) => `"taken_by":"${this.id(id)}"`);
    for (const [name, was] of renaming?.tasks ?? [])
      text = text.replaceAll(`"${name}"`, `"${was}"`).replaceAll(` ${name}`, ` ${was}`);
    if (failed !== undefined && this.step(failed) !== failed) {
      const words = new RegExp(`(?<=["\\s])${escaped(failed)}(?=["/\\s:,])`, 'g');
      text = text.replace(words, this.step(failed));
    }
    return text;
  }
}

function tasksOf(
  was: ReturnType<typeof everyTask>,
  is: ReturnType<typeof everyTask>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (was.length !== is.length || was.some(({ kind }, i) => kind !== is[i]?.kind)) return names;
  const [old, recent] = [namesOf(was), namesOf(is)];
  for (const [i, { name: before }] of was.entries()) {
    const name = is[i]?.name;
    if (name !== undefined && !old.has(name) && !recent.has(before)) names.set(name, before);
  }
  return names;
}

function namesOf(tasks: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(tasks.map(({ name }) => name));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
