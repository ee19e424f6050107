import { CURRENT_ENGINE_VERSION, type KeychainEntry, type Plan, PLAN_VERSION } from '../../plan';
import { type Place } from '../check/place';
import { digestOf, sha256 } from '../digest';
import { without } from '../yaml/node';
import { type Compilation } from './compilation';
import { compileLimits, compileReferenceFirst, executionFailureMode } from './effective';
import { type StepDoc } from '../document/document';
import { compileTask } from './task';
import { compileStep } from './step';

/** Where the text came from. */
export interface Source {
  readonly text: string;
  readonly file?: string;
}

/** Stands for the caller of a workbook task that has none. */
const NOWHERE = { start: 0, end: 0, path: '' };
const UNCALLED: StepDoc = {
  name: '',
  at: NOWHERE,
  node: { kind: 'map', entries: [], ...NOWHERE },
  inputs: [],
  tasks: [],
  pipeline: false,
  writes: [],
  sinks: [],
  asides: [],
};

const AT_START: Place = { kind: 'start' };

/** Makes the Plan of a document. Meaningless where the report has errors. */
export function compilePlan(compilation: Compilation, source: Source): Plan {
  const { document, values } = compilation;
  for (const task of document.uncalled) compileTask(task, UNCALLED, compilation);
  const plan: Omit<Plan, 'digest'> = {
    planVersion: PLAN_VERSION,
    engineVersion: CURRENT_ENGINE_VERSION,
    metadata: document.metadata,
    workload: values.map(document.workload?.entries ?? [], AT_START),
    keychain: document.keychain.map((entry): KeychainEntry => ({
      name: entry.name,
      kind: entry.kind,
      config: values.value(without(entry.node, new Set(['name', 'kind', 'type'])), AT_START),
      at: values.at(entry.node),
    })),
    limits: compileLimits(document),
    results: { referenceFirst: compileReferenceFirst(document) },
    failureMode: executionFailureMode(document),
    steps: document.steps.map((step) => compileStep(step, compilation)),
    start: document.entry.name,
    source: { ...(source.file === undefined ? {} : { file: source.file }), sha256: sha256(source.text) },
  };
  return { ...plan, digest: digestOf(plan) };
}
