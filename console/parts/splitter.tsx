import { type JSX, type TargetedPointerEvent } from 'preact';

interface Props {
  /** Between a left and a right pane; otherwise between an upper and a lower one. */
  readonly isUpright?: boolean;
  readonly label: string;
  /** Percent of the box that the panes share. */
  readonly value: number;
  readonly onChange: (value: number) => void;
  /** A double click goes back to it. */
  readonly initial: number;
}

const [LEAST, MOST, STEP] = [10, 90, 2];

/** The border between two panes of a box, which is moved by pointer or arrow keys. */
export function Splitter({ isUpright = false, label, value, onChange, initial }: Props): JSX.Element {
  const set = (to: number): void => onChange(Math.round(Math.max(LEAST, Math.min(MOST, to)) * 10) / 10);
  const drag = (event: TargetedPointerEvent<HTMLDivElement>): void => {
    const { currentTarget: bar, pointerId, clientX, clientY } = event;
    if (!bar.hasPointerCapture(pointerId)) return;
    const { left, top, width, height } = bar.parentElement!.getBoundingClientRect();
    set(100 * (isUpright ? (clientX - left) / width : (clientY - top) / height));
  };
  const key = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(value + by);
  };
  return (
    <div
      class={`splitter${isUpright ? ' upright' : ''}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={isUpright ? 'vertical' : 'horizontal'}
      aria-valuenow={Math.round(value)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onDblClick={() => set(initial)}
      onKeyDown={key}
    />
  );
}
