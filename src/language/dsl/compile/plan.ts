import {
  compact,
  CURRENT_ENGINE_VERSION,
  EACH_ITEM,
  type JsonObject,
  type KeychainEntry,
  type Plan,
  PLAN_VERSION,
  playbookInputs,
  type PlanSource,
  shownPlace,
} from '../../plan';
import { references } from '../../template';
import { type TemplatePlace } from '../check/place';
import { planDigest, textSha256 } from '../digest';
import { type Report } from '../diagnostics/diagnostic';
import { type Document, type StepDoc } from '../document/document';
import { asMap, dataOf, itemsOf, type YamlNode, presentValue, without } from '../yaml/node';
import { type Compilation } from './compilation';
import {
  compileDeadline,
  compileLimits,
  compileReferenceFirst,
  executionFailureMode,
  recordsAll,
} from './effective';
import { markLean } from './lean';
import { checkKnown, compileExecutionLimits } from './limits';
import { compileTask } from './task';
import { compileStep } from './step';
import { markStored } from './stored';

/** Origin of the text. */
interface Source {
  readonly text: string;
  readonly file?: string;
  readonly entry?: PlanSource['catalog'];
}

/** Placeholder caller of a workbook task that nothing calls. */
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

const AT_START: TemplatePlace = { kind: 'start' };
const IN_KEYCHAIN: TemplatePlace = { kind: 'keychain', carries: true };

/** Compiles a document to its Plan. Meaningless if the report has errors. */
export function compilePlan(compilation: Compilation, source: Source): Plan {
  const { document, values, report } = compilation;
  for (const task of document.uncalled) compileTask(task, UNCALLED, compilation);
  const compiled = markStored(document.steps.map((step) => compileStep(step, compilation)));
  const steps = recordsAll(document) ? compiled : markLean(compiled);
  const secretInputs = compileSecretInputs(document, report);
  const inputs = playbookInputs(dataOf(document.root) as JsonObject);
  const deadline = compileDeadline(document, report);
  const plan: Omit<Plan, 'digest'> = {
    planVersion: PLAN_VERSION,
    engineVersion: CURRENT_ENGINE_VERSION,
    metadata: compileMetadata(compilation),
    workload: values.map(document.workload?.entries ?? [], AT_START),
    keychain: compileKeychain(compilation),
    ...secretInputs,
    ...(inputs && { inputs }),
    limits: compileLimits(document),
    results: { referenceFirst: compileReferenceFirst(document) },
    failureMode: executionFailureMode(document),
    ...compileExecutionLimits(compilation),
    ...compact({ on: document.on, deadline }),
    steps,
    start: document.entry.name,
    source: {
      ...compact({ file: source.file }),
      sha256: textSha256(source.text),
      ...(source.entry && { catalog: source.entry }),
    },
  };
  return { ...plan, digest: planDigest(plan) };
}

const IN_NAME: TemplatePlace = { kind: 'start', part: 'the name of an execution, which everybody sees' };

function compileMetadata(compilation: Compilation): Plan['metadata'] {
  const { document, values, report } = compilation;
  const { runName, ...metadata } = document.metadata;
  if (runName === undefined) return metadata;
  const secrets = new Set(document.secretInputs.map(([top]) => top!));
  const template = values.tryParse(runName);
  const reads = template ? references(template) : [];
  const secret = reads.find(
    ({ root, path }) => secrets.has(root) || (root === 'workload' && secrets.has(String(path[0]))),
  );
  if (secret)
    report.add(
      'NT3101',
      runName,
      '`run_name` reads a secret input, and everybody sees the name of an execution',
      'name it by other inputs',
    );
  checkKnown([runName], 'an execution is named', compilation);
  return { ...metadata, runName: values.value(runName, IN_NAME) };
}

/** After the steps: the fields they read of a keychain entry are checked when a run starts. */
function compileKeychain({ values, check }: Compilation): KeychainEntry[] {
  const entries = Array.from(check.keychain.declared, ({ name, kind, node }) => ({
    name,
    kind,
    config: values.value(without(node, new Set(['name', 'kind', 'type'])), IN_KEYCHAIN),
    at: values.at(node),
  }));
  return entries.map((entry) => {
    const uses = check.keychain.fieldsOf(entry.name);
    const optional = check.keychain.isOptional(entry.name);
    return { ...entry, ...(uses.length > 0 && { uses }), ...(optional && { optional }) };
  });
}

/**
 * Keys of the workload, and paths below them, that `metadata.workload` declares secret. Their values come only from
 * outside.
 */
function compileSecretInputs(
  { secretInputs, workload }: Document,
  report: Report,
): Pick<Plan, 'secretInputs' | 'secretPaths'> {
  for (const path of secretInputs) {
    for (const given of givenAt(workload, path)) {
      if (given.kind === 'scalar' && (given.value === null || given.value === '')) continue;
      const shown = shownPlace(path);
      report.add(
        'NT3108',
        given,
        `\`${shown}\` is secret, and has a value in the playbook`,
        `write \`${path.at(-1)}: null\`, and provide the value when you start the execution`,
      );
    }
  }
  const top = secretInputs.filter(({ length }) => length === 1);
  const deeper = secretInputs.filter(({ length }) => length > 1);
  return {
    ...(top.length > 0 && { secretInputs: top.map(([name]) => name!) }),
    ...(deeper.length > 0 && { secretPaths: deeper }),
  };
}

/** The value the playbook itself sets there. */
function givenAt(node: YamlNode | undefined, [key, ...rest]: readonly string[]): YamlNode[] {
  if (node === undefined) return [];
  if (key === undefined) return [node];
  if (key === EACH_ITEM) return itemsOf(node).flatMap((item) => givenAt(item, rest));
  return givenAt(presentValue(asMap(node), key), rest);
}
