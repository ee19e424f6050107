import { type PlaceKind } from '../../plan';
import { type LoopDoc, type StepDoc, type TaskDoc } from '../document/document';

/** The position of a template, which determines the names it can use (src/language/plan/roots.ts). */
export interface TemplatePlace {
  readonly kind: PlaceKind;
  readonly step?: StepDoc;
  readonly task?: TaskDoc;
  /** The surrounding loops of tasks, outermost first; without the step's loop. */
  readonly loops?: readonly LoopDoc[];
  /** After the end of a loop: its iterator has no value, but reading it is not an error. */
  readonly boundary?: true;
  /** Sent to the worker and not stored: secrets are allowed. */
  readonly carries?: true;
  /** The text becomes part of a program, visible to others; the value says how to pass a secret safely. */
  readonly spliced?: string;
  /** The tool requires text here. */
  readonly text?: true;
  /** A description of the position, if the kind does not imply it: `a condition`. */
  readonly part?: string;
}

/** Kinds whose inputs and fields stay in the workflow, and how they are used there. */
const IN_WORKFLOW: Readonly<Record<string, string>> = {
  noop: 'the input of a `noop`, which is its result',
  event_log: 'the message of an event',
  wait: 'a wait',
  iterator: 'an iterator',
  secrets: 'a task of kind `secrets`, which names where a secret is stored',
};

/** The place of a task's inputs: sent to its worker, unless no worker runs the task. */
export function withToolScope(place: TemplatePlace): TemplatePlace {
  const part = place.task && IN_WORKFLOW[place.task.kind];
  return part === undefined ? { ...place, carries: true } : { ...place, part };
}

/** Places of a step with a loop outside its iterations. */
export const OUTSIDE_ITERATIONS: ReadonlySet<PlaceKind> = new Set([
  'arc',
  'route',
  'done',
  'loop',
  'admit',
  'enter',
]);
