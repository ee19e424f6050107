import { Client } from '@temporalio/client';
import { History } from '@temporalio/common/lib/proto-utils';
import { LoadedDataConverter, Payload as Payload$1 } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
type Json = null | boolean | number | string | Json[] | {
    [key: string]: Json;
};
type JsonObject = {
    [key: string]: Json;
};
type Template = ExpressionTemplate | TextTemplate;
interface Placed {
    readonly source: string;
    readonly at?: readonly [
        number,
        number
    ];
    readonly map?: readonly (readonly [
        offset: number,
        line: number,
        column: number
    ])[];
}
interface ExpressionTemplate extends Placed {
    readonly kind: 'expression';
    readonly expr: Expr;
}
interface TextTemplate extends Placed {
    readonly kind: 'text';
    readonly body: readonly Stmt[];
}
interface At {
    readonly p: number;
}
type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';
type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';
interface Arguments {
    readonly a?: readonly Expr[];
    readonly k?: readonly (readonly [
        string,
        Expr
    ])[];
    readonly star?: Expr;
    readonly stars?: Expr;
}
type Expr = {
    readonly op: 'lit';
    readonly v: string | number | boolean | null;
} | {
    readonly op: 'float';
    readonly v: number;
} | {
    readonly op: 'int';
    readonly v: string;
} | ({
    readonly op: 'name';
    readonly n: string;
} & At) | ({
    readonly op: 'get';
    readonly o: Expr;
    readonly k: string | number;
} & At) | ({
    readonly op: 'item';
    readonly o: Expr;
    readonly i: Expr;
} & At) | ({
    readonly op: 'slice';
    readonly o: Expr;
    readonly a?: Expr;
    readonly b?: Expr;
    readonly c?: Expr;
} & At) | ({
    readonly op: 'call';
    readonly f: Expr;
} & Arguments & At) | ({
    readonly op: 'method';
    readonly o: Expr;
    readonly n: string;
} & Arguments & At) | ({
    readonly op: 'filter';
    readonly o?: Expr;
    readonly n: string;
} & Arguments & At) | ({
    readonly op: 'test';
    readonly o: Expr;
    readonly n: string;
} & Arguments & At) | {
    readonly op: 'list' | 'tuple';
    readonly e: readonly Expr[];
} | {
    readonly op: 'concat';
    readonly e: readonly Expr[];
} | ({
    readonly op: 'dict';
    readonly e: readonly (readonly [
        Expr,
        Expr
    ])[];
} & At) | {
    readonly op: 'and' | 'or';
    readonly l: Expr;
    readonly r: Expr;
} | {
    readonly op: 'not';
    readonly e: Expr;
} | ({
    readonly op: 'neg' | 'pos';
    readonly e: Expr;
} & At) | ({
    readonly op: 'bin';
    readonly f: BinaryOperator;
    readonly l: Expr;
    readonly r: Expr;
} & At) | ({
    readonly op: 'cmp';
    readonly l: Expr;
    readonly c: readonly (readonly [
        CompareOperator,
        Expr
    ])[];
} & At) | {
    readonly op: 'if';
    readonly c: Expr;
    readonly t: Expr;
    readonly e?: Expr;
};
type ExprOf<Op extends Expr['op']> = Extract<Expr, {
    readonly op: Op;
}>;
type AssignmentTarget = {
    readonly op: 'name';
    readonly n: string;
} | {
    readonly op: 'ns';
    readonly n: string;
    readonly k: string;
    readonly p: number;
} | {
    readonly op: 'tuple';
    readonly e: readonly AssignmentTarget[];
    readonly p: number;
};
type Stmt = {
    readonly op: 'text';
    readonly v: string;
} | ({
    readonly op: 'out';
    readonly e: Expr;
} & At) | {
    readonly op: 'if';
    readonly branches: readonly (readonly [
        Expr,
        readonly Stmt[]
    ])[];
    readonly otherwise?: readonly Stmt[];
} | ({
    readonly op: 'for';
    readonly target: AssignmentTarget;
    readonly in: Expr;
    readonly test?: Expr;
    readonly recursive?: true;
    readonly otherwise?: readonly Stmt[];
} & Body & At) | ({
    readonly op: 'set';
    readonly target: AssignmentTarget;
    readonly e: Expr;
} & At) | ({
    readonly op: 'setblock';
    readonly target: AssignmentTarget;
    readonly filter?: Expr;
} & Body & At) | ({
    readonly op: 'with';
    readonly sets: readonly (readonly [
        AssignmentTarget,
        Expr
    ])[];
} & Body & At) | ({
    readonly op: 'scope';
} & Body) | ({
    readonly op: 'filterblock';
    readonly filter: Expr;
} & Body) | ({
    readonly op: 'macro';
    readonly n: string;
} & MacroBody) | ({
    readonly op: 'callblock';
    readonly call: ExprOf<'call' | 'method'>;
} & MacroBody & At);
interface Body {
    readonly body: readonly Stmt[];
}
interface MacroParameter {
    readonly n: string;
    readonly default?: Expr;
}
type MacroExtra = 'varargs' | 'kwargs' | 'caller';
interface MacroBody extends Body {
    readonly params: readonly MacroParameter[];
    readonly extras?: readonly MacroExtra[];
}
interface SecretReference extends JsonObject {
    readonly provider: string;
    readonly secret: string;
}
interface DeferredTemplate {
    readonly template: Template;
    readonly names: JsonObject;
    readonly strict?: true;
    readonly now: number;
    readonly seed: number;
}
interface SecretEntry {
    readonly name: string;
    readonly kind: string;
    readonly config: JsonObject;
    readonly execution_id: string;
    readonly optional?: true;
}
type Secret = {
    readonly ref: SecretReference;
} | {
    readonly deferred: DeferredTemplate;
} | {
    readonly entry: SecretEntry;
};
type Secrets = Readonly<Record<string, Secret>>;
type ErrorKind = 'rate_limit' | 'auth' | 'not_found' | 'client_error' | 'server_error' | 'timeout' | 'connection' | 'exception' | 'sql' | 'validation' | 'cancelled' | 'worker_lost';
interface OutcomeError {
    readonly kind: ErrorKind;
    readonly code: string;
    readonly message: string;
    readonly status?: number;
    readonly status_code?: number;
    readonly retryable: boolean;
    readonly retry_after?: number;
    readonly [more: string]: Json | undefined;
}
interface Outcome {
    readonly status: 'ok' | 'error';
    readonly result: Json;
    readonly error: OutcomeError | null;
    readonly meta: OutcomeMeta;
    readonly http?: {
        readonly status: number;
        readonly headers: JsonObject;
    };
    readonly pg?: {
        readonly code: string | null;
        readonly sqlstate: string | null;
        readonly [more: string]: Json | undefined;
    };
    readonly py?: {
        readonly exception_type: string | null;
        readonly traceback?: string;
        readonly stdout?: string;
    };
    readonly [kind: string]: unknown;
}
interface OutcomeMeta {
    readonly duration_ms?: number;
    readonly [more: string]: Json | undefined;
}
interface TaskCall {
    readonly execution_id: string;
    readonly task_run_id: string;
    readonly step: string;
    readonly task: string;
    readonly iteration?: number;
    readonly attempt: number;
    readonly kind: string;
    readonly idempotency_key: string;
    readonly input: JsonObject;
    readonly config: JsonObject;
    readonly timeout: {
        readonly connect?: number;
        readonly read?: number;
        readonly total?: number;
    };
    readonly options: JsonObject;
    readonly secrets?: Secrets;
    readonly context?: JsonObject;
    readonly lean?: true;
    readonly claim?: true;
    readonly stored?: true;
}
interface Dataset {
    readonly namespace: string;
    readonly name: string;
}
interface Datasets {
    readonly inputs: readonly Dataset[];
    readonly outputs: readonly Dataset[];
}
type ToolFields = Readonly<Record<string, unknown>>;
interface LineageServer {
    readonly host?: string;
    readonly port?: string;
    readonly database?: string;
    readonly schema?: string;
    readonly account?: string;
}
interface DatabaseNames {
    readonly namespace: (server: LineageServer, fields: ToolFields) => string | undefined;
    readonly schema: string;
    readonly fold: 'lower' | 'upper';
    readonly isLocal?: true;
}
type Lineage = {
    readonly database: DatabaseNames;
} | {
    readonly uses: (fields: ToolFields, result?: unknown) => Partial<Datasets>;
};
type PlainType = 'text' | 'name' | 'boolean' | 'amount' | 'duration' | 'limit' | 'count' | 'condition' | 'flag' | 'template' | 'any' | 'mapping';
type FieldType = PlainType | {
    readonly values: readonly string[];
} | {
    readonly words: readonly string[];
} | {
    readonly shape: () => FieldShape;
} | {
    readonly list: FieldType;
} | {
    readonly either: readonly FieldType[];
};
interface FieldShape {
    readonly title: string;
    readonly fields: Readonly<Record<string, {
        readonly type: FieldType;
        readonly doc: string;
        readonly required?: true;
    }>>;
    readonly others: 'error' | 'warning' | 'open';
    readonly words?: Readonly<Record<string, string>>;
}
interface ToolKind {
    readonly doc: string;
    readonly sameAs?: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly types?: Readonly<Record<string, FieldType>>;
    readonly required: readonly (readonly string[])[];
    readonly exclusive?: readonly (readonly string[])[];
    readonly strict?: readonly string[];
    readonly sql?: readonly string[];
    readonly command?: readonly string[];
    readonly shell?: Readonly<Record<string, 'each' | 'flag'>>;
    readonly code?: readonly string[];
    readonly texts?: readonly string[];
    readonly uncached?: string;
    readonly sandbox?: {
        readonly onlyIfAsked?: true;
    };
    readonly modules?: string;
    readonly readsContext?: true;
    readonly stores?: 'table' | 'body';
    readonly probe?: Readonly<Record<string, string | number>>;
    readonly needsCredential?: true;
    readonly sides?: readonly string[];
    readonly sideKinds?: Readonly<Record<string, string>>;
    readonly inputs?: 'templates' | 'code';
    readonly named?: string;
    readonly closed?: true;
    readonly spec?: {
        readonly timeout?: Readonly<Partial<Record<'connect' | 'read' | 'total', number>>>;
    };
    readonly concurrency?: number;
    readonly processes?: true;
    readonly payload?: Payload;
    readonly credentials?: readonly CredentialType[];
    readonly mock?: KindMock;
    readonly respondsOverHttp?: true;
    readonly lineage?: Lineage;
    readonly failures?: readonly JsonObject[];
    readonly hints?: readonly (readonly [
        code: RegExp,
        hint: string
    ])[];
    readonly heartbeat?: number;
}
interface Payload {
    readonly field: string;
    readonly also?: string;
}
interface KindMock {
    readonly words: Readonly<Record<string, string>>;
    readonly least: JsonObject;
    readonly failure?: ErrorKind;
    readonly wrong: (word: string, value: Json) => string | undefined;
    readonly bare: (value: Json) => JsonObject | undefined;
    readonly outcome: (words: JsonObject, about: MockedCall) => Outcome;
}
interface MockedCall {
    readonly config: JsonObject;
    readonly ms: number;
    readonly fail: (error: JsonObject, result?: Json) => Outcome;
}
type CredentialField = readonly [
    string,
    ...string[]
];
interface CredentialType {
    readonly names: readonly [
        string,
        ...string[]
    ];
    readonly forms: readonly [
        readonly CredentialField[],
        ...(readonly CredentialField[])[]
    ];
}
interface WrongInput {
    readonly at: string;
    readonly message: string;
}
interface PlanInputs {
    readonly schemas: JsonObject;
    readonly defaulted: readonly string[];
    readonly unset?: readonly string[];
}
type RunLabels = Readonly<Record<string, string>>;
type PlanValue = {
    readonly const: Json;
} | {
    readonly template: Template;
} | {
    readonly map: readonly (readonly [
        key: string,
        value: PlanValue
    ])[];
} | {
    readonly list: readonly PlanValue[];
};
type SourcePosition = readonly [
    line: number,
    column: number
];
declare const ON_CONFLICT: readonly [
    'queue',
    'skip',
    'cancel_running',
    'fail'
];
type OnConflict = (typeof ON_CONFLICT)[number];
interface ConcurrencyPlan {
    readonly key?: PlanValue;
    readonly scope?: string;
    readonly limit: PlanValue;
    readonly onConflict: OnConflict;
    readonly at: SourcePosition;
}
interface DebouncePlan {
    readonly key?: PlanValue;
    readonly scope?: string;
    readonly period: PlanValue;
    readonly maxWait?: PlanValue;
    readonly at: SourcePosition;
}
interface RateLimitPlan {
    readonly key: PlanValue;
    readonly limit: PlanValue;
    readonly per: PlanValue;
    readonly burst?: PlanValue;
    readonly at: SourcePosition;
}
interface PriorityPlan {
    readonly priority?: PlanValue;
    readonly fairness?: {
        readonly key: PlanValue;
        readonly weight?: PlanValue;
    };
    readonly at: SourcePosition;
}
interface TaskPriority {
    readonly priorityKey?: number;
    readonly fairnessKey?: string;
    readonly fairnessWeight?: number;
}
interface KeptLimit {
    readonly of: 'concurrency' | 'debounce' | 'rate';
    readonly scope: string;
    readonly key: string;
}
type LimitAnswer = {
    readonly keeper: string;
    readonly execution: string;
} & ({
    readonly type: 'queued';
    readonly holders: readonly string[];
    readonly ahead: number;
    readonly until?: number;
} | {
    readonly type: 'granted';
} | {
    readonly type: 'skipped';
    readonly by: readonly string[];
} | {
    readonly type: 'refused';
    readonly holders: readonly string[];
    readonly inside?: true;
    readonly full?: true;
} | {
    readonly type: 'slots';
    readonly ref: string;
    readonly slots: readonly (readonly [
        number,
        number
    ])[];
});
declare const CAUSES: readonly [
    'completed',
    'failed',
    'cancelled',
    'late',
    'waiting'
];
type NotificationCause = (typeof CAUSES)[number];
type AuthorTarget = {
    readonly playbook: string;
} | {
    readonly webhook: string;
} | {
    readonly email: string;
} | {
    readonly chat: string;
};
type ByCause<Target> = {
    readonly [C in NotificationCause]?: readonly Target[];
};
type Notifications = ByCause<AuthorTarget>;
interface Plan {
    readonly planVersion: number;
    readonly engineVersion: number;
    readonly digest: string;
    readonly metadata: PlanMetadata;
    readonly workload: PlanValue;
    readonly keychain: readonly KeychainEntry[];
    readonly secretInputs?: readonly string[];
    readonly secretPaths?: readonly (readonly string[])[];
    readonly inputs?: PlanInputs;
    readonly limits: PlanLimits;
    readonly results: {
        readonly referenceFirst: boolean;
    };
    readonly failureMode: FailureMode;
    readonly concurrency?: ConcurrencyPlan;
    readonly debounce?: DebouncePlan;
    readonly on?: Notifications;
    readonly deadline?: number;
    readonly steps: readonly StepPlan[];
    readonly start: string;
    readonly source: PlanSource;
}
interface PlanMetadata {
    readonly name: string;
    readonly path: string;
    readonly version?: string;
    readonly description?: string;
    readonly labels?: RunLabels;
    readonly runName?: PlanValue;
}
interface PlanSource {
    readonly file?: string;
    readonly sha256: string;
    readonly catalog?: {
        readonly id: string;
        readonly version: number;
    };
}
interface PlanLimits {
    readonly maxStepRuns: number;
    readonly maxLiveTokens: number;
    readonly maxTaskVisits: number;
    readonly maxPayloadBytes: number;
}
type FailureMode = 'fail_fast' | 'best_effort';
type RouterMode = 'exclusive' | 'inclusive';
interface KeychainEntry {
    readonly name: string;
    readonly kind: string;
    readonly config: PlanValue;
    readonly uses?: readonly string[];
    readonly optional?: true;
    readonly at: SourcePosition;
}
interface StepPlan {
    readonly name: string;
    readonly at: SourcePosition;
    readonly desc?: string;
    readonly admit?: readonly AdmitRule[];
    readonly joinEach?: true;
    readonly failureMode?: FailureMode;
    readonly timeout?: PlanValue;
    readonly deadline?: PlanValue;
    readonly input?: PlanValue;
    readonly binds?: readonly string[];
    readonly loop?: LoopPlan;
    readonly tasks: readonly TaskPlan[];
    readonly pipeline: boolean;
    readonly set: readonly Assignment[];
    readonly rules?: RuleSet;
    readonly sinks?: readonly TaskPlan[];
    readonly router?: RouterPlan;
    readonly collects?: readonly {
        readonly path: readonly string[];
        readonly mode: Collect['mode'];
    }[];
}
type RuleHappening = 'enter' | 'call' | 'iteration' | 'end' | 'store';
interface RuleSet {
    readonly of: 'policy' | 'retry' | 'case';
    readonly mode: 'first' | 'all';
    readonly otherwise: 'continue' | 'outcome';
    readonly rules: readonly RulePlan[];
}
interface RulePlan {
    readonly on: readonly RuleHappening[];
    readonly when?: Template;
    readonly unless?: Template;
    readonly onError?: true;
    readonly seesError?: true;
    readonly readsFailure?: true;
    readonly actions: readonly Action[];
    readonly endLoop?: true;
    readonly move?: Move;
    readonly at: SourcePosition;
}
type Action = {
    readonly do: 'set';
    readonly set: readonly Assignment[];
    readonly at: SourcePosition;
} | ({
    readonly do: 'collect';
} & Collect) | {
    readonly do: 'sink';
    readonly task: string;
    readonly at: SourcePosition;
} | {
    readonly do: 'result';
    readonly value: PlanValue;
    readonly at: SourcePosition;
} | {
    readonly do: 'log';
    readonly message: PlanValue;
    readonly at: SourcePosition;
};
type Move = {
    readonly do: 'continue' | 'break';
    readonly at: SourcePosition;
} | {
    readonly do: 'jump';
    readonly to: string;
    readonly again?: true;
    readonly at: SourcePosition;
} | ({
    readonly do: 'retry';
} & Retry) | {
    readonly do: 'next';
    readonly arcs: readonly number[];
    readonly at: SourcePosition;
} | {
    readonly do: 'fail';
    readonly message?: PlanValue;
    readonly at: SourcePosition;
} | {
    readonly do: 'skip';
    readonly reason?: PlanValue;
    readonly at: SourcePosition;
};
interface Collect {
    readonly from: PlanValue;
    readonly into: {
        readonly scope: Assignment['scope'];
        readonly path: readonly string[];
    };
    readonly mode: 'push' | 'concat' | 'merge' | 'replace';
    readonly isResult?: true;
    readonly at: SourcePosition;
}
interface Overrides {
    readonly config?: PlanValue;
    readonly input?: PlanValue;
}
interface Retry {
    readonly attempts?: PlanValue;
    readonly endless?: true;
    readonly delay?: PlanValue;
    readonly multiplier?: PlanValue;
    readonly backoff?: BackoffKind;
    readonly maxDelay?: PlanValue;
    readonly overrides?: Overrides;
    readonly exhausted: 'fall_through' | 'finish' | 'fail';
    readonly at: SourcePosition;
}
interface AdmitRule {
    readonly when?: Template;
    readonly allow: boolean;
    readonly at: SourcePosition;
}
interface LoopPlan {
    readonly in: PlanValue;
    readonly cursor?: CursorPlan;
    readonly iterator: string;
    readonly mode: 'sequential' | 'parallel' | 'cursor';
    readonly maxInFlight?: PlanValue;
    readonly exec: 'distributed' | 'inline';
    readonly reads?: LoopReads;
    readonly at: SourcePosition;
}
interface CursorPlan {
    readonly claim: string;
    readonly process: 'row' | 'frame';
    readonly frame: PlanValue;
    readonly maxRows?: PlanValue;
}
interface LoopReads {
    readonly workload: readonly string[] | null;
    readonly ctx: readonly string[] | null;
    readonly results: readonly string[] | null;
}
interface TaskPlan {
    readonly name: string;
    readonly kind: string;
    readonly at: SourcePosition;
    readonly input?: PlanValue;
    readonly given?: PlanValue;
    readonly config: PlanValue;
    readonly strict: readonly string[];
    readonly spec: TaskSpec;
    readonly rules?: RuleSet;
    readonly when?: Template;
    readonly loop?: LoopPlan;
    readonly body?: readonly TaskPlan[];
    readonly set: readonly Assignment[];
    readonly unavailable?: true;
    readonly codeAt?: SourcePosition;
    readonly payload?: Payload;
    readonly lean?: true;
    readonly stored?: true;
    readonly local?: true;
    readonly needsContext?: true;
    readonly sugar?: Sugar;
}
interface Sugar {
    readonly construct: 'choose' | 'while' | 'until' | 'turns';
    readonly at: SourcePosition;
    readonly branch?: number;
    readonly generated?: true;
}
interface TaskSpec {
    readonly timeout?: TimeoutSpec;
    readonly pool?: string;
    readonly heartbeat?: number;
    readonly delivery: 'at_least_once' | 'at_most_once';
    readonly rateLimit?: RateLimitPlan;
    readonly priority?: PriorityPlan;
    readonly options: PlanValue;
}
interface TimeoutSpec {
    readonly connect?: PlanValue;
    readonly read?: PlanValue;
    readonly total?: PlanValue;
}
type BackoffKind = 'none' | 'linear' | 'exponential';
interface Assignment {
    readonly scope: 'ctx' | 'iter' | 'step' | 'local';
    readonly path: readonly string[];
    readonly value: PlanValue;
    readonly at: SourcePosition;
}
interface RouterPlan {
    readonly mode: RouterMode;
    readonly arcs: readonly ArcPlan[];
}
interface ArcPlan {
    readonly step: string | null;
    readonly when?: Template;
    readonly args?: PlanValue;
    readonly set: readonly Assignment[];
    readonly rule?: number;
    readonly handlesFailure: boolean;
    readonly seesError?: true;
    readonly hidesResponse?: true;
    readonly at: SourcePosition;
}
interface PlaybookRequest {
    readonly path: string;
    readonly version?: string;
    readonly from?: string;
}
interface ScheduledInput {
    readonly schedule: string;
    readonly path: string;
    readonly version?: string;
    readonly payload: JsonObject;
    readonly timeAs?: string;
    readonly on?: Notifications;
    readonly deadline?: number;
    readonly labels?: RunLabels;
}
interface ScheduleMemo extends Pick<ScheduledInput, 'schedule' | 'on' | 'deadline'> {
    readonly scheduled_at: string | null;
}
interface TriggerMessage {
    readonly id: string;
    readonly data: Json;
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly attributes: JsonObject;
    readonly metadata: JsonObject;
}
interface TriggerMemo {
    readonly id: string;
    readonly path: string;
    readonly source: string;
    readonly message_id: string;
    readonly key: string;
    readonly chain?: readonly string[];
}
interface WaitForm {
    readonly title: string | null;
    readonly text: string | null;
    readonly fields: JsonObject;
    readonly who: {
        readonly scope: string | null;
        readonly tokens: readonly string[];
        readonly link: number | null;
    };
}
interface AwaitedEvent {
    readonly task_run_id: string;
    readonly step: string;
    readonly event: string;
    readonly until?: number;
    readonly form?: WaitForm;
}
interface ErrorParts {
    readonly hint?: readonly string[];
    readonly at?: readonly [
        line: number,
        column: number
    ];
    readonly retryable?: boolean;
    readonly details?: Readonly<Record<string, unknown>>;
    readonly cause?: unknown;
}
declare class CodedError<Code extends string = string> extends Error {
    readonly code: Code;
    readonly hint: readonly string[];
    at?: readonly [
        line: number,
        column: number
    ];
    readonly retryable: boolean;
    readonly details: Readonly<Record<string, unknown>>;
    constructor(code: Code, message: string, { hint, at, retryable, details, ...options }?: ErrorParts);
}
declare class EnvironmentError extends CodedError {
    constructor(code: string, message: string, hint?: readonly string[], parts?: Omit<ErrorParts, 'hint'>);
}
interface SentEventAnswer {
    readonly taken: 0 | 1;
    readonly duplicate: boolean;
    readonly refused?: string;
}
declare function newExecutionId(now?: number, random?: number): string;
interface TaskResult {
    kind: string;
    outcome: Outcome;
    payload?: TaskPlan['payload'];
    call?: TaskResult;
}
interface FailureCause {
    kind: ErrorKind | 'engine' | 'expression';
    code: string;
    message: string;
    task?: string;
    iteration?: number;
    attempt?: number;
    at?: SourcePosition;
    cause?: Json;
}
interface Passage {
    stage: RuleHappening | 'over' | null;
    cause: FailureCause | null;
    answered?: FailureCause;
    matched: number[];
    result?: TaskResult;
    gathered?: ValueTarget;
    skipped?: {
        reason: Json;
    };
    endsLoop?: true;
    handles?: true;
    round?: Repeats & {
        attempt: number;
    };
}
interface RunRules {
    exited?: true;
    written?: true;
    route?: number[];
    handled?: {
        rule: number;
        at: SourcePosition;
    };
    skipped?: {
        reason: Json;
    };
    fired?: true;
    result?: [
        rule: number,
        action: number
    ];
    matched?: number[];
    kept?: KeptVisit;
}
interface KeptVisit {
    visits: Record<string, number>;
    iter: JsonObject;
    locals: JsonObject;
    results: Record<string, TaskResult>;
}
interface Repeats {
    page: number;
    count: number;
    config?: JsonObject;
    input?: JsonObject;
    rule?: number;
    gathered?: ValueTarget;
}
interface ValueTarget {
    readonly scope: Assignment['scope'];
    readonly path: readonly string[];
}
interface CollectedValues {
    mode: Collect['mode'];
    parts: {
        path: number[];
        value: Json;
    }[];
}
interface Agenda {
    of: 'task' | 'step';
    todo: [
        rule: number,
        action: number
    ][];
    moves: number[];
    exhausted?: {
        rule: number;
        attempts: number;
    };
    standing?: RuleStanding;
}
interface RuleStanding {
    do: 'continue' | 'break' | 'jump' | 'fail';
    rule: number | null;
    exhausted?: Agenda['exhausted'];
}
interface Suspended {
    name: string;
    rule: number;
    attempt: number;
    taskRunId: string | null;
    repeats?: Repeats;
    agenda: Agenda;
}
interface Token {
    id: string;
    step: string;
    args: JsonObject;
    forks: {
        fork: string;
        branch: number;
    }[];
    state: 'queued' | 'waiting' | 'running';
    parent: string | null;
    event?: BoundaryEvent;
    afterPause?: true;
    alone?: true;
    anew?: true;
}
interface BoundaryEvent {
    names: string[];
    fields: {
        step: string;
        step_run_id: string;
        status: 'ok' | 'error';
        error: JsonObject | null;
    };
}
interface Fork {
    id: string;
    step: string;
    live: number;
}
interface StepRun {
    id: string;
    step: string;
    token: string;
    args: JsonObject;
    inputs?: JsonObject;
    vars: JsonObject;
    locals: JsonObject;
    loop: LoopState | null;
    stopping: FailureCause | null;
    startedAt: number;
    rules?: RunRules;
    collected?: Record<string, CollectedValues>;
}
interface Span {
    items: Json[];
    first: number;
    total: number;
    next: number;
    inFlight: number;
    maxInFlight: number;
}
interface LoopState extends Span {
    notStarted: number;
    done: number;
    failed: number;
    results: Json[];
    failFast: boolean;
    stopping: FailureCause | null;
    writes: Record<string, Record<string, string>>;
    chunks: Chunking | null;
    cut?: true;
    cursor?: CursorState;
}
interface CursorState {
    policy: JsonObject;
    rowsAtOnce: number;
    free: number[];
    begun: number;
    slots: number;
    claims: number;
    claiming: number;
    count: number;
    maxRows: number | null;
    frames: ClaimedFrame[];
    last: {
        digest: string;
        times: number;
    };
    failure: FailureCause | null;
}
interface ClaimedFrame extends Span {
    index: number;
    slot: number;
    rows: number;
    base: number;
}
interface Frame {
    id: string;
    run: string;
    parent: string | null;
    index: number | null;
    claim?: number;
    loop: LoopState | null;
    pc: number;
    visits: Record<string, number>;
    attempt: number;
    args: JsonObject;
    iter: JsonObject;
    locals: JsonObject;
    results: Record<string, TaskResult>;
    last: string | null;
    previous?: TaskResult;
    taskRunId: string | null;
    retryAt: number | null;
    slot?: number;
    repeats?: Repeats;
    passage?: Passage;
    agenda?: Agenda;
    suspended?: Suspended[];
}
type StepResult = {
    type: 'tasks';
    status: 'ok' | 'error';
    last: TaskResult | null;
    tasks: Record<string, TaskResult> | null;
    iter: JsonObject;
} | {
    type: 'loop';
    status: 'ok' | 'error';
    results: Json[];
    success: number;
    failed: number;
    notStarted: number;
    error: FailureCause | null;
    cursor?: {
        rows: number;
        frames: number;
    };
};
interface Reused {
    from: {
        execution_id: string;
        step_run_id: string;
    };
    result: StepResult;
    run: Pick<StepRun, 'vars' | 'locals' | 'rules' | 'loop'>;
    patches: JsonObject[];
}
interface Chunking {
    size: number;
    share: number;
    atOnce: number;
}
interface Caller {
    executionId: string;
    taskRunId: string;
    depth: number;
    above?: string[];
    calls?: number;
    iter: JsonObject | null;
    holds?: string[];
    secrets?: Secrets;
}
interface CalledChild {
    frame: string;
    taskRunId: string;
    path: string;
    detached: boolean;
    framework?: string;
    startedAt: number;
    timedOut: number | null;
}
interface Wait {
    frame: string;
    event: string | null;
    until: number | null;
    startedAt: number;
    form?: WaitForm;
}
interface EventAnswer {
    readonly of?: string;
    readonly by?: string;
    readonly via?: string;
    readonly any?: true;
}
interface ExternalEvent {
    id: string | null;
    name: string;
    payload: Json;
    at: number;
    answer?: EventAnswer;
}
type Seed = [
    number,
    number,
    number,
    number
];
type ExecutionStatus = 'running' | 'paused' | 'cancelling' | 'failing' | 'completed' | 'failed' | 'cancelled';
interface State {
    engineVersion: number;
    executionId: string;
    now: number;
    startedAt: number;
    seed: Seed;
    uuid: string;
    status: ExecutionStatus;
    workload: JsonObject;
    runName?: string;
    ctx: JsonObject;
    tokens: Record<string, Token>;
    forks: Record<string, Fork>;
    runs: Record<string, StepRun>;
    frames: Record<string, Frame>;
    pending: Record<string, string>;
    longTasks: Record<string, string>;
    ready: string[];
    timers: Record<string, Timer>;
    caller: Caller | null;
    children: Record<string, CalledChild>;
    lastChild: string;
    waits: Record<string, Wait>;
    inbox: ExternalEvent[];
    seenEvents: string[];
    chunks: Record<string, ChunkInFlight>;
    lease: Lease | null;
    part: ChunkPart | null;
    results: Record<string, StepResult>;
    answered?: string;
    runCounts: Record<string, number>;
    executed: string[];
    leaves: Record<string, true>;
    failure: ExecutionError | null;
    cancelReason: string | null;
    draining: boolean;
    continuations?: number;
    reuse?: Record<string, Reused>;
    alone?: true;
    secrets?: Record<string, Secret>;
    keychain?: Record<string, string>;
    notes?: Notes;
    gate?: {
        rerun?: {
            step: string;
            variables: JsonObject;
        };
        limit?: LimitWait;
    };
    keepers?: string[];
    skipped?: JsonObject;
    slots?: SlotRequests;
    work: QueuedWork[];
    joinsDirty: boolean;
    counters: {
        token: number;
        fork: number;
        yield: number;
        lease: number;
        tasks: number;
        retries: number;
    };
}
interface Lease {
    ref: string;
    tasks: string[];
    pending: Json[];
    pool?: string;
}
interface ChunkResult {
    readonly results: readonly Json[];
    readonly done: number;
    readonly failed: number;
    readonly notStarted: number;
    readonly cause: FailureCause | null;
    readonly ctx: JsonObject;
    readonly writes: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly tasks: number;
    readonly retries: number;
    readonly secrets?: State['secrets'];
    readonly notes?: Notes;
}
type ChunkSettled = {
    readonly status: 'done';
    readonly result: ChunkResult;
} | {
    readonly status: 'lost';
    readonly cause: FailureCause;
};
interface ChunkInFlight {
    id: string;
    run: string;
    first: number;
    count: number;
    state: 'queued' | 'running';
    ref: string;
}
interface ChunkPart {
    id: string;
    run: string;
    written: Record<string, true>;
    ended: boolean;
    cause: FailureCause | null;
}
interface Timer {
    deadline: number;
    purpose: {
        type: 'retry';
        frame: string;
    } | {
        type: 'timeout';
        run: string;
    } | {
        type: 'child';
        child: string;
    } | {
        type: 'wait';
        wait: string;
    } | {
        type: 'yield';
    };
}
interface LimitWait extends KeptLimit {
    keeper: string;
    limit: number | null;
    request: JsonObject;
    since: number;
    behind?: {
        holders: string[];
        ahead: number;
        until: number | null;
    };
}
interface SlotRequest {
    kept: KeptLimit;
    limit: number;
    per_ms: number;
    burst: number;
    frames: string[];
}
interface SlotRequests {
    count: number;
    waiting: Record<string, SlotRequest>;
    requests: Record<string, SlotRequest>;
    keepers: Record<string, 1>;
}
type NoteCode = 'SKIPPED' | 'RUN_UNNAMED' | 'PAGES_LEFT' | 'POLL_GAVE_UP' | 'LOOP_ENDED_EARLY' | 'NO_ARC_MATCHED' | 'NO_RULE_MATCHED' | 'UNDEFINED_PARAMS' | 'DIGITS_LOST' | 'SECRET_UNRESOLVED' | 'CHOICE_DROPPED' | 'ARGS_OVERWRITTEN';
interface EngineNote {
    code: NoteCode;
    message: string;
    step?: string;
    step_run_id?: string;
    iteration?: number;
    at: SourcePosition;
}
interface Notes {
    kept: EngineNote[];
    count: number;
}
interface ExecutionError extends FailureCause {
    step?: string;
    others?: number;
}
type QueuedWork = {
    op: 'arrive';
    token: string;
} | {
    op: 'admit';
    token: string;
} | {
    op: 'task';
    frame: string;
} | {
    op: 'settled';
    frame: string;
    outcome: Outcome;
} | {
    op: 'agenda';
    frame: string;
    cause: FailureCause | null;
} | {
    op: 'begin';
    frame: string;
} | {
    op: 'frameEnded';
    frame: string;
    cause: FailureCause | null;
} | {
    op: 'iterate';
    run: string;
    frame: string | null;
} | {
    op: 'chunk';
    chunk: string;
} | {
    op: 'chunkSettled';
    ref: string;
    settled: ChunkSettled;
} | {
    op: 'stop';
    run: string;
    cause: FailureCause;
} | {
    op: 'endRun';
    run: string;
    cause: FailureCause | null;
};
declare class ById<T> {
    constructor(record: Readonly<Record<string, T>>);
    get size(): number;
    get(id: string): T | undefined;
    has(id: string): boolean;
    set(id: string, entry: T): void;
    delete(id: string): void;
    take(id: string): T | undefined;
    keys(): Iterable<string>;
    values(): Iterable<T>;
    toRecord(): Record<string, T>;
}
declare class Reach {
    constructor(plan: Plan);
    sources(target: string, avoid: string): ReadonlySet<string>;
}
declare class PlanIndex {
    readonly plan: Plan;
    constructor(plan: Plan);
    positionOf(name: string): number | undefined;
    step(name: string): StepPlan;
    pathOf(step: string, task: string): string;
    get reach(): Reach;
}
declare class ByStep<T> {
    constructor(index: PlanIndex, entries: Readonly<Record<string, T>>);
    get(name: string): T | undefined;
    has(name: string): boolean;
    set(name: string, value: T): void;
    names(): string[];
    toRecord(): Record<string, T>;
}
declare class WorkQueue {
    constructor(work: readonly QueuedWork[]);
    get isEmpty(): boolean;
    push(work: QueuedWork): void;
    shift(): QueuedWork | undefined;
    clear(): void;
    toList(): QueuedWork[];
}
declare const BY_ID: readonly [
    'tokens',
    'runs',
    'frames',
    'pending',
    'longTasks',
    'children',
    'waits'
];
type IdTable = (typeof BY_ID)[number];
type Tables = {
    [Name in IdTable]: ById<State[Name][string]>;
} & {
    results: ByStep<StepResult>;
    runCounts: ByStep<number>;
    work: WorkQueue;
};
type LiveState = Omit<State, keyof Tables> & Tables;
interface Chunk {
    readonly id: string;
    readonly executionId: string;
    readonly uuid: string;
    readonly startedAt: number;
    readonly run: Pick<StepRun, 'id' | 'step' | 'token' | 'args' | 'vars' | 'locals' | 'startedAt'>;
    readonly loop: {
        readonly items: readonly Json[];
        readonly first: number;
        readonly total: number;
        readonly maxInFlight: number;
        readonly failFast: boolean;
        readonly cursor?: CursorState;
    };
    readonly caller: Caller | null;
    readonly keepers?: State['keepers'];
    readonly secrets?: State['secrets'];
    readonly keychain?: State['keychain'];
    readonly workload: JsonObject;
    readonly ctx: JsonObject;
    readonly results: Readonly<Record<string, StepResult>>;
}
interface RunTask {
    readonly type: 'runTask';
    readonly call: TaskCall;
    readonly summary: string;
    readonly pool?: string;
    readonly atMostOnce: boolean;
    readonly long?: true;
    readonly local?: true;
    readonly heartbeat?: number;
    readonly priority?: TaskPriority;
}
interface RunPlaybook {
    readonly type: 'runPlaybook';
    readonly child: string;
    readonly call: TaskCall;
    readonly path: string;
    readonly version?: string;
    readonly returnStep?: string;
    readonly returnResult?: true;
    readonly onlyInputs?: readonly string[];
    readonly detached: boolean;
    readonly caller: Caller;
    readonly summary: string;
    readonly priority?: TaskPriority;
}
interface RunChunk {
    readonly type: 'runChunk';
    readonly ref: string;
    readonly chunk: Chunk;
    readonly summary: string;
}
interface StartLease {
    readonly type: 'startLease';
    readonly ref: string;
    readonly tasks: readonly RunTask[];
    readonly pool?: string;
    readonly state: State;
    readonly summary: string;
    readonly priority?: TaskPriority;
}
type Command = RunTask | RunPlaybook | {
    readonly type: 'answerEvent';
    readonly id: string;
    readonly taken: boolean;
    readonly duplicate: boolean;
    readonly refused?: string;
} | {
    readonly type: 'cancelPlaybook';
    readonly child: string;
    readonly reason: string | null;
} | {
    readonly type: 'pausePlaybook';
    readonly child: string;
    readonly reason: string | null;
} | {
    readonly type: 'resumePlaybook';
    readonly child: string;
} | RunChunk | {
    readonly type: 'cancelChunk';
    readonly ref: string;
} | StartLease | {
    readonly type: 'cancelLease';
    readonly ref: string;
} | {
    readonly type: 'leaseSpent';
} | {
    readonly type: 'pauseChunk';
    readonly ref: string;
    readonly reason: string | null;
} | {
    readonly type: 'resumeChunk';
    readonly ref: string;
} | {
    readonly type: 'cancelTask';
    readonly taskRunId: string;
    readonly long?: true;
} | {
    readonly type: 'startTimer';
    readonly key: string;
    readonly deadline: number;
} | {
    readonly type: 'cancelTimer';
    readonly key: string;
} | {
    readonly type: 'leaveLimit';
    readonly keeper: string;
} | {
    readonly type: 'continueAsNew';
} | {
    readonly type: 'complete';
    readonly result: Json;
} | {
    readonly type: 'chunkEnded';
    readonly result: ChunkResult;
} | {
    readonly type: 'fail';
    readonly error: ExecutionError;
} | {
    readonly type: 'cancelled';
    readonly reason: string | null;
};
declare const PRICES: {
    readonly expression: 1;
    readonly statement: 1;
    readonly iteration: 3;
    readonly condition: 1;
    readonly call: 1;
    readonly subjectChar: number;
    readonly indexedChar: number;
    readonly comparedChar: number;
    readonly equalChar: number;
    readonly producedChar: number;
    readonly element: 1;
    readonly dictKey: 2;
    readonly comparedElement: 4;
    readonly comparedDict: 8;
    readonly comparedKey: 3;
    readonly orderedElement: 1;
    readonly searchedElement: 1;
    readonly sortedElement: 3;
    readonly sortedChar: number;
    readonly sortedPart: 6;
    readonly textPart: 6;
    readonly textPartChar: number;
    readonly jsonPart: 6;
    readonly parsedChar: number;
    readonly parsedValue: 1;
    readonly slicedChar: number;
    readonly titleChar: number;
    readonly partedChar: number;
    readonly classifiedChar: number;
    readonly digit: 1;
    readonly indentedChar: number;
    readonly wordChar: number;
    readonly wrappedLine: 2;
    readonly wrappedChunk: 1;
    readonly wrappedChunkChar: number;
    readonly directive: 1;
    readonly strippedTagChar: number;
    readonly urlizedChar: number;
    readonly bigInteger: 64;
    readonly integerChar: number;
    readonly date: 16;
    readonly dateChar: number;
    readonly zone: 64;
    readonly encodedChar: 1;
    readonly decodedChar: 1;
    readonly hashedChar: 1;
    readonly sha512Char: 4;
    readonly visitedElement: 1;
    readonly patternChar: 4;
    readonly patternInstruction: 1;
    readonly search: 3;
    readonly patternWork: number;
    readonly foundPart: number;
    readonly patternByte: number;
};
type PriceTable = {
    readonly [Operation in keyof typeof PRICES]: number;
};
interface TemplateScope {
    lookup(name: string): unknown;
}
interface Budget {
    left: number;
}
interface TemplateEnvironment {
    now(): number;
    random(): number;
    readonly budget?: Budget;
    readonly prices?: PriceTable;
    digitsLost?(literal: string): void;
}
declare const EVENT_TYPES: {
    readonly 'playbook.execution.requested': 'server';
    readonly 'limit.queued': 'server';
    readonly 'limit.acquired': 'server';
    readonly 'limit.skipped': 'server';
    readonly 'limit.refused': 'server';
    readonly 'keychain.resolved': 'worker';
    readonly 'keychain.failed': 'worker';
    readonly 'playbook.request.evaluated': 'server';
    readonly 'playbook.started': 'server';
    readonly 'playbook.paused': 'server';
    readonly 'playbook.resumed': 'server';
    readonly 'playbook.cancel.requested': 'server';
    readonly 'playbook.cancelled': 'server';
    readonly 'playbook.processed': 'server';
    readonly 'workflow.started': 'server';
    readonly 'workflow.finished': 'server';
    readonly 'variables.set': 'server';
    readonly 'variables.deleted': 'server';
    readonly 'token.created': 'server';
    readonly 'token.enqueued': 'server';
    readonly 'token.claimed': 'server';
    readonly 'token.merged': 'server';
    readonly 'token.ended': 'server';
    readonly 'step.admitted': 'server';
    readonly 'step.skipped': 'server';
    readonly 'step.scheduled': 'server';
    readonly 'step.started': 'server';
    readonly 'step.log': 'worker';
    readonly 'step.note': 'server';
    readonly 'step.done': 'worker';
    readonly 'step.failed': 'worker';
    readonly 'loop.started': 'server';
    readonly 'loop.iteration.started': 'server';
    readonly 'loop.iteration.done': 'worker';
    readonly 'loop.iteration.failed': 'worker';
    readonly 'loop.done': 'worker';
    readonly 'loop.chunk.started': 'server';
    readonly 'loop.chunk.done': 'worker';
    readonly 'loop.chunk.failed': 'worker';
    readonly 'task.started': 'worker';
    readonly 'task.done': 'worker';
    readonly 'task.failed': 'worker';
    readonly 'task.retrying': 'worker';
    readonly 'task.directive': 'worker';
    readonly 'sink.started': 'worker';
    readonly 'sink.processed': 'worker';
    readonly 'case.started': 'server';
    readonly 'case.evaluated': 'server';
    readonly 'external.received': 'server';
    readonly 'external.dropped': 'server';
    readonly 'ctx.patched': 'server';
    readonly 'next.evaluated': 'server';
    readonly 'next.selected': 'server';
    readonly 'next.enqueued': 'server';
};
type EventType = keyof typeof EVENT_TYPES;
type EventStatus = 'in_progress' | 'success' | 'error' | 'skipped' | 'paused' | 'cancelled';
type EntityType = Exclude<EventType extends `${infer Word}.${string}` ? Word : never, 'variables'>;
interface EngineEvent {
    readonly event_type: EventType;
    readonly entity_type: EntityType;
    readonly entity_id: string;
    readonly status: EventStatus;
    readonly step_run_id?: string;
    readonly task_run_id?: string;
    readonly iteration?: number;
    readonly attempt?: number;
    readonly parent_id?: string;
    readonly within?: {
        readonly lease: string;
        readonly at: number;
    };
    readonly payload: {
        readonly [key: string]: Json | undefined;
    };
}
interface InputBatch {
    readonly at: number;
    readonly inputs: readonly Input[];
    readonly continueAsNewSuggested?: boolean;
}
interface RerunOrigin {
    readonly execution_id: string;
    readonly step: string;
    readonly step_run_id: string;
    readonly event_id: string;
    readonly digest: string;
    readonly alone?: true;
}
type Trace = readonly InputBatch[];
type Input = {
    readonly type: 'started';
    readonly payload: JsonObject;
    readonly caller?: Caller;
    readonly secrets?: Secrets;
} | {
    readonly type: 'rerun';
    readonly origin: RerunOrigin;
    readonly payload: JsonObject;
    readonly secrets?: Secrets;
    readonly variables: Readonly<Record<string, Json>>;
} | {
    readonly type: 'continued';
} | {
    readonly type: 'taskSettled';
    readonly taskRunId: string;
    readonly outcome: Outcome;
} | {
    readonly type: 'childStarted';
    readonly child: string;
    readonly version?: string;
    readonly digest: string;
} | {
    readonly type: 'childSettled';
    readonly child: string;
    readonly outcome: Outcome;
} | {
    readonly type: 'externalEvent';
    readonly name: string;
    readonly payload: Json;
    readonly id?: string;
    readonly answer?: EventAnswer;
} | {
    readonly type: 'messageIgnored';
    readonly message: string;
    readonly why: string;
} | {
    readonly type: 'limitAnswered';
    readonly answer: LimitAnswer;
} | {
    readonly type: 'chunkStarted';
} | {
    readonly type: 'chunkSettled';
    readonly ref: string;
    readonly settled: ChunkSettled;
    readonly trace?: Trace;
} | {
    readonly type: 'leaseEnded';
    readonly ref: string;
    readonly trace: Trace;
    readonly lost?: Outcome;
} | {
    readonly type: 'chunkTold';
    readonly ref: string;
    readonly trace: Trace;
} | {
    readonly type: 'timerFired';
    readonly key: string;
} | {
    readonly type: 'paused';
    readonly reason?: string;
} | {
    readonly type: 'resumed';
} | {
    readonly type: 'cancelRequested';
    readonly reason?: string;
} | {
    readonly type: 'variablesSet';
    readonly variables: Readonly<Record<string, Json>>;
} | {
    readonly type: 'variablesDeleted';
    readonly names: readonly string[];
};
interface Observer {
    guard?(guard: Template, verdict: boolean, scope: TemplateScope): void;
    admitting?(token: string, state: LiveState): void;
    emitted?(event: EngineEvent, state: LiveState): void;
    applying?(batch: InputBatch, chunk?: string): void;
    between?(interim: () => Interim): void;
    applied?(batch: InputBatch, applied: Applied, chunk?: string): void;
}
interface Interim {
    readonly state: State;
    readonly spent: number;
    readonly commands: readonly Command[];
}
interface Applied {
    readonly commands: readonly Command[];
    readonly events: readonly EngineEvent[];
}
type Evaluator = (template: Template, scope: TemplateScope, environment: TemplateEnvironment, strict?: boolean) => unknown;
declare class EngineError extends CodedError {
    constructor(code: string, message: string, at?: SourcePosition);
}
interface Progress {
    status: ExecutionStatus;
    steps_executed: string[];
    live: LiveToken[];
    tasks_run: number;
    retries: number;
    queued?: Queued;
}
interface Queued {
    of: LimitWait['of'];
    scope: string;
    key: string;
    limit: number | null;
    since: number;
    until: number | null;
    holders: string[];
    ahead: number;
}
interface LiveToken {
    step: string;
    run: number;
    task?: string;
    sink?: string;
    iteration?: number;
    attempt?: number;
    state: 'running' | 'waiting' | 'retrying' | 'queued';
    retry_at?: number;
    child?: {
        execution_id: string;
        path: string;
    };
    wait?: {
        event?: string;
        until?: number;
        form?: WaitForm;
    };
    loop?: {
        done: number;
        total: number;
        failed: number;
        in_flight: number;
    };
}
declare class Machine {
    lends: boolean;
    readonly live: LiveState;
    static create(plan: Plan, executionId: string, at?: number): Machine;
    static from(plan: Plan, state: State): Machine;
    static onLease(plan: Plan, state: State): Machine;
    static forChunk(plan: Plan, chunk: Chunk, at?: number): Machine;
    set evaluator(evaluator: Evaluator);
    apply(batch: InputBatch, observer?: Observer): Applied;
    resume(interim: Omit<Interim, 'state'>, observer?: Observer): Applied;
    advance(batch: InputBatch): readonly Command[];
    progress(): Progress;
    awaited(): AwaitedEvent[];
    get state(): State;
    snapshot(): State;
    get status(): ExecutionStatus;
    get executionId(): string;
    get plan(): Plan;
    resultOf(step: string): Json;
    answer(preferred?: string): {
        readonly step: string;
        readonly result: Json;
    } | undefined;
    secretsIn(value: Json): Secrets | undefined;
    variables(): JsonObject;
}
interface PlaybookInput {
    readonly plan: Plan;
    readonly payload?: JsonObject;
    readonly secrets?: Secrets;
    readonly state?: State;
    readonly rerun?: {
        readonly origin: RerunOrigin;
        readonly variables: JsonObject;
    };
    readonly call?: PlaybookCall;
    readonly returnResult?: true;
    readonly resolver?: ResolverQueue;
}
type ResolverQueue = string;
interface PlaybookCall extends PlaybookRequest {
    readonly returnStep?: string;
    readonly returnResult?: true;
    readonly onlyInputs?: readonly string[];
    readonly detached: boolean;
    readonly caller: Caller;
    readonly callerWorkflowId: string;
}
type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
interface TaskFacts {
    readonly scheduledAt: number;
    readonly startedAt?: number;
    readonly settledAt: number;
    readonly identity?: string;
    readonly tries: number;
}
interface ExecutionOrigin {
    readonly rootWorkflowId: string;
    readonly schedule?: ScheduleMemo;
    readonly trigger?: TriggerMemo;
    readonly labels?: RunLabels;
    readonly memo: Readonly<JsonObject>;
}
interface HistoryStarted {
    readonly type: 'started';
    readonly input: PlaybookInput;
    readonly workflowId: string;
    readonly executionId: string;
    readonly origin: ExecutionOrigin;
    readonly at?: number;
}
interface Window {
    readonly type: 'window';
    readonly eventId: number;
    readonly batches: readonly InputBatch[];
    readonly tasks: ReadonlyMap<string, TaskFacts>;
    readonly commands: RequestedCommands;
}
interface RequestedCommands {
    readonly tasks: Map<string, string>;
    readonly timers: Set<string>;
    readonly children: Set<string>;
    end?: 'complete' | 'fail' | 'cancelled' | 'continueAsNew';
}
interface Reset {
    readonly type: 'reset';
    readonly eventId: number;
    readonly at: number;
    readonly baseRunId: string;
    readonly newRunId: string;
    readonly reason: string;
}
declare const CLOSINGS: readonly [
    'completed',
    'failed',
    'cancelled',
    'terminated',
    'timed_out',
    'continued_as_new'
];
interface Closed {
    readonly type: 'closed';
    readonly eventId: number;
    readonly at: number;
    readonly status: (typeof CLOSINGS)[number];
    readonly reason?: string;
}
type Item = HistoryStarted | Window | Reset | Closed;
interface Divergence {
    readonly history_event_id: number;
    readonly recorded: string | null;
    readonly replayed: string | null;
    readonly message: string;
}
declare const HISTORY_EVENT_TYPES: {
    readonly 'playbook.reset': 'server';
};
type CanonicalEventType = EventType | keyof typeof HISTORY_EVENT_TYPES;
interface CanonicalEvent extends Omit<EngineEvent, 'event_type'> {
    readonly event_type: CanonicalEventType;
    readonly event_id: string;
    readonly name: string;
    readonly execution_id: string;
    readonly timestamp: string;
    readonly seq: number;
    readonly source: 'server' | 'worker';
    readonly trace_id: string;
    readonly duration_ms?: number;
    readonly meta: EventMeta;
}
interface EventMeta {
    readonly occurred_at?: string;
    readonly history_event_id: number;
    readonly engine_version: number;
    readonly worker?: string;
    readonly tries?: number;
    readonly scheduled_at?: string;
    readonly started_at?: string;
}
interface Standstill {
    readonly plan: Plan;
    readonly state: State;
    readonly chunks: Readonly<Record<string, State>>;
    readonly interim?: Pick<Interim, 'spent' | 'commands'>;
}
interface KeyframeRecorder {
    applying(batch: InputBatch, seq: number, standstill: () => Standstill): void;
    between(seq: number, standstill: () => Standstill): void;
    emitted(event: EngineEvent, at: number, state: LiveState): void;
    caused(event: CanonicalEvent): void;
    cut(seq: number): void;
    reset(seq: number): void;
}
type HistoryPart = HistoryEvent | Item;
interface Watcher extends Pick<Observer, 'guard' | 'admitting' | 'applying' | 'applied'> {
    event?(event: EngineEvent, state: LiveState, place: {
        seq: number;
        event_id: string;
    }): void;
    begins?(run: Beginning): void;
}
interface Beginning {
    readonly plan: Plan;
    readonly executionId: string;
    readonly state?: State;
    readonly call?: {
        readonly returnStep?: string;
    };
}
interface DerivationOptions {
    readonly converter?: LoadedDataConverter;
    readonly watcher?: Watcher;
    readonly workflowId?: string;
    readonly bodies?: boolean;
    readonly calls?: boolean;
    readonly silent?: boolean;
    readonly recorder?: KeyframeRecorder;
    readonly progress?: (events: number) => void;
}
declare class Derivation {
    origin: ExecutionOrigin | undefined;
    closed: Closed | undefined;
    divergence: Divergence | undefined;
    constructor(options?: DerivationOptions);
    get state(): State;
    get plan(): Plan;
    callOf(event: CanonicalEvent): TaskCall | undefined;
    get progress(): Progress;
    get lastSeq(): number;
    take(events: readonly HistoryPart[]): Promise<CanonicalEvent[]>;
    pass(events: readonly HistoryEvent[]): Promise<void>;
    portions(events: readonly HistoryPart[], size?: number): AsyncGenerator<CanonicalEvent[], void>;
}
declare function historyFile(file: string): AsyncGenerator<readonly HistoryEvent[], void>;
declare function inChainOrder(files: readonly string[]): Promise<string[]>;
type Pages = AsyncIterable<readonly HistoryEvent[]>;
declare function eventStream(pages: AsyncIterable<readonly HistoryPart[]>, derivation?: Derivation): AsyncGenerator<CanonicalEvent[], void>;
interface RecordedExecution {
    readonly plan: Plan;
    readonly events: readonly CanonicalEvent[];
    readonly state: State;
    readonly closed?: Closed;
    readonly divergence?: Divergence;
}
declare function recordedExecution(pages: Pages | readonly History[], options?: DerivationOptions): Promise<RecordedExecution>;
declare const PROFILE_NAMES: readonly [
    'canonical',
    'formal',
    'extended',
    'noetl'
];
type ProfileName = (typeof PROFILE_NAMES)[number];
type Row = Readonly<Record<string, unknown>>;
type Projection = (event: CanonicalEvent) => readonly Row[];
interface Profile {
    readonly project: () => Projection;
}
declare const PROFILES: Readonly<Record<ProfileName, Profile>>;
interface DocumentError {
    readonly code: string;
    readonly kind?: string;
    readonly message: string;
    readonly step: string | null;
    readonly task: string | null;
    readonly iteration: number | null;
    readonly attempt: number | null;
    readonly at: {
        readonly file: string | null;
        readonly line: number;
        readonly column: number;
    } | null;
    readonly cause?: Json;
}
declare function stateAt(pages: Pages, at: number | string, options?: Pick<DerivationOptions, 'converter'>): Promise<{
    state: State | undefined;
    lastSeq: number;
}>;
type ExplainedDecisionKind = 'start' | 'limit' | 'admission' | 'rule' | 'retry' | 'case' | 'route' | 'join' | 'waiting' | 'loop' | 'write' | 'event' | 'cache' | 'note' | 'failure' | 'control' | 'end';
interface Considered {
    readonly what: string;
    readonly guard: string | null;
    readonly verdict: string;
    readonly won: boolean;
    readonly values?: Readonly<Record<string, Json>>;
    readonly at?: DecisionPlace;
}
interface DecisionPlace {
    readonly file: string | null;
    readonly line: number;
    readonly column: number;
    readonly source?: string;
}
interface ExplainedDecision {
    readonly seq: number;
    readonly timestamp: string;
    readonly kind: ExplainedDecisionKind;
    readonly step: string | null;
    readonly step_run_id: string | null;
    readonly task_run_id: string | null;
    readonly summary: string;
    readonly details: readonly string[];
    readonly considered: readonly Considered[];
    readonly at?: DecisionPlace;
}
interface DecisionSelection {
    readonly step?: string;
    readonly at?: number;
    readonly after?: number;
}
type SourceLines = (line: number) => string | undefined;
interface Explanation {
    readonly execution_id: string;
    readonly playbook: string;
    readonly status: string;
    readonly decisions: readonly ExplainedDecision[];
    readonly divergence?: {
        readonly message: string;
    };
    readonly next_after?: number | null;
}
type ExplainOptions = DerivationOptions & DecisionSelection & {
    readonly most?: number;
    readonly onEvents?: (events: readonly CanonicalEvent[]) => void;
};
declare function explainExecution(pages: AsyncIterable<readonly HistoryPart[]>, lines?: (plan: Plan) => SourceLines | Promise<SourceLines>, { step, at, after, most, onEvents, ...options }?: ExplainOptions): Promise<Explanation>;
interface ExecutionDifference {
    readonly kind: 'execution' | 'step' | 'task' | 'ctx';
    readonly id: string;
    readonly what: string;
    readonly a: Json;
    readonly b: Json;
}
interface Timing {
    readonly id: string;
    readonly a_ms: number;
    readonly b_ms: number;
}
interface ExecutionComparison {
    readonly a: {
        readonly execution_id: string;
        readonly playbook: string;
        readonly status: string;
    };
    readonly b: {
        readonly execution_id: string;
        readonly playbook: string;
        readonly status: string;
    };
    readonly same: boolean;
    readonly differences: readonly ExecutionDifference[];
    readonly timings: readonly Timing[];
}
declare function compareExecutions(a: ComparedExecution, b: ComparedExecution): ExecutionComparison;
interface TaskSummary {
    input?: Json;
    outcome?: Json;
    cached?: Json;
    decision?: Json;
    duration_ms?: number;
}
interface StepSummary {
    args?: Json;
    status?: string;
    error?: Json;
    next?: Json;
    duration_ms?: number;
}
interface ComparedExecution {
    execution_id: string;
    playbook: string;
    digest?: Json;
    workload?: Json;
    result?: Json;
    error?: Json;
    status: string;
    duration_ms?: number;
    readonly steps: Map<string, StepSummary>;
    readonly tasks: Map<string, TaskSummary>;
    readonly ctx: Map<string, Json>;
}
interface ExecutionEnding {
    readonly status: 'completed' | 'failed' | 'cancelled';
    readonly result: Json;
    readonly error: DocumentError | null;
    readonly steps_executed: readonly string[];
    readonly notes: readonly EngineNote[];
}
interface EventsOptions {
    readonly follow?: boolean;
    readonly bodies?: boolean;
    readonly signal?: AbortSignal;
}
declare class PlaybookExecution {
    readonly id: string;
    constructor(client: Client, id: string, file?: string | null);
    result(): Promise<ExecutionEnding>;
    events({ follow, bodies, signal }?: EventsOptions): AsyncGenerator<CanonicalEvent, void>;
    recorded(): Promise<RecordedExecution>;
    pause(reason?: string): Promise<void>;
    resume(): Promise<void>;
    cancel(reason?: string): Promise<void>;
    send(name: string, payload: JsonObject, id: string): Promise<SentEventAnswer | undefined>;
    setVariables(variables: JsonObject): Promise<void>;
    deleteVariables(names: readonly string[]): Promise<void>;
}
type DigitsLost = (literal: string) => void;
interface ValueReference {
    readonly store: string;
    readonly key: string;
    readonly range: string | null;
    readonly size: number;
    readonly checksum: string;
    readonly schema_hint: Json;
}
type ReferenceOrigin = Pick<ValueReference, 'store' | 'key' | 'checksum'>;
interface ResultStore {
    readonly shown: string;
    put(workflowId: string, payload: Payload$1, signal: AbortSignal): Promise<ReferenceOrigin>;
    get(origin: ReferenceOrigin, signal: AbortSignal): Promise<Payload$1 | undefined>;
    save(workflowId: string, name: string, value: object): Promise<void>;
    saved<T>(workflowId: string, name: string): Promise<T | undefined>;
    discard(origins: readonly ReferenceOrigin[]): Promise<void>;
}
interface SealedValues {
    seal(value: Json, executionId: string, signal: AbortSignal): Promise<SecretReference>;
    open(ref: SecretReference, signal: AbortSignal): Promise<Json>;
    check(): void;
}
type OutcomeParts = Partial<Omit<Outcome, 'status' | 'error'>>;
declare function succeeded(result: Json, parts?: OutcomeParts): Outcome;
declare function failedTask(error: OutcomeError, parts?: OutcomeParts): Outcome;
interface ToolFailure {
    readonly kind: ErrorKind;
    readonly code: string;
    readonly message: string;
    readonly retryable?: boolean;
    readonly [more: string]: Json | undefined;
}
declare class ToolError extends CodedError {
    readonly outcome: Outcome;
    constructor(failure: ToolFailure, parts?: OutcomeParts);
    with(meta: JsonObject): ToolError;
}
declare function invalidInput(message: string, code?: string, more?: JsonObject): ToolError;
interface Credential {
    readonly name: string;
    readonly type?: string;
    readonly data: JsonObject;
}
interface CredentialContext {
    readonly execution_id: string;
    readonly grant?: string;
}
interface CredentialResolver {
    resolve(name: string, context: CredentialContext): Promise<Credential>;
}
declare function resolveAuth(call: TaskCall, credentials: CredentialResolver): Promise<Credential | undefined>;
interface ResolvedEntry {
    readonly value: JsonObject;
    readonly secrets: readonly string[];
    readonly source: string;
    readonly expiresAt?: number;
    readonly renewable?: true;
    readonly resolvedAt: number;
}
interface KeptFor {
    readonly entry: SecretEntry;
    readonly grant: string | undefined;
}
interface KeychainCache {
    get(key: string, grant?: string): Promise<ResolvedEntry | undefined>;
    put(key: string, entry: ResolvedEntry, until: number, about: KeptFor): Promise<void>;
    drop(key: string, grant?: string): Promise<void>;
}
declare class Keychain {
    readonly now: () => number;
    constructor(cache?: KeychainCache, now?: () => number);
    resolve(entry: SecretEntry, ask: () => Promise<ResolvedEntry>, grant?: string): Promise<ResolvedEntry>;
    forget(entry: SecretEntry, before: number, grant?: string): Promise<void>;
}
interface SecretSources {
    value(ref: SecretReference): Promise<Json>;
    entry(entry: SecretEntry): Promise<ResolvedEntry>;
    hide(values: readonly string[]): void;
}
interface Log {
    debug(fields: object, message: string): void;
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
}
type Print = (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
interface ToolContext {
    readonly signal: AbortSignal;
    heartbeat(details: Json): void;
    readonly lastHeartbeat?: Json;
    record?(details: Json): Promise<void>;
    handBack?(): never;
    waitFor?<T>(resource: Promise<T>, giveBack?: (resource: T) => void): Promise<T>;
    readonly credentials: CredentialResolver;
    readonly log: Log;
    redact?(text: string): string;
    redactIn?<T>(value: T): T;
    readonly print?: Print;
    readonly results?: ResultStore;
    readonly sealed?: SealedValues;
    readonly keychain?: Keychain;
    readonly traceHeaders?: (url: URL) => Readonly<Record<string, string>>;
    readonly traceId?: () => string | undefined;
    readonly digitsLost?: DigitsLost;
    readonly secrets?: SecretSources;
}
interface SourceMessage extends Pick<TriggerMessage, 'headers' | 'attributes' | 'metadata'> {
    readonly id: string;
    readonly bytes: Uint8Array;
    readonly signature?: string;
}
interface OpenSource {
    take(most: number, waitMs: number): Promise<readonly SourceMessage[]>;
    settle(done: readonly SourceMessage[], back: readonly SourceMessage[]): Promise<void>;
    lag?(): Promise<number | undefined>;
    close(): Promise<void>;
}
interface SourceConnection {
    readonly id: string;
    readonly path: string;
    readonly spec: JsonObject;
    readonly credential: {
        readonly name: string;
        readonly type?: string;
        readonly data: JsonObject;
    };
    readonly databaseUrl: string;
    readonly resultOf: (executionId: string) => Promise<unknown>;
}
interface Source {
    readonly name: string;
    readonly shared: boolean;
    readonly holds?: true;
    open(connection: SourceConnection, signal: AbortSignal): Promise<OpenSource>;
}
interface Extension {
    readonly name: string;
    readonly kinds: Readonly<Record<string, ExtensionKind>>;
    readonly sources?: Readonly<Record<string, ExtensionSource>>;
}
interface ExtensionSource extends Omit<Source, 'name'> {
    readonly fields: Readonly<Record<string, string>>;
    readonly required?: readonly string[];
}
interface ExtensionKind extends Partial<Omit<ToolKind, 'closed' | 'spec' | 'heartbeat' | 'required' | 'respondsOverHttp'>> {
    readonly doc: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly required?: readonly (string | readonly string[])[];
    readonly timeout?: number;
    run(call: TaskCall, context: ToolContext): Promise<Outcome>;
    close?(): Promise<void>;
}
declare function defineExtension(extension: Extension): Extension;
interface Deadline {
    readonly signal: AbortSignal;
    readonly seconds: number;
    remaining(): number;
    reason(parts?: OutcomeParts): ToolError | undefined;
    readonly check: () => void;
}
declare function withDeadline(call: TaskCall, signal: AbortSignal, work: (deadline: Deadline) => Promise<Outcome>): Promise<Outcome>;
declare function field(config: JsonObject, ...names: string[]): Json | undefined;
declare function textField(call: TaskCall, ...names: string[]): string | undefined;
declare function booleanField(call: TaskCall, names: readonly string[], otherwise: boolean): boolean;
declare function numberField(call: TaskCall, names: readonly string[], otherwise: number): number;
declare function mappingField(call: TaskCall, ...names: string[]): JsonObject | undefined;
type Severity = 'error' | 'warning' | 'info';
interface CodeEntry {
    readonly severity: Severity;
    readonly strict?: true;
    readonly title: string;
    readonly explanation: string;
}
declare const CODES: {
    readonly NT3001: CodeEntry;
    readonly NT3002: CodeEntry;
    readonly NT3003: CodeEntry;
    readonly NT3004: CodeEntry;
    readonly NT3005: CodeEntry;
    readonly NT3006: CodeEntry;
    readonly NT3007: CodeEntry;
    readonly NT3008: CodeEntry;
    readonly NT3009: CodeEntry;
    readonly NT3010: CodeEntry;
    readonly NT3011: CodeEntry;
    readonly NT3012: CodeEntry;
    readonly NT3013: CodeEntry;
    readonly NT3014: CodeEntry;
    readonly NT3015: CodeEntry;
    readonly NT3016: CodeEntry;
    readonly NT3017: CodeEntry;
    readonly NT3018: CodeEntry;
    readonly NT3019: CodeEntry;
    readonly NT3020: CodeEntry;
    readonly NT3021: CodeEntry;
    readonly NT3022: CodeEntry;
    readonly NT3023: CodeEntry;
    readonly NT3024: CodeEntry;
    readonly NT3025: CodeEntry;
    readonly NT3026: CodeEntry;
    readonly NT3027: CodeEntry;
    readonly NT3028: CodeEntry;
    readonly NT3029: CodeEntry;
    readonly NT3030: CodeEntry;
    readonly NT3031: CodeEntry;
    readonly NT7001: CodeEntry;
    readonly NT7002: CodeEntry;
    readonly NT7003: CodeEntry;
    readonly NT7004: CodeEntry;
    readonly NT7005: CodeEntry;
    readonly NT7006: CodeEntry;
    readonly NT7007: CodeEntry;
    readonly NT7008: CodeEntry;
    readonly NT7010: CodeEntry;
    readonly NT7009: CodeEntry;
    readonly NT3101: CodeEntry;
    readonly NT3102: CodeEntry;
    readonly NT3103: CodeEntry;
    readonly NT3104: CodeEntry;
    readonly NT3105: CodeEntry;
    readonly NT3106: CodeEntry;
    readonly NT3107: CodeEntry;
    readonly NT3108: CodeEntry;
    readonly NT3109: CodeEntry;
    readonly NT3110: CodeEntry;
    readonly NT2001: CodeEntry;
    readonly NT2002: CodeEntry;
    readonly NT2003: CodeEntry;
    readonly NT2004: CodeEntry;
    readonly NT2005: CodeEntry;
    readonly NT2006: CodeEntry;
    readonly NT2007: CodeEntry;
    readonly NT2010: CodeEntry;
    readonly NT2011: CodeEntry;
    readonly NT2012: CodeEntry;
    readonly NT2013: CodeEntry;
    readonly NT2014: CodeEntry;
    readonly NT2015: CodeEntry;
    readonly NT2016: CodeEntry;
    readonly NT2017: CodeEntry;
    readonly NT2018: CodeEntry;
    readonly NT2020: CodeEntry;
    readonly NT2021: CodeEntry;
    readonly NT2022: CodeEntry;
    readonly NT2023: CodeEntry;
    readonly NT2024: CodeEntry;
    readonly NT2025: CodeEntry;
    readonly NT2026: CodeEntry;
    readonly NT2030: CodeEntry;
    readonly NT2031: CodeEntry;
    readonly NT2032: CodeEntry;
    readonly NT2033: CodeEntry;
    readonly NT2034: CodeEntry;
    readonly NT2035: CodeEntry;
    readonly NT2036: CodeEntry;
    readonly NT2037: CodeEntry;
    readonly NT2038: CodeEntry;
    readonly NT2040: CodeEntry;
    readonly NT2041: CodeEntry;
    readonly NT2050: CodeEntry;
    readonly NT2051: CodeEntry;
    readonly NT2052: CodeEntry;
    readonly NT2053: CodeEntry;
    readonly NT2054: CodeEntry;
    readonly NT2055: CodeEntry;
    readonly NT2056: CodeEntry;
    readonly NT2057: CodeEntry;
    readonly NT2058: CodeEntry;
    readonly NT2059: CodeEntry;
    readonly NT2060: CodeEntry;
    readonly NT2061: CodeEntry;
    readonly NT2062: CodeEntry;
    readonly NT2063: CodeEntry;
    readonly NT2070: CodeEntry;
    readonly NT2080: CodeEntry;
    readonly NT2096: CodeEntry;
    readonly NT2097: CodeEntry;
    readonly NT2090: CodeEntry;
    readonly NT2091: CodeEntry;
    readonly NT2098: CodeEntry;
    readonly NT2092: CodeEntry;
    readonly NT1001: CodeEntry;
    readonly NT1002: CodeEntry;
    readonly NT1003: CodeEntry;
    readonly NT1004: CodeEntry;
    readonly NT1005: CodeEntry;
    readonly NT1006: CodeEntry;
    readonly NT1007: CodeEntry;
    readonly NT1008: CodeEntry;
    readonly NT1009: CodeEntry;
    readonly NT1010: CodeEntry;
    readonly NT1011: CodeEntry;
    readonly NT1012: CodeEntry;
    readonly NT1013: CodeEntry;
    readonly NT1014: CodeEntry;
    readonly NT1015: CodeEntry;
    readonly NT4001: CodeEntry;
    readonly NT4002: CodeEntry;
    readonly NT4003: CodeEntry;
    readonly NT4005: CodeEntry;
    readonly NT4006: CodeEntry;
    readonly NT4007: CodeEntry;
    readonly NT4008: CodeEntry;
    readonly NT4009: CodeEntry;
    readonly NT4010: CodeEntry;
    readonly NT4011: CodeEntry;
    readonly NT4012: CodeEntry;
    readonly NT4013: CodeEntry;
    readonly NT4101: CodeEntry;
    readonly NT4102: CodeEntry;
    readonly NT4103: CodeEntry;
    readonly NT4104: CodeEntry;
    readonly NT4113: CodeEntry;
    readonly NT4114: CodeEntry;
    readonly NT5001: CodeEntry;
    readonly NT5002: CodeEntry;
    readonly NT5003: CodeEntry;
    readonly NT5004: CodeEntry;
    readonly NT5005: CodeEntry;
    readonly NT5006: CodeEntry;
    readonly NT5007: CodeEntry;
    readonly NT5008: CodeEntry;
    readonly NT5009: CodeEntry;
    readonly NT5010: CodeEntry;
    readonly NT5011: CodeEntry;
    readonly NT5012: CodeEntry;
    readonly NT5013: CodeEntry;
    readonly NT5014: CodeEntry;
    readonly NT5015: CodeEntry;
    readonly NT6001: CodeEntry;
    readonly NT6002: CodeEntry;
    readonly NT6003: CodeEntry;
    readonly NT6004: CodeEntry;
    readonly NT6005: CodeEntry;
    readonly NT6006: CodeEntry;
};
type DiagnosticCode = keyof typeof CODES;
interface Diagnostic {
    readonly code: DiagnosticCode;
    readonly severity: Severity;
    readonly message: string;
    readonly file?: string;
    readonly line: number;
    readonly column: number;
    readonly endLine: number;
    readonly endColumn: number;
    readonly path: string;
    readonly hint?: string;
    readonly fix?: Fix;
}
interface Edit {
    readonly start: number;
    readonly end: number;
    readonly text: string;
}
interface Fix {
    readonly what: string;
    readonly edits: readonly Edit[];
    readonly reshapes?: true;
}
interface OlderForm {
    readonly line: number;
    readonly column: number;
    readonly written: string;
    readonly hint?: string;
    readonly fix?: Fix;
}
type ToolKinds = ReadonlyMap<string, ToolKind>;
interface KnownPlaybooks {
    has(path: string): boolean;
    paths(): Iterable<string>;
    inputsOf?(path: string): PlanInputs | undefined;
    readonly partial?: true;
}
interface CodeBlock {
    readonly text: string;
    problem(line: number, column: number, message: string): Diagnostic;
}
interface CompileOptions {
    readonly file?: string;
    readonly strict?: boolean;
    readonly entry?: PlanSource['catalog'];
    readonly catalog?: KnownPlaybooks;
    readonly fixes?: boolean;
    readonly kinds?: ToolKinds;
}
interface Compiled {
    readonly plan?: Plan;
    readonly diagnostics: Diagnostic[];
    readonly older?: readonly OlderForm[];
    readonly code?: readonly CodeBlock[];
}
declare function compile(text: string, options?: CompileOptions): Compiled;
declare function formatDiagnostics(diagnostics: readonly Diagnostic[], text: string, options?: {
    readonly color?: boolean;
}): string;
type SchemaJson = Readonly<Record<string, unknown>>;
declare function playbookSchema(extensions?: ToolKinds): SchemaJson;
interface UpgradeNote {
    readonly line: number;
    readonly column: number;
    readonly message: string;
    readonly hint?: string;
    readonly why?: string;
}
interface Upgraded {
    readonly text: string;
    readonly rewrites: number;
    readonly notes: readonly UpgradeNote[];
}
declare function upgrade(text: string): Upgraded;
declare function checkPayload(plan: Plan, payload: JsonObject): readonly WrongInput[];
interface Mark {
    readonly batch: number;
    readonly position: number;
    readonly at: number;
}
interface Happening {
    readonly at: number;
    readonly input: Input;
    readonly mark?: Mark;
    readonly isCancelled?: boolean;
}
type Pick$1 = (happenings: readonly Happening[]) => Happening;
interface OtherExecution {
    readonly execution: string;
    readonly arrives: number;
    readonly ends?: number;
}
interface WorldAnswer {
    readonly outcome: Outcome;
    readonly after: number;
    readonly mark?: Mark;
    readonly started?: {
        readonly version?: string;
        readonly digest: string;
    };
}
interface LimitAnswers {
    readonly delivered: WorldAnswer | undefined;
    readonly answers: readonly Happening[];
}
type Awaited = {
    readonly type: 'timer';
    readonly key: string;
    readonly deadline: number;
} | {
    readonly type: 'chunkStart' | 'chunkEnd';
    readonly chunk: string;
} | {
    readonly type: 'continued';
};
interface Due {
    readonly at: number;
    readonly mark?: Mark;
    readonly isCancelled?: boolean;
}
interface Next {
    readonly at: number;
    readonly happenings: readonly Happening[];
    readonly inputs: readonly Input[];
    readonly continueAsNewSuggested?: boolean;
}
interface World {
    answer(call: TaskCall, at: number): WorldAnswer | undefined;
    keychain?(call: TaskCall, at: number): WorldAnswer | undefined;
    limit?(call: TaskCall, at: number): LimitAnswers | undefined;
    cancelled?(call: TaskCall, at: number): WorldAnswer;
    due?(awaited: Awaited, at: number): Due | undefined;
    next?(happenings: readonly Happening[], at: number): Next | undefined;
    within?(chunk: string): World;
}
type WorldFailure = Extract<Command, {
    type: 'fail';
}>['error'];
interface SimulateOptions {
    readonly payload?: JsonObject;
    readonly first?: readonly Input[];
    readonly state?: State;
    readonly executionId?: string;
    readonly startAt?: number;
    readonly messages?: readonly {
        readonly after: number;
        readonly input: Input;
    }[];
    readonly others?: readonly OtherExecution[];
    readonly pick?: Pick$1;
    readonly persist?: boolean;
    readonly inject?: Readonly<Record<number, readonly Input[]>>;
    readonly maxBatches?: number;
    readonly unanswered?: 'stop' | 'open';
    readonly observer?: Observer;
    readonly evaluator?: Evaluator;
    readonly isLean?: boolean;
}
interface Simulated {
    readonly state: State;
    readonly events: readonly EngineEvent[];
    readonly calls: readonly TaskCall[];
    readonly result: Json | undefined;
    readonly error: WorldFailure | undefined;
    readonly elapsed: number;
    readonly batches: number;
    readonly end: 'complete' | 'fail' | 'cancelled' | 'stuck';
}
declare function simulatePlan(plan: Plan, world: World, options?: SimulateOptions): Simulated;
export { CodedError, Derivation, EngineError, EnvironmentError, Machine, PROFILES, PROFILE_NAMES, PlaybookExecution, ToolError, booleanField, checkPayload, compareExecutions, compile, defineExtension, eventStream, explainExecution, failedTask, field, formatDiagnostics, historyFile, inChainOrder, invalidInput, mappingField, newExecutionId, numberField, playbookSchema, recordedExecution, resolveAuth, simulatePlan, stateAt, succeeded, textField, upgrade, withDeadline };
export type { Applied, CanonicalEvent, CanonicalEventType, Closed, Command, CompileOptions, Compiled, Credential, CredentialType, Deadline, DerivationOptions, Diagnostic, Divergence, EngineEvent, ErrorKind, EventsOptions, ExecutionComparison, ExecutionEnding, Explanation, Extension, ExtensionKind, ExtensionSource, FieldShape, FieldType, Input, InputBatch, Json, JsonObject, KindMock, Log, MockedCall, OpenSource, Outcome, OutcomeError, Pages, Payload, Plan, ProfileName, RecordedExecution, SentEventAnswer, Severity, SimulateOptions, Simulated, SourceConnection, SourceMessage, State, TaskCall, ToolContext, ToolFailure, Upgraded, World, WorldAnswer, WrongInput };
