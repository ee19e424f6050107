/**
 * `npm run bench -- bombs [--minutes 10] [--node PATH] [--seed S] [--honest 50] [--lanes 6] [--kinds a,b] [--no-control]`:
 * random bombs beside honest executions; then, in a new installation, honest ones in their place that take as much
 * processor time. One table of all bars; exit code 1 if one is broken.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from '@temporalio/client';
import { type Honest, honestLanes, longestWait, type QueueWait, registerHonest, runHonest } from './honest';
import { type Installation, startInstallation } from './installation';
import { type Bar, hostileOptions, none, tellBars } from './options';
import { Thrower } from './thrower';

/** Not counted: whoever comes first warms everything. */
const WARM_UP_MS = 10_000;
const GRACE_MS = 120_000;
const LOOK_MS = 500;
const WAITS_SHOWN = 8;
const TOLD_EVERY = 20;
/** Of the processor time with bombs. */
const FAIR_SHARE = [0.75, 1.25] as const;
const [MOST_RATIO, MOST_WAIT_MS] = [1.5, 10_000];
/** The most executions in the place of bombs that are under way at once: bombs, too, have few authors. */
const MOST_FILLERS = 24;

interface Options {
  readonly ms: number;
  readonly node: string;
  readonly seed: string;
  readonly honest: number;
  readonly lanes: number;
  readonly kinds?: readonly string[];
}

interface Phase {
  readonly honest: readonly Honest[];
  readonly p95: number;
  readonly median: number;
  readonly failures: readonly Honest[];
  /** The longest of an execution, the longest first. */
  readonly waits: readonly QueueWait[];
  readonly ended: readonly string[];
  readonly seconds: number;
  readonly secondsBy: Readonly<Record<string, number>>;
  readonly memory: Readonly<Record<string, number>>;
}
/** Processor seconds at milliseconds since the begin. */
type Curve = readonly (readonly [number, number])[];

export async function benchBombs(args: readonly string[]): Promise<void> {
  const { ms, node, seed, given, flags } = hostileOptions(args, { honest: '50', lanes: '6', kinds: '' }, [
    'no-control',
  ]);
  const options: Options = {
    ...{ ms, node, seed, honest: Number(given.honest), lanes: Number(given.lanes) },
    kinds: given.kinds === '' ? undefined : given.kinds.split(','),
  };
  const { phase, curve, open, bad, folder } = await withBombs(options);
  tell('with bombs', phase);
  const bars = [
    none(
      'honest executions that failed',
      phase.failures.map(({ id, name, failed }) => `${name} ${id}: ${failed}`),
    ),
    most('longest wait of one in a queue, ms', MOST_WAIT_MS, phase.waits[0]?.ms ?? NaN, phase.waits[0]?.what),
    none('processes that ended', phase.ended),
    none(`bombs open ${GRACE_MS / 1000} s after the end`, open),
    none('answers of 500 and more, or none', bad),
  ];
  if (!flags['no-control']) {
    const control = await without(options, curve);
    tell('control', control);
    const share = control.seconds / phase.seconds;
    bars.push(most('p95 of the honest, times that of the control', MOST_RATIO, phase.p95 / control.p95), {
      what: 'processor time of the control, times that with bombs',
      allowed: FAIR_SHARE.join(' to '),
      measured: share.toFixed(2),
      holds: share >= FAIR_SHARE[0] && share <= FAIR_SHARE[1],
    });
  }
  if (tellBars(bars)) fs.rmSync(folder, { recursive: true, force: true });
  else console.log(`  logs and bombs.json: ${folder}`);
}

function most(what: string, allowed: number, measured: number, which?: string): Bar {
  // Not a number: there was nothing to measure.
  const holds = measured <= allowed;
  const shown = String(Math.round(measured * 100) / 100);
  return {
    what,
    allowed: `<= ${allowed}`,
    measured: shown,
    holds,
    ...(!holds && which && { because: [which] }),
  };
}

interface Bombed {
  readonly phase: Phase;
  readonly curve: Curve;
  readonly open: readonly string[];
  readonly bad: readonly string[];
  readonly folder: string;
}

async function withBombs(options: Options): Promise<Bombed> {
  const place = await startInstallation(options.node);
  const { url, client } = place;
  console.error(`  logs in ${place.folder}`);
  const thrower = new Thrower({
    url,
    client,
    token: await place.token('bomber'),
    seed: options.seed,
    kinds: options.kinds,
  });
  const curve: [number, number][] = [];
  try {
    const phase = await measured(place, options, async (isOver, began) => {
      const lanes = Array.from({ length: options.lanes }, () => thrower.lane(isOver));
      for (let look = 0; !isOver(); look++) {
        curve.push([performance.now() - began, place.processorSeconds()]);
        if (look % TOLD_EVERY === 0)
          console.error(
            `  ${Math.round((performance.now() - began) / 1000)} s: ${thrower.thrown.length} bombs, ${place.processorSeconds().toFixed(0)} s of processors, ${thrower.bad.length} bad answers, ${place.ended().length} processes ended`,
          );
        await sleep(LOOK_MS);
      }
      await Promise.all(lanes);
    });
    const open = await stillOpen(client);
    report(thrower, path.join(place.folder, 'bombs.json'));
    return { phase, curve, open, bad: thrower.bad, folder: place.folder };
  } finally {
    process.on('uncaughtException', unlessClosed);
    await place.stop();
  }
}

/** gRPC asks again, in a timer, for an end that nobody waits for any more. */
function unlessClosed(error: Error): void {
  if (!error.message.includes('Channel has been shut down')) throw error;
}

/** Honest ones beside the honest ones, begun whenever the processors have worked less than at that time with bombs. */
async function without(options: Options, curve: Curve): Promise<Phase> {
  const place = await startInstallation(options.node);
  const token = await place.token('fillers');
  try {
    return await measured(place, options, async (isOver, began) => {
      const running = new Set<Promise<unknown>>();
      let next = 0;
      while (!isOver()) {
        const now = performance.now();
        const due = curve.findLast(([at]) => at <= now - began)?.[1] ?? 0;
        if (place.processorSeconds() < due && running.size < MOST_FILLERS) {
          const one = runHonest({ ...place, token }, next++, 'filler').finally(() => running.delete(one));
          running.add(one);
        }
        await sleep(LOOK_MS / 10);
      }
      await Promise.all(running);
    });
  } finally {
    await place.stop();
    fs.rmSync(place.folder, { recursive: true, force: true });
  }
}

async function measured(
  place: Installation,
  options: Options,
  beside: (isOver: () => boolean, began: number) => Promise<void>,
): Promise<Phase> {
  const token = await place.token('honest');
  await registerHonest(place.url, token);
  const began = performance.now();
  const isOver = (): boolean => performance.now() - began > options.ms;
  const from = place.processorSeconds();
  const other = beside(isOver, began);
  const all = await honestLanes(options.honest, isOver, (n) => runHonest({ ...place, token }, n));
  const [seconds, secondsBy] = [place.processorSeconds() - from, place.processorSecondsBy()];
  await other;
  const counted = all.filter((one) => one.began - began > WARM_UP_MS);
  const took = counted.flatMap((one) => one.took ?? []).sort((a, b) => a - b);
  const waits: QueueWait[] = [];
  for (const { id } of counted) if (id) waits.push(await longestWait(place.client, id));
  return {
    honest: counted,
    p95: took[Math.floor(took.length * 0.95)] ?? NaN,
    median: took[Math.floor(took.length / 2)] ?? NaN,
    failures: all.filter(({ failed }) => failed !== undefined),
    waits: waits.sort((a, b) => b.ms - a.ms),
    ended: place.ended(),
    seconds,
    secondsBy,
    memory: Object.fromEntries(
      place.members.map(({ name, memory }) => [name, Math.max(...memory.map(({ mib }) => mib))]),
    ),
  };
}

function tell(title: string, phase: Phase): void {
  const { honest, p95, median, failures, waits, ended, seconds, secondsBy, memory } = phase;
  console.log(
    `\n  ${title}: ${honest.length} honest executions, median ${Math.round(median)} ms, p95 ${Math.round(p95)} ms, ${failures.length} failed; ${ended.length} processes ended; ${seconds.toFixed(0)} s of processors`,
  );
  console.log(
    `    s of processors since its start: ${Object.entries(secondsBy)
      .map(([name, s]) => `${name} ${s.toFixed(0)}`)
      .join(', ')}`,
  );
  for (const { ms, what } of waits.slice(0, WAITS_SHOWN))
    console.log(`    waited ${Math.round(ms)} ms: ${what}`);
  console.log(
    `    MiB at most: ${Object.entries(memory)
      .map(([name, mib]) => `${name} ${mib}`)
      .join(', ')}`,
  );
}

/** What is open although all are gone: not workflows of ours that keep limits, or tell, which end by themselves. */
async function stillOpen(client: Client): Promise<string[]> {
  const end = performance.now() + GRACE_MS;
  for (;;) {
    const open: string[] = [];
    for await (const { workflowId: id, type, historyLength } of client.workflow.list({
      query: "ExecutionStatus = 'Running'",
    })) {
      if (open.length >= 50 || /^noetl-limit:/.test(id)) continue;
      const { raw } = await client.workflow.getHandle(id).describe();
      open.push(
        `${id} (${type}), ${historyLength} events, attempt ${raw.pendingWorkflowTask?.attempt ?? 0} of its workflow task, ${raw.pendingActivities?.length ?? 0} activities`,
      );
    }
    if (open.length === 0 || performance.now() > end) return open;
    await sleep(2_000);
  }
}

function report({ thrown }: Thrower, file: string): void {
  fs.writeFileSync(file, JSON.stringify(thrown, null, 1));
  for (const kind of new Set(thrown.map((one) => one.kind))) {
    const of = thrown.filter((one) => one.kind === kind);
    const outcomes: Record<string, number> = {};
    for (const one of of)
      for (const [key, count] of Object.entries(one.outcomes)) outcomes[key] = (outcomes[key] ?? 0) + count;
    console.log(
      `    ${kind} × ${of.length}: ${Object.entries(outcomes)
        .map(([key, count]) => `${key} × ${count}`)
        .join(', ')}`,
    );
  }
}
