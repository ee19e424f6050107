/** No list that grows with a run is spread into a call: some 100,000 arguments overflow the stack. */
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
/** Where events, rows and commands of runs pass through. */
const ROOMS = [
  'src/history',
  'src/server/reading',
  'src/server/threads',
  'src/server/projection',
  'src/server/staged',
  'src/server/facade/routes/events',
  'src/server/facade/routes/executions',
  'src/server/facade/executions',
  'src/server/facade/reading',
  'src/offline/replay',
  'src/offline/rehearsal/invariants',
  'src/offline/drive',
  'src/offline/proof/recording',
  'src/cli/runtime/executions',
  'console/reading',
  'console/tape',
];
/** Short by their nature. */
const SHORT = ['src/history/deadline.ts: Math.min(...moments'];
const SPREAD = /(?:push|unshift|Math\.min|Math\.max)\((?:[^(){}[\]\n]*, )?\.\.\.\w+/g;

test('in the rooms of runs', () => {
  const found = ROOMS.flatMap((room) =>
    fs
      .readdirSync(path.join(ROOT, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'))
      .flatMap((name) => {
        const text = fs.readFileSync(path.join(ROOT, room, name), 'utf8');
        return [...text.matchAll(SPREAD)].map(([call]) => `${room}/${name}: ${call}`);
      }),
  );
  expect(found.sort()).toEqual([...SHORT].sort());
});
