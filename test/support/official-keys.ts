/**
 * Keys of the official schema that are refused here, or change nothing, and why: docs/noetl.md shows them. A key is `Object.key`,
 * one of its words `Object.key=word`, all keys of an object `Object.*`.
 */
export const OFFICIAL_DIFFERENCES: readonly { readonly keys: readonly string[]; readonly here: string }[] = [
  {
    keys: ['Step.when'],
    here: 'Refused (`NT2013`), with its rewriting: a condition belongs to the arc, or to the admission policy of the step.',
  },
  {
    keys: ['CaseCondition.rhai'],
    here: 'Refused (`NT2033`): conditions are templates.',
  },
  {
    keys: ['NextStep.when', 'NextStep.then', 'NextStep.next'],
    here: 'Inside the `then` of a rule of `case`, a warning (`NT2002`): the rule has its own condition. In the list of `next`, refused with its rewriting (`NT2018`).',
  },
  {
    keys: ['LoopSpec.mode=cursor'],
    here: 'With `cursor` only, and `cursor` only with it (`NT2040`).',
  },
  {
    keys: [
      'FramePolicy.max_seconds',
      'FramePolicy.max_bytes',
      'FramePolicy.lease_seconds',
      'FramePolicy.heartbeat_seconds',
      'FramePolicy.retry_mode',
      'FramePolicy.max_attempts',
      'FramePolicy.verify_ipc',
    ],
    here: 'No effect, with a note (`NT2090`), except that the claim sees the numbers in `__frame_policy`: a frame belongs to its execution until it is done, and Temporal repeats what was lost.',
  },
  {
    keys: ['ToolOutput.*', 'OutputAccumulate.*', 'OutputSelect.*', 'OutputStore.*'],
    here: 'No effect, with a note (`NT2090`): results are kept whole, and large ones leave history by themselves.',
  },
  {
    keys: ['ExecutorSpec.final_step', 'ExecutorSpec.no_next_is_error'],
    here: 'No effect, with a note (`NT2090`): lead each branch to the last step with an arc; a branch of which no arc matches ends, with a note of the run.',
  },
  {
    keys: ['Executor.profile', 'Executor.version', 'ExecutorRequires.*'],
    here: 'No effect, without a note: there is one runtime.',
  },
  {
    keys: ['NextSpec.on_no_match'],
    here: 'Both words mean the same here: this branch ends, and no other.',
  },
  {
    keys: ['AdmitPolicy.mode'],
    here: 'Both words mean the same: admission is a gate, and the first rule that matches decides.',
  },
  {
    keys: [
      'Arc.spec',
      'NextSpec.policy',
      'StepPolicy.emit',
      'TaskPolicy.mode',
      'TaskPolicy.before',
      'TaskPolicy.after',
      'TaskPolicy.finally',
    ],
    here: 'Reserved by specification 4 for later, and without effect. All but `policy` have a note (`NT2090`).',
  },
];
