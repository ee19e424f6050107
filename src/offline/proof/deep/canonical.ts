/** Canonical form of states: equal for states with the same possible continuations. */
import { type State } from '../../../engine/machine';
import { type GuardFacts } from './facts';
import { type Relevance } from './relevance';

interface Marking {
  /** Equal for equivalent states. */
  readonly key: string;
  /** The facts that can still affect a decision. */
  readonly facts: GuardFacts;
}

type Table = Readonly<Record<string, unknown>>;

/** Omits times, counters and values on which no guard depends any more; renumbers tokens and forks. */
export function markingOf(state: State, facts: GuardFacts, relevance: Relevance): Marking {
  const steps = Object.values(state.tokens).map(({ step }) => step);
  const live = relevance.liveAt(steps);
  const only = (table: Table): Table =>
    Object.fromEntries(Object.entries(table).filter(([key]) => live.has(key)));
  const results = Object.entries(state.results).filter(
    ([step, result]) =>
      live.has(step) ||
      (result.type === 'tasks' && Object.keys(result.tasks ?? {}).some((task) => live.has(task))),
  );
  const marking = {
    status: state.status,
    failure: state.failure?.step,
    tokens: Object.values(state.tokens).map(({ id, step, state: at, args, forks, event }) => ({
      id,
      step,
      at,
      args: only(args),
      forks,
      event: event?.names,
    })),
    forks: state.forks,
    runs: Object.values(state.runs).map(({ id, token, args, vars, locals, loop, stopping, rules }) => ({
      id,
      token,
      args: only(args),
      vars: only(vars),
      locals: only(locals),
      loop: loopOf(loop),
      stopping: stopping !== null,
      rules,
    })),
    frames: Object.values(state.frames).map((frame) => frameOf(frame, live)),
    open: [state.pending, state.longTasks, state.children, state.waits].map((table) =>
      Object.keys(table).sort(),
    ),
    timers: Object.keys(state.timers).sort(),
    inbox: state.inbox.map(({ name }) => name),
    ctx: only(state.ctx),
    results,
  };
  const text = renumbered(JSON.stringify(marking));
  const kept = facts.filter(([question]) => isLive(question, live, text));
  return { key: `${text}${JSON.stringify(kept)}`, facts: kept };
}

function frameOf(frame: State['frames'][string], live: ReadonlySet<string>): object {
  const only = (table: Table, last?: string | null): Table =>
    Object.fromEntries(Object.entries(table).filter(([key]) => live.has(key) || key === last));
  return {
    id: frame.id,
    parent: frame.parent,
    pc: frame.pc,
    attempt: frame.attempt,
    loop: loopOf(frame.loop),
    // Absent: those of the run.
    args: only(frame.args ?? {}),
    iter: only(frame.iter),
    locals: only(frame.locals),
    results: only(frame.results, frame.last),
    repeats: frame.repeats && [frame.repeats.page, frame.repeats.count],
    passage: frame.passage,
    agenda: frame.agenda,
    suspended: frame.suspended?.map(({ name, rule, agenda }) => [name, rule, agenda]),
  };
}

/** A fact is live while the value it concerns exists or can be looked up again. */
function isLive(question: string, live: ReadonlySet<string>, text: string): boolean {
  const [, of = ''] = /"of":"((?:[^"\\]|\\.)*)"/.exec(question) ?? [];
  if (of.startsWith('('))
    return [...of.matchAll(/n\\":\\"([^"\\]*)/g)].every(([, name = '']) => isNamedLive(name, live, text));
  return isNamedLive(of, live, text);
}

function isNamedLive(of: string, live: ReadonlySet<string>, text: string): boolean {
  if (of.startsWith('workload')) return live.has(of.split(/[.[]/)[1] ?? 'workload');
  return text.includes(of.split(/[.!]/)[0]!);
}

function loopOf(loop: State['runs'][string]['loop']): unknown {
  return loop && [loop.total, loop.next, loop.inFlight, loop.done, loop.failed, loop.stopping !== null];
}

/** `t17` and `f4` by order of appearance; `fetch#3.get~2@1` without the counts. */
function renumbered(text: string): string {
  const names = new Map<string, string>();
  return text
    .replace(/"([tf])(\d+)"/g, (whole, letter: string) => {
      if (!names.has(whole)) names.set(whole, `"${letter}_${names.size}"`);
      return names.get(whole)!;
    })
    .replace(/#\d+/g, '#')
    .replace(/~\d+@/g, '~@')
    .replace(/"\d{15,}"/g, '"id"');
}
