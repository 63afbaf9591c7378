import { Alert } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { ClientError } from '../../src/client/client-error.ts';
import { capitalize } from './format/words.ts';

/**
 * Confirms a change; `of` is the service's response. It takes the focus, because the button that was pressed may be gone.
 */
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
  /** The fields of the form, which show their own errors. */
  fields?: readonly string[];
  /** Replaces the service's message. */
  children?: ReactNode;
};

/** Says why a change failed. */
export function Refused({ error, fields = [], children }: Refusal) {
  if (!error || saidByFields(error, fields)) return null;
  return (
    <Alert role="alert" className="refused">
      {children ||
        (error instanceof ClientError
          ? error.message
          : 'Something went wrong. Nothing was saved; try again.')}
    </Alert>
  );
}

/** The service's error for one field of a form, or `instead` if the console can say it better. */
export function fieldError(error: Error | null, field: string, instead?: string): string | undefined {
  const message = detailsOf(error).find((detail) => isOf(detail.field, field))?.message;
  return message && (instead ?? `${capitalize(message)}.`);
}

function saidByFields(error: Error, fields: readonly string[]): boolean {
  const details = detailsOf(error);
  return details.length > 0 && details.every(({ field }) => fields.some((name) => isOf(field, name)));
}

/** A list is one field, and `events.1` is an item of it. */
function isOf(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`);
}

function detailsOf(error: Error | null) {
  return error instanceof ClientError ? error.details : [];
}

export function hasCode(error: Error | null, code: ClientError['code']): boolean {
  return error instanceof ClientError && error.code === code;
}
