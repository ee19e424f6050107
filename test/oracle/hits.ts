/** Rules of the language that are told when they decide something in a run, so that a difference has a name. */
import { parse } from 'yaml';
import { type Dict, dict, list } from './document';

export type HitName =
  /** A token that goes round leaves every fork around its cycle. */
  | 'rounds'
  /** Merging is within the innermost fork. */
  | 'innermostFork'
  /** A step that one router names more than once runs for each arc. */
  | 'namedTwice'
  /** A rule acts whole or not at all: what rules chose on the call and at the end is united. */
  | 'wholeRules'
  /** A target that several rules chose runs once, with the arguments of the first. */
  | 'firstChoice'
  /** With `case_mode: inclusive`: the union of their `next`s, otherwise the first move, in any order. */
  | 'inclusiveMoves'
  /** A retry rule behind one whose attempts are used up applies. */
  | 'retryBehindExhausted'
  /** `end_loop` ends any loop with any move. */
  | 'endLoopAnyMove'
  /** `end_loop` is told when it cancels iterations. */
  | 'cancelledIterations'
  /** Each run of a step and each iteration starts with an empty list. */
  | 'pagesPerIteration'
  /** `then.result` in a loop is the step's. */
  | 'resultOfStep'
  /** After pages, `response` in `case` is the last call's. */
  | 'responseAfterPages'
  /** `response` is the last call's also after `result`. */
  | 'responseAfterResult'
  /** A rule whose repetition is used up does not act. */
  | 'exhaustedActs'
  /** What a call of a workbook task gives is evaluated where the caller is; the task's own inputs see it. */
  | 'workbookLayers'
  /** A null `error` of the envelope is undefined. */
  | 'nullError'
  /** In its own pipeline a task's name wins over `ctx`. */
  | 'taskOverCtx'
  /** `<step>_task` is a name at the arcs of its step. */
  | 'stepTaskName'
  /** A loop over undefined is an error. */
  | 'loopOverUndefined'
  /** Blanks around the template of a condition do not count. */
  | 'conditionText'
  /** After a time limit, the step's error is the time limit. */
  | 'timeLimitError'
  /** A step that a rule failed after a success has failed, also by its status. */
  | 'failedSuccess'
  /** Inputs of the step are `args` at its arcs and in its writes. */
  | 'argsAtBoundary'
  /** `_prev` is the same for every attempt of a visit. */
  | 'previousOfRetry';

/** What can be seen from the text alone. */
export function hitsOf(text: string): HitName[] {
  const hits: HitName[] = [];
  if (/\w\.error (is|\|)/.test(text)) hits.push('nullError');
  if (/when: ["'] +\{\{|when: ["'].*\}\} +["']/.test(text)) hits.push('conditionText');
  for (const step of list(dict(parse(text))['workflow']).map(dict)) {
    const boundary = JSON.stringify([step['next'], step['set']]);
    if (boundary.includes(`${String(step['step'])}_task`)) hits.push('stepTaskName');
    const tasks = (Array.isArray(step['tool']) ? step['tool'] : []).map(dict);
    const written = JSON.stringify(step);
    const isHidden = ({ name }: Dict): boolean =>
      name !== undefined && written.includes(`ctx.${String(name)}"`);
    if (tasks.some(isHidden)) hits.push('taskOverCtx');
  }
  return hits;
}
