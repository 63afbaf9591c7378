import { Alert } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { ClientError } from '../../src/client/client-error.ts';
import { capitalize } from './words.ts';

/** What came of a change, `of` being the service's answer. The button that was pressed may be gone, and the focus with it. */
export function Saved({ of, children }: { of: unknown; children: ReactNode }) {
  const line = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (of) line.current?.focus();
  }, [of]);
  return (
    <p className="saved" role="status" tabIndex={-1} ref={line}>
      {children}
    </p>
  );
}

type Refusal = {
  error: Error | null;
  /** The fields of the form that show what is wrong with them themselves. */
  fields?: readonly string[];
  /** Said in place of the service's own words. */
  children?: ReactNode;
};

/** Why a change was not made. */
export function Refused({ error, fields = [], children }: Refusal) {
  if (!error || saidByFields(error, fields)) return null;
  return (
    <Alert role="alert" className="refused">
      {children ||
        (error instanceof ClientError ? error.message : 'Something went wrong here; nothing was saved.')}
    </Alert>
  );
}

/** What the service says of one field of a form. */
export function fieldError(error: Error | null, field: string): string | undefined {
  const message = detailsOf(error).find((detail) => isOf(detail.field, field))?.message;
  return message && `${capitalize(message)}.`;
}

function saidByFields(error: Error, fields: readonly string[]): boolean {
  const details = detailsOf(error);
  return details.length > 0 && details.every(({ field }) => fields.some((name) => isOf(field, name)));
}

/** A list is one field, and `events.1` an item of it. */
function isOf(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`);
}

function detailsOf(error: Error | null) {
  return error instanceof ClientError ? error.details : [];
}
