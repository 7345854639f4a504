import { element, keyedChildren, setText } from './elements.mjs';
import { count } from './wording.mjs';

const KINDS = { 2: 'line-1', 3: 'line-2', 4: 'line-3', 5: 'line-4' };

/** A list of how many requests had which status since the start, each with a bar as long as its share. */
export function statusesPanel(place) {
  const list = element('ul', { className: 'shares' });
  const none = element('p', { className: 'under' }, 'None yet.');
  place.append(element('section', { className: 'plot' }, element('h3', {}, 'Requests by status since the start'), list, none));
  const update = keyedChildren(list, { keyOf: ({ status }) => status, make: shareOf });
  return (statuses) => {
    none.hidden = statuses.length > 0;
    update(statuses, Math.max(1, ...statuses.map(({ total }) => total)));
  };
}

function shareOf({ status }) {
  const bar = element('i', { className: `share ${KINDS[status[0]] ?? 'line-5'}` });
  const total = element('span', { className: 'number' });
  return {
    element: element(
      'li',
      {},
      element('b', {}, status === 'aborted' ? 'client left' : status),
      element('span', { className: 'track' }, bar),
      total,
    ),
    update(item, greatest) {
      setText(total, count(item.total));
      bar.style.width = `${(item.total / greatest) * 100}%`;
    },
  };
}
