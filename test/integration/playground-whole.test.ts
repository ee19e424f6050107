/** All that the playground does, in a browser that asks nobody but a server of files. */
import fs from 'node:fs';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { type Page } from 'playwright-core';
import { axeViolations } from '../support/axe';
import { usePlayground } from '../support/playground';
import { ROOT } from '../support/process';

jest.setTimeout(180_000);

/** What tests use of a page, whose types are not those of Node. */
interface BrowserGlobals {
  readonly DataTransfer: new () => { readonly items: { add(file: File): void } };
  readonly document: {
    readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
  };
}

const playground = usePlayground();
const HISTORY = path.join(ROOT, 'test', 'histories', '0.1.0', 'error_path_failed.json');

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();
const choose = async (page: Page, label: string): Promise<void> =>
  void (await page.locator('select').selectOption({ label }));
/** Writes at the end of the editor's text. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Playbook', { exact: true }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(text);
}
const linkTo = (...texts: readonly string[]): string =>
  `#v1.${deflateRawSync(JSON.stringify(texts)).toString('base64url')}`;
const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: own }\nworkflow:\n';

test('what is typed is compiled, drawn, completed and explained', async () => {
  await playground.inTab(async (page) => {
    await page.waitForSelector('[data-step="greet"]');
    await write(page, '\n  - step: far\n    tool: { kind: nop }\n');
    await page.locator('.diagnostics [data-code]').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(`${HEAD}- step: start\n  tool: { kind: noop }\n  next: other\n`);
    await page.keyboard.insertText('- step: other\n  tool: { kind: ');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option').filter({ hasText: /^noop/ }).first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.insertText('noop }\n');
    await page.waitForSelector('[data-step="other"]');
    await page.locator('[data-code="NT5008"]').getByRole('button', { name: 'Fix' }).click();
    await page.getByText('No problems.').waitFor();
    await page
      .locator('.cm-line span', { hasText: /^kind$/ })
      .last()
      .hover();
    await page.locator('.cm-help').first().waitFor();
  });
});

test('a simulation is counted, and a seed of it looked at; what must hold, is checked', async () => {
  await playground.inTab(async (page) => {
    await choose(page, 'order_saga');
    await press(page, 'Simulation');
    await page.getByLabel(/What goes wrong/).fill('faults: { all: { failures: 40% } }\nmay_wait: true\n');
    await press(page, 'Simulate');
    await page.locator('[data-runs="100"]').waitFor();
    await page
      .getByRole('button', { name: /See seed/ })
      .first()
      .click();
    const slider = page.getByLabel('Moment of the run');
    await slider.waitFor();
    const last = Number(await slider.inputValue());
    expect(last).toBeGreaterThan(10);
    await slider.fill('8');
    await page.locator('.slider-said strong', { hasText: /^8$/ }).waitFor();
    await page.locator('[data-status="running"], [data-status="queued"]').first().waitFor();
    await press(page, 'Back to the text');
    await page.locator('[data-runs="100"]').waitFor();
    await page.getByLabel(/What goes wrong/).fill('faults: 7');
    await press(page, 'Simulate');
    await page
      .getByRole('alert')
      .filter({ hasText: /NT\d{4}/ })
      .waitFor();
  });
});

test('the deep check names what can go wrong, goes to its line and shows the run', async () => {
  const waits = `${HEAD}- step: start\n  tool: { kind: wait, event: never_sent }\n`;
  await playground.inTab(
    async (page) => {
      await press(page, 'Deep check');
      await press(page, 'Check every state');
      const found = page.locator('.finding[data-code="WAITS_FOR_OUTSIDE"]');
      await found.waitFor();
      await found.getByRole('button', { name: 'See the run' }).click();
      await page.waitForSelector('[data-step="start"][data-status="asleep"]');
    },
    {},
    linkTo(waits, '', ''),
  );
});

test('a history is opened, moved through and explained', async () => {
  await playground.inTab(async (page) => {
    await page.locator('input[type=file]').setInputFiles(HISTORY);
    await page.waitForSelector('[data-step][data-status="failed"]');
    await page.getByRole('tab', { name: 'Decisions' }).click();
    await page.locator('.decisions li, .decision').first().waitFor();
    await press(page, 'First event');
    await page.locator('.slider-said strong', { hasText: /^1$/ }).waitFor();
  });
});

test('one that is dropped is opened too; what is no history is said to be none', async () => {
  await playground.inTab(async (page) => {
    const drop = async (name: string, text: string): Promise<void> => {
      const given = await page.evaluateHandle(
        ([file, content]) => {
          const transfer = new (globalThis as unknown as BrowserGlobals).DataTransfer();
          transfer.items.add(new File([content!], file!));
          return transfer;
        },
        [name, text],
      );
      await page.dispatchEvent('main', 'drop', { dataTransfer: given });
    };
    await drop('run.json', fs.readFileSync(HISTORY, 'utf8'));
    await page.getByRole('heading', { name: 'run.json' }).waitFor();
    await page.waitForSelector('[data-step][data-status="failed"]');
    await drop('other.json', '{"events": [1]}');
    await page.getByRole('alert').filter({ hasText: 'NOT_A_HISTORY' }).waitFor();
  });
});

test('the link has all that is written, and a reload loses nothing', async () => {
  let link = '';
  await playground.inTab(async (page) => {
    await page.waitForSelector('[data-step="greet"]');
    await write(page, '\n# mine\n');
    await press(page, 'Simulation');
    await page.getByLabel(/What goes wrong/).fill('faults: {} # mine too');
    await press(page, 'Copy a link to this');
    await page.waitForURL(/#v1\../);
    link = new URL(page.url()).hash;
    await page.reload();
    await page.getByText('# mine').waitFor();
  });
  await playground.inTab(
    async (page) => {
      await page.getByText('# mine').waitFor();
      await press(page, 'Simulation');
      expect(await page.getByLabel(/What goes wrong/).inputValue()).toBe('faults: {} # mine too');
    },
    {},
    link,
  );
});

test('a link that is not whole, or too much, is refused', async () => {
  for (const [fragment, code] of [
    [linkTo('a', 'b', 'c').slice(0, -4), 'NOT_A_LINK'],
    [linkTo('x'.repeat(20_000_000), '', ''), 'LINK_TOO_LONG'],
  ] as const)
    await playground.inTab(
      async (page) => {
        await page.getByRole('alert').filter({ hasText: code }).waitFor();
        await page.waitForSelector('[data-step="greet"]');
      },
      {},
      fragment,
    );
});

test('hostile texts end in an answer, and the page goes on', async () => {
  const steps = Array.from({ length: 2_000 }, (_, i) => `- step: s${String(i)}\n  tool: { kind: noop }\n`);
  const slow = `${HEAD}- step: start\n  tool: { kind: noop, input: { x: "{{ range(100000000) | map('string') | join | length }}" } }\n`;
  await playground.inTab(
    async (page) => {
      await page.locator('.diagnostics li, .hint').first().waitFor();
    },
    {},
    linkTo(`${HEAD}- step: start\n  tool: { kind: noop }\n${steps.join('')}`, '', ''),
  );
  await playground.inTab(
    async (page) => {
      await press(page, 'Simulation');
      await press(page, 'Simulate');
      await page.locator('[data-runs], [role=alert]').first().waitFor();
      await choose(page, 'hello_world');
      await page.waitForSelector('[data-step="greet"]');
    },
    {},
    linkTo(slow, '', ''),
  );
});

test.each([
  [1400, 'light'],
  [768, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)(
  'at %i px, %s: every view is accessible and no wider than the page',
  async (width, colorScheme) => {
    await playground.inTab(
      async (page) => {
        const look = async (view: string): Promise<void> => {
          expect({ view, found: await axeViolations(page) }).toEqual({ view, found: [] });
          const over = await page.evaluate(() => {
            const { documentElement } = (globalThis as unknown as BrowserGlobals).document;
            return documentElement.scrollWidth - documentElement.clientWidth;
          });
          expect({ view, over }).toEqual({ view, over: 0 });
        };
        await page.waitForSelector('[data-step="greet"]');
        await look('first');
        await choose(page, 'order_saga');
        await press(page, 'Rehearsals');
        await press(page, 'Run them');
        await page.locator('[data-rehearsal]').first().waitFor();
        await look('rehearsals');
        await page.getByRole('button', { name: 'See the run' }).first().click();
        await page.locator('[data-status="done"]').first().waitFor();
        await look('run');
        await press(page, 'Back to the text');
        await press(page, 'Simulation');
        await press(page, 'Simulate');
        await page.locator('[data-runs]').waitFor();
        await look('simulation');
        await press(page, 'Deep check');
        await press(page, 'Check every state');
        await page.locator('[data-states]').waitFor();
        await look('deep check');
      },
      { viewport: { width, height: 900 }, colorScheme },
    );
  },
);
