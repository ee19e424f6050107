import { way } from './way';

it.each<[string[], string]>([
  [[], 'no step ended'],
  [['start', 'load', 'load', 'end'], 'start → load ×2 → end'],
])('%j is %s', (steps, line) => {
  expect(way(steps)).toBe(line);
});

it('a run of ten thousand steps has a line that can be read', () => {
  const steps = Array.from({ length: 10_000 }, (_, index) => `s${index}`);
  expect(way(steps)).toBe(
    's0 → s1 → s2 → s3 → s4 → s5 → s6 → s7 → … → ' +
      's9992 → s9993 → s9994 → s9995 → s9996 → s9997 → s9998 → s9999',
  );
});
