import { element, keyedChildren, setText } from './elements.mjs';
import { figureText, phrase } from './wording.mjs';

/** The figures that modules have of their own, a card for each module. */
export function modulesPanel(place) {
  const none = element('p', { className: 'under' }, 'No module has figures of its own.');
  place.before(none);
  const update = keyedChildren(place, { keyOf: ({ name }) => name, make: cardOf });
  return (modules) => {
    none.hidden = modules.length > 0;
    update(modules);
  };
}

function cardOf({ name }) {
  const list = element('dl');
  const update = keyedChildren(list, { keyOf: (figure) => figure.name, make: figureOf });
  return {
    element: element('section', { className: 'card' }, element('h3', {}, phrase(name)), list),
    update: ({ figures }) => update(figures),
  };
}

function figureOf({ name, help }) {
  const values = element('dd');
  const update = keyedChildren(values, { keyOf: ({ labels }) => JSON.stringify(labels), make: (item) => valueOf(name, item) });
  const none = element('span', { className: 'quiet' }, 'none yet');
  return {
    element: element('div', {}, element('dt', { title: name }, help), values, element('dd', { className: 'none' }, none)),
    update(figure) {
      none.parentElement.hidden = figure.values.length > 0;
      values.hidden = figure.values.length === 0;
      update(figure.values);
    },
  };
}

function valueOf(name, { labels }) {
  const number = element('b');
  const words = Object.values(labels).join(', ');
  const labelled = words === '' ? [] : [`${words} `];
  return {
    element: element('span', { className: 'value' }, ...labelled, number),
    update: ({ value }) => setText(number, figureText(name, value)),
  };
}
