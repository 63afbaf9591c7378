export type Say = (line: string) => void;

/** What one benchmark has found: a table, which of its columns a chart shows, and what a reader must know. */
export type Section = {
  name: string;
  title: string;
  rows: Record<string, string | number>[];
  notes: string[];
  chart: { label: string; value: string };
};
