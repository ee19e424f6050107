/** Abstract playbooks in the vocabulary of `case`, `retry` and `sink`. */
import { type AbstractPlaybook, type AbstractStep, type Act } from './abstract';
import { collected, nameOf, pickedItems, playbook, type Text } from './text';

/** The playbook as YAML, which JSON is. */
export function caseText(drawn: AbstractPlaybook): string {
  return playbook(
    drawn,
    drawn.steps.map((step, index) => stepText(step, index, drawn.steps.length)),
  );
}

function stepText(step: AbstractStep, index: number, count: number): Text {
  const name = nameOf(index, count);
  const { loop, vars, structural, inclusive, sink } = step;
  const mode = loop && { failure: { mode: loop.bestEffort ? 'best_effort' : 'fail_fast' } };
  const rules = rulesOf(step, index, count);
  const retry = retryOf(step, name);
  return {
    step: name,
    ...(loop
      ? {
          loop: {
            in: Array.from({ length: loop.items }, (_, n) => n),
            iterator: 'n',
            mode: loop.parallel ? 'parallel' : 'sequential',
          },
        }
      : {}),
    spec: { ...(inclusive ? { case_mode: 'inclusive' } : {}), ...(mode ? { policy: mode } : {}) },
    tool: {
      kind: 'python',
      code: 'result = 1',
      args: { n: loop ? '{{ n }}' : 0, page: 1, via: '{{ args.via | default(none) }}' },
    },
    ...(retry ? { retry } : {}),
    ...(rules.length > 0 ? { case: rules } : {}),
    ...(sink ? { sink: store(name, 'step', loop !== undefined, true) } : {}),
    ...(vars ? { vars: { [`v_${name}`]: loop ? '{{ result.results }}' : '{{ result }}' } } : {}),
    next: nameOf(structural, count),
  };
}

const guard = (event: string, ...more: readonly (string | undefined)[]): string =>
  `{{ ${[`event.name == '${event}'`, ...more].filter((one) => one !== undefined).join(' and ')} }}`;

function rulesOf(step: AbstractStep, index: number, count: number): Text[] {
  const name = nameOf(index, count);
  const { again, pages, picked, done, error, otherwise, exit, over, failed, enter, loop } = step;
  const turns = pages !== undefined && pages.by !== 'retry';
  const last = turns ? 'not response.more' : undefined;
  const gathers = turns ? collecting(step, name) : {};
  const said = (act: Act, at: string, more: Text = {}): Text => then(act, at, more, step, index, count);
  const rules: (Text | undefined)[] = [
    enter && { when: guard('step.enter', String(enter.holds)), then: said(enter, 'enter') },
    again?.by === 'rule'
      ? { when: guard('call.error', 'error.status == 503'), then: { retry: knobs(again.attempts) } }
      : undefined,
    again?.by === 'poll'
      ? { when: guard('call.done', 'not response.ready'), then: { retry: knobs(again.attempts) } }
      : undefined,
    turns
      ? {
          when: guard('call.done', 'response.more'),
          then: {
            ...gathers,
            ...(pages.sink ? { sink: store(name, 'page', loop !== undefined, true) } : {}),
            ...(pages.by === 'call'
              ? { call: { page: '{{ response.page + 1 }}' } }
              : { retry: { max_attempts: pages.limit, args: { page: '{{ response.page + 1 }}' } } }),
          },
        }
      : undefined,
    picked && { when: guard('call.done', last, pickedItems(step)), then: said(picked, 'picked', gathers) },
    done && { when: guard('call.done', last), then: said(done, 'done', gathers) },
    error && {
      when: guard('call.error', error.only404 ? 'error.status == 404' : undefined),
      then: said(error, 'error'),
    },
    otherwise?.at === 'call' ? { else: { then: said(otherwise, 'otherwise') } } : undefined,
    exit && { when: guard('step.exit'), then: said(exit, 'exit') },
    over && { when: guard(loop ? 'loop.done' : 'step.done'), then: said(over, 'over') },
    failed && { when: guard('step.failed'), then: said(failed, 'failed') },
    otherwise?.at === 'end' ? { else: { then: said(otherwise, 'otherwise') } } : undefined,
  ];
  return rules.filter((rule) => rule !== undefined);
}

const knobs = (attempts: number): Text => ({ max_attempts: attempts, initial_delay: 1 });

function then(act: Act, at: string, more: Text, { loop }: AbstractStep, index: number, count: number): Text {
  const name = nameOf(index, count);
  const { set, result, sink, next, fail, skip } = act;
  const sees = at === 'picked' || at === 'done' || at === 'exit' || result === true;
  const found: Text = {
    ...(set ? { set: { [`x_${name}_${at}`]: true } } : {}),
    ...more,
    ...(result ? { result: { was: at } } : {}),
    ...(sink ? { sink: store(name, at, loop !== undefined && IN_ITERATION.has(at), sees) } : {}),
    ...(next === undefined ? {} : { next: [{ step: nameOf(next, count), args: { via: `${name} ${at}` } }] }),
    ...(fail ? { fail: true } : {}),
    ...(skip ? { skip: true } : {}),
  };
  // A rule without anything to do is none.
  return Object.keys(found).length > 0 ? found : { log: 'nothing to do' };
}

/** Rules that know the iterator, when they store. */
const IN_ITERATION: ReadonlySet<string> = new Set(['picked', 'done', 'error', 'exit']);

function store(name: string, at: string, iterates: boolean, sees: boolean): Text {
  return {
    name: `${name}_k_${at}`,
    tool: { kind: 'python', code: 'result = 1' },
    args: { at, n: iterates ? '{{ n }}' : 0, ...(sees ? { got: '{{ result }}' } : {}) },
  };
}

function collecting(step: AbstractStep, name: string): Text {
  if (!step.collect) return {};
  const into = collected(step.collect, name);
  return {
    collect: step.collect.isResult
      ? { strategy: 'append', path: 'rows', into }
      : { from: '{{ result.rows }}', into, mode: 'extend' },
  };
}

function retryOf(step: AbstractStep, name: string): Text | readonly Text[] | undefined {
  const { again, pages, loop } = step;
  const repeats = again && knobs(again.attempts);
  const policies: Text[] =
    again?.by === 'policy' ? [{ when: '{{ error.status == 503 }}', then: repeats! }] : [];
  if (pages?.by === 'retry') {
    policies.push({
      when: '{{ response.more }}',
      then: {
        max_attempts: pages.limit,
        next_call: { page: '{{ page.page + 1 }}' },
        ...collecting(step, name),
        ...(pages.sink ? { sink: store(name, 'page', loop !== undefined, true) } : {}),
      },
    });
  }
  if (policies.length > 0) return policies;
  switch (again?.by) {
    case 'map':
      return repeats;
    case 'stop':
      return { ...repeats, stop_when: '{{ result.ready }}' };
    case 'strict':
      return { ...repeats, retry_when: '{{ success and not result.ready }}' };
    default:
      return undefined;
  }
}
