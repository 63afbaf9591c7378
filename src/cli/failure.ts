import { CommanderError } from 'commander';
import { ClientError } from '../client/client-error.ts';
import { CommandError, type ExitCode, exitCodes } from './exit-codes.ts';
import { clean } from './table.ts';

export type Failure = { lines: string[]; exitCode: ExitCode };

/** What went wrong, in a line that says what to do, and one more for each field that was refused. */
export function explain(error: unknown): Failure {
  // The parser has printed its message already.
  if (error instanceof CommanderError)
    return { lines: [], exitCode: error.exitCode === 0 ? exitCodes.done : exitCodes.usage };
  if (error instanceof CommandError) return { lines: [error.message], exitCode: error.exitCode };
  if (error instanceof ClientError) return explainAnswer(error);
  return { lines: [unexpected(error)], exitCode: exitCodes.failed };
}

function explainAnswer(error: ClientError): Failure {
  const { code, details, message, request_id } = error;
  const id = request_id ? ` (request ${request_id})` : '';
  const fields = details.map((detail) => `  ${detail.field}: ${detail.message}`);
  const line = details.length > 0 ? 'The service refused the request:' : message;
  return { lines: [`${line}${hint(error)}${id}`, ...fields].map(clean), exitCode: exitCodeOf(code) };
}

/** A mistake of ours is told with its place; what the machine refuses, such as a file, in its own words. */
function unexpected(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const ours = error instanceof TypeError || error instanceof ReferenceError;
  return (ours ? error.stack : error.message) || 'Something failed.';
}

function exitCodeOf(code: ClientError['code']): ExitCode {
  switch (code) {
    case 'not_found':
      return exitCodes.notFound;
    case 'unauthorized':
    case 'forbidden':
      return exitCodes.keyRefused;
    case 'unreachable':
    case 'timeout':
    case 'unavailable':
    case 'unreadable_answer':
      return exitCodes.unreachable;
    default:
      return exitCodes.failed;
  }
}

function hint({ code, cause, retryAfterMs }: ClientError): string {
  if (code === 'unauthorized')
    return ' Check the key that was given by --key, --operator-key or the environment.';
  if (code === 'rate_limited' && retryAfterMs)
    return ` Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`;
  if (code !== 'unreachable') return '';
  const reason = (cause as { code?: string } | undefined)?.code ?? '';
  if (/CERT|SIGNATURE|ISSUER|^ERR_TLS/.test(reason))
    return ` Its certificate is not trusted (${reason}): give its authority by --ca, or check the name in --url.`;
  if (reason === 'ECONNREFUSED')
    return ' Nothing listens there: start the service, or give its address by --url.';
  if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN') return ' There is no such host: check --url.';
  return ` Check --url${reason ? ` (${reason})` : ''}.`;
}
