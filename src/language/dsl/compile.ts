import { type Plan, type PlanSource } from '../plan';
import { checkBranches } from './check/branches';
import { checkCase } from './check/case';
import { type KnownPlaybooks, checkCatalog } from './check/catalog';
import { checkAwaitedEvents } from './check/events';
import { checkElsewhere } from './check/elsewhere';
import { checkGraph } from './check/graph';
import { checkIterWrites } from './check/iter-writes';
import { KeychainCheck } from './check/keychain';
import { checkTemplateNames, collectNames, type Names } from './check/names';
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
import { readDocument } from './document/read';
import { desugar, mergeWays } from './sugar';
import { LineIndex } from './yaml/lines';
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
  const results = (names?: Names): Pick<Compiled, 'diagnostics' | 'older'> =>
    options.fixes ? offersOf(lines, findings, names) : { diagnostics: findings.list() };
  if (root === undefined) return results();
  const flat = desugar(root, findings);
  const { document, origins } = mergeWays(readDocument(flat.root, findings, options.kinds), flat, findings);
  const names = collectNames(document);
  const keychain = new KeychainCheck(document);
  const check = new ReferenceCheck(names, new Order(document), findings, keychain);
  const values = new Values(findings, lines, check);
  checkTargets(document, findings);
  checkTemplateNames(document, names, findings);
  checkReadable(document, findings);
  checkSecrets(document, findings);
  checkParallelWrites(document, findings);
  checkIterWrites(document, findings);
  checkBranches(document, findings);
  checkNamedTwice(document, findings);
  checkCatalog(document, options.catalog, findings);
  checkElsewhere(document, findings);
  checkTools(document, findings);
  checkCache(document, findings);
  checkSandbox(document, findings);
  checkGraph(document, findings);
  checkAwaitedEvents(document, findings);
  checkCase(document, values, findings);
  checkShadowed(document, values, findings);
  const stepNames = new Set(names.steps.keys());
  const plan = compilePlan(
    { document, origins, report: findings, values, check, stepNames },
    { text, file: options.file, entry: options.entry },
  );
  keychain.finish(findings);
  if (!findings.hasErrors) checkUnread(document, plan, findings);
  const code = [...values.code].map((node) => codeBlock(node, lines, options));
  return { ...(findings.hasErrors ? {} : { plan }), ...results(names), code };
}
