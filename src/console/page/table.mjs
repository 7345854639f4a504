import { element, keyedChildren, setAttribute, setText } from './elements.mjs';

/** A cell that shows a text of its item. */
export function textCell(textOf) {
  return () => {
    const cell = element('span');
    return { parts: [cell], update: (item, now) => setText(cell, textOf(item, now)) };
  };
}

/**
 * A table that is kept as its items are, row by row; where it is narrow, rows stand as cards. A column has a title, a function that makes
 * its cell, and `isNumber`. `empty` stands instead of a table without rows, `unreadable` instead of items that are null.
 */
export function table(place, { name, columns, keyOf, stateOf = () => null, empty, unreadable }) {
  const body = element('tbody', { role: 'rowgroup' });
  const update = keyedChildren(body, { keyOf, make: () => rowOf(columns, stateOf) });
  const head = element('tr', { role: 'row' }, ...columns.map(headingOf));
  const whole = element('table', { role: 'table', 'aria-label': name }, element('thead', { role: 'rowgroup' }, head), body);
  const region = element('div', { className: 'region', role: 'group', tabIndex: 0, 'aria-label': name }, whole);
  place.append(region, empty, unreadable);
  return (items, now) => {
    region.hidden = !items || items.length === 0;
    empty.hidden = !items || items.length > 0;
    unreadable.hidden = items !== null;
    update(items ?? [], now);
  };
}

function headingOf({ title, isNumber }) {
  return element('th', { role: 'columnheader', scope: 'col', className: isNumber ? 'number' : '' }, title);
}

function rowOf(columns, stateOf) {
  const cells = columns.map(({ make }) => make());
  const row = element(
    'tr',
    { role: 'row' },
    ...columns.map(({ title, isNumber, className = '' }, index) =>
      element(
        'td',
        { role: 'cell', 'data-title': title, className: `${className} ${isNumber ? 'number' : ''}`.trim() },
        ...cells[index].parts,
      ),
    ),
  );
  return {
    element: row,
    update(item, now) {
      setAttribute(row, 'data-state', stateOf(item));
      for (const cell of cells) cell.update(item, now);
    },
  };
}
