/** The playground: its page is there, small, and shows a run; what else it does, playground-whole.test.ts tries. */
import { usePlayground } from '../support/playground';

jest.setTimeout(120_000);

const playground = usePlayground();

test('a rehearsal is run, and its run looked at event by event', async () => {
  await playground.inTab(async (page) => {
    await page.waitForSelector('[data-step="greet"]');
    // Before anybody does anything, neither compiler nor reader is loaded.
    expect(playground.sent).toBeLessThan(400_000);
    await page.getByRole('button', { name: 'Rehearsals' }).click();
    await page.getByRole('button', { name: 'Run them' }).click();
    await page.locator('[data-rehearsal][data-ok="true"]').first().waitFor();
    await page.getByRole('button', { name: 'See the run' }).first().click();
    await page.waitForSelector('[data-step="end"][data-status="done"]');
    await page.getByRole('button', { name: 'First event' }).click();
    await page.waitForSelector('[data-step="end"][data-status="waiting"]');
  });
});
