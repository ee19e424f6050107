import { type Report } from '../diagnostics/diagnostic';
import { didYouMean } from '../diagnostics/suggest';
import { type Document } from '../document/document';
import { type Values } from '../compile/values';

/** What `event.name` can be in a guard: the canonical names and their aliases (D15). */
const EVENTS = [
  'step.done',
  'step.failed',
  'loop.done',
  'step.exit',
  'step.enter',
  'call.done',
  'call.error',
];

/** Guards that compare the event's name with one that no event has. */
export function checkEvents(document: Document, values: Values, report: Report): void {
  for (const { when } of document.steps.flatMap((step) => step.router?.arcs ?? [])) {
    if (typeof when?.value !== 'string') continue;
    for (const match of when.value.matchAll(/event\.name\s*(?:==|!=)\s*(?:'([^']*)'|"([^"]*)")/g)) {
      const name = match[1] ?? match[2]!;
      if (EVENTS.includes(name)) continue;
      const at = match.index + match[0].length - name.length - 2;
      const hint =
        didYouMean(name, EVENTS) ??
        `the events of a step are ${EVENTS.slice(0, 3)
          .map((each) => `\`${each}\``)
          .join(', ')}`;
      report.add('NT4008', values.inside(when, at, name.length + 2), `no event is called \`${name}\``, hint);
    }
  }
}
