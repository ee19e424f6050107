/** The console, as a person uses it: in Chromium, against a facade over Temporal and workers. */
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { docsOf } from '../../src/language/errors';
import { axeViolations } from '../support/axe';
import { type Dom, FAILING, node, type Sized, useConsole } from '../support/console';
import { nightlyTest } from '../support/sampled';
import { until } from '../support/until';

const its = useConsole();
const { ask, started, waiting } = its;

test('runs are listed as they start and end; filters stand in the address; many are run again and cancelled', async () => {
  const { page } = its.tab;
  await page.goto('/runs');
  await page.waitForSelector('h1:has-text("Runs")');
  const id = await started('console/failing');
  const row = page.locator(`[data-execution="${id}"]`);
  await row.waitFor();
  await page.waitForSelector(`[data-execution="${id}"][data-status="FAILED"]`);
  await row.locator('.step-bar .failed').waitFor();
  await row.locator('[data-origin="name"]:has-text("load acme")').waitFor();
  await page.click('button.chip:has-text("failed")');
  await page.fill('[aria-label="Playbook, or a/b/*"]', 'console/failing');
  await page.waitForURL(/status=failed.*path=console%2Ffailing/);
  // Of two that match, one is ticked: all that match are meant.
  await ask('/api/execute', {
    path: 'console/failing',
    workload: { customer: 'other' },
    labels: { tier: '2' },
  });
  await page.waitForSelector('.count:text-is("2 runs")');
  await row.locator('input[type=checkbox]').check();
  await page.click('.batch button:has-text("Select all 2 that match")');
  await page.click('.batch button:has-text("Run again")');
  await page.waitForSelector('dialog h2:has-text("Run 2 runs again?")');
  await page.waitForSelector('dialog .meant:has-text("2 × console/failing start EXIT_3")');
  expect(await axeViolations(page)).toEqual([]);
  await page.click('dialog button:has-text("Run again")');
  await page.waitForSelector('.count:text-is("4 runs")');
  await page.fill('[aria-label^="Label"]', 'tier=2');
  await page.waitForSelector('.count:text-is("2 runs")');
  await page.fill('[aria-label^="Label"]', '');
  await page.fill('[aria-label^="Input"]', 'customer=oth*');
  await page.waitForSelector('.count:text-is("2 runs")');
  await page.fill('[aria-label^="Input"]', '');
  await page.waitForSelector('.count:text-is("4 runs")');
  await page.click('button.chip:has-text("by cause")');
  await page.click('[data-cause="start EXIT_3"] a:has-text("console/failing")');
  await page.waitForURL(/code=EXIT_3.*step=start/);
  await page.waitForSelector('.count:text-is("4 runs")');
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

nightlyTest(
  'of 2,000 runs those in sight are drawn and asked about; the others come when one scrolls',
  async () => {
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
        trigger: null,
        skipped: false,
        run_name: null,
        labels: {},
      }));
      const headers: Record<string, string> = {
        'x-total-count': String(all),
        ...(from + size < all && { 'x-next-cursor': String(from + size) }),
      };
      return route.fulfill({ json: body, headers });
    });
    await page.route(/\/api\/executions\/\d+\/graph/, (route) => {
      graphs.add(route.request().url());
      return route.fulfill({ json: { nodes: [{ step: 'start', status: 'done', runs: 1 }] } });
    });
    await page.goto('/runs');
    await page.waitForSelector('[data-execution="5000"] .step-bar .done');
    await page.waitForSelector('.count:text-is("2000 runs")');
    const drawn = page.locator('.run-rows [data-execution]');
    expect(await drawn.count()).toBeLessThan(50);
    expect(graphs.size).toBeLessThan(50);
    for (let listed = 2 * size; listed <= all; listed += size) {
      await page.locator('.run-rows').evaluate((rows) => {
        const box = rows as unknown as { scrollTop: number; scrollHeight: number };
        box.scrollTop = box.scrollHeight;
      });
      await until(
        async () =>
          (await page.locator('.run-rows').evaluate((rows) => (rows as unknown as Sized).scrollHeight)) >=
          listed * 50,
      );
    }
    await page.locator('.run-rows').press('End');
    await page.waitForSelector(`[data-execution="${String(5_001 - all)}"]`);
    expect(await drawn.count()).toBeLessThan(50);
  },
);

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
  const explained = page.locator('.diagnostics a:has-text("NT2050")');
  expect(await explained.getAttribute('href')).toBe(docsOf('NT2050'));
  expect(await page.isDisabled('button:has-text("Register")')).toBe(true);
  await page.click('.diagnostics [data-code="NT2050"] button:text-is("Fix")');
  await page.waitForSelector('.diagnostics [data-code="NT2050"]', { state: 'detached' });
  expect(await text.innerText()).toContain('tool: { kind: noop }');
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(FAILING.replace('exit 3', 'exit 4').trimStart());
  await page.waitForSelector('text=No problems.');
  await page.click('button.chip:has-text("Rehearsals")');
  await page.locator('.rehearsals .cm-content').click();
  // Emptied by the editor: what a browser inserts over a colored word has the style of that word, which the policy refuses.
  const empty = async (): Promise<void> => {
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
  };
  await empty();
  await page.keyboard.insertText('playbook: ./x.yaml\nexpct: {}\n');
  await page.waitForSelector('.rehearsals .diagnostics [data-code="NT2001"]');
  await empty();
  await page.keyboard.insertText(
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

nightlyTest(
  'the editor helps by place: keys of the kind, fields of a step, documentation, a name everywhere; and the text runs as it is',
  async () => {
    const { page } = its.tab;
    await page.goto('/playbooks/new');
    const text = page.locator('.editor-main > .editor-host .cm-content').first();
    await text.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(
      `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: draft, path: console/draft }
workload: { word: hello }
workflow:
- step: start
  tool: { kind: noop, input: { said: "{{ workload.word }}" } }
  next: { arcs: [{ step: fetch, when: "{{ start.said == 'x' }}" }] }
- step: fetch
  tool:
    kind: http
    url: "https://example.com/{{ start.said }}"
    `,
    );
    // Keys of a tool of this kind, and no other.
    await page.keyboard.type('met');
    const options = page.locator('.cm-tooltip-autocomplete li');
    await page.waitForSelector('.cm-tooltip-autocomplete li:has-text("method")');
    expect(await options.allInnerTexts()).not.toContain('metadata');
    await options.filter({ hasText: 'method' }).first().click();
    await page.waitForSelector('.cm-content:has-text("method: ")');
    await page.keyboard.insertText('GET\n    headers: { x: "{{ start."');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    await page.waitForSelector('.cm-tooltip-autocomplete li:has-text("said")');
    await page.keyboard.press('Escape');
    await page.keyboard.insertText('said }}');
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText(' }');
    await page.waitForSelector('text=No problems.');
    await page.hover('.cm-line:has-text("url:") >> text=url');
    await page.waitForSelector('.cm-tooltip-hover .cm-help:has-text("url")');
    // Renamed where it is defined and in the arc; or the dialog says why not.
    await page.click('.cm-line:has-text("- step: fetch")');
    await page.keyboard.press('End');
    await page.keyboard.press('F2');
    await page.fill('dialog input', 'a b');
    await page.click('dialog button:text-is("Rename")');
    await page.waitForSelector('dialog .problem:has-text("a b")');
    await page.fill('dialog input', 'load');
    await page.click('dialog button:text-is("Rename")');
    await page.waitForSelector('.cm-content:has-text("arcs: [{ step: load"):has-text("- step: load")');
    expect(await text.innerText()).not.toContain('fetch');
    await page.waitForSelector('text=No problems.');
    await page.click('button:text-is("Run this text")');
    await page.fill('dialog input[name=word]', 'goodbye');
    await page.click('dialog button:text-is("Start")');
    await page.waitForSelector('.run-head-line[data-status="COMPLETED"]');
    await page.waitForSelector(node('start', 'done'));
    expect(await axeViolations(page)).toEqual([]);
    // It was not registered, and is still there to be.
    await page.goto('/playbooks');
    await page.waitForSelector('[data-playbook="console/failing"]');
    expect(await page.locator('[data-playbook="console/draft"]').count()).toBe(0);
    await page.goto('/playbooks/new');
    await page.waitForSelector('.draft:has-text("You wrote this before")');
    await page.click('.draft button:has-text("Discard it")');
  },
);

nightlyTest('what is written and not registered is kept, until it is discarded or registered', async () => {
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

nightlyTest(
  'schedules are made, started at once, backfilled and deleted; a queue that nobody polls is marked',
  async () => {
    const { page } = its.tab;
    await page.goto('/schedules');
    await page.click('.page-head button:has-text("New schedule")');
    await page.fill('dialog label:has-text("Name") input', 'nightly');
    await page.fill('dialog label:has-text("Playbook") input', 'console/import');
    await page.waitForSelector('dialog select[name=region]');
    await page.fill('dialog label:has-text("Playbook") input', 'console/tick');
    await page.selectOption('dialog label:has-text("When") select', 'every');
    await page.fill('dialog textarea[name=times]', '6h+10m');
    await page.waitForSelector('dialog .preview:has-text("every 6 h, 10 min later")');
    await page.selectOption('dialog label:has-text("When") select', 'cron');
    await page.fill('dialog textarea[name=times]', '0 3 * * *');
    await page.waitForSelector('dialog .preview:has-text("at 03:00") time');
    expect(await axeViolations(page)).toEqual([]);
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
    await page.waitForSelector('[data-schedule="nightly"] .rule:has-text("at 03:00")');
    await page.click('[data-schedule="nightly"] button:text-is("Change")');
    await page.selectOption('dialog label:has-text("If the last run") select', 'allow-all');
    await page.fill('dialog label:has-text("Labels") input', 'team=ops');
    await page.click('dialog button:text-is("Change")');
    await page.waitForSelector(
      '[data-schedule="nightly"] .rule:has-text("overlap: allow-all"):has-text("team=ops")',
    );
    await page.waitForSelector('[data-schedule="nightly"] .rule:has-text("at 03:00")');
    await page.click('[data-schedule="nightly"] button:has-text("Start now")');
    await page.goto('/runs?label=team%3Dops');
    await page.waitForSelector('.run-row .label:has-text("team=ops")');
    await page.goto('/schedules');
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
  },
);

test('what is wrong stands on the first page, each with its list; what operators do is noted, and they can do it from lists', async () => {
  const { page } = its.tab;
  const [failed, held, queued] = await Promise.all(
    ['console/failing', 'console/import', 'console/looping'].map((path) => started(path)),
  );
  await ask('/api/catalog/register', {
    content: `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: x, path: console/told, description: Told of, owner: ada }\nexecutor: { spec: { concurrency: { limit: 1 } } }\nworkflow:\n- step: start\n  tool: { kind: wait, event: go }\n`,
  });
  const told = [await started('console/told'), await started('console/told')];
  await page.goto('/');
  await page.waitForSelector('h1:text-is("Overview")');
  // Each place is a page that can be opened anew.
  const places = await page
    .locator('.places a')
    .evaluateAll((all) => all.map((one) => (one as unknown as { href: string }).href));
  expect(places.length).toBeGreaterThan(8);
  for (const place of places) expect([place, (await page.request.get(place)).status()]).toEqual([place, 200]);
  await page.waitForSelector(
    '[data-problem="queue"]:has-text("noetl-container"):has-text("noetl-temporal worker --kinds container")',
  );
  await page.waitForSelector(
    '[data-problem="waiting"]:has-text("console/import waits for approved at sign_off")',
  );
  await page.waitForSelector(`[data-starts="console/failing"] .mark.failed[href="/runs/${failed!}"]`);
  await page.waitForSelector('.numbers div:has(dt:text-is("running")) a[href="/runs?status=running"]');
  await page.click('[data-problem="failed"]:has-text("console/failing") a');
  await page.waitForSelector('.run-row [href^="/runs/"], .run-head-line[data-status="FAILED"]');
  // Who holds, and who waits for whom.
  await page.goto('/operations/limits?scope=console/told');
  const [holds, waits] = ['Held by', 'Waiting for them, in order'].map((title) =>
    page.locator(`[data-title="${title}"] a`),
  );
  await waits!.waitFor();
  expect([await holds!.innerText(), await waits!.innerText()].sort()).toEqual(told.sort());
  const { bulk_id: bulk } = await ask<{ bulk_id: string }>('/api/bulk', { verb: 'cancel', executions: told });
  await ask(`/api/executions/${held!}/cancel`, {});
  await ask(`/api/executions/${queued!}/cancel`, {});
  await page.click('.tabs a:text-is("Bulk operations")');
  await page.waitForSelector(`[data-row="${bulk}"]:has-text("2 done"):has-text("local")`);
  await page.click('.tabs a:text-is("Audit")');
  await page.fill('[aria-label="about"]', told[1]!);
  await page.press('[aria-label="about"]', 'Enter');
  await page.waitForSelector('tr:has-text("POST /api/bulk"):has-text("cancel"):has-text("done")');
  await page.waitForSelector('tr:has-text("POST /api/execute"):has-text("console/told")');
  await page.click('.tabs a:text-is("Notifications")');
  await page.waitForSelector('text=There are no notifications');
  await ask('/api/notifications/silences', {
    path: 'quiet/*',
    until: '2099-01-01T00:00:00Z',
    reason: 'a move',
  });
  await page.click('.tabs a:text-is("Silences")');
  await page.click('[data-row="quiet/*"]:has-text("a move") button:text-is("End")');
  await page.click('dialog button:text-is("End")');
  await page.waitForSelector('text=Nothing is silenced');
  // A playbook by what is known of it.
  await page.goto('/playbooks');
  await page.waitForSelector(
    '.folder:has(summary:has-text("console")) [data-playbook="console/told"]:has-text("Told of") .last-run',
  );
  await page.click('[data-playbook="console/told"] a');
  await page.waitForSelector('[data-about]:has-text("ada"):has-text("concurrency") .numbers');
  await page.waitForSelector('.grid thead time');
});

const ASKING = `apiVersion: noetl.io/v2
kind: Playbook
metadata: {name: asking, path: console/asking}
workflow:
  - step: start
    tool:
      kind: wait
      event: approved
      form: {title: Approve the order?, text: It is above the limit., fields: {amount: {type: number, label: Amount, required: true}, note: {type: string}}}
`;
const HOOK = `apiVersion: noetl.io/v1
kind: Subscription
metadata: {path: console/hook}
spec: {source: webhook, mode: push, ingress: {gateway_path: /ingress/console, verify: {type: bearer, secret: hook}}, dispatch: {playbook: console/asking}}
`;

test('a trigger is activated; what it could not start is seen and replayed; the form that it starts is answered', async () => {
  const { page } = its.tab;
  await ask('/api/catalog/register', { content: HOOK });
  await page.goto('/triggers');
  const card = page.locator('[data-subscription="console/hook"]');
  await card.locator('button:text-is("Activate")').click();
  await page.waitForSelector('[data-subscription="console/hook"][data-state="ACTIVE"]');
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' };
  expect((await page.request.post('/ingress/console', { headers, data: { order: 1 } })).status()).toBe(202);
  await card.locator('button:text-is("1 dead letter")').click();
  await card.locator('li:has-text("CATALOG_ENTRY_NOT_FOUND")').waitFor();
  await ask('/api/catalog/register', { content: ASKING });
  await card.locator('button:has-text("Replay all")').click();
  await page.waitForSelector('[data-subscription="console/hook"]:not(:has-text("dead letter"))');
  const run = await until(
    async () => (await ask<{ execution_id: string }[]>('/api/executions?path=console/asking'))[0],
  );
  await page.goto(`/runs/${run.execution_id}`);
  await page.click('.waits button:has-text("Answer")');
  await page.waitForSelector('dialog:has-text("It is above the limit.")');
  await page.fill('dialog [name="amount"]', '850');
  await page.click('dialog button:text-is("Answer")');
  await page.waitForSelector('[data-status="COMPLETED"]');
});

test('a history file that is dropped is read with no server', async () => {
  const { page } = its.tab;
  await page.goto('/file');
  await page.waitForSelector('text=Drop a history file here');
  const file = path.resolve('test/histories/0.1.0/error_path_failed.json');
  // Loaded once, as by whoever looked at a run before.
  await page.setInputFiles('input[type=file]', file);
  await page.waitForSelector(node('risky', 'failed'));
  await page.check('.coverage-toggle input');
  await page.waitForSelector('[data-step="recover"].uncovered');
  await page.waitForSelector('[data-step="risky"].covered');
  expect(await page.locator('.arc.uncovered').count()).toBeGreaterThan(0);
  await page.context().setOffline(true);
  await page.setInputFiles('input[type=file]', path.resolve('test/histories/0.1.0/loop_elsewhere.json'));
  await page.waitForSelector(node('measure', 'done'));
  expect(await page.locator('[data-step="measure"] .ring text').textContent()).toBe('40');
  // What rules collect is told by no event: the engine knows it, at this moment.
  await page.setInputFiles('input[type=file]', path.resolve('test/histories/0.1.0/collect_pages.json'));
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

nightlyTest(
  'what could not be loaded when it was first needed is there when the facade is back',
  async () => {
    const { page } = its.tab;
    await page.goto('/playbooks/console/import?tab=versions');
    await page.waitForSelector('.versions');
    await page.evaluate(() => Object.assign(globalThis, { stays: true }));
    const isReloaded = (): Promise<boolean> => page.evaluate(() => !('stays' in globalThis));
    // A part of a page: the editor.
    await its.stopFacade();
    await page.click('.tabs a:text-is("Edit")');
    await page.waitForSelector('.lost:has-text("The editor could not be loaded")');
    await its.restartFacade();
    await page.waitForSelector('.cm-content:has-text("sign_off")');
    expect(await isReloaded()).toBe(false);
    // A whole page.
    await its.stopFacade();
    await page.click('.places a[href="/schedules"]');
    await page.waitForSelector('.lost:has-text("This page could not be loaded")');
    await its.restartFacade();
    await page.waitForSelector('h1:text-is("Schedules")');
    expect(await isReloaded()).toBe(false);
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
  },
);

nightlyTest('a worker of the page whose script does not come at first is asked for again', async () => {
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

test('the catalog shows agents, which can be started, and other resources, which cannot', async () => {
  const { page } = its.tab;
  const content = (kind: string, path: string, rest: string): string =>
    `apiVersion: noetl.io/v2\nkind: ${kind}\nmetadata: {name: n, path: ${path}}\n${rest}`;
  const agent = content('Agent', 'kinds/agent', 'workflow: [{step: start, tool: {kind: noop}}]\n');
  await ask('/api/catalog/register', { content: agent });
  await ask('/api/catalog/register', { content: content('Mcp', 'kinds/mcp', 'spec: {server: time}\n') });
  await page.goto('/playbooks');
  await page.waitForSelector('[data-playbook="kinds/agent"]:has-text("agent · version 1") button');
  await page.waitForSelector('[data-playbook="kinds/mcp"]:has-text("mcp · version 1"):not(:has(a, button))');
});

nightlyTest('every page is for everybody: axe finds nothing, in light and in dark', async () => {
  const id = await waiting();
  const own = await its.openTab({ colorScheme: 'light' });
  const found: Record<string, string[]> = {};
  const pages = [
    '/overview',
    '/operations/audit',
    '/runs',
    `/runs/${id}?select=step:fetch`,
    '/playbooks',
    '/playbooks/console/import',
    '/playbooks/console/import?tab=edit',
    '/schedules',
    '/triggers',
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
});

nightlyTest('on a phone nothing is wider than the screen', async () => {
  const id = await waiting();
  const own = await its.openTab({ viewport: { width: 390, height: 844 } });
  for (const address of [
    '/overview',
    '/operations/audit',
    '/runs',
    `/runs/${id}`,
    '/playbooks',
    '/triggers',
    '/workers',
    '/settings',
  ]) {
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
