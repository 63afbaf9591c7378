import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

type Props = { title: ReactNode; onClose(): void; children: ReactNode };

/** A modal dialog. The browser keeps the focus inside and returns it when the dialog closes. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog card"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
