/** The steps of a run as a drawing: their statuses, the tokens, and the arcs that have fired. */
import { type JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Drawing, drawingOf, type DrawnArc, type DrawnNode } from '../../src/language/dsl/graph/drawing';
import { type Graph } from '../../src/language/dsl/graph/model';
import { type Moment, type StepStand } from '../../src/history/moment';
import { type FoldedGraph, arcPlaces } from './folding';
import { Ring } from './ring';

export const MARGIN = 26;
const LINE = 17;

interface Props {
  readonly graph: Graph;
  /** Undefined: the playbook alone, without a run. */
  readonly moment?: Moment;
  readonly selected?: string;
  readonly onSelect?: (step: string) => void;
  /** Default: that of the graph. */
  readonly drawing?: Drawing;
  /** Default: it fits into its box as long as one can read it. */
  readonly scale?: number;
  /** Nodes that stand for several steps. */
  readonly groups?: FoldedGraph['groups'];
  /** Of each arc, those that it stands for. */
  readonly places?: FoldedGraph['places'];
}

export function GraphView({
  graph,
  moment,
  selected,
  onSelect,
  scale,
  groups,
  ...given
}: Props): JSX.Element {
  const drawing = useMemo(() => given.drawing ?? drawingOf(graph), [graph]);
  const places = useMemo(() => given.places ?? arcPlaces(graph), [graph]);
  const steps = new Map(moment?.steps);
  const firings = new Map(moment?.fired);
  const fired = (index: number): number =>
    places[index]!.reduce((sum, [step, arc]) => sum + (firings.get(step)?.[arc] ?? 0), 0);
  const tokens = new Map<string, number>();
  for (const [, step] of moment?.tokens ?? []) tokens.set(step, (tokens.get(step) ?? 0) + 1);
  const width = drawing.width + 2 * MARGIN;
  const height = drawing.height + 2 * MARGIN;
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${String(width)} ${String(height)}`}
      width={width * (scale ?? 1)}
      height={height * (scale ?? 1)}
      style={scale === undefined ? { '--w': width, '--h': height } : { maxWidth: 'none', maxHeight: 'none' }}
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
            members={groups?.get(node.node.step ?? '')?.length ?? 0}
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
  /** Steps that it stands for; 0: it is a step. */
  readonly members: number;
  readonly onSelect?: (step: string) => void;
}

function Node({ drawn, stand, tokens, selected, members, onSelect }: NodeProps): JSX.Element {
  const { node, lines, at, size } = drawn;
  const look = stand?.look ?? 'waiting';
  const [left, top] = [at.x - size.width / 2, at.y - size.height / 2];
  const { step } = node;
  if (step === null) return <End at={at} radius={size.width / 2.6} />;
  const choose = (): void => onSelect?.(step);
  const round = node.entry || node.end ? size.height / 2 : 9;
  const first = at.y - (lines.length * LINE) / 2 + LINE / 2;
  return (
    <g
      class={`node ${look}${selected ? ' selected' : ''}${node.reachable ? '' : ' lost'}${coveredClass(node.taken)}`}
      data-step={step}
      data-status={look}
      onClick={choose}
    >
      <title>{titleOf(node)}</title>
      {(node.loop ?? members > 0) && (
        <rect class="card" x={left + 5} y={top + 5} width={size.width} height={size.height} rx={round} />
      )}
      <rect class="box" x={left} y={top} width={size.width} height={size.height} rx={round} />
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
          aria-label={spoken({ step, look, members }, stand, tokens)}
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

interface Spoken {
  readonly step: string;
  readonly look: string;
  readonly members: number;
}

function spoken({ step, look, members }: Spoken, stand: StepStand | undefined, tokens: number): string {
  const loop = stand?.loop;
  return [
    `${members > 0 ? 'Steps' : 'Step'} ${step}: ${look}`,
    loop &&
      `${String(loop.done + loop.failed)} of ${String(loop.total)} ${members > 0 ? 'steps' : 'iterations'}`,
    loop && loop.failed > 0 && `${String(loop.failed)} failed`,
    (stand?.runs ?? 0) > 1 && `ran ${String(stand!.runs)} times`,
    tokens > 0 && `${String(tokens)} ${tokens === 1 ? 'token' : 'tokens'} here`,
  ]
    .filter(Boolean)
    .join(', ');
}

function Tokens({ x, y, count }: { x: number; y: number; count: number }): JSX.Element {
  return (
    <g class="token" aria-hidden="true" transform={`translate(${String(x)} ${String(y)})`}>
      <circle r={8} />
      {count > 1 && <text>{count > 99 ? '99' : count}</text>}
    </g>
  );
}
