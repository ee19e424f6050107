/** A collector of traces: takes OTLP over HTTP as JSON, and keeps the spans. */
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { until } from './until';

export interface SeenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2 is that of a server. */
  readonly kind: number;
  /** 1 ok, 2 error. */
  readonly status: number;
  readonly service: string;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** All of it, as it came. */
  readonly text: string;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly SeenSpan[];
  /** Waits until one has come. */
  span(wanted: (span: SeenSpan) => boolean): Promise<SeenSpan>;
  close(): Promise<void>;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly boolValue?: boolean;
}
interface Attribute {
  readonly key: string;
  readonly value: Value;
}
interface RawSpan extends Omit<SeenSpan, 'attributes' | 'status'> {
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

export async function startCollector(): Promise<Collector> {
  const spans: SeenSpan[] = [];
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const known = request.method === 'POST' && request.url === '/v1/traces';
      if (known) spans.push(...read(JSON.parse(Buffer.concat(pieces).toString('utf8')) as Export));
      response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async span(wanted) {
      try {
        return await until(() => Promise.resolve(spans.find(wanted)), 60_000);
      } catch (error) {
        const seen = spans.map(({ name, traceId }) => `${traceId} ${name}`).join('\n');
        throw new Error(`no such span came; these did:\n${seen}`, { cause: error });
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function read({ resourceSpans }: Export): SeenSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        status: span.status.code,
        service: String(valuesOf(resource.attributes)['service.name']),
        attributes: valuesOf(span.attributes),
        text: JSON.stringify(span),
      })),
    ),
  );
}

function valuesOf(attributes: readonly Attribute[]): SeenSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue } }) => [
      key,
      stringValue ?? boolValue ?? Number(intValue),
    ]),
  );
}
