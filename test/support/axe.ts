/** What axe finds wrong with a page, for people who do not see it or use no mouse: rules of WCAG 2.2 A and AA. */
import fs from 'node:fs';
import { type Page } from 'playwright-core';

interface Axe {
  run(options: object): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>;
}

const source = (): string => fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** One line a violation. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(source());
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    });
    return violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
    );
  });
}
