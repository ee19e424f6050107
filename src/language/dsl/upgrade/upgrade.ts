import { SILENT } from '../diagnostics/diagnostic';
import { parseYaml } from '../yaml/parse';
import { type UpgradeNote, notesOf } from './notes';
import { compatible, type RewriteRule } from './rewrite';
import { caseRouting } from './rules/case';
import { conditionalNext } from './rules/conditional-next';
import { setLists, thenSteps } from './rules/lists';
import { joinEach } from './rules/join-each';
import { forbiddenNames } from './rules/names';
import { evals, expr, flatActions, pipes, stepConditions, stepTypes } from './rules/removed';
import { retryRules } from './rules/retry';
import { specInputs } from './rules/spec-inputs';
import { labels, loopKnobs, otherwise, rootNames, upgradeStructuralNext } from './rules/structure';
import { outcomes } from './rules/templates';
import {
  apiVersion,
  argumentsOf,
  asyncMode,
  backoff,
  inputs,
  overrides,
  repeatedCalls,
  secretNames,
} from './rules/words';
import { rootVars } from './rules/vars';
import { writes } from './rules/writes';
import { compiled } from './compiled';
import { meaningOf } from './same';
import { applyEdits } from './text';

/** The result of an upgrade. */
export interface Upgraded {
  readonly text: string;
  /** The number of rewritten constructs. */
  readonly rewrites: number;
  /** What remains to be done by hand, in the order of the (new) text. */
  readonly notes: readonly UpgradeNote[];
}

/** Rules that keep the Plan unchanged, except for positions and names. */
const SPELLINGS: readonly RewriteRule[] = [
  apiVersion,
  rootNames,
  rootVars,
  stepTypes,
  stepConditions,
  pipes,
  expr,
  flatActions,
  evals,
  labels,
  setLists,
  specInputs,
  inputs,
  argumentsOf,
  overrides,
  repeatedCalls,
  thenSteps,
  secretNames,
  backoff,
  asyncMode,
  loopKnobs,
  otherwise,
  conditionalNext,
  upgradeStructuralNext,
  writes,
  outcomes,
  forbiddenNames,
];

/** Rules that change the Plan's form but not its meaning. */
const CONSTRUCTS: readonly RewriteRule[] = [caseRouting, retryRules, joinEach];

/** Every pass rewrites at least one construct; no playbook nests them deeper than this. */
const MAX_PASSES = 200;

/**
 * Rewrites a playbook of any generation to the current spelling by editing its text, so that comments, order,
 * quotes and blank lines are kept. A playbook that compiles keeps the meaning of its Plan: a rewrite that would
 * change it is skipped. The result is a fixed point.
 *
 * @example upgrade('…set_ctx: {page: 1}…').text // '…set: {ctx.page: 1}…'
 */
export function upgrade(text: string): Upgraded {
  const spelled = respell(text);
  const structural = passes(spelled.text, CONSTRUCTS, keepsCompiling);
  const done = structural.rewrites === 0 ? structural : respell(structural.text);
  const rewrites = spelled.rewrites + structural.rewrites + (structural.rewrites === 0 ? 0 : done.rewrites);
  return { text: done.text, rewrites, notes: notesOf(done.text) };
}

interface Passes {
  readonly text: string;
  readonly rewrites: number;
}

/** All spellings at once, or one by one if that would change the Plan; constructs are unchanged. */
export function respell(text: string): Passes {
  const all = passes(text, SPELLINGS, () => true);
  return keepsMeaning(text, all.text) ? all : passes(text, SPELLINGS, keepsMeaning);
}

function passes(
  text: string,
  rules: readonly RewriteRule[],
  allowed: (before: string, after: string) => boolean,
): Passes {
  let rewrites = 0;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const root = parseYaml(text, SILENT);
    if (root === undefined) break;
    const before = text;
    const proposals = rules.flatMap((rule) => rule({ text, root }));
    const chosen = compatible(proposals.filter(({ edits }) => allowed(before, applyEdits(before, edits))));
    if (chosen.length === 0) break;
    text = applyEdits(
      before,
      chosen.flatMap((each) => each.edits),
    );
    rewrites += chosen.length;
  }
  return { text, rewrites };
}

/** Whether both texts have the same meaning, as far as this can be determined. */
function keepsMeaning(before: string, after: string): boolean {
  if (before === after) return true;
  const { plan } = compiled(before);
  if (plan === undefined) return keepsCompiling(before, after);
  const now = compiled(after).plan;
  return now !== undefined && meaningOf(plan) === meaningOf(now);
}

/** Whether the new text has no more errors than the old one. */
function keepsCompiling(before: string, after: string): boolean {
  return errors(after) <= errors(before);
}

/** Excludes errors about unsupported constructs: they disappear with the construct, and hide nothing new. */
function errors(text: string): number {
  return compiled(text).diagnostics.filter((each) => each.severity === 'error' && each.code !== 'NT2020')
    .length;
}
