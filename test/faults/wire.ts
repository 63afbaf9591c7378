import { createConnection, createServer, type Socket } from 'node:net';

export type Wire = {
  port: number;
  /** Stops forwarding on this share of the connections without closing them; if it is all, also on new ones. */
  freeze(share: number): void;
  /** Closes every connection, and each new one immediately. */
  cut(): void;
  /** Forwards again, including what was held back; with `drop`, closes frozen connections instead. */
  restore(options?: { drop: boolean }): void;
};

type State = 'open' | 'frozen' | 'cut';

/** A proxy between the service and PostgreSQL that can go silent, like a broken network. */
export async function startWire(targetPort: number): Promise<Wire> {
  const pairs = new Map<Socket, Socket>();
  const frozen = new Set<Socket>();
  let state: State = 'open';

  const server = createServer({ pauseOnConnect: true, noDelay: true }, (inbound) => {
    if (state === 'cut') return void inbound.destroy();
    const outbound = createConnection({ port: targetPort, host: '127.0.0.1', noDelay: true });
    pairs.set(inbound, outbound);
    join(inbound, outbound);
    join(outbound, inbound);
    inbound.once('close', () => {
      pairs.delete(inbound);
      frozen.delete(inbound);
    });
    if (state === 'frozen') freezePair(inbound);
    else inbound.resume();
  });

  function freezePair(inbound: Socket): void {
    frozen.add(inbound);
    inbound.pause();
    pairs.get(inbound)?.pause();
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    freeze(share) {
      if (share === 1) state = 'frozen';
      for (const inbound of pairs.keys()) if (Math.random() < share) freezePair(inbound);
    },
    cut() {
      state = 'cut';
      for (const inbound of pairs.keys()) inbound.destroy();
    },
    restore({ drop } = { drop: false }) {
      state = 'open';
      for (const inbound of frozen) {
        if (drop) inbound.destroy();
        inbound.resume();
        pairs.get(inbound)?.resume();
      }
      frozen.clear();
    },
  };
}

/** Ignores backpressure: the data is small, and must be held while frozen. */
function join(from: Socket, to: Socket): void {
  from.on('data', (chunk) => to.write(chunk));
  from.on('error', () => {});
  from.on('close', (broken) => (broken ? to.destroy() : to.end()));
}
