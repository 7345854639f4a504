import { element, keyedChildren, setAttribute, setText } from './elements.mjs';
import { phrase } from './wording.mjs';

/** The parts of the service, each with its state in a word. */
export function healthPanel(place) {
  const update = keyedChildren(place, { keyOf: ({ name }) => name, make: partOf });
  return ({ parts }) => update(parts);
}

function partOf({ name }) {
  const [state, detail] = [element('b'), element('span')];
  const item = element('li', { className: 'part' }, `${phrase(name)} `, state, detail);
  return {
    element: item,
    update(part) {
      setAttribute(item, 'data-state', part.state);
      setText(state, part.state);
      setText(detail, part.detail ? ` ${part.detail}` : '');
    },
  };
}
