export type Say = (line: string) => void;

/** The result of a benchmark: a table, the columns for its chart, and notes for the reader. */
export type Section = {
  name: string;
  title: string;
  rows: Record<string, string | number>[];
  notes: string[];
  chart: { label: string; value: string; better: 'lower' | 'higher' };
};
