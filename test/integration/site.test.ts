/** `npm run site`: every page of docs is a page of the site, which works without anybody else. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { type Browser } from 'playwright-core';
import { axeViolations } from '../support/axe';
import { openTab, startChromium } from '../support/chromium';
import { ROOT } from '../support/process';

jest.setTimeout(600_000);

const SITE = path.join(ROOT, 'dist', '.site');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
let browser: Browser;
let server: http.Server;
let url: string;

beforeAll(async () => {
  const built = spawnSync('npm', ['run', 'site'], { cwd: ROOT, encoding: 'utf8' });
  expect({ status: built.status, errors: /^\w*Error: .*$/m.exec(built.stdout + built.stderr)?.[0] }).toEqual({
    status: 0,
  });
  server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname).replace(
      /\/$/,
      '/index.html',
    );
    const file = path.join(SITE, name);
    if (!fs.existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
    response.end(fs.readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await startChromium();
});

afterAll(async () => {
  await browser?.close();
  server?.close();
});

test('every page of docs is there', () => {
  const pages = fs.readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  const missing = pages
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'))
    .filter((name) => !fs.existsSync(path.join(SITE, name)));
  expect(missing).toEqual([]);
  expect(fs.existsSync(path.join(SITE, 'llms.txt'))).toBe(true);
});

test('its page leads to the playground', async () => {
  const tab = await openTab(browser, url);
  await tab.page.goto('/playground.html');
  await tab.page.getByRole('link', { name: 'The playground' }).click();
  await tab.page.waitForSelector('[data-step="greet"]');
  const { errors, foreign } = tab;
  await tab.close();
  expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
});

test('every link to a place within the site leads there', () => {
  const checker = path.join(ROOT, 'scripts', 'release', 'check-links.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [checker, SITE], { encoding: 'utf8' });
  expect(stderr + stdout).toMatch(/^\d{3,} files, 0 dead links\n$/);
  expect(status).toBe(0);
});

test.each([
  [1400, 'light', '/'],
  [768, 'dark', '/tutorial.html'],
  [390, 'light', '/language/rules.html'],
] as const)(
  'at %i px, %s: %s is accessible, small, and asks nobody else',
  async (width, colorScheme, page) => {
    const tab = await openTab(browser, url, { viewport: { width, height: 900 }, colorScheme });
    let bytes = 0;
    tab.page.on('response', async (response) => {
      bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
    });
    await tab.page.goto(page, { waitUntil: 'networkidle' });
    expect(await axeViolations(tab.page)).toEqual([]);
    expect(bytes).toBeLessThan(400_000);
    const { errors, foreign } = tab;
    await tab.close();
    expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
  },
);
