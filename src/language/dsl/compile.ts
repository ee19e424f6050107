import { type Plan, type PlanSource } from '../plan';
import { checkBranches } from './check/branches';
import { checkCase } from './check/case';
import { type KnownPlaybooks, checkCatalog } from './check/catalog';
import { checkAwaitedEvents } from './check/events';
import { checkElsewhere } from './check/elsewhere';
import { checkGraph } from './check/graph';
import { checkIterWrites } from './check/iter-writes';
import { KeychainCheck } from './check/keychain';
import { checkTemplateNames, collectNames } from './check/names';
import { Order } from './check/order';
import { checkReadable } from './check/dashes';
import { ReferenceCheck } from './check/references';
import { checkParallelWrites } from './check/parallel';
import { checkSecrets } from './check/secrets';
import { checkShadowed } from './check/shadowed';
import { checkTargets } from './check/targets';
import { checkCache } from './check/cache';
import { checkSandbox } from './check/sandbox';
import { checkTools } from './check/tools';
import { checkNamedTwice } from './check/twice';
import { type CodeBlock, codeBlock } from './code-block';
import { compilePlan } from './compile/plan';
import { checkUnread } from './check/unread';
import { Values } from './compile/values';
import { type Diagnostic, Findings, type OlderForm } from './diagnostics/diagnostic';
import { offersOf } from './fixes/source';
import { type ToolKinds } from './kinds';
import { type Document, type StepDoc } from './document/document';
import { readDocument } from './document/read';
import { desugar, mergeWays, type Origins } from './sugar';
import { LineIndex } from './yaml/lines';
import { type MapNode } from './yaml/node';
import { parseYaml } from './yaml/parse';

export interface CompileOptions {
  /** The file name for diagnostics and `plan.source`. The file is not read. */
  readonly file?: string;
  /** Deprecated spellings are errors. */
  readonly strict?: boolean;
  /** The catalog version of the text, for `plan.source`. */
  readonly entry?: PlanSource['catalog'];
  /** For checking sub-playbooks; without it they are not checked. */
  readonly catalog?: KnownPlaybooks;
  /** Diagnostics carry their fixes, and older forms are listed. */
  readonly fixes?: boolean;
  /** Kinds that extension modules add (docs/extensions.md). */
  readonly kinds?: ToolKinds;
}

export interface Compiled {
  /** Present exactly if no diagnostic is an error. */
  readonly plan?: Plan;
  /** In text order. */
  readonly diagnostics: Diagnostic[];
  /** Constructs that are accepted, and have a newer form; if fixes were asked for. */
  readonly older?: readonly OlderForm[];
  /** Python code that is run without rendering; absent if the text is not YAML. */
  readonly code?: readonly CodeBlock[];
}

/**
 * Compiles the YAML text of a playbook, in any vocabulary, to a Plan. All problems are found in one pass; whatever
 * the text holds, the answer is a list of diagnostics, never an exception.
 *
 * @example
 * const { plan, diagnostics } = compile(readFileSync(file, 'utf8'), { file });
 * if (!plan) throw new Error(formatDiagnostics(diagnostics, text));
 */
export function compile(text: string, options: CompileOptions = {}): Compiled {
  const lines = new LineIndex(text);
  const findings = new Findings(lines, options);
  const root = parseYaml(text, findings);
  if (root === undefined) return listed(lines, findings, options);
  const flat = desugar(root, findings);
  const read = readDocument(flat.root, findings, options.kinds);
  return checked({ ...mergeWays(read, flat, findings), written: root }, lines, findings, options);
}

/** A document whose steps are read. */
export interface ReadPlaybook {
  readonly document: Document;
  readonly origins: Origins;
  /** As it is written: mistakes are not corrected in it. */
  readonly written: MapNode;
  /** The names that templates read are added. */
  readonly roots?: Set<string>;
  /** The steps to check, if not all: what is found elsewhere is incomplete. */
  readonly only?: readonly StepDoc[];
  /** Of the others. */
  readonly hasErrors?: boolean;
}

/** Checks and compiles. */
export function checked(
  { document, origins, written, roots, only, hasErrors = false }: ReadPlaybook,
  lines: LineIndex,
  findings: Findings,
  options: CompileOptions,
): Compiled {
  const part = only ? { ...document, steps: only } : document;
  const names = collectNames(document);
  const keychain = new KeychainCheck(document);
  const check = new ReferenceCheck(names, new Order(document), findings, keychain);
  if (roots) check.roots = roots;
  const values = new Values(findings, lines, check);
  checkTargets(document, findings);
  checkReadable(part, findings);
  checkSecrets(part, findings);
  checkParallelWrites(part, findings);
  checkIterWrites(part, findings);
  checkBranches(document, findings);
  checkNamedTwice(document, findings);
  checkCatalog(part, options.catalog, findings);
  checkElsewhere(part, findings);
  checkTools(part, findings);
  checkCache(part, findings);
  checkSandbox(part, findings);
  checkGraph(document, findings);
  checkAwaitedEvents(part, findings);
  checkCase(part, values, findings);
  checkShadowed(part, values, findings);
  const stepNames = new Set(names.steps.keys());
  const plan = compilePlan(
    { document: part, origins, report: findings, values, check, stepNames },
    { text: only ? '' : lines.text, file: options.file, entry: options.entry },
  );
  checkTemplateNames(part, names, check.roots, findings);
  keychain.finish(findings);
  if (!findings.hasErrors && !hasErrors) checkUnread(part, plan, findings);
  const code = [...values.code].map((node) => codeBlock(node, lines, options));
  return {
    ...(findings.hasErrors ? {} : { plan }),
    ...listed(lines, findings, options, { root: written, names }),
    code,
  };
}

function listed(
  lines: LineIndex,
  findings: Findings,
  { fixes }: CompileOptions,
  read: Parameters<typeof offersOf>[2] = {},
): Pick<Compiled, 'diagnostics' | 'older'> {
  return fixes ? offersOf(lines, findings, read) : { diagnostics: findings.list() };
}
