/** A trigger: messages of a source that become executions. Compiled from `kind: Subscription` (docs/triggers.md). */
import { type Template } from '../../template/ir';
import { type Json, type JsonObject } from '../json';
import { type RunLabels } from '../labels';
import { type PlanValue } from '../value';

export interface TriggerPlan {
  readonly metadata: {
    readonly path: string;
    readonly name: string;
    readonly version?: string;
    /** Of the executions that it starts. */
    readonly labels?: RunLabels;
  };
  /** `webhook`, `postgres`, …, or the source of an extension. */
  readonly source: string;
  /** Pushed messages come to the facade; others are taken by a process of triggers. */
  readonly mode: 'pull' | 'push';
  /** The keys of its source, as written. */
  readonly connection: JsonObject;
  /** The credential for the source. */
  readonly auth?: string;
  /** Messages taken at once. */
  readonly batch: number;
  /** How long one take waits for the first of them. */
  readonly waitMs: number;
  /** Takers of one process. */
  readonly workers: number;
  readonly ingress?: IngressPlan;
  readonly dispatch: TriggerDispatch;
  readonly directives: readonly TriggerDirective[];
  /** Whether an execution continues the trace of its message; the keys of baggage that go with it. */
  readonly trace?: { readonly baggage: readonly string[] };
  /** How long a key is remembered; absent: as long as possible. */
  readonly windowSecs?: number;
  readonly limits: { readonly inFlight?: number; readonly perSecond?: number };
  readonly keepDeadSecs: number;
}

/** A registered trigger, with the plan of its latest version. */
export interface KnownTrigger {
  readonly id: string;
  readonly plan: TriggerPlan;
}

export interface TriggerDispatch {
  readonly playbook: string;
  readonly version?: string;
  readonly payloadFrom: string;
  /** The pool of workers of all tasks that name none. */
  readonly pool?: string;
  /** Executions of one batch that are started at the same time; 1: in the order of the messages. */
  readonly atOnce: number;
  /** Takes the place of what `payloadFrom` says. */
  readonly workload?: PlanValue;
  readonly where?: Template;
  readonly key?: Template;
}

export interface IngressPlan {
  /** What follows `/ingress/` in its address. */
  readonly listener: string;
  readonly verify: VerifyPlan;
  readonly maxBytes: number;
  /** `result`: the answer waits for the end of the execution, so long at most. */
  readonly respondMs?: number;
}

export interface VerifyPlan {
  readonly type: 'hmac' | 'bearer' | 'basic' | 'pubsub_oidc';
  /** The credential; of `pubsub_oidc` there is none. */
  readonly secret: string;
  readonly header: string;
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  /** Before the signature. */
  readonly prefix: string;
  /** What is signed: `{id}`, `{timestamp}` and `{body}`. */
  readonly signed: string;
  /** Where the time is; undefined: none is signed. `t=` in the header of the signature itself: `""`. */
  readonly timestampHeader?: string;
  /** Where the id is, signed or not. */
  readonly idHeader?: string;
  /** How far that time may be from now. */
  readonly toleranceSecs: number;
  /** Of `pubsub_oidc`: for whom the token is, whose it is, who issues it, and where the issuer's keys are. */
  readonly audience?: string;
  readonly serviceAccount?: string;
  readonly issuer?: string;
  readonly keysUrl?: string;
  /** Whether the sender asks for a word back before it sends messages. */
  readonly challenge?: true;
}

export interface TriggerDirective {
  /** In lower case. */
  readonly header: string;
  readonly controls: string;
  readonly allowed?: readonly string[];
  readonly map?: Readonly<Record<string, string>>;
}

/** A message, the same from every source; as the workload of an execution has it. */
export interface TriggerMessage {
  readonly id: string;
  /** JSON, if the body is that; else its text. */
  readonly data: Json;
  /** Names in lower case; repeated ones are lists. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly attributes: JsonObject;
  readonly metadata: JsonObject;
}

/** In the memo of an execution that a message started: `noetl_trigger`. */
export interface TriggerMemo {
  readonly id: string;
  readonly path: string;
  readonly source: string;
  readonly message_id: string;
  readonly key: string;
  /** Triggers that led to the message, if it is the end of an execution. */
  readonly chain?: readonly string[];
}
