/** Parses the parts of expectations, and reports errors. */
import {
  dataOf,
  didYouMean,
  entry,
  type Located,
  type MapNode,
  type YamlNode,
  oneOfText,
  type Report,
} from '../../../language/dsl/format';
import { type ToolKinds } from '../../../language/dsl/kinds';
import { EVENT_TYPES, type EventType } from '../../../engine/machine';
import { type Plan, type TriggerPlan } from '../../../language/plan';
import { type MockedKind, mockedKind } from '../mocks/kinds';
import { type AmountComparison, parseComparison, parseTime } from './amounts';
import { meantBy, type SelectedTask, placesOf, type Selector, selectorOf } from './selector';

export class RehearsalReader {
  readonly places: readonly SelectedTask[];

  constructor(
    readonly plan: Plan,
    readonly report: Report,
    private readonly extensions: ToolKinds,
    /** The subscription of the file. */
    readonly trigger?: TriggerPlan,
  ) {
    this.places = placesOf(plan);
  }

  mocked(kind: string): MockedKind {
    return mockedKind(kind, this.extensions);
  }

  /** Undefined, with a diagnostic, if the text matches no task. */
  selector(text: string, at: Located): Selector | undefined {
    const selector = selectorOf(text, this.places);
    if (selector === undefined) {
      const tasks = [...new Set(this.places.map(({ step, task }) => `${step}/${task.name}`))];
      const hint = meantBy(text, this.places) ?? `there is ${oneOfText(tasks.slice(0, 8))}`;
      this.report.add('NT7002', at, `the playbook has no task or step \`${text}\``, hint);
    }
    return selector;
  }

  comparison(
    node: YamlNode,
    what: string,
    read: (text: string) => number | undefined = parseTime,
  ): { comparison: AmountComparison; at: Located } | undefined {
    const comparison = parseComparison(nodeText(node), read);
    if (comparison !== undefined) return { comparison, at: node };
    const example = read === parseTime ? '`5s` or `">= 5s"`' : '`3` or `">= 3"`';
    this.report.add('NT7004', node, `${what} is not a comparison`, `write e.g. ${example}`);
    return undefined;
  }

  /** Milliseconds of a duration; undefined, with a diagnostic, for anything else. */
  time(node: YamlNode, key: string): number | undefined {
    const time = parseTime(nodeText(node));
    if (time === undefined)
      this.report.add('NT7004', node, `\`${key}\` is not a duration`, 'write e.g. `5s`');
    return time;
  }

  stepName(node: YamlNode): string | undefined {
    const name = nodeText(node);
    const names = this.plan.steps.map((step) => step.name);
    if (names.includes(name)) return name;
    const hint = didYouMean(name, names) ?? `there is ${oneOfText(names.slice(0, 12))}`;
    this.report.add('NT7005', node, `the playbook has no step \`${name}\``, hint);
    return undefined;
  }

  eventType(node: YamlNode): EventType | undefined {
    const name = nodeText(node);
    if (Object.hasOwn(EVENT_TYPES, name)) return name as EventType;
    const hint =
      didYouMean(name, Object.keys(EVENT_TYPES)) ?? 'event types look like `step.done` or `task.retrying`';
    this.report.add('NT7005', node, `unknown event \`${name}\``, hint);
    return undefined;
  }

  /** A substring, or, between slashes, a regular expression. */
  matcher(node: YamlNode): { matches: (text: string) => boolean; text: string; at: Located } {
    const text = nodeText(node);
    const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(text) ?? [];
    if (source === undefined) return { matches: (whole) => whole.includes(text), text, at: node };
    try {
      const pattern = new RegExp(source, flags);
      return { matches: (whole) => pattern.test(whole), text, at: node };
    } catch (error) {
      this.report.add(
        'NT7008',
        node,
        `\`${text}\` is not a valid regular expression`,
        (error as Error).message,
      );
      return { matches: () => true, text, at: node };
    }
  }
}

/** The text of a scalar, whatever its type. */
export function nodeText(node: YamlNode): string {
  const data = dataOf(node);
  return typeof data === 'string' ? data : JSON.stringify(data);
}

/** Those of the named fields that are present. */
export function namedFields<Name extends string>(
  map: MapNode,
  names: readonly Name[],
): { name: Name; value: string; at: Located }[] {
  return names.flatMap((name) => {
    const field = entry(map, name);
    return field === undefined ? [] : [{ name, value: nodeText(field.value), at: field.value }];
  });
}
