import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const ticksPerSecond = 100;

/** CPU seconds of these processes and of their children that have ended. */
export function cpuSeconds(pids: number[]): number {
  const ticks = pids.flatMap((pid) => statOf(pid)?.ticks ?? []);
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond;
}

/** A process and all its descendants. */
export function familyOf(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? statOf(Number(name))?.parent : undefined;
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const family = [pid];
  for (const member of family)
    for (const [child, parent] of parents) if (parent === member) family.push(child);
  return family;
}

export function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

function statOf(pid: number): { parent: number; ticks: number[] } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ticks: fields.slice(11, 15).map(Number) };
  } catch {
    return undefined; // it has ended
  }
}
