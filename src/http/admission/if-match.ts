import { ApiError } from '../../contract/error.ts';

/** A weak tag never matches: it does not promise identical bytes. */
export function matches(header: string, tag: string): boolean {
  return header.trim() === '*' || header.split(',').some((candidate) => candidate.trim() === tag);
}

/** Refuses a change if the resource has changed since the caller read it. */
export function requireMatch(header: string, tag: string, message: string): void {
  if (matches(header, tag)) return;
  throw new ApiError('precondition_failed', `${message} and retry if the change still applies.`);
}
