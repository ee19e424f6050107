import { secondsOf } from './seconds';

describe('durations', () => {
  it.each([
    [5, 5],
    [0, 0],
    ['1.5', 1.5],
    ['PT5M', 300],
    ['PT1H30M', 5400],
    ['P1DT12H', 129_600],
    ['P2W', 1_209_600],
    ['pt0.5s', 0.5],
    ['30s', 30],
    ['5m', 300],
    ['1h30m', 5400],
    ['1h 30m', 5400],
    ['500ms', 0.5],
    ['2d', 172_800],
    ['1w', 604_800],
    ['1m200ms', 60.2],
    [' 1.5h ', 5400],
  ])('%p are %p seconds', (written, seconds) => expect(secondsOf(written)).toBe(seconds));

  it.each([
    ...[-1, '-5m', 'P1Y', 'P1M', 'P', 'PT', 'P1DT', 'PTS', 'five', '', ' ', '5M', '5 min', 'm', '1h30'],
    ...[NaN, Infinity, null, undefined, true, [], {}],
  ])('%p is none', (written) => expect(secondsOf(written)).toBeUndefined());
});
