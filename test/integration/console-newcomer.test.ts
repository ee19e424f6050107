/** Five tasks of somebody who sees the console for the first time, each in at most four clicks from its first page. */
import { type Page } from 'playwright-core';
import { FAILING, node, useConsole } from '../support/console';
import { until } from '../support/until';

const its = useConsole();
const { ask, started } = its;

const MOST_ACTIONS = 4;
/** Passes once what it made comes. */
const MENDED = FAILING.replace('exit 3', 'exit 0');

/** Begins at the first page, and counts what it does; looking is free. */
async function newcomer(): Promise<{
  page: Page;
  click(what: string): Promise<void>;
  choose(what: string, value: string): Promise<void>;
}> {
  const { page } = its.tab;
  await page.goto('/');
  let actions = 0;
  const act = (what: string): void => {
    actions += 1;
    if (actions > MOST_ACTIONS) throw new Error(`${what} is action ${String(actions)}`);
  };
  return {
    page,
    async click(what) {
      act(what);
      await page.locator(what).first().click();
    },
    async choose(what, value) {
      act(what);
      await page.selectOption(what, value);
    },
  };
}

/** What leads to it on the first page: what is wrong now, or the run in the list. */
const shown = (kind: string, title: string, id: string): string =>
  `[data-problem="${kind}"] a:has-text("${title}"), .run-rows [data-execution="${id}"] a`;

test('why did the run of last night fail, and is it well when it is run again with what mends it?', async () => {
  const id = await started('console/failing');
  await until(
    async () => (await ask<{ status: string }>(`/api/executions/${id}/status`)).status === 'FAILED',
  );
  const why = await newcomer();
  await why.click(shown('failed', 'console/failing', id));
  await why.page.waitForSelector(`.run-head-line[data-execution="${id}"][data-status="FAILED"]`);
  await why.page.waitForSelector('.failure:has-text("EXIT_3")');
  await why.page.waitForSelector('.failure .excerpt:has-text("exit 3")');

  await ask('/api/catalog/register', { content: MENDED });
  const mend = await newcomer();
  await mend.click(shown('failed', 'console/failing', id));
  await mend.click('button:text-is("Run again")');
  await mend.choose('dialog select[name=playbook]', 'registered');
  await mend.page.waitForSelector('dialog .diff .added:has-text("exit 0")');
  await mend.click('dialog button:text-is("Run")');
  await mend.page.locator('.toasts a').waitFor();
  const [again] = await until(async () => {
    const runs = await ask<{ execution_id: string; status: string }[]>(
      '/api/executions?path=console/failing',
    );
    return runs.some(({ status }) => status === 'COMPLETED') && runs;
  });
  expect(again).toMatchObject({ status: 'COMPLETED' });

  const changed = await newcomer();
  await changed.click('.places a[href="/playbooks"]');
  await changed.click('[data-playbook="console/failing"] a');
  await changed.click('.tabs a:text-is("Versions")');
  await changed.page.waitForSelector('.diff .removed:has-text("exit 3")');
  await changed.page.waitForSelector('.diff .added:has-text("exit 0")');
});

test('why does a run wait, and how is it answered?', async () => {
  const [waits, queued] = await Promise.all([started('console/import'), started('console/looping')]);
  const answer = await newcomer();
  await answer.click(shown('waiting', 'console/import waits for approved at sign_off', waits));
  await answer.page.waitForSelector(`.run-head-line[data-execution="${waits}"]`);
  await answer.click('.waits button:text-is("Answer")');
  await answer.click('dialog button:text-is("Send")');
  await answer.page.waitForSelector(`.run-head-line[data-execution="${waits}"][data-status="COMPLETED"]`);

  const why = await newcomer();
  await why.click('.places a[href="/runs"]');
  await why.click(`[data-execution="${queued}"] a`);
  await why.page.waitForSelector(
    '[data-unserved-queue="noetl-container"]:has-text("noetl-temporal worker --kinds container")',
  );
  await why.page.waitForSelector(node('nobody', 'running'));
  await ask(`/api/executions/${queued}/cancel`, {});
});
