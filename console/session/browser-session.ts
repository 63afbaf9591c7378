import { type ClientOptions, type Request, send } from '../../src/client/send.ts';
import type { One } from '../../src/client/types.ts';

/*
 * The session of this browser: a cookie that no script can read, set by the service in exchange for a key. All tabs have
 * it, and it ends when you sign out or close the browser.
 */

export async function startSession(key: string): Promise<void> {
  await call('POST', key);
}

export async function hasSession(): Promise<boolean> {
  return (await call<One<{ signed_in: boolean }>>('GET', null)).data.signed_in;
}

export async function endSession(): Promise<void> {
  await call('DELETE', null);
}

async function call<T>(method: Request['method'], key: ClientOptions['key']): Promise<T> {
  const options = { baseUrl: '', key, maxRetries: 0, timeoutMs: 10_000 };
  return (await send<T>(options, { method, path: '/console/session' })).body;
}
