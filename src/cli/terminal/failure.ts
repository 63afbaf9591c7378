import { CommanderError } from 'commander';
import { ClientError } from '../../client/client-error.ts';
import { certificateCode, failureCode } from '../../client/send.ts';
import { CommandError, type ExitCode, exitCodes } from './exit-codes.ts';
import { clean } from './table.ts';

export type Failure = { lines: string[]; exitCode: ExitCode };

/** Says what went wrong and what to do, with one more line for each invalid field. */
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
  // The advice in the sentences after the first is for programs.
  const [first] = code === 'unreachable' ? message.split(/(?<=\.) /) : [message];
  const line = details.length > 0 ? 'The service rejected the request:' : first;
  const lines = [`${line}${hint(error)}${id}`, ...fields].map(clean);
  return { lines, exitCode: exitCodeOf[code] ?? exitCodes.failed };
}

/** A bug is reported with its stack; an error of the system, such as a missing file, with its message. */
function unexpected(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const ours = error instanceof TypeError || error instanceof ReferenceError;
  return (ours ? error.stack : error.message) || 'Something failed.';
}

const exitCodeOf: Partial<Record<ClientError['code'], ExitCode>> = {
  not_found: exitCodes.notFound,
  unauthorized: exitCodes.keyRefused,
  forbidden: exitCodes.keyRefused,
  unreachable: exitCodes.unreachable,
  timeout: exitCodes.unreachable,
  unavailable: exitCodes.unreachable,
  invalid_response: exitCodes.unreachable,
};

function hint({ code, cause, retryAfterMs }: ClientError): string {
  if (code === 'unauthorized') return ' Check the key in --key, --operator-key or the environment.';
  if (code === 'rate_limited' && retryAfterMs)
    return ` Try again in ${Math.ceil(retryAfterMs / 1000)} seconds.`;
  if (code !== 'unreachable') return '';
  const reason = failureCode(cause);
  if (certificateCode.test(reason))
    return ' Pass its CA certificate with --ca, or check the host name in --base-url.';
  return reason === 'ECONNREFUSED'
    ? ' Start the service, or set --base-url, or --data-dir for a local service with another data folder.'
    : ' Check --base-url.';
}
