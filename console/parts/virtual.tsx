/** Rows of equal height, of which only the visible ones are drawn: ten thousand cost as much as thirty. */
import { type ComponentChildren, type JSX, type Ref } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  readonly count: number;
  /** Pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  readonly class?: string;
  readonly label: string;
  readonly role?: 'list' | 'rowgroup' | 'tree' | 'listbox';
  /** The row to scroll to when it changes. */
  readonly reveal?: number;
  /** Follows the last row until the user scrolls up. */
  readonly tail?: boolean;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  /** Called when the last rows become visible. */
  readonly onEnd?: () => void;
}

/** Rows beyond either edge, for smooth scrolling. */
const BEYOND = 8;

export function VirtualRows(props: Props): JSX.Element {
  const { count, rowHeight, row, label, role = 'list', reveal, tail, onKeyDown, onEnd } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const isAtEnd = useRef(true);
  const stay = (): void => {
    const element = box.current;
    if (tail && isAtEnd.current) element?.scrollTo({ top: element.scrollHeight });
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const scrolled = (): void => {
      isAtEnd.current = element.scrollTop + element.clientHeight > element.scrollHeight - rowHeight;
      look();
    };
    look();
    const size = new ResizeObserver(() => {
      stay();
      look();
    });
    size.observe(element);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      size.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, []);
  useLayoutEffect(stay, [count, tail]);
  useEffect(() => {
    const element = box.current;
    if (!element || reveal === undefined || reveal < 0) return;
    const top = reveal * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  }, [reveal, rowHeight]);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - BEYOND);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + BEYOND);
  useEffect(() => {
    if (last >= count && count > 0) onEnd?.();
  }, [last, count]);
  const drawn = [];
  for (let index = first; index < last; index++) drawn.push(row(index));
  return (
    <div
      class={`rows ${props.class ?? ''}`}
      ref={box as Ref<HTMLDivElement>}
      tabIndex={0}
      role={role}
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      <div class="rows-all" role="presentation" style={{ height: `${String(count * rowHeight)}px` }}>
        <div
          class="rows-seen"
          role="presentation"
          style={{ transform: `translateY(${String(first * rowHeight)}px)` }}
        >
          {drawn}
        </div>
      </div>
    </div>
  );
}
