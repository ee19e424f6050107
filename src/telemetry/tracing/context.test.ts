import { carrierOf, isSampled, tracePlaceIn, placeOfRun } from './context';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const RUN = '01a2005a-f01c-7d7e-a760-160fac7ed160';

test.each([`00-${TRACE}-${SPAN}-01`, `01-${TRACE}-${SPAN}-01-what-a-later-version-adds`])(
  '%s is a place',
  (traceparent) => {
    expect(tracePlaceIn({ traceparent })).toEqual({ traceId: TRACE, spanId: SPAN, flags: '01' });
  },
);

test.each([
  undefined,
  '',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-011`,
  ` 00-${TRACE}-${SPAN}-01`,
])('%j is none', (traceparent) => {
  expect(tracePlaceIn(traceparent === undefined ? {} : { traceparent })).toBeUndefined();
});

test('state travels with it, unless it is longer than the standard wants carried', () => {
  const traceparent = `00-${TRACE}-${SPAN}-00`;
  const place = tracePlaceIn({ traceparent, tracestate: 'a=1,b=2' })!;
  expect(carrierOf(place)).toEqual({ traceparent, tracestate: 'a=1,b=2' });
  expect(isSampled(place)).toBe(false);
  expect(tracePlaceIn({ traceparent, tracestate: 'a'.repeat(513) })).not.toHaveProperty('state');
});

test('a run stands under who started it, its id taken from its own', () => {
  expect(placeOfRun({ traceparent: `00-${TRACE}-${SPAN}-01` }, RUN)).toEqual({
    traceId: TRACE,
    spanId: 'a760160fac7ed160',
    parentSpanId: SPAN,
    flags: '01',
  });
});

test('an empty header asks for a trace of the run itself', () => {
  const place = placeOfRun({}, RUN)!;
  expect(place).toEqual({
    traceId: '01a2005af01c7d7ea760160fac7ed160',
    spanId: 'a760160fac7ed160',
    flags: '01',
  });
  expect(tracePlaceIn(carrierOf(place))).toBeDefined();
});

test.each([[null], ['text'], [7], [{ traceparent: 'nonsense' }], [{ traceparent: 7 }]])(
  'a header that holds %j is left alone',
  (carrier) => expect(placeOfRun(carrier, RUN)).toBeUndefined(),
);

test('a run whose id is no UUID is in no trace', () => {
  expect(placeOfRun({}, 'run')).toBeUndefined();
});
