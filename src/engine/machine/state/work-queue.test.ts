import fc from 'fast-check';
import { type QueuedWork } from './state';
import { WorkQueue } from './work-queue';

const arrival = (position: number): QueuedWork => ({ op: 'arrive', token: `t${position}` });

describe('the queue of micro-steps', () => {
  it('gives back what it got, first in, first out', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('push', 'push', 'shift', 'clear'), { maxLength: 300 }), (acts) => {
        const model: QueuedWork[] = [arrival(-1)];
        const queue = new WorkQueue(model);
        for (const [position, act] of acts.entries()) {
          if (act === 'push') {
            queue.push(arrival(position));
            model.push(arrival(position));
          } else if (act === 'shift') expect(queue.shift()).toEqual(model.shift());
          else {
            queue.clear();
            model.length = 0;
          }
          expect([queue.isEmpty, queue.toList()]).toEqual([model.length === 0, model]);
        }
      }),
    );
  });
});
