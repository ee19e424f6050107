// Makes the pictures of docs/temporal-ui.md anew: runs its playbook on a server of its own, and photographs the UI.
//
//   npm run build
//   npm install --prefix /tmp/screenshots playwright-core@1.65.1
//   PLAYWRIGHT_IN=/tmp/screenshots node scripts/temporal-ui-screenshots.mjs
//
// CHROMIUM names the browser (/usr/bin/chromium).
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const cli = path.join(root, 'dist/src/cli/main.js');
const images = path.join(root, 'docs/images');
const LIMIT_MS = 120_000;
const MAX_BYTES = 150_000;

const { chromium } = createRequire(path.join(process.env.PLAYWRIGHT_IN ?? root, 'x'))('playwright-core');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-screenshots-'));
fs.chmodSync(folder, 0o755); // as root, Postgres runs as its own user
const children = [];

/** Runs one of our commands in the folder; `said` resolves with the first match in its output. */
function command(args, cwd = folder) {
  const child = spawn(process.execPath, [cli, ...args, '--data', path.join(folder, 'data')], {
    cwd,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more) => (text += more));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const said = async (pattern) => {
    for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline; await sleep(50)) {
      const found = pattern.exec(text);
      if (found) return found;
    }
    throw new Error(`${args.join(' ')} did not say ${pattern}:\n${text}`);
  };
  return { child, ended, said };
}

/** Summaries and details are Markdown, shown by the UI in separate frames. */
async function untilShown(page, text) {
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline; await sleep(200)) {
    for (const frame of page.frames()) {
      const one = frame.getByText(text).first();
      if (await one.isVisible().catch(() => false)) return;
    }
  }
  await page.screenshot({ path: path.join(os.tmpdir(), 'temporal-ui-failed.png') });
  throw new Error(`${page.url()} never showed ${text}: see temporal-ui-failed.png in ${os.tmpdir()}`);
}

/** Loads a page, waits for the required content, and saves a box around it. */
async function photograph(page, name, url, texts, { height = 640, from = 'main' } = {}) {
  await page.setViewportSize({ width: 1280, height: 1400 });
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  for (const text of texts) await untilShown(page, text);
  await sleep(2_000); // bars and trees are drawn after their data has loaded
  const { y } = await page.getByText(from).first().boundingBox();
  const file = path.join(images, `temporal-ui-${name}.png`);
  await page.screenshot({ path: file, clip: { x: 270, y: Math.max(0, y - 20), width: 1000, height } });
  const { size } = fs.statSync(file);
  process.stdout.write(`${path.relative(root, file)}: ${size} bytes\n`);
  if (size > MAX_BYTES) throw new Error(`${file} is larger than ${MAX_BYTES} bytes`);
}

async function main() {
  fs.mkdirSync(images, { recursive: true });
  const page = fs.readFileSync(path.join(root, 'docs/temporal-ui.md'), 'utf8');
  fs.writeFileSync(path.join(folder, 'import_files.yaml'), /```yaml\n(.*?)```/s.exec(page)[1]);

  const dev = command(['dev', '--port', '0'], root);
  const [, ui] = await dev.said(/^UI\s+(\S+)$/m);
  await dev.said(/Ctrl-C stops/);
  const parent = command(['run', 'playbooks/sub_playbook.yaml', '--json'], root);
  const [, parentId] = await parent.said(/"workflow_id": "([^"]+)"/);
  await parent.ended;
  const live = command(['run', 'import_files.yaml']);
  const [, liveId] = await live.said(/execution (\d+)/);

  const args =
    '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking ' +
    '--disable-component-update --disable-sync';
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: args.split(' ') });
  try {
    const tab = await browser.newPage({ colorScheme: 'light' });
    /** The UI redirects a workflow id to its run. */
    const runOf = async (id) => {
      await tab.goto(`${ui}/${id}`, { waitUntil: 'domcontentloaded' });
      await tab.waitForURL(/timeline/, { timeout: LIMIT_MS });
      return tab.url().replace(/\/timeline.*/, '');
    };
    const running = await runOf(`noetl-${liveId}`);
    const title = `noetl-${liveId}`;
    const shown = { from: title };
    await photograph(tab, 'details', `${running}/user-metadata`, ['sign_off#1', '4 of 12'], shown);
    await photograph(tab, 'pending', `${running}/pending-activities`, ['Last Worker Identity'], shown);
    await photograph(tab, 'attributes', `${running}/search-attributes`, ['NoetlPlaybook'], {
      ...shown,
      height: 480,
    });
    await photograph(tab, 'timeline', `${running}/timeline`, ['fetch[4]'], {
      from: 'Hide idle time',
      height: 560,
    });
    await photograph(tab, 'children', `${await runOf(parentId)}/relationships`, ['Child Count'], {
      from: parentId,
      height: 800,
    });
  } finally {
    await browser.close();
  }
}

try {
  await main();
} finally {
  // The run first: it cancels its execution, for which it needs the server.
  for (const child of children.reverse()) {
    if (child.exitCode !== null) continue;
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGINT');
    await Promise.race([ended, sleep(30_000).then(() => child.kill('SIGKILL'))]);
  }
  fs.rmSync(folder, { recursive: true, force: true });
}
