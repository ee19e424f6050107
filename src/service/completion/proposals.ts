/** What can be written at the cursor, the likeliest first. */
import { compact } from '../../language/plan';
import { type CursorPlace } from '../place/cursor';
import { type TextOf } from '../place/expected';
import { placeKindOf, stepOn, toolOn } from '../place/path';
import { type PlaybookFacts, type DeclaredStep, type DeclaredTask } from '../names/facts';
import { type KnownResults } from '../names/fields';
import { NameScope } from '../names/scope';
import { type WritingUsage } from './usage';

/** As the Language Server Protocol calls them. */
export type ProposalKind =
  | 'Property'
  | 'EnumMember'
  | 'Class'
  | 'Event'
  | 'Method'
  | 'Variable'
  | 'Field'
  | 'Function'
  | 'Snippet'
  | 'Reference';

export interface CompletionProposal {
  readonly label: string;
  readonly kind: ProposalKind;
  /** In a few words, beside the label. */
  readonly detail?: string;
  /** Markdown. */
  readonly doc?: string;
  /** What is inserted, if it is not the label. */
  readonly insert?: string;
  readonly deprecated?: true;
}

/** What others know: lists that a folder, a catalog or a server has. */
export interface KnownNames {
  /** Names of stored credentials. */
  readonly credentials?: readonly string[];
  /** `metadata.path` of playbooks, and the inputs that each declares. */
  readonly playbooks?: ReadonlyMap<string, readonly string[]>;
}

/** What proposals are made from. */
export interface Writing extends TextOf {
  readonly place: CursorPlace;
  readonly facts: PlaybookFacts;
  readonly scope: NameScope;
  readonly step?: DeclaredStep;
  readonly task?: DeclaredTask;
  /** The keys around the cursor, the outermost first. */
  readonly keys: readonly string[];
  /** How the steps around the cursor are written. */
  readonly nearby: WritingUsage;
  readonly names: KnownNames;
}

export type Weighted = readonly [CompletionProposal, number];

/** Sorted by weight, without the weight; of several with one label the heaviest stays. */
export function ranked(weighted: readonly Weighted[]): CompletionProposal[] {
  const best = new Map<string, CompletionProposal>();
  for (const [each] of weighted.toSorted((a, b) => b[1] - a[1]))
    if (!best.has(each.label)) best.set(each.label, each);
  return [...best.values()];
}

/** The scope at a place. */
export function scopeAt(
  facts: PlaybookFacts,
  path: CursorPlace['path'],
  results?: KnownResults,
): { scope: NameScope; step: DeclaredStep | undefined; task: DeclaredTask | undefined } {
  const [stepNode, toolNode] = [stepOn(path), toolOn(path)];
  const step = facts.steps.find(({ node }) => node === stepNode);
  const task = step?.tasks.find(({ node }) => node === toolNode);
  const place = { kind: placeKindOf(path.parts), ...compact({ step, task }) };
  return { scope: new NameScope(facts, place, results), step, task };
}
