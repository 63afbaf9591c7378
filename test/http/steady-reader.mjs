// Reads as one tenant on a separate thread, so that the cost of the load in its own process is not measured.
import { Agent, get } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';

const { url, ca, key } = workerData;
const agent = new Agent({ ca, keepAlive: true });
const waits = [];
let stopped = false;
parentPort.once('message', () => {
  stopped = true;
});

while (!stopped) {
  const started = performance.now();
  const status = await new Promise((resolve) => {
    get(`${url}/v1/partners`, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) =>
      answer.resume().once('end', () => resolve(answer.statusCode)),
    ).once('error', (error) => resolve(error.message));
  });
  waits.push({ status, ms: performance.now() - started });
  await new Promise((resolve) => setTimeout(resolve, 250));
}
agent.destroy();
parentPort.postMessage(waits);
