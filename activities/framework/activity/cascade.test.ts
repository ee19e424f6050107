import { CASCADE_MS, cascadeWorkflowId } from '../../../src/language/plan/names';
import { refuseCancelled } from './cascade';

describe('what an execution calls that was cancelled with all that it started', () => {
  const marked = (...ids: readonly string[]) => {
    const asked: string[] = [];
    const startOf = (workflow: string): Promise<Date | undefined> => {
      asked.push(workflow);
      return Promise.resolve(ids.map(cascadeWorkflowId).includes(workflow) ? new Date(1_000) : undefined);
    };
    return { asked, startOf };
  };

  it.each([['1'], ['2'], ['3']])('is refused, whichever of its callers it was: %s', async (id) => {
    const { startOf } = marked(id);
    await expect(refuseCancelled('a/b', ['1', '2', '3'], startOf, () => 2_000)).rejects.toMatchObject({
      code: 'PLAYBOOK_CANCELLED',
      message: expect.stringMatching(new RegExp(`^playbook a/b was not started: execution ${id},`)),
    });
  });

  it('is not refused in another family, without callers, or long after that', async () => {
    const { asked, startOf } = marked('7');
    await refuseCancelled('a/b', ['1', '2'], startOf, () => 2_000);
    await refuseCancelled('a/b', [], startOf, () => 2_000);
    await refuseCancelled('a/b', ['7'], startOf, () => 1_000 + CASCADE_MS);
    expect(asked).toEqual(['1', '2', '7'].map(cascadeWorkflowId));
  });
});
