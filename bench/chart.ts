import type { Section } from './section.ts';

const width = 720;
const letterWidth = 8;
const rowHeight = 30;
const top = 40;

/** Horizontal bars with their numbers, readable on a light and on a dark page. */
export function barChart({ title, rows, chart }: Section): string {
  const most = Math.max(...rows.map((row) => Number(row[chart.value])));
  const labels = rows.map((row) => String(row[chart.label]));
  const left = 12 + Math.max(...labels.map((label) => label.length)) * letterWidth;
  const bars = rows.map((row, index) => {
    const value = Number(row[chart.value]);
    const y = top + index * rowHeight;
    const length = Math.round((value / most) * (width - left - 70));
    return `  <text x="${left - 10}" y="${y + 15}" text-anchor="end">${escaped(labels[index] ?? '')}</text>
  <rect x="${left}" y="${y}" width="${length}" height="20" rx="3"/>
  <text x="${left + length + 8}" y="${y + 15}">${value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en')}</text>`;
  });
  const name = escaped(`${title}: ${chart.value} (${chart.better} is better)`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + rows.length * rowHeight}" role="img" aria-label="${name}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2933 }
    rect { fill: #2563a8 }
    @media (prefers-color-scheme: dark) { text { fill: #e4e7eb } rect { fill: #6aa5e8 } }
  </style>
  <text x="0" y="18" font-weight="600">${name}</text>
${bars.join('\n')}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
