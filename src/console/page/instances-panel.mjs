import { element, notice, setText } from './elements.mjs';
import { table, textCell } from './table.mjs';
import { ago, count } from './wording.mjs';

/** The processes that serve on the same database. */
export function instancesPanel(place) {
  return table(place, {
    name: 'Instances',
    keyOf: ({ host, process }) => `${host} ${process}`,
    columns: [
      { title: 'Instance', className: 'main-cell', make: instanceCell },
      { title: 'Version', make: textCell(({ version }) => version) },
      { title: 'Connections', isNumber: true, make: textCell(({ connections }) => count(connections)) },
      { title: 'Since', make: textCell(({ since }, now) => ago(since, now)) },
    ],
    empty: notice('No instance is known yet.'),
    unreadable: notice('Instances cannot be read now: the database does not answer.'),
  });
}

function instanceCell() {
  const [name, mark] = [element('b'), element('span', { className: 'mark', 'data-state': 'here' }, 'this one')];
  return {
    parts: [name, ' ', mark],
    update({ host, process, here }) {
      setText(name, `${host} / ${process}`);
      mark.hidden = !here;
    },
  };
}
