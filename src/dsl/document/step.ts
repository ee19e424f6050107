import { type Report } from '../diagnostics/diagnostic';
import { checkShape } from '../schema/check';
import { TOOL } from '../schema/tool';
import { caseTargets, reportClaims, reportUnsupported } from '../vocabulary/case';
import { inputsOf } from '../vocabulary/inputs';
import { writesOf } from '../vocabulary/writes';
import { asMap, asText, child, entry, type Entry, isNull, type MapNode, present } from '../yaml/node';
import { type StepDoc, type TaskDoc, type TaskPlace, type Workbook } from './document';
import { readLoop } from './loop';
import { readRouter } from './router';
import { labelled, readTask } from './task';

/** What a step needs to know of the rest of the playbook. */
export interface Surroundings {
  readonly workbook: Workbook;
  /** Inputs that arcs bring, by the name of the step they lead to. */
  readonly arriving: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads a step of any vocabulary; undefined where it has no name. */
export function readStep(node: MapNode, around: Surroundings, report: Report): StepDoc | undefined {
  const nameNode = child(node, 'step');
  const name = asText(nameNode);
  if (nameNode === undefined || name === undefined || name.trim() === '') return undefined;
  reportUnsupported(node, ['case', 'retry', 'sink'], report);
  reportClaims(node, report);
  const tool = entry(node, 'tool');
  const tasks = tool === undefined ? [] : readTools(tool, name, node, around, report);
  const router = readRouter(node, report);
  const loop = readLoop(node, report);
  if (
    tool === undefined &&
    entry(node, 'next') === undefined &&
    entry(node, 'case') === undefined &&
    name !== 'end'
  ) {
    report.add(
      'NT2030',
      nameNode,
      `the step \`${name}\` has neither a tool nor a way on`,
      'give it `tool` or `next`',
    );
  }
  if (tool !== undefined && isNull(tool.value)) {
    report.add('NT2005', tool.at, '`tool` is empty', 'write `tool: {kind: …}`, or leave it out');
  }
  const desc = asText(child(node, 'desc')) ?? asText(child(node, 'description'));
  const spec = asMap(present(node, 'spec'));
  return {
    name,
    at: nameNode,
    node,
    ...(desc === undefined ? {} : { desc }),
    ...(spec === undefined ? {} : { spec }),
    inputs: inputsOf(node, report),
    ...(loop === undefined ? {} : { loop }),
    tasks,
    pipeline: tool?.value.kind === 'list',
    writes: writesOf(node, report),
    ...(router === undefined ? {} : { router }),
    otherTargets: caseTargets(child(node, 'case')),
  };
}

function readTools(
  tool: Entry,
  step: string,
  node: MapNode,
  around: Surroundings,
  report: Report,
): TaskDoc[] {
  const place: TaskPlace = {
    name: `${step}_task`,
    single: true,
    step: node,
    workbook: around.workbook,
    arriving: around.arriving.get(step) ?? new Set(),
  };
  const { value } = tool;
  if (value.kind === 'map') return readItem(value, place, report);
  if (value.kind !== 'list') return [];
  if (value.items.length === 0)
    report.add('NT2005', tool.at, '`tool` is an empty list', 'write `tool: {kind: …}`');
  const tasks = value.items.flatMap((item, i) =>
    item.kind === 'map' ? readItem(item, { ...place, name: `task_${i}`, single: false }, report) : [],
  );
  reportDoubles(tasks, step, report);
  return tasks;
}

function readItem(item: MapNode, place: TaskPlace, report: Report): TaskDoc[] {
  const label = labelled(item);
  if (label !== undefined) {
    report.add(
      'NT5001',
      label.at,
      `the task \`${label.key}\` is written as a label`,
      `write \`- name: ${label.key}\` with the fields beside it`,
    );
  }
  const tool = label?.value.kind === 'map' ? label.value : item;
  checkShape(tool, TOOL, report);
  const task = readTask(tool, place, report, label);
  return task === undefined ? [] : [task];
}

function reportDoubles(tasks: readonly TaskDoc[], step: string, report: Report): void {
  const seen = new Set<string>();
  for (const task of tasks) {
    if (seen.has(task.name))
      report.add('NT3002', task.at, `the step \`${step}\` has two tasks \`${task.name}\``);
    seen.add(task.name);
  }
}
