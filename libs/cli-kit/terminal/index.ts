export { textOf, toned, WholeText, type Cell } from './cell.js';
export { fields } from './fields.js';
export { generalView } from './general-view.js';
export { hasColours, styleOf, type Style, type Tone } from './style.js';
export { Table, table } from './table.js';
export { bytes, duration, fromNow, instant, when } from './units.js';
export type { Cells, Terminal, View } from './view.js';
