export type Finding = {
  check: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it. */
  advice?: string;
};

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

export function warn(check: string, message: string, advice: string): Finding {
  return { check, status: 'warn', message, advice };
}

export function fail(check: string, message: string, advice: string): Finding {
  return { check, status: 'fail', message, advice };
}

/** Receivers of webhooks refuse what is five minutes off; well before that somebody should know. */
export function clockFinding(check: string, offsetMs: number): Finding {
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  const message = `differs by ${seconds} s from the clock of this machine`;
  const advice = 'Let both keep their time by NTP.';
  if (seconds > 120) return fail(check, message, advice);
  return seconds > 5 ? warn(check, message, advice) : ok(check, 'agrees with the clock of this machine');
}

export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return message || code || String(error);
}
