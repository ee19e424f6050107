/** The keys of the JSON Schema that `noetl schema` of the official CLI prints, each in the smallest playbook that uses it. */

type Node = Readonly<Record<string, unknown>>;
type Build = (inner: unknown) => unknown;

/** A key, or one value of a key whose values are words. */
export interface OfficialKey {
  /** `Step.when`, `LoopSpec.mode=parallel`; keys of the document itself are those of `Playbook`. */
  readonly id: string;
  /** The document with it, and without it. */
  readonly uses: object;
  readonly without: object;
}

const STEP = {
  step: 'start',
  tool: { kind: 'python', code: 'result = {"a": 1}' },
  next: ['end', 'last'],
};
const ENDS = ['end', 'last'].map((step) => ({ step, tool: { kind: 'noop' } }));

/** Objects that mean something, as far as `required` does not say it. */
const OBJECTS: Readonly<Record<string, object>> = {
  Playbook: {
    apiVersion: 'noetl.io/v2',
    kind: 'Playbook',
    metadata: { name: 'official' },
    workload: { n: 1, rows: [1, 2] },
    workflow: [STEP, ...ENDS],
  },
  Metadata: { name: 'official' },
  Step: STEP,
  WorkbookTask: { name: 'task', tool: { kind: 'noop' } },
  ToolSpec: STEP.tool,
  OutputSelect: { path: '$.a', as: 'a' },
  NextRouter: { arcs: [{ step: 'end' }] },
  Arc: { step: 'end' },
  LoopConfig: { in: '{{ workload.rows }}', iterator: 'row' },
  CursorSpec: { kind: 'postgres', auth: 'pg', claim: 'SELECT 1' },
  CaseCondition: { when: "{{ event.name == 'call.done' }}", then: [{ step: 'end' }] },
  NextStep: { step: 'end' },
  AdmitPolicy: { rules: [{ else: { then: { allow: true } } }] },
  TaskPolicy: { rules: [{ when: "{{ outcome.status == 'ok' }}", then: { do: 'continue' } }] },
};

const CURSOR_LOOP = { cursor: OBJECTS['CursorSpec'], iterator: 'row', spec: { mode: 'cursor' } };

/** What stands around a key, where the smallest object is not enough: with and without it. */
const AROUND: Readonly<Record<string, readonly [object, object]>> = {
  'LoopConfig.cursor': [CURSOR_LOOP, { in: '{{ workload.rows }}', iterator: 'row' }],
  'NextStep.then': [{ when: '{{ workload.n == 1 }}', then: [{ step: 'end' }] }, { step: 'end' }],
  'NextStep.next': [{ next: [{ step: 'end' }] }, { step: 'end' }],
};

/** Objects that mean something in one place only. */
const PLACES: Readonly<Record<string, Build>> = {
  CursorSpec: (cursor) => {
    const loop = { ...CURSOR_LOOP, cursor };
    return { ...OBJECTS['Playbook'], workflow: [{ ...STEP, loop }, ...ENDS] };
  },
  FramePolicy: (frame) => {
    const loop = { ...CURSOR_LOOP, spec: { mode: 'cursor', frame } };
    return { ...OBJECTS['Playbook'], workflow: [{ ...STEP, loop }, ...ENDS] };
  },
};

const RULE = { when: "{{ outcome.status == 'error' }}", then: { do: 'fail' } };

/** Values of keys whose type says too little. */
const VALUES: Readonly<Record<string, unknown>> = {
  'Playbook.keychain': [{ name: 'api', kind: 'bearer', auth: 'api_token' }],
  'Playbook.workload': { n: 2 },
  'Metadata.path': 'official/keys',
  'ExecutorSpec.entry_step': 'end',
  'ExecutorSpec.final_step': 'end',
  'ExecutorPolicy.defaults': { timeouts: { python: 7 } },
  'ExecutorPolicy.limits': { max_step_runs: 7 },
  'ExecutorPolicy.results': { reference_first: true },
  'Step.when': '{{ workload.n == 1 }}',
  'Step.input': { a: 1 },
  'Step.set': { 'ctx.a': 1 },
  'Step.vars': { a: '{{ start.a }}' },
  'StepSpec.timeout': 7,
  'StepPolicy.failure': { mode: 'best_effort' },
  'StepPolicy.lifecycle': { timeout_s: 7 },
  'AdmitPolicy.rules': [{ when: '{{ workload.n == 2 }}', then: { allow: true } }],
  'TaskSpec.timeout': 7,
  'TaskPolicy.rules': [RULE],
  'LoopConfig.in': '{{ [workload.n] }}',
  'LoopConfig.iterator': 'item',
  'LoopConfig.mode': 'parallel',
  'LoopSpec.max_in_flight': 2,
  'CursorSpec.options': { max_iterations: 7 },
  'FramePolicy.max_rows': 7,
  'FramePolicy.row_concurrency': 7,
  'Arc.when': '{{ workload.n == 1 }}',
  'Arc.set': { 'ctx.a': 1 },
  'NextStep.args': { a: 1 },
  'NextStep.when': '{{ workload.n == 1 }}',
  'WorkbookTask.tool': { kind: 'noop' },
};

/** All keys, in the order of the schema. */
export function officialKeys(schema: Node): OfficialKey[] {
  const definitions = schema['$defs'] as Readonly<Record<string, Node>>;
  const keys: OfficialKey[] = [];
  const seen = new Set<string>();

  /** The objects that a value of this schema may be, with what is around them. */
  function objectsIn(node: Node, name = '', build: Build = (inner) => inner): [string, Node, Build][] {
    const reference = node['$ref'];
    if (typeof reference === 'string') {
      const of = reference.split('/').at(-1)!;
      return objectsIn(definitions[of]!, of, build);
    }
    const arms = [...listOf(node['anyOf']), ...listOf(node['oneOf'])];
    const items = node['items'] ? objectsIn(nodeOf(node['items']), name, (inner) => build([inner])) : [];
    const own: [string, Node, Build][] = node['properties'] ? [[name, node, build]] : [];
    return [...own, ...arms.flatMap((arm) => objectsIn(arm, name, build)), ...items];
  }

  function wordsOf(node: Node): unknown[] {
    const reference = node['$ref'];
    if (typeof reference === 'string') return wordsOf(definitions[reference.split('/').at(-1)!]!);
    const arms = [...listOf(node['anyOf']), ...listOf(node['oneOf'])].flatMap(wordsOf);
    return [...arms, ...((node['enum'] as unknown[]) ?? []), ...('const' in node ? [node['const']] : [])];
  }

  function visit(name: string, node: Node, build: Build): void {
    const visited = `${name} ${Object.keys(node['properties'] as Node).join()}`;
    if (seen.has(visited)) return;
    seen.add(visited);
    const base = OBJECTS[name] ?? {};
    const later: [string, Node, Build][] = [];
    for (const [key, any] of Object.entries(node['properties'] as Node)) {
      const of = nodeOf(any);
      const id = `${name}.${key}`;
      const [around, without = base] = AROUND[id] ?? [];
      const withKey: Build = (value) => build({ ...base, ...around, [key]: value });
      const lacks = build(key in base && !around ? base : without);
      const words = wordsOf(of);
      const add = (called: string, uses: unknown): void =>
        void keys.push({ id: called, uses: uses as object, without: lacks as object });
      // What a mapping is for, its own keys say.
      const objects = objectsIn(of);
      const isOpen = objects.length === 0 || key in base;
      if (words.length > 0) for (const word of words) add(`${id}=${String(word)}`, withKey(word));
      else if (isOpen || around)
        add(id, around ? build(around) : withKey(VALUES[id] ?? sampleOf(of, base, key)));
      for (const [inner, object, wrap] of objects)
        later.push([
          inner,
          object,
          PLACES[inner] ?? ((value) => withKey(inner === 'Step' ? [value, ...ENDS] : wrap(value))),
        ]);
    }
    for (const [inner, object, wrap] of later) visit(inner, object, wrap);
  }

  /** What stands there anyway, the smallest object, or anything of the type. */
  function sampleOf(node: Node, base: object, key: string): unknown {
    if (key in base) return (base as Node)[key];
    const [object] = objectsIn(node);
    if (object) return object[2](OBJECTS[object[0]] ?? {});
    const types = [node['type'], ...listOf(node['anyOf']).map((arm) => arm['type'])].flat();
    if (types.includes('boolean')) return true;
    if (types.includes('integer') || types.includes('number')) return 7;
    if (types.includes('array')) return [];
    return types.includes('string') ? 'a' : {};
  }

  visit('Playbook', schema, (inner) => inner);
  return keys;
}

function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.map(nodeOf) : [];
}

/** A schema may be `true`: anything. */
function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {};
}
