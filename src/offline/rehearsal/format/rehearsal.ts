/** A parsed rehearsal: mocks bound to the tasks of its playbook, expectations with their positions in the file. */
import { type LineIndex, type Located, type MapNode, type YamlNode } from '../../../language/dsl/format';
import { type EventType, type Input } from '../../../engine/machine';
import { type JsonObject, type Plan } from '../../../language/plan';
import { type AmountComparison } from './amounts';
import { type MockAnswer } from './answers';
import { type Invariant } from '../invariants/read';
import { type OtherExecution } from '../../drive';
import { type Selector } from './selector';

export interface RehearsalFile {
  /** As named by the user. */
  readonly file: string;
  readonly lines: LineIndex;
  readonly playbook: { readonly file: string; readonly plan: Plan };
  readonly rehearsals: readonly Rehearsal[];
}

export interface Rehearsal {
  readonly name: string;
  readonly at: Located;
  readonly payload: JsonObject;
  /** Its own, then those shared with the other rehearsals of the file. */
  readonly mocks: readonly RehearsalMock[];
  /** By kind. */
  readonly defaults: Readonly<Record<string, MockAnswer>>;
  readonly unmocked: 'fail' | 'null';
  /** Milliseconds since the epoch. */
  readonly startAt: number;
  readonly executionId?: string;
  /** Batches after which the run is one without end. */
  readonly limit?: number;
  readonly messages: readonly { readonly after: number; readonly input: Input; readonly at: Located }[];
  readonly others: readonly OtherExecution[];
  readonly expect: Expectations;
}

export interface RehearsalMock {
  readonly selector: Selector;
  readonly at: Located;
  readonly answers: readonly MockAnswer[];
  /** At the root of a file with several rehearsals: being unused by one of them is not a failure. */
  readonly shared: boolean;
}

export type RehearsalStatus = 'completed' | 'failed' | 'cancelled' | 'waiting';

export interface Expectations {
  readonly status: { readonly value: RehearsalStatus; readonly at: Located };
  /** Expected data of the result and of ctx. `exact` or a deep subset. */
  readonly data: readonly {
    readonly of: 'result' | 'ctx';
    readonly name: string;
    readonly exact: boolean;
    readonly node: YamlNode;
  }[];
  readonly error?: ErrorExpectation;
  readonly steps?: { readonly pattern: readonly StepPattern[]; readonly at: Located };
  readonly calls: readonly CallsExpectation[];
  readonly events: readonly EventExpectation[];
  readonly never: readonly EventExpectation[];
  readonly invariants: readonly Invariant[];
  readonly elapsed: readonly { readonly comparison: AmountComparison; readonly at: Located }[];
}

/** A step by name, or `null` for any number of steps. */
export interface StepPattern {
  readonly name: string | null;
  readonly at: Located;
}

export interface ErrorExpectation {
  readonly at: Located;
  readonly message?: {
    readonly matches: (message: string) => boolean;
    readonly text: string;
    readonly at: Located;
  };
  /** `code`, `kind`, `step`, `task`, `iteration`, `attempt`, `line`, compared as text. */
  readonly fields: readonly { readonly name: string; readonly value: string; readonly at: Located }[];
}

export interface CallsExpectation {
  readonly selector: Selector;
  readonly at: Located;
  readonly count?: { readonly comparison: AmountComparison; readonly at: Located };
  readonly calls: readonly CallExpectation[];
}

export interface CallExpectation {
  /** 1-based; from the end when negative; `each` call. */
  readonly which: number | 'each';
  readonly at: Located;
  /** `input`, `config`, `timeout`, `iteration`, `attempt`, `step`, `task`: a deep subset of the call. */
  readonly node: MapNode;
  readonly when?: { readonly comparison: AmountComparison; readonly at: Located };
}

export interface EventExpectation {
  readonly type: EventType;
  readonly at: Located;
  readonly fields: readonly {
    readonly name: 'step' | 'task' | 'iteration' | 'attempt' | 'status';
    readonly value: string;
  }[];
  readonly payload?: MapNode;
}
