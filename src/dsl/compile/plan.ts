import {
  CURRENT_ENGINE_VERSION,
  type KeychainEntry,
  type Plan,
  PLAN_VERSION,
  type PlanSource,
} from '../../plan';
import { type Place } from '../check/place';
import { digestOf, sha256 } from '../digest';
import { type Report } from '../diagnostics/diagnostic';
import { type Document } from '../document/document';
import { present, without } from '../yaml/node';
import { type Compilation } from './compilation';
import { compileLimits, compileReferenceFirst, executionFailureMode } from './effective';
import { type StepDoc } from '../document/document';
import { compileTask } from './task';
import { compileStep } from './step';

/** Where the text came from. */
export interface Source {
  readonly text: string;
  readonly file?: string;
  readonly entry?: PlanSource['catalog'];
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
const IN_KEYCHAIN: Place = { kind: 'keychain', carries: true };

/** Makes the Plan of a document. Meaningless where the report has errors. */
export function compilePlan(compilation: Compilation, source: Source): Plan {
  const { document, values, report } = compilation;
  for (const task of document.uncalled) compileTask(task, UNCALLED, compilation);
  const steps = document.steps.map((step) => compileStep(step, compilation));
  const secretInputs = compileSecretInputs(document, report);
  const plan: Omit<Plan, 'digest'> = {
    planVersion: PLAN_VERSION,
    engineVersion: CURRENT_ENGINE_VERSION,
    metadata: document.metadata,
    workload: values.map(document.workload?.entries ?? [], AT_START),
    keychain: compileKeychain(compilation),
    ...(secretInputs.length === 0 ? {} : { secretInputs }),
    limits: compileLimits(document),
    results: { referenceFirst: compileReferenceFirst(document) },
    failureMode: executionFailureMode(document),
    steps,
    start: document.entry.name,
    source: {
      ...(source.file === undefined ? {} : { file: source.file }),
      sha256: sha256(source.text),
      ...(source.entry && { catalog: source.entry }),
    },
  };
  return { ...plan, digest: digestOf(plan) };
}

/** After the steps: what they read of an entry is checked when a run starts. */
function compileKeychain({ document, values, check }: Compilation): KeychainEntry[] {
  const entries = document.keychain.map(({ name, kind, node }) => ({
    name,
    kind,
    config: values.value(without(node, new Set(['name', 'kind', 'type'])), IN_KEYCHAIN),
    at: values.at(node),
  }));
  return entries.map((entry) => {
    const uses = check.keychain.fieldsOf(entry.name);
    return uses.length === 0 ? entry : { ...entry, uses };
  });
}

/** Keys of the workload that `metadata.workload` calls secret. Their values come from outside only. */
function compileSecretInputs({ secretInputs, workload }: Document, report: Report): readonly string[] {
  for (const key of secretInputs) {
    const given = present(workload, key);
    if (given === undefined || (given.kind === 'scalar' && (given.value === null || given.value === '')))
      continue;
    report.add(
      'NT3108',
      given,
      `\`${key}\` is secret, and has a value in the playbook`,
      `write \`${key}: null\`, and give the value when the execution is started`,
    );
  }
  return secretInputs;
}
