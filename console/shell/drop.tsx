/** A history file that is dropped anywhere on the page opens as a run. */
import { type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { go } from './address';

/** The dropped files, for the page that shows them. */
export const droppedFiles: { current: readonly File[] | undefined } = { current: undefined };
export const dropped = new EventTarget();

export function openFiles(files: readonly File[]): void {
  if (files.length === 0) return;
  droppedFiles.current = files;
  go('/file');
  dropped.dispatchEvent(new Event('files'));
}

interface DropZoneProps {
  readonly onFiles?: (files: readonly File[]) => void;
}

export function DropZone({ onFiles = openFiles }: DropZoneProps): JSX.Element | null {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const isFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const drag = (event: DragEvent): void => {
      if (!isFile(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!isFile(event)) return;
      event.preventDefault();
      setOver(false);
      onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener('dragover', drag);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', drag);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return over ? <div class="drop-zone">Drop the history file to see the run</div> : null;
}
