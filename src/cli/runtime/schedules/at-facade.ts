/** Schedules accessed through a facade. */
import { type BackfillCount } from '../../../temporal/schedules';
import { askServer, facadeAddressOf } from '../remote/facade-client';
import { type Schedules } from './schedules';
import { type ScheduleDetails, type ScheduleDocument } from '../../../server/facade/documents';

const ALL = '/api/schedules';

/** @param option the address; default as everywhere (facade-client.ts) */
export function schedulesAtFacade(option: string | undefined): Schedules {
  const server = facadeAddressOf(option);
  const one = (name: string): string => `${ALL}/${encodeURIComponent(name)}`;
  const post = async (path: string, body: object): Promise<void> =>
    void (await askServer(server, path, { method: 'POST', body }));
  return {
    async create(body) {
      const { warnings } = await askServer<{ warnings: string[] }>(server, ALL, { method: 'POST', body });
      return warnings;
    },
    async change(name, body) {
      const changing = { method: 'PATCH', body } as const;
      return (await askServer<{ warnings: string[] }>(server, one(name), changing)).warnings;
    },
    list: async () => (await askServer<{ schedules: ScheduleDocument[] }>(server, ALL)).schedules,
    describe: (name) => askServer<ScheduleDetails>(server, one(name)),
    pause: (name, note) => post(`${one(name)}/pause`, { note }),
    unpause: (name, note) => post(`${one(name)}/unpause`, { note }),
    trigger: (name, overlap) => post(`${one(name)}/trigger`, { overlap }),
    backfill: (name, { start, end, overlap }) =>
      post(`${one(name)}/backfill`, { from: start, to: end, overlap }),
    count: (name, { start, end }) =>
      askServer<BackfillCount>(server, `${one(name)}/backfill`, {
        method: 'POST',
        body: { from: start, to: end, dry_run: true },
      }),
    delete: async (name) => void (await askServer(server, one(name), { method: 'DELETE' })),
  };
}
