export type Finding = {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** How to fix it. */
  advice?: string;
};

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });
export const warn = problem('warn');
export const fail = problem('fail');

function problem(status: Finding['status']) {
  return (check: string, message: string, advice: string): Finding => ({ check, status, message, advice });
}

/** Webhook receivers reject timestamps that are five minutes off, so report a difference well before that. */
export function clockFinding(check: string, offsetMs: number): Finding {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  const message = `${seconds} s off from the clock of this machine`;
  const advice = 'Synchronize both clocks with NTP.';
  if (seconds > 120) return fail(check, message, advice);
  return seconds > 5 ? warn(check, message, advice) : ok(check, 'in sync with the clock of this machine');
}

export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return message || code || String(error);
}
