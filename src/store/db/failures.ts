/** The error code of PostgreSQL or of the system; empty if there is none. */
export function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether the database was unreachable or accepts no writes for now, rather than refusing the statement. */
export function isConnectionFailure(error: unknown): boolean {
  const code = sqlState(error);
  // Connection, shutdown, resources, system; then: not accepting connections, no such database, refused login, read-only.
  if (/^(08|57P0|53|58|55000|3D000|28|25006)/.test(code)) return true;
  if (hasMoved(error)) return true;
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_AGAIN|EHOST|ENET)/.test(code)) return true;
  return (
    error instanceof Error &&
    /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|timeout expired)|not queryable$/.test(
      error.message,
    )
  );
}

/** A deadlock, a serialization failure or a moved shard: the same transaction can succeed if retried. */
export function canBeRepeated(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlState(error)) || hasMoved(error);
}

/** On Citus: a shard was split after this session had planned its statement. */
function hasMoved(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('could not find valid entry for shard');
}

/**
 * If one of several pipelined statements fails, the server refuses those after it, and their callers may get an error before
 * the caller of the one that failed.
 */
export function isRefusedAfterAnother(error: unknown): boolean {
  return sqlState(error) === '25P02';
}
