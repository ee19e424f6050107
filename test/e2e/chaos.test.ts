/** `npm run chaos` for half a minute on a dev server; CHAOS_SEED draws other faults, the command lasts as long as you want. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chaos } from '../chaos/chaos';

const histories = fs.mkdtempSync(path.join(os.tmpdir(), 'noetl-chaos-histories-'));
const progress: string[] = [];

test('nothing is lost, stuck, failed or doubled while processes are killed, stopped, cut off and slowed', async () => {
  const report = await chaos({
    seed: process.env['CHAOS_SEED'] ?? 'noetl',
    minutes: 0.5,
    executions: 18,
    rate: 1.5,
    histories: { folder: histories, all: false },
    say: (line) => progress.push(line),
  });
  if (report.violations.length > 0)
    console.error(JSON.stringify({ ...report, memory: undefined, histories }));
  expect(report.violations).toEqual([]);
  expect(report.submitted).toBe(18);
  expect(report.executions['COMPLETED']).toBeGreaterThanOrEqual(15);
  expect(report.faults).toMatchObject({ kill: 8, commit: 1, stop: 2, cut: 2 });
  expect(report.rows).toBeGreaterThan(0);
  console.info(
    `chaos: ${JSON.stringify(report.faults)}, ${report.rows} rows, ${report.repeats.calls} calls repeated`,
  );
  fs.rmSync(histories, { recursive: true });
}, 480_000);
