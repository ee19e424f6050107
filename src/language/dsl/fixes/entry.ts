import { type Edit, type FixSite, type Located } from '../diagnostics/diagnostic';
import { entry } from '../yaml/node';
import { nestedText } from './nest';
import { isFlow, leads, lineStart, newline } from './text';
import { type Change } from './words';

/** Names the step that runs first, as it is written there: on the official engines it is the first one, whatever its name. */
export function firstAsEntry(first: Located): Change {
  return { what: 'the first step → `executor.spec.entry_step`', edits: (site) => withEntry(site, first) };
}

function withEntry({ text, path: [here] }: FixSite, first: Located): Edit[] | undefined {
  const workflow = entry(here?.map, 'workflow');
  if (here === undefined || workflow === undefined) return undefined;
  const line = `entry_step: ${text.slice(first.start, first.end).trimEnd()}`;
  if (entry(here.map, 'executor') !== undefined || isFlow(text, here.map)) {
    const added = nestedText(text, here.map, ['executor', 'spec'], [line]);
    return added && [added];
  }
  const start = lineStart(text, workflow.at.start);
  const lines = ['executor:', '  spec:', `    ${line}`, ''].join(newline(text));
  return leads(text, workflow.at.start) ? [{ start, end: start, text: lines }] : undefined;
}
