/** Who may use the console: a token in a cookie that no other site can use, and scopes that decide what is there. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Browser } from 'playwright-core';
import { byToken } from '../../src/server/facade';
import { openDatabase, Tokens, type Database } from '../../src/server/store';
import { openTab, startChromium } from '../support/chromium';
import { startFacade, type TestFacade } from '../support/facade';
import { startTestPostgres, type TestPostgres } from '../support/postgres';
import { noetl } from '../support/process';
import { startTestServer, type TestServer } from '../support/temporal';

let server: TestServer;
let postgres: TestPostgres;
let database: Database;
let facade: TestFacade;
let reader: string;

beforeAll(async () => {
  [server, postgres] = await Promise.all([startTestServer(), startTestPostgres()]);
  database = await openDatabase(postgres.url);
  const guarded = byToken(new Tokens(database), () => undefined);
  const over = { authenticate: guarded.authenticate, checkToken: guarded.check };
  facade = await startFacade(server, { postgres, over });
  [reader] = await new Tokens(database).create({ name: 'reader', scopes: ['read'] });
});

afterAll(async () => {
  await facade?.stop();
  await database?.close();
  await postgres?.stop();
  await server?.stop();
});

const asked = (route: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${facade.url}${route}`, { ...init, headers });

test('the page is there for everybody, with a policy that lets no script in but its own', async () => {
  for (const address of ['/', '/runs/1', '/playbooks/a/b']) {
    const answer = await asked(address);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self';");
    const page = await answer.text();
    expect(page).not.toMatch(/<script(?![^>]* src=)/);
    const script = /src="(\/assets\/main-\w+\.js)"/.exec(page)![1]!;
    expect((await asked(script)).headers.get('cache-control')).toContain('immutable');
  }
  expect((await asked('/assets/../index.html')).status).toBe(404);
  expect((await asked('/api/executions')).status).toBe(401);
});

test('the cookie counts for the console alone', async () => {
  const wrong = await asked(
    '/api/auth/session',
    { 'content-type': 'application/json' },
    { method: 'POST', body: '{"token": "noetl_x"}' },
  );
  expect(wrong.status).toBe(401);
  const login = await asked(
    '/api/auth/session',
    { 'content-type': 'application/json' },
    { method: 'POST', body: JSON.stringify({ token: reader }) },
  );
  const set = login.headers.get('set-cookie')!;
  expect(set).toMatch(/HttpOnly/);
  expect(set).toMatch(/SameSite=Strict/);
  const cookie = set.split(';')[0]!;
  const statusWith = async (headers: Record<string, string>): Promise<number> =>
    (await asked('/api/executions', { cookie, ...headers })).status;
  expect(await statusWith({ 'x-noetl-console': '1' })).toBe(200);
  expect(await statusWith({ 'x-noetl-console': '1', 'sec-fetch-site': 'same-origin' })).toBe(200);
  expect(await statusWith({})).toBe(401);
  expect(await statusWith({ 'x-noetl-console': '1', 'sec-fetch-site': 'cross-site' })).toBe(401);
  expect(await statusWith({ 'x-noetl-console': '1', 'sec-fetch-site': 'same-site' })).toBe(401);
});

describe('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  test('a token opens the console; one that only reads sees no button that does something; logging out closes it', async () => {
    const { page, errors, close } = await openTab(browser, facade.url);
    await page.goto('/runs');
    await page.fill('input[name=token]', 'noetl_wrong');
    await page.click('button:has-text("Log in")');
    await page.waitForSelector('.problem:has-text("TOKEN_UNKNOWN")');
    await page.fill('input[name=token]', reader);
    await page.click('button:has-text("Log in")');
    await page.waitForSelector('text=Nothing has run yet');
    expect(await page.locator('text=Start a playbook').count()).toBe(0);
    await page.reload();
    await page.waitForSelector('text=Nothing has run yet');
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.click('nav >> text=Settings');
    await page.waitForSelector('text=reader');
    await page.click('button:has-text("Log out")');
    await page.waitForSelector('button:has-text("Log in")');
    await close();
    // Chromium writes down the refusal of the wrong token.
    expect(errors.filter((said) => !/401/.test(said))).toEqual([]);
  });

  test('view writes a run as one file that is looked at without any server', async () => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-view-')), 'run.html');
    const { code, stderr } = await noetl([
      'view',
      'test/histories/v1/error_path_failed.json',
      '--html',
      file,
    ]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('events')]);
    const { page, errors, close } = await openTab(browser, 'file://');
    await page.goto(`file://${file}`);
    await page.waitForSelector('[data-step="risky"][data-status="failed"]');
    await page.click('[data-step="risky"]');
    await page.click('#tab-Decisions');
    await page.waitForSelector('.decisions [data-kind="failure"]');
    await page.click('[aria-label="First event"]');
    await page.waitForSelector('[data-step="risky"][data-status="waiting"]');
    await close();
    expect(errors).toEqual([]);
  });
});
