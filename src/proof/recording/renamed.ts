/** Tasks that another version only gave other names: their ids, in terms of the recorded plan. */
import { everyTask, type Plan } from '../../plan';
import { type Decision } from '../decisions';

export class Renamed {
  /** By step: new name → recorded name. */
  private readonly names = new Map<string, ReadonlyMap<string, string>>();

  /** A task has another name if the same step has as many tasks, of the same kinds, in the same order. */
  constructor(recorded: Plan, now: Plan) {
    const before = new Map(recorded.steps.map((step) => [step.name, everyTask(step)]));
    for (const step of now.steps) {
      const [was, is] = [before.get(step.name) ?? [], everyTask(step)];
      if (was.length !== is.length || was.some(({ kind }, i) => kind !== is[i]?.kind)) continue;
      const [old, recent] = [namesOf(was), namesOf(is)];
      const names = new Map<string, string>();
      for (const [i, { name: before }] of was.entries()) {
        const name = is[i]?.name;
        if (name !== undefined && !old.has(name) && !recent.has(before)) names.set(name, before);
      }
      if (names.size > 0) this.names.set(step.name, names);
    }
  }

  /** An id of a task run, or a key that contains one. */
  id(id: string): string {
    if (this.names.size === 0) return id;
    const step = /^(?:[a-z]+[: ])?(.*?)#\d/.exec(id)?.[1];
    const names = step === undefined ? undefined : this.names.get(step);
    if (!names) return id;
    return id.replace(/\.([^.~[\]@]+)~/g, (_, name: string) => `.${names.get(name) ?? name}~`);
  }

  /** What a call asks for, where it contains ids of task runs: as idempotency keys do. */
  asked(text: string): string {
    let asked = text;
    for (const [step, names] of this.names) {
      if (!text.includes(`${step}#`)) continue;
      for (const [name, was] of names) asked = asked.replaceAll(`.${name}~`, `.${was}~`);
    }
    return asked;
  }

  /** A decision of the new version, with the recorded names. */
  decision(decision: Decision): Decision {
    if (this.names.size === 0) return decision;
    const key = this.key(decision.key);
    const { kind, value } = decision;
    if (kind === 'call' || kind === 'write') return { ...decision, key, value: this.asked(value) };
    if (kind !== 'event' && kind !== 'end' && kind !== 'failure' && kind !== 'directive')
      return { ...decision, key };
    return { ...decision, key, value: this.text(value, decision.step) };
  }

  private key(key: string): string {
    const by = key.indexOf(' by ');
    return by < 0 ? this.id(key) : `${key.slice(0, by)} by ${this.id(key.slice(by + 4))}`;
  }

  /** Errors name a task in fields and in words. */
  private text(value: string, of: string | undefined): string {
    const step = of ?? /"step":"([^"]*)"/.exec(value)?.[1];
    let text = value.replace(/"taken_by":"([^"]*)"/, (_, id: string) => `"taken_by":"${this.id(id)}"`);
    for (const [name, was] of (step === undefined ? undefined : this.names.get(step)) ?? [])
      text = text.replaceAll(`"${name}"`, `"${was}"`).replaceAll(` ${name}`, ` ${was}`);
    return text;
  }
}

function namesOf(tasks: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(tasks.map(({ name }) => name));
}
