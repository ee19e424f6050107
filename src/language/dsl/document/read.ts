import { type Report, SILENT } from '../diagnostics/diagnostic';
import { catalogPath, compact, type JsonObject, pathProblem, secretPathsOf } from '../../plan';
import { word } from '../fixes/words';
import { checkSchemaShape, head } from '../schema/check';
import { checkInputsShape } from '../schema/inputs';
import { PLAYBOOK } from '../schema/playbook';
import { arcsInCase, structuralNext } from '../vocabulary/case';
import { inputsOf } from '../vocabulary/inputs';
import { setEntries } from '../vocabulary/writes';
import {
  asList,
  asMap,
  asText,
  child,
  dataOf,
  entry,
  isNull,
  type MapNode,
  type ScalarNode,
  type YamlNode,
  presentValue,
} from '../yaml/node';
import { StepAsides } from './asides';
import { type Document, type StepDoc, type TaskDoc, type TaskPlace } from './document';
import { type ToolKinds } from '../kinds';
import { readEntry } from './entry';
import { readExtensions } from './extensions';
import { checkKind, isOfAnotherKind } from './kind';
import { MAX_STEPS } from './most-steps';
import { readLabels } from './labels';
import { readNotifications } from './notifications';
import { readStep, type StepSurroundings } from './step';
import { readTask } from './task';
import { readWorkbook } from './workbook';

const FORMER_VERSION = 'noetl.io/v10';
const API_VERSIONS = ['noetl.io/v2', FORMER_VERSION];

/** Steps that were read before, and stand before and behind those of the text. */
export interface OtherSteps {
  readonly before: readonly StepDoc[];
  readonly after: readonly StepDoc[];
}

/**
 * Parses a playbook in any vocabulary; all structural problems are reported. Of a document of another kind, without steps,
 * only that is reported.
 *
 * @param kinds of extension modules
 */
export function readDocument(
  root: MapNode,
  report: Report,
  kinds: ToolKinds = new Map(),
  others: OtherSteps = { before: [], after: [] },
): Document {
  const isOther = isOfAnotherKind(root) && entry(root, 'workflow') === undefined;
  if (isOther) checkKind(root, report);
  return readPlaybook(root, isOther ? SILENT : report, kinds, others);
}

function readPlaybook(
  written: MapNode,
  report: Report,
  kinds: ToolKinds,
  { before, after }: OtherSteps,
): Document {
  // First: the findings of one document have a limit.
  const stepNodes = stepsIn(written);
  if (stepNodes.length > MAX_STEPS) {
    report.add(
      'NT2080',
      stepNodes[MAX_STEPS]!,
      `the workflow has ${stepNodes.length} steps; the limit is ${MAX_STEPS}`,
    );
  }
  const root = checkSchemaShape(written, PLAYBOOK, report);
  const items = stepsIn(root).slice(0, MAX_STEPS);
  checkHeader(root, report);
  const workflow = entry(root, 'workflow');
  if (workflow?.value.kind === 'list' && items.length === 0) {
    report.add('NT2005', workflow.at, 'the workflow has no steps', 'it begins with `- step: start`');
  }
  const workbook = readWorkbook(root, report);
  const executorSpec = asMap(child(asMap(child(root, 'executor')), 'spec'));
  const extensions = readExtensions(executorSpec, kinds, report);
  const nodes = [...before, ...after].map(({ node }) => node);
  const around = { workbook, arriving: arrivals([...nodes, ...items]), extensions };
  const own = items.flatMap((item) => readStep(item, around, report) ?? []);
  const steps = unique([...before, ...own, ...after], report);
  const workload = asMap(child(root, 'workload'));
  return {
    root,
    metadata: readMetadata(root, report),
    ...compact({ on: readNotifications(child(asMap(child(root, 'metadata')), 'on'), report) }),
    secretInputs: readSecretInputs(root, report),
    ...compact({ workload }),
    keychain: readKeychain(root, report),
    ...compact({ executorSpec }),
    steps,
    extensions: around.extensions,
    uncalled: readUncalled(around, [...nodes, ...items], report),
    entry: readEntry(root, executorSpec, steps, report),
  };
}

function stepsIn(root: MapNode): MapNode[] {
  const items = asList(child(root, 'workflow'))?.items ?? [];
  return items.flatMap((item) => (item.kind === 'map' ? [item] : []));
}

/** Tasks of the workbook that no step calls: their errors are reported nevertheless. */
function readUncalled(
  { workbook, extensions }: StepSurroundings,
  items: readonly MapNode[],
  report: Report,
): TaskDoc[] {
  if (workbook.size === 0) return [];
  const called = new Set<string>();
  const note = (tool: YamlNode | undefined): void => {
    if (tool?.kind === 'list') for (const item of tool.items) note(item);
    if (tool?.kind !== 'map') return;
    for (const key of ['name', 'task']) called.add(asText(child(tool, key)) ?? '');
    if (tool.entries.length === 1) note(tool.entries[0]!.value);
  };
  for (const item of items) note(child(item, 'tool'));
  return [...workbook.values()].flatMap((task) => {
    const kind = asText(child(task.tool, 'kind'));
    if (called.has(task.name) || kind === 'workbook') return [];
    // Which playbook it runs, a call would say.
    const open: Report = {
      add: (code, ...rest) => (code === 'NT2051' ? undefined : report.add(code, ...rest)),
      older: (where, remedy) => report.older(where, remedy),
    };
    const place: TaskPlace = {
      report: kind === 'playbook' ? open : report,
      name: task.name,
      single: false,
      step: task.tool,
      workbook,
      extensions,
      arriving: new Set(),
      asides: new StepAsides(task.name),
    };
    const read = readTask(task.tool, place);
    return read === undefined ? [] : [read];
  });
}

function checkHeader(root: MapNode, report: Report): void {
  const version = presentValue(root, 'apiVersion');
  if (version?.kind === 'scalar' && !API_VERSIONS.includes(String(version.value))) {
    report.add(
      'NT2010',
      version,
      `apiVersion \`${String(version.value)}\` is not known`,
      'write `apiVersion: noetl.io/v2`',
    );
  }
  if (version?.kind === 'scalar' && version.value === FORMER_VERSION)
    report.older(version, word(FORMER_VERSION, 'noetl.io/v2'));
  checkKind(root, report);
}

function readMetadata(root: MapNode, report: Report): Document['metadata'] {
  const metadata = asMap(child(root, 'metadata'));
  const text = (key: string): string | undefined => {
    const node = presentValue(metadata, key);
    return node?.kind === 'scalar' && node.value !== null ? String(node.value) : undefined;
  };
  const name = text('name') ?? asText(child(root, 'name'));
  for (const key of ['name', 'path']) {
    const old = entry(root, key);
    if (old !== undefined && text(key) !== undefined) {
      report.add(
        'NT2006',
        old.at,
        `\`${key}\` is set at the root and in \`metadata\``,
        'keep the one in `metadata`',
      );
    }
  }
  if (name === undefined) {
    const at = entry(root, 'metadata')?.at ?? head(root);
    report.add('NT2005', at, 'a playbook needs a name', 'write `metadata: {name: …, path: …}`');
  }
  const pathNode =
    presentValue(metadata, 'path') ??
    presentValue(root, 'path') ??
    child(metadata, 'name') ??
    child(root, 'name');
  const path = catalogPath(text('path') ?? asText(child(root, 'path')) ?? name ?? '');
  const problem = pathNode && pathProblem(path);
  if (problem)
    report.add('NT2062', pathNode, `the path ${problem}`, 'names separated by slashes: `shop/etl`');
  const version = text('version');
  const description = text('description');
  return {
    name: name ?? '',
    path,
    ...compact({ version, description, labels: readLabels(metadata, report), runName: runNameIn(metadata) }),
  };
}

function runNameIn(metadata: MapNode | undefined): ScalarNode | undefined {
  const node = presentValue(metadata, 'run_name');
  return node?.kind === 'scalar' ? node : undefined;
}

/** Paths of inputs declared secret in `metadata.workload`, including nested mappings and lists. */
function readSecretInputs(root: MapNode, report: Report): (readonly string[])[] {
  const inputs = asMap(child(asMap(child(root, 'metadata')), 'workload'));
  if (inputs === undefined) return [];
  checkInputsShape(inputs, report);
  return secretPathsOf({ schemas: dataOf(inputs) as JsonObject });
}

function readKeychain(root: MapNode, report: Report): Document['keychain'] {
  const seen = new Set<string>();
  return (asList(child(root, 'keychain'))?.items ?? []).flatMap((item) => {
    const name = asText(asMap(item) && child(asMap(item), 'name'));
    if (item.kind !== 'map' || name === undefined) return [];
    if (seen.has(name))
      report.add('NT3020', child(item, 'name')!, `the keychain has two entries \`${name}\``);
    seen.add(name);
    const kind = asText(child(item, 'kind')) ?? asText(child(item, 'type'));
    if (kind === undefined && entry(item, 'kind') === undefined) {
      report.add('NT2005', head(item), `the keychain entry \`${name}\` needs a \`kind\``);
    }
    return [{ name, kind: kind ?? '', node: item }];
  });
}

/** Inputs passed by arcs to each step: needed by workbook calls before the steps are parsed. */
function arrivals(items: readonly MapNode[]): Map<string, Set<string>> {
  const byTarget = new Map<string, Set<string>>();
  for (const item of items) {
    const next = child(item, 'next');
    const arcs = next?.kind === 'map' ? asList(child(next, 'arcs'))?.items : undefined;
    for (const arc of arcs ?? []) {
      const target = asText(asMap(arc) && child(asMap(arc), 'step'));
      if (arc.kind !== 'map' || target === undefined) continue;
      const names = byTarget.get(target) ?? new Set<string>();
      for (const each of inputsOf(arc, SILENT)) names.add(each.key);
      for (const each of setEntries(arc, SILENT)) if (!each.key.includes('.')) names.add(each.key);
      byTarget.set(target, names);
    }
    const structural =
      next === undefined || isNull(next) || arcs !== undefined ? [] : structuralNext(next, SILENT).arcs;
    for (const arc of [...structural, ...arcsInCase(child(item, 'case'))]) {
      const names = byTarget.get(arc.target) ?? new Set<string>();
      for (const each of arc.inputs) names.add(each.key);
      byTarget.set(arc.target, names);
    }
  }
  return byTarget;
}

/**
 * The steps without duplicates. Of several `end` steps without successors the last is used: earlier ones were
 * written by habit and are dropped.
 */
function unique(steps: readonly StepDoc[], report: Report): StepDoc[] {
  const seen = new Set<string>();
  const ends = steps.filter((step) => step.name === 'end');
  const last = ends.at(-1);
  const terminal = last?.router === undefined ? last : undefined;
  return steps.filter((step) => {
    if (terminal !== undefined && step.name === 'end' && step !== terminal) {
      const hint = 'remove one of the two, or rename this one';
      report.add('NT3024', step.at, 'a step `end` is defined again below, and replaces this one', hint);
      return false;
    }
    if (seen.has(step.name)) {
      report.add('NT3001', step.at, `two steps are called \`${step.name}\``, 'rename one of them');
      return false;
    }
    seen.add(step.name);
    return true;
  });
}
