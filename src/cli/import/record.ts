export type SourceRecord = {
  /** Where it begins, counted from 1; of a JSON array, which element it is. */
  line: number;
  cells: Record<string, unknown>;
  /** As it stood, for the file of refused rows. */
  source: string[] | object | string;
  /** Why it cannot be read at all. */
  problem?: string;
};
