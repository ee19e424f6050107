/**
 * An agent's task as its turns (docs/design/weighed.md#agents): before it, a task that begins the conversation, and a
 * loop of the tools that the turn before called; behind it, a jump back as long as the model goes on.
 */
import { type Located, type Report } from '../diagnostics/diagnostic';
import { scalar } from '../sugar/nodes';
import {
  asList,
  asMap,
  asText,
  child,
  entry,
  isNull,
  type MapEntry,
  type MapNode,
  presentValue,
} from '../yaml/node';
import { type RuleDoc, type TaskDoc, type Write } from './document';

/** How often a turn is asked again that a server could not answer; after 1, 2 and 4 s, or what it asks for. */
const ATTEMPTS = 4;
const FIRST_DELAY_S = 1;
/** Of a tool, the fields of its call. */
const OF_CALL: Readonly<Record<string, string>> = {
  playbook: 'path',
  version: 'version',
  return_step: 'return_step',
  timeout: 'timeout',
};

/** The tasks of a list with their agents written out, at any depth; what jumps to an agent jumps to its beginning. */
export function withTurns(tasks: readonly TaskDoc[], report: Report): TaskDoc[] {
  const agents = new Set(tasks.filter(({ kind }) => kind === 'agent').map(({ name }) => name));
  const towards = (rule: RuleDoc): RuleDoc => {
    const { to } = rule;
    return to && agents.has(to.name) ? { ...rule, to: { ...to, name: `${stemOf(to.name)}_start` } } : rule;
  };
  const begins = (task: TaskDoc): TaskDoc =>
    task.rules && agents.size > 0 ? { ...task, rules: task.rules.map(towards) } : task;
  return tasks.flatMap((task) => {
    if (task.kind !== 'agent')
      return [begins(task.body === undefined ? task : { ...task, body: withTurns(task.body, report) })];
    checkModel(task, report);
    return turnsOf(begins(task));
  });
}

/** What begins the names around an agent: templates read them. */
function stemOf(name: string): string {
  return name.replace(/\W/g, '_').replace(/^(?=\d)/, 'n');
}

/** Sinks have no pipeline in which an agent could take turns. */
export function refuseAgents(sinks: readonly TaskDoc[], report: Report): void {
  for (const { kind, at } of sinks)
    if (kind === 'agent')
      report.add(
        'NT2004',
        at,
        'a sink cannot be an agent',
        'make it a task behind the one whose result it gets',
      );
}

/** What a model cannot be asked without, and how to write it. */
const NEEDED: readonly (readonly [keys: readonly string[], hint: string])[] = [
  [['model'], 'the name of the model, as the server has it'],
  [['prompt'], 'the message that begins the conversation'],
  [
    ['auth', 'credential'],
    'write `auth: {type: api_key, credential: NAME}`: a stored credential with the API key',
  ],
];

function checkModel({ at, fields }: TaskDoc, report: Report): void {
  for (const [keys, hint] of NEEDED)
    if (!fields.some(({ key, value }) => keys.includes(key) && !isNull(value)))
      report.add('NT2051', at, `\`agent\` with \`framework: claude\` needs \`${keys[0]}\``, hint);
  for (const tool of toolsIn(fields)) {
    const name = presentValue(tool, 'name');
    if (name !== undefined && !/^[\w-]{1,128}$/.test(asText(name) ?? ''))
      report.add('NT2060', name, 'a tool of a model has letters, digits, `_` and `-` in its name');
  }
}

function turnsOf(agent: TaskDoc): TaskDoc[] {
  const { name, at, fields, rules = [] } = agent;
  const tools = toolsIn(fields);
  const hasTools = tools.length > 0;
  const stem = stemOf(name);
  const begun = written('local', `${stem}_turn`, "{{ {'calls': []} }}", at);
  const start: TaskDoc = { ...task(`${stem}_start`, at, 'noop'), writes: [begun], generated: true };
  const again: RuleDoc = {
    ...jump(
      hasTools ? `${stem}_tools` : name,
      at,
      "{{ output.status == 'ok' and output.data.calls is defined }}",
    ),
    again: true,
    writes: [written('local', `${stem}_turn`, '{{ output.data }}', at)],
  };
  const turn: TaskDoc = {
    ...agent,
    fields: [
      ...fields,
      field('turn', `{{ ${stem}_turn }}`, at),
      ...(hasTools ? [field('answers', `{{ ${stem}_tools.results }}`, at)] : []),
    ],
    rules: [askedAgain(at), again, ...rules],
    ...(agent.rules === undefined && { unmatched: 'fail' as const }),
  };
  return [start, ...(hasTools ? [calls(stem, tools, at)] : []), turn];
}

/** What a server could not answer is asked again, but not what took too long: it would again, and would cost again. */
function askedAgain(at: Located): RuleDoc {
  return {
    at,
    when: scalar(at, "{{ output.error.retryable and output.error.code != 'TIMEOUT' }}"),
    do: 'retry',
    attempts: scalar(at, ATTEMPTS),
    backoff: 'exponential',
    delay: scalar(at, FIRST_DELAY_S),
    writes: [],
  };
}

/** The tools that the model called, at once; a tool that fails is an answer too. */
function calls(stem: string, tools: readonly MapNode[], at: Located): TaskDoc {
  const use = `${stem}_use`;
  const named = (tool: MapNode): string => asText(presentValue(tool, 'name')) ?? '';
  const taskOf = (tool: MapNode): string => `${stem}_${named(tool).replaceAll('-', '_')}`;
  const choose = tools.map((tool) =>
    jump(taskOf(tool), tool, `{{ ${use}.name == ${JSON.stringify(named(tool))} }}`),
  );
  const called = tools.map((tool): TaskDoc => {
    const where = entry(tool, 'name')?.at ?? tool;
    const failure = written('iter', 'error', '{{ output.error | default(none) }}', where);
    return {
      ...task(taskOf(tool), where, 'playbook'),
      fields: [
        field('payload', `{{ ${use}.input }}`, where),
        // The model is told no more than the refusal says.
        ...(presentValue(tool, 'input_schema')
          ? []
          : [{ key: 'only_inputs', at: where, value: scalar(where, true) }]),
        ...tool.entries.flatMap((each) => (OF_CALL[each.key] ? { ...each, key: OF_CALL[each.key]! } : [])),
      ],
      rules: [{ ...jump(`${stem}_answer`, where), writes: [failure] }],
    };
  });
  const inputs = { id: `{{ ${use}.id }}`, result: '{{ _prev }}', error: '{{ iter.error }}' };
  const answer: TaskDoc = {
    ...task(`${stem}_answer`, at, 'noop'),
    inputs: Object.entries(inputs).map(([key, text]) => field(key, text, at)),
  };
  return {
    ...task(`${stem}_tools`, at, 'iterator'),
    loop: {
      at,
      in: scalar(at, `{{ ${stem}_turn.calls }}`),
      iterator: use,
      iteratorAt: at,
      mode: 'parallel',
      exec: 'inline',
    },
    body: [{ ...task(`${stem}_call`, at, 'noop'), rules: choose, generated: true }, ...called, answer],
    generated: true,
  };
}

function toolsIn(fields: readonly MapEntry[]): MapNode[] {
  const list = asList(fields.find(({ key }) => key === 'tools')?.value);
  return (list?.items ?? []).flatMap((item) => asMap(item) ?? []).filter((tool) => child(tool, 'name'));
}

function task(name: string, at: Located, kind: string): TaskDoc {
  return { name, at, kind, fields: [], inputs: [], writes: [] };
}

function jump(to: string, at: Located, when?: string): RuleDoc {
  return {
    at,
    ...(when !== undefined && { when: scalar(at, when) }),
    do: 'jump',
    to: { name: to, at },
    writes: [],
  };
}

function field(key: string, text: string, at: Located): MapEntry {
  return { key, at, value: scalar(at, text) };
}

function written(scope: Write['scope'], name: string, text: string, at: Located): Write {
  return { scope, path: [name], value: scalar(at, text), at };
}
