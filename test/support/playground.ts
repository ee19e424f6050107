/** The playground in a real browser, below a path of a server that only serves files. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { type Browser, type BrowserContextOptions } from 'playwright-core';
import { openTab, startChromium, type Tab } from './chromium';
import { ROOT } from './process';

/** Where the site lies on its server. */
const BELOW = '/some/where/';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

export interface UsedPlayground {
  /** Bytes that the server has sent. */
  readonly sent: number;
  /** Fails if the page told of errors, or asked anybody else. @param fragment of its address */
  inTab(
    use: (page: Tab['page']) => Promise<void>,
    options?: BrowserContextOptions,
    fragment?: string,
  ): Promise<void>;
}

/** Called once in a test file: builds the page, and serves it as hosts of static pages do. */
export function usePlayground(): UsedPlayground {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-playground-'));
  let browser: Browser;
  let sent = 0;
  const server = http.createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://x').pathname.replace(/\/$/, '/index.html');
    const file = path.join(folder, name.slice(BELOW.length));
    if (!name.startsWith(BELOW) || !fs.existsSync(file)) return void response.writeHead(404).end();
    const bytes = zlib.gzipSync(fs.readFileSync(file));
    sent += bytes.length;
    const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' }).end(bytes);
  });

  beforeAll(async () => {
    browser = await startChromium();
    const script = path.join(ROOT, 'scripts', 'site', 'playground.mjs');
    execFileSync(process.execPath, [script, path.join(folder, 'playground')], { cwd: ROOT });
    fs.copyFileSync(path.join(ROOT, 'console', 'icon.svg'), path.join(folder, 'icon.svg'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    server.close();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  return {
    get sent() {
      return sent;
    },
    async inTab(use, options = {}, fragment = '') {
      const { port } = server.address() as AddressInfo;
      const base = `http://127.0.0.1:${port}${BELOW}`;
      sent = 0;
      const tab = await openTab(browser, base, options);
      await tab.page.goto(`playground/${fragment}`, { waitUntil: 'networkidle' });
      await use(tab.page);
      const { errors, foreign } = tab;
      await tab.close();
      expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
    },
  };
}
