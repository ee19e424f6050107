/**
 * Canonical events as lines: a table for people, JSON for programs; written as they arrive, at the reader's pace.
 */
import { once } from 'node:events';
import { type CanonicalEvent, type Projection } from '../../history';
import { printable } from './paint';

export const EVENT_FORMATS = ['table', 'json', 'ndjson'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];

export interface EventWriter {
  write(events: readonly CanonicalEvent[]): Promise<void>;
  end(): Promise<void>;
}

/** Writes events to the stream and waits while it is full. */
export function eventWriter(
  format: EventFormat,
  project: Projection,
  stream: NodeJS.WritableStream,
): EventWriter {
  const say = async (text: string): Promise<void> => {
    if (text !== '' && !stream.write(text)) await once(stream, 'drain');
  };
  if (format === 'table')
    return {
      write: (events) => say(events.map((event) => `${tableRow(event)}\n`).join('')),
      end: () => Promise.resolve(),
    };
  const rows = (events: readonly CanonicalEvent[]): string[] =>
    events.flatMap(project).map((row) => JSON.stringify(row));
  if (format === 'ndjson')
    return {
      write: (events) =>
        say(
          rows(events)
            .map((row) => `${row}\n`)
            .join(''),
        ),
      end: () => Promise.resolve(),
    };
  let isFirst = true;
  return {
    async write(events) {
      const parts = rows(events);
      if (parts.length === 0) return;
      await say(`${isFirst ? '[\n' : ',\n'}${parts.join(',\n')}`);
      isFirst = false;
    },
    end: () => say(isFirst ? '[]\n' : '\n]\n'),
  };
}

/** Wide enough for most values; longer ones shift the rest to the right. */
const WIDTHS = [5, 12, 28, 11] as const;

function tableRow(event: CanonicalEvent): string {
  const cells = [
    String(event.seq).padStart(WIDTHS[0]),
    event.timestamp.slice(11, 23),
    event.event_type,
    event.status,
    event.task_run_id ?? frameOf(event) ?? event.entity_id,
    noteOf(event),
  ];
  return cells
    .map((cell, i) => printable(cell).padEnd(WIDTHS[i] ?? 0))
    .join('  ')
    .trimEnd();
}

function frameOf({ step_run_id, iteration }: CanonicalEvent): string | undefined {
  return iteration === undefined ? step_run_id : `${step_run_id}[${iteration}]`;
}

const MAX_NOTE = 80;

/** The most useful detail of an event. */
function noteOf({ payload, duration_ms }: CanonicalEvent): string {
  const outcome = payload['outcome'] as
    | {
        error?: { code?: string; message?: string } | null;
        meta?: { cached?: { execution_id: string } };
      }
    | undefined;
  const error = outcome?.error ?? (payload['error'] as { code?: string; message?: string } | undefined);
  if (error) return `${error.code ?? ''} ${error.message ?? ''}`.trim().split('\n')[0]!.slice(0, MAX_NOTE);
  if (outcome?.meta?.cached) return `cached, from execution ${outcome.meta.cached.execution_id}`;
  if (typeof payload['directive'] === 'string') return payload['directive'];
  if (Array.isArray(payload['steps'])) return `→ ${payload['steps'].join(', ')}`;
  return duration_ms === undefined ? '' : `${duration_ms} ms`;
}
