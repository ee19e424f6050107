/** The console, as a person uses it: in Chromium, against a facade over Temporal and workers. */
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { axeViolations } from '../support/axe';
import { type Dom, FAILING, node, useConsole } from '../support/console';
import { until } from '../support/until';

const its = useConsole();
const { ask, started, waiting } = its;

test('runs are listed as they start and end; filters stand in the address; many are run again and cancelled', async () => {
  const { page } = its.tab;
  await page.goto('/');
  await page.waitForSelector('h1:has-text("Runs")');
  const id = await started('console/failing');
  const row = page.locator(`[data-execution="${id}"]`);
  await row.waitFor();
  await page.waitForSelector(`[data-execution="${id}"][data-status="FAILED"]`);
  await row.locator('.step-bar .failed').waitFor();
  await page.click('button.chip:has-text("failed")');
  await page.fill('[aria-label="Playbook, or a/b/*"]', 'console/failing');
  await page.waitForURL(/status=failed.*path=console%2Ffailing/);
  await row.locator('input[type=checkbox]').check();
  await page.click('.batch button:has-text("Run again")');
  await page.click('dialog button:has-text("Run again")');
  await page.waitForFunction(
    () => (globalThis as unknown as Dom).document.querySelectorAll('.run-rows [data-execution]').length > 1,
  );
  const held = await started('console/import');
  await page.goto('/runs?status=running&path=console/*');
  await page.locator(`[data-execution="${held}"] input`).check();
  await page.click('.batch button:has-text("Cancel")');
  await page.fill('dialog input', 'not needed');
  await page.click('dialog button:has-text("Cancel them")');
  await until(
    async () => (await ask<{ status: string }>(`/api/executions/${held}/status`)).status === 'CANCELLED',
  );
});

test('of 2,000 runs those in sight are drawn and asked about; the others come when one scrolls', async () => {
  const { page } = its.tab;
  const [size, all] = [100, 2_000];
  const graphs = new Set<string>();
  await page.route(/\/api\/executions\?/, (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
    const body = Array.from({ length: size }, (_, n) => ({
      execution_id: String(5_000 - from - n),
      workflow_id: `noetl-${String(5_000 - from - n)}`,
      catalog_id: null,
      path: 'console/many',
      version: 1,
      status: 'COMPLETED',
      start_time: '2026-01-01T00:00:00.000Z',
      end_time: '2026-01-01T00:00:01.000Z',
      duration_seconds: 1,
      error: null,
      parent_execution_id: null,
      rerun_of: null,
      schedule: null,
      notification_id: null,
      skipped: false,
    }));
    const headers: Record<string, string> = from + size < all ? { 'x-next-cursor': String(from + size) } : {};
    return route.fulfill({ json: body, headers });
  });
  await page.route(/\/api\/executions\/\d+\/graph/, (route) => {
    graphs.add(route.request().url());
    return route.fulfill({ json: { nodes: [{ step: 'start', status: 'done', runs: 1 }] } });
  });
  await page.goto('/runs');
  await page.waitForSelector('[data-execution="5000"] .step-bar .done');
  const drawn = page.locator('.run-rows [data-execution]');
  expect(await drawn.count()).toBeLessThan(50);
  expect(graphs.size).toBeLessThan(50);
  for (let listed = 2 * size; listed <= all; listed += size) {
    await page.locator('.run-rows').evaluate((rows) => {
      const box = rows as unknown as { scrollTop: number; scrollHeight: number };
      box.scrollTop = box.scrollHeight;
    });
    await page.waitForSelector(`.count:text-is("${String(listed)}${listed < all ? '+' : ''} runs")`);
  }
  await page.locator('.run-rows').press('End');
  await page.waitForSelector(`[data-execution="${String(5_001 - all)}"]`);
  expect(await drawn.count()).toBeLessThan(50);
  // A text is looked for on the pages that were not loaded yet, too.
  await page.goto('/runs?text=3111');
  await page.waitForSelector('.count:text-is("1 run")');
  await page.waitForSelector('[data-execution="3111"]');
});

test('a playbook is started with a form, seen in the grid of its runs, edited with its problems, rehearsed, registered, compared', async () => {
  const { page } = its.tab;
  await page.goto('/playbooks/console/import');
  await page.click('.page-head button:has-text("Start")');
  await page.selectOption('dialog select[name=region]', 'us');
  await page.click('dialog button:text-is("Start")');
  await page.waitForSelector(node('other', 'done'));
  await page.goBack();
  await page.waitForSelector('.grid tr:has-text("other") .cell.done');
  await page.click('nav >> text=Edit');
  const text = page.locator('.cm-content');
  await text.click();
  await page.keyboard.press('Control+End');
  // Typed, a line end would take what the editor proposes, if that comes in time.
  await page.keyboard.insertText('\n- step: bad\n  tool: { kind: nop }');
  await page.waitForSelector('.diagnostics [data-code="NT2050"]');
  expect(await page.isDisabled('button:has-text("Register")')).toBe(true);
  await page.click('.diagnostics [data-code="NT2050"] button:text-is("Fix")');
  await page.waitForSelector('.diagnostics [data-code="NT2050"]', { state: 'detached' });
  expect(await text.innerText()).toContain('tool: { kind: noop }');
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(FAILING.replace('exit 3', 'exit 4').trimStart());
  await page.waitForSelector('text=No problems.');
  await page.click('button.chip:has-text("Rehearsals")');
  await page.fill(
    '.rehearsals textarea',
    'playbook: ./x.yaml\nmocks: { start: { error: { code: SHELL_EXIT, message: it ended with 3 } } }\nrehearsals:\n- name: it fails\n  expect: { status: failed }\n- name: it completes\n  expect: { status: completed }\n',
  );
  await page.click('button:has-text("Run them")');
  await page.waitForSelector('[data-rehearsal="it fails"][data-ok="true"]');
  await page.waitForSelector('[data-rehearsal="it completes"][data-ok="false"]');
  await page.click('button:has-text("Register")');
  await page.waitForSelector('.toasts :has-text("is registered as version")');
  await page.goto('/playbooks/console/failing?tab=versions');
  await page.waitForSelector('.diff .added:has-text("exit 4")');
  await page.request.post('/api/catalog/register', {
    data: { content: FAILING.replace('exit 3', 'exit 5'), staged: true },
  });
  await page.goto('/playbooks/console/failing');
  await page.waitForSelector('[data-staged] .graph [data-step="start"]');
  await page.click('[data-staged] button:has-text("Promote")');
  await page.waitForSelector('dialog:has-text("Although: no execution has been judged yet.")');
  await page.click('dialog button:text-is("Back")');
  await page.click('[data-staged] button:has-text("Give up")');
  await page.click('dialog button:text-is("Give up")');
  await page.waitForSelector('[data-staged]', { state: 'detached' });
});

test('what is written and not registered is kept, until it is discarded or registered', async () => {
  const { page } = its.tab;
  const type = async (text: string): Promise<void> => {
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(text);
    await page.waitForFunction(
      (wanted) =>
        JSON.stringify((globalThis as unknown as { localStorage: object }).localStorage).includes(wanted),
      text.trim(),
    );
  };
  for (const place of ['/playbooks/new', '/playbooks/console/tick?tab=edit']) {
    await page.goto(place);
    await type('\n# not yet registered');
    await page.click('nav >> text=Workers');
    await page.waitForSelector('h1:has-text("Workers")');
    await page.goBack();
    await page.waitForSelector('.cm-content:has-text("# not yet registered")');
    await page.reload();
    await page.waitForSelector('.cm-content:has-text("# not yet registered")');
    await page.click('.draft button:has-text("Discard it")');
    await page.waitForSelector('.cm-content:not(:has-text("# not yet registered"))');
    await page.reload();
    await page.waitForSelector('.cm-content');
    expect(await page.locator('.draft').count()).toBe(0);
  }
  // Two tabs that were opened on the same text: none loses what was written in the other.
  const other = await page.context().newPage();
  await other.goto('/playbooks/console/tick?tab=edit');
  await other.waitForSelector('.cm-content');
  await type('\n# of a tab');
  await other.waitForSelector('.cm-content:has-text("# of a tab")');
  await other.locator('.cm-content').click();
  await other.keyboard.press('Control+End');
  await other.keyboard.insertText('\n# of another');
  await page.waitForSelector('.cm-content:has-text("# of a tab"):has-text("# of another")');
  await other.close();
  await page.click('nav >> text=Versions');
  await page.waitForSelector('.versions');
  await page.click('nav >> text=Edit');
  await page.waitForSelector('.cm-content:has-text("# of a tab")');
  await page.click('button:has-text("Register")');
  await page.waitForSelector('.toasts :has-text("is registered as version")');
  await page.goto('/playbooks/console/tick?tab=edit');
  await page.waitForSelector('.cm-content:has-text("# of a tab")');
  expect(await page.locator('.draft').count()).toBe(0);
});

test('schedules are made, started at once, backfilled and deleted; a queue that nobody polls is marked', async () => {
  const { page } = its.tab;
  await page.goto('/schedules');
  await page.click('.page-head button:has-text("New schedule")');
  await page.fill('dialog label:has-text("Name") input', 'nightly');
  await page.fill('dialog label:has-text("Playbook") input', 'console/tick');
  await page.click('dialog button:text-is("Create")');
  await page.waitForSelector('[data-schedule="nightly"] time');
  const runs = page.locator('[data-schedule="nightly"] a[href^="/runs/"]');
  await page.click('[data-schedule="nightly"] button:has-text("Start now")');
  await page.waitForSelector('.toasts :has-text("Started now.")');
  await until(async () => (await runs.count()) === 1);
  await page.click('[data-schedule="nightly"] button:has-text("Backfill")');
  await page.fill('dialog label:has-text("From") input', '2026-03-01T00:30');
  await page.fill('dialog label:has-text("To") input', '2026-03-02T23:30');
  await page.waitForSelector('dialog [data-backfill-count="2"]');
  await page.click('dialog button:text-is("Start 2 runs")');
  await until(async () => (await runs.count()) === 3);
  await page.waitForSelector('[data-schedule="nightly"] [data-status="COMPLETED"]');
  // What a schedule starts is among the runs, with its name, and found by it.
  await page.goto('/runs?text=nightly');
  await page.waitForSelector('.run-row [data-origin="schedule"]:has-text("nightly")');
  await page.click('.run-row .what a[href^="/runs/"]');
  await page.waitForSelector('.run-head-line [data-origin="schedule"]:has-text("nightly")');
  await page.goto('/schedules');
  await page.waitForSelector('[data-schedule="nightly"] .rule:has-text("hour 3")');
  await page.click('[data-schedule="nightly"] button:has-text("Pause")');
  await page.waitForSelector('[data-schedule="nightly"][data-paused="true"]');
  await page.click('[data-schedule="nightly"] button:has-text("Delete")');
  await page.click('dialog button:has-text("Delete the schedule")');
  await page.waitForSelector('[data-schedule="nightly"]', { state: 'detached' });
  await page.goto('/workers');
  await page.waitForSelector('[data-queue="noetl-shell"][data-polled="true"]');
  // Nobody serves it, which is no harm while nothing waits there.
  await page.waitForSelector(
    '.unused[data-queue="noetl-http"][data-urgent="false"]:has-text("noetl-temporal worker --kinds http")',
  );
});

test('a history file that is dropped is read with no server', async () => {
  const { page } = its.tab;
  await page.goto('/file');
  await page.waitForSelector('text=Drop a history file here');
  const file = path.resolve('test/histories/v1/error_path_failed.json');
  // Loaded once, as by whoever looked at a run before.
  await page.setInputFiles('input[type=file]', file);
  await page.waitForSelector(node('risky', 'failed'));
  await page.check('.coverage-toggle input');
  await page.waitForSelector('[data-step="recover"].uncovered');
  await page.waitForSelector('[data-step="risky"].covered');
  expect(await page.locator('.arc.uncovered').count()).toBeGreaterThan(0);
  await page.context().setOffline(true);
  await page.setInputFiles('input[type=file]', path.resolve('test/histories/v1/loop_elsewhere.json'));
  await page.waitForSelector(node('measure', 'done'));
  expect(await page.locator('[data-step="measure"] .ring text').textContent()).toBe('40');
  // What rules collect is told by no event: the engine knows it, at this moment.
  await page.setInputFiles('input[type=file]', path.resolve('test/histories/v1/collect_pages.json'));
  await page.click('#tab-Variables');
  await page.waitForSelector('.panel .member:has-text("[35]")');
  await page.click('#tab-Logs');
  await page.waitForSelector('text=A history does not contain what tasks print');
  await page.setInputFiles('input[type=file]', path.resolve('package.json'));
  await page.waitForSelector('.problem:has-text("not a Temporal history")');
});

test('the facade is killed and comes back: the page says so and goes on', async () => {
  const { page } = its.tab;
  const id = await waiting();
  await its.stopFacade();
  await page.waitForSelector('.lost[role=alert]');
  await its.restartFacade();
  await ask('/api/events', { execution_id: id, name: 'approved', payload: { by: 'Eve' } });
  await page.waitForSelector('.run-head-line[data-status="COMPLETED"]', { timeout: 30_000 });
  await page.waitForSelector('.lost[role=alert]', { state: 'detached' });
  forgetLost();
});

/** Chromium itself writes down each request that found nobody. */
function forgetLost(): void {
  const errors = its.tab.errors as string[];
  errors.splice(0, Infinity, ...errors.filter((said) => !/ERR_|Failed to (load|fetch)/.test(said)));
}

test('what could not be loaded when it was first needed is there when the facade is back', async () => {
  const { page } = its.tab;
  await page.goto('/playbooks/console/import?tab=versions');
  await page.waitForSelector('.versions');
  // A part of a page: the editor.
  await its.stopFacade();
  await page.click('.tabs a:text-is("Edit")');
  await page.waitForSelector('.lost:has-text("The editor could not be loaded")');
  await its.restartFacade();
  await page.waitForSelector('.cm-content:has-text("sign_off")');
  // A whole page.
  await its.stopFacade();
  await page.click('.places a[href="/schedules"]');
  await page.waitForSelector('.lost:has-text("This page could not be loaded")');
  await its.restartFacade();
  await page.waitForSelector('h1:text-is("Schedules")');
  // What a page asks for once: here its code is there, and its text is not.
  await page.goto('/playbooks/console/tick');
  await page.waitForSelector('.page-head[data-playbook="console/tick"]');
  await page.click('.places a[href="/playbooks"]');
  await page.waitForSelector('[data-playbook="console/failing"]');
  await its.stopFacade();
  await page.click('[data-playbook="console/failing"] a');
  await page.waitForSelector('.problem');
  await its.restartFacade();
  await page.waitForSelector('.page-head[data-playbook="console/failing"]');
  forgetLost();
});

test('a worker of the page whose script does not come at first is asked for again', async () => {
  const { page } = its.tab;
  const id = await started('console/tick');
  const refused: string[] = [];
  await page.context().route(/\/assets\/(reader|compiler)-/, (route) => {
    const url = route.request().url();
    if (refused.includes(url)) return route.continue();
    refused.push(url);
    return route.abort();
  });
  await page.goto(`/runs/${id}`);
  await page.waitForSelector('.lost[role=alert]');
  await page.waitForSelector(node('start', 'done'));
  await page.goto('/playbooks/console/tick');
  await page.waitForSelector('.graph [data-step="start"]');
  expect(refused).toHaveLength(2);
  forgetLost();
});

test('every page is for everybody: axe finds nothing, in light and in dark', async () => {
  const id = await waiting();
  const own = await its.openTab({ colorScheme: 'light' });
  const found: Record<string, string[]> = {};
  const pages = [
    '/runs',
    `/runs/${id}?select=step:fetch`,
    '/playbooks',
    '/playbooks/console/import',
    '/playbooks/console/import?tab=edit',
    '/schedules',
    '/workers',
    '/credentials',
    '/settings',
    '/file',
  ];
  for (const address of pages) {
    await own.page.emulateMedia({ colorScheme: 'light' });
    await own.page.goto(address);
    await own.page.waitForSelector('h1');
    await own.page.waitForTimeout(700);
    const light = await axeViolations(own.page);
    // The same elements in other colours.
    await own.page.emulateMedia({ colorScheme: 'dark' });
    await own.page.waitForTimeout(300);
    const dark = await axeViolations(own.page, ['color-contrast']);
    if (light.length + dark.length > 0) found[address] = [...light, ...dark];
  }
  const { errors } = own;
  await own.close();
  expect({ found, errors }).toEqual({ found: {}, errors: [] });
}, 120_000);

test('on a phone nothing is wider than the screen', async () => {
  const id = await waiting();
  const own = await its.openTab({ viewport: { width: 390, height: 844 } });
  for (const address of ['/runs', `/runs/${id}`, '/playbooks', '/workers', '/settings']) {
    await own.page.goto(address);
    await own.page.waitForSelector('h1');
    const width = await own.page.evaluate(
      () => (globalThis as unknown as Dom).document.documentElement.scrollWidth,
    );
    expect([address, width]).toEqual([address, 390]);
  }
  await own.close();
});

test('what is downloaded before a run is seen stays below 350 kB', () => {
  const assets = path.resolve('dist/console/assets');
  const zipped = (name: RegExp): number =>
    fs
      .readdirSync(assets)
      .filter((file) => name.test(file))
      .reduce((sum, file) => sum + gzipSync(fs.readFileSync(path.join(assets, file))).length, 0);
  // All but what the editor needs.
  expect(zipped(/^(?!compiler|code-mirror).*\.js$/)).toBeLessThan(350_000);
});
