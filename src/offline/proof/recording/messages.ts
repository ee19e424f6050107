/** In which order what is scheduled and what was recorded come: batch by batch, as recorded where times are equal. */
import { type Input } from '../../../engine/machine';
import { type LimitAnswer } from '../../../language/plan';
import { type Happening, type Mark, type Next } from '../../drive';
import { type RecordedMessage, type Recording } from './recording';

/** Picks the next event: the earliest one scheduled, in recorded order where times are equal. */
export class Messages {
  private readonly messages: readonly RecordedMessage[];
  private readonly suggested: readonly number[];
  private nextMessage = 0;
  private nextSuggested = 0;
  /** The last recorded batch of which anything occurred, and its recorded time. */
  batch = -1;
  recordedAt: number;
  /** Current delay relative to the recording, in milliseconds. */
  private shift = 0;

  constructor(recording: Recording, chunk: string) {
    // Answers of keepers come after what the version asks of them (`limit`).
    this.messages = (recording.messages.get(chunk) ?? []).filter(({ input }) => !limitAnswerIn(input));
    this.suggested = chunk ? [] : recording.suggested;
    this.recordedAt = recording.startedAt;
  }

  next(happenings: readonly Happening[], now: number): Next | undefined {
    const first = happenings.reduce<Happening | undefined>(
      (a, b) => (a === undefined || isBefore(b, a) ? b : a),
      undefined,
    );
    const message = this.messages[this.nextMessage];
    // A message arrives after everything that preceded it in the recording.
    const isHeld = message && happenings.some(({ mark }) => mark && mark.batch < message.mark.batch);
    if (message && !isHeld) {
      const at = Math.max(now, message.mark.at + this.shift);
      if (!first || at < first.at || (at === first.at && message.mark.batch <= batchOf(first)))
        return this.group(happenings, message.mark.batch, at);
    }
    if (!first) return undefined;
    if (first.mark) return this.group(happenings, first.mark.batch, first.at);
    return { at: first.at, happenings: [first], inputs: [first.input] };
  }

  /** Skips the messages of the batches up to that one, which are passed separately. */
  until(batch: number): readonly RecordedMessage[] {
    while ((this.messages[this.nextMessage]?.mark.batch ?? Infinity) <= batch) this.nextMessage++;
    return this.messages.slice(0, this.nextMessage);
  }

  /** Everything of a recorded batch that occurs at that time. */
  private group(happenings: readonly Happening[], batch: number, at: number): Next {
    const group = happenings.filter((one) => one.mark?.batch === batch && one.at <= at);
    const inputs = group.map(({ input, mark }) => ({ position: mark?.position ?? 0, input }));
    for (
      let one = this.messages[this.nextMessage];
      one?.mark.batch === batch && one.mark.at + this.shift <= at;
      one = this.messages[++this.nextMessage]
    )
      inputs.push({ position: one.mark.position, input: JSON.parse(one.input) });
    const recorded = group[0]?.mark?.at ?? this.messages[this.nextMessage - 1]?.mark.at ?? at;
    this.shift = at - recorded;
    this.recordedAt = recorded;
    this.batch = batch;
    let continueAsNewSuggested = false;
    for (; (this.suggested[this.nextSuggested] ?? Infinity) <= batch; this.nextSuggested++)
      continueAsNewSuggested = true;
    inputs.sort((a, b) => a.position - b.position);
    return {
      at,
      happenings: group,
      inputs: inputs.map(({ input }) => input),
      ...(continueAsNewSuggested && { continueAsNewSuggested }),
    };
  }
}

export function isEarlier(a: Mark, b: Mark): boolean {
  return a.batch < b.batch || (a.batch === b.batch && a.position < b.position);
}

function isBefore(a: Happening, b: Happening): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return batchOf(a) < batchOf(b);
}

function batchOf({ mark }: Happening): number {
  return mark?.batch ?? Infinity;
}

/** The answer of the keeper of a limit, if the message is one. */
export function limitAnswerIn(message: string): LimitAnswer | undefined {
  if (!message.startsWith('{"type":"limitAnswered"')) return undefined;
  return (JSON.parse(message) as Extract<Input, { type: 'limitAnswered' }>).answer;
}
