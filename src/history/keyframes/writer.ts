/** Records the segments of a run, while it is derived. */
import { type InputBatch, type EngineEvent, type LiveState } from '../../engine/machine';
import { Memory } from '../explain/memory';
import { type CanonicalEvent } from '../events';
import { type Moment, MomentMemory } from '../moment';
import { momentIn } from './moment-in';
import { type KeyframeRecorder, type Standstill } from './recorder';
import { type Unpacked } from './replay';
import { packBatches, packSegment, type Segment, segmentText } from './segment';

/** Events of a segment, at least: some 50 ms when it is read. */
const EVERY = 5000;
/** A state may be large: keyframes take no more than their share of what the rows of the events between them take. */
const CHARS_PER_EVENT = 400;
/** Characters of a keyframe, and of the inputs behind it, that are kept at most. */
const MAX_CHARS = 32 * 1024 * 1024;
/** Inputs end a segment early. */
const MANY_CHARS = 8 * 1024 * 1024;

interface Open {
  readonly first: number;
  readonly plan: Standstill['plan'];
  readonly keyframe: string;
  /** Events. */
  readonly least: number;
  readonly batches: string[];
  chars: number;
  /** Batches in its parts, and where the last of them ends. */
  inParts: number;
  end: number;
}

/**
 * A part of the last segment of a run that goes on: `first` is where the segment begins. The first part is a segment, the others
 * are inputs that follow.
 */
export interface Part extends Segment {
  readonly isFirst: boolean;
}

export class KeyframeWriter implements KeyframeRecorder {
  private open: Open | undefined;
  /** No segment begins before. */
  private next: number;
  private readonly done: (Open & { readonly last: number })[] = [];
  private readonly byTemporal: CanonicalEvent[] = [];
  private readonly memory = new Memory();
  private readonly moments = new MomentMemory();

  /**
   * @param after the position at which the last recorded segment ended
   * @param every events of a segment, at least
   * @param most characters of a keyframe, and of the inputs behind it, that are kept
   */
  constructor(
    after = 0,
    private readonly every = EVERY,
    private readonly most = MAX_CHARS,
  ) {
    this.next = after;
  }

  applying(batch: InputBatch, seq: number, standstill: () => Standstill): void {
    this.turn(seq, standstill);
    const { open } = this;
    if (!open) return;
    const text = JSON.stringify(batch);
    open.batches.push(text);
    open.chars += text.length;
    if (open.chars > this.most) this.leave(seq);
  }

  between(seq: number, standstill: () => Standstill): void {
    this.turn(seq, standstill);
  }

  emitted(event: EngineEvent, at: number, state: LiveState): void {
    this.moments.take(event, state);
    this.memory.take(event, at);
    this.memory.remember(event);
  }

  caused(event: CanonicalEvent): void {
    this.moments.take(event);
    this.byTemporal.push(event);
  }

  cut(seq: number): void {
    const { open } = this;
    if (open && seq > open.first) this.done.push({ ...open, last: seq });
    if (open) this.leave(seq);
  }

  reset(seq: number): void {
    this.cut(seq);
    this.next = seq;
  }

  /** The segments that end no later. */
  upTo(seq: number): Segment[] {
    const count = this.done.findIndex(({ last }) => last > seq);
    const ended = this.done.splice(0, count < 0 ? this.done.length : count);
    return ended.map(({ first, last, keyframe, batches }) => ({
      ...{ first, last, bytes: packSegment(keyframe, batches) },
    }));
  }

  /** How the run stood after an event of the segments that are still here; undefined if there is none with it. */
  async momentAt(seq: number): Promise<Moment | undefined> {
    const segment = this.done.find(({ first, last }) => first < seq && seq <= last) ?? this.open;
    if (!segment || segment.first >= seq) return undefined;
    const { first, plan, keyframe, batches } = segment;
    const unpacked = JSON.parse(segmentText(keyframe, batches)) as Unpacked;
    const isBehind = (event: CanonicalEvent): boolean => event.seq > first && event.seq <= seq;
    // Of one plan, templates are compiled once.
    return await momentIn(
      { ...unpacked, keyframe: { ...unpacked.keyframe, plan } },
      { first, last: seq },
      (after) => [this.byTemporal.filter((event) => isBehind(event) && event.seq > after)],
    );
  }

  /**
   * What the segment that is open has beside its parts before.
   *
   * @param seq of the last event, when the machine is at rest
   * @returns undefined if there is none, or nothing more; of a short run too, which is derived as quickly
   */
  part(seq: number): Part | undefined {
    const { open } = this;
    if (!open || open.first === 0 || seq <= open.end) return undefined;
    const { first, keyframe, batches, inParts } = open;
    const bytes = inParts === 0 ? packSegment(keyframe, batches) : packBatches(batches.slice(inParts));
    open.inParts = batches.length;
    open.end = seq;
    return { first, last: seq, bytes, isFirst: inParts === 0 };
  }

  private turn(seq: number, standstill: () => Standstill): void {
    const { open } = this;
    if (open ? !isFull(open, seq) : seq < this.next) return;
    this.cut(seq);
    const now = standstill();
    const keyframe = JSON.stringify({
      ...now,
      memory: this.memory.kept,
      moments: this.moments.kept,
    });
    const least = Math.max(this.every, Math.ceil(keyframe.length / CHARS_PER_EVENT));
    const { plan } = now;
    if (keyframe.length > this.most) this.next = seq + least;
    else this.open = { first: seq, plan, keyframe, least, batches: [], chars: 0, inParts: 0, end: seq };
  }

  private leave(seq: number): void {
    this.open = undefined;
    this.next = seq;
  }
}

function isFull({ first, least, chars }: Open, seq: number): boolean {
  return seq - first >= least || (chars > MANY_CHARS && seq > first);
}
