/** What an assistant's tools answer, to a client of the official SDK. */
import fs from 'node:fs';
import { assistantOn, type Assistant, reachOfFiles } from '../../../test/support/assistant';
import { CodedError } from '../../language/errors';
import { type RestCall } from './reach';
import { ASSISTANT_TOOLS } from './tools';

const FAILED = 'test/histories/0.1.0/error_path_failed.json';
const RESCUED = 'test/histories/0.1.0/error_path_rescued.json';
const PLAYBOOK = 'playbooks/error_path.yaml';
const text = fs.readFileSync(PLAYBOOK, 'utf8');
const fixed = text.replace(
  `when: "{{ event.name == 'step.failed' and workload.rescue }}"`,
  `when: "{{ event.name == 'step.failed' }}"`,
);

let assistant: Assistant;
const asked: { path: string; call: RestCall | undefined }[] = [];
beforeAll(async () => {
  const ask = <T>(path: string, call?: RestCall): Promise<T> => {
    asked.push({ path, call });
    return path.includes('/404/')
      ? Promise.reject(
          new CodedError('EXECUTION_NOT_FOUND', 'there is no execution 404', { hint: ['list_runs'] }),
        )
      : Promise.resolve({ answers: path } as T);
  };
  assistant = await assistantOn(reachOfFiles({ ask, hasCatalog: true }));
});
afterAll(() => assistant.close());

test('every tool has a schema of its input, says whether it changes something, and takes no other field', async () => {
  const { tools } = await assistant.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    ASSISTANT_TOOLS.flatMap(({ name, where }) => (where === 'files' ? [] : [name])),
  );
  for (const { name, description, inputSchema, annotations } of tools) {
    expect([name, inputSchema.type, typeof annotations?.readOnlyHint]).toEqual([name, 'object', 'boolean']);
    expect(description!.length).toBeGreaterThan(20);
    const { text: refused, isError } = await assistant.call(name, { nonsense: 1 });
    expect([isError, refused]).toEqual([true, expect.stringContaining('ARGUMENTS_INVALID')]);
  }
  await expect(assistant.client.callTool({ name: 'nothing' })).rejects.toThrow('there is no tool nothing');
});

test('validate says all that is wrong, and offers the text that is right', async () => {
  const old = text.replace('step: risky', 'step: risky\n    nonsense: 1');
  const found = await assistant.document('validate', { playbook: old });
  expect(found).toMatchObject({
    diagnostics: [expect.objectContaining({ code: expect.stringMatching(/^NT/) })],
  });
  expect(await assistant.document('validate', { playbook: PLAYBOOK })).toMatchObject({
    ok: true,
    steps: expect.any(Array),
  });
});

test('schema answers a kind, a part, a path; for what there is not, what there is', async () => {
  expect((await assistant.document('schema', { place: 'http' }))['schema']).toHaveProperty('properties.url');
  expect((await assistant.document('schema', { place: 'loop' }))['schema']).toHaveProperty(
    'properties.iterator',
  );
  expect(
    (await assistant.document('schema', { place: 'workflow[].next.arcs[].when' }))['schema'],
  ).toHaveProperty('description');
  const { text: said, isError } = await assistant.call('schema', { place: 'workflow[].nxt' });
  expect([isError, said]).toEqual([
    true,
    expect.stringMatching(/has no `nxt`; .*next[^]*NO_SUCH_PLACE[^]*There are: /),
  ]);
});

test('documentation is found by words, and read by page and section', async () => {
  const { sections } = await assistant.document<{ sections: { page: string }[] }>('search_docs', {
    query: 'retry a failed http call',
  });
  expect(sections.length).toBeGreaterThan(2);
  const { sections: proof } = await assistant.document<{ sections: { page: string }[] }>('search_docs', {
    query: 'verify past executions',
  });
  expect(proof.slice(0, 3).map(({ page }) => page)).toContain('proving-a-change.md');
  expect(
    (await assistant.call('read_page', { page: 'proving-a-change.md', section: 'Verify' })).text,
  ).toContain('different decision');
  expect((await assistant.call('read_page', { page: '../package.json' })).isError).toBe(true);
});

test('a fix is proven by what_if and verify, on recorded histories', async () => {
  expect(await assistant.document('what_if', { execution: FAILED })).toMatchObject({
    verdict: 'same',
    status: 'failed',
  });
  const anew = await assistant.document('what_if', {
    execution: FAILED,
    playbook: fixed,
    as_rehearsal: true,
  });
  expect(anew).toMatchObject({ status: 'completed', unanswered: [] });
  const verified = await assistant.document('verify', {
    old: PLAYBOOK,
    new: fixed,
    executions: [FAILED, RESCUED],
  });
  expect(verified).toMatchObject({ executions: 2, counts: { same: 1, decision: 1 }, ok: false });
  const { rehearsal } = anew as { rehearsal: string };
  expect(await assistant.document('rehearse', { rehearsal, playbook: fixed })).toMatchObject({
    passed: 1,
    failed: 0,
  });
  expect(await assistant.document('rehearse', { rehearsal, playbook: PLAYBOOK })).toMatchObject({
    passed: 0,
    failed: 1,
  });
  expect(await assistant.document('coverage', { playbook: fixed, rehearsal })).toMatchObject({ runs: 1 });
  expect(await assistant.document('diff', { a: FAILED, b: RESCUED })).toMatchObject({ same: false });
});

test('simulate finds a fault and shows it as a rehearsal', async () => {
  const { rehearsal } = await assistant.document<{ rehearsal: string }>('rehearse', { playbook: PLAYBOOK });
  expect(await assistant.document('rehearse', { rehearsal, playbook: PLAYBOOK })).toMatchObject({
    failed: 0,
  });
  const faults = 'faults: {all: {failures: 50%}}\nat_end:\n  never fails: "{{ status == \'completed\' }}"\n';
  const found = await assistant.document<{ faults: { rehearsal: string }[] }>('simulate', {
    playbook: PLAYBOOK,
    faults,
    seeds: 40,
  });
  expect(found.faults[0]!.rehearsal).toContain('expect');
});

test('tools that read or change executions ask the REST API; its errors are answers with code and hint', async () => {
  asked.length = 0;
  await assistant.document('explain', { execution: '7', step: 'a b' });
  await assistant.document('cancel', { execution: '7', reason: 'wrong input' });
  await assistant.document('register', { playbook: text });
  expect(asked).toEqual([
    { path: '/api/executions/7/explanation?step=a+b', call: undefined },
    { path: '/api/executions/7/cancel', call: { method: 'POST', body: { reason: 'wrong input' } } },
    {
      path: '/api/catalog/register',
      call: { method: 'POST', body: { content: text, resource_type: 'Playbook', staged: true } },
    },
  ]);
  const refused = await assistant.call('status', { execution: '404' });
  expect(refused).toEqual({
    isError: true,
    text: 'there is no execution 404 [EXECUTION_NOT_FOUND]\n→ list_runs',
  });
});

test('resources: guide, schema, examples, pages, playbooks, runs', async () => {
  const { resources } = await assistant.client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual(
    expect.arrayContaining(['noetl://guide', 'noetl://examples/hello_world.yaml']),
  );
  for (const uri of [
    'noetl://guide',
    'noetl://schema/playbook',
    'noetl://examples/hello_world.yaml',
    'noetl://docs/tools/http.md',
    `noetl://playbooks/${PLAYBOOK}`,
    'noetl://runs/7',
  ]) {
    const { contents } = await assistant.client.readResource({ uri });
    expect((contents[0] as { text: string }).text.length).toBeGreaterThan(10);
  }
  for (const uri of [
    'noetl://nothing',
    'noetl://examples/../package.json',
    'file:///etc/passwd',
    'noetl://docs/../../etc/passwd',
  ])
    await expect(assistant.client.readResource({ uri })).rejects.toThrow(/there is no/);
});

test('variables of resources and prompts are completed', async () => {
  const completed = async (name: string, value: string): Promise<string[]> => {
    const ref = { type: 'ref/resource' as const, uri: 'noetl://docs/{+page}' };
    const { completion } = await assistant.client.complete({ ref, argument: { name, value } });
    return completion.values;
  };
  expect(await completed('page', 'tools/ht')).toEqual(['tools/http.md']);
  // The catalog and the list of executions are of another form here: nothing is told of what cannot be read.
  expect([await completed('path', ''), await completed('execution', ''), await completed('x', '')]).toEqual([
    [],
    [],
    [],
  ]);
  const playbooks = (): Promise<object[]> => Promise.resolve([{ path: 'error_path' }, { path: 'hello' }]);
  const here = await assistantOn(reachOfFiles({ playbooks }));
  const ref = { type: 'ref/resource' as const, uri: 'noetl://playbooks/{+path}' };
  const { completion } = await here.client.complete({ ref, argument: { name: 'path', value: 'error_path' } });
  expect(completion.values).toEqual(['error_path']);
  await here.close();
});

test('every state of a playbook is explored', async () => {
  const dead = `${text.slice(0, text.indexOf('workflow:'))}workflow:
- step: start
  tool: { kind: http, url: "http://a" }
  next: { arcs: [{ step: a }] }
- step: a
  tool: { kind: noop }
  next: { arcs: [{ step: b, when: "{{ start.data.n > 3 and start.data.n < 2 }}" }] }
- step: b
  tool: { kind: noop }
`;
  const checked = await assistant.document<{
    states: number;
    complete: boolean;
    findings: { line: number; trace: string[] }[];
  }>('check_deep', { playbook: dead });
  expect(checked).toMatchObject({ complete: true, bound: 2 });
  expect(checked.states).toBeGreaterThan(2);
  expect(JSON.stringify(checked.findings)).not.toContain('"node"');
});

test('prompts name tools that exist', async () => {
  const { prompts } = await assistant.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['write_playbook', 'why_failed', 'fix_and_prove']);
  const names = new Set([
    ...ASSISTANT_TOOLS.map(({ name }) => name),
    'unanswered',
    'ok',
    'fixed',
    'outcomes',
  ]);
  for (const { name, arguments: fields = [] } of prompts) {
    const given = Object.fromEntries(fields.map((field) => [field.name, '1']));
    const { messages } = await assistant.client.getPrompt({ name, arguments: given });
    const { text: said } = messages[0]!.content as { text: string };
    for (const [, tool] of said.matchAll(/`([a-z_]+)`/g)) expect(names).toContain(tool);
  }
  await expect(assistant.client.getPrompt({ name: 'why_failed', arguments: {} })).rejects.toThrow(
    'execution',
  );
});

test('who may only read sees no tool that changes something, and cannot call one', async () => {
  const reader = await assistantOn(reachOfFiles({ hasCatalog: true }), { may: (scope) => scope === 'read' });
  expect(await reader.names()).not.toContain('run');
  await expect(reader.call('run', { path: 'a' })).rejects.toThrow('there is no tool run');
  await reader.close();
});

test('an unexpected error is reported, and not told', async () => {
  const reported: unknown[] = [];
  const secret = new TypeError('password=hunter2');
  const broken = await assistantOn(reachOfFiles({ ask: () => Promise.reject(secret) }), {
    report: (error) => void reported.push(error),
  });
  expect((await broken.call('status', { execution: '1' })).text).not.toContain('hunter2');
  await expect(broken.client.readResource({ uri: 'noetl://runs/1' })).rejects.not.toThrow('hunter2');
  expect(reported).toEqual([secret, secret]);
  await broken.close();
});

test('a catalog that is away takes no tool away but its own', async () => {
  const away = new CodedError('FACADE_UNREACHABLE', 'no facade answers');
  const alone = await assistantOn(reachOfFiles({ ask: () => Promise.reject(away), hasCatalog: true }), {
    exposed: () => Promise.reject(away),
  });
  expect(await alone.names()).toContain('validate');
  expect(await alone.call('list_runs')).toMatchObject({
    isError: true,
    text: expect.stringContaining('FACADE_UNREACHABLE') as string,
  });
  await expect(alone.call('double')).rejects.toThrow('there is no tool double');
  await alone.close();
});

test('exposed playbooks are tools beside the others; what they answer is noted and bounded', async () => {
  const notes: unknown[] = [];
  const big = { content: [{ type: 'text', text: 'x' }] };
  const call = (input: object): Promise<object> => Promise.resolve({ ...big, _meta: input });
  const one = await assistantOn(reachOfFiles(), {
    exposed: () =>
      Promise.resolve([{ name: 'double', description: 'd', inputSchema: { type: 'object' }, call }]),
    noted: (note) => void notes.push(note),
  });
  expect((await one.names()).at(-1)).toBe('double');
  expect((await one.call('double', { n: 1 })).text).toBe('x');
  expect(notes).toEqual([{ assistant: 'tester 1.0', tool: 'double', scope: 'run' }]);
  await one.close();
});
