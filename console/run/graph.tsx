/** The steps of a run as a drawing: their statuses, the tokens, and the arcs that have fired. */
import { type JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { drawingOf, type DrawnArc, type DrawnNode } from '../../src/language/dsl/graph/drawing';
import { type Graph } from '../../src/language/dsl/graph/model';
import { type Moment, type StepStand } from '../../src/history/moment';

const MARGIN = 26;
const LINE = 17;

interface Props {
  readonly graph: Graph;
  /** Undefined: the playbook alone, without a run. */
  readonly moment?: Moment;
  readonly selected?: string;
  readonly onSelect?: (step: string) => void;
}

export function GraphView({ graph, moment, selected, onSelect }: Props): JSX.Element {
  const drawing = useMemo(() => drawingOf(graph), [graph]);
  const places = useMemo(() => placesOf(graph), [graph]);
  const steps = new Map(moment?.steps);
  const firings = new Map(moment?.fired);
  const fired = (index: number): number => {
    const [step, arc] = places[index]!;
    return firings.get(step)?.[arc] ?? 0;
  };
  const tokens = new Map<string, number>();
  for (const [, step] of moment?.tokens ?? []) tokens.set(step, (tokens.get(step) ?? 0) + 1);
  const width = drawing.width + 2 * MARGIN;
  const height = drawing.height + 2 * MARGIN;
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${String(width)} ${String(height)}`}
      width={width}
      height={height}
      style={{ '--w': width, '--h': height }}
      role="group"
      aria-label={`Graph of ${graph.name}`}
    >
      <defs>
        {['plain', 'fired', 'failure'].map((kind) => (
          <marker
            key={kind}
            id={`tip-${kind}`}
            class={`tip ${kind}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
          >
            <path d="M0 1L10 5L0 9z" />
          </marker>
        ))}
      </defs>
      <g transform={`translate(${String(MARGIN - drawing.left)} ${String(MARGIN)})`}>
        {drawing.arcs.map((arc, index) => (
          <Arc key={index} drawn={arc} fired={fired(index)} />
        ))}
        {drawing.nodes.map((node) => (
          <Node
            key={node.node.step ?? ''}
            drawn={node}
            stand={steps.get(node.node.step ?? '')}
            tokens={tokens.get(node.node.step ?? '') ?? 0}
            selected={selected !== undefined && node.node.step === selected}
            {...(onSelect ? { onSelect } : {})}
          />
        ))}
        {drawing.arcs.map(({ arc, label }, index) =>
          label === undefined ? null : (
            <g key={index} class="arc-label">
              <title>{arc.when ?? 'else'}</title>
              <rect x={label.from} y={label.y - 9} width={label.to - label.from} height={18} rx={5} />
              <text x={(label.from + label.to) / 2} y={label.y}>
                {label.text}
              </text>
            </g>
          ),
        )}
      </g>
    </svg>
  );
}

/** The step of each arc, and the arc's index in that step's router. */
function placesOf({ arcs }: Graph): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  return arcs.map(({ from }) => {
    const place = counts.get(from) ?? 0;
    counts.set(from, place + 1);
    return [from, place];
  });
}

function Arc({ drawn: { arc, path }, fired }: { drawn: DrawnArc; fired: number }): JSX.Element {
  const kind = fired > 0 ? 'fired' : arc.failure ? 'failure' : 'plain';
  return (
    <path
      class={`arc ${kind}${arc.failure ? ' on-failure' : ''}${coveredClass(arc.taken)}`}
      d={path}
      marker-end={`url(#tip-${kind})`}
      data-fired={fired}
    >
      <title>
        {arc.taken !== undefined
          ? `covered ${times(arc.taken)}`
          : fired > 0
            ? `fired ${times(fired)}`
            : 'has not fired'}
      </title>
    </path>
  );
}

/** In a graph with coverage: whether any of the executions came here. */
function coveredClass(taken: number | undefined): string {
  return taken === undefined ? '' : taken === 0 ? ' uncovered' : ' covered';
}

function times(count: number): string {
  return count === 0 ? 'never' : count === 1 ? 'once' : `${String(count)} times`;
}

interface NodeProps {
  readonly drawn: DrawnNode;
  readonly stand: StepStand | undefined;
  readonly tokens: number;
  readonly selected: boolean;
  readonly onSelect?: (step: string) => void;
}

function Node({ drawn, stand, tokens, selected, onSelect }: NodeProps): JSX.Element {
  const { node, lines, at, size } = drawn;
  const look = stand?.look ?? 'waiting';
  const [left, top] = [at.x - size.width / 2, at.y - size.height / 2];
  const { step } = node;
  if (step === null) return <End at={at} radius={size.width / 2.6} />;
  const choose = (): void => onSelect?.(step);
  const first = at.y - (lines.length * LINE) / 2 + LINE / 2;
  return (
    <g
      class={`node ${look}${selected ? ' selected' : ''}${node.reachable ? '' : ' lost'}${coveredClass(node.taken)}`}
      data-step={step}
      data-status={look}
      onClick={choose}
    >
      <title>{titleOf(node)}</title>
      {node.loop && (
        <rect class="card" x={left + 5} y={top + 5} width={size.width} height={size.height} rx={9} />
      )}
      <rect
        class="box"
        x={left}
        y={top}
        width={size.width}
        height={size.height}
        rx={node.entry || node.end ? size.height / 2 : 9}
      />
      {lines.map((line, index) => (
        <text
          key={index}
          aria-hidden="true"
          class={index === 0 ? 'name' : 'sub'}
          x={at.x}
          y={first + index * LINE}
        >
          {line}
        </text>
      ))}
      {onSelect && (
        // The focusable element has no text; screen readers announce only its aria-label.
        <rect
          class="hit"
          x={left}
          y={top}
          width={size.width}
          height={size.height}
          rx={9}
          role="button"
          // SVG's spelling: browsers do not know an attribute `tabIndex`.
          tabindex={0}
          aria-pressed={selected}
          aria-label={spoken(step, look, stand, tokens)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' && event.key !== ' ') return;
            event.preventDefault();
            choose();
          }}
        />
      )}
      {stand && <Badge stand={stand} x={left + size.width} y={top} />}
      {tokens > 0 && <Tokens x={left} y={at.y} count={tokens} />}
      <UncoveredRules count={node.untouched?.length ?? 0} x={left} y={top} />
    </g>
  );
}

function UncoveredRules({ count, x, y }: { count: number; x: number; y: number }): JSX.Element | null {
  if (count === 0) return null;
  return (
    <g class="count uncovered-rules" aria-hidden="true" transform={`translate(${String(x)} ${String(y)})`}>
      <circle r={10} />
      <text>{count}</text>
    </g>
  );
}

function titleOf({ step, desc, taken, untouched = [] }: DrawnNode['node']): string {
  return [
    [step, desc].filter(Boolean).join(': '),
    ...(taken === undefined ? [] : [`covered ${times(taken)}`]),
    ...untouched.map((rule) => `never: ${rule}`),
  ].join('\n');
}

function End({ at, radius }: { at: DrawnNode['at']; radius: number }): JSX.Element {
  return (
    <g class="node end-of-tokens">
      <circle cx={at.x} cy={at.y} r={radius} />
      <text x={at.x} y={at.y}>
        end
      </text>
    </g>
  );
}

/** How far its loop has come, or how often it ran. */
function Badge({ stand, x, y }: { stand: StepStand; x: number; y: number }): JSX.Element | null {
  if (stand.loop) return <Ring x={x - 4} y={y + 2} loop={stand.loop} />;
  if (stand.runs < 2) return null;
  return (
    <g class="count" aria-hidden="true" transform={`translate(${String(x - 6)} ${String(y)})`}>
      <circle r={10} />
      <text>{stand.runs}</text>
    </g>
  );
}

function spoken(step: string, look: string, stand: StepStand | undefined, tokens: number): string {
  const loop = stand?.loop;
  return [
    `Step ${step}: ${look}`,
    loop && `${String(loop.done + loop.failed)} of ${String(loop.total)} iterations`,
    (stand?.runs ?? 0) > 1 && `ran ${String(stand!.runs)} times`,
    tokens > 0 && `${String(tokens)} ${tokens === 1 ? 'token' : 'tokens'} here`,
  ]
    .filter(Boolean)
    .join(', ');
}

const RADIUS = 13;
const AROUND = 2 * Math.PI * RADIUS;

function Ring({ x, y, loop }: { x: number; y: number; loop: NonNullable<StepStand['loop']> }): JSX.Element {
  const total = Math.max(1, loop.total);
  const [done, failed] = [(loop.done / total) * AROUND, (loop.failed / total) * AROUND];
  return (
    <g class="ring" aria-hidden="true" transform={`translate(${String(x)} ${String(y)})`}>
      <title>{`${String(loop.done)} done, ${String(loop.failed)} failed, ${String(loop.running)} under way, of ${String(loop.total)}`}</title>
      <circle r={RADIUS + 3} class="plate" />
      <circle r={RADIUS} class="track" />
      <circle
        r={RADIUS}
        class="done"
        stroke-dasharray={`${String(done)} ${String(AROUND)}`}
        transform="rotate(-90)"
      />
      <circle
        r={RADIUS}
        class="failed"
        stroke-dasharray={`${String(failed)} ${String(AROUND)}`}
        transform={`rotate(${String(-90 + (done / AROUND) * 360)})`}
      />
      <text>{shortCount(loop.done + loop.failed)}</text>
    </g>
  );
}

function shortCount(count: number): string {
  return count < 1000 ? String(count) : `${String(Math.round(count / 1000))}k`;
}

function Tokens({ x, y, count }: { x: number; y: number; count: number }): JSX.Element {
  return (
    <g class="token" aria-hidden="true" transform={`translate(${String(x)} ${String(y)})`}>
      <circle r={8} />
      {count > 1 && <text>{count > 99 ? '99' : count}</text>}
    </g>
  );
}
