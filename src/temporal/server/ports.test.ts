import net from 'node:net';
import { once } from 'node:events';
import { claimPorts, freePort } from './ports';

const listenOn = async (port: number): Promise<net.Server> => {
  const server = net.createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

test('whoever claims the same ports at the same moment gets others', async () => {
  const [grpc, ui] = [await freePort(), await freePort()];
  const claims = await Promise.all(Array.from({ length: 5 }, () => claimPorts(grpc, ui)));
  const all = claims.flatMap((claim) => claim.ports);
  expect(new Set(all).size).toBe(10);
  expect(all.filter((port) => port === grpc || port === ui)).toHaveLength(2);
  claims.forEach((claim) => claim.release());
});

test('a claimed port can be listened on, is claimed by nobody else then, and is free afterwards', async () => {
  const wish = await freePort();
  const claim = await claimPorts(wish);
  expect(claim.ports).toEqual([wish]);
  const server = await listenOn(wish);
  claim.release();
  const other = await claimPorts(wish);
  expect(other.ports).not.toContain(wish);
  other.release();
  server.close();
  await once(server, 'close');
  const again = await claimPorts(wish, wish);
  expect(again.ports[0]).toBe(wish);
  expect(again.ports[1]).not.toBe(wish);
  again.release();
});
