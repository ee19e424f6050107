/** What axe finds wrong with a page, for people who do not see it or use no mouse: rules of WCAG 2.2 A and AA. */
import fs from 'node:fs';
import { type Page } from 'playwright-core';

interface Axe {
  run(options: object): Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>;
}

const source = (): string => fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** One line a violation. @param rules these alone, by name; default all of WCAG */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(source());
  return await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run({ runOnly });
    return violations.map(
      ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
    );
  }, rules ?? WCAG);
}
