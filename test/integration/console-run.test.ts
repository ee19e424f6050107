/** A run in the console, as a person follows it and steers it: in Chromium, against a facade over Temporal and workers. */
import fs from 'node:fs';
import path from 'node:path';
import { axeViolations } from '../support/axe';
import { type Dom, FAILING, ITERATIONS, node, type Sized, useConsole } from '../support/console';
import { nightlyTest } from '../support/sampled';
import { docsOf } from '../../src/language/errors';
import { type LogLine } from '../../src/telemetry/logs';
import { until } from '../support/until';

const its = useConsole();
const { ask, started, waiting } = its;

test('a run is drawn live, told of at any moment, and answered', async () => {
  const { page } = its.tab;
  const id = await waiting();
  await page.waitForSelector(node('fetch', 'done'));
  expect(await page.locator('[data-step="fetch"] .ring text').textContent()).toBe('4');
  expect(await page.locator('.token').count()).toBe(1);
  expect(await page.locator('.arc.fired').count()).toBe(2);
  // The first moment: nothing has happened.
  await page.click('[aria-label="First event"]');
  await page.waitForURL(/at=1/);
  await page.waitForSelector(node('fetch', 'waiting'));
  expect(await page.locator('.arc.fired').count()).toBe(0);
  await page.click('#tab-Variables');
  await page.waitForSelector('text=No variable is set yet');
  await page.click('button.live');
  await page.waitForSelector('.panel .key:text-is("region")');
  // Why it went on to fetch: the guard, with the value that it saw.
  await page.click('[data-step="start"]');
  await page.click('#tab-Decisions');
  await page.waitForSelector('.considered .won code:has-text("workload.region")');
  expect(await page.locator('.considered .won .tree').first().textContent()).toContain('eu');
  await page.click('#tab-Events');
  await page.waitForSelector('.event-row:has-text("next.selected")');
  await page.click('.waits button:has-text("Answer")');
  await page.fill('dialog textarea', '{"by": "Ada"}');
  await page.click('dialog button:has-text("Send")');
  await page.waitForSelector(`[data-execution="${id}"][data-status="COMPLETED"]`);
  await page.click('[data-step="publish"]');
  await page.click('#tab-Details');
  await page.waitForSelector('.details .tree:has-text("Ada")');
});

nightlyTest('the timeline unfolds to iterations, by mouse and by keys', async () => {
  const { page } = its.tab;
  await waiting();
  await page.click('[data-span="fetch#1"] .unfold');
  await page.waitForSelector('[data-span="fetch#1[3]"]');
  await page.click('[data-span="fetch#1[3]"]');
  await page.waitForURL(/select=fetch%231%5B3%5D/);
  await page.waitForSelector('[data-selected="fetch#1[3]"] .tree:has-text("stdout")');
  await page.focus('.span-rows');
  await page.keyboard.press('ArrowUp');
  await page.waitForSelector('[data-selected="fetch#1[2]"]');
  expect(await page.locator('.axis .tick').count()).toBeGreaterThan(0);
  // The border between panes is moved by keys, and remembered.
  await page.locator('[aria-label="Between graph and details"]').press('ArrowLeft');
  await page.reload();
  await page.waitForSelector('[aria-label="Between graph and details"][aria-valuenow="64"]');
  // The selection is that of the address.
  await page.waitForSelector('[data-selected="fetch#1[2]"]');
  await page.locator('.slider').click({ position: { x: 1, y: 1 } });
  await page.keyboard.press('1');
  await page.waitForURL(/pane=graph/);
  expect(await page.isVisible('.timeline')).toBe(false);
  await page.keyboard.press('1');
  await page.waitForSelector('.timeline');
  await page.keyboard.press('?');
  await page.waitForSelector('.palette dt:has-text("g r") + dd:text-is("Runs")');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.waitForSelector('.palette input:focus');
  await page.keyboard.type('console/fail');
  await page.waitForSelector('.palette [aria-selected="true"]:has-text("console/failing")');
  expect(await axeViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/playbooks\/console\/failing$/);
});

test('of a loop, the details are those of the loop; a queue that nobody serves is told; nodes are reached by keys', async () => {
  const { page } = its.tab;
  const id = await started('console/looping');
  await page.goto(`/runs/${id}?select=step:start`);
  await page.waitForSelector('[data-loop-done="3"][data-loop-failed="1"]');
  // Nothing of one iteration stands for the step.
  expect(await page.locator('.details h4:text-is("Input")').count()).toBe(0);
  expect(await page.locator('.details h4:text-is("Output")').count()).toBe(0);
  await page.waitForSelector('.details :text("Results of the iterations")');
  // Which of them failed is seen in graph and timeline.
  await page.waitForSelector('[data-step="start"] .ring text.failed:has-text("1")');
  await page.waitForSelector('[data-span="start#1"] .failure-mark');
  await page.click('button:text-is("Failed only")');
  await page.waitForSelector('[data-span="start#1[1]"]');
  expect(await page.locator('[data-span^="start#1["][aria-level="2"]').count()).toBe(1);
  await page.click('button:text-is("Failed only")');
  await page.click('.failed-iterations button:text-is("[1]")');
  await page.waitForSelector('[data-selected="start#1[1]"] .failure:has-text("EXIT_1")');
  // What the program says with it, no page of ours knows.
  expect(await page.locator('.failure a').count()).toBe(0);
  await page.waitForSelector(
    '[data-unserved-queue="noetl-container"]:has-text("noetl-temporal worker --kinds container")',
  );
  await page.waitForSelector('[data-unserved][data-span="nobody#1"]');
  await page.waitForSelector('.run-head-line [data-late="true"]:has-text("late")');
  expect(await page.locator('.graph [tabindex="0"]').count()).toBeGreaterThan(1);
  await page.locator('.graph [tabindex="0"]').last().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/select=step%3Anobody/);
  await ask(`/api/executions/${id}/cancel`, {});
});

test('a run is paused, resumed, cancelled with a reason', async () => {
  const { page } = its.tab;
  const id = await waiting();
  await page.click('.actions button:has-text("Pause")');
  await page.waitForSelector('.run-head-line[data-status="PAUSED"]');
  await page.click('.actions button:has-text("Resume")');
  await page.waitForSelector('.run-head-line[data-status="RUNNING"]');
  await page.click('.actions button:has-text("Cancel")');
  await page.fill('dialog input', 'too late');
  await page.click('dialog button:has-text("Cancel the run")');
  await page.waitForSelector('.run-head-line[data-status="CANCELLED"]');
  expect(await ask(`/api/executions/${id}/status`)).toMatchObject({ status: 'CANCELLED', error: 'too late' });
});

nightlyTest('a run begins again from a step, with other variables', async () => {
  const { page } = its.tab;
  const id = await waiting();
  await ask('/api/events', { execution_id: id, name: 'approved', payload: { by: 'Ada' } });
  await page.waitForSelector(node('publish', 'done'));
  await page.click('[data-step="publish"]');
  await page.click('button:has-text("Run again from here")');
  await page.fill('dialog textarea', '{"region": "mars"}');
  await page.click('dialog button:text-is("Run")');
  await page.click('.toasts a');
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id));
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]');
  await page.waitForSelector('.panel .tree:has-text("mars")');
  await page.click(`.run-head-line [data-origin="rerun"] a[href="/runs/${id}"]`);
  await page.waitForSelector(`[data-execution="${id}"][data-status="COMPLETED"]`);
});

test('a failed run is repeated from its step with a revised playbook', async () => {
  const { page } = its.tab;
  const id = await started('console/failing');
  await page.goto(`/runs/${id}?select=step:start`);
  await page.waitForSelector(node('start', 'failed'));
  await page.click('button:has-text("Run again from here")');
  await page.selectOption('dialog select[name=playbook]', 'registered');
  await page.waitForSelector('dialog .hint:has-text("No difference.")');
  await page.selectOption('dialog select[name=playbook]', 'revised');
  const text = page.locator('dialog .cm-content');
  await text.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(FAILING.replace('shell', 'shel'));
  await page.waitForSelector('dialog .diagnostics [data-code="NT2050"]');
  expect(await page.isDisabled('dialog button:text-is("Run")')).toBe(true);
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(FAILING.replace('exit 3', 'echo mended'));
  await page.waitForSelector('dialog .diff .added:has-text("echo mended")');
  await page.waitForSelector('dialog :text("No problems.")');
  await page.click('dialog button:has-text("What would have happened?")');
  await page.waitForSelector('dialog [data-verdict="call"]:has-text("start#1")');
  expect(await axeViolations(page)).toEqual([]);
  await page.click('dialog button:text-is("Run")');
  await page.click('.toasts a');
  await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id));
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]');
});

test('the code of a failure leads to the page that explains it', async () => {
  const { page } = its.tab;
  const content = FAILING.replaceAll('failing', 'dividing')
    .replace('customer: acme', 'customer: 0')
    .replace('exit 3', 'echo {{ 1 // workload.customer }}');
  await ask('/api/catalog/register', { content });
  await page.goto(`/runs/${await started('console/dividing')}`);
  const code = page.locator('.failure a:has-text("NT4112")');
  expect(await code.getAttribute('href')).toBe(docsOf('NT4112'));
  expect(await axeViolations(page)).toEqual([]);
});

test('what tasks print is followed live, told apart, and narrowed to what is selected', async () => {
  const { page } = its.tab;
  const file = path.join(its.folder, 'go-on');
  const id = await started('console/talking', { file });
  await page.goto(`/runs/${id}`);
  await page.click('#tab-Logs');
  await page.waitForSelector('.log-row[data-stream="stdout"]:has-text("first")');
  await page.waitForSelector(node('talk', 'running'));
  fs.writeFileSync(file, '');
  await page.waitForSelector('.log-row[data-stream="stderr"]:has-text("second")');
  await page.waitForSelector('.log-row .ansi-red:text-is("second")');
  await page.waitForSelector('.log-row[data-stream="error"]');
  const rows = (): Promise<string[]> => page.locator('.log-row code').allTextContents();
  expect((await rows()).slice(0, 4)).toEqual(['a', 'b', 'first', 'second']);
  const names = await page.locator('.log-task').allTextContents();
  expect(names.slice(0, 3)).toEqual(['start[0]', 'start[1]', 'talk']);
  expect(await axeViolations(page)).toEqual([]);
  // The moment and the selection count here as everywhere.
  await page.click('[data-span="start#1"] .unfold');
  await page.click('[data-span="start#1[1]"]');
  await until(async () => (await rows()).join() === 'b');
  await page.click('[data-step="talk"]');
  await until(async () => (await rows()).slice(0, 2).join() === 'first,second');
  await page.click('.log-row:has-text("second")');
  await page.waitForSelector('.event-shown:has-text("stderr") .log-whole :text-is("second")');
  await page.click('[aria-label="First event"]');
  await page.waitForSelector('text=No task of talk had printed anything by then.');
  await page.goto(`/runs/${await started('console/tick')}`);
  await page.click('#tab-Logs');
  await page.waitForSelector('text=No task printed anything.');
});

nightlyTest(
  'of half a million log lines those in sight are read and drawn; they are searched, filtered, and the first failure is found',
  async () => {
    const { page } = its.tab;
    const id = await started('console/tick');
    const [chunks, size, broken] = [250, 2_000, 194];
    const name = (chunk: number): string =>
      `${String(1_767_225_600_000 + chunk * 200)}-0a0b0c0d-000000-${String(size)}`;
    const line = (n: number): LogLine => ({
      ...{ at: '2026-01-01T00:00:00.000Z', step: 'start', task: 'start_task' },
      ...{ task_run_id: 'start#1.start_task@1', attempt: 1, stream: 'stdout' },
      line: `line ${String(n)} ${n % 1000 === 0 ? 'thousand ' : ''}${'x'.repeat(n % 300)}`,
    });
    const lines = Array.from({ length: size }, (_, n) => line(n));
    const failed = lines.with(622, { ...line(622), stream: 'error', line: 'EXIT_1: it broke' });
    const store = its.storedLogs(id);
    for (let chunk = 0; chunk < chunks; chunk++)
      await store.write(name(chunk), chunk === broken ? failed : lines);
    await page.goto(`/logs?run=${id}`);
    await page.waitForSelector(`.log-found[data-lines="${String(chunks * size)}"]`);
    await page.waitForSelector('.log-row:has-text("line 1999 ")');
    const drawn = page.locator('.log-row');
    expect(await drawn.count()).toBeLessThan(400);
    const box = page.locator('.log-box');
    await box.evaluate((rows) => ((rows as unknown as { scrollTop: number }).scrollTop = 0));
    await page.waitForSelector('.log-row:has-text("line 0 ")');
    await page.click('button:text-is("First failure")');
    await page.waitForSelector('.log-row.selected[data-stream="error"]:has-text("it broke")');
    await page.waitForSelector(
      '.event-shown:has-text("start#1.start_task@1") .log-whole:text-is("EXIT_1: it broke")',
    );
    expect(new URL(page.url()).searchParams.get('line')).toBe(`${id}/${name(broken)}.622`);
    // The address alone shows the same line, with what is around it.
    await page.reload();
    await page.waitForSelector('.log-row.selected:has-text("it broke")');
    await page.waitForSelector('.log-row:has-text("line 621 ")');
    await page.locator('.log-box').press('/');
    await page.keyboard.type('THOUSAND');
    await page.waitForSelector(`.log-found[data-lines="${String((chunks * size) / 1000)}"][data-over]`);
    await page.waitForSelector('.log-row mark:text-is("thousand")');
    expect(await drawn.count()).toBeLessThan(400);
    await page.click('button:text-is("Show what is around it")');
    await page.waitForSelector('.log-row.selected:has-text("it broke")');
    await page.click('button:text-is("Wrap")');
    const high = await page
      .locator('.log-row:has-text("line 621 ")')
      .evaluate((row) => (row as unknown as Sized).clientHeight);
    expect(high).toBeGreaterThanOrEqual(20);
    await page.selectOption('select[aria-label="All streams"]', 'error');
    await page.waitForSelector('.log-found[data-lines="1"][data-over]');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.click('button:text-is("Download")'),
    ]);
    expect(fs.readFileSync((await file.path())!, 'utf8')).toBe(
      '2026-01-01T00:00:00.000Z start#1.start_task@1 error EXIT_1: it broke\n',
    );
    expect(await axeViolations(page)).toEqual([]);
    // Of all runs of the playbook, with a run's lines below its name.
    await page.goto('/logs?path=console/tick&stream=error');
    await page.waitForSelector(`[data-log-of="${id}"] .log-row:has-text("it broke")`);
  },
);

test('the slider draws only rows in sight, and the address follows when it rests', async () => {
  const { page } = its.tab;
  const id = await started('console/long');
  await page.goto(`/runs/${id}`);
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]');
  await page.click('[data-span="start#1"] .unfold');
  await page.waitForSelector('[data-span="start#1[3]"]');
  const events = Number(await page.locator('.slider input').getAttribute('max'));
  expect(events).toBeGreaterThan(ITERATIONS * 2);
  const moves = 40;
  const moved = await page.evaluate(
    async ({ from, count }) => {
      const { document, history } = globalThis as unknown as Dom;
      const slider = document.querySelector('.slider input');
      const found = { drawn: 0, written: 0 };
      const own = history.replaceState.bind(history);
      history.replaceState = (...of) => {
        found.written++;
        own(...of);
      };
      for (let n = 1; n <= count; n++) {
        slider.value = String(n === count ? 7 : Math.ceil((from * (count - n)) / count));
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 20));
        found.drawn = Math.max(found.drawn, document.querySelectorAll('[data-span]').length);
      }
      return found;
    },
    { from: events, count: moves },
  );
  expect(moved.drawn).toBeLessThan(80);
  expect(moved.written).toBeLessThan(15);
  await page.waitForURL(/[?&]at=7(&|$)/);
  await page.waitForSelector('.slider-said:has-text("7 /")');
  // Moved again just when the address is written: it does not go back to what was written.
  await page.evaluate(() => {
    const { document, history } = globalThis as unknown as Dom;
    const slider = document.querySelector('.slider input');
    const move = (to: number): void => {
      slider.value = String(to);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    };
    const own = history.replaceState.bind(history);
    history.replaceState = (...of) => {
      history.replaceState = own;
      own(...of);
      move(40);
    };
    move(30);
  });
  await page.waitForURL(/[?&]at=40(&|$)/);
  await page.waitForSelector('.slider-said:has-text("40 /")');
});
