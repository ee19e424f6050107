/** Where requests arrive, and what strangers may cost. */
import { type Library } from './library';
import { TriggerLibrary } from './triggers';

test('whoever tries many addresses asks the database once', async () => {
  const asked: string[] = [];
  const rows = <Row>(text: string): Promise<Row[]> => {
    asked.push(text);
    return Promise.resolve([]);
  };
  const triggers = new TriggerLibrary({ rows }, {} as Library, {} as never);
  const found = await Promise.all(Array.from({ length: 500 }, (_, index) => triggers.at(`a/${index}`)));
  expect([found.filter(Boolean), asked.length]).toEqual([[], 1]);
});

test('a database that was away is asked again', async () => {
  let isAway = true;
  const rows = <Row>(): Promise<Row[]> => (isAway ? Promise.reject(new Error('away')) : Promise.resolve([]));
  const triggers = new TriggerLibrary({ rows }, {} as Library, {} as never);
  await expect(triggers.at('a')).rejects.toThrow('away');
  isAway = false;
  expect(await triggers.at('a')).toBeUndefined();
});
