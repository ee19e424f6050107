/**
 * The console: static files built into `dist/console`. All its pages have their own address but share one file;
 * scripts and styles are named by content hash and may be cached forever.
 */
import fs from 'node:fs';
import path from 'node:path';
import express, { Router } from 'express';

/** First path segments of its pages (console/shell/address.ts). */
const PAGES = [
  ...['overview', 'runs', 'logs', 'playbooks', 'schedules', 'triggers', 'workers', 'credentials'],
  ...['operations', 'settings', 'file'],
];

/** Only resources from this server and no inline scripts; scripts may set styles on elements. */
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

/** @param folder of the built console; if it does not exist (sources that were not built), no pages are served */
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

/** Beside this file if compiled; below `dist` if run from source. */
function builtFolder(): string | undefined {
  const root = path.resolve(__dirname, '../../../..');
  return [path.join(root, 'console'), path.join(root, 'dist', 'console')].find(
    (folder) => fs.existsSync(path.join(folder, 'index.html')) && fs.existsSync(path.join(folder, 'assets')),
  );
}
