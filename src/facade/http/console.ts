/**
 * The console: static files that the build put into `dist/console`. Its pages have addresses of their own, which are
 * all the same file; scripts and styles are named by their content and may be kept for ever.
 */
import fs from 'node:fs';
import path from 'node:path';
import express, { Router } from 'express';

/** The first words of the addresses of its pages (console/shell/address.ts). */
const PAGES = ['runs', 'playbooks', 'schedules', 'workers', 'credentials', 'settings', 'file'];

/** Only what this server serves, and nothing written into the page; scripts may draw styles on elements. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param folder of the built console; where it is not there (sources that were not built), there are no pages */
export function consolePages(folder = builtFolder()): Router {
  const router = Router();
  if (folder === undefined) return router;
  router.use('/assets', (_request, response, next) => {
    response.removeHeader('cache-control');
    next();
  });
  router.use(
    '/assets',
    express.static(path.join(folder, 'assets'), {
      immutable: true,
      maxAge: '1y',
      index: false,
      redirect: false,
    }),
  );
  const page = path.join(folder, 'index.html');
  router.get(['/', ...PAGES.flatMap((name) => [`/${name}`, `/${name}/*rest`])], (_request, response) => {
    response.set('content-security-policy', POLICY);
    response.sendFile(page, { cacheControl: false, lastModified: false });
  });
  return router;
}

/** Beside this file when it is compiled; below `dist` when it runs from its source. */
function builtFolder(): string | undefined {
  const root = path.resolve(__dirname, '../../..');
  return [path.join(root, 'console'), path.join(root, 'dist', 'console')].find(
    (folder) => fs.existsSync(path.join(folder, 'index.html')) && fs.existsSync(path.join(folder, 'assets')),
  );
}
