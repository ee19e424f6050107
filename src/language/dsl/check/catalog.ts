import {
  calledPath,
  catalogPath,
  type JsonObject,
  nearestPath,
  type PlanInputs,
  plainSecretInputs,
  secretPathsOf,
  shownPlace,
  wrongInputs,
} from '../../plan';
import { type Report } from '../diagnostics/diagnostic';
import { closest, suggestionOf } from '../diagnostics/suggest';
import { type Document, type TaskDoc } from '../document/document';
import { dataOf, type YamlNode, type ScalarNode, scalarsIn } from '../yaml/node';
import { tasksOf } from './parts';

/** The playbooks that can be called, by `metadata.path`. */
export interface KnownPlaybooks {
  has(path: string): boolean;
  /** All of them, for suggestions. */
  paths(): Iterable<string>;
  /** The declared inputs of its newest version, if known. */
  inputsOf?(path: string): PlanInputs | undefined;
  /** The list may be incomplete: these are the playbooks beside the one that calls. */
  readonly partial?: true;
}

/**
 * Sub-playbooks missing from the catalog, and inputs that existing ones do not accept. Paths and inputs that are
 * templates are known only at run time, and checked when the call is made.
 */
export function checkCatalog(document: Document, catalog: KnownPlaybooks | undefined, report: Report): void {
  if (catalog === undefined) return;
  for (const task of document.steps.flatMap(tasksOf)) {
    const called = task.kind === 'playbook' ? calledBy(task) : undefined;
    if (called === undefined || typeof called.value !== 'string' || isTemplate(called.value)) continue;
    const named = catalogPath(called.value);
    const beside = calledPath(named, document.metadata.path);
    const path = catalog.has(named) || (catalog.partial && !catalog.has(beside)) ? named : beside;
    if (!catalog.has(path)) reportMissing(called, path, catalog, report);
    // Another version may have other inputs.
    else if (!task.fields.some(({ key }) => key === 'version'))
      checkInputs(task, called, { path, inputs: catalog.inputsOf?.(path) }, report);
  }
}

function reportMissing(at: ScalarNode, path: string, catalog: KnownPlaybooks, report: Report): void {
  const suggestion = catalog.partial ? closest(path, catalog.paths()) : nearestPath(path, catalog.paths());
  const elsewhere = catalog.partial ? 'if it is in another folder, name that with `--catalog`' : undefined;
  const hint =
    suggestionOf(path, suggestion, [...catalog.paths()]) ??
    elsewhere ??
    'use the `metadata.path` of the playbook';
  report.add('NT3025', at, `no playbook has the path \`${path}\``, hint);
}

function checkInputs(
  { inputs: given }: TaskDoc,
  called: ScalarNode,
  { path, inputs }: { path: string; inputs?: PlanInputs },
  report: Report,
): void {
  if (inputs === undefined) return;
  const fixed = given.filter(({ value }) => !hasTemplate(value));
  const payload = Object.fromEntries(fixed.map(({ key, value }) => [key, dataOf(value)])) as JsonObject;
  const computed = given.filter((one) => !fixed.includes(one)).map(({ key }) => key);
  for (const { at, message } of wrongInputs(inputs, payload)) {
    const key = keyOf(at);
    if (computed.includes(key)) continue;
    report.add(
      'NT3027',
      fixed.find((one) => one.key === key)?.value ?? called,
      `\`${at.replace(/^workload\./, '')}\` of \`${path}\` ${message}`,
      'its `metadata.workload` declares what it accepts',
    );
  }
  for (const place of plainSecretInputs({ secretPaths: secretPathsOf(inputs) }, payload)) {
    report.add(
      'NT3109',
      fixed.find((one) => one.key === place[0])!.value,
      `\`${shownPlace(place)}\` of \`${path}\` is secret, but its value is in plain text here`,
      'pass a secret: `{{ keychain.<name>.<field> }}`, or an input that is secret here too',
    );
  }
}

/** `workload.cities[2].name` belongs to the input `cities`. */
function keyOf(at: string): string {
  return /^workload\.([^.[]*)/.exec(at)?.[1] ?? '';
}

function hasTemplate(node: YamlNode): boolean {
  return scalarsIn(node).some(({ value }) => typeof value === 'string' && isTemplate(value));
}

function isTemplate(text: string): boolean {
  return /\{[{%]/.test(text);
}

function calledBy({ fields }: TaskDoc): ScalarNode | undefined {
  const field = fields.find(({ key }) => key === 'path') ?? fields.find(({ key }) => key === 'name');
  return field?.value.kind === 'scalar' ? field.value : undefined;
}
