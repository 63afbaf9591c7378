import { Agent, request } from 'node:https';

/** Longer than any response may take. */
const timeoutMs = 40_000;

export const timedOut = `no answer in ${timeoutMs / 1_000} s`;

/** One request and its outcome; without an `outcome` it is still in flight. */
export type Sent = {
  at: number;
  what: string;
  key: string;
  ms: number;
  outcome?: 'ok' | 'refused' | 'failed';
  failure?: string;
};

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever the service sent
export type Answer = { status: number; body: any };

export type Call = {
  method: string;
  path: string;
  key: string;
  body?: unknown;
  headers?: Record<string, string>;
  what?: string;
};

/**
 * Sends over keep-alive connections without retries. It rotates through all connections, so that none is idle until the
 * other side closes it.
 */
export class Client {
  readonly sent: Sent[] = [];
  readonly #url: string;
  readonly #agent: Agent;
  #underWay = 0;

  constructor(url: string, ca: string) {
    this.#url = url;
    this.#agent = new Agent({ ca, keepAlive: true, scheduling: 'fifo', maxFreeSockets: 16 });
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** The response if the request succeeded or was refused for a valid reason; undefined if it failed. */
  async call(call: Call): Promise<Answer | undefined> {
    return (await this.#send(call)).answer;
  }

  /** For requests that must succeed before the test can begin. */
  async mustCall(call: Call): Promise<Answer> {
    const { answer, failure } = await this.#send(call);
    if (!answer) throw new Error(`${call.method} ${call.path} failed: ${failure}`);
    return answer;
  }

  async #send({
    method,
    path,
    key,
    body,
    headers,
    what,
  }: Call): Promise<{ answer?: Answer; failure?: string }> {
    const at = performance.now();
    const sent: Sent = { at, what: what ?? `${method} ${path.split('?')[0]}`, key, ms: 0 };
    this.sent.push(sent);
    this.#underWay++;
    try {
      const answer = await this.#exchange(method, path, key, body, headers);
      sent.outcome = answer.status < 300 ? 'ok' : isRefusal(answer.status) ? 'refused' : 'failed';
      if (sent.outcome !== 'failed') return { answer };
      sent.failure = String(answer.status);
      return { failure: sent.failure };
    } catch (error) {
      sent.outcome = 'failed';
      sent.failure = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      return { failure: sent.failure };
    } finally {
      sent.ms = performance.now() - at;
      this.#underWay--;
    }
  }

  #exchange(method: string, path: string, key: string, body: unknown, more = {}): Promise<Answer> {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${key}`,
      ...more,
      ...(payload && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    };
    return new Promise((resolve, reject) => {
      const sending = request(`${this.#url}${path}`, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          try {
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
          } catch {
            reject(new Error('not JSON'));
          }
        });
      });
      const timer = setTimeout(() => sending.destroy(new Error(timedOut)), timeoutMs);
      sending.on('close', () => {
        clearTimeout(timer);
        reject(new Error('cut off')); // no effect if a response has arrived
      });
      sending.on('error', reject);
      sending.end(payload);
    });
  }
}

/** A state that facts have overtaken meanwhile. No other 4xx is expected here. */
function isRefusal(status: number): boolean {
  return status === 409;
}
