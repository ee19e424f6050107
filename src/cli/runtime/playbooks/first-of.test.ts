import { PlaybookRefused, type PlaybookResolver } from '../../../temporal/worker/playbooks';
import { firstOf } from './first-of';

const nowhere = (code: 'PLAYBOOK_NOT_FOUND' | 'PLAYBOOK_INVALID', message: string): PlaybookResolver => ({
  resolve: () => Promise.reject(new PlaybookRefused(code, message)),
});

test('of a playbook that nobody has, every place says what it knows', async () => {
  const places = [
    nowhere('PLAYBOOK_NOT_FOUND', 'not here: did you mean `a/b`?'),
    nowhere('PLAYBOOK_NOT_FOUND', 'nor here'),
  ];
  await expect(firstOf(places).resolve({ path: 'a/c' })).rejects.toMatchObject({
    code: 'PLAYBOOK_NOT_FOUND',
    message: 'not here: did you mean `a/b`?; nor here',
  });
});

test('one that is broken where it is first found is not looked for elsewhere', async () => {
  const places = [nowhere('PLAYBOOK_INVALID', 'broken'), nowhere('PLAYBOOK_NOT_FOUND', 'not here')];
  await expect(firstOf(places).resolve({ path: 'a' })).rejects.toMatchObject({ message: 'broken' });
});
