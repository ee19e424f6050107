import { waitingFor } from './waiting';

test('who is waited for is said soon, once; never where the answer comes soon', async () => {
  jest.useFakeTimers();
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const never = new Promise<void>(() => undefined);
  try {
    expect(await waitingFor('the soon', Promise.resolve(1))).toBe(1);
    await expect(waitingFor('the dead', Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    void waitingFor('the slow', never);
    void waitingFor('the slow', never);
    await jest.advanceTimersByTimeAsync(999);
    expect(write).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(write.mock.calls).toEqual([['waiting for the slow …\n']]);
  } finally {
    write.mockRestore();
    jest.useRealTimers();
  }
});
