/** The matrix: every place a secret can be used × every kind of tool × every ending, as playbooks (docs/secrets.md). */
import { KINDS } from './kinds';
import { type CanaryKind, ENDINGS, type Ending, PLANTED, SECRET, type Tool } from './tool';

/** Where a secret comes from, or what stands around the task that uses it: places that every kind with data has. */
export const SHARED_PLACES: Readonly<Record<string, string>> = {
  'field of the keychain': SECRET,
  'whole entry of the keychain': '{{ keychain.app }}',
  'key of several lines': '{{ keychain.signing.key }}',
  number: '{{ keychain.signing.pin }}',
  'entry made of another': '{{ keychain.both.key }}',
  'token of oauth2': '{{ keychain.token.access_token }}',
  'expression around it': "{{ ('u:' ~ keychain.app.secret) | b64encode }}",
  'input of the step': '{{ passed }}',
  'handle of secrets': `{{ ${PLANTED}.value }}`,
  'handle in a variable': '{{ ctx.kept }}',
  'handle on an arc': '{{ handed }}',
  'secret input of the run': '{{ workload.key }}',
  'sensitive result of a task': '{{ got.token }}',
  'parallel loop': SECRET,
  'local loop': SECRET,
  sink: SECRET,
};

export interface Cell {
  readonly kind: string;
  readonly ending: Ending;
  readonly place: string;
  /** Of its step. */
  readonly step: string;
  readonly tool: Tool;
}
/** A cell that cannot be, and why. */
export interface Gap extends Omit<Cell, 'step' | 'tool'> {
  readonly why: string;
}

const WHY_NOT: Readonly<Partial<Record<Ending, string>>> = {
  timeout: 'has no timeout: it answers at once',
  crash: 'ends before its worker could be killed',
};

/** All cells, and the gaps between them. */
export function matrix(): { cells: Cell[]; gaps: Gap[] } {
  const cells: Cell[] = [];
  const gaps: Gap[] = [];
  for (const [kind, { carry, own, cannot = {} }] of Object.entries(KINDS)) {
    for (const ending of ENDINGS) {
      const add = (place: string, make: (at: string) => Tool | undefined): void => {
        const step = `s_${place.replace(/\W+/g, '_')}`;
        const why =
          (cannot as Readonly<Record<string, string>>)[place] ??
          (place === 'sink' && ending === 'retry' ? 'a sink is not retried by rules' : undefined);
        const tool = why === undefined ? make(`${kind}/${step}`) : undefined;
        if (tool) cells.push({ kind, ending, place, step, tool });
        else
          gaps.push({
            kind,
            ending,
            place,
            why: why ?? cannot[ending] ?? WHY_NOT[ending] ?? 'has no other ending',
          });
      };
      for (const [place, secret] of Object.entries(SHARED_PLACES))
        if (carry) add(place, (at) => carry(secret, ending, at));
        else gaps.push({ kind, ending, place, why: cannot.data ?? 'it accepts no data' });
      for (const [place, make] of Object.entries(own)) add(place, (at) => make(ending, at));
    }
  }
  return { cells, gaps };
}

/**
 * What every change is tested with: all places of each kind that succeed, and of each kind and ending one that shares its
 * place with others, in turn, and its own places in turn. `CANARY=1/7` to `7/7` test them all.
 */
export function usualCells(cells: readonly Cell[]): Cell[] {
  const kinds = Object.keys(KINDS);
  const shared = Object.keys(SHARED_PLACES);
  return cells.filter(({ kind, ending, place }) => {
    const turn = kinds.indexOf(kind) * 3 + ENDINGS.indexOf(ending) * 5;
    const at = shared.indexOf(place);
    if (at >= 0) return (at + turn) % shared.length < (ending === 'success' ? 2 : 1);
    const own = Object.keys(KINDS[kind]!.own);
    return ending === 'success' || (own.indexOf(place) + turn) % own.length === 0;
  });
}

export interface CanaryPlaybook {
  /** `http_success` */
  readonly name: string;
  readonly kind: string;
  readonly ending: Ending;
  readonly cells: readonly Cell[];
  /** As JSON, which is YAML. */
  readonly yaml: string;
}

/** On the workers of `dev`, which serve no pool: its log has something to be found. */
export const ON_DEV = JSON.stringify({
  apiVersion: 'noetl.io/v2',
  kind: 'Playbook',
  metadata: { name: 'on_dev', path: 'canary/on_dev' },
  keychain: [{ name: 'app', kind: 'credential', credential: 'blob' }],
  executor: { spec: { entry_step: PLANTED } },
  workflow: [{ step: PLANTED, tool: { kind: 'python', input: { t: SECRET }, code: 'raise ValueError(t)' } }],
});

/** One playbook a kind and ending: its cells side by side. */
export function playbooksOf(cells: readonly Cell[], note: string): CanaryPlaybook[] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const name = `${cell.kind}_${cell.ending}`;
    groups.set(name, [...(groups.get(name) ?? []), cell]);
  }
  return [...groups].map(([name, group]) => {
    const { kind, ending } = group[0]!;
    return { name, kind, ending, cells: group, yaml: yamlOf(name, group, note) };
  });
}

function yamlOf(name: string, cells: readonly Cell[], note: string): string {
  const steps = cells.map(stepOf);
  const firsts = [
    {
      step: PLANTED,
      tool: {
        kind: 'secrets',
        provider: 'credential',
        secret: 'blob',
        field: 'secret',
        set: { 'ctx.kept': '{{ output.data.value }}' },
      },
      next: { arcs: [{ step: 'got' }] },
    },
    {
      step: 'got',
      tool: {
        kind: 'http',
        url: '{{ workload.url }}/token',
        params: { note: '{{ workload.note }}' },
        spec: { sensitive: ['access_token', 'token'] },
      },
      next: {
        spec: { mode: 'inclusive' },
        arcs: cells.map(({ step, place }) => ({
          step,
          ...(place === 'handle on an arc' && { set: { handed: `{{ ${PLANTED}.value }}` } }),
        })),
      },
    },
  ];
  return JSON.stringify(
    {
      apiVersion: 'noetl.io/v2',
      kind: 'Playbook',
      metadata: {
        name,
        path: `canary/${name}`,
        description: PLANTED,
        workload: { key: { secret: true } },
      },
      executor: {
        spec: {
          pool: 'edge',
          entry_step: PLANTED,
          policy: { failure: { mode: 'best_effort' }, limits: { max_payload_bytes: 1500 } },
        },
      },
      workload: { url: '', go: '', key: null, note },
      keychain: [
        { name: 'app', kind: 'credential', credential: 'blob' },
        { name: 'signing', kind: 'credential', credential: 'signing' },
        { name: 'both', kind: 'static', map: { key: '{{ keychain.app.secret }}', note: 'none' } },
        {
          name: 'token',
          kind: 'oauth2',
          endpoint: '{{ workload.url }}/token',
          data: { client_id: 'me', client_secret: '{{ keychain.app.secret }}' },
        },
      ],
      workflow: [...firsts, ...steps],
    },
    null,
    1,
  );
}

/** Rules of a task that is run again and fails once more. */
const AGAIN = {
  policy: {
    rules: [{ when: "{{ output.status == 'error' }}", then: { do: 'retry', attempts: 2, delay: 0 } }],
  },
};

/**
 * A machine that is busy may keep a server from answering in time, or a worker from its heartbeats for longer than all
 * attempts of Temporal: that is not what a cell is about.
 */
const WHEN_BUSY = {
  policy: {
    rules: [
      {
        when: "{{ output.error.kind in ['connection', 'worker_lost', 'timeout'] }}",
        then: { do: 'retry', attempts: 5, delay: 1 },
      },
    ],
  },
};

const isToSucceed = (ending: Ending): boolean => ending === 'success' || ending === 'crash';

function stepOf({ step, place, tool, ending }: Cell): Tool {
  const spec = ending === 'retry' ? AGAIN : isToSucceed(ending) ? WHEN_BUSY : undefined;
  const task = spec && place !== 'sink' ? { ...tool, spec } : tool;
  switch (place) {
    case 'input of the step':
      return { step, input: { passed: SECRET }, tool: task };
    case 'parallel loop':
      return {
        step,
        loop: { in: [1, 2], iterator: 'n', spec: { mode: 'parallel' } },
        tool: task,
      };
    case 'local loop':
      // A sub-playbook is an execution of its own.
      if (tool['kind'] === 'playbook') return { step, loop: { in: [1], iterator: 'n' }, tool: task };
      return { step, loop: { in: [1], iterator: 'n', spec: { exec: 'local' } }, tool: task };
    case 'sink':
      return { step, tool: { kind: 'noop' }, sink: { tool: task } };
    default:
      return { step, tool: task };
  }
}

/** What a cell's playbook calls when the kind is `playbook`: its task ends as the cell is to. */
export function childYaml(ending: Ending): string {
  const http = KINDS['http'] as CanaryKind;
  const tool = http.carry!('{{ workload.key }}', ending, '{{ workload.at }}')!;
  return JSON.stringify({
    apiVersion: 'noetl.io/v2',
    kind: 'Playbook',
    metadata: {
      name: `child_${ending}`,
      path: `canary/child_${ending}`,
      workload: { key: { secret: true } },
    },
    executor: { spec: { pool: 'edge' } },
    workload: { url: '', at: '', key: null },
    workflow: [
      { step: 'start', tool: { ...tool, timeout: 60, ...(isToSucceed(ending) && { spec: WHEN_BUSY }) } },
    ],
  });
}
