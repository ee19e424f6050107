/** Collectors that do not do their part: nothing waits for them, and nobody is told twice. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import express from 'express';
import { openTracing } from '../../src/telemetry/tracing';
import { freePort } from '../../src/temporal/client';
import { startCollector } from '../support/otlp';

/** One request to a server that is traced, and the end of the process that served it. */
async function traced(endpoint: string): Promise<{ told: string[]; status: number; stopMs: number }> {
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = endpoint;
  const told: string[] = [];
  const tracing = openTracing('test', '1.2.3', (trouble) => told.push(trouble))!;
  const app = express().use(tracing.requests);
  app.get('/it', (_request, response) => void response.json({}));
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { status } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/it`);
  await new Promise((resolve) => server.close(resolve));
  const before = performance.now();
  await tracing.shutdown();
  return { told, status, stopMs: performance.now() - before };
}

test('what was not sent yet is sent at the end', async () => {
  const collector = await startCollector();
  expect(await traced(collector.url)).toMatchObject({ told: [], status: 200 });
  expect(collector.spans.map(({ name, service }) => ({ name, service }))).toEqual([
    { name: 'GET', service: 'noetl-test' },
  ]);
  await collector.close();
});

beforeEach(() => (process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '60000'));
afterEach(() => delete process.env['OTEL_EXPORTER_OTLP_TIMEOUT']);

describe('a collector that is not there', () => {
  test('is told once, with the reason, when the exporter has given up', async () => {
    process.env['OTEL_EXPORTER_OTLP_TIMEOUT'] = '500'; // less than the pause before it tries again
    const { told, status } = await traced(`http://127.0.0.1:${await freePort()}`);
    expect(status).toBe(200);
    expect(told).toEqual([expect.stringMatching(/^traces are not delivered: .*ECONNREFUSED/)]);
  });

  test('is told once at the end of the process, while the exporter still tries', async () => {
    const { told, stopMs } = await traced(`http://127.0.0.1:${await freePort()}`);
    expect(told).toEqual(['traces are not delivered: the collector did not take them within 3 s']);
    expect(stopMs).toBeLessThan(30_000);
  });
});

test('a collector that takes and never answers does not hold up the end', async () => {
  const silent = http.createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { told, status, stopMs } = await traced(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  expect(status).toBe(200);
  expect(told).toEqual(['traces are not delivered: the collector did not take them within 3 s']);
  expect(stopMs).toBeLessThan(30_000); // it is given 3 s; its own limit is 60
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
});
