/** Renders a table in Markdown; the cells are Markdown. */
export function renderTable(headings, rows) {
  const lines = [headings, headings.map(() => '---'), ...rows.map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')))];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
