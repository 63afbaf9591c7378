/*
 * Text in the cells of CSV files that people open in spreadsheets. A spreadsheet runs a cell that begins like a formula,
 * whoever wrote it. Some split at semicolons or tabs where we mean commas, and then also at line ends in quotes. So an
 * apostrophe comes before every sign that could begin a cell.
 */

/** Where a cell can begin, then what a spreadsheet may not see there, then the sign, with apostrophes of the text itself. */
const formula = pattern(`('*[=+\\-@＝＋－＠])`);
const defusedFormula = pattern(`'('*[=+\\-@＝＋－＠])`);

function pattern(sign: string): RegExp {
  return new RegExp(`(^|[;\\p{Cc}])(["\\p{Z}\\p{Default_Ignorable_Code_Point}]*)${sign}`, 'gu');
}

export function defused(text: string): string {
  return text.replace(formula, `$1$2'$3`);
}

/** The text of what `defused` returned. */
export function restored(text: string): string {
  return text.replace(defusedFormula, '$1$2$3');
}

/** A cell as RFC 4180 has it, in quotation marks where any spreadsheet could split or trim it. */
export function quoted(text: string): string {
  return /[",;\p{Cc}]|^[\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
