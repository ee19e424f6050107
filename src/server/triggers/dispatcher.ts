/** From a message to its execution, or to the dead letters. */
import { CodedError } from '../../language/errors';
import { type KnownTrigger, type TriggerMemo, type TriggerPlan } from '../../language/plan';
import { type MessageStart, messageStart } from '../../language/plan/triggers/mapping';
import { type DeadLetters } from './dead-letters';
import { MAX_KEY, messageOfSource, storableKey } from './envelope';
import { type SourceMessage } from './source';

export interface StartRequest {
  readonly start: MessageStart;
  readonly memo: TriggerMemo;
  readonly windowSecs: number;
  /** Of `SourceMessage`. */
  readonly signature: string | undefined;
}

/** What became of a message; `dead`: no repetition can succeed until somebody changes something. */
export type MessageOutcome = 'started' | 'duplicate' | 'filtered' | 'dead';

export interface Dispatched {
  readonly outcome: MessageOutcome;
  readonly executionId?: string;
  /** Why it is dead. */
  readonly refused?: { readonly code: string; readonly message: string };
}

/** Starts the execution of a message, once. @throws whatever says that nothing can be started now */
export type StartMessage = (request: StartRequest) => Promise<Dispatched>;

/** What a message would start, for a dry test. @throws CodedError of the message, or of a template */
export function plannedStart(plan: TriggerPlan, message: SourceMessage): MessageStart | undefined {
  return messageStart(plan, messageOfSource(message), { now: Date.now, random: Math.random });
}

const WEEK_SECS = 7 * 86_400;

export class Dispatcher {
  constructor(
    private readonly start: StartMessage,
    private readonly dead: DeadLetters,
    private readonly counted: (trigger: KnownTrigger, outcome: MessageOutcome) => void = () => undefined,
  ) {}

  /** One that cannot be started becomes a dead letter. @throws if nothing can be started, or kept, now */
  async dispatch(trigger: KnownTrigger, message: SourceMessage): Promise<Dispatched> {
    const done = await this.attempt(trigger, message);
    if (done.refused) await this.dead.add(trigger, message, done.refused);
    this.counted(trigger, done.outcome);
    return done;
  }

  private async attempt({ id, plan }: KnownTrigger, message: SourceMessage): Promise<Dispatched> {
    let start: MessageStart | undefined;
    try {
      start = plannedStart(plan, message);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return { outcome: 'dead', refused: error };
    }
    if (!start) return { outcome: 'filtered' };
    const { source, mode, metadata, windowSecs = WEEK_SECS } = plan;
    const chain = source === 'playbook' ? (message.metadata['chain'] as string[]) : [];
    const memo: TriggerMemo = {
      id,
      path: metadata.path,
      source,
      message_id: message.id.slice(0, MAX_KEY),
      key: storableKey(start.key ?? message.id),
      ...(chain.length > 0 && { chain }),
    };
    // An id that the source gave is no other message's, however late it is delivered again.
    const isOwn = start.key === undefined && mode === 'pull';
    const { signature } = message;
    return await this.start({ start, memo, windowSecs: isOwn ? WEEK_SECS : windowSecs, signature });
  }
}
