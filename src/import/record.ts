export type SourceRecord = {
  /** The line where it begins, counted from 1; in a JSON array, the number of the element. */
  line: number;
  cells: Record<string, unknown>;
  /** The original text, for the file of refused rows. */
  source: string[] | object | string;
  /** Set if it cannot be read at all. */
  problem?: string;
};
