/** What the profile `noetl` remembers of an execution: its steps and commands that are open, and the numbers of rows. */
import { compact, isMapping } from '../../language/plan';
import { type CanonicalEvent } from '../events';
import { type Row } from './profile';

export interface NoetlRow {
  readonly row: Row;
  /** The `seq` of the event that has its result. */
  readonly of?: number;
}

type Fields = Readonly<Record<string, unknown>>;

interface Result {
  readonly result: unknown;
  readonly of: number;
}

interface Command {
  readonly step: string;
  /** The number of its `command.issued`. */
  readonly issued: string;
  /** What all its events say. */
  context: Fields;
  calls: number;
  last?: Result & {
    readonly failed: boolean;
    readonly status_code: unknown;
    readonly duration: number | undefined;
  };
}

interface About {
  readonly node?: readonly [id: string, name: string];
  readonly type?: unknown;
  /** Its `error` is that of the row. */
  readonly context?: Fields;
  readonly from?: Result | undefined;
  readonly parent?: string | undefined;
  readonly duration?: number | undefined;
}

export const STEP_ROW = { type: 'step' };
export const WORKFLOW_ROW = { node: ['workflow', 'workflow'], type: 'workflow' } as const;
export const playbookRow = (path: string): About => ({ node: ['playbook', path], type: 'execution' });

const WORDS: Partial<Record<CanonicalEvent['status'], string>> = { success: 'completed', error: 'failed' };

export class Telling {
  readonly entered = new Map<string, string>();
  readonly loops = new Set<string>();
  private readonly commands = new Map<string, Command>();
  private readonly origin: Record<string, unknown> = { catalog_id: null, parent_execution_id: null };
  private failed: Command | undefined;
  end: { readonly word: string; readonly about: About } = { word: 'failed', about: {} };
  private rows: NoetlRow[] = [];
  private event!: CanonicalEvent;
  private last = 0;

  /** @returns the rows that `tell` makes of the event */
  during(event: CanonicalEvent, tell: (log: Telling, event: CanonicalEvent) => void): readonly NoetlRow[] {
    this.rows = [];
    this.event = event;
    tell(this, event);
    return this.rows;
  }

  /** @returns its number */
  row(event_type: string, status: string, about: About): string {
    const { execution_id, timestamp, seq } = this.event;
    const step = eventStep(this.event);
    const { node = [step, step], type = null, context = {}, from, parent, duration = null } = about;
    const event_id = String(++this.last);
    const returned = contextOf(from?.result);
    const { command_id, iteration_index } = context;
    const row: Row = {
      ...{
        execution_id,
        event_id,
        event_type,
        node_id: node[0],
        node_name: node[1],
        node_type: type,
        status,
      },
      ...{ created_at: timestamp, timestamp, context },
      result: { status, ...returned },
      error: context['error'] ?? null,
      ...this.origin,
      parent_event_id: parent ?? (event_id === '1' ? null : '1'),
      // In milliseconds.
      duration,
      meta: { seq, ...compact({ command_id, iteration_index }) },
    };
    this.rows.push({ row, ...(returned && { of: from!.of }) });
    return event_id;
  }

  began({ catalog_id, caller }: CanonicalEvent['payload']): void {
    if (catalog_id !== undefined) this.origin['catalog_id'] = catalog_id;
    if (isMapping(caller)) this.origin['parent_execution_id'] = caller['execution_id'];
  }

  called(event: CanonicalEvent): void {
    const { kind = null, child, role } = event.payload;
    if (role === 'sink') return;
    const command = this.commandOf(event, kind);
    const child_execution_id = isMapping(child) ? child['execution_id'] : undefined;
    command.context = { ...command.context, tool_kind: kind, ...compact({ child_execution_id }) };
    delete command.last;
    if (command.calls++ === 0) this.tell('command.started', 'STARTED', command);
  }

  answered(event: CanonicalEvent): void {
    const { payload, seq: of, duration_ms: duration } = event;
    const command = this.commands.get(keyOf(event));
    if (!command || payload['role'] === 'sink' || !isMapping(payload['outcome'])) return;
    const { result, http, error } = payload['outcome'];
    const status_code = isMapping(http) ? http['status'] : isMapping(error) ? error['status'] : undefined;
    const failed = event.event_type === 'task.failed';
    command.last = { result, of, failed, status_code, duration };
  }

  iterated(event: CanonicalEvent): void {
    const { task_run_id, payload, status, seq: of } = event;
    const from = { result: payload['result'], of };
    if (task_run_id === undefined)
      this.ended(keyOf(event), event, (WORDS[status] ?? status).toUpperCase(), from);
  }

  /** Of a claim nothing else tells the end. */
  claimed(event: CanonicalEvent): void {
    const key = keyOf(event);
    if (key.endsWith('}') && event.status === 'success')
      this.ended(key, event, 'COMPLETED', this.commands.get(key)?.last);
  }

  left(event: CanonicalEvent, status: string): void {
    const run = event.step_run_id!;
    const from = this.commands.get(run)?.last;
    if (!this.loops.delete(run)) this.ended(run, event, status, from);
    // Claims that fail, or are in progress when their loop ends.
    for (const [key, { last }] of this.commands)
      if (key.startsWith(`${run}{`)) this.ended(key, event, last?.failed ? status : 'CANCELLED', last);
    const context = status === 'FAILED' ? this.causeOf(event, eventStep(event)) : {};
    const { duration_ms: duration } = event;
    this.row('step.exit', status, { ...STEP_ROW, from, context, duration, parent: this.entered.get(run) });
    this.entered.delete(run);
  }

  finished(event: CanonicalEvent): void {
    this.cut();
    const { status, payload, seq: of, duration_ms: duration } = event;
    const word = WORDS[status] ?? 'cancelled';
    const failed_step = isMapping(payload['error']) ? payload['error']['step'] : undefined;
    const reason = payload['reason'] ?? undefined;
    const cause = this.causeOf(event, failed_step);
    const context = { ...cause, ...compact({ failed_step, reason }) };
    const about = { context, from: { result: payload['result'], of } };
    this.end = { word, about };
    if (word !== 'cancelled')
      this.row(`workflow.${word}`, word.toUpperCase(), { ...WORKFLOW_ROW, ...about, duration });
  }

  /** Nothing answers what is still called. */
  cut(): void {
    for (const command of this.commands.values())
      this.tell('command.failed', 'CANCELLED', command, { context: { error: 'cancelled' } });
    this.commands.clear();
  }

  private ended(key: string, event: CanonicalEvent, status: string, from: Result | undefined): void {
    const isFailure = status === 'FAILED';
    // What fails before it calls anything was issued too.
    const command = this.commands.get(key) ?? (isFailure ? this.commandOf(event) : undefined);
    if (!command) return;
    this.commands.delete(key);
    const { last, calls, context } = command;
    const call_index = Math.max(0, calls - 1);
    const { status_code, duration } = last ?? {};
    command.context = {
      ...context,
      call_index,
      ...compact({ status_code }),
      ...errorOf(event),
    };
    if (isFailure) this.failed = command;
    if (isFailure || (calls > 0 && status === 'COMPLETED'))
      this.tell(isFailure ? 'call.error' : 'call.done', status, command, { from, duration });
    const isCut = isFailure || status === 'CANCELLED';
    this.tell(isCut ? 'command.failed' : 'command.completed', status, command);
  }

  /** What is known of a failure of a step. */
  private causeOf(event: CanonicalEvent, step: unknown): Fields {
    const cause = this.failed?.step === step && this.failed?.context;
    return { ...cause, ...errorOf(event) };
  }

  private commandOf(event: CanonicalEvent, tool_kind: unknown = null): Command {
    const key = keyOf(event);
    const open = this.commands.get(key);
    if (open) return open;
    const step = eventStep(event);
    const index = /\[(\d+)\]$/.exec(key)?.[1];
    const command_id = `${event.execution_id}:${step}:${this.last + 1}${index === undefined ? '' : `:i${index}`}`;
    const context = { command_id, tool_kind, ...(index !== undefined && { iteration_index: Number(index) }) };
    const parent = this.entered.get(event.step_run_id!);
    const issued = this.row('command.issued', 'PENDING', { type: tool_kind, context, parent });
    const command = { step, issued, context, calls: 0 };
    this.commands.set(key, command);
    return command;
  }

  private tell(type: string, status: string, { step, issued, context }: Command, about: About = {}): void {
    const of = { node: [step, step], type: context['tool_kind'], parent: issued } as const;
    this.row(type, status, { ...about, ...of, context: { ...context, ...about.context } });
  }
}

/** The name of the event's step; of what else it is about. */
export function eventStep({
  step_run_id,
  entity_id,
}: Pick<CanonicalEvent, 'step_run_id' | 'entity_id'>): string {
  return step_run_id === undefined ? entity_id : step_run_id.slice(0, step_run_id.lastIndexOf('#'));
}

/** The run of a step, or its iteration; that of a loop within a task belongs to it. */
function keyOf({ step_run_id = '', task_run_id, iteration }: CanonicalEvent): string {
  if (task_run_id !== undefined)
    return step_run_id + (/^(\[\d+\]|\{\d+\})/.exec(task_run_id.slice(step_run_id.length))?.[0] ?? '');
  return iteration === undefined ? step_run_id : `${step_run_id}[${iteration}]`;
}

function contextOf(result: unknown): { context: object } | undefined {
  if (result === undefined || result === null) return undefined;
  return { context: isMapping(result) ? result : { data: result } };
}

function errorOf({ payload: { error } }: CanonicalEvent): object {
  return isMapping(error)
    ? compact({ error: error['message'], error_code: error['code'], error_kind: error['kind'] })
    : {};
}
