import { ApiError } from '../../contract/error.ts';
import type { Keyring } from '../keys/keyring.ts';

/** A cursor is refused anywhere else. */
export type CursorScope = { orgId: string; route: string; filters: Record<string, unknown> };

/** The sort key and ID of the last row of a page, as text parameters of the next page's statement. */
export type Position = string[];

export function encodeCursor(keyring: Keyring, scope: CursorScope, position: Position): string {
  const payload = JSON.stringify(position);
  const { keyId, mac } = keyring.signCursor(signedText(scope, payload));
  return `cur_${Buffer.concat([Buffer.of(keyId.length), Buffer.from(keyId), mac, Buffer.from(payload)]).toString('base64url')}`;
}

export function decodeCursor(keyring: Keyring, scope: CursorScope, cursor: string): Position {
  const bytes = Buffer.from(cursor.slice(4), 'base64url');
  // Decoding accepts characters that encoding never produces, but a cursor must have exactly one spelling.
  if (!cursor.startsWith('cur_') || bytes.toString('base64url') !== cursor.slice(4)) throw invalidCursor();
  const start = 1 + (bytes[0] ?? 0);
  const payload = bytes.subarray(start + 32).toString();
  const keyId = bytes.subarray(1, start).toString();
  if (!keyring.verifyCursor(keyId, signedText(scope, payload), bytes.subarray(start, start + 32)))
    throw invalidCursor();
  return JSON.parse(payload) as Position;
}

function signedText({ orgId, route, filters }: CursorScope, payload: string): string {
  const sorted = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([orgId, route, sorted, payload]);
}

function invalidCursor(): ApiError {
  return new ApiError(
    'invalid_cursor',
    'This cursor is not valid for this list and these filters. Start again without a cursor.',
    {
      details: [
        { field: 'cursor', code: 'invalid_cursor', message: 'is not valid for this list and these filters' },
      ],
    },
  );
}
