import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { answerClientError } from './client-error.ts';

test('a connection on which no request came in time is closed without an answer', async () => {
  const socket = new PassThrough();
  const error = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  await answerClientError({} as never, {} as never)(error, socket);
  expect(socket.readableLength).toBe(0);
});
