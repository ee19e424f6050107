/**
 * Abstract playbooks in the `current` vocabulary: a pipeline whose tasks decide by `policy.rules` and store, flags in
 * `ctx` for what a rule chose, arcs that read them. What a step with `case` does at the boundary of its loop, or when
 * it failed, is a step of its own here: `s0__end`, `s0__failed`.
 */
import { type AbstractPlaybook } from './abstract';
import { arcsOf, boundaryStep, failedStep } from './current-routes';
import { actsOf, type Around, decide, flag, gather, give, jump, rowsOf, rule, store } from './blocks';
import { endMove } from './end-move';
import { nameOf, pickedItems, playbook, type Text } from './text';

/** The playbook as YAML, which JSON is. */
export function currentText(drawn: AbstractPlaybook): string {
  const { steps } = drawn;
  const arounds = steps.map((step, index) => ({
    step,
    name: nameOf(index, steps.length),
    count: steps.length,
  }));
  return playbook(
    drawn,
    arounds.flatMap((around) => [stepText(around), ...boundaryStep(around), ...failedStep(around)]),
  );
}

function stepText(around: Around): Text {
  const { step, name } = around;
  const { loop, vars } = step;
  return {
    step: name,
    ...(loop
      ? {
          loop: {
            in: Array.from({ length: loop.items }, (_, n) => n),
            iterator: 'n',
            spec: { mode: loop.parallel ? 'parallel' : 'sequential' },
          },
          spec: { policy: { failure: { mode: loop.bestEffort ? 'best_effort' : 'fail_fast' } } },
        }
      : {}),
    tool: [
      ...enter(around),
      fetch(around),
      ...pagesOfRetry(around),
      ...asked(around),
      ...error(around),
      ...exit(around),
      give(`${name}_skip_out`, null),
    ],
    ...(loop && vars ? { set: { [`ctx.v_${name}`]: `{{ ${name}.results }}` } } : {}),
    next: { spec: { mode: 'inclusive' }, arcs: arcsOf(around) },
  };
}

function enter({ step: { enter: act }, name }: Around): Text[] {
  if (!act?.holds) return [];
  const set = act.set ? { [`ctx.x_${name}_enter`]: true } : {};
  const move =
    act.next === undefined
      ? rule(undefined, 'continue', { set })
      : jump(`${name}_skip_out`, { ...set, [flag(name, 'enter')]: true });
  return [decide(`${name}_enter`, [move])];
}

/** The call, its repetitions, and which way it goes after an error. */
function fetch({ step, name }: Around): Text {
  const { again, error: handler, otherwise, loop } = step;
  const isError = "output.status == 'error'";
  const unready = "output.status == 'ok' and not output.result.ready";
  const repeat = (when: string): Text => rule(when, 'retry', { attempts: again!.attempts, delay: 1 });
  const repeats = {
    map: [isError],
    policy: [`${isError} and output.error.status == 503`],
    rule: [`${isError} and output.error.status == 503`],
    stop: [`${isError} or not output.result.ready`],
    strict: [unready],
    poll: [unready],
  };
  const failed = again?.by === 'strict' ? `(${isError} or ${unready})` : isError;
  const rules = again ? repeats[again.by].map(repeat) : [];
  if (handler) {
    const when = handler.only404 ? `${isError} and output.error.status == 404` : failed;
    rules.push(rule(when, 'jump', { to: `${name}_error` }));
  }
  if (otherwise?.at === 'call') {
    // Behind a retry that is used up an else is asked only if it leads elsewhere.
    const only = again?.by === 'rule' && !leads(otherwise) ? ' and output.error.status != 503' : '';
    rules.push(rule(failed + only, 'jump', { to: `${name}_otherwise_error` }));
  }
  rules.push(rule(failed, 'fail'));
  const used = again?.by === 'poll';
  if (used) rules.push(rule(unready, 'continue', { set: { 'iter.used': true } }));
  rules.push(rule("output.status == 'ok'", 'continue', used ? { set: { 'iter.used': false } } : {}));
  return {
    name: `${name}_fetch`,
    kind: 'python',
    code: 'result = 1',
    input: {
      n: loop ? '{{ n }}' : 0,
      page: '{{ iter.page | default(1) }}',
      via: '{{ args.via | default(none) }}',
    },
    spec: { policy: { rules } },
  };
}

const leads = ({ next, fail }: { next?: number; fail?: boolean }): boolean =>
  next !== undefined || fail === true;

const nextPage = (name: string): Text => ({
  to: `${name}_fetch`,
  set: { 'iter.page': `{{ ${name}_fetch.page + 1 }}` },
});

/** Every page is stored, the last one too. */
function pagesOfRetry(around: Around): Text[] {
  const { step, name } = around;
  const { pages, collect, loop } = step;
  const byRetry = pages?.by === 'retry';
  const value = byRetry && collect?.isResult ? rowsOf(around) : `${name}_fetch`;
  const last: Text = { name: `${name}_value`, kind: 'noop', set: { 'iter.value': `{{ ${value} }}` } };
  if (!byRetry) return [last];
  const turn = `${name}_fetch.more and ${name}_fetch.page < ${pages.limit}`;
  return [
    ...(collect
      ? [{ name: `${name}_gather`, kind: 'noop', set: { ...gather(around), 'iter.gathered': false } }]
      : []),
    ...(pages.sink ? [store(around, 'page', loop !== undefined, `${name}_fetch`)] : []),
    decide(`${name}_turn`, [rule(turn, 'jump', nextPage(name)), rule(undefined, 'continue')]),
    last,
  ];
}

/** The rules that are asked after the call. */
function asked(around: Around): Text[] {
  const { step, name } = around;
  const { pages, picked, done, otherwise, collect, loop, inclusive } = step;
  const turns = pages !== undefined && pages.by !== 'retry';
  const more = turns && collect ? gather(around) : {};
  const page = (task: string): Text[] => [
    { name: `${name}_${task}`, kind: 'noop', ...(collect ? { set: more } : {}) },
    ...(pages!.sink ? [{ ...store(around, 'page', loop !== undefined, `${name}_fetch`) }] : []),
  ];
  const isMore = `${name}_fetch.more`;
  const goes = (when: string | undefined, to: string): Text => rule(when, 'jump', { to: `${name}_${to}` });
  const elsewhere = otherwise?.at === 'call' ? otherwise : undefined;
  const unused = step.again?.by === 'poll' && elsewhere && !leads(elsewhere) ? 'not iter.used' : undefined;
  const chosen: Text[] = [
    ...(turns ? [goes(isMore, 'more')] : []),
    ...(picked ? [goes(pickedItems(step), 'picked')] : []),
    ...(done ? [goes(undefined, 'done')] : elsewhere ? [goes(unused, 'otherwise')] : []),
  ];
  const ends = chosen.some((one) => 'else' in one) ? [] : [goes(undefined, 'exit')];
  const both = inclusive && picked && done;
  const left = elsewhere && leads(elsewhere) ? 'otherwise' : 'exit';
  const turn =
    pages?.by === 'bounded'
      ? [rule(`${name}_fetch.page < ${pages.limit}`, 'jump', nextPage(name)), goes(undefined, left)]
      : [rule(undefined, 'jump', nextPage(name))];
  return [
    decide(`${name}_which`, [...chosen, ...ends]),
    ...(turns ? [...page('more'), decide(`${name}_turn`, turn)] : []),
    ...(picked
      ? [
          ...actsOf(around, picked, 'picked', `${name}_picked`, more, 'iter.value'),
          ...(both ? actsOf(around, done, 'done', `${name}_done_too`, more, 'iter.value') : []),
          move(
            around,
            both
              ? [
                  ['picked', picked],
                  ['done', done],
                ]
              : [['picked', picked]],
          ),
        ]
      : []),
    ...(done
      ? [...actsOf(around, done, 'done', `${name}_done`, more, 'iter.value'), move(around, [['done', done]])]
      : []),
    ...(elsewhere
      ? [
          ...actsOf(around, elsewhere, 'otherwise', `${name}_otherwise`),
          move(around, [['otherwise', elsewhere]]),
        ]
      : []),
  ];
}

/** Takes every `next` of these rules, or the first of their other moves. */
function move(
  { name }: Around,
  acts: readonly (readonly [string, { next?: number; fail?: boolean; skip?: boolean }])[],
): Text {
  const task = `${name}_${acts.map(([at]) => at).join('_')}_move`;
  const leads = acts.some(([, { next }]) => next !== undefined);
  if (!leads && acts[0]![1].fail) return decide(task, [rule(undefined, 'fail')]);
  if (!leads && acts[0]![1].skip) return decide(task, [jump(`${name}_skip_out`)]);
  const flags = acts.flatMap(([at, { next }]) =>
    next === undefined ? [] : [[flag(name, at), true] as const],
  );
  return decide(task, [jump(`${name}_exit`, Object.fromEntries(flags))]);
}

/** What is done about an error. */
function error(around: Around): Text[] {
  const { step, name } = around;
  const { error: act, otherwise, loop } = step;
  const goesOn = loop?.bestEffort === true;
  const answered = (at: string): Text => ({ set: { [flag(name, goesOn ? at : `${at}_handled`)]: true } });
  const found: Text[] = [];
  if (act) {
    const fails = rule(undefined, 'fail', act.next === undefined ? {} : answered('error'));
    const recovers = act.result && !act.fail;
    found.push(
      ...actsOf(around, act, 'error', `${name}_error`),
      recovers || act.skip
        ? move(around, [['error', act]])
        : decide(`${name}_error_move`, [act.fail ? rule(undefined, 'fail') : fails]),
    );
  }
  if (otherwise?.at === 'call') {
    const next = otherwise.next === undefined ? {} : answered('otherwise');
    found.push(
      ...actsOf(around, otherwise, 'otherwise', `${name}_otherwise_error`),
      decide(`${name}_otherwise_error_move`, [rule(undefined, 'fail', next)]),
    );
  }
  return found;
}

/** The end of the iteration, or of a step without a loop: its writes, rules and stores, and what it gives. */
function exit(around: Around): Text[] {
  const { step, name } = around;
  const { collect, vars, loop, exit: act, over, otherwise, inclusive, sink } = step;
  const rows = '(iter.gathered | default(false)) and not (iter.replaced | default(false))';
  const first = decide(`${name}_exit`, [
    ...(collect ? [rule(rows, 'continue', { set: { 'iter.value': `{{ ${rowsOf(around)} }}` } })] : []),
    rule(undefined, 'continue'),
  ]);
  const rules: Text[] = [];
  if (loop) {
    if (act?.sink) {
      const set = act.next === undefined ? {} : { [flag(name, 'exit')]: true };
      const held = { [flag(name, 'held')]: true };
      rules.push(...actsOf(around, act, 'exit', `${name}_exit_acts`, held, 'iter.value'));
      rules.push(decide(`${name}_exit_move`, [rule(undefined, 'continue', { set })]));
    }
  } else {
    const set = { ...(vars ? { [`ctx.v_${name}`]: '{{ iter.value }}' } : {}), [flag(name, 'exited')]: true };
    rules.push({ name: `${name}_vars`, kind: 'noop', set });
    const end = otherwise?.at === 'end' ? otherwise : undefined;
    const found: [string, NonNullable<typeof over>][] = [];
    if (act) found.push(['exit', act]);
    if (over && (inclusive || !act)) found.push(['over', over]);
    if (end && found.length === 0) found.push(['otherwise', end]);
    for (const [at, one] of found) {
      rules.push(
        ...actsOf(around, one, at, `${name}_${at}_acts`, {}, at === 'exit' ? 'iter.value' : undefined),
      );
    }
    rules.push(...endMove(name, name, found));
  }
  return [
    first,
    ...rules,
    ...(sink ? [store(around, 'step', loop !== undefined, 'iter.value')] : []),
    give(`${name}_out`, '{{ iter.value }}'),
  ];
}
