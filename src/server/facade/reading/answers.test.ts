import { Writable } from 'node:stream';
import { type Client } from '@temporalio/client';
import { type Response } from 'express';
import { Readings } from './readings';

test('an answer of more than 20 MiB is refused with a code, whatever it is about', async () => {
  const readings = new Readings({} as Client, () => Promise.resolve(undefined));
  let sent = 0;
  const response = Object.assign(
    new Writable({ write: (piece: Buffer, _encoding, done) => ((sent += piece.length), done()) }),
    { type: () => undefined, headersSent: false },
  );
  const answered = (text: string): Promise<unknown> => {
    jest.spyOn(readings, 'text').mockResolvedValue(text);
    const request = {
      id: '7',
      about: {},
      principal: { name: 'x' },
      response: response as unknown as Response,
    };
    return readings.send('state', request as never);
  };
  const large = `{"a":"${'x'.repeat(17 * 1024 * 1024)}"}`;
  await answered(large);
  expect(sent).toBe(large.length);
  await expect(answered(`{"a":"${'x'.repeat(20 * 1024 * 1024)}"}`)).rejects.toMatchObject({
    status: 422,
    code: 'ANSWER_TOO_LARGE',
  });
  expect(sent).toBe(large.length);
});
