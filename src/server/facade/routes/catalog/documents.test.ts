import { executedOf } from './documents';

test.each([
  [{ playbook_id: 'examples/hello' }, { path: 'examples/hello' }],
  [
    { playbook_id: 'examples/hello', version: 2 },
    { path: 'examples/hello', version: 2 },
  ],
  [{ playbook_id: 287146398761160 }, { path: '287146398761160' }],
  [{ playbook_id: '', path: 'a' }, { path: 'a' }],
  [{ playbook_id: 'b', path: 'a' }, { path: 'a' }],
  [{ playbook_id: 'b', catalog_id: '7' }, { catalog_id: '7' }],
  [{ playbook_id: null }, {}],
])('what %j asks for', (body, expected) => {
  expect(executedOf(body)).toEqual(expected);
});
