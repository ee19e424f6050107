/**
 * What tests know about each kind of tool: test/kinds/<kind>.ts exports it as `tests`. Tests that go over all kinds
 * find it there.
 */
import { toolKinds } from '../../activities/registry';
import { type ClauseRow } from '../clauses/clause';
import { type Cell } from '../faults/cell';
import { type CanaryKind } from './canary-matrix/tool';

export interface KindTests {
  /** What can go wrong, and what the outcome says then. */
  readonly faults: readonly Cell[];
  /** What every tool owes its author. */
  readonly clauses: ClauseRow;
  /** Tools with a secret in them. */
  readonly canary: CanaryKind;
  /** What it is tested against, and what cannot be tested here (docs/tools/README.md). */
  readonly against: { readonly real: string; readonly not?: string };
  /** What its examples below playbooks/tools answer, by their names. */
  readonly examples: Readonly<Record<string, ToolExample>>;
}

export interface ToolExample {
  /** Its workload. */
  readonly set?: (world: { readonly api: string; readonly folder: string }) => string[];
  readonly result: object;
}

export const KIND_TESTS: Readonly<Record<string, KindTests>> = Object.fromEntries(
  toolKinds.map((kind) => [
    kind,
    jest.requireActual<{ readonly tests: KindTests }>(`../kinds/${kind}`).tests,
  ]),
);
