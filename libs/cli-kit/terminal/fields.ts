import { paint, textOf, widthOf } from './cell.js';
import type { Cells, View } from './view.js';

/** A view of one thing: each cell behind its label, one a line, never cut. What is undefined is left out. */
export function fields<Value>(cellsOf: (value: Value) => Cells): View<Value> {
  return (value, { style }) => {
    const shown = Object.entries(cellsOf(value)).filter(([, cell]) => cell !== undefined);
    const width = Math.max(0, ...shown.map(([label]) => widthOf(label)));
    return shown.map(([label, cell]) => {
      const gap = ' '.repeat(width - widthOf(label));
      return `${style('heading', `${label}:`)}${gap} ${paint(cell, textOf(cell), style)}`;
    });
  };
}
