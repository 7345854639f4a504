import { element, keyedChildren, setAttribute, setText } from './elements.mjs';
import { summaryOf } from './summary.mjs';

/** The figures that an operator looks at first, side by side. */
export function summaryPanel(place) {
  const update = keyedChildren(place, { keyOf: ({ name }) => name, make: tileOf });
  return (data, series) => update(summaryOf(data, series));
}

function tileOf({ name }) {
  const [value, below] = [element('b'), element('small')];
  const tile = element('li', { className: 'tile' }, element('span', {}, name), value, below);
  return {
    element: tile,
    update(item) {
      setAttribute(tile, 'data-level', item.level);
      setText(value, item.value);
      setText(below, item.below);
    },
  };
}
