import { titleOf } from './condition.mjs';
import { element, keyedChildren, setAttribute, setText } from './elements.mjs';
import { clock, duration, phrase } from './wording.mjs';

const byId = (id) => document.getElementById(id);

/** The head of the page: which service this is, how it is, and whether the figures are of this moment. */
export function headPanel() {
  const about = keyedChildren(byId('about'), { keyOf: ([name]) => name, make: factOf });
  let title = 'Service';
  const show = (state, sentence) => {
    setAttribute(byId('state'), 'data-state', state);
    setText(byId('state'), phrase(state));
    setText(byId('verdict'), sentence);
    if (document.title !== titleOf(state, title)) document.title = titleOf(state, title);
  };
  return {
    showAnswer({ now, service }, { state, sentence }) {
      title = service.title;
      setText(byId('title'), title);
      byId('lost').hidden = true;
      byId('main').removeAttribute('data-old');
      show(state, sentence);
      about(factsOf(service, now));
    },
    showLost({ now, reason, isFinal, seconds }) {
      show('lost', now === null ? 'No figures yet.' : `All figures below are old, as of ${clock(now)}.`);
      byId('lost').hidden = false;
      byId('load-again').hidden = !isFinal;
      const since = now === null ? 'No answer has come yet' : `Connection lost since ${clock(now)}`;
      setText(byId('lost-words'), `${since}: ${reason}.`);
      setText(byId('lost-for'), isFinal ? '' : `${seconds === null ? '' : `For ${duration(seconds)}. `}Tried again every second.`);
      if (now === null) return;
      setAttribute(byId('main'), 'data-old', 'true');
      byId('main').style.setProperty('--as-of', `"old, as of ${clock(now)}"`);
    },
  };
}

function factsOf({ deployment, version, host, process, startedAt, database, node }, now) {
  return [
    ['Deployment', deployment],
    ['Version', version],
    ['Process', `${host} / ${process}`],
    ['Up for', duration((now - startedAt) / 1_000)],
    ['Database', database],
    ['Node.js', node],
    ['As of', clock(now)],
  ];
}

function factOf([name]) {
  const value = element('dd');
  return { element: element('div', {}, element('dt', {}, name), value), update: ([, text]) => setText(value, text) };
}
