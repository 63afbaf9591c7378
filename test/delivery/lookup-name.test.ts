import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { lookupInDns, lookupInSystem } from '../../src/delivery/lookup-name.ts';

const ipv4 = 1;
const ipv6 = 28;

test('all addresses of both families are found', async () => {
  const server = await nameServer({
    'both.example': {
      [ipv4]: [
        [8, 8, 8, 8],
        [10, 0, 0, 1],
      ],
      [ipv6]: [[0xfd, ...Array(14).fill(0), 1]],
    },
  });
  expect(await lookupInDns('both.example', [server])).toEqual(['8.8.8.8', '10.0.0.1', 'fd00::1']);
});

test('a name with addresses of one family is found', async () => {
  const server = await nameServer({
    'four.example': { [ipv4]: [[8, 8, 8, 8]] },
    'six.example': { [ipv6]: [[0x26, 6, ...Array(13).fill(0), 1]] },
  });
  expect(await lookupInDns('four.example', [server])).toEqual(['8.8.8.8']);
  expect(await lookupInDns('six.example', [server])).toEqual(['2606::1']);
});

test('a name without addresses is rejected', async () => {
  const server = await nameServer({ 'none.example': {} });
  await expect(lookupInDns('none.example', [server])).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(lookupInDns('unknown.example', [server])).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('names whose servers are silent hold up nobody else, and are given up before a delivery times out', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const server = await nameServer({ 'quick.example': { [ipv4]: [[8, 8, 8, 8]] } });
  let answered = 0;
  const startedMs = performance.now();
  const dead = Array.from({ length: 100 }, (_, i) =>
    lookupInDns(`dead-${i}.example`, [`127.0.0.1:${silent.address().port}`]).finally(() => answered++),
  );
  const outcomes = Promise.allSettled(dead);
  expect(await lookupInDns('quick.example', [server])).toEqual(['8.8.8.8']);
  expect(answered).toBe(0);
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'ETIMEOUT' } });
  expect(performance.now() - startedMs).toBeLessThan(15_000);
});

test.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost'])('%s is this machine', async (name) => {
  expect(await lookupInDns(name)).toEqual(['127.0.0.1', '::1']);
});

test('the system knows the names of its hosts file', async () => {
  expect(await lookupInSystem('localhost')).toContain('127.0.0.1');
});

type Zone = Record<string, Partial<Record<number, number[][]>>>;

/** A real name server for a few names: RFC 1035, one question and its answers in a datagram. */
async function nameServer(zone: Zone): Promise<string> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  socket.on('message', (query, from) => socket.send(answer(query, zone), from.port, from.address));
  return `127.0.0.1:${socket.address().port}`;
}

function answer(query: Buffer, zone: Zone): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const question = query.subarray(12, at + 5);
  const known = zone[labels.join('.').toLowerCase()];
  const records = known?.[type] ?? [];
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2); // no such name, or no error
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  const answers = records.map((data) => {
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0); // the name of the question
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4); // internet
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, Buffer.from(data)]);
  });
  return Buffer.concat([header, question, ...answers]);
}
