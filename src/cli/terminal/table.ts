export type Column<T> = {
  head: string;
  value: (row: T) => string | number | null | undefined;
  /** For numbers. */
  right?: boolean;
  /** Can be cut down to `narrowest` if the terminal is too narrow. */
  shrink?: boolean;
  /** Is left out if cutting is not enough. */
  optional?: boolean;
  style?: (row: T) => Style | undefined;
};
export type Style = keyof typeof styles;
export type Screen = { width: number; colour: boolean };

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
const gap = '  ';
const narrowest = 12;

/** Formats batches of rows under one heading; a column can grow from batch to batch. */
export function createTable<T>(columns: Column<T>[], screen: Screen): (rows: T[]) => string[] {
  let shown = columns.map((column) => ({ ...column, width: textWidth(column.head) }));
  let headed = false;
  return (rows) => {
    for (const column of shown)
      column.width = Math.max(column.width, ...rows.map((row) => textWidth(clean(column.value(row)))));
    shown = narrow(shown, screen.width);
    const line = (cell: (column: Column<T>) => [text: string, style: Style | undefined]) =>
      shown
        .map((column) => {
          const [text, style] = cell(column);
          return paint(place(text, column.width, column.right ?? false), style, screen.colour);
        })
        .join(gap)
        .trimEnd();
    const head = headed ? [] : [line(({ head }) => [head, 'bold'])];
    headed = true;
    return [...head, ...rows.map((row) => line(({ value, style }) => [clean(value(row)), style?.(row)]))];
  };
}

type Field = [label: string, value: string | number | null | undefined];

/** One line per field, values aligned. Null leaves a field out. */
export function formatRecord(fields: (Field | null)[]): string {
  const shown = fields.filter((field) => field !== null);
  const width = Math.max(...shown.map(([label]) => label.length));
  return shown.map(([label, value]) => `${label.padEnd(width)}${gap}${clean(value) || '–'}`).join('\n');
}

export function paint(text: string, style: Style | undefined, colour: boolean): string {
  return style && colour ? `\x1b[${styles[style]}m${text}\x1b[0m` : text;
}

/** Names come from outside: control characters must not reach the terminal. */
export function clean(value: string | number | null | undefined): string {
  return String(value ?? '').replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ');
}

/** Drops optional columns from the right until the rest can fit, then cuts the widest as far as needed. */
function narrow<C extends { width: number; shrink?: boolean; optional?: boolean }>(
  columns: C[],
  width: number,
): C[] {
  const gaps = gap.length * (columns.length - 1);
  const least = columns.reduce((sum, column) => sum + leastWidth(column), gaps);
  const last = columns.findLast(({ optional }) => optional);
  if (least > width && last) {
    const rest = columns.filter((column) => column !== last);
    return narrow(rest, width);
  }
  let over = columns.reduce((sum, column) => sum + column.width, gaps) - width;
  const cuttable = columns.filter((column) => column.width > leastWidth(column));
  for (; over > 0; over--) {
    const widest = cuttable.toSorted((a, b) => b.width - a.width)[0];
    if (!widest || widest.width <= narrowest) break;
    widest.width--;
  }
  return columns;
}

function leastWidth({ width, shrink }: { width: number; shrink?: boolean }): number {
  return shrink ? Math.min(width, narrowest) : width;
}

function place(text: string, width: number, right: boolean): string {
  const cut = textWidth(text) > width ? `${headOf(text, width - 1)}…` : text;
  const space = ' '.repeat(Math.max(0, width - textWidth(cut)));
  return right ? space + cut : cut + space;
}

function headOf(text: string, width: number): string {
  let head = '';
  let used = 0;
  for (const { segment } of segments(text)) {
    used += segmentWidth(segment);
    if (used > width) break;
    head += segment;
  }
  return head;
}

/** The number of terminal cells that a text takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...segments(text)].reduce((sum, { segment }) => sum + segmentWidth(segment), 0);
}

function segments(text: string): Iterable<Intl.SegmentData> {
  return new Intl.Segmenter('en').segment(text);
}

const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

function segmentWidth(segment: string): number {
  return wide.test(segment) ? 2 : 1;
}
