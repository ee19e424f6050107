/** An editor in a component: CodeMirror, which is loaded when it is first needed. */
import { type RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type EditedText } from '../compiling/protocol';
import { type Compiler } from '../compiling/use';
import { usePart } from '../server/use';
import { type CodeEditor, type EditorOptions } from './code-mirror';

export interface ShownMirror {
  readonly host: RefObject<HTMLDivElement | null>;
  readonly mirror: { current: CodeEditor | undefined };
  readonly shown: boolean;
  /** Why it is not there. */
  readonly error?: unknown;
}

export interface MirrorOptions extends Omit<EditorOptions, 'help'> {
  /** What the language service calls it. */
  readonly of: EditedText;
  readonly compiler: Compiler;
}

/** The functions may change; text and label are those of the first time. */
export function useMirror(options: MirrorOptions): ShownMirror {
  const host = useRef<HTMLDivElement>(null);
  const mirror = useRef<CodeEditor | undefined>(undefined);
  const now = useRef(options);
  now.current = options;
  const { part, error } = usePart(() => import('./code-mirror'), 'code-mirror');
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!part || !host.current) return undefined;
    const { of, compiler, text, label, onRename } = options;
    mirror.current = part.createEditor(host.current, {
      ...{ text, label },
      help: {
        complete: (written, offset) => compiler.complete({ of, text: written, offset }),
        hover: (written, offset) => compiler.hover({ of, text: written, offset }),
      },
      onChange: (written) => now.current.onChange(written),
      ...(onRename && { onRename: (offset) => now.current.onRename?.(offset) }),
    });
    setShown(true);
    return () => mirror.current?.view.destroy();
  }, [part]);
  return { host, mirror, shown, error };
}
