/** The example of docs/extensions.md: what a module declares holds wherever what a built-in kind declares does. */
import fs from 'node:fs';
import path from 'node:path';
import { compile } from '../../language/dsl';
import { checkCredential, spellingsOf } from '../../server/facade/credentials/types';
import { diffText, readRehearsals, runRehearsal, starterRehearsal } from '../../offline/rehearsal';
import * as api from '.';
import { extensionsOf } from './load';

const page = fs.readFileSync(path.resolve(__dirname, '../../../docs/extensions.md'), 'utf8');
const example = [...page.matchAll(/```js\n(.*?)```/gs)]
  .map(([, text]) => text!)
  .find((text) => text.includes('help-desk'))!;
const body = example.replace(/^import .*\n/m, '').replace('export default', 'return');
// oxlint-disable-next-line typescript/no-implied-eval -- the page's example is code
const declared = new Function(...Object.keys(api), body)(...Object.values(api)) as unknown;
const { kinds, tools } = extensionsOf([['help-desk', declared]]);

const PLAYBOOK = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: desk, path: docs/desk }
executor: { spec: { extensions: [tickets] } }
workflow:
  - step: start
    tool:
      kind: tickets
      auth: desk
      set: { ctx.first: "{{ output.data[0].id }}", ctx.total: "{{ output.total }}" }
    next: { arcs: [{ step: each }] }
  - step: each
    loop: { in: "{{ start.body }}", iterator: ticket }
    tool: { kind: noop }
`;
const { plan, diagnostics } = compile(PLAYBOOK, { kinds });

function rehearse(mock: string) {
  const text = `playbook: ./desk.yaml\nmocks: { start: ${mock} }\nexpect: { ctx: { first: 7, total: 2 } }\n`;
  const load = (): { file: string; plan: NonNullable<typeof plan> } => ({ file: 'desk.yaml', plan: plan! });
  const { rehearsed, diagnostics: found } = readRehearsals(text, { file: 'x.rehearsal.yaml', load, kinds });
  const result = rehearsed && runRehearsal(rehearsed.rehearsals[0]!, rehearsed);
  return { found: found.map(({ message }) => message), result };
}

test.each(['[[{ id: 7 }, { id: 8 }]]', '{ items: [{ id: 7 }, { id: 8 }] }'])(
  'rehearsals write its result short, and its data is the field that it names: %s',
  (mock) => {
    expect(diagnostics).toEqual([]);
    const { found, result } = rehearse(mock);
    expect(found).toEqual([]);
    expect(diffText(result!, { rehearsal: 'x.rehearsal.yaml', playbook: 'desk.yaml' })).toBe('');
    expect(result!.ok).toBe(true);
  },
);

test('a mock that the kind cannot answer is told at its place', () => {
  expect(rehearse('{ items: 3 }').found).toEqual(['`items` of a mocked tickets task is a list']);
  expect(rehearse('{ item: [] }').found).toContain(
    '`item` is not a key of an answer of a task of kind tickets',
  );
});

test('a first rehearsal answers the least', () => {
  expect(starterRehearsal(plan!, './desk.yaml', kinds).text).toMatch(/start: *\{? *\n? *items: \[\]/);
});

test('its credentials are checked as they are stored', () => {
  expect(checkCredential('Help-Desk', { url: 'https://desk' }, kinds).problems).toEqual([
    'a credential of type help_desk needs data.token (also spelt api_key)',
  ]);
  expect(checkCredential('help_desk', { endpoint: 'https://desk', api_key: 'k' }, kinds)).toEqual({
    problems: [],
  });
  expect(checkCredential('help_desk', {}).note).toContain("unknown type 'help_desk'");
  expect(spellingsOf('help_desk', kinds)).toEqual(['help_desk', 'help-desk']);
});

test('its worker takes as many tasks at once as it says', () => {
  expect(tools).toEqual([expect.objectContaining({ kind: 'tickets', concurrency: 2 })]);
});
