/** A row of a file, before it is converted. */
export type SourceRecord = {
  /** The line where it begins, counted from 1; in a JSON array, the number of the element. */
  line: number;
  cells: Record<string, unknown>;
  /** The original text, for the file of refused rows. */
  source: string[] | object | string;
  /** Set if it cannot be read at all. */
  problem?: string;
};

export type SourceText = {
  /** For messages. */
  name: string;
  /** Enough of the beginning to recognize the format. */
  head: string;
  /** Everything including the head; can be read once. */
  chunks: AsyncGenerator<string>;
  /** Spreadsheets need the mark to recognize UTF-8: a file that had one gets one back. */
  byteOrderMark: boolean;
};

export type ImportErrorCode =
  | 'spreadsheet'
  | 'not_utf8'
  | 'wrong_encoding'
  | 'empty'
  | 'unclosed_quote'
  | 'line_too_long'
  | 'array_too_long'
  | 'invalid_json';

/** A file that cannot be read. The message says what is wrong; what to do about it depends on where the import runs. */
export class ImportError extends Error {
  readonly code: ImportErrorCode;

  constructor(code: ImportErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
