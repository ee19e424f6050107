import { calendarText } from './calendar-text';

const one = (start: number | string, end = start, step = 1): object => ({ start, end, step });
const all = {
  second: [one(0)],
  minute: [one(0, 59)],
  hour: [one(0, 23)],
  dayOfMonth: [one(1, 31)],
  month: [one('JANUARY', 'DECEMBER')],
  year: [],
  dayOfWeek: [one('SUNDAY', 'SATURDAY')],
};

test.each([
  [{}, 'every minute'],
  [{ minute: [one(0)], hour: [one(2)], dayOfWeek: [one('MONDAY', 'FRIDAY')] }, 'at 02:00, Monday to Friday'],
  [{ minute: [one(30)], hour: [one(6), one(18)] }, 'at 06:30, 18:30'],
  [{ minute: [one(0, 59, 5)] }, 'every 5 minutes'],
  [{ minute: [one(10)] }, 'at minute 10 of every hour'],
  [{ minute: [one(0)], hour: [one(0, 23, 6)] }, 'at minute 0 of every 6 hours'],
  [{ minute: [one(0, 59, 15)], hour: [one(9, 17)] }, 'every 15 minutes, hours 9-17'],
  [
    { minute: [one(0)], hour: [one(0)], dayOfMonth: [one(1)], month: [one('JANUARY')], year: [one(2027)] },
    'at 00:00, on day 1 of the month, in January, in 2027',
  ],
  [{ second: [one(0, 59, 10)] }, 'every minute, at second 0-59/10'],
])('%j is %s', (fields, words) => {
  expect(calendarText({ ...all, ...fields })).toBe(words);
});
