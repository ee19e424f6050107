import { planOf, playbookOf } from '../../../../test/support/simulator';
import { coverageParts } from './coverage';

test('a call can fail; a playbook that is called as an agent, or a task without a tool, cannot', () => {
  const plan = planOf(
    playbookOf(`
- step: start
  tool:
  - {name: called, kind: playbook, path: a}
  - {name: agent, kind: agent, framework: noetl, entrypoint: a}
  - {name: nothing, kind: noop}`),
  );
  const failures = coverageParts(plan).filter(({ kind }) => kind === 'failure');
  expect(failures.map(({ id }) => id)).toEqual(['failure start/called']);
});
