/**
 * Runs another version in lockstep with the recorded run, batch by batch, on the same inputs. While both decide the same, the
 * world is the same, so nothing of the run has to be kept. Once they diverge, be it only in an order or a timer, lockstep
 * stops: a verdict then requires the whole recording (`verdictOn`).
 */
import {
  type Applied,
  type InputBatch,
  type Command,
  EngineError,
  type Input,
  Machine,
} from '../../../engine/machine';
import { type Plan } from '../../../language/plan';
import { Coverage, type Touches } from '../coverage';
import { Decider, limitsText } from '../decisions';
import { Renamed } from '../recording';
import { type Beginning } from '../../../history';
import { refusalBy } from './refusals';

/** Inputs of a run of which parts are in other workflows or processes, or that a limit holds back. */
const ELSEWHERE: ReadonlySet<Input['type']> = new Set([
  'chunkSettled',
  'chunkTold',
  'leaseEnded',
  'limitAnswered',
]);
/** Commands compared only by type: their content is compared as a decision. */
const DECIDED: ReadonlySet<Command['type']> = new Set(['complete', 'fail', 'cancelled', 'continueAsNew']);

export class Lockstep {
  private machine: Machine | undefined;
  private beginning: Beginning | undefined;
  private readonly recorded = new Decider(false);
  private readonly anew = new Decider(false);
  private readonly coverage = new Coverage();
  /** Calls in flight. */
  private readonly open = new Set<string>();
  private inputs: readonly Input[] = [];
  private isOver = false;
  /** Whether the other version has behaved the same so far. */
  isTogether = true;
  /** Upper limit of the state kept between batches. */
  most = 0;

  constructor(private readonly plan: Plan) {}

  /** Undefined after a divergence. */
  get touches(): Touches | undefined {
    const isSettled = !this.isOver || this.open.size === 0;
    return this.isTogether && this.machine && isSettled ? this.coverage.touches : undefined;
  }

  begins(beginning: Beginning): void {
    // A continuation starts from its own state.
    if (this.machine) return;
    const { plan, executionId, state } = beginning;
    this.beginning = beginning;
    if (!new Renamed(plan, this.plan).isEmpty) return this.part();
    this.machine = this.attempt(() =>
      state ? Machine.from(this.plan, structuredClone(state)) : Machine.create(this.plan, executionId),
    );
  }

  applying({ inputs }: InputBatch, chunk = ''): void {
    if (chunk || inputs.some((one) => ELSEWHERE.has(one.type) || this.isRefused(one))) this.part();
    // The recorded run keeps parts of them.
    if (this.isTogether) this.inputs = structuredClone(inputs);
  }

  private isRefused(first: Input): boolean {
    return first.type === 'started' && refusalBy({ ...this.beginning!, first }, this.plan) !== undefined;
  }

  applied(batch: InputBatch, applied: Applied): void {
    const own = this.attempt(() => this.advance(batch));
    if (!own || !this.isTogether) return;
    this.recorded.take(batch.at, applied);
    this.anew.take(batch.at, own);
    const [was, is] = [this.recorded.drain(), this.anew.drain()];
    const isSame =
      was.length === is.length &&
      was.every(({ key, value, sent }, n) => {
        const other = is[n]!;
        return key === other.key && value === other.value && sent === other.sent;
      });
    if (!isSame || askedIn(applied) !== askedIn(own)) return this.part();
    this.note(own);
  }

  private advance({ at, continueAsNewSuggested }: InputBatch): Applied {
    const { inputs } = this;
    if (this.isBegun && inputs.some(({ type }) => type === 'continued'))
      this.machine = Machine.from(this.plan, structuredClone(this.machine!.state));
    this.isBegun = true;
    const batch = { at, inputs, ...(continueAsNewSuggested && { continueAsNewSuggested }) };
    return this.machine!.apply(batch);
  }

  private isBegun = false;

  private note({ commands, events }: Applied): void {
    this.coverage.take(events);
    for (const input of this.inputs) {
      if (input.type === 'taskSettled') this.open.delete(input.taskRunId);
      else if (input.type === 'childSettled' || input.type === 'childStarted') this.open.delete(input.child);
    }
    for (const command of commands) {
      if (command.type === 'runTask') this.open.add(command.call.task_run_id);
      else if (command.type === 'runPlaybook') this.open.add(command.child);
      else if (DECIDED.has(command.type)) this.isOver ||= command.type !== 'continueAsNew';
    }
    this.most = Math.max(this.most, this.open.size + this.recorded.held + this.anew.held);
  }

  /** @returns undefined if this release cannot continue with the other version */
  private attempt<T>(act: () => T): T | undefined {
    if (!this.isTogether) return undefined;
    try {
      return act();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.part();
      return undefined;
    }
  }

  private part(): void {
    this.isTogether = false;
    this.machine = undefined;
  }
}

/** The parts of commands that are not compared as decisions. */
function askedIn({ commands }: Applied): string {
  return commands
    .map((command) => {
      if (command.type === 'runTask')
        return `${command.call.task_run_id} ${command.call.lean} ${limitsText(command.call)}`;
      if (command.type === 'runPlaybook') return `${command.child} ${command.call.lean}`;
      return DECIDED.has(command.type) ? command.type : JSON.stringify(command);
    })
    .join('\n');
}
