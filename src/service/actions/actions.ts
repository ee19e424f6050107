/** Changes that an editor offers at a place besides fixes. Each leaves a playbook that compiles. */
import { type PlaybookFacts, type DeclaredStep, type DeclaredTask } from '../names/facts';
import { type TextChange } from '../navigate/rename';
import { type OutlineNode, scalarText, valueAt } from '../text/node';

export interface OfferedChange {
  readonly title: string;
  readonly edits: readonly TextChange[];
}

export function changesAt(facts: PlaybookFacts, offset: number): OfferedChange[] {
  const step = facts.steps.find(({ node }) => node.start <= offset && offset <= node.end);
  if (step === undefined) return [];
  const task =
    step.tasks.findLast(({ node }) => node.start <= offset && offset <= node.end) ??
    (step.tasks.length === 1 ? step.tasks[0] : undefined);
  const isOlder = valueAt(step.node, 'retry') !== undefined || valueAt(step.node, 'case') !== undefined;
  const retry = task && !isOlder ? retryOf(facts, task) : undefined;
  return [retry, task && intoWorkbook(facts, task), errorPath(facts, step)].flatMap((each) => each ?? []);
}

/** A mapping in block style, to which keys can be added. */
function isBlock(node: OutlineNode | undefined): node is OutlineNode {
  return node?.kind === 'map' && node.style !== 'flow';
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

/** Lines behind a node, indented as its keys are. */
function linesBehind({ text }: PlaybookFacts, node: OutlineNode, lines: readonly string[]): TextChange {
  const indent = ' '.repeat(columnOf(text, node.start));
  const end = text.slice(0, node.end).trimEnd().length;
  return { start: end, end, text: lines.map((line) => `\n${indent}${line}`).join('') };
}

function retryOf(facts: PlaybookFacts, { node, kind }: DeclaredTask): OfferedChange | undefined {
  const free = !valueAt(node, 'spec') && !valueAt(node, 'retry') && kind !== 'noop' && isBlock(node);
  if (!free) return undefined;
  const lines = [
    'spec:',
    '  policy:',
    '    rules:',
    `      - when: "{{ outcome.status == 'error' and outcome.error.retryable }}"`,
    '        then: { do: retry, attempts: 3, backoff: exponential, delay: 1 }',
    `      - when: "{{ outcome.status == 'error' }}"`,
    '        then: { do: fail }',
    '      - else: { then: { do: continue } }',
  ];
  return { title: 'Retry this task when it fails', edits: [linesBehind(facts, node, lines)] };
}

function errorPath(facts: PlaybookFacts, step: DeclaredStep): OfferedChange | undefined {
  const { text, root, steps } = facts;
  const name = `${step.name}_failed`;
  const arcs = valueAt(step.node, 'next', 'arcs');
  const next = valueAt(step.node, 'next');
  const workflow = valueAt(root, 'workflow');
  if (steps.some((each) => each.name === name) || !isBlock(step.node) || workflow === undefined)
    return undefined;
  const arc = [`- step: ${name}`, `  when: "{{ event.name == 'step.failed' }}"`];
  const edit = arcEdit(facts, step, arc);
  if (edit === undefined || (next !== undefined && arcs === undefined)) return undefined;
  const indent = ' '.repeat(columnOf(text, workflow.start));
  const end = text.slice(0, workflow.end).trimEnd().length;
  const added = [
    '',
    `- step: ${name}`,
    '  tool:',
    '    kind: noop',
    '    input:',
    `      error: "{{ ${step.name}.error }}"`,
  ];
  return {
    title: 'Add a step for its failure',
    edits: [
      edit,
      { start: end, end, text: added.map((line) => (line === '' ? '\n' : `\n${indent}${line}`)).join('') },
    ],
  };
}

/** The first arc decides, so that of a failure stands before the others. */
function arcEdit(facts: PlaybookFacts, step: DeclaredStep, arc: readonly string[]): TextChange | undefined {
  const arcs = valueAt(step.node, 'next', 'arcs');
  if (arcs === undefined)
    return valueAt(step.node, 'case') || valueAt(step.node, 'retry')
      ? undefined
      : linesBehind(facts, step.node, ['next:', '  arcs:', ...arc.map((line) => `    ${line}`)]);
  if (arcs.kind !== 'list' || arcs.style === 'flow') return undefined;
  const indent = ' '.repeat(columnOf(facts.text, arcs.start));
  return { start: arcs.start, end: arcs.start, text: arc.map((line) => `${line}\n${indent}`).join('') };
}

/** The task becomes one of the workbook, and is called from here. */
function intoWorkbook(facts: PlaybookFacts, { node, kind, name }: DeclaredTask): OfferedChange | undefined {
  const { text, root } = facts;
  const free =
    name !== undefined &&
    kind !== undefined &&
    !['workbook', 'noop', 'playbook', 'iterator', 'wait'].includes(kind);
  const own = [
    'kind',
    'input',
    'args',
    'spec',
    'set',
    'set_ctx',
    'set_iter',
    'name',
    'loop',
    'retry',
    'sink',
    'output',
  ];
  const moved = node.entries.filter(({ key }) => key === 'kind' || !own.includes(key));
  // What stands in it may read names of this step only, which a task of the workbook does not see.
  const reads = moved.some(({ value }) => text.slice(value.start, value.end).includes('{{'));
  const workflow = root.entries.find(({ key }) => key === 'workflow');
  const taken = facts.workbook.some((each) => each.name === name) || valueAt(root, 'workbook') !== undefined;
  if (!free || reads || taken || workflow === undefined || !isBlock(node)) return undefined;
  const column = columnOf(text, node.start);
  const block = moved.map(({ start, end, value }) =>
    dedent(text.slice(start, Math.max(end, value.end)), column, 6),
  );
  const input = node.entries
    .filter(({ key }) => key !== 'kind' && own.includes(key))
    .map(({ start, end, value }) => text.slice(start, Math.max(end, value.end)));
  const indent = ' '.repeat(column);
  const label = scalarText(text, valueAt(node, 'name')) === undefined ? 'name' : 'task';
  const call = ['kind: workbook', `${label}: ${name}`, ...input].join(`\n${indent}`);
  return {
    title: 'Move this task to the workbook',
    edits: [
      {
        start: workflow.start,
        end: workflow.start,
        text: `workbook:\n  - name: ${name}\n    tool:\n      ${block.join('\n      ')}\n\n`,
      },
      { start: node.start, end: node.end, text: call },
    ],
  };
}

function dedent(text: string, from: number, to: number): string {
  return text
    .split('\n')
    .map((line, index) =>
      index === 0 || line.trim() === ''
        ? line
        : ' '.repeat(to) + line.slice(Math.min(from, line.length - line.trimStart().length)),
    )
    .join('\n');
}
