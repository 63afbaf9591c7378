import { styleText } from 'node:util';
import type { DestinationStream } from 'pino';

/** What a person sees in a terminal: the steps of the start with their time, and log entries as lines of text. */
export type Terminal = DestinationStream & {
  /** Begins a step, and ends the one before. */
  step(name: string): void;
  /** Ends the step, if there is one, with its time or with `how` it ended. */
  end(how?: string): void;
  /** Ends the step, and prints the text. */
  print(text: string): void;
};

export function createTerminal(stream: NodeJS.WriteStream): Terminal {
  const paint = (style: 'red' | 'yellow' | 'dim', text: string) =>
    stream.isTTY && stream.hasColors() ? styleText(style, text) : text;
  let begun: number | undefined;
  stream.on('error', () => {}); // the terminal was closed, which must not cut the shutdown short

  function end(how?: string): void {
    if (begun === undefined) return;
    const seconds = (performance.now() - begun) / 1000;
    begun = undefined;
    stream.write(`${how ?? `${seconds.toFixed(1)} s`}\n`);
  }

  return {
    end,
    step(name) {
      end();
      stream.write(`${name} … `);
      begun = performance.now();
    },
    print(text) {
      end();
      stream.write(`${text}\n`);
    },
    write(json) {
      const entry: Entry = JSON.parse(json);
      const [text, ...stack] = describe(entry);
      const line = entry.level >= 50 ? paint('red', text) : entry.level >= 40 ? paint('yellow', text) : text;
      const open = begun === undefined ? '' : '\n';
      stream.write([`${open}${line}`, ...stack.map((below) => paint('dim', below)), ''].join('\n'));
    },
  };
}

/** What pino writes as JSON. */
type Entry = {
  level: number;
  time: string;
  msg?: string;
  err?: { message?: string; stack?: string };
  [field: string]: unknown;
};

/** The entry as one line, and the stack of an error below it. */
function describe({ level, time, msg = '', err, ...fields }: Entry): [string, ...string[]] {
  const { method, route, status, duration_ms, ...others } = fields;
  const what = msg === 'request' ? `${method} ${route} ${status} in ${duration_ms} ms` : msg;
  const named = msg === 'request' ? others : fields;
  const details = Object.entries(named).map(([name, value]) => `${name} ${clean(value)}`);
  const parts = [
    new Date(time).toTimeString().slice(0, 8),
    level >= 50 ? 'error:' : level >= 40 ? 'warning:' : '',
    clean(err?.message ? `${what}: ${err.message}` : what),
    details.length > 0 ? `(${details.join(', ')})` : '',
  ];
  const stack = level >= 50 ? (err?.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []) : [];
  return [parts.filter(Boolean).join(' '), ...stack.map(clean)];
}

/** Texts can come from outside: control characters must not reach the terminal. */
function clean(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ');
}
