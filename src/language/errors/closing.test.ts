import { Closing } from './closing';

const failing = (message: string) => () => Promise.reject(new Error(message));

test('closes in reverse order, each once, and goes on after one that fails; the first error is thrown', async () => {
  const closed: string[] = [];
  const closing = new Closing();
  closing.add(() => closed.push('storage'));
  closing.add(failing('second'));
  closing.add(() => {
    throw new Error('first');
  });
  closing.add(() => closed.push('server'));
  await expect(closing.close()).rejects.toThrow('first');
  expect(closed).toEqual(['server', 'storage']);
  await closing.close();
  expect(closed).toHaveLength(2);
});

test('what it waits for is closed before the next', async () => {
  const closed: string[] = [];
  const closing = new Closing();
  closing.add(() => closed.push('storage'));
  closing.add(() => new Promise<void>((done) => setTimeout(() => (closed.push('server'), done()), 20)));
  await closing.close();
  expect(closed).toEqual(['server', 'storage']);
});

test('the error of the work comes before those of closing', async () => {
  const closing = new Closing();
  const closed = jest.fn();
  closing.add(closed);
  closing.add(failing('of closing'));
  await expect(closing.after(failing('of the work'))).rejects.toThrow('of the work');
  expect(closed).toHaveBeenCalled();
  closing.add(failing('of closing'));
  await expect(closing.after(() => Promise.resolve(1))).rejects.toThrow('of closing');
  expect(await closing.after(() => Promise.resolve(2))).toBe(2);
});

test('with a report nothing is thrown', async () => {
  const reported: unknown[] = [];
  const closing = new Closing((error) => reported.push(error));
  closing.add(failing('a'));
  closing.add(failing('b'));
  expect(await closing.after(() => Promise.resolve(1))).toBe(1);
  expect(reported.map(String)).toEqual(['Error: b', 'Error: a']);
});
