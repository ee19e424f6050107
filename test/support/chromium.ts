/** Chromium, for tests of pages: each page keeps what its console said, so that a test can insist on silence. */
import fs from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Absent, present } from './present';

const PLACES = [process.env['NOETL_TEST_CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'];

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function installed(): string | Absent {
  const match = PLACES.find((file) => file !== undefined && fs.existsSync(file));
  return match ?? { skipped: 'no Chromium (/usr/bin/chromium, or NOETL_TEST_CHROMIUM)' };
}

/** @throws Missing where there is none */
export async function startChromium(): Promise<Browser> {
  return await chromium.launch({ executablePath: present(installed()), args: FLAGS });
}

export interface Tab {
  readonly page: Page;
  /** Errors of the console, of scripts, and of the content security policy, so far. */
  readonly errors: readonly string[];
  /** Requests to anybody but the facade. */
  readonly foreign: readonly string[];
  close(): Promise<void>;
}

/** A tab of a browser profile of its own. @param base the facade's address */
export async function openTab(
  browser: Browser,
  base: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    baseURL: base,
    viewport: { width: 1360, height: 860 },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(40_000);
  const errors: string[] = [];
  const foreign: string[] = [];
  page.on('console', (said) => {
    if (said.type() !== 'error' && said.type() !== 'warning') return;
    // Of a resource that could not be loaded the text names only the status.
    const { url } = said.location();
    errors.push(/^Failed to load resource/.test(said.text()) ? `${said.text()}: ${url}` : said.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !/^(blob|data):/.test(request.url())) foreign.push(request.url());
  });
  return { page, errors, foreign, close: () => context.close() };
}
