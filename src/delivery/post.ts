import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import { isPublicAddress, literalAddress } from './address-guard.ts';
import { attemptTimeoutMs, maxInFlightPerOrigin, slowRequestMs } from './limits.ts';
import { type LookupName, lookupInDns, lookupInSystem } from './lookup-name.ts';
import { createOriginLimit } from './origin-limit.ts';
import { describeFailure, refusal } from './post-failure.ts';
import { isBadPort, maxHostname } from './webhook-url.ts';

export type PostOutcome =
  /** `body` is the first 1 KiB. `latencyMs` runs to the status, not to the end of the body. */
  | { kind: 'response'; status: number; body: string; latencyMs: number; retryAfterSeconds: number | null }
  /** `error` is short and for people. */
  | { kind: 'failure'; error: string; latencyMs: number };

export type Poster = {
  /** Never throws: a failed delivery is an outcome. If many wait for one origin, the parties take turns. */
  post(url: string, body: string, headers: Record<string, string>, party?: string): Promise<PostOutcome>;
  /** Waits for the requests under way, at most for their time-out. */
  close(): Promise<void>;
};

const keptBodyBytes = 1024;
const readBodyBytes = 64 * 1024;

/** Sends webhooks: one attempt each, over verified TLS, never to an address that is not public unless `allowPrivate`. */
export function createPoster(options: {
  allowPrivate: boolean;
  /** PEM of an authority that is trusted beside the well-known ones. */
  ca?: string;
  timeoutMs?: number;
  /** A request that takes longer no longer counts for the limit of its origin. */
  slowMs?: number;
  /** Private names may be known only to this machine's hosts file; public names are in the DNS. */
  lookup?: LookupName;
}): Poster {
  const {
    allowPrivate,
    ca,
    timeoutMs = attemptTimeoutMs,
    slowMs = slowRequestMs,
    lookup = allowPrivate ? lookupInSystem : lookupInDns,
  } = options;
  // Many webhooks may share an origin, as at a platform that hosts them. A burst to it uses few connections. If requests of
  // other organizations hang there, a request waits a tenth of a second for each of those organizations.
  const originLimit = createOriginLimit({ maxInFlight: maxInFlightPerOrigin, slowMs });
  const agent = new Agent({
    connections: null, // the origin limit bounds them, and does not count those that hang
    pipelining: 1,
    allowH2: false,
    // Below the 5 s after which many servers close an idle connection, so that few requests meet a closing one; the
    // maximum holds against servers that ask for more, so that thousands of receivers do not pile up sockets.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 4_000,
    headersTimeout: 0, // the total time-out bounds these two
    bodyTimeout: 0,
    connect: {
      // Made once: reading the well-known authorities takes about 100 ms, which a connection would spend otherwise.
      secureContext: createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
      rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
      timeout: timeoutMs,
      lookup: checkedLookup(lookup, allowPrivate),
      autoSelectFamily: true,
      // Node's 250 ms would give up on a distant receiver whose other address family does not work here.
      autoSelectFamilyAttemptTimeout: 2_500,
    },
  });

  return {
    async post(url, body, headers, party = '') {
      const startedMs = performance.now();
      let end = () => {};
      try {
        const { origin, protocol, hostname, port, pathname, search } = new URL(url);
        if (protocol !== 'https:') throw refusal('not an https address');
        if (isBadPort(port)) throw refusal(`port not allowed: ${port}`);
        if (hostname.length > maxHostname) throw refusal('not a host name');
        const literal = literalAddress(hostname); // a socket does not look these up
        if (literal !== null && !allowPrivate && !isPublicAddress(literal)) throw notAllowed(literal);
        end = await originLimit.start(origin, party);
        const request: Dispatcher.DispatchOptions = {
          origin,
          path: pathname + search,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'partner-signals/1' },
          body,
        };
        const answer = await exchange(agent, request, startedMs, timeoutMs);
        return {
          kind: 'response',
          status: answer.status,
          body: textOf(answer.start),
          latencyMs: Math.round(answer.atMs - startedMs),
          retryAfterSeconds: retryAfterSeconds(answer.retryAfter, Date.now()),
        };
      } catch (error) {
        const latencyMs = Math.round(performance.now() - startedMs);
        return { kind: 'failure', error: describeFailure(error), latencyMs };
      } finally {
        end();
      }
    },
    close: () => agent.close(),
  };
}

/**
 * The socket connects to exactly the addresses that this returns, without another look-up. So a name cannot resolve to a
 * public address for the check and to a private one for the connection. A name with any address that is not public is refused.
 */
function checkedLookup(lookup: LookupName, allowPrivate: boolean): LookupFunction {
  return (name, options, callback) => {
    lookup(name).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (first === undefined) callback(refusal('host name not found'), []);
        else if (!allowPrivate && !addresses.every(isPublicAddress)) callback(notAllowed(name), []);
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

/** Names what the owner of the webhook wrote, not what it resolves to: that would tell them about our network. */
function notAllowed(host: string): Error {
  return refusal(`address not allowed: ${host} is not on the public internet`);
}

type Answer = {
  status: number;
  retryAfter: string | string[] | undefined;
  atMs: number;
  /** The first 1 KiB of the body. */
  start: Buffer[];
};

/**
 * The status decides about a delivery, the body is only for the log. So a body that drips until the time-out, breaks
 * off or never ends leaves the response a response, with as much text as came. A short body is read to its end, so that
 * the connection can serve again; aborting destroys it.
 *
 * With undici's `request`, which makes a stream of the body and needs a signal to be aborted, a post takes half as long again.
 */
function exchange(
  agent: Agent,
  request: Dispatcher.DispatchOptions,
  startedMs: number,
  timeoutMs: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timedOut = () => refusal(`timed out after ${timeoutMs / 1000} s`);
    const leftMs = startedMs + timeoutMs - performance.now();
    if (leftMs <= 0) return reject(timedOut());
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Answer | undefined;
    let bytes = 0;
    let isOver = false;
    const end = (error?: Error) => {
      isOver = true;
      clearTimeout(timer);
      if (answer) resolve(answer);
      else reject(error);
      if (error) controller?.abort(error);
    };
    const timer = setTimeout(() => end(timedOut()), leftMs);
    agent.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        if (isOver) started.abort(timedOut()); // the connection came too late
      },
      onResponseStart(_, status, headers) {
        if (status < 200) return;
        answer = { status, retryAfter: headers['retry-after'], atMs: performance.now(), start: [] };
      },
      onResponseData(_, chunk) {
        if (bytes < keptBodyBytes) answer?.start.push(chunk.subarray(0, keptBodyBytes - bytes));
        bytes += chunk.length;
        if (bytes > readBodyBytes) end(new Error('the rest is not read'));
      },
      onResponseEnd: () => end(),
      onResponseError: (_, error) => end(error),
    });
  });
}

/** `stream` leaves out a character that the cut went through; PostgreSQL refuses NUL in a text. */
function textOf(start: Buffer[]): string {
  if (start.length === 0) return '';
  return new TextDecoder().decode(Buffer.concat(start), { stream: true }).replaceAll('\0', '\ufffd');
}

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfterSeconds(header: string | string[] | undefined, nowMs: number): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // Date.parse takes nearly anything for a date, so only the form that servers must send is given to it.
  const dateMs = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(header)
    ? Date.parse(header)
    : Number.NaN;
  return Number.isNaN(dateMs) ? null : Math.max(0, Math.ceil((dateMs - nowMs) / 1000));
}
