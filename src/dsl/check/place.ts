import { type PlaceKind } from '../../plan';
import { type LoopDoc, type StepDoc, type TaskDoc } from '../document/document';

/** Where a template stands, which decides the names it can see (src/plan/roots.ts). */
export interface Place {
  readonly kind: PlaceKind;
  readonly step?: StepDoc;
  readonly task?: TaskDoc;
  /** The loops of tasks around it, outer ones first; that of the step is none of them. */
  readonly loops?: readonly LoopDoc[];
  /** In a loop that is over: its iterator has no value, and nobody is stopped for reading it. */
  readonly boundary?: true;
  /** What the worker gets, and nobody keeps: a secret may stand here. */
  readonly carries?: true;
  /** The text becomes part of what is run, and is seen by others: how a secret gets there unseen. */
  readonly spliced?: string;
  /** A tool wants text here. */
  readonly text?: true;
  /** What stands here, in words, where the kind does not say it: `a condition`. */
  readonly part?: string;
}

/** Kinds whose inputs and fields stay in the workflow, and what becomes of them there. */
const IN_WORKFLOW: Readonly<Record<string, string>> = {
  noop: 'the input of a `noop`, which is its result',
  event_log: 'the message of an event',
  wait: 'a wait',
  iterator: 'an iterator',
  secrets: 'a task of kind `secrets`, which says where a secret is',
};

/** The place of what a task is given: its worker gets it, unless no worker runs the task. */
export function carrying(place: Place): Place {
  const part = place.task && IN_WORKFLOW[place.task.kind];
  return part === undefined ? { ...place, carries: true } : { ...place, part };
}
