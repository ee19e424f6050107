import fc from 'fast-check';
import { type Graph, type GraphArc, type GraphNode } from './model';
import { layOut } from './layout/layout';
import { escapeMermaid, mermaidOf } from './mermaid';
import { escapeXml, svgOf } from './svg';

const PLAIN: Omit<GraphNode, 'step'> = {
  kinds: ['noop'],
  tasks: ['t'],
  entry: false,
  end: false,
  fork: false,
  join: false,
  reachable: true,
};
const ARC: Omit<GraphArc, 'from' | 'to'> = { otherwise: false, failure: false, fork: false };

const hostile = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    '"]; click s0 call alert(1)',
    '</text><script>alert(1)</script>',
    '%%{init: {"securityLevel": "loose"}}%%',
    '`x` | y',
    'end',
    '\\"]',
    '\\N\\G',
    ']]>',
    '<!--',
    '&lt;script&gt;',
    '&#60;script&#62;',
    '```\n# out',
    'style a:b#quot;',
    '\u202Egnp.exe',
    '\uD800',
    '1. item',
    '- item',
  ),
);

const graphs = fc
  .tuple(
    fc.uniqueArray(hostile, { minLength: 1, maxLength: 12 }),
    fc.array(fc.tuple(fc.nat(11), fc.nat(11), fc.option(hostile, { nil: undefined }), fc.boolean()), {
      maxLength: 25,
    }),
    hostile,
  )
  .map(([names, links, title]): Graph => ({
    name: title,
    path: title,
    entry: names[0]!,
    nodes: names.map((name, i) => ({ ...PLAIN, step: name, desc: title, entry: i === 0, join: i % 4 === 3 })),
    arcs: links.map(([from, to, when, failure]) => ({
      ...ARC,
      from: names[from % names.length]!,
      to: names[to % names.length]!,
      ...(when === undefined ? {} : { when }),
      failure,
    })),
  }));

test('nothing that a playbook can hold becomes markup of an SVG', () => {
  const allowed = new Set('svg title style defs marker path rect g text circle polygon'.split(' '));
  fc.assert(
    fc.property(graphs, (graph) => {
      const svg = svgOf(graph);
      const open: string[] = [];
      for (const [tag, close, name, attributes, self] of svg.matchAll(/<(\/?)([^\s/>]*)([^>]*?)(\/?)>/g)) {
        expect([tag, allowed.has(name!)]).toEqual([tag, true]);
        expect(attributes).toMatch(/^( [a-zA-Z-]+="[^"<&]*")*$/);
        expect(attributes).not.toMatch(/ on|href/);
        if (close) expect(open.pop()).toBe(name);
        else if (!self) open.push(name!);
      }
      expect(open).toEqual([]);
      expect(svg.replace(/<[^>]*>/g, '').replace(/&#\d+;/g, '')).not.toMatch(
        /[<>&"`\p{Cf}\p{Cs}]|(?!\n)\p{Cc}/u,
      );
    }),
    { numRuns: 100 },
  );
});

test('nothing that a playbook can hold becomes syntax of Mermaid, or leaves its fence', () => {
  const label = String.raw`"[^"\`<>{}\[\]|;:#%\\]*(?:(?:<br/>|#\d+;)[^"\`<>{}\[\]|;:#%\\]*)*"`;
  const node = new RegExp(
    String.raw`^  s\d+(\[${label}\]|\(\[${label}\]\)|\[\[${label}\]\]|\{\{${label}\}\}|\(\(${label}\)\))$`,
  );
  const arc = new RegExp(String.raw`^  s\d+ (-->|==>|-\.->)(\|${label}\|)? s\d+$`);
  const rest = /^(flowchart TD| {2}classDef \w+ [\w:#,-]+| {2}class [s\d,]+ \w+|)$/;
  fc.assert(
    fc.property(graphs, (graph) => {
      for (const line of mermaidOf(graph).split('\n')) {
        expect([line, rest.test(line) || node.test(line) || arc.test(line)]).toEqual([line, true]);
      }
    }),
    { numRuns: 100 },
  );
});

test('boxes do not cover each other, and without a cycle every edge leads down', () => {
  const inputs = fc
    .tuple(fc.integer({ min: 2, max: 40 }), fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 80 }))
    .map(([count, pairs]) => ({
      sizes: Array.from({ length: count }, (_, i) => ({
        width: 80 + ((i * 37) % 90),
        height: 40 + ((i * 13) % 30),
      })),
      edges: pairs
        .map(([a, b]) => ({ from: Math.min(a % count, b % count), to: Math.max(a % count, b % count) }))
        .filter(({ from, to }) => from !== to),
    }));
  fc.assert(
    fc.property(inputs, ({ sizes, edges }) => {
      const labels = edges.map((_, i) => (i % 2 === 0 ? { width: 60, height: 20 } : undefined));
      const { boxes } = layOut(sizes, edges, labels, 0);
      boxes.forEach((a, i) => {
        boxes.slice(i + 1).forEach((b, k) => {
          const [one, two] = [sizes[i]!, sizes[i + 1 + k]!];
          const apart =
            Math.abs(a.x - b.x) >= (one.width + two.width) / 2 ||
            Math.abs(a.y - b.y) >= (one.height + two.height) / 2;
          expect(apart).toBe(true);
        });
      });
      for (const { from, to } of edges) expect(boxes[to]!.y).toBeGreaterThan(boxes[from]!.y);
    }),
    { numRuns: 60 },
  );
});

test('the same graph gives the same picture', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const again = structuredClone(graph);
      expect(svgOf(again)).toBe(svgOf(graph));
      expect(mermaidOf(again)).toBe(mermaidOf(graph));
    }),
    { numRuns: 30 },
  );
});

test('letters of all languages stay readable, signs become codes', () => {
  expect(escapeMermaid('größer 名前: "a" <b>')).toBe('größer 名前#58; #34;a#34; #60;b#62;');
  expect(escapeMermaid('1. item')).toBe('1#46; item');
  expect(escapeXml('a < b & "c"\u0000\uD800')).toBe('a &#60; b &#38; &#34;c&#34;');
});
