import { request } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from '../harness.ts';

export const ndjson = { 'content-type': 'application/x-ndjson' };
export const partner = (external_id: string, name = 'Lantern Quay') =>
  JSON.stringify({ external_id, name, type: 'gsi', tier: 1 });

/** Sends a body of unknown length in chunks, no faster than the service reads it. */
export async function sendPieces(
  target: { url: string; ca: string; key: string },
  pieces: Iterable<string | Buffer>,
): Promise<Answer['body']> {
  const { url, ca, key } = target;
  const sent = request(`${url}/ingest/v1/partners`, {
    method: 'POST',
    ca,
    headers: { ...ndjson, authorization: `Bearer ${key}` },
  });
  const answered = new Promise<string>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
  });
  await pipeline(Readable.from(pieces), sent);
  return JSON.parse(await answered);
}
