/*
 * Text in the cells of CSV files that people open in spreadsheets. A spreadsheet runs a cell that begins like a formula,
 * whoever wrote it. Some split at semicolons or tabs instead of commas, and then also at line ends in quotes. Therefore an
 * apostrophe precedes every character that could begin a formula in a cell.
 */

/**
 * A possible start of a cell, then characters that a spreadsheet may ignore there, then the apostrophes of the text itself
 * and the sign.
 */
const formula = pattern(`('*[=+\\-@＝＋－＠])`);
const defusedFormula = pattern(`'('*[=+\\-@＝＋－＠])`);

function pattern(sign: string): RegExp {
  return new RegExp(`(^|[;\\p{Cc}])(["\\p{Z}\\p{Default_Ignorable_Code_Point}]*)${sign}`, 'gu');
}

export function defused(text: string): string {
  return text.replace(formula, `$1$2'$3`);
}

/** Reverses `defused`. */
export function restored(text: string): string {
  return text.replace(defusedFormula, '$1$2$3');
}

/** A cell according to RFC 4180, in quotation marks if any spreadsheet could split or trim it. */
export function csvCell(text: string): string {
  return /[",;\p{Cc}]|^[\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
