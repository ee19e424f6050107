import { compact, onlyToolOf } from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { reportClaims } from '../vocabulary/case';
import { retryRules } from '../fixes/retry';
import { SINK_AS_TASK } from '../fixes/words';
import { inputsOf, olderInputs } from '../vocabulary/inputs';
import { writesOf } from '../vocabulary/writes';
import { asMap, asText, child, entry, type MapEntry, isNull, type MapNode, presentValue } from '../yaml/node';
import { StepAsides } from './asides';
import { readCase } from './case';
import { readCursor } from './cursor';
import {
  type ArcDoc,
  type RouterDoc,
  type StepDoc,
  type TaskDoc,
  type TaskPlace,
  type Workbook,
} from './document';
import { refuseAgents, withTurns } from './agent-turns';
import { readLoop } from './loop';
import { type ToolKinds } from '../kinds';
import { readRouter } from './router';
import { readItem } from './task';

/** The parts of the playbook that a step depends on. */
export interface StepSurroundings {
  readonly workbook: Workbook;
  /** Inputs passed by arcs, by name of the target step. */
  readonly arriving: ReadonlyMap<string, ReadonlySet<string>>;
  /** Kinds declared by the executor. */
  readonly extensions: ToolKinds;
}

/** Parses a step of any vocabulary; undefined if it has no name. */
export function readStep(node: MapNode, around: StepSurroundings, report: Report): StepDoc | undefined {
  const nameNode = child(node, 'step');
  const name = asText(nameNode);
  if (nameNode === undefined || name === undefined || name.trim() === '') return undefined;
  reportClaims(node, report);
  const tool = entry(node, 'tool');
  const retry = entry(node, 'retry');
  const asides = new StepAsides(name);
  const place: TaskPlace = {
    report,
    name: onlyToolOf(name),
    single: true,
    step: node,
    workbook: around.workbook,
    arriving: around.arriving.get(name) ?? new Set(),
    extensions: around.extensions,
    asides,
    ...(retry === undefined || isNull(retry.value) ? {} : { retry }),
  };
  const tasks = tool === undefined ? [] : withTurns(readTools(tool, place), report);
  const router = readRouter(node, report);
  const beside: TaskPlace = { ...place, retry: undefined };
  const rules = readCase(node, tasks, beside, router?.arcs.length ?? 0);
  const sink = entry(node, 'sink');
  const sinks = sink === undefined || isNull(sink.value) ? [] : asides.read(sink, beside, { kind: 'sink' });
  olderInputs(node, report);
  if (sink !== undefined) report.older(sink.at, SINK_AS_TASK);
  if (retry !== undefined) report.older(retry.at, retryRules);
  const looped = entry(node, 'loop');
  const loop =
    looped === undefined
      ? undefined
      : readLoop(looped, report, (cursor, of) => readCursor(cursor, of, { ...beside, name }));
  if (
    tool === undefined &&
    entry(node, 'next') === undefined &&
    entry(node, 'case') === undefined &&
    name !== 'end'
  ) {
    report.add(
      'NT2030',
      nameNode,
      `the step \`${name}\` has neither a tool nor a \`next\``,
      'give it `tool` or `next`',
    );
  }
  if (tool !== undefined && isNull(tool.value)) {
    report.add('NT2005', tool.at, '`tool` is empty', 'write `tool: {kind: …}`, or leave it out');
  }
  const desc = asText(child(node, 'desc')) ?? asText(child(node, 'description'));
  const spec = asMap(presentValue(node, 'spec'));
  return {
    name,
    at: nameNode,
    node,
    ...compact({ desc, spec }),
    inputs: inputsOf(node, report),
    ...compact({ loop }),
    tasks,
    pipeline: tool?.value.kind === 'list',
    writes: writesOf(node, report),
    ...(rules === undefined ? {} : { case: rules.rules }),
    sinks,
    asides: uniqueAsides(asides.tasks, tasks, name, report),
    ...withArcs(router, rules?.arcs ?? []),
  };
}

/** Appends the arcs of `case` to the router's own. */
function withArcs(router: RouterDoc | undefined, arcs: readonly ArcDoc[]): { router?: RouterDoc } {
  if (arcs.length === 0) return router === undefined ? {} : { router };
  return { router: { mode: router?.mode ?? 'exclusive', arcs: [...(router?.arcs ?? []), ...arcs] } };
}

function uniqueAsides(
  asides: readonly TaskDoc[],
  tasks: readonly TaskDoc[],
  step: string,
  report: Report,
): readonly TaskDoc[] {
  refuseAgents(asides, report);
  reportDoubles([...tasks, ...asides], step, report);
  return asides;
}

function readTools(tool: MapEntry, place: TaskPlace): TaskDoc[] {
  const { value } = tool;
  if (value.kind === 'map') return readItem(value, place);
  if (value.kind !== 'list') return [];
  if (value.items.length === 0)
    place.report.add('NT2005', tool.at, '`tool` is an empty list', 'write `tool: {kind: …}`');
  return value.items.flatMap((item, i) =>
    item.kind === 'map' ? readItem(item, { ...place, name: `task_${i}`, single: false }) : [],
  );
}

function reportDoubles(tasks: readonly TaskDoc[], step: string, report: Report): void {
  const seen = new Set<string>();
  const visit = (task: TaskDoc): void => {
    if (seen.has(task.name))
      report.add('NT3002', task.at, `the step \`${step}\` has two tasks \`${task.name}\``);
    seen.add(task.name);
    task.body?.forEach(visit);
  };
  tasks.forEach(visit);
}
